// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded to a program that maps its file from offset 0, for which there is
 * nothing on /dev/hugemem: adds the BAR's address to the offset of each mmap()
 * of a file, and leaves all others as they are.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	const char *bar = getenv("HUGEPFN_BAR");

	if (fd >= 0 && bar)
		offset += strtoull(bar, NULL, 0);
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}
