// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapping a device's memory. Map N is chosen by offset N times the page size.
 *
 * PHYS and IOVA maps go to the engine: filled by fault, vm_pgoff a frame
 * number. LOGICAL and VIRTUAL maps are filled by fault a page at a time here.
 * Both kinds ask, or insert, with the driver in place, so that its leaving
 * either is seen or finds their entries.
 *
 * What is filled at mmap() (private maps, coherent ones, whatever the driver's
 * own mmap() does) cannot ask again: mm/ links the VMA into the address space
 * only after mmap() has returned, and a driver that leaves in between would
 * zap too early. So each such process is noted, and the leaving driver waits
 * until it has got its mmap lock once: the VMA is linked by then.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "../compat/cow_mapping.h"
#include "../compat/get_unmapped_area.h"
#include "../compat/memtype.h"
#include "../compat/uio_mmap.h"
#include "../compat/vm_flags.h"
#include "../mm/map.h"
#include "../policy.h"
#include "core.h"

struct eager {
	struct list_head list;
	const struct hugeuio_file *file;
	struct mm_struct *mm;
};

static void eager_free(struct eager *e)
{
	list_del(&e->list);
	mmdrop(e->mm);
	kfree(e);
}

/*
 * info_lock held; once for each process that maps through the file. Those that
 * have ended meanwhile are forgotten.
 */
static int eager_note(struct hugeuio_file *hf, struct mm_struct *mm)
{
	struct eager *e, *next;

	list_for_each_entry_safe(e, next, &hf->hdev->eager, list) {
		if (e->file == hf && e->mm == mm)
			return 0;
		if (!atomic_read(&e->mm->mm_users))
			eager_free(e);
	}
	e = kmalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	e->file = hf;
	e->mm = mm;
	mmgrab(mm);
	list_add(&e->list, &hf->hdev->eager);
	return 0;
}

/**
 * hugeuio_eager_forget - a file is closed, so none of its maps is left
 * @hf: the file
 *
 * Context: the device's info_lock held.
 */
void hugeuio_eager_forget(struct hugeuio_file *hf)
{
	struct eager *e, *next;

	list_for_each_entry_safe(e, next, &hf->hdev->eager, list)
		if (e->file == hf)
			eager_free(e);
}

/**
 * hugeuio_eager_settle - wait until what was filled at mmap() can be zapped
 * @eager: the device's list, which nothing is added to any more
 *
 * Context: sleeps; takes mmap locks, so info_lock may not be held.
 */
void hugeuio_eager_settle(struct list_head *eager)
{
	struct eager *e, *next;

	list_for_each_entry_safe(e, next, eager, list) {
		mmap_read_lock(e->mm);
		mmap_read_unlock(e->mm);
		eager_free(e);
	}
}

/* info_lock held; the map that an offset chooses, or NULL */
static struct uio_mem *find_mem(struct uio_info *info, unsigned long index)
{
	if (!info || index >= MAX_UIO_MAPS || !info->mem[index].size)
		return NULL;
	return &info->mem[index];
}

static bool is_phys(const struct uio_mem *mem)
{
	return mem->memtype == UIO_MEM_PHYS || mem->memtype == UIO_MEM_IOVA;
}

/* how many pages a map touches */
static unsigned long mem_pages(const struct uio_mem *mem)
{
	resource_size_t end;

	if (check_add_overflow(mem->size, (resource_size_t)PAGE_SIZE - 1 +
			       offset_in_page(mem->addr), &end))
		return 0;
	return end >> PAGE_SHIFT;
}

static bool may_access(struct uio_info *info,
		       const struct hugeuio_options *options)
{
	return !options || !options->may_access || options->may_access(info);
}

/* fault_lock held for reading: info and options stay, if they are there */
static bool device_may_map(struct hugepfn_map *map, unsigned long pfn,
			   struct hugepfn_extent *around)
{
	struct hugeuio_device *hdev = map->owner;
	struct uio_info *info = READ_ONCE(hdev->uio.info);

	return info && may_access(info, hdev->options);
}

static void device_lock_rules(struct hugepfn_map *map)
{
	struct hugeuio_device *hdev = map->owner;

	down_read(&hdev->fault_lock);
}

static void device_unlock_rules(struct hugepfn_map *map)
{
	struct hugeuio_device *hdev = map->owner;

	up_read(&hdev->fault_lock);
}

static const struct hugepfn_map_ops device_map_ops = {
	.may_map = device_may_map,
	.lock = device_lock_rules,
	.unlock = device_unlock_rules,
};

/* what a file asks for, else the driver, else as UIO */
static pgprot_t phys_prot(const struct hugeuio_file *hf,
			  const struct uio_mem *mem, unsigned int index,
			  pgprot_t prot)
{
	const struct hugeuio_options *options = hf->hdev->options;
	u32 cache = READ_ONCE(hf->client.attr.cache);

	if (cache == HUGEPFN_CACHE_DEFAULT && options)
		cache = options->cache[index];
	return hugepfn_memtype_prot(prot, cache, mem->memtype == UIO_MEM_PHYS);
}

/*
 * Every map of a device's memory begins where that begins, and one that lies
 * inside a reservation shares it. Of each length one of its own would let
 * people who may open no more than this node fill the kernel's address space
 * with reservations, so they come in powers of two.
 */
static unsigned long pages_to_reserve(struct vm_area_struct *vma,
				      const struct uio_mem *mem)
{
	return min(roundup_pow_of_two(vma_pages(vma)), mem_pages(mem));
}

static int mmap_phys(struct hugeuio_file *hf, struct vm_area_struct *vma,
		     const struct uio_mem *mem, unsigned int index)
{
	const unsigned long pfn = PHYS_PFN(mem->addr);
	const unsigned long reserve = pages_to_reserve(vma, mem);
	int ret;

	if (!PAGE_ALIGNED(mem->addr))
		return -ENODEV;
	if (vma->vm_end - vma->vm_start > mem->size)
		return -EINVAL;
	ret = hugepfn_policy_device(pfn, reserve);
	if (ret)
		return ret;
	if (vma_is_cow_mapping(vma)) {
		if (!may_access(hf->hdev->uio.info, hf->hdev->options))
			return -EIO;
		ret = eager_note(hf, vma->vm_mm);
		if (ret)
			return ret;
	}
	return hugepfn_map_vma(vma, pfn, reserve,
			       phys_prot(hf, mem, index, vma->vm_page_prot),
			       &hf->client, &device_map_ops, hf->hdev);
}

/* info_lock held; the page that a map shows @offset bytes into it */
static struct page *mem_page(const struct uio_mem *mem, unsigned long offset)
{
	void *addr = (void *)(uintptr_t)mem->addr + offset;

	if (mem->memtype == UIO_MEM_LOGICAL)
		return virt_to_page(addr);
	return vmalloc_to_page(addr);
}

/*
 * The index is not told from the VMA, whose vm_pgoff moves when its head is
 * unmapped. The page is inserted here and not by the core, so that it is there
 * to be zapped when info_lock is let go.
 */
static vm_fault_t logical_fault(struct vm_fault *vmf)
{
	struct hugeuio_map_ref *ref = vmf->vma->vm_private_data;
	struct hugeuio_device *hdev = ref->hdev;
	const unsigned long index = ref - hdev->map_ref;
	const unsigned long page = vmf->pgoff - index;
	const struct uio_mem *mem;
	struct page *shown = NULL;
	int ret = -EFAULT;

	mutex_lock(&hdev->uio.info_lock);
	mem = find_mem(hdev->uio.info, index);
	if (mem && page < mem_pages(mem))
		shown = mem_page(mem, page << PAGE_SHIFT);
	if (shown)
		ret = vm_insert_page(vmf->vma, vmf->address & PAGE_MASK, shown);
	mutex_unlock(&hdev->uio.info_lock);

	switch (ret) {
	case 0:
	case -EBUSY:	/* another thread was faster */
		return VM_FAULT_NOPAGE;
	case -ENOMEM:
		return VM_FAULT_OOM;
	default:
		return VM_FAULT_SIGBUS;
	}
}

static const struct vm_operations_struct logical_vm_ops = {
	.fault = logical_fault,
};

static int mmap_logical(struct hugeuio_device *hdev,
			struct vm_area_struct *vma, unsigned int index)
{
	vm_flags_set(vma, VM_MIXEDMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = &hdev->map_ref[index];
	vma->vm_ops = &logical_vm_ops;
	return 0;
}

static int mmap_eager(struct hugeuio_file *hf, struct file *file,
		      struct vm_area_struct *vma, const struct uio_mem *mem)
{
	struct uio_info *info = hf->hdev->uio.info;
	int ret;

	ret = eager_note(hf, vma->vm_mm);
	if (ret)
		return ret;
	if (hugepfn_uio_has_mmap(info)) {
		/* what a driver finds there with uio_mmap() */
		vma->vm_private_data = info->uio_dev;
		return hugepfn_uio_mmap(info, file, vma);
	}
	if (vma->vm_end - vma->vm_start > mem->size)
		return -EINVAL;
	return hugepfn_uio_mmap_coherent(vma, mem);
}

static int mmap_mem(struct file *file, struct vm_area_struct *vma)
{
	struct hugeuio_file *hf = file->private_data;
	struct uio_info *info = hf->hdev->uio.info;
	const unsigned long index = vma->vm_pgoff;
	const struct uio_mem *mem;
	int ret;

	if (!info)
		return -ENODEV;
	ret = hugeuio_locked_down(hf->hdev);
	if (ret)
		return ret;
	mem = find_mem(info, index);
	if (!mem || vma_pages(vma) > mem_pages(mem))
		return -EINVAL;
	if (hugepfn_uio_has_mmap(info) || hugepfn_uio_is_coherent(mem))
		return mmap_eager(hf, file, vma, mem);

	switch (mem->memtype) {
	case UIO_MEM_PHYS:
	case UIO_MEM_IOVA:
		return mmap_phys(hf, vma, mem, index);
	case UIO_MEM_LOGICAL:
	case UIO_MEM_VIRTUAL:
		return mmap_logical(hf->hdev, vma, index);
	default:
		return -EINVAL;
	}
}

/**
 * hugeuio_mmap - mmap() of a device's file
 * @file: the file
 * @vma: the VMA
 *
 * Context: mmap lock held for writing.
 * Return: 0; -ENODEV if the driver has left; -EINVAL if there is no such map
 * or it is smaller; -EPERM if the driver offers System RAM as device memory,
 * or the kernel is locked down; -EIO if the map is private and may not be
 * accessed now; what hugepfn_map_vma() or the driver's own mmap() returned.
 */
int hugeuio_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct hugeuio_file *hf = file->private_data;
	int ret;

	mutex_lock(&hf->hdev->uio.info_lock);
	ret = mmap_mem(file, vma);
	mutex_unlock(&hf->hdev->uio.info_lock);
	return ret;
}

/**
 * hugeuio_get_unmapped_area - an address that suits the map's frames
 * @file: the file
 * @addr: the caller's hint, or the address itself with %MAP_FIXED; 0 for none
 * @len: the length in bytes
 * @pgoff: the map's index
 * @flags: mmap()'s
 *
 * Context: mmap lock held for writing.
 * Return: as hugepfn_get_unmapped_area().
 */
unsigned long hugeuio_get_unmapped_area(struct file *file, unsigned long addr,
					unsigned long len, unsigned long pgoff,
					unsigned long flags)
{
	struct hugeuio_file *hf = file->private_data;
	struct hugeuio_device *hdev = hf->hdev;
	const struct uio_mem *mem;
	unsigned long pfn = 0;

	mutex_lock(&hdev->uio.info_lock);
	mem = find_mem(hdev->uio.info, pgoff);
	if (mem && is_phys(mem))
		pfn = PHYS_PFN(mem->addr);
	mutex_unlock(&hdev->uio.info_lock);

	if (!pfn)
		return hugepfn_mm_get_unmapped_area(file, addr, len, pgoff,
						    flags);
	return hugepfn_get_unmapped_area(file, addr, len, pfn, flags);
}
