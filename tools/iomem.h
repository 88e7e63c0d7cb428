/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/iomem, a line a resource, two spaces a level */
#ifndef HUGEPFN_TOOLS_IOMEM_H
#define HUGEPFN_TOOLS_IOMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iomem_range {
	uint64_t start, end;	/* both included */
	unsigned int depth;
	char name[64];
};

/* @n: of the resources, in rising order, a parent before its children */
struct iomem {
	struct iomem_range *ranges;
	size_t n;
};

bool iomem_parse(const char *line, struct iomem_range *range);
int iomem_read(const char *path, struct iomem *iomem);
size_t iomem_next(const struct iomem *iomem, size_t i);

#endif
