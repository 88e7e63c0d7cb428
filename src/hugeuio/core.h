/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of hugeuio share.
 *
 * Locks, outermost first: mmap lock; info_lock of a device; its fault_lock;
 * minors_lock. info_lock is UIO's own: it makes the driver's callbacks one at a
 * time, and whoever holds it and sees info finds the driver's data in place.
 * So does who holds fault_lock for reading: faults, which may not wait for
 * info_lock, since a callback may zap.
 */
#ifndef HUGEUIO_CORE_H
#define HUGEUIO_CORE_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/rwsem.h>

#include "../client.h"
#include "hugepfn/hugeuio.h"

struct hugeuio_device;

/**
 * struct hugeuio_map_ref - tells a VMA which map it shows
 * @hdev: the device
 */
struct hugeuio_map_ref {
	struct hugeuio_device *hdev;
};

/**
 * struct hugeuio_device - a registered device, until its last file is closed
 * @uio: what drivers see of it through info->uio_dev; uio.info is NULL once
 *	the driver has left
 * @has_irq: uio.info's interrupt was requested
 * @fault_lock: held for reading from the question whether a fault may be
 *	answered until it is; see hugeuio_zap_maps()
 * @options: what the driver said beyond uio_info, or NULL; not to be looked at
 *	without uio.info
 * @inode: its i_mapping links the VMAs of all files
 * @eager: who may have filled a mapping at mmap(); see mmap.c
 * @map_ref: one for each map
 */
struct hugeuio_device {
	struct uio_device uio;
	bool has_irq;
	struct rw_semaphore fault_lock;
	const struct hugeuio_options *options;
	struct inode *inode;
	struct list_head eager;
	struct hugeuio_map_ref map_ref[MAX_UIO_MAPS];
};

/**
 * struct hugeuio_file - an open file
 * @hdev: the device
 * @event_count: the event count last read
 * @client: what the mapping engine knows of it
 */
struct hugeuio_file {
	struct hugeuio_device *hdev;
	s32 event_count;
	struct hugepfn_client client;
};

/**
 * hugeuio_locked_down - is the device out of bounds in this kernel's state?
 * @hdev: the device
 *
 * Asked at open() and at mmap(), since lockdown may come up between.
 *
 * Context: info_lock held.
 * Return: 0 or -EPERM.
 */
static inline int hugeuio_locked_down(const struct hugeuio_device *hdev)
{
	if (!hdev->options || hdev->options->lockdown == LOCKDOWN_NONE)
		return 0;
	return security_locked_down(hdev->options->lockdown);
}

/* core.c */
int hugeuio_init(void);
void hugeuio_exit(void);
struct hugeuio_device *hugeuio_get(unsigned int minor);
void hugeuio_put(struct hugeuio_device *hdev);

/* inode.c */
int hugeuio_inode_init(void);
void hugeuio_inode_exit(void);
struct inode *hugeuio_inode_new(void);

/* file.c */
extern const struct file_operations hugeuio_fops;

/* mmap.c */
int hugeuio_mmap(struct file *file, struct vm_area_struct *vma);
unsigned long hugeuio_get_unmapped_area(struct file *file, unsigned long addr,
					unsigned long len, unsigned long pgoff,
					unsigned long flags);
void hugeuio_eager_forget(struct hugeuio_file *hf);
void hugeuio_eager_settle(struct list_head *eager);

/* sysfs.c */
extern const struct attribute_group *hugeuio_groups[];
int hugeuio_sysfs_add(struct hugeuio_device *hdev);
void hugeuio_sysfs_remove(struct hugeuio_device *hdev,
			  struct uio_info *info);

/* regions.c */
int hugeuio_regions_init(void);
void hugeuio_regions_show(void);
void hugeuio_regions_exit(void);

#endif
