// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads page tables. walk_page_range() and pte_offset_map() are not exported;
 * what they read is.
 *
 * Nothing is locked but the mmap lock, so each entry is a snapshot. The tables
 * stay meanwhile: of those in VM_PFNMAP areas none is freed while the mmap lock
 * is held for reading; elsewhere MADV_DONTNEED may free an empty one, by RCU.
 */
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>

#include "../compat/pgtable.h"
#include "map.h"

static unsigned long level_size(unsigned int level)
{
	return PAGE_SIZE << hugepfn_level_order(level);
}

/* the entry or the hole at @addr; where @e->level is 0, the table to look in */
static pmd_t read_above_pte(struct mm_struct *mm, unsigned long addr,
			    struct hugepfn_entry *e)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pudp, pud;
	pmd_t pmd = __pmd(0);

	e->present = false;
	e->level = 2;
	if (pgd_none(READ_ONCE(*pgd)))
		return pmd;
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(READ_ONCE(*p4d)))
		return pmd;

	pudp = pud_offset(p4d, addr);
	pud = READ_ONCE(*pudp);
	if (pud_none(pud))
		return pmd;
	if (pud_leaf(pud)) {
		/* x86's pud_present(), unlike pmd_present(), denies PROT_NONE */
		e->present = true;
		e->pfn = pud_pfn(pud);
		e->prot = hugepfn_pud_prot(pud);
		return pmd;
	}

	e->level = 1;
	pmd = READ_ONCE(*pmd_offset(pudp, addr));
	if (pmd_none(pmd))
		return pmd;
	if (pmd_leaf(pmd)) {
		e->present = pmd_present(pmd);
		e->pfn = pmd_pfn(pmd);
		e->prot = hugepfn_pmd_prot(pmd);
		return pmd;
	}
	if (pmd_present(pmd))
		e->level = 0;
	return pmd;
}

static int visit_ptes(pmd_t pmd, unsigned long addr, unsigned long end,
		      hugepfn_visit_fn visit, void *data)
{
	struct hugepfn_entry e = { .level = 0 };
	int ret = 0;

	for (; addr < end && !ret; addr += PAGE_SIZE) {
		const pte_t pte = ptep_get(pte_offset_kernel(&pmd, addr));

		e.present = pte_present(pte);
		e.pfn = pte_pfn(pte);
		e.prot = pte_pgprot(pte);
		ret = visit(&e, addr, addr + PAGE_SIZE, data);
	}
	return ret;
}

/**
 * hugepfn_walk - visit what the page tables have for a range
 * @mm: whose
 * @addr: where the range starts, page aligned
 * @end: where it ends
 * @visit: called for each entry, or for each hole where an entry or a table
 *	could be, with the part of the range it covers; may not sleep; the walk
 *	stops when it returns other than 0
 * @data: for @visit
 *
 * Context: mmap lock held for reading.
 * Return: what @visit returned last.
 */
int hugepfn_walk(struct mm_struct *mm, unsigned long addr, unsigned long end,
		 hugepfn_visit_fn visit, void *data)
{
	int ret = 0;

	while (addr < end && !ret) {
		struct hugepfn_entry e;
		unsigned long size, next;
		pmd_t pmd;

		rcu_read_lock();
		pmd = read_above_pte(mm, addr, &e);
		size = level_size(max(e.level, 1u));
		next = min(end, (addr | (size - 1)) + 1);
		if (e.level)
			ret = visit(&e, addr, next, data);
		else
			ret = visit_ptes(pmd, addr, next, visit, data);
		rcu_read_unlock();
		addr = next;
		cond_resched();
	}
	return ret;
}
