/* SPDX-License-Identifier: GPL-2.0-only */
/* The ways to map the BAR; each wants its driver on the device, or none */
#ifndef HUGEPFN_TESTS_PEERS_H
#define HUGEPFN_TESTS_PEERS_H

#include "vfio.h"

/* ivshmem's memory is this BAR of it */
#define IVSHMEM_BAR 2

enum peer_kind { PEER_DEVMEM, PEER_UIO, PEER_VFIO, PEER_HUGEMEM, PEER_HUGEUIO };

struct peer {
	enum peer_kind kind;
	const char *name;
	int fd;
	uint64_t offset;	/* at which the file has the BAR */
	char addr[16];		/* of the device, where it has a driver */
	int container;		/* VFIO's */
	struct vfio_device vfio;
};

/* peers.c */
void peer_open(enum peer_kind kind, struct peer *peer);
void peer_close(struct peer *peer);

#endif
