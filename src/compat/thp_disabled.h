/* SPDX-License-Identifier: GPL-2.0-only */
/* vma_thp_disabled() has a third argument since 6.18 */
#ifndef HUGEPFN_COMPAT_THP_DISABLED_H
#define HUGEPFN_COMPAT_THP_DISABLED_H

#include <linux/mm.h>

/* do madvise() or prctl() keep the kernel from asking for huge entries? */
static inline bool hugepfn_thp_disabled(struct vm_area_struct *vma)
{
#if !defined(CONFIG_ARCH_SUPPORTS_PMD_PFNMAP)
	return false;	/* it never asks */
#elif defined(HAVE_VMA_THP_DISABLED_FORCED)
	return vma_thp_disabled(vma, vma->vm_flags, false);
#else
	return vma_thp_disabled(vma, vma->vm_flags);
#endif
}

#endif
