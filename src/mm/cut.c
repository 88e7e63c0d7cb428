// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cutting and moving VMAs that have PUD entries. The core is not ready for
 * those (read in 6.12 to 7.3, where they come from drivers only):
 *
 * - __split_vma() at an address that is not PMD aligned: through
 *   vma_adjust_trans_huge(), mm_find_pmd() takes the entry for a page table,
 *   follows the device's address and dies. A cut that is PMD aligned leaves
 *   the entry in place, over both halves, and fork() copies it whole with
 *   either.
 * - mremap() of a whole VMA: get_old_pud() takes the entry for a bad table,
 *   complains in the log and clears it without a TLB flush, so that the old
 *   address goes on to work.
 * - mprotect() of an entry that has no access: pudp_invalidate() of x86 does
 *   not think it present, and warns where DEBUG_VM is on. (Nor does mremap()
 *   when it asks whether there is a huge entry.)
 *
 * So such entries are zapped before the core gets there. Faults bring the
 * pages back.
 */
#include "../compat/vm_flags.h"
#include "../compat/zap.h"
#include "map.h"

static int is_pud_entry(const struct hugepfn_entry *e, unsigned long addr,
			unsigned long end, void *data)
{
	return e->present && e->level == 2;
}

static void zap_pud_entry(struct vm_area_struct *vma, unsigned long addr)
{
	if (hugepfn_walk(vma->vm_mm, addr, addr + PAGE_SIZE, is_pud_entry,
			 NULL))
		hugepfn_zap_vma(vma, addr & PUD_MASK, PUD_SIZE);
}

static void zap_pud_entries(struct vm_area_struct *vma, unsigned long addr,
			    unsigned long end)
{
	for (; addr < end; addr = (addr | ~PUD_MASK) + 1)
		zap_pud_entry(vma, addr);
}

/**
 * hugepfn_vma_may_split - before a VMA is cut
 * @vma: the VMA
 * @addr: where
 *
 * The VMA's lock is taken here already, until the mmap lock is let go: a fault
 * under the former could put the entry back before __split_vma() takes it.
 *
 * Context: mmap lock held for writing; sleeps.
 * Return: 0.
 */
int hugepfn_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	const struct hugepfn_map *map = vma->vm_private_data;

	hugepfn_vma_start_write(vma);
	if (READ_ONCE(map->has_pud_entries) && addr & ~PUD_MASK)
		zap_pud_entry(vma, addr);
	return 0;
}

/* the VMA that mremap() is about to move to @new's addresses, or NULL */
static struct vm_area_struct *find_moved(struct vm_area_struct *new)
{
	struct vm_area_struct *vma = find_vma(new->vm_mm, 0);

	for (; vma; vma = find_vma(new->vm_mm, vma->vm_end))
		if (vma->vm_ops == new->vm_ops &&
		    vma->vm_private_data == new->vm_private_data &&
		    vma->vm_pgoff <= new->vm_pgoff &&
		    vma->vm_pgoff + vma_pages(vma) >=
		    new->vm_pgoff + vma_pages(new))
			return vma;
	return NULL;
}

/**
 * hugepfn_vma_prepare_move - before entries are moved to a new VMA
 * @new: a VMA that is being opened
 *
 * There is no callback before mremap() but the new VMA's open(), which fork()
 * and splits call as well: fork() for another address space, splits when the
 * addresses are still the old VMA's.
 *
 * Context: mmap lock and the old VMA's lock held for writing; sleeps.
 */
void hugepfn_vma_prepare_move(struct vm_area_struct *new)
{
	const struct hugepfn_map *map = new->vm_private_data;
	struct vm_area_struct *old;
	unsigned long addr, end;

	if (!READ_ONCE(map->has_pud_entries) || new->vm_mm != current->mm)
		return;
	old = find_vma(new->vm_mm, new->vm_start);
	if (old && old->vm_start < new->vm_end)
		return;
	old = find_moved(new);
	if (!old)
		return;
	addr = old->vm_start +
	       ((new->vm_pgoff - old->vm_pgoff) << PAGE_SHIFT);
	end = addr + (new->vm_end - new->vm_start);
	zap_pud_entries(old, addr, end);
}

/**
 * hugepfn_vma_mprotect - before the protection of a part of a VMA changes
 * @vma: the VMA
 * @addr: where the part starts
 * @end: where it ends
 * @flags: the VMA's flags to be
 *
 * Where nothing is accessible no PUD entry stays, and no fault brings one.
 *
 * Context: mmap lock held for writing; sleeps.
 * Return: 0.
 */
int hugepfn_vma_mprotect(struct vm_area_struct *vma, unsigned long addr,
			 unsigned long end, unsigned long flags)
{
	const struct hugepfn_map *map = vma->vm_private_data;

	if (flags & VM_ACCESS_FLAGS)
		return 0;
	hugepfn_vma_start_write(vma);
	if (READ_ONCE(map->has_pud_entries))
		zap_pud_entries(vma, addr, end);
	return 0;
}
