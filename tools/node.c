// SPDX-License-Identifier: GPL-2.0-only
/* An open node: /dev/hugemem by physical addresses, or one map of a hugeuio */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "claim.h"
#include "tool.h"

#define FIRST_MEGABYTE (1ULL << 20)

struct node_options node_options_default(void)
{
	return (struct node_options) {
		.path = "/dev/hugemem",
		.map = -1,
		.attr = { .size = sizeof(struct hugepfn_map_attr) },
	};
}

/* one of NODE_OPTIONS? */
bool node_option(struct node_options *options, int option)
{
	switch (option) {
	case 'n':
		options->path = optarg;
		options->named = true;
		return true;
	case 'm':
		options->map = number_within("--map", optarg, 0, INT32_MAX);
		return true;
	case 'c':
		if (!parse_cache(optarg, &options->attr.cache))
			die_usage("--cache '%s' is none of " CACHE_NAMES,
				  optarg);
		return true;
	}
	return false;
}

/* the folder of the node's device in sysfs, if it is a hugeuio one */
static bool find_hugeuio(const struct node *node, char sysfs[60])
{
	struct stat st;
	char *class;
	bool is;

	if (fstat(node->fd, &st))
		die("%s: %s", node->path, strerror(errno));
	snprintf(sysfs, 60, "/sys/dev/char/%u:%u", major(st.st_rdev),
		 minor(st.st_rdev));
	class = link_name("%s/subsystem", sysfs);
	is = class && !strcmp(class, "hugeuio");
	free(class);
	return is;
}

static void find_map(struct node *node, int map)
{
	struct json_object *maps, *found;
	char sysfs[60];
	bool hugeuio = find_hugeuio(node, sysfs);

	node->map = -1;
	if (!hugeuio && map >= 0)
		die_usage("--map is for /dev/hugeuioN, and %s is none",
			  node->path);
	if (!hugeuio)
		return;
	node->map = map < 0 ? 0 : map;
	maps = hugeuio_maps(sysfs);
	found = json_object_array_get_idx(maps, node->map);
	if (!found)
		die("%s has no map %d: it has %zu", node->path, node->map,
		    json_object_array_length(maps));
	node->address = get_number(found, "address");
	node->size = get_number(found, "size");
	node->inset = get_number(found, "offset");
	json_object_put(maps);
}

static void set_attr(const struct node *node,
		     const struct hugepfn_map_attr *attr)
{
	if (!ioctl(node->fd, HUGEPFN_IOC_SET_MAP_ATTR, attr))
		return;
	if (errno == EOPNOTSUPP)
		die("this machine has no cache mode %s",
		    cache_name(attr->cache));
	if (errno == EINVAL)
		die("the loaded module is older than this command and knows less: hugepfn status");
	die("%s: %s", node->path, strerror(errno));
}

void node_open(struct node *node, const struct node_options *options,
	       int flags)
{
	*node = (struct node) {
		.path = options->path,
		.info.size = sizeof(node->info),
	};
	node->fd = open(node->path, flags | O_CLOEXEC);
	if (node->fd < 0)
		die("%s: %s", node->path, explain_open(node->path, errno));
	if (ioctl(node->fd, HUGEPFN_IOC_INFO, &node->info))
		die("%s is not a node of hugepfn: use /dev/hugemem or a /dev/hugeuioN",
		    node->path);
	find_map(node, options->map);
	set_attr(node, &options->attr);
}

/* bytes that an entry of the i-th order maps; 0 if there are fewer */
uint64_t node_page_size(const struct node *node, unsigned int level)
{
	uint64_t orders = node->info.orders;

	while (level-- && orders)
		orders &= orders - 1;
	return orders ? (orders & -orders) * node->info.page_size : 0;
}

static _Noreturn void die_eperm(const struct node *node, uint64_t at,
				uint64_t len)
{
	const struct iomem_range *range;
	char *lockdown = lockdown_state();
	struct iomem iomem;

	if (lockdown)
		die("the kernel is locked down (%s): nothing gets round that",
		    lockdown);
	if (node->map >= 0)
		die("map %d of %s is System RAM, which is never mapped, or the kernel is locked down",
		    node->map, node->path);
	if (at < FIRST_MEGABYTE)
		die("%#" PRIx64 " is in the first megabyte, which a PC keeps for itself",
		    at);
	if (iomem_read("/proc/iomem", &iomem))
		die("%#" PRIx64 " is System RAM or claimed by a driver", at);
	range = claim_find(&iomem, node->fd, node->info.page_size, at, len);
	if (!range)
		die("%#" PRIx64 " may not be mapped; the kernel log (dmesg) may say why",
		    at);
	if (claim_is_ram(range))
		die("%#" PRIx64 "-%#" PRIx64 " is System RAM, which is never mapped",
		    range->start, range->end);
	die("%#" PRIx64 "-%#" PRIx64 " is claimed by '%s' (/proc/iomem): unbind that driver, or map what is around it",
	    range->start, range->end, range->name);
}

static _Noreturn void die_mmap(const struct node *node, uint64_t at,
			       uint64_t len, int err)
{
	switch (err) {
	case EPERM:
		die_eperm(node, at, len);
	case EAGAIN:
		die("%#" PRIx64 " has another cache mode already, by another mapping (hugepfn status, /sys/kernel/debug/x86/pat_memtype_list) or by an MTRR: ask for that one by --cache, or end that mapping",
		    at);
	case EEXIST:
		die("something is mapped there already: choose another address with --at");
	case EINVAL:
	case EOVERFLOW:
		die("%#" PRIx64 "+%#" PRIx64 " is past the addresses that this CPU has",
		    at, len);
	case ENODEV:
		die("%s: the device has left", node->path);
	default:
		die("mmap of %#" PRIx64 "+%#" PRIx64 ": %s", at, len,
		    strerror(err));
	}
}

/*
 * @at: a multiple of the page size, where the range starts; physical, or in
 * the map of a hugeuio node, where mmap() can only begin at the map's start
 */
void *node_mmap(const struct node *node, uint64_t at, uint64_t len, int prot,
		void *where, int flags)
{
	const uint64_t skip = node->map < 0 ? 0 : at;
	const uint64_t offset = node->map < 0 ? at :
		(uint64_t)node->map * node->info.page_size;
	char *p;

	if (node->map >= 0 && (at + len < at || at + len > node->size))
		die("%#" PRIx64 "+%#" PRIx64 " ends past map %d of %s, which has %#" PRIx64 " bytes",
		    at, len, node->map, node->path, node->size);
	p = mmap(where, skip + len, prot, MAP_SHARED | flags, node->fd,
		 (off_t)offset);
	if (p == MAP_FAILED)
		die_mmap(node, at, len, errno);
	return p + skip;
}
