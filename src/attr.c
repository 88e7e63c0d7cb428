// SPDX-License-Identifier: GPL-2.0-only
/* The ioctls that all nodes have: what there is, and how to map */
#include <linux/minmax.h>
#include <linux/uaccess.h>

#include "attr.h"
#include "compat/memtype.h"
#include "mm/map.h"

/* the caller's size, the first field of every struct */
static long get_size(void __user *arg, size_t least, u32 *size)
{
	if (get_user(*size, (u32 __user *)arg))
		return -EFAULT;
	return *size < least ? -EINVAL : 0;
}

static long attr_info(void __user *arg)
{
	struct hugepfn_info info = {
		.size = sizeof(info),
		.abi = HUGEPFN_ABI_VERSION,
		.orders = hugepfn_orders(),
		.page_size = PAGE_SIZE,
	};
	u32 size;
	long ret;

	ret = get_size(arg, offsetofend(struct hugepfn_info, abi), &size);
	if (ret)
		return ret;
	if (copy_to_user(arg, &info, min_t(size_t, size, sizeof(info))))
		return -EFAULT;
	if (size > sizeof(info) &&
	    clear_user(arg + sizeof(info), size - sizeof(info)))
		return -EFAULT;
	return 0;
}

/* @attr changes only on success */
static long attr_set(struct hugepfn_map_attr *attr, void __user *arg)
{
	struct hugepfn_map_attr new;
	u32 size;
	long ret;

	ret = get_size(arg, offsetofend(struct hugepfn_map_attr, flags), &size);
	if (ret)
		return ret;
	ret = copy_struct_from_user(&new, sizeof(new), arg, size);
	if (ret)
		return ret;
	if (new.flags || new.cache > HUGEPFN_CACHE_WB)
		return -EINVAL;
	if (!hugepfn_memtype_has(new.cache))
		return -EOPNOTSUPP;

	/* one word each: an mmap() at the same time sees old or new */
	WRITE_ONCE(attr->cache, new.cache);
	WRITE_ONCE(attr->max_order, new.max_order);
	return 0;
}

/**
 * hugepfn_attr_ioctl - the ioctls of an open file
 * @attr: the file's attributes
 * @cmd: a HUGEPFN_IOC_ number
 * @arg: the caller's struct
 *
 * Context: process; sleeps.
 * Return: 0, what the uapi header says of the call, or -ENOTTY.
 */
long hugepfn_attr_ioctl(struct hugepfn_map_attr *attr, unsigned int cmd,
			void __user *arg)
{
	switch (cmd) {
	case HUGEPFN_IOC_INFO:
		return attr_info(arg);
	case HUGEPFN_IOC_SET_MAP_ATTR:
		return attr_set(attr, arg);
	default:
		return -ENOTTY;
	}
}
