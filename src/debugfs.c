// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/hugepfn/reservations: which memory types are reserved, and
 * below each what is mapped under it, by whom. A convenience: where debugfs is
 * absent nothing else changes.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "debugfs.h"
#include "mm/map.h"

static struct dentry *dir;

static int reservations_show(struct seq_file *m, void *unused)
{
	hugepfn_track_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(reservations);

/**
 * hugepfn_debugfs_init - make the directory
 */
void hugepfn_debugfs_init(void)
{
	dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("reservations", 0400, dir, NULL,
			    &reservations_fops);
}

/**
 * hugepfn_debugfs_exit - take it away, and wait for its readers
 */
void hugepfn_debugfs_exit(void)
{
	debugfs_remove_recursive(dir);
}
