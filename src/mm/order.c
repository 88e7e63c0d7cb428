// SPDX-License-Identifier: GPL-2.0-only
/*
 * One entry of a given order: may it go here, and then the insert. Two calls,
 * so that the fault handler puts the node's rules between them. And many of
 * order 0 at once.
 */
#include "../compat/insert_pfn.h"
#include "../compat/memtype.h"
#include "map.h"

/**
 * hugepfn_orders - the orders one entry can have on this kernel, as bits
 *
 * Return: bit 0, and one bit for each larger order.
 */
u64 hugepfn_orders(void)
{
	return BIT_ULL(0) |
	       (IS_ENABLED(CONFIG_ARCH_SUPPORTS_PMD_PFNMAP) ?
			BIT_ULL(PMD_SHIFT - PAGE_SHIFT) : 0) |
	       (IS_ENABLED(CONFIG_ARCH_SUPPORTS_PUD_PFNMAP) &&
		hugepfn_has_pud_entries() ?
			BIT_ULL(PUD_SHIFT - PAGE_SHIFT) : 0);
}

/**
 * hugepfn_order_fits - may the fault be answered with an entry of this order?
 * @vmf: the fault
 * @order: the entry's order; 0 always fits
 *
 * The huge inserts skip pfn_modify_allowed(), which the order-0 one asks: on
 * a CPU with L1TF an entry that is not present may not hold any frame that
 * user space likes. So where nothing is accessible nothing huge goes in.
 *
 * Return: %HUGEPFN_FITS, or what stands against it.
 */
enum hugepfn_reason hugepfn_order_fits(const struct vm_fault *vmf,
				       unsigned int order)
{
	struct vm_area_struct *vma = vmf->vma;
	const struct hugepfn_map *map = vma->vm_private_data;
	const unsigned long page = vmf->address >> PAGE_SHIFT;
	const unsigned long pfn = hugepfn_vma_pfn(vma, vmf->address);

	if (!order)
		return HUGEPFN_FITS;
	if (!(hugepfn_orders() & BIT_ULL(order)))
		return HUGEPFN_KERNEL;
	if (arch_has_pfn_modify_check() && !(vma->vm_flags & VM_ACCESS_FLAGS))
		return HUGEPFN_KERNEL;
	if (order > map->max_order)
		return HUGEPFN_LIMIT;
	if (!hugepfn_window_fits(pfn, pfn, vma->vm_pgoff,
				 vma->vm_pgoff + vma_pages(vma) - 1, order))
		return HUGEPFN_WINDOW;
	if (!hugepfn_window_fits(page, pfn, vma->vm_start >> PAGE_SHIFT,
				 (vma->vm_end >> PAGE_SHIFT) - 1, order))
		return HUGEPFN_OFFSET;
	if (!hugepfn_memtype_may_be_huge(vma->vm_page_prot) || !map->track ||
	    !hugepfn_track_is_uniform(map->track, round_down(pfn, 1UL << order),
				      order))
		return HUGEPFN_CACHE;
	return HUGEPFN_FITS;
}

/*
 * vmf_insert_pfn_pud() warns when it is to make an entry writable and finds
 * another frame there, a page table included. The core may allocate that
 * table at any time after a fallback of another thread, so the write flag
 * goes with it only when there is an entry to upgrade: one that soft-dirty
 * or userfaultfd write-protected. An absent entry is made with what
 * vm_page_prot allows, and the CPU comes back if that was not enough.
 *
 * For a PMD the same cannot happen: only this module's faults put a page
 * table there, and the window's lock keeps them apart.
 */
static vm_fault_t insert_pud(struct vm_fault *vmf, unsigned long pfn)
{
	const bool upgrade = pud_leaf(READ_ONCE(*vmf->pud));

	return hugepfn_insert_pfn_pud(vmf, pfn, upgrade &&
				      (vmf->flags & FAULT_FLAG_WRITE));
}

static vm_fault_t insert_pmd(struct vm_fault *vmf, unsigned long pfn)
{
	const pmd_t pmd = READ_ONCE(*vmf->pmd);

	if (!pmd_none(pmd) && !pmd_leaf(pmd))
		return VM_FAULT_FALLBACK;
	return hugepfn_insert_pfn_pmd(vmf, pfn, vmf->flags & FAULT_FLAG_WRITE);
}

/*
 * Where another thread has just put a PMD entry, get_locked_pte() finds no
 * table and vmf_insert_pfn() reports that as out of memory. The entry is what
 * the fault wanted: let the CPU look again.
 */
static vm_fault_t insert_pte(struct vm_fault *vmf, unsigned long pfn)
{
	if (pmd_leaf(READ_ONCE(*vmf->pmd)))
		return VM_FAULT_NOPAGE;
	return vmf_insert_pfn(vmf->vma, vmf->address, pfn);
}

/**
 * hugepfn_insert_order - map the window around a fault by one entry
 * @vmf: the fault
 * @order: an order that hugepfn_order_fits()
 *
 * Context: mmap lock or VMA lock held for reading, and the window's lock of
 * fault.c; may allocate.
 * Return: VM_FAULT_NOPAGE when the window is mapped, by this call or another
 * thread's; VM_FAULT_FALLBACK when this order cannot be used here;
 * VM_FAULT_OOM or VM_FAULT_SIGBUS.
 */
vm_fault_t hugepfn_insert_order(struct vm_fault *vmf, unsigned int order)
{
	unsigned long pfn = hugepfn_vma_pfn(vmf->vma, vmf->address);

	pfn &= ~((1UL << order) - 1);
	if (order == 0)
		return insert_pte(vmf, pfn);
	if (order == PMD_SHIFT - PAGE_SHIFT)
		return insert_pmd(vmf, pfn);
	if (order == PUD_SHIFT - PAGE_SHIFT)
		return insert_pud(vmf, pfn);
	return VM_FAULT_FALLBACK;
}

struct absent {
	const struct vm_area_struct *vma;
	pgprot_t prot;
};

static int insert_if_absent(pte_t *pte, unsigned long addr, void *data)
{
	const struct absent *a = data;

	if (pte_none(ptep_get(pte)))
		set_pte_at(a->vma->vm_mm, addr, pte,
			   pte_mkspecial(pfn_pte(hugepfn_vma_pfn(a->vma, addr),
						 a->prot)));
	return 0;
}

/**
 * hugepfn_insert_absent - map a part of a VMA by entries of order 0
 * @vma: the VMA
 * @addr: where the part starts; no huge entry reaches into it
 * @size: its length in bytes
 * @prot: the entries' protection
 *
 * What is there stays. The tables are allocated.
 *
 * Context: mmap lock or VMA lock held; sleeps.
 * Return: 0 or -ENOMEM, with some entries made.
 */
int hugepfn_insert_absent(struct vm_area_struct *vma, unsigned long addr,
			  unsigned long size, pgprot_t prot)
{
	struct absent a = { .vma = vma, .prot = prot };

	return apply_to_page_range(vma->vm_mm, addr, size, insert_if_absent,
				   &a);
}
