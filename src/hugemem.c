// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/hugemem: a /dev/mem for device memory. The offset is the physical
 * address; there is mmap() and, before it, ioctl() to say how. Errors are
 * /dev/mem's.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/slab.h>

#include "client.h"
#include "compat/memtype.h"
#include "compat/unsigned_offset.h"
#include "compat/vm_flags.h"
#include "devmem.h"
#include "hugemem.h"
#include "mm/map.h"
#include "policy.h"

/* an open file; what drivers claim of its maps can be revoked, or not */
struct hugemem_file {
	struct hugepfn_client client;
	bool revocable;
};

static bool hugemem_may_map(struct hugepfn_map *map, unsigned long pfn,
			    struct hugepfn_extent *around)
{
	return hugepfn_policy_may_map(pfn, around);
}

static const struct hugepfn_map_ops hugemem_map_ops = {
	.may_map = hugemem_may_map,
	.still_may = hugepfn_policy_unclaimed,
};

/* follows open_port() of drivers/char/mem.c */
static int hugemem_open(struct inode *inode, struct file *file)
{
	struct address_space *mapping;
	struct hugemem_file *hf;
	int ret;

	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	ret = security_locked_down(LOCKDOWN_DEV_MEM);
	if (ret)
		return ret;

	hf = kzalloc(sizeof(*hf), GFP_KERNEL);
	if (!hf)
		return -ENOMEM;

	hf->client.name = "hugemem";
	mapping = hugepfn_devmem_mapping();
	if (mapping)
		file->f_mapping = mapping;
	hf->revocable = mapping;
	file->private_data = hf;
	hugepfn_file_unsigned_offset(file);
	return 0;
}

static int hugemem_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static long hugemem_ioctl(struct file *file, unsigned int cmd,
			  unsigned long arg)
{
	struct hugemem_file *hf = file->private_data;

	return hugepfn_client_ioctl(&hf->client, file, cmd,
				    (void __user *)arg);
}

static void hugemem_show_fdinfo(struct seq_file *m, struct file *file)
{
	const struct hugemem_file *hf = file->private_data;

	hugepfn_client_show(&hf->client, m);
}

/*
 * Lockdown may have come up since the file was opened. Code is not run from
 * device memory: /dev is mounted noexec nearly everywhere, and the answer
 * does not depend on it here.
 */
static int hugemem_check(struct file *file, struct vm_area_struct *vma)
{
	const struct hugemem_file *hf = file->private_data;
	int ret;

	ret = security_locked_down(LOCKDOWN_DEV_MEM);
	if (ret)
		return ret;
	if (!hf->revocable)
		return -EPERM;
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	return hugepfn_policy_range(vma->vm_pgoff, vma_pages(vma));
}

/*
 * A claim between the check and the return from here misses the VMA, which is
 * linked into the address space only after that. A fault asks again, so a
 * shared mapping cannot profit. A private one is populated already: it keeps
 * its entries, as one of /dev/mem does in the same race.
 */
static int hugemem_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct hugemem_file *hf = file->private_data;
	pgprot_t prot;
	int ret;

	ret = hugemem_check(file, vma);
	if (ret)
		return ret;

	prot = hugepfn_memtype_prot(vma->vm_page_prot,
				    READ_ONCE(hf->client.attr.cache),
				    file->f_flags & O_DSYNC);
	vm_flags_clear(vma, VM_MAYEXEC);
	return hugepfn_map_vma(vma, vma->vm_pgoff, vma_pages(vma), prot,
			       &hf->client, &hugemem_map_ops, NULL);
}

static const struct file_operations hugemem_fops = {
	.owner = THIS_MODULE,
	.open = hugemem_open,
	.release = hugemem_release,
	.unlocked_ioctl = hugemem_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.show_fdinfo = hugemem_show_fdinfo,
	.mmap = hugemem_mmap,
	.get_unmapped_area = hugepfn_get_unmapped_area,
	HUGEPFN_FOPS_UNSIGNED_OFFSET
};

static struct miscdevice hugemem = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "hugemem",
	.mode = 0600,
	.fops = &hugemem_fops,
};

/**
 * hugepfn_hugemem_init - make /dev/hugemem
 *
 * Return: 0 or a negative errno.
 */
int hugepfn_hugemem_init(void)
{
	hugepfn_devmem_mapping();
	return misc_register(&hugemem);
}

/**
 * hugepfn_hugemem_exit - take /dev/hugemem away; no file of it is open
 */
void hugepfn_hugemem_exit(void)
{
	misc_deregister(&hugemem);
	hugepfn_devmem_exit();
}
