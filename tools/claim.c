// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who keeps a physical range to himself. /proc/iomem has the names and not
 * which of them are busy, so /dev/hugemem is asked, a page at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "claim.h"
#include "tool.h"

/* 0 or the errno of mapping it; nothing is touched */
int claim_try(int fd, uint64_t at, uint64_t len)
{
	void *p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)at);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, len);
	return 0;
}

bool claim_is_ram(const struct iomem_range *range)
{
	return !strncmp(range->name, "System RAM", 10);
}

static bool refuses(int fd, const struct iomem_range *range, uint64_t page,
		    uint64_t at)
{
	const uint64_t first = range->start > at ? range->start : at;

	return claim_try(fd, first & -page, page) == EPERM;
}

/*
 * The innermost resource that makes a page of the range be refused; NULL if
 * none is found. A parent that is busy is found through its last child.
 */
const struct iomem_range *claim_find(const struct iomem *iomem, int fd,
				     uint64_t page, uint64_t at, uint64_t len)
{
	const uint64_t first = at & -page;
	const uint64_t last = ((at + len - 1) & -page) + page - 1;
	const struct iomem_range *found = NULL;
	size_t i;

	for (i = 0; i < iomem->n; i++) {
		const struct iomem_range *r = &iomem->ranges[i];

		if (found && r->depth <= found->depth)
			break;
		if (r->end < first || r->start > last)
			continue;
		if (claim_is_ram(r))
			return r;
		if (refuses(fd, r, page, first))
			found = r;
	}
	return found;
}
