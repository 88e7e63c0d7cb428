// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/PID/mem and ptrace. generic_access_phys() wants an entry to be there;
 * here pages come by fault, so the frame is told from the VMA instead.
 */
#include <linux/io.h>

#include "../compat/ioremap_prot.h"
#include "map.h"

/**
 * hugepfn_access - read or write a mapping from another process
 * @vma: the VMA
 * @addr: where
 * @buf: the kernel's buffer
 * @len: its length in bytes
 * @write: not 0 to write
 *
 * At most to the end of a page; the caller comes back for the rest. A write
 * needs a writable VMA: FOLL_FORCE does not reach device memory.
 *
 * Context: mmap lock held for reading; sleeps.
 * Return: the bytes done, -EINVAL if the VMA or the node's rules forbid it, or
 * -ENOMEM.
 */
int hugepfn_access(struct vm_area_struct *vma, unsigned long addr, void *buf,
		   int len, int write)
{
	struct hugepfn_map *map = vma->vm_private_data;
	const unsigned long pfn = hugepfn_vma_pfn(vma, addr);
	struct hugepfn_extent page = { .first = pfn, .last = pfn };
	const unsigned int offset = offset_in_page(addr);
	void __iomem *maddr;

	len = min_t(int, len, PAGE_SIZE - offset);
	if (write && !(vma->vm_flags & VM_WRITE))
		return -EINVAL;
	if (!map->ops->may_map(map, pfn, &page))
		return -EINVAL;

	maddr = hugepfn_ioremap_prot(PFN_PHYS(pfn), PAGE_SIZE,
				     vma->vm_page_prot);
	if (!maddr)
		return -ENOMEM;
	if (write)
		memcpy_toio(maddr + offset, buf, len);
	else
		memcpy_fromio(buf, maddr + offset, len);
	iounmap(maddr);
	return len;
}
