// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each stamped page begins with its own number within the BAR, written by
 * another way than the one under test.
 */
#include "guest.h"

#define STAMP 0x5a00000000000000ULL

void stamp(uint64_t offset, uint64_t len, uint64_t step)
{
	const uint64_t window = MIB(64);
	int fd = open_node("/dev/mem", O_RDWR);
	uint64_t done, i;

	for (done = 0; done < len; done += window) {
		uint64_t n = len - done < window ? len - done : window;
		char *p = map_at(fd, NULL, bar + offset + done, n,
				 PROT_READ | PROT_WRITE, MAP_SHARED);

		for (i = 0; i < n; i += step)
			*(uint64_t *)(p + i) =
				STAMP + (offset + done + i) / page_size;
		munmap(p, n);
	}
	close(fd);
}

void assert_stamps(const volatile void *p, uint64_t offset, uint64_t len,
		   uint64_t step)
{
	uint64_t i;

	for (i = 0; i < len; i += step) {
		uint64_t want = STAMP + (offset + i) / page_size;
		uint64_t is = *(const volatile uint64_t *)
			((const volatile char *)p + i);

		if (is != want)
			fail_msg("at +%#llx: page %#llx instead of %#llx",
				 (unsigned long long)i, (unsigned long long)is,
				 (unsigned long long)want);
	}
}
