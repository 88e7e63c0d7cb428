// SPDX-License-Identifier: GPL-2.0-only
/*
 * Private maps, which copy what is written to.
 *
 * Copy-on-write needs its originals in place before the first fault:
 * vmf_insert_pfn() is a BUG in such a VMA. There is no fault handler, so a page
 * that was revoked stays SIGBUS, as with /dev/mem: its copy went with it, and
 * the original in its place would be other data.
 *
 * The entries are those of remap_pfn_range(), but for its own reservation of
 * the memory type: up to 6.15 that is given up when any part is revoked and
 * makes fork() fail once the first page is a copy (untrack_pfn() and
 * track_pfn_copy() of arch/x86/mm/pat/memtype.c); later it outlives the device.
 * vm_page_prot stays that of memory, for it is what copies get.
 */
#include <linux/mm.h>

#include "../compat/memtype.h"
#include "../compat/pgtable.h"
#include "../compat/zap.h"
#include "map.h"

static int read_entry(const struct hugepfn_entry *entry, unsigned long addr,
		      unsigned long end, void *data)
{
	*(struct hugepfn_entry *)data = *entry;
	return 0;
}

/* originals only: the copies are memory, and a store would reach the device */
static int private_access(struct vm_area_struct *vma, unsigned long addr,
			  void *buf, int len, int write)
{
	const unsigned long page = addr & PAGE_MASK;
	struct hugepfn_entry e;

	if (write)
		return -EINVAL;
	hugepfn_walk(vma->vm_mm, page, page + PAGE_SIZE, read_entry, &e);
	if (!e.present || e.pfn != hugepfn_vma_pfn(vma, addr))
		return -EINVAL;
	return hugepfn_access_prot(vma, addr, e.prot, buf, len, write);
}

static int private_mprotect(struct vm_area_struct *vma, unsigned long addr,
			    unsigned long end, unsigned long flags)
{
	return hugepfn_memtype_outlives_mprotect() ? 0 : -EACCES;
}

static const struct vm_operations_struct private_vm_ops = {
	.open = hugepfn_vma_open,
	.close = hugepfn_vma_close,
	.mprotect = private_mprotect,
	.access = private_access,
};

/**
 * hugepfn_private_setup - show a map's frames until they are written to
 * @vma: the VMA, all set but vm_ops
 * @prot: its protection with the map's memory type
 *
 * Context: mmap lock held for writing; sleeps.
 * Return: 0; -ENOMEM; -EACCES if nothing shall be accessible and the CPU has a
 * leak by which such entries show what they point to.
 */
int hugepfn_private_setup(struct vm_area_struct *vma, pgprot_t prot)
{
	const unsigned long size = vma->vm_end - vma->vm_start;
	int ret;

	if (!(vma->vm_flags & VM_ACCESS_FLAGS) &&
	    !hugepfn_pfn_may_be_inaccessible(vma->vm_pgoff +
					     vma_pages(vma) - 1))
		return -EACCES;
	ret = hugepfn_insert_absent(vma, vma->vm_start, size, prot);
	if (ret) {
		/* other threads can use what is there already */
		hugepfn_zap_vma(vma, vma->vm_start, size);
		return ret;
	}
	vma->vm_ops = &private_vm_ops;
	return 0;
}

/**
 * hugepfn_vma_is_private - was it set up by hugepfn_private_setup()?
 * @vma: any VMA
 *
 * Return: true if it was.
 */
bool hugepfn_vma_is_private(const struct vm_area_struct *vma)
{
	return vma->vm_ops == &private_vm_ops;
}
