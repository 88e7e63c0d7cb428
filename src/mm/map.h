/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mapping engine: page frames of a device in a process, by fault. It
 * knows a range, a memory type and whom to ask; it never knows a device.
 */
#ifndef HUGEPFN_MM_MAP_H
#define HUGEPFN_MM_MAP_H

#include <linux/mm.h>
#include <linux/refcount.h>

#include "window.h"

struct hugepfn_map;
struct hugepfn_track;

/**
 * struct hugepfn_map_ops - what a node tells the engine
 * @may_map: narrow @around to the pages about @pfn that may be mapped now;
 *	false if not even @pfn may. Called before an insert and again after
 *	it, with the mmap lock or a VMA lock held for reading; may not sleep
 *	for long and may not take the mmap lock.
 */
struct hugepfn_map_ops {
	bool (*may_map)(struct hugepfn_map *map, unsigned long pfn,
			struct hugepfn_extent *around);
};

/**
 * struct hugepfn_map - a physical range as one mmap() call mapped it
 * @ref: one for each VMA that shows a part of it
 * @pfn: the first page frame
 * @npages: how many there are
 * @max_order: no entry is larger than this
 * @ops: the node's rules
 * @owner: whom they are about; lives as long as the VMA's file
 * @track: the memory-type reservation that lives as long as this
 */
struct hugepfn_map {
	refcount_t ref;
	unsigned long pfn;
	unsigned long npages;
	unsigned int max_order;
	const struct hugepfn_map_ops *ops;
	void *owner;
	struct hugepfn_track *track;
};

/* map.c */
int hugepfn_map_vma(struct vm_area_struct *vma, unsigned long pfn,
		    pgprot_t prot, unsigned int max_order,
		    const struct hugepfn_map_ops *ops, void *owner);
void hugepfn_zap_mapping(struct address_space *mapping);
unsigned long hugepfn_vma_pfn(const struct vm_area_struct *vma,
			      unsigned long addr);

/* track.c */
struct hugepfn_track *hugepfn_track_get(unsigned long pfn,
					unsigned long npages, pgprot_t *prot);
void hugepfn_track_put(struct hugepfn_track *track);

/* order.c */
u64 hugepfn_orders(void);
bool hugepfn_order_fits(const struct vm_fault *vmf, unsigned int order);
vm_fault_t hugepfn_insert_order(struct vm_fault *vmf, unsigned int order);

/* fault.c */
void hugepfn_fault_init(void);
extern const struct vm_operations_struct hugepfn_vm_ops;

/* align.c */
unsigned long hugepfn_get_unmapped_area(struct file *file, unsigned long addr,
					unsigned long len, unsigned long pfn,
					unsigned long flags);

/* access.c */
int hugepfn_access(struct vm_area_struct *vma, unsigned long addr, void *buf,
		   int len, int write);

void hugepfn_vma_open(struct vm_area_struct *vma);
void hugepfn_vma_close(struct vm_area_struct *vma);

#endif
