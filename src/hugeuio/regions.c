// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node for each physical range that the parameter `regions` names: a
 * carve-out or an aperture without a driver. The range is claimed while the
 * module is loaded, so that /dev/mem and /dev/hugemem keep off it, and udev
 * may hand the node to people without CAP_SYS_RAWIO.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/ioport.h>
#include <linux/kstrtox.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../compat/memtype.h"
#include "../policy.h"
#include "core.h"
#include "region_list.h"

static char *regions;
module_param(regions, charp, 0444);
MODULE_PARM_DESC(regions,
		 "NAME@ADDR+LEN[:CACHE],... a node for each range; CACHE: uc, uc-minus, wc, wt, wb, device");

struct region {
	struct list_head list;
	struct hugeuio_region_spec spec;
	struct uio_info info;
	struct hugeuio_options options;
};

static LIST_HEAD(region_list);
static struct device *regions_parent;

/* what keeps a range from being offered, for a message; NULL for nothing */
static const char *region_refused(const struct hugeuio_region_spec *spec)
{
	if (!hugepfn_memtype_has(spec->cache))
		return "this architecture has not its cache mode";
	switch (hugepfn_policy_device(PHYS_PFN(spec->start),
				      PHYS_PFN(spec->len))) {
	case 0:
		break;
	case -EINVAL:
		return "it ends past what the CPU can address";
	default:
		return "it is, or holds, System RAM or the first megabyte";
	}
	if (!request_mem_region(spec->start, spec->len, spec->name))
		return "it overlaps a range that is claimed (see /proc/iomem) or an earlier entry";
	return NULL;
}

static void region_register(struct region *r)
{
	int ret;

	r->info.name = r->spec.name;
	r->info.version = HUGEPFN_VERSION;
	r->info.mem[0].name = r->spec.name;
	r->info.mem[0].addr = r->spec.start;
	r->info.mem[0].size = r->spec.len;
	r->info.mem[0].memtype = UIO_MEM_PHYS;
	r->options.cache[0] = r->spec.cache;
	r->options.lockdown = LOCKDOWN_DEV_MEM;
	ret = hugeuio_register_device_options(regions_parent, &r->info,
					      &r->options);
	if (ret)
		pr_err("regions: '%s': cannot make a node: %pe\n",
		       r->spec.name, ERR_PTR(ret));
}

static int region_claim(const char *entry)
{
	const char *refused;
	struct region *r;

	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	refused = hugeuio_region_parse(entry, PAGE_SIZE, &r->spec);
	if (!refused)
		refused = region_refused(&r->spec);
	if (refused) {
		pr_err("regions: '%s': %s\n", entry, refused);
		kfree(r);
		return -EINVAL;
	}
	list_add_tail(&r->list, &region_list);
	return 0;
}

static void region_remove(struct region *r)
{
	list_del(&r->list);
	hugeuio_unregister_device(&r->info);
	release_mem_region(r->spec.start, r->spec.len);
	kfree(r);
}

/**
 * hugeuio_regions_exit - take the regions' nodes away
 */
void hugeuio_regions_exit(void)
{
	struct region *r, *next;

	list_for_each_entry_safe(r, next, &region_list, list)
		region_remove(r);
	if (regions_parent)
		root_device_unregister(regions_parent);
	regions_parent = NULL;
}

static int regions_claim(char *list)
{
	char *entry;
	int ret = 0;

	while (!ret && (entry = strsep(&list, ",")))
		ret = region_claim(entry);
	return ret;
}

/**
 * hugeuio_regions_init - claim the ranges that the parameter names
 *
 * Return: 0; -EINVAL, with a line in the log, for an entry that is malformed,
 * overlaps another, or names memory or a claimed range, and no region is left
 * then; -ENOMEM.
 */
int hugeuio_regions_init(void)
{
	char *list;
	int ret;

	if (!regions || !*regions)
		return 0;
	regions_parent = root_device_register(KBUILD_MODNAME);
	if (IS_ERR(regions_parent)) {
		ret = PTR_ERR(regions_parent);
		regions_parent = NULL;
		return ret;
	}
	list = kstrdup(regions, GFP_KERNEL);
	ret = list ? regions_claim(list) : -ENOMEM;
	kfree(list);
	if (ret)
		hugeuio_regions_exit();
	return ret;
}

/**
 * hugeuio_regions_show - make their nodes
 *
 * For the very end of the module's init: one whose nodes may be open already
 * is no more to fail. A node that cannot be made is logged and left out.
 */
void hugeuio_regions_show(void)
{
	struct region *r;

	list_for_each_entry(r, &region_list, list)
		region_register(r);
}
