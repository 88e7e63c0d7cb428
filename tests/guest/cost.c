// SPDX-License-Identifier: GPL-2.0-only
#include "cost.h"

#include <time.h>

static uint64_t clock_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

uint64_t now(void)
{
	return clock_of(CLOCK_MONOTONIC);
}

/* by this thread's own clock: there is one CPU, and the child may have it first */
uint64_t fork_cost(void)
{
	uint64_t began = clock_of(CLOCK_THREAD_CPUTIME_ID), cost;
	pid_t child = fork();

	if (!child)
		_exit(0);
	cost = clock_of(CLOCK_THREAD_CPUTIME_ID) - began;
	assert_true(child > 0);
	waitpid(child, NULL, 0);
	return cost;
}

/* a line for tests/reference/run; no argument may have a space */
void figure(const char *what, const char *node, uint64_t size, uint64_t value,
	    const char *unit)
{
	print_message("# figure %s %s %llu %llu %s\n", what, node,
		      (unsigned long long)size, (unsigned long long)value,
		      unit);
}
