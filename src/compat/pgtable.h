/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What architectures have in their page-table entries.
 *
 * The protection of a huge entry, as one of an entry of order 0: x86 keeps a
 * bit of the memory type in another place in each; before huge PFN maps,
 * kernels need not have pud_pgprot() at all.
 */
#ifndef HUGEPFN_COMPAT_PGTABLE_H
#define HUGEPFN_COMPAT_PGTABLE_H

#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/pgtable.h>

#ifdef CONFIG_X86
static inline pgprot_t hugepfn_pmd_prot(pmd_t pmd)
{
	return pgprot_large_2_4k(pmd_pgprot(pmd));
}

static inline pgprot_t hugepfn_pud_prot(pud_t pud)
{
	return pgprot_large_2_4k(pud_pgprot(pud));
}
#elif defined(CONFIG_ARCH_SUPPORTS_PMD_PFNMAP)
static inline pgprot_t hugepfn_pmd_prot(pmd_t pmd)
{
	return pmd_pgprot(pmd);
}

static inline pgprot_t hugepfn_pud_prot(pud_t pud)
{
	return pud_pgprot(pud);
}
#else
static inline pgprot_t hugepfn_pmd_prot(pmd_t pmd)
{
	return __pgprot(0);
}

static inline pgprot_t hugepfn_pud_prot(pud_t pud)
{
	return __pgprot(0);
}
#endif

#ifdef CONFIG_X86
#include <asm/processor.h>

/*
 * As pfn_modify_allowed() of arch/x86/mm/mmap.c: with L1TF an entry that is not
 * present leaks the frame it points to, once its bits are inverted.
 */
static inline bool hugepfn_pfn_may_be_inaccessible(unsigned long pfn)
{
	return !boot_cpu_has_bug(X86_BUG_L1TF) || pfn < l1tf_pfn_limit() ||
	       capable(CAP_SYS_ADMIN);
}
#else
static inline bool hugepfn_pfn_may_be_inaccessible(unsigned long pfn)
{
	return true;
}
#endif

#endif
