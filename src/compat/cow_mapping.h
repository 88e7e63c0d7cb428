/* SPDX-License-Identifier: GPL-2.0-only */
/* vma_is_cow_mapping() took over from is_cow_mapping(vma->vm_flags) in 7.3 */
#ifndef HUGEPFN_COMPAT_COW_MAPPING_H
#define HUGEPFN_COMPAT_COW_MAPPING_H

#include <linux/mm.h>

#ifndef HAVE_VMA_IS_COW_MAPPING
static inline bool vma_is_cow_mapping(const struct vm_area_struct *vma)
{
	return is_cow_mapping(vma->vm_flags);
}
#endif

#endif
