// SPDX-License-Identifier: GPL-2.0-only
/* One mapping from mmap() to munmap(), and what each step of it takes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "bench.h"

#define ACCESSES 1000
#define STRIDE 64

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static uint64_t faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static uint64_t page_tables(void)
{
	char *text = file_text("/proc/self/status");
	const char *line = text ? strstr(text, "VmPTE:") : NULL;
	uint64_t kib = line ? strtoull(line + 6, NULL, 10) : 0;

	free(text);
	return kib << 10;
}

static void touch_pages(const volatile char *p, uint64_t len)
{
	const uint64_t step = getpagesize();
	uint64_t i;

	for (i = 0; i < len; i += step)
		p[i];
}

/* a cache line after another, from the start */
static void sweep(const volatile uint64_t *p, uint64_t len)
{
	uint64_t i;

	for (i = 0; i < ACCESSES; i++)
		p[i * STRIDE % len / sizeof(*p)];
}

/* all over the mapping, in the same order each time */
static void hop(const volatile uint64_t *p, uint64_t len)
{
	uint64_t at = 1, i;

	for (i = 0; i < ACCESSES; i++) {
		at = at * 6364136223846793005ULL + 1442695040888963407ULL;
		p[(at >> 20) % (len / sizeof(*p))];
	}
}

/* -1 where the CPU, or the hypervisor, has no such counter */
static int open_dtlb_misses(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HW_CACHE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CACHE_DTLB |
			  PERF_COUNT_HW_CACHE_OP_READ << 8 |
			  PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
		.exclude_kernel = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

static uint64_t counter(int fd)
{
	uint64_t n;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

#define timed(work) ({				\
	const uint64_t began_ = now();		\
	work;					\
	now() - began_;				\
})

/* NULL for wherever the kernel likes */
static void *choose(const struct bench_peer *peer, uint64_t len)
{
	char *p;

	if (!peer->align)
		return NULL;
	p = mmap(NULL, len + peer->align, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		die("no room for %#llx bytes: %m", (unsigned long long)len);
	munmap(p, len + peer->align);
	return (void *)(((uintptr_t)p + peer->align - 1) & -peer->align);
}

static void *map(const struct bench_peer *peer, uint64_t len, void *where)
{
	void *p = mmap(where, len, PROT_READ | PROT_WRITE, MAP_SHARED |
		       (where ? MAP_FIXED_NOREPLACE : 0), peer->fd,
		       peer->offset);

	if (p == MAP_FAILED)
		die("mmap of %#llx bytes: %m", (unsigned long long)len);
	return p;
}

static void measure_populate(const struct bench_peer *peer, uint64_t len,
			     struct bench_round *round)
{
	struct hugepfn_populate range = {
		.size = sizeof(range),
		.length = len,
	};
	void *p = map(peer, len, choose(peer, len));

	range.addr = (uintptr_t)p;
	round->value[BENCH_POPULATE] =
		timed(if (ioctl(peer->fd, HUGEPFN_IOC_POPULATE, &range))
			die("populate: %m"));
	munmap(p, len);
}

static void measure_access(void *p, uint64_t len, struct bench_round *round)
{
	uint64_t before = faults(), *value = round->value;
	int misses;

	value[BENCH_FIRST_TOUCH] = timed(touch_pages(p, len));
	value[BENCH_FAULTS] = faults() - before;
	value[BENCH_SET_UP] = value[BENCH_MMAP] + value[BENCH_FIRST_TOUCH];
	value[BENCH_SWEEP] = timed(sweep(p, len));
	misses = open_dtlb_misses();
	before = misses < 0 ? 0 : counter(misses);
	value[BENCH_RANDOM] = timed(hop(p, len));
	if (misses < 0)
		return;
	value[BENCH_DTLB_MISSES] = counter(misses) - before;
	close(misses);
}

static uint64_t measure_fork(void)
{
	pid_t child;
	uint64_t took = timed(child = fork(); if (!child) _exit(0));

	if (child < 0)
		die("fork: %m");
	waitpid(child, NULL, 0);
	return took;
}

struct bench_round bench_measure(const struct bench_peer *peer, uint64_t len,
				 bool touch)
{
	struct bench_round round;
	void *where = choose(peer, len), *p;
	uint64_t tables;

	memset(&round, 0xff, sizeof(round));	/* BENCH_NONE */
	if (peer->populates)
		measure_populate(peer, len, &round);
	tables = page_tables();
	round.value[BENCH_MMAP] = timed(p = map(peer, len, where));
	if (touch)
		measure_access(p, len, &round);
	round.value[BENCH_PAGE_TABLES] = page_tables() - tables;
	round.value[BENCH_FORK] = measure_fork();
	round.value[BENCH_MUNMAP] = timed(munmap(p, len));
	return round;
}
