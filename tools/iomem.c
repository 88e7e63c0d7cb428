// SPDX-License-Identifier: GPL-2.0-only
#include "iomem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int add(struct iomem *iomem, const struct iomem_range *range)
{
	struct iomem_range *more;

	more = reallocarray(iomem->ranges, iomem->n + 1, sizeof(*more));
	if (!more)
		return ENOMEM;
	more[iomem->n++] = *range;
	iomem->ranges = more;
	return 0;
}

/*
 * 0 or an errno; EPERM where the addresses are hidden, which the kernel does
 * to who lacks CAP_SYS_ADMIN by making all of them 0
 */
int iomem_read(const char *path, struct iomem *iomem)
{
	struct iomem_range range;
	uint64_t highest = 0;
	char line[256];
	int err = 0;
	FILE *f = fopen(path, "r");

	*iomem = (struct iomem) {};
	if (!f)
		return errno;
	while (!err && fgets(line, sizeof(line), f)) {
		if (!iomem_parse(line, &range))
			continue;
		err = add(iomem, &range);
		if (range.end > highest)
			highest = range.end;
	}
	fclose(f);
	return err || highest ? err : EPERM;
}

/* the resource after @i's last descendant */
size_t iomem_next(const struct iomem *iomem, size_t i)
{
	const unsigned int depth = iomem->ranges[i].depth;

	do {
		i++;
	} while (i < iomem->n && iomem->ranges[i].depth > depth);
	return i;
}
