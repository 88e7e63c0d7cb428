// SPDX-License-Identifier: GPL-2.0-only
/* Opening and mapping the nodes, and counting what it costs */
#include "guest.h"

#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>

uint64_t bar, bar_size, page_size, pmd_size, pud_size;
bool has_pmd, has_pud;

static uint64_t orders;	/* as INFO has them */

/* what tests/kernels-table puts into docs/kernels.md */
void guest_print_machine(void)
{
	struct utsname u;
	unsigned int order;

	uname(&u);
	printf("# machine %s %s pages=%lluK entries=", u.release, u.machine,
	       (unsigned long long)page_size >> 10);
	for (order = 0; order < 64; order++)
		if (orders >> order & 1)
			printf("%s%lluK", order ? "," : "",
			       (unsigned long long)(page_size << order) >> 10);
	printf(" memtypes=%s\n", memtypes_are_tracked() ? "tracked" :
							   "untracked");
}

int guest_init(void)
{
	struct hugepfn_info info = { .size = sizeof(info) };
	const char *at = getenv("HUGEPFN_BAR");
	const char *size = getenv("HUGEPFN_BAR_SIZE");
	int fd;

	if (!at || !size) {
		fprintf(stderr,
			"set HUGEPFN_BAR to the address of a BAR that may be written, and HUGEPFN_BAR_SIZE to its size\n");
		return -1;
	}
	bar = strtoull(at, NULL, 0);
	bar_size = strtoull(size, NULL, 0);
	fd = open("/dev/hugemem", O_RDWR);
	if (fd < 0 || ioctl(fd, HUGEPFN_IOC_INFO, &info)) {
		perror("/dev/hugemem");
		return -1;
	}
	close(fd);

	/* one page table maps a page of 8-byte entries, at each level */
	page_size = info.page_size;
	pmd_size = page_size * (page_size / 8);
	pud_size = pmd_size * (page_size / 8);
	orders = info.orders;
	has_pmd = orders * page_size & pmd_size;
	has_pud = orders * page_size & pud_size;
	/* 64 GiB with pages of 16 KiB; then it is but a large length */
	if (!has_pud && bar_size < 4 * pud_size)
		pud_size = bar_size / 4;
	return 0;
}

int open_node(const char *node, int flags)
{
	int fd = open(node, flags);

	if (fd < 0)
		fail_msg("%s: %s", node, strerror(errno));
	return fd;
}

int open_hugemem(int flags)
{
	return open_node("/dev/hugemem", flags);
}

/* how the file's later mmap() calls shall map */
void set_attr(int fd, uint32_t cache, uint32_t max_order, uint32_t flags)
{
	struct hugepfn_map_attr attr = {
		.size = sizeof(attr),
		.flags = flags,
		.cache = cache,
		.max_order = max_order,
	};

	assert_int_equal(ioctl(fd, HUGEPFN_IOC_SET_MAP_ATTR, &attr), 0);
}

/* mmap() through the system call itself: libc refuses some offsets */
void *map_at(int fd, void *addr, uint64_t offset, uint64_t len, int prot,
	     int flags)
{
	void *p = mmap(addr, len, prot, flags, fd, (off_t)offset);

	if (p == MAP_FAILED)
		fail_msg("mmap of %#llx at %#llx: %s", (unsigned long long)len,
			 (unsigned long long)offset, strerror(errno));
	return p;
}

/* a writable shared mapping of a part of the BAR through /dev/hugemem */
void *map_bar(uint64_t offset, uint64_t len)
{
	int fd = open_hugemem(O_RDWR);
	void *p = map_at(fd, NULL, bar + offset, len, PROT_READ | PROT_WRITE,
			 MAP_SHARED);

	close(fd);
	return p;
}

/* addresses for MAP_FIXED: aligned to @align, plus @shift */
void *reserve(uint64_t len, uint64_t align, uint64_t shift)
{
	char *p = mmap(NULL, len + 2 * align, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(p != MAP_FAILED);
	munmap(p, len + 2 * align);
	return (void *)((((uintptr_t)p + align - 1) & ~(align - 1)) + shift);
}

/* 0 if the address can be mapped, or the errno of open() or mmap() */
int try_map(const char *node, int oflags, uint64_t address, uint64_t len,
	    int prot, int flags)
{
	int fd = open(node, oflags);
	void *p;
	int err = 0;

	if (fd < 0)
		return errno;
	p = mmap(NULL, len, prot, flags, fd, (off_t)address);
	if (p == MAP_FAILED)
		err = errno;
	else
		munmap(p, len);
	close(fd);
	return err;
}

long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt;
}

/* read one byte every @step and return the faults that took */
/* load 32 bits of each @step: a byte is more than some registers answer */
long touch(volatile char *p, uint64_t len, uint64_t step)
{
	long before = faults();
	uint64_t i;

	for (i = 0; i < len; i += step)
		*(volatile uint32_t *)(p + i);
	return faults() - before;
}

/* a number from /proc/self/status, in KiB */
uint64_t status_kib(const char *field)
{
	char *text = read_file("/proc/self/status");
	char *line = strstr(text, field);
	uint64_t kib;

	assert_non_null(line);
	kib = strtoull(line + strlen(field) + 1, NULL, 10);
	free(text);
	return kib;
}
