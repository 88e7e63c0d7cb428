// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ways to map a BAR. All uncached-minus, but for those that say wc. Each
 * has the device with a driver of its own, or with none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/vfio.h>

#include "bench.h"

#define MAX_ALIGN (1ULL << 30)	/* what entries there are */

static const char *open_at(struct bench_peer *peer, const char *path,
			   int flags, uint64_t offset)
{
	peer->fd = open(path, O_RDWR | O_CLOEXEC | flags);
	peer->offset = offset;
	return peer->fd < 0 ? strerror(errno) : NULL;
}

static const char *open_devmem(const struct bench_bar *bar,
			       struct bench_peer *peer)
{
	return open_at(peer, "/dev/mem", O_SYNC, bar->address);
}

static const char *open_resource(const struct bench_bar *bar,
				 struct bench_peer *peer, const char *suffix)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/resource%u%s", bar->device.sysfs,
		 bar->bar, suffix);
	return open_at(peer, path, 0, 0);
}

static const char *open_sysfs(const struct bench_bar *bar,
			      struct bench_peer *peer)
{
	return open_resource(bar, peer, "");
}

static const char *open_sysfs_wc(const struct bench_bar *bar,
				 struct bench_peer *peer)
{
	return open_resource(bar, peer, "_wc");
}

static const char *open_uio(const struct bench_bar *bar,
			    struct bench_peer *peer)
{
	if (!bar->uio)
		return "no node was named by --uio";
	return open_at(peer, bar->uio, 0,
		       (uint64_t)bar->uio_map * getpagesize());
}

static const char *open_ours(struct bench_peer *peer, const char *path,
			     uint32_t cache, uint64_t offset)
{
	const struct hugepfn_map_attr attr = {
		.size = sizeof(attr),
		.cache = cache,
	};
	const char *why = open_at(peer, path, 0, offset);

	if (why)
		return why;
	peer->populates = true;
	return ioctl(peer->fd, HUGEPFN_IOC_SET_MAP_ATTR, &attr) ?
		strerror(errno) : NULL;
}

/* as sysfs' resourceN: pgprot_device() */
#ifdef __aarch64__
static const uint32_t uncached = HUGEPFN_CACHE_DEVICE;
#else
static const uint32_t uncached = HUGEPFN_CACHE_UC_MINUS;
#endif

static const char *open_hugemem(const struct bench_bar *bar,
				struct bench_peer *peer)
{
	return open_ours(peer, "/dev/hugemem", uncached, bar->address);
}

static const char *open_hugemem_wc(const struct bench_bar *bar,
				   struct bench_peer *peer)
{
	return open_ours(peer, "/dev/hugemem", HUGEPFN_CACHE_WC, bar->address);
}

/* which of the node's maps is the BAR */
static const char *open_hugeuio(const struct bench_bar *bar,
				struct bench_peer *peer)
{
	struct json_object *maps;
	char path[300], *name;
	bool found;
	uint64_t i;

	name = hugeuio_of_device(bar->device.sysfs);
	if (!name)
		return "it has no node";
	snprintf(path, sizeof(path), "/sys/class/hugeuio/%s", name);
	maps = hugeuio_maps(path);
	for (i = 0; i < json_object_array_length(maps); i++)
		if (get_number(json_object_array_get_idx(maps, i),
			       "address") == bar->address)
			break;
	found = i < json_object_array_length(maps);
	json_object_put(maps);
	snprintf(path, sizeof(path), "/dev/%s", name);
	free(name);
	if (!found)
		return "its node has no map of this BAR: a node has five at most";
	return open_ours(peer, path, uncached, i * getpagesize());
}

/* the BAR's place in the device's file */
static const char *find_region(const struct bench_bar *bar,
			       struct bench_peer *peer)
{
	struct vfio_region_info region = {
		.argsz = sizeof(region),
		.index = VFIO_PCI_BAR0_REGION_INDEX + bar->bar,
	};

	if (ioctl(peer->fd, VFIO_DEVICE_GET_REGION_INFO, &region))
		return strerror(errno);
	if (!(region.flags & VFIO_REGION_INFO_FLAG_MMAP))
		return "vfio-pci does not map this BAR";
	peer->offset = region.offset;
	return NULL;
}

static const char *open_vfio(const struct bench_bar *bar,
			     struct bench_peer *peer)
{
	char *group, path[64];

	group = link_name("%s/iommu_group", bar->device.sysfs);
	if (!group)
		return "the device is in no IOMMU group: boot with intel_iommu=on";
	snprintf(path, sizeof(path), "/dev/vfio/%s", group);
	free(group);
	peer->keep[0] = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	peer->keep[1] = open(path, O_RDWR | O_CLOEXEC);
	if (peer->keep[0] < 0 || peer->keep[1] < 0 ||
	    ioctl(peer->keep[1], VFIO_GROUP_SET_CONTAINER, &peer->keep[0]) ||
	    ioctl(peer->keep[0], VFIO_SET_IOMMU, VFIO_TYPE1_IOMMU))
		return strerror(errno);
	peer->fd = ioctl(peer->keep[1], VFIO_GROUP_GET_DEVICE_FD,
			 bar->device.address);
	return peer->fd < 0 ? strerror(errno) : find_region(bar, peer);
}

/* as VMMs do; by itself the kernel may choose an address that has no use */
static const char *open_vfio_aligned(const struct bench_bar *bar,
				     struct bench_peer *peer)
{
	peer->align = bar->address & -bar->address;
	if (peer->align > MAX_ALIGN)
		peer->align = MAX_ALIGN;
	return open_vfio(bar, peer);
}

static const struct {
	const char *name;
	const char *driver;	/* NULL for none */
	const char *module;	/* which has that driver */
	const char *(*open)(const struct bench_bar *bar,
			    struct bench_peer *peer);
} peers[BENCH_PEERS] = {
	{ "devmem", NULL, NULL, open_devmem },
	{ "sysfs", NULL, NULL, open_sysfs },
	{ "sysfs_wc", NULL, NULL, open_sysfs_wc },
	{ "uio", NULL, NULL, open_uio },
	{ "hugemem", NULL, NULL, open_hugemem },
	{ "hugemem_wc", NULL, NULL, open_hugemem_wc },
	{ "hugeuio", PCI_DRIVER, PCI_DRIVER, open_hugeuio },
	{ "vfio", "vfio-pci", "vfio_pci", open_vfio },
	{ "vfio_aligned", "vfio-pci", "vfio_pci", open_vfio_aligned },
};

const char *bench_peer_name(unsigned int which)
{
	return peers[which].name;
}

/* NULL, or why the device has not that driver, or none, now */
static const char *drive(const struct pci_device *device, const char *driver,
			 const char *module)
{
	char *has = pci_driver(device);
	bool done;
	int err = 0;

	if (!has && !driver)
		return NULL;
	if (has)
		err = pci_unbind(device);
	free(has);
	if (!err && driver) {
		if (module_load(module))
			return "its module cannot be loaded";
		err = pci_write(device, "driver_override", driver) ?:
			file_write(device->address,
				   "/sys/bus/pci/drivers_probe");
	}
	if (err)
		return strerror(err);
	has = pci_driver(device);
	done = has && driver ? !strcmp(has, driver) : !has && !driver;
	free(has);
	return done ? NULL : "the driver does not take the device";
}

/* NULL, or why there is no such way here */
const char *bench_peer_open(unsigned int which, const struct bench_bar *bar,
			    struct bench_peer *peer)
{
	const char *why = drive(&bar->device, peers[which].driver,
				peers[which].module);

	*peer = (struct bench_peer) { .fd = -1, .keep = { -1, -1 } };
	return why ?: peers[which].open(bar, peer);
}

/* as it was found: with none of the drivers that were tried */
void bench_leave(const struct pci_device *device)
{
	drive(device, NULL, NULL);
	pci_write(device, "driver_override", "\n");
}

void bench_peer_close(struct bench_peer *peer)
{
	const int fds[] = { peer->fd, peer->keep[1], peer->keep[0] };
	size_t i;

	for (i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}
