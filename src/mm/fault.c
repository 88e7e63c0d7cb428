// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fault handlers. Both read the same way: which pages, may they be
 * mapped, insert, and, where the rules may have changed meanwhile, ask again.
 *
 * Where the node can hold back whoever changes the rules, it does so from the
 * question to the insert, and no entry outlives a change. A driver that
 * claims a range of /dev/hugemem cannot be held back. It marks the range busy
 * first and zaps the mappings after that. A fault that was told "yes" before
 * the mark and inserts after the zap would leave an entry that nobody takes
 * back; asking again closes that. Either the second question sees the mark, or
 * the zap is still to come and finds the entry: the mark and the question are
 * ordered by resource_lock, the insert and the zap by the page-table lock.
 * Between the insert and the second question the entry can be used. (And the
 * zap of a range that begins inside a page may end a page too early:
 * unmap_mapping_range() rounds the length by itself.)
 */
#include <linux/hash.h>
#include <linux/mutex.h>

#include "../compat/huge_fault.h"
#include "../compat/thp_disabled.h"
#include "../compat/zap.h"
#include "../trace.h"
#include "map.h"

#define WINDOW_LOCK_BITS 6

/*
 * One lock for each page table's worth of addresses, by hash. Two threads
 * that answer faults there with different orders, since the rules changed in
 * between, would otherwise meet each other's entry where they expect none.
 * Innermost of all sleeping locks here; never two at once.
 */
static struct mutex window_locks[1 << WINDOW_LOCK_BITS];

static struct mutex *window_lock(const struct vm_fault *vmf)
{
	const unsigned long window = vmf->address >> PMD_SHIFT;

	return &window_locks[hash_long((unsigned long)vmf->vma->vm_mm ^ window,
				       WINDOW_LOCK_BITS)];
}

/**
 * hugepfn_fault_init - before the first fault
 */
void hugepfn_fault_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(window_locks); i++)
		mutex_init(&window_locks[i]);
}

/* the frames that one page table about the fault has room for in this VMA */
static struct hugepfn_extent table_extent(const struct vm_fault *vmf)
{
	const struct vm_area_struct *vma = vmf->vma;
	const unsigned long page = vmf->address >> PAGE_SHIFT;
	const unsigned long to_pfn = hugepfn_vma_pfn(vma, vmf->address) - page;
	struct hugepfn_extent e;

	e = hugepfn_extent_around(page, vma->vm_start >> PAGE_SHIFT,
				  (vma->vm_end >> PAGE_SHIFT) - 1,
				  PMD_SHIFT - PAGE_SHIFT);
	e.first += to_pfn;
	e.last += to_pfn;
	return e;
}

static bool fault_may_map(const struct vm_fault *vmf, struct hugepfn_extent *e)
{
	struct hugepfn_map *map = vmf->vma->vm_private_data;

	return map->ops->may_map(map, hugepfn_vma_pfn(vmf->vma, vmf->address),
				 e);
}

static unsigned long extent_addr(const struct vm_fault *vmf,
				 struct hugepfn_extent e)
{
	return vmf->vma->vm_start +
	       ((e.first - vmf->vma->vm_pgoff) << PAGE_SHIFT);
}

static unsigned long extent_size(struct hugepfn_extent e)
{
	return (e.last - e.first + 1) << PAGE_SHIFT;
}

/* ask again; take back what was inserted if the answer is another one */
static void fault_recheck(const struct vm_fault *vmf,
			  struct hugepfn_extent mapped)
{
	const struct hugepfn_map *map = vmf->vma->vm_private_data;

	if (!map->ops->still_may || map->ops->still_may(mapped))
		return;
	trace_revoke(mapped.first, mapped.last);
	hugepfn_zap_vma(vmf->vma, extent_addr(vmf, mapped),
			extent_size(mapped));
}

/*
 * What stands against one entry of @order, as far as it can be asked? If
 * nothing does, @window is what it maps.
 */
static enum hugepfn_reason order_allowed(const struct vm_fault *vmf,
					 unsigned int order,
					 struct hugepfn_extent *window)
{
	const enum hugepfn_reason why = hugepfn_order_fits(vmf, order);
	struct hugepfn_extent allowed;

	if (why != HUGEPFN_FITS)
		return why;
	*window = hugepfn_window(hugepfn_vma_pfn(vmf->vma, vmf->address),
				 order);
	allowed = *window;
	return fault_may_map(vmf, &allowed) &&
	       hugepfn_extent_equal(allowed, *window) ? HUGEPFN_FITS :
							HUGEPFN_RANGE;
}

/* the kernel did not ask for a larger entry, or there was no place for it */
static enum hugepfn_reason why_smaller(const struct vm_fault *vmf,
				       unsigned int level)
{
	struct hugepfn_extent window;
	enum hugepfn_reason why;

	if (level == HUGEPFN_LEVELS - 1)
		return HUGEPFN_FITS;
	why = order_allowed(vmf, hugepfn_level_order(level + 1), &window);
	if (why != HUGEPFN_FITS)
		return why;
	return hugepfn_thp_disabled(vmf->vma) ? HUGEPFN_ADVICE : HUGEPFN_TABLE;
}

/* for fdinfo and the tracepoint */
static void fault_account(const struct vm_fault *vmf, unsigned int level,
			  vm_fault_t result)
{
	const struct hugepfn_map *map = vmf->vma->vm_private_data;
	enum hugepfn_reason why = HUGEPFN_FITS;

	if (result == VM_FAULT_NOPAGE) {
		why = why_smaller(vmf, level);
		atomic64_inc(&map->client->faults[level]);
		if (why != HUGEPFN_FITS)
			atomic64_inc(&map->client->smaller[why]);
	}
	trace_fault(vmf, hugepfn_vma_pfn(vmf->vma, vmf->address),
		    hugepfn_level_order(level), why,
		    vm_fault_to_errno(result, 0));
}

static vm_fault_t answer_huge(struct vm_fault *vmf, unsigned int order)
{
	struct hugepfn_map *map = vmf->vma->vm_private_data;
	const unsigned int level = order > hugepfn_level_order(1) ? 2 : 1;
	struct hugepfn_extent window;
	vm_fault_t ret;

	if (order_allowed(vmf, order, &window) != HUGEPFN_FITS)
		return VM_FAULT_FALLBACK;

	if (level == 2)
		WRITE_ONCE(map->has_pud_entries, true);
	mutex_lock(window_lock(vmf));
	ret = hugepfn_insert_order(vmf, order);
	mutex_unlock(window_lock(vmf));

	if (ret == VM_FAULT_NOPAGE) {
		fault_account(vmf, level, ret);
		fault_recheck(vmf, window);
	}
	return ret;
}

static vm_fault_t __maybe_unused huge_fault(struct vm_fault *vmf,
					   unsigned int order)
{
	struct hugepfn_map *map = vmf->vma->vm_private_data;
	vm_fault_t ret;

	hugepfn_rules_lock(map);
	ret = answer_huge(vmf, order);
	hugepfn_rules_unlock(map);
	return ret;
}

static int read_prot(pte_t *pte, unsigned long addr, void *data)
{
	const pte_t entry = ptep_get(pte);

	if (!pte_present(entry))
		return -ENOENT;
	*(pgprot_t *)data = pte_pgprot(entry);
	return 0;
}

/*
 * Fill the rest of the page table under one lock. The protection is that of
 * the entry vmf_insert_pfn() has just made, so that the memory type is the
 * one the kernel found for it, whatever vm_page_prot says. The pages around
 * are a convenience: if there is no memory for it the fault is answered all
 * the same.
 */
static void fault_around(struct vm_fault *vmf, struct hugepfn_extent e)
{
	pgprot_t prot;

	if (e.first == e.last || (arch_has_pfn_modify_check() &&
				  !(vmf->vma->vm_flags & VM_ACCESS_FLAGS)))
		return;
	if (apply_to_page_range(vmf->vma->vm_mm, vmf->address & PAGE_MASK,
				PAGE_SIZE, read_prot, &prot))
		return;
	hugepfn_insert_absent(vmf->vma, extent_addr(vmf, e), extent_size(e),
			      prot);
}

static vm_fault_t answer(struct vm_fault *vmf)
{
	struct hugepfn_extent around = table_extent(vmf);
	vm_fault_t ret;

	if (!fault_may_map(vmf, &around)) {
		fault_account(vmf, 0, VM_FAULT_SIGBUS);
		return VM_FAULT_SIGBUS;
	}

	mutex_lock(window_lock(vmf));
	ret = hugepfn_insert_order(vmf, 0);
	if (ret == VM_FAULT_NOPAGE && !pmd_leaf(READ_ONCE(*vmf->pmd)))
		fault_around(vmf, around);
	mutex_unlock(window_lock(vmf));

	fault_account(vmf, 0, ret);
	if (ret == VM_FAULT_NOPAGE)
		fault_recheck(vmf, around);
	return ret;
}

static vm_fault_t fault(struct vm_fault *vmf)
{
	struct hugepfn_map *map = vmf->vma->vm_private_data;
	vm_fault_t ret;

	hugepfn_rules_lock(map);
	ret = answer(vmf);
	hugepfn_rules_unlock(map);
	return ret;
}

const struct vm_operations_struct hugepfn_vm_ops = {
	.open = hugepfn_vma_open,
	.close = hugepfn_vma_close,
	.may_split = hugepfn_vma_may_split,
	.mprotect = hugepfn_vma_mprotect,
	.fault = fault,
	.huge_fault = HUGEPFN_HUGE_FAULT(huge_fault),
	.access = hugepfn_access,
};
