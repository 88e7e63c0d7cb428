/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The protection of a huge entry, as one of an entry of order 0. x86 keeps a
 * bit of the memory type in another place in each; before huge PFN maps,
 * kernels need not have pud_pgprot() at all.
 */
#ifndef HUGEPFN_COMPAT_PGTABLE_H
#define HUGEPFN_COMPAT_PGTABLE_H

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

#endif
