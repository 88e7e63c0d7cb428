// SPDX-License-Identifier: GPL-2.0-only
#include "cost.h"

#include <time.h>

uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* a line for tests/reference/run; no argument may have a space */
void figure(const char *what, const char *node, uint64_t size, uint64_t value,
	    const char *unit)
{
	print_message("# figure %s %s %llu %llu %s\n", what, node,
		      (unsigned long long)size, (unsigned long long)value,
		      unit);
}
