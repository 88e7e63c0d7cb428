/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Offsets with the top bit set: a flag of the file operations since 6.12, of
 * the open file before. Without it mmap() answers EOVERFLOW before we are
 * asked.
 */
#ifndef HUGEPFN_COMPAT_UNSIGNED_OFFSET_H
#define HUGEPFN_COMPAT_UNSIGNED_OFFSET_H

#include <linux/fs.h>

#ifdef HAVE_FOP_UNSIGNED_OFFSET
#define HUGEPFN_FOPS_UNSIGNED_OFFSET .fop_flags = FOP_UNSIGNED_OFFSET,
static inline void hugepfn_file_unsigned_offset(struct file *file)
{
}
#else
#define HUGEPFN_FOPS_UNSIGNED_OFFSET
static inline void hugepfn_file_unsigned_offset(struct file *file)
{
	file->f_mode |= FMODE_UNSIGNED_OFFSET;
}
#endif

#endif
