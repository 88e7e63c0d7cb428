/* SPDX-License-Identifier: GPL-2.0-only */
/* zap_vma_ptes() is zap_special_vma_range() since 7.1 */
#ifndef HUGEPFN_COMPAT_ZAP_H
#define HUGEPFN_COMPAT_ZAP_H

#include <linux/mm.h>

/**
 * hugepfn_zap_vma - drop the entries of a part of a VM_PFNMAP VMA
 * @vma: the VMA
 * @addr: where the part starts
 * @size: its length in bytes
 *
 * A huge entry that reaches over an end is dropped whole.
 *
 * Context: mmap lock or VMA lock held; sleeps.
 */
static inline void hugepfn_zap_vma(struct vm_area_struct *vma,
				   unsigned long addr, unsigned long size)
{
#ifdef HAVE_ZAP_SPECIAL_VMA_RANGE
	zap_special_vma_range(vma, addr, size);
#else
	zap_vma_ptes(vma, addr, size);
#endif
}

#endif
