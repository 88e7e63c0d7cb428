/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A UIO driver's own mmap(): struct uio_info has mmap until 7.1, mmap_prepare
 * since. And UIO_MEM_DMA_COHERENT, since 6.9, which brought fields with it.
 */
#ifndef HUGEPFN_COMPAT_UIO_MMAP_H
#define HUGEPFN_COMPAT_UIO_MMAP_H

#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/uio_driver.h>

static inline bool hugepfn_uio_has_mmap(const struct uio_info *info)
{
#ifdef HAVE_UIO_MMAP_PREPARE
	return info->mmap_prepare;
#else
	return info->mmap;
#endif
}

/**
 * hugepfn_uio_mmap - let the driver map
 * @info: one with hugepfn_uio_has_mmap()
 * @file: the file
 * @vma: the VMA
 *
 * Return: what the driver returned.
 */
static inline int hugepfn_uio_mmap(struct uio_info *info, struct file *file,
				   struct vm_area_struct *vma)
{
#ifdef HAVE_UIO_MMAP_PREPARE
	struct vm_area_desc desc;
	int ret;

	compat_set_desc_from_vma(&desc, file, vma);
	ret = info->mmap_prepare(info, &desc);
	return ret ?: __compat_vma_mmap(&desc, vma);
#else
	return info->mmap(info, vma);
#endif
}

/**
 * hugepfn_uio_is_coherent - was a map made by dma_alloc_coherent()?
 * @mem: the map
 *
 * Return: true if it was.
 */
static inline bool hugepfn_uio_is_coherent(const struct uio_mem *mem)
{
#ifdef UIO_MEM_DMA_COHERENT
	return mem->memtype == UIO_MEM_DMA_COHERENT;
#else
	return false;
#endif
}

/**
 * hugepfn_uio_mmap_coherent - map memory of dma_alloc_coherent()
 * @vma: the VMA, no longer than the map
 * @mem: one with hugepfn_uio_is_coherent()
 *
 * Return: 0, -ENODEV for a map that says not enough, or what
 * dma_mmap_coherent() gave.
 */
static inline int hugepfn_uio_mmap_coherent(struct vm_area_struct *vma,
					    const struct uio_mem *mem)
{
#ifdef UIO_MEM_DMA_COHERENT
	if (!PAGE_ALIGNED(mem->addr) || !PAGE_ALIGNED(mem->dma_addr) ||
	    !mem->dma_device)
		return -ENODEV;
	/* it counts pages of the allocation, not of the file */
	vma->vm_pgoff = 0;
	return dma_mmap_coherent(mem->dma_device, vma,
				 (void *)(uintptr_t)mem->addr, mem->dma_addr,
				 vma->vm_end - vma->vm_start);
#else
	return -EINVAL;
#endif
}

#endif
