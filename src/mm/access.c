// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/PID/mem and ptrace. generic_access_phys() wants an entry to be there;
 * here pages come by fault, so the frame is told from the VMA instead.
 */
#include <linux/io.h>

#include "../compat/ioremap_prot.h"
#include "../compat/memtype.h"
#include "map.h"

/*
 * By 32 bits where place and length are multiples of that: registers often
 * answer no other access, and where a bus error comes back for a byte the
 * kernel dies of it. arm64's memcpy_fromio(), which generic_access_phys()
 * calls, reads less than 8 bytes one by one.
 */
static void read_io(void *to, const void __iomem *from, int len)
{
	if (IS_ALIGNED((unsigned long __force)from | len, sizeof(u32)))
		__ioread32_copy(to, from, len / sizeof(u32));
	else
		memcpy_fromio(to, from, len);
}

static void write_io(void __iomem *to, const void *from, int len)
{
	if (IS_ALIGNED((unsigned long __force)to | len, sizeof(u32)))
		__iowrite32_copy(to, from, len / sizeof(u32));
	else
		memcpy_toio(to, from, len);
}

/* by the memory type alone: arm64 takes no protection without access */
static int copy(struct hugepfn_map *map, unsigned long pfn, unsigned long type,
		unsigned int offset, void *buf, int len, int write)
{
	struct hugepfn_extent page = { .first = pfn, .last = pfn };
	void __iomem *maddr;

	if (!map->ops->may_map(map, pfn, &page))
		return -EINVAL;
	maddr = hugepfn_ioremap_prot(PFN_PHYS(pfn), PAGE_SIZE,
				     hugepfn_memtype_set(PAGE_SHARED, type));
	if (!maddr)
		return -ENOMEM;
	if (write)
		write_io(maddr + offset, buf, len);
	else
		read_io(buf, maddr + offset, len);
	iounmap(maddr);
	return len;
}

/**
 * hugepfn_access_prot - read or write a page of a mapping from another process
 * @vma: the VMA
 * @addr: where
 * @prot: a protection with the memory type that the page is mapped with
 * @buf: the kernel's buffer
 * @len: its length in bytes
 * @write: not 0 to write
 *
 * At most to the end of the page; the caller comes back for the rest. The
 * device is accessed by 32 bits if @addr and @len allow, else by any mixture.
 *
 * Context: mmap lock held for reading; sleeps.
 * Return: the bytes done, -EINVAL if the node's rules forbid it, or -ENOMEM.
 */
int hugepfn_access_prot(struct vm_area_struct *vma, unsigned long addr,
			pgprot_t prot, void *buf, int len, int write)
{
	struct hugepfn_map *map = vma->vm_private_data;
	const unsigned int offset = offset_in_page(addr);
	int ret;

	hugepfn_rules_lock(map);
	ret = copy(map, hugepfn_vma_pfn(vma, addr), hugepfn_memtype_of(prot),
		   offset, buf, min_t(int, len, PAGE_SIZE - offset), write);
	hugepfn_rules_unlock(map);
	return ret;
}

/**
 * hugepfn_access - the access callback of shared mappings
 * @vma: the VMA
 * @addr: where
 * @buf: the kernel's buffer
 * @len: its length in bytes
 * @write: not 0 to write, which needs a writable VMA: FOLL_FORCE does not reach
 *	device memory
 *
 * Context: as hugepfn_access_prot().
 * Return: as hugepfn_access_prot().
 */
int hugepfn_access(struct vm_area_struct *vma, unsigned long addr, void *buf,
		   int len, int write)
{
	if (write && !(vma->vm_flags & VM_WRITE))
		return -EINVAL;
	return hugepfn_access_prot(vma, addr, vma->vm_page_prot, buf, len,
				   write);
}
