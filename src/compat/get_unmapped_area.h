/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address the mm would choose. A call through mm->get_unmapped_area until
 * 6.9, then mm_get_unmapped_area(), which lost its mm argument in 7.0.
 */
#ifndef HUGEPFN_COMPAT_GET_UNMAPPED_AREA_H
#define HUGEPFN_COMPAT_GET_UNMAPPED_AREA_H

#include <linux/mm.h>
#include <linux/sched/mm.h>

static inline unsigned long
hugepfn_mm_get_unmapped_area(struct file *file, unsigned long addr,
			     unsigned long len, unsigned long pgoff,
			     unsigned long flags)
{
#if defined(HAVE_MM_GET_UNMAPPED_AREA)
	return mm_get_unmapped_area(file, addr, len, pgoff, flags);
#elif defined(HAVE_MM_GET_UNMAPPED_AREA_MM)
	return mm_get_unmapped_area(current->mm, file, addr, len, pgoff, flags);
#else
	return current->mm->get_unmapped_area(file, addr, len, pgoff, flags);
#endif
}

#endif
