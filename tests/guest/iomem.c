// SPDX-License-Identifier: GPL-2.0-only
/* /proc/iomem, a line a resource, two spaces a level */
#include "guest.h"

/* one line; false if it is none of /proc/iomem's */
bool iomem_parse(const char *line, struct iomem_range *range)
{
	unsigned long long start, end;
	int spaces = strspn(line, " ");
	char name[64];

	if (sscanf(line + spaces, "%llx-%llx : %63[^\n]", &start, &end,
		   name) != 3 || end < start)
		return false;
	range->start = start;
	range->end = end;
	range->depth = spaces / 2;
	strcpy(range->name, name);
	return true;
}

void iomem_each(void (*fn)(const struct iomem_range *range, void *arg),
		void *arg)
{
	struct iomem_range range;
	char line[256];
	FILE *f = fopen("/proc/iomem", "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (iomem_parse(line, &range))
			fn(&range, arg);
	fclose(f);
}
