/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mapping engine: page frames of a device in a process, by fault. It
 * knows a range, a memory type and whom to ask; it never knows a device.
 */
#ifndef HUGEPFN_MM_MAP_H
#define HUGEPFN_MM_MAP_H

#include <linux/mm.h>
#include <linux/refcount.h>

#include "hugepfn.h"
#include "window.h"

struct hugepfn_map;
struct hugepfn_track;
struct seq_file;

/**
 * enum hugepfn_reason - why a fault was not answered with the next larger order
 * @HUGEPFN_FITS: there is no reason against it
 * @HUGEPFN_KERNEL: this kernel or CPU has no such entries
 * @HUGEPFN_LIMIT: the file's max_order
 * @HUGEPFN_WINDOW: the frames of the window are not all in the VMA
 * @HUGEPFN_OFFSET: they are, but not at a congruent address
 * @HUGEPFN_CACHE: the window has more than one memory type in the MTRRs, or
 *	the mapping's is one that huge entries cannot have (x86: write-through)
 * @HUGEPFN_RANGE: the node's rules forbid a page of the window
 * @HUGEPFN_ADVICE: MADV_NOHUGEPAGE, PR_SET_THP_DISABLE
 * @HUGEPFN_TABLE: there are smaller entries in the window already, or, on
 *	older kernels, /sys/kernel/mm/transparent_hugepage/enabled says never
 * @HUGEPFN_REASONS: how many there are
 */
enum hugepfn_reason {
	HUGEPFN_FITS,
	HUGEPFN_KERNEL,
	HUGEPFN_LIMIT,
	HUGEPFN_WINDOW,
	HUGEPFN_OFFSET,
	HUGEPFN_CACHE,
	HUGEPFN_RANGE,
	HUGEPFN_ADVICE,
	HUGEPFN_TABLE,
	HUGEPFN_REASONS
};

/* what people see of them, in the form that trace.h needs */
#define HUGEPFN_REASON_NAMES			\
	EM(HUGEPFN_FITS,	"none")		\
	EM(HUGEPFN_KERNEL,	"kernel")	\
	EM(HUGEPFN_LIMIT,	"limit")	\
	EM(HUGEPFN_WINDOW,	"window")	\
	EM(HUGEPFN_OFFSET,	"offset")	\
	EM(HUGEPFN_CACHE,	"cache")	\
	EM(HUGEPFN_RANGE,	"range")	\
	EM(HUGEPFN_ADVICE,	"advice")	\
	EMe(HUGEPFN_TABLE,	"table")

/**
 * struct hugepfn_client - an open file that maps through the engine
 * @name: the node's name, for people
 * @attr: what its next mmap() does
 * @faults: faults that were answered, by the level of the entry
 * @smaller: how often which reason kept an entry from being larger
 * @reserved: bytes that its live maps keep the memory type of
 */
struct hugepfn_client {
	const char *name;
	struct hugepfn_map_attr attr;
	atomic64_t faults[HUGEPFN_LEVELS];
	atomic64_t smaller[HUGEPFN_REASONS];
	atomic64_t reserved;
};

/**
 * struct hugepfn_map_ops - what a node tells the engine
 * @may_map: narrow @around to the pages about @pfn that may be mapped now;
 *	false if not even @pfn may. Called before an insert with the mmap lock
 *	or a VMA lock held for reading; may not sleep for long and may not
 *	take the mmap lock.
 * @lock: hold back whoever is about to change what @may_map says, who waits
 *	for @unlock before he zaps; NULL where that cannot be had
 * @unlock: undo @lock
 * @still_may: where there is no @lock, called after an insert as @may_map is
 *	before it: has nobody who would zap @mapped come between?
 */
struct hugepfn_map_ops {
	bool (*may_map)(struct hugepfn_map *map, unsigned long pfn,
			struct hugepfn_extent *around);
	void (*lock)(struct hugepfn_map *map);
	void (*unlock)(struct hugepfn_map *map);
	bool (*still_may)(struct hugepfn_extent mapped);
};

/**
 * struct hugepfn_map - a physical range as one mmap() call mapped it
 * @ref: one for each VMA that shows a part of it
 * @pfn: the first page frame
 * @npages: how many there are
 * @max_order: no entry is larger than this
 * @has_pud_entries: there may be some; see cut.c
 * @ops: the node's rules
 * @owner: whom they are about; lives as long as the VMA's file
 * @client: the open file, which its VMAs keep open
 * @track: its memory-type reservation; NULL once its owner has left
 * @list: the other maps under it; tracks_lock
 * @pid: who called mmap(), as the first PID namespace counts
 * @comm: the name of that process then
 */
struct hugepfn_map {
	refcount_t ref;
	unsigned long pfn;
	unsigned long npages;
	unsigned int max_order;
	bool has_pud_entries;
	const struct hugepfn_map_ops *ops;
	void *owner;
	struct hugepfn_client *client;
	struct hugepfn_track *track;
	struct list_head list;
	pid_t pid;
	char comm[TASK_COMM_LEN];
};

static inline void hugepfn_rules_lock(struct hugepfn_map *map)
{
	if (map->ops->lock)
		map->ops->lock(map);
}

static inline void hugepfn_rules_unlock(struct hugepfn_map *map)
{
	if (map->ops->unlock)
		map->ops->unlock(map);
}

/* the order of an entry at a level of the page table */
static inline unsigned int hugepfn_level_order(unsigned int level)
{
	static const unsigned int order[HUGEPFN_LEVELS] = {
		0,
		PMD_SHIFT - PAGE_SHIFT,
		PUD_SHIFT - PAGE_SHIFT,
	};

	return order[level];
}

/**
 * hugepfn_vma_pfn - the page frame behind an address
 * @vma: a VMA set up by hugepfn_map_vma()
 * @addr: an address inside it
 *
 * Return: its number.
 */
static inline unsigned long hugepfn_vma_pfn(const struct vm_area_struct *vma,
					    unsigned long addr)
{
	return vma->vm_pgoff + ((addr - vma->vm_start) >> PAGE_SHIFT);
}

/* map.c */
int hugepfn_map_vma(struct vm_area_struct *vma, unsigned long pfn,
		    unsigned long reserve, pgprot_t prot,
		    struct hugepfn_client *client,
		    const struct hugepfn_map_ops *ops, void *owner);
void hugepfn_zap_mapping(struct address_space *mapping);

/* private.c */
int hugepfn_private_setup(struct vm_area_struct *vma, pgprot_t prot);
bool hugepfn_vma_is_private(const struct vm_area_struct *vma);

/* track.c */
int hugepfn_track_map(struct hugepfn_map *map, unsigned long reserve,
		      pgprot_t *prot);
void hugepfn_untrack_map(struct hugepfn_map *map);
void hugepfn_untrack_owner(const void *owner);
bool hugepfn_track_is_uniform(const struct hugepfn_track *track,
			      unsigned long pfn, unsigned int order);
void hugepfn_track_show(struct seq_file *m);

/* order.c */
u64 hugepfn_orders(void);
enum hugepfn_reason hugepfn_order_fits(const struct vm_fault *vmf,
				       unsigned int order);
vm_fault_t hugepfn_insert_order(struct vm_fault *vmf, unsigned int order);
int hugepfn_insert_absent(struct vm_area_struct *vma, unsigned long addr,
			  unsigned long size, pgprot_t prot);

/* fault.c */
void hugepfn_fault_init(void);
extern const struct vm_operations_struct hugepfn_vm_ops;

/* cut.c */
int hugepfn_vma_may_split(struct vm_area_struct *vma, unsigned long addr);
void hugepfn_vma_prepare_move(struct vm_area_struct *new);
int hugepfn_vma_mprotect(struct vm_area_struct *vma, unsigned long addr,
			 unsigned long end, unsigned long flags);

/* align.c */
unsigned long hugepfn_get_unmapped_area(struct file *file, unsigned long addr,
					unsigned long len, unsigned long pfn,
					unsigned long flags);

/* walk.c */
/**
 * struct hugepfn_entry - what a page table has for an address
 * @level: the entry's, or that at which there is a hole
 * @present: it is an entry
 * @pfn: the page frame that its first page shows
 * @prot: its protection, in the form of an entry of order 0
 */
struct hugepfn_entry {
	unsigned int level;
	bool present;
	unsigned long pfn;
	pgprot_t prot;
};

typedef int (*hugepfn_visit_fn)(const struct hugepfn_entry *entry,
				unsigned long addr, unsigned long end,
				void *data);
int hugepfn_walk(struct mm_struct *mm, unsigned long addr, unsigned long end,
		 hugepfn_visit_fn visit, void *data);

/* range.c */
int hugepfn_query_range(struct file *file, struct hugepfn_range_info *info);
int hugepfn_populate(struct file *file, u64 addr, u64 length);

/* access.c */
int hugepfn_access(struct vm_area_struct *vma, unsigned long addr, void *buf,
		   int len, int write);
int hugepfn_access_prot(struct vm_area_struct *vma, unsigned long addr,
			pgprot_t prot, void *buf, int len, int write);

void hugepfn_vma_open(struct vm_area_struct *vma);
void hugepfn_vma_close(struct vm_area_struct *vma);

#endif
