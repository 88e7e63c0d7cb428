// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks at, and fills, a range of the caller's address space that a file is
 * mapped in.
 */
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include "../compat/memtype.h"
#include "map.h"

typedef int (*range_fn)(struct vm_area_struct *vma, unsigned long addr,
			unsigned long end, void *data);

static bool range_is_sane(u64 addr, u64 length)
{
	return PAGE_ALIGNED(addr | length) && addr + length > addr;
}

/* the VMAs of a range, one after another, if they are mappings of @file */
static int for_each_vma_locked(struct file *file, unsigned long addr,
			       unsigned long end, range_fn fn, void *data)
{
	int ret = 0;

	while (addr < end && !ret) {
		struct vm_area_struct *vma = find_vma(current->mm, addr);
		unsigned long stop;

		if (!vma || vma->vm_start > addr)
			return -ENOMEM;
		if (vma->vm_file != file)
			return -EINVAL;
		stop = min(end, vma->vm_end);
		ret = fn(vma, addr, stop, data);
		addr = stop;
	}
	return ret;
}

/* until @fn returns other than 0, which is then returned */
static int for_each_vma_of(struct file *file, unsigned long addr,
			   unsigned long end, range_fn fn, void *data)
{
	int ret;

	if (mmap_read_lock_killable(current->mm))
		return -EINTR;
	ret = for_each_vma_locked(file, addr, end, fn, data);
	mmap_read_unlock(current->mm);
	return ret;
}

struct query {
	struct hugepfn_range_info *info;
	struct vm_area_struct *vma;
	bool mixed;
};

static void query_cache(struct query *q, pgprot_t prot)
{
	const u32 cache = hugepfn_memtype_cache(prot);

	if (q->info->cache == HUGEPFN_CACHE_DEFAULT)
		q->info->cache = cache;
	else if (q->info->cache != cache)
		q->mixed = true;
}

static int query_entry(const struct hugepfn_entry *e, unsigned long addr,
		       unsigned long end, void *data)
{
	struct query *q = data;

	if (!e->present)
		return 0;
	/* what vm_normal_page() tells a copy by, too */
	if (hugepfn_vma_is_private(q->vma) &&
	    e->pfn != hugepfn_vma_pfn(q->vma, addr)) {
		q->info->copied += end - addr;
		return 0;
	}
	q->info->mapped[e->level] += end - addr;
	query_cache(q, e->prot);
	return 0;
}

static int query_vma(struct vm_area_struct *vma, unsigned long addr,
		     unsigned long end, void *data)
{
	struct query *q = data;

	q->vma = vma;
	return hugepfn_walk(vma->vm_mm, addr, end, query_entry, q);
}

/* nothing is there yet: the type that faults will give */
static int query_vma_cache(struct vm_area_struct *vma, unsigned long addr,
			   unsigned long end, void *data)
{
	query_cache(data, vma->vm_page_prot);
	return 0;
}

/**
 * hugepfn_query_range - what the page tables have for a range
 * @file: the file that is mapped there
 * @info: in: the range; out: see the uapi header
 *
 * Context: process; takes the mmap lock for reading.
 * Return: 0, -EINVAL, -ENOMEM or -EINTR, as the uapi header says.
 */
int hugepfn_query_range(struct file *file, struct hugepfn_range_info *info)
{
	const unsigned long end = info->addr + info->length;
	struct query q = { .info = info };
	int ret;

	if (!range_is_sane(info->addr, info->length))
		return -EINVAL;
	memset(info->mapped, 0, sizeof(info->mapped));
	info->copied = 0;
	info->cache = HUGEPFN_CACHE_DEFAULT;

	ret = for_each_vma_of(file, info->addr, end, query_vma, &q);
	if (!ret && info->cache == HUGEPFN_CACHE_DEFAULT)
		ret = for_each_vma_of(file, info->addr, end, query_vma_cache,
				      &q);
	if (q.mixed)
		info->cache = HUGEPFN_CACHE_DEFAULT;
	return ret;
}

static int hole_found(const struct hugepfn_entry *e, unsigned long addr,
		      unsigned long end, void *data)
{
	unsigned long *hole = data;

	*hole = addr;
	return !e->present;
}

/*
 * One fault, at the first address of a VMA's part that has nothing. It is the
 * core's fault path that asks the node, at the orders that it asks for a
 * touch; the device is not touched. The handlers here never drop the mmap
 * lock, so no retry is allowed for.
 *
 * A write fault where writing is allowed: it marks the entries as the first
 * store would, and write-protected ones do not concern us.
 */
static int populate_vma(struct vm_area_struct *vma, unsigned long addr,
			unsigned long end, void *data)
{
	unsigned long *next = data;
	int ret;

	if (!hugepfn_walk(vma->vm_mm, addr, end, hole_found, &addr)) {
		*next = end;
		return 0;
	}
	if (!(vma->vm_flags & (VM_READ | VM_WRITE)))
		return -EACCES;
	ret = fixup_user_fault(vma->vm_mm, addr,
			       vma->vm_flags & VM_WRITE ? FAULT_FLAG_WRITE : 0,
			       NULL);
	*next = addr;
	/* that of a SIGBUS; a VMA and its access have been seen to above */
	return ret == -EFAULT ? -EPERM : ret ?: 1;
}

static int check_vma(struct vm_area_struct *vma, unsigned long addr,
		     unsigned long end, void *data)
{
	return 0;
}

/**
 * hugepfn_populate - fill the page tables of a range
 * @file: the file that is mapped there
 * @addr: where the range starts
 * @length: its length in bytes
 *
 * The mmap lock is taken anew for each entry, so that a long range keeps
 * nobody waiting.
 *
 * Context: process; takes the mmap lock for reading.
 * Return: 0, -EINVAL, -EACCES, -EPERM, -ENOMEM or -EINTR, as the uapi header
 * says.
 */
int hugepfn_populate(struct file *file, u64 addr, u64 length)
{
	unsigned long next = addr;
	int ret;

	if (!range_is_sane(addr, length))
		return -EINVAL;
	ret = for_each_vma_of(file, addr, addr + length, check_vma, NULL);
	if (ret)
		return ret;
	do {
		ret = fatal_signal_pending(current) ? -EINTR :
			for_each_vma_of(file, next, addr + length,
					populate_vma, &next);
	} while (ret > 0);
	return ret;
}
