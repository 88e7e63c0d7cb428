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
