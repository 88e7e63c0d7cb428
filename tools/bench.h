/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of `hugepfn bench` share */
#ifndef HUGEPFN_TOOLS_BENCH_H
#define HUGEPFN_TOOLS_BENCH_H

#include "tool.h"

/**
 * struct bench_bar - what is mapped
 * @device: the PCI device
 * @bar: the BAR's number
 * @address: its first byte, physical
 * @size: its length in bytes
 * @uio: a node of the kernel's uio that shows it as map @uio_map, or NULL
 */
struct bench_bar {
	struct pci_device device;
	unsigned int bar;
	uint64_t address, size;
	const char *uio;
	unsigned int uio_map;
};

/**
 * struct bench_peer - one way to map it, open
 * @fd: the file
 * @offset: where in the file the BAR begins
 * @populates: the file has HUGEPFN_IOC_POPULATE
 * @align: map at a multiple of this, which suits the BAR, rather than where
 *	the kernel puts it; 0 for that
 * @keep: more files that must stay open, or -1
 */
struct bench_peer {
	int fd;
	uint64_t offset;
	bool populates;
	uint64_t align;
	int keep[2];
};

#define BENCH_PEERS 9
const char *bench_peer_name(unsigned int which);
const char *bench_peer_open(unsigned int which, const struct bench_bar *bar,
			    struct bench_peer *peer);
void bench_peer_close(struct bench_peer *peer);
void bench_leave(const struct pci_device *device);

/* in the order they are printed */
enum bench_case {
	BENCH_MMAP,
	BENCH_POPULATE,
	BENCH_FIRST_TOUCH,
	BENCH_FAULTS,
	BENCH_SET_UP,
	BENCH_SWEEP,
	BENCH_RANDOM,
	BENCH_DTLB_MISSES,
	BENCH_PAGE_TABLES,
	BENCH_FORK,
	BENCH_MUNMAP,
	BENCH_CASES
};

#define BENCH_NONE UINT64_MAX	/* not measured */

/* one round; time in nanoseconds, or instructions where the clock counts them */
struct bench_round {
	uint64_t value[BENCH_CASES];
};

struct bench_round bench_measure(const struct bench_peer *peer, uint64_t len,
				 bool touch);

#endif
