// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets a VMA up for the engine and counts the VMAs that share one map.
 *
 * The invariant the rest of the engine stands on: vm_pgoff is the page frame
 * number of the VMA's first page. mm/ keeps it true through split, partial
 * unmap and mremap, so the frame behind an address never depends on where
 * the mapping began or was moved.
 */
#include <linux/slab.h>

#include "../compat/cow_mapping.h"
#include "../compat/huge_fault.h"
#include "../compat/vm_flags.h"
#include "../trace.h"
#include "map.h"

static void map_put(struct hugepfn_map *map)
{
	if (!refcount_dec_and_test(&map->ref))
		return;
	hugepfn_untrack_map(map);
	kfree(map);
}

/* fork, split, and the new place of an mremap(): mmap lock held for writing */
void hugepfn_vma_open(struct vm_area_struct *vma)
{
	struct hugepfn_map *map = vma->vm_private_data;

	refcount_inc(&map->ref);
	hugepfn_vma_prepare_move(vma);
}

void hugepfn_vma_close(struct vm_area_struct *vma)
{
	map_put(vma->vm_private_data);
}

static struct hugepfn_map *map_new(struct vm_area_struct *vma,
				   unsigned long pfn, unsigned long reserve,
				   pgprot_t *prot,
				   struct hugepfn_client *client,
				   const struct hugepfn_map_ops *ops,
				   void *owner)
{
	struct hugepfn_map *map;
	int ret;

	map = kzalloc(sizeof(*map), GFP_KERNEL);
	if (!map)
		return ERR_PTR(-ENOMEM);

	refcount_set(&map->ref, 1);
	map->pfn = pfn;
	map->npages = vma_pages(vma);
	map->max_order = READ_ONCE(client->attr.max_order) ?: UINT_MAX;
	map->ops = ops;
	map->owner = owner;
	map->client = client;
	map->pid = task_tgid_nr(current);
	get_task_comm(map->comm, current->group_leader);

	ret = hugepfn_track_map(map, reserve, prot);
	if (ret) {
		kfree(map);
		return ERR_PTR(ret);
	}
	return map;
}

/**
 * hugepfn_map_vma - let a VMA show a range of page frames
 * @vma: the VMA, as the file's mmap() got it
 * @pfn: the page frame its first page shows
 * @reserve: how many frames from there on shall have their memory type
 *	reserved; not fewer than the VMA shows
 * @prot: its protection with the memory type that is wanted
 * @client: the open file, with its attributes; the VMA keeps it
 * @ops: the node's rules, already asked for the whole range
 * @owner: passed to them; must live as long as the VMA's file
 *
 * The caller has made sure that what is reserved ends inside the CPU's physical
 * address space and holds no System RAM: ioremap() warns of either.
 *
 * Context: mmap lock held for writing; sleeps.
 * Return: 0; -EAGAIN if the memory type conflicts with one in force; -ENOMEM;
 * -EACCES as hugepfn_private_setup().
 */
int hugepfn_map_vma(struct vm_area_struct *vma, unsigned long pfn,
		    unsigned long reserve, pgprot_t prot,
		    struct hugepfn_client *client,
		    const struct hugepfn_map_ops *ops, void *owner)
{
	const bool copies = vma_is_cow_mapping(vma);
	struct hugepfn_map *map;
	int ret;

	vma->vm_pgoff = pfn;
	map = map_new(vma, pfn, reserve, &prot, client, ops, owner);
	if (IS_ERR(map))
		return PTR_ERR(map);
	vma->vm_private_data = map;
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP |
		     (copies ? 0 : HUGEPFN_VM_HUGEPAGE));
	if (copies) {
		ret = hugepfn_private_setup(vma, prot);
		if (ret)
			map_put(map);
		return ret;
	}

	vma->vm_page_prot = prot;
	vma->vm_ops = &hugepfn_vm_ops;
	return 0;
}

/**
 * hugepfn_zap_mapping - take back all entries made through an address space
 * @mapping: a node's, whose rules say no by now and have no fault under way
 *	that was told otherwise
 *
 * Pages that a private mapping has copied go too, as when the kernel revokes a
 * range. So do those that a fork under way is copying, or an mremap() moving:
 * the new VMA is linked behind the old one (dup_mmap(); copy_vma(), by vm_pgoff,
 * and equal ones go to the right) before an entry goes there, and the VMAs are
 * zapped in that order.
 *
 * Context: sleeps; takes the address space's i_mmap_rwsem.
 */
void hugepfn_zap_mapping(struct address_space *mapping)
{
	trace_revoke(0, PHYS_PFN(~0ULL));
	unmap_mapping_range(mapping, 0, 0, 1);
}
