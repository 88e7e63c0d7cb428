/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arithmetic on pages, windows and orders. A window of order n is 2^n pages
 * that start on a multiple of 2^n. Nothing here touches the kernel, so that
 * tests/unit runs these very lines on the build machine.
 */
#ifndef HUGEPFN_MM_WINDOW_H
#define HUGEPFN_MM_WINDOW_H

/**
 * struct hugepfn_extent - page frames from @first to @last, both included
 * @first: the first page frame number
 * @last: the last one
 */
struct hugepfn_extent {
	unsigned long first;
	unsigned long last;
};

static inline bool hugepfn_extent_equal(struct hugepfn_extent a,
					struct hugepfn_extent b)
{
	return a.first == b.first && a.last == b.last;
}

/**
 * hugepfn_window - the window around a page
 * @page: the page
 * @order: the window's order
 *
 * Return: its first and last page.
 */
static inline struct hugepfn_extent hugepfn_window(unsigned long page,
						   unsigned int order)
{
	const unsigned long mask = (1UL << order) - 1;

	return (struct hugepfn_extent){ page & ~mask, page | mask };
}

/**
 * hugepfn_extent_around - the pages of a window that a mapping has
 * @page: the page asked for, counted as the mapping's virtual addresses are
 * @first: the mapping's first page, counted the same way
 * @last: its last one
 * @order: the window's order
 *
 * Return: the intersection of the window around @page and the mapping.
 */
static inline struct hugepfn_extent
hugepfn_extent_around(unsigned long page, unsigned long first,
		      unsigned long last, unsigned int order)
{
	struct hugepfn_extent e = hugepfn_window(page, order);

	if (e.first < first)
		e.first = first;
	if (e.last > last)
		e.last = last;
	return e;
}

/**
 * hugepfn_window_fits - may one entry of @order map the window around @page?
 * @page: the page asked for, as a virtual page number
 * @pfn: the page frame it shows
 * @first: the mapping's first virtual page
 * @last: its last one
 * @order: the entry's order
 *
 * It may if the window lies inside the mapping and virtual and physical page
 * are congruent: what vfio-pci's huge fault checks since 09dfc8a5f2ce.
 *
 * Return: true if one may.
 */
static inline bool hugepfn_window_fits(unsigned long page, unsigned long pfn,
				       unsigned long first, unsigned long last,
				       unsigned int order)
{
	const struct hugepfn_extent w = hugepfn_window(page, order);

	return ((page ^ pfn) & ((1UL << order) - 1)) == 0 &&
	       w.first >= first && w.last <= last;
}

/**
 * hugepfn_window_inside - does a range of page frames hold a full window?
 * @pfn: the first page frame
 * @npages: how many there are
 * @order: the window's order
 *
 * Return: true if there is one.
 */
static inline bool hugepfn_window_inside(unsigned long pfn,
					 unsigned long npages,
					 unsigned int order)
{
	const unsigned long size = 1UL << order;
	const unsigned long head = -pfn & (size - 1);

	return npages >= size && npages - size >= head;
}

/**
 * hugepfn_congruent - the first page at or after @page that is congruent
 * @page: a virtual page number
 * @pfn: the page frame it is to show
 * @order: congruent modulo 2^order pages
 *
 * Return: its number.
 */
static inline unsigned long hugepfn_congruent(unsigned long page,
					      unsigned long pfn,
					      unsigned int order)
{
	return page + ((pfn - page) & ((1UL << order) - 1));
}

/**
 * hugepfn_piece - how far to go before the largest usable order changes
 * @pfn: the first page frame
 * @npages: how many there are, not 0
 * @orders: the orders above 0 there are, falling, ended by 0
 *
 * Cuts a range into pieces, each of which is best mapped by one order only:
 * 4 KiB entries up to the first 2 MiB boundary, 2 MiB ones up to the first
 * 1 GiB boundary, and so down again.
 *
 * Return: the length in pages of the first piece, 1 to @npages.
 */
static inline unsigned long hugepfn_piece(unsigned long pfn,
					  unsigned long npages,
					  const unsigned int *orders)
{
	unsigned long limit = npages;

	for (; *orders; orders++) {
		const unsigned long mask = (1UL << *orders) - 1;
		const unsigned long head = -pfn & mask;

		if (!hugepfn_window_inside(pfn, npages, *orders))
			continue;
		if (head)
			/* up to the first window, unless a smaller fits before */
			limit = head < limit ? head : limit;
		else
			return (limit & ~mask) ? (limit & ~mask) : limit;
	}
	return limit;
}

#endif
