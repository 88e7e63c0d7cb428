// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may map which physical range. One rule for every node that takes
 * addresses from user space: no System RAM, nothing that a driver has
 * claimed, nothing the CPU cannot address.
 *
 * iomem_is_exclusive() is not exported; walk_iomem_res_desc() is, and visits
 * the same tree under the same lock. Unlike /dev/mem this does not ask
 * whether the kernel was built or booted strict: a busy range is refused
 * whatever CONFIG_IO_STRICT_DEVMEM and iomem= say.
 */
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/pfn.h>

#include "compat/phys_range.h"
#include "policy.h"

struct clip {
	unsigned long pfn;
	struct hugepfn_extent *around;
	bool refused;
};

/* resources come in rising order, cut to what was asked for */
static int clip_to(struct resource *res, void *data)
{
	struct clip *c = data;
	const unsigned long first = PHYS_PFN(res->start);
	const unsigned long last = PHYS_PFN(res->end);

	if (last < c->pfn) {
		c->around->first = last + 1;
		return 0;
	}
	if (first > c->pfn)
		c->around->last = first - 1;
	else
		c->refused = true;
	return 1;
}

static bool clip_around(unsigned long pfn, struct hugepfn_extent *around,
			unsigned long flags)
{
	struct clip c = { .pfn = pfn, .around = around };

	walk_iomem_res_desc(IORES_DESC_NONE, flags, PFN_PHYS(around->first),
			    PFN_PHYS(around->last + 1) - 1, &c, clip_to);
	return !c.refused;
}

/**
 * hugepfn_policy_may_map - which pages about this one may be mapped now?
 * @pfn: the page frame asked for
 * @around: in: the frames of interest, @pfn among them; out: those of them
 *	that may be mapped, without a gap, about @pfn
 *
 * Every System RAM resource is looked for by its own flag and not only as a
 * busy one, so that RAM stays out even where something registered it without
 * the other.
 *
 * Context: any that may spin; takes resource_lock for reading.
 * Return: false if not even @pfn may be mapped.
 */
bool hugepfn_policy_may_map(unsigned long pfn, struct hugepfn_extent *around)
{
	return clip_around(pfn, around, IORESOURCE_MEM | IORESOURCE_BUSY) &&
	       clip_around(pfn, around, IORESOURCE_SYSTEM_RAM);
}

/* is no part of a range under a resource with these flags? */
static bool range_is_clear(struct hugepfn_extent range, unsigned long flags)
{
	struct hugepfn_extent clear = range;

	return clip_around(range.first, &clear, flags) &&
	       hugepfn_extent_equal(clear, range);
}

/**
 * hugepfn_policy_unclaimed - has nobody claimed a part of this range?
 * @range: the range
 *
 * Memory that is added to the system is claimed first, by
 * register_memory_resource() or the driver that it belongs to.
 *
 * Context: as hugepfn_policy_may_map().
 *
 * Return: true if nobody has.
 */
bool hugepfn_policy_unclaimed(struct hugepfn_extent range)
{
	return range_is_clear(range, IORESOURCE_MEM | IORESOURCE_BUSY);
}

/**
 * hugepfn_policy_device - is a range device memory that the CPU can address?
 * @pfn: the first page frame
 * @npages: how many there are, not 0
 *
 * For a range whose owner offers it: whoever that is, memory of the system
 * never goes out.
 *
 * Return: 0; -EINVAL if the range wraps or ends past what the CPU can
 * address; -EPERM if a part of it is System RAM or the first megabyte of a
 * PC.
 */
int hugepfn_policy_device(unsigned long pfn, unsigned long npages)
{
	const struct hugepfn_extent range = { pfn, pfn + npages - 1 };

	if (range.last < pfn || range.last >= hugepfn_pfn_limit())
		return -EINVAL;
	if (pfn < hugepfn_pfn_floor() ||
	    !range_is_clear(range, IORESOURCE_SYSTEM_RAM))
		return -EPERM;
	return 0;
}

/**
 * hugepfn_policy_range - may whoever names a range map all of it?
 * @pfn: the first page frame
 * @npages: how many there are, not 0
 *
 * Return: as hugepfn_policy_device(), and -EPERM also if a part of the range
 * is claimed.
 */
int hugepfn_policy_range(unsigned long pfn, unsigned long npages)
{
	const struct hugepfn_extent range = { pfn, pfn + npages - 1 };
	int ret = hugepfn_policy_device(pfn, npages);

	if (!ret && !hugepfn_policy_unclaimed(range))
		ret = -EPERM;
	return ret;
}
