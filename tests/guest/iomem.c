// SPDX-License-Identifier: GPL-2.0-only
/* Each resource of /proc/iomem */
#include "guest.h"

void iomem_each(void (*fn)(const struct iomem_range *range, void *arg),
		void *arg)
{
	struct iomem iomem;
	size_t i;

	assert_int_equal(iomem_read("/proc/iomem", &iomem), 0);
	for (i = 0; i < iomem.n; i++)
		fn(&iomem.ranges[i], arg);
	free(iomem.ranges);
}

static void first_ram(const struct iomem_range *r, void *arg)
{
	uint64_t *at = arg;

	if (!*at && !r->depth && !strcmp(r->name, "System RAM") &&
	    r->start >= MIB(1))
		*at = r->start;
}

/* where there is System RAM, past the first megabyte */
uint64_t iomem_ram(void)
{
	uint64_t at = 0;

	iomem_each(first_ram, &at);
	assert_int_not_equal(at, 0);
	return (at + page_size - 1) & -page_size;
}
