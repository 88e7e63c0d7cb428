// SPDX-License-Identifier: GPL-2.0-only
/*
 * One inode for each device, of a file system nobody sees. Its address space
 * links the VMAs of all files of the device, whichever node they were opened
 * by, so that one call zaps them all. As drivers/gpu/drm/drm_drv.c and
 * drivers/vfio/vfio_main.c do.
 */
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>

#include "core.h"

#define HUGEUIO_FS_MAGIC 0x68756975	/* "huiu" */

static struct vfsmount *fs_mount;
static int fs_users;

static int fs_init_context(struct fs_context *fc)
{
	return init_pseudo(fc, HUGEUIO_FS_MAGIC) ? 0 : -ENOMEM;
}

/*
 * Without an owner, since the mount would keep the module from leaving. It goes
 * with the module, and no inode of it outlives the last file or device.
 */
static struct file_system_type fs_type = {
	.name = "hugeuio",
	.init_fs_context = fs_init_context,
	.kill_sb = kill_anon_super,
};

/**
 * hugeuio_inode_new - an inode for a device, given back by iput()
 *
 * Return: the inode, or an ERR_PTR().
 */
struct inode *hugeuio_inode_new(void)
{
	return alloc_anon_inode(fs_mount->mnt_sb);
}

/**
 * hugeuio_inode_init - before the first device
 *
 * Return: 0 or a negative errno.
 */
int hugeuio_inode_init(void)
{
	return simple_pin_fs(&fs_type, &fs_mount, &fs_users);
}

/**
 * hugeuio_inode_exit - after the last device is gone
 */
void hugeuio_inode_exit(void)
{
	simple_release_fs(&fs_mount, &fs_users);
}
