// SPDX-License-Identifier: GPL-2.0-only
#include "vfio.h"

#include <sys/ioctl.h>

#include <linux/vfio.h>

/* a kernel with VFIO, and a machine whose devices are in IOMMU groups */
bool vfio_works(void)
{
	module_load("vfio_iommu_type1", NULL);
	module_load("vfio_pci", NULL);
	return !access("/dev/vfio/vfio", R_OK | W_OK) &&
		!access("/sys/kernel/iommu_groups/0", F_OK);
}

int vfio_container(void)
{
	return open_node("/dev/vfio/vfio", O_RDWR);
}

static int open_group(const char *addr)
{
	char path[100], group[100];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/iommu_group",
		 addr);
	n = readlink(path, group, sizeof(group) - 1);
	assert_true(n > 0);
	group[n] = '\0';
	snprintf(path, sizeof(path), "/dev/vfio/%.40s",
		 strrchr(group, '/') + 1);
	return open_node(path, O_RDWR);
}

/* binds the device and puts it under the container; the first sets its kind */
void vfio_open(int container, const char *addr, struct vfio_device *device)
{
	snprintf(device->addr, sizeof(device->addr), "%.15s", addr);
	pci_bind(addr, "vfio-pci");
	device->group = open_group(addr);
	assert_int_equal(ioctl(device->group, VFIO_GROUP_SET_CONTAINER,
			       &container), 0);
	if (ioctl(container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		assert_int_equal(errno, EINVAL);	/* it has one already */
	device->fd = ioctl(device->group, VFIO_GROUP_GET_DEVICE_FD, addr);
	if (device->fd < 0)
		fail_msg("%s: %s", addr, strerror(errno));
}

void vfio_close(struct vfio_device *device)
{
	close(device->fd);
	close(device->group);
	pci_unbind(device->addr);
}

static struct vfio_region_info region_info(const struct vfio_device *device,
					   unsigned int index)
{
	struct vfio_region_info region = {
		.argsz = sizeof(region),
		.index = index,
	};

	assert_int_equal(ioctl(device->fd, VFIO_DEVICE_GET_REGION_INFO,
			       &region), 0);
	return region;
}

/* where in the device's file a BAR, by its number, is mapped from */
uint64_t vfio_region(const struct vfio_device *device, unsigned int index)
{
	return region_info(device, VFIO_PCI_BAR0_REGION_INDEX + index).offset;
}

/* vfio-pci opens a device with bus mastering off */
void vfio_let_master(const struct vfio_device *device)
{
	const uint64_t at = region_info(device,
			VFIO_PCI_CONFIG_REGION_INDEX).offset + PCI_COMMAND;
	uint16_t command;

	assert_int_equal(pread(device->fd, &command, 2, at), 2);
	command |= PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	assert_int_equal(pwrite(device->fd, &command, 2, at), 2);
}

/* 0 or the errno */
int vfio_map_dma(int container, const void *p, uint64_t iova, uint64_t len)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (uintptr_t)p,
		.iova = iova,
		.size = len,
	};

	return ioctl(container, VFIO_IOMMU_MAP_DMA, &map) ? errno : 0;
}

/* how many bytes that took away */
uint64_t vfio_unmap_dma(int container, uint64_t iova, uint64_t len)
{
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.iova = iova,
		.size = len,
	};

	assert_int_equal(ioctl(container, VFIO_IOMMU_UNMAP_DMA, &unmap), 0);
	return unmap.size;
}
