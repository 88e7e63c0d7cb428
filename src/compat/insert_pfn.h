/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The huge inserts took a pfn_t until 6.16. A kernel without special bits in
 * huge entries must not be given any: see huge_fault.h.
 */
#ifndef HUGEPFN_COMPAT_INSERT_PFN_H
#define HUGEPFN_COMPAT_INSERT_PFN_H

#include <linux/mm.h>

#ifdef HAVE_INSERT_PFN_T
#include <linux/pfn_t.h>
#define HUGEPFN_PFN(pfn) __pfn_to_pfn_t(pfn, PFN_DEV)
#else
#define HUGEPFN_PFN(pfn) (pfn)
#endif

static inline vm_fault_t hugepfn_insert_pfn_pmd(struct vm_fault *vmf,
						unsigned long pfn, bool write)
{
#ifdef CONFIG_ARCH_SUPPORTS_PMD_PFNMAP
	return vmf_insert_pfn_pmd(vmf, HUGEPFN_PFN(pfn), write);
#else
	return VM_FAULT_FALLBACK;
#endif
}

/* may the CPU have an entry at PUD level? x86 without gbpages has none */
static inline bool hugepfn_has_pud_entries(void)
{
#ifdef CONFIG_X86
	return boot_cpu_has(X86_FEATURE_GBPAGES);
#else
	return true;
#endif
}

static inline vm_fault_t hugepfn_insert_pfn_pud(struct vm_fault *vmf,
						unsigned long pfn, bool write)
{
#ifdef CONFIG_ARCH_SUPPORTS_PUD_PFNMAP
	if (!hugepfn_has_pud_entries())
		return VM_FAULT_FALLBACK;
	return vmf_insert_pfn_pud(vmf, HUGEPFN_PFN(pfn), write);
#else
	return VM_FAULT_FALLBACK;
#endif
}

#endif
