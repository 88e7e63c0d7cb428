// SPDX-License-Identifier: GPL-2.0-only
/* What an open file of any node has: the ioctls, and its part of fdinfo */
#include <linux/minmax.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "cache_names.h"
#include "client.h"
#include "compat/memtype.h"

/* the caller's size, the first field of every struct; none is ever longer */
static long get_size(void __user *arg, size_t least, u32 *size)
{
	if (get_user(*size, (u32 __user *)arg))
		return -EFAULT;
	if (*size > PAGE_SIZE)
		return -E2BIG;
	return *size < least ? -EINVAL : 0;
}

/*
 * The caller's struct, of which @least bytes must be there, into one of ours.
 * @size stays what the caller said.
 */
static long get_struct(void *to, size_t to_size, void __user *arg,
		       size_t least, u32 *size)
{
	long ret = get_size(arg, least, size);

	return ret ?: copy_struct_from_user(to, to_size, arg, *size);
}

/* as much of our struct as the caller has room for, and 0 for the rest */
static long put_struct(void __user *arg, u32 size, const void *from,
		       size_t from_size)
{
	if (copy_to_user(arg, from, min_t(size_t, size, from_size)))
		return -EFAULT;
	if (size > from_size && clear_user(arg + from_size, size - from_size))
		return -EFAULT;
	return 0;
}

static long info(void __user *arg)
{
	const struct hugepfn_info info = {
		.size = sizeof(info),
		.abi = HUGEPFN_ABI_VERSION,
		.orders = hugepfn_orders(),
		.page_size = PAGE_SIZE,
	};
	u32 size;
	long ret;

	ret = get_size(arg, offsetofend(struct hugepfn_info, abi), &size);
	return ret ?: put_struct(arg, size, &info, sizeof(info));
}

static bool attr_is_known(const struct hugepfn_map_attr *attr)
{
	if (attr->flags & ~HUGEPFN_MAP_STRICT ||
	    attr->cache >= HUGEPFN_CACHE_MODES)
		return false;
	return attr->cache != HUGEPFN_CACHE_DEFAULT || !attr->flags;
}

/* @attr changes only on success */
static long set_map_attr(struct hugepfn_map_attr *attr, void __user *arg)
{
	struct hugepfn_map_attr new;
	u32 size;
	long ret;

	ret = get_struct(&new, sizeof(new), arg,
			 offsetofend(struct hugepfn_map_attr, flags), &size);
	if (ret)
		return ret;
	if (!attr_is_known(&new))
		return -EINVAL;
	if (!hugepfn_memtype_has(new.cache))
		return -EOPNOTSUPP;

	/* one word each: an mmap() at the same time sees old or new */
	WRITE_ONCE(attr->cache, new.cache);
	WRITE_ONCE(attr->max_order, new.max_order);
	WRITE_ONCE(attr->flags, new.flags);
	return 0;
}

static long query_range(struct file *file, void __user *arg)
{
	struct hugepfn_range_info range;
	u32 size;
	long ret;

	ret = get_struct(&range, sizeof(range), arg,
			 offsetofend(struct hugepfn_range_info, length),
			 &size);
	if (ret)
		return ret;
	if (range.flags)
		return -EINVAL;
	ret = hugepfn_query_range(file, &range);
	if (ret)
		return ret;
	range.size = sizeof(range);
	range.reserved = 0;
	return put_struct(arg, size, &range, sizeof(range));
}

static long populate(struct file *file, void __user *arg)
{
	struct hugepfn_populate range;
	u32 size;
	long ret;

	ret = get_struct(&range, sizeof(range), arg,
			 offsetofend(struct hugepfn_populate, length), &size);
	if (ret)
		return ret;
	if (range.flags)
		return -EINVAL;
	return hugepfn_populate(file, range.addr, range.length);
}

/**
 * hugepfn_client_ioctl - the ioctls of an open file
 * @client: the open file
 * @file: the same, as the kernel knows it
 * @cmd: a HUGEPFN_IOC_ number
 * @arg: the caller's struct
 *
 * Context: process; sleeps; takes the mmap lock.
 * Return: 0, what the uapi header says of the call, or -ENOTTY.
 */
long hugepfn_client_ioctl(struct hugepfn_client *client, struct file *file,
			  unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case HUGEPFN_IOC_INFO:
		return info(arg);
	case HUGEPFN_IOC_SET_MAP_ATTR:
		return set_map_attr(&client->attr, arg);
	case HUGEPFN_IOC_QUERY_RANGE:
		return query_range(file, arg);
	case HUGEPFN_IOC_POPULATE:
		return populate(file, arg);
	default:
		return -ENOTTY;
	}
}

/* a name for each enum hugepfn_reason */
#define EM(reason, name) [reason] = name,
#define EMe(reason, name) [reason] = name,
static const char * const reason_names[] = { HUGEPFN_REASON_NAMES };
#undef EM
#undef EMe

/**
 * hugepfn_client_show - what became of an open file's mappings
 * @client: the open file
 * @m: where to; lines as in /proc/PID/fdinfo/FD
 */
void hugepfn_client_show(const struct hugepfn_client *client,
			 struct seq_file *m)
{
	unsigned int i;

	seq_printf(m, "node:\t%s\ncache:\t%s\nmax-order:\t%u\n",
		   client->name,
		   hugepfn_cache_name(READ_ONCE(client->attr.cache)),
		   READ_ONCE(client->attr.max_order));
	seq_printf(m, "reserved:\t%lld\n", atomic64_read(&client->reserved));
	for (i = 0; i < HUGEPFN_LEVELS; i++)
		if (hugepfn_orders() & BIT_ULL(hugepfn_level_order(i)))
			seq_printf(m, "faults-order%u:\t%lld\n",
				   hugepfn_level_order(i),
				   atomic64_read(&client->faults[i]));
	for (i = HUGEPFN_FITS + 1; i < HUGEPFN_REASONS; i++)
		seq_printf(m, "smaller-%s:\t%lld\n", reason_names[i],
			   atomic64_read(&client->smaller[i]));
}
