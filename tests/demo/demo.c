// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same BAR through /dev/mem and through /dev/hugemem, in instructions:
 * the guest's clock counts them (QEMU -icount shift=0).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct figures {
	uint64_t mmap, touch, faults, tables_kib, fork, munmap;
};

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static uint64_t now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static uint64_t faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static uint64_t tables_kib(void)
{
	char line[128];
	uint64_t kib = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmPTE:", 6))
			kib = strtoull(line + 6, NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

static void die(const char *what)
{
	fprintf(stderr, "demo: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct figures measure(const char *node, uint64_t address, uint64_t len)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);
	struct figures f;
	uint64_t t, i;
	volatile char *p;
	pid_t child;
	int fd;

	fd = open(node, O_RDWR);
	if (fd < 0)
		die(node);
	f.tables_kib = tables_kib();
	f.faults = faults();

	t = now();
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, address);
	f.mmap = now() - t;
	if (p == MAP_FAILED)
		die(node);

	t = now();
	for (i = 0; i < len; i += page)
		p[i];
	f.touch = now() - t;
	f.faults = faults() - f.faults;
	f.tables_kib = tables_kib() - f.tables_kib;

	/* by this thread's own clock: there is one CPU, and the child may have it */
	t = read_clock(CLOCK_THREAD_CPUTIME_ID);
	child = fork();
	if (!child)
		_exit(0);
	f.fork = read_clock(CLOCK_THREAD_CPUTIME_ID) - t;
	waitpid(child, NULL, 0);

	t = now();
	munmap((void *)p, len);
	f.munmap = now() - t;
	close(fd);
	return f;
}

static void row(const char *what, uint64_t a, uint64_t b)
{
	printf("  %-28s %15llu %15llu", what, (unsigned long long)a,
	       (unsigned long long)b);
	if (b && a >= 2 * b)
		printf("   %llu times less", (unsigned long long)(a / b));
	printf("\n");
}

int main(void)
{
	const char *at = getenv("HUGEPFN_BAR"), *size = getenv("HUGEPFN_BAR_SIZE");
	const uint64_t len = 2ULL << 30;
	struct figures mem, huge;
	struct utsname u;

	if (!at || !size || strtoull(size, NULL, 0) < len) {
		fprintf(stderr, "demo: HUGEPFN_BAR must name a BAR of 2 GiB or more\n");
		return 2;
	}
	uname(&u);
	measure("/dev/hugemem", strtoull(at, NULL, 0), len);	/* warm up */
	mem = measure("/dev/mem", strtoull(at, NULL, 0), len);
	huge = measure("/dev/hugemem", strtoull(at, NULL, 0), len);

	printf("\n2 GiB of a PCI BAR on Linux %s, in instructions\n\n", u.release);
	printf("  %-28s %15s %15s\n", "", "/dev/mem", "/dev/hugemem");
	row("mmap()", mem.mmap, huge.mmap);
	row("first touch of every page", mem.touch, huge.touch);
	row("  page faults", mem.faults, huge.faults);
	row("page tables, KiB", mem.tables_kib, huge.tables_kib);
	row("fork()", mem.fork, huge.fork);
	row("munmap()", mem.munmap, huge.munmap);
	printf("\n");
	return 0;
}
