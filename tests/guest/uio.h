/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of UIO nodes share */
#ifndef HUGEPFN_TESTS_UIO_H
#define HUGEPFN_TESTS_UIO_H

#include "guest.h"

/* QEMU's devices, by vendor and device */
#define EDU 0x1234, 0x11e8
#define E1000E 0x8086, 0x10d3
#define IVSHMEM 0x1af4, 0x1110
#define SDHCI 0x1b36, 0x0007
#define VIRTIO_RNG 0x1af4, 0x1044
#define NVME 0x1b36, 0x0010

#define PCI_COMMAND 4
#define PCI_COMMAND_MEMORY 2
#define PCI_COMMAND_SERR 0x100
#define PCI_COMMAND_MASTER 4
#define PCI_COMMAND_INTX_DISABLE 0x400
#define PCI_CAPABILITIES 0x34
#define PCI_CAP_MSIX 0x11
#define PCI_MSIX_ENABLE 0x8000

/* edu's registers, as 32-bit words */
enum {
	EDU_ID = 0x00 / 4,
	EDU_STATUS = 0x24 / 4,
	EDU_RAISE = 0x60 / 4,
	EDU_ACK = 0x64 / 4,
};
#define EDU_ID_VALUE 0x010000edu

struct uio_node {
	char dev[60];
	char sysfs[300];
};

/* qemu.c: what only the machine's monitor can do */
void monitor(const char *command);

#define need_monitor() do {						\
	if (!getenv("HUGEPFN_MONITOR"))					\
		skip_because("no HUGEPFN_MONITOR to tell QEMU what to do"); \
} while (0)

/* pci.c */
bool pci_find(unsigned int vendor, unsigned int device, char addr[16]);
bool pci_find_hot(unsigned int vendor, unsigned int device, char addr[16]);
bool pci_is_bound(const char *addr);
void pci_unbind(const char *addr);
int pci_try_bind(const char *addr, const char *driver);
void pci_bind(const char *addr, const char *driver);
uint64_t pci_bar(const char *addr, unsigned int bar, uint64_t *size);
uint16_t pci_config(const char *addr, unsigned int at);
unsigned int pci_capability(const char *addr, uint8_t id);
void pci_bridge(const char *addr, char bridge[16]);
void pci_set_config(const char *addr, unsigned int at, uint16_t value);
void pci_set_bits(const char *addr, unsigned int at, uint16_t clear,
		  uint16_t set);

/* uio.c */
bool uio_find(const char *parent, const char *class, struct uio_node *node);
void uio_of_pci(const char *addr, const char *class, struct uio_node *node);
bool uio_by_name(const char *name, struct uio_node *node);
char *uio_attr(const struct uio_node *node, const char *file);
uint64_t uio_number(const struct uio_node *node, const char *file);
bool uio_has(const struct uio_node *node, const char *file);
int uio_map_index(const struct uio_node *node, const char *name);
void *uio_map(int fd, unsigned int index, uint64_t len);
int uio_try_map(int fd, uint64_t offset, uint64_t len);
short poll_events(int fd, int ms);
int32_t read_count(int fd, int *err);
int write_control(int fd, int32_t value);

#endif
