// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/mem's address space. When a driver claims a range the kernel zaps what
 * is mapped through it (revoke_iomem() in kernel/resource.c), so mappings
 * that are to be revoked must be linked there. iomem_get_mapping() is not
 * exported, but every open file of /dev/mem carries what it returns.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/major.h>
#include <linux/mutex.h>
#include <linux/printk.h>

#include "devmem.h"

#define DEVMEM_MINOR 1

static DEFINE_MUTEX(devmem_lock);
static struct inode *devmem_inode;	/* holds the address space */
static bool devmem_told;

/*
 * The path is looked up in the caller's mount namespace, so what is found
 * there is believed for its device number only. One file's address space is
 * everybody's, or the kernel does not revoke at all.
 */
static struct inode *devmem_find(void)
{
	struct inode *node, *inode = NULL;
	struct file *file;

	file = filp_open("/dev/mem", O_RDONLY, 0);
	if (IS_ERR(file))
		return NULL;
	node = file_inode(file);
	if (S_ISCHR(node->i_mode) &&
	    node->i_rdev == MKDEV(MEM_MAJOR, DEVMEM_MINOR) &&
	    file->f_mapping != node->i_mapping)
		inode = igrab(file->f_mapping->host);
	fput(file);
	return inode;
}

/**
 * hugepfn_devmem_mapping - the address space that claims are revoked through
 *
 * Looked up until it is found: the module may load before /dev is mounted.
 *
 * Context: sleeps; opens a file with the caller's credentials.
 * Return: the address space, which lives until hugepfn_devmem_exit(); NULL
 * where /dev/mem is absent or locked down, which is logged once.
 */
struct address_space *hugepfn_devmem_mapping(void)
{
	struct inode *inode;

	mutex_lock(&devmem_lock);
	if (!devmem_inode)
		devmem_inode = devmem_find();
	inode = devmem_inode;
	if (!inode && !devmem_told) {
		pr_notice("/dev/mem is absent or locked down: claimed ranges could not be revoked, so /dev/hugemem maps nothing\n");
		devmem_told = true;
	}
	mutex_unlock(&devmem_lock);
	return inode ? inode->i_mapping : NULL;
}

/**
 * hugepfn_devmem_exit - give the address space back
 */
void hugepfn_devmem_exit(void)
{
	iput(devmem_inode);
	devmem_inode = NULL;
}
