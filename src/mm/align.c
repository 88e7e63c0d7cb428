// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a mapping goes: an address congruent to the physical one, so that
 * huge entries can be used at all. thp_get_unmapped_area() does the same for
 * files, but only at PMD size, only for offsets that are file positions, and
 * not at all where transparent huge pages are compiled out.
 */
#include <linux/mman.h>

#include "../compat/get_unmapped_area.h"
#include "map.h"

static const unsigned int align_orders[] = {
	PUD_SHIFT - PAGE_SHIFT,
	PMD_SHIFT - PAGE_SHIFT,
};

/* an address congruent modulo 2^order pages, or 0 if there is no room */
static unsigned long get_congruent(struct file *file, unsigned long hint,
				   unsigned long len, unsigned long pfn,
				   unsigned long flags, unsigned int order)
{
	const unsigned long pad = (PAGE_SIZE << order) - PAGE_SIZE;
	unsigned long addr;

	if (len + pad < len)
		return 0;
	addr = hugepfn_mm_get_unmapped_area(file, hint, len + pad, pfn, flags);
	if (IS_ERR_VALUE(addr))
		return 0;
	return hugepfn_congruent(addr >> PAGE_SHIFT, pfn, order) << PAGE_SHIFT;
}

/**
 * hugepfn_get_unmapped_area - an address for a mapping of page frames
 * @file: the node's file
 * @addr: the caller's hint, or the address itself with %MAP_FIXED; 0 for none
 * @len: the length in bytes, page aligned
 * @pfn: the first page frame
 * @flags: mmap()'s
 *
 * The largest order is used that has at least one full window in the range. A
 * hint that is free is honoured as it is. Alignment never makes a mapping
 * fail: without room for it the plain answer is given.
 *
 * Context: mmap lock held for writing.
 * Return: the address, or a negative errno.
 */
unsigned long hugepfn_get_unmapped_area(struct file *file, unsigned long addr,
					unsigned long len, unsigned long pfn,
					unsigned long flags)
{
	unsigned long found;
	unsigned int i;

	if (addr || (flags & MAP_FIXED)) {
		found = hugepfn_mm_get_unmapped_area(file, addr, len, pfn,
						     flags);
		if (IS_ERR_VALUE(found) || (flags & MAP_FIXED) ||
		    found == PAGE_ALIGN(addr))
			return found;
	}

	for (i = 0; i < ARRAY_SIZE(align_orders); i++) {
		if (!hugepfn_window_inside(pfn, len >> PAGE_SHIFT,
					   align_orders[i]))
			continue;
		found = get_congruent(file, addr, len, pfn, flags,
				      align_orders[i]);
		if (found)
			return found;
	}
	return hugepfn_mm_get_unmapped_area(file, addr, len, pfn, flags);
}
