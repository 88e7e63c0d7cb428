/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices on vfio-pci, and what they may reach by DMA */
#ifndef HUGEPFN_TESTS_VFIO_H
#define HUGEPFN_TESTS_VFIO_H

#include "uio.h"

struct vfio_device {
	char addr[16];
	int group, fd;
};

/* vfio.c */
bool vfio_works(void);
int vfio_container(void);
void vfio_open(int container, const char *addr, struct vfio_device *device);
void vfio_close(struct vfio_device *device);
uint64_t vfio_region(const struct vfio_device *device, unsigned int index);
void vfio_let_master(const struct vfio_device *device);
int vfio_map_dma(int container, const void *p, uint64_t iova, uint64_t len);
uint64_t vfio_unmap_dma(int container, uint64_t iova, uint64_t len);

#endif
