// SPDX-License-Identifier: GPL-2.0-only
/* A bar on a terminal's stderr, for what takes longer than a moment */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

#define BAR_WIDTH 40
#define PATIENCE 0.5	/* seconds before the first */
#define INTERVAL 0.1	/* and between two */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

struct progress progress_begin(const char *what, uint64_t total)
{
	return (struct progress) {
		.what = what,
		.total = isatty(STDERR_FILENO) ? total : 0,
		.began = now(),
	};
}

void progress_show(struct progress *p, uint64_t done)
{
	static const char full[] = "########################################";
	double t, part;

	if (!p->total)
		return;
	t = now();
	if (t < p->began + PATIENCE || t < p->drawn + INTERVAL)
		return;
	p->drawn = t;
	part = (double)done / p->total;
	fprintf(stderr, "\r%s [%-*.*s] %3.0f%%", p->what, BAR_WIDTH,
		(int)(part * BAR_WIDTH), full, part * 100);
}

/* leaves an empty line for what comes next */
void progress_end(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
}
