// SPDX-License-Identifier: GPL-2.0-only
/*
 * An ordinary UIO driver for a device that is not there: logical and virtual
 * memory, a physical range if one is given, coherent memory where UIO has it,
 * and an event that writing to the parameter `raise` brings about.
 *
 * Built twice: as uio_example with uio_register_device(), and as
 * hugeuio_example, where what is in the first #ifdef is all that changes.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#ifdef HUGEUIO
#include <hugepfn/hugeuio.h>
#define example_register(parent, info) hugeuio_register_device(parent, info)
#define example_unregister(info) hugeuio_unregister_device(info)
#define example_notify(info) hugeuio_event_notify(info)
#else
#include <linux/uio_driver.h>
#define example_register(parent, info) uio_register_device(parent, info)
#define example_unregister(info) uio_unregister_device(info)
#define example_notify(info) uio_event_notify(info)
#endif

#define LOGICAL_SIZE (2 * PAGE_SIZE)
#define VIRTUAL_SIZE (4 * PAGE_SIZE)
#define COHERENT_SIZE (2 * PAGE_SIZE)

static ulong phys;
module_param(phys, ulong, 0444);
MODULE_PARM_DESC(phys, "first byte of a physical range for another map");

static ulong phys_len;
module_param(phys_len, ulong, 0444);
MODULE_PARM_DESC(phys_len, "its length in bytes; 0 for none");

static uint devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "how many devices there are, 1 or 2");

static bool own_mmap;
module_param(own_mmap, bool, 0444);
MODULE_PARM_DESC(own_mmap,
		 "map through a function of the driver's own, which has but the logical map");

static int irq_on = -1;
module_param(irq_on, int, 0444);
MODULE_PARM_DESC(irq_on, "what was last written to a node (read only)");

static int opened;
module_param(opened, int, 0444);
MODULE_PARM_DESC(opened, "how many files are open (read only)");

static struct example {
	struct platform_device *pdev;
	struct uio_info info;
	void *logical, *virtual, *coherent;
	dma_addr_t dma;
} examples[2];

static int raise(const char *val, const struct kernel_param *kp)
{
	unsigned int i;
	int ret = kstrtouint(val, 0, &i);

	if (ret || i >= devices)
		return -EINVAL;
	example_notify(&examples[i].info);
	return 0;
}

static const struct kernel_param_ops raise_ops = { .set = raise };
module_param_cb(raise, &raise_ops, NULL, 0200);
MODULE_PARM_DESC(raise, "write a device's number here to raise its event");

static void example_remove(struct example *e);

static int remove(const char *val, const struct kernel_param *kp)
{
	unsigned int i;
	int ret = kstrtouint(val, 0, &i);

	if (ret || i >= devices)
		return -EINVAL;
	example_remove(&examples[i]);
	return 0;
}

static const struct kernel_param_ops remove_ops = { .set = remove };
module_param_cb(remove, &remove_ops, NULL, 0200);
MODULE_PARM_DESC(remove, "write a device's number here to take it away");

static int example_add(struct example *e, int id);

static int add(const char *val, const struct kernel_param *kp)
{
	unsigned int i;
	int ret = kstrtouint(val, 0, &i);

	if (ret || i >= devices)
		return -EINVAL;
	return examples[i].pdev ? -EBUSY : example_add(&examples[i], i);
}

static const struct kernel_param_ops add_ops = { .set = add };
module_param_cb(add, &add_ops, NULL, 0200);
MODULE_PARM_DESC(add, "write the number of one that was removed to have it again");

static int open(struct uio_info *info, struct inode *inode)
{
	opened++;
	return 0;
}

static int release(struct uio_info *info, struct inode *inode)
{
	opened--;
	return 0;
}

static int irqcontrol(struct uio_info *info, s32 on)
{
	irq_on = on;
	return 0;
}

static struct example *to_example(struct uio_info *info)
{
	return container_of(info, struct example, info);
}

#ifdef HAVE_UIO_MMAP_PREPARE
static int map_logical(struct uio_info *info, struct vm_area_desc *desc)
{
	if (desc->pgoff)
		return -ENXIO;
	mmap_action_remap_full(desc,
			PHYS_PFN(virt_to_phys(to_example(info)->logical)));
	return 0;
}
#else
static int map_logical(struct uio_info *info, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff || vma->vm_private_data != info->uio_dev)
		return -ENXIO;
	return remap_pfn_range(vma, vma->vm_start,
			       PHYS_PFN(virt_to_phys(to_example(info)->logical)),
			       vma->vm_end - vma->vm_start, vma->vm_page_prot);
}
#endif

/* each page begins with its number in the map, and the map's name */
static void stamp(void *memory, size_t size, char name)
{
	size_t at;

	for (at = 0; at < size; at += PAGE_SIZE) {
		u64 *page = memory + at;

		page[0] = at / PAGE_SIZE;
		page[1] = name;
	}
}

static void add_map(struct example *e, const char *name, int memtype,
		    phys_addr_t addr, size_t size)
{
	struct uio_mem *mem = e->info.mem;

	while (mem->size)
		mem++;
	mem->name = name;
	mem->memtype = memtype;
	mem->addr = addr;
	mem->size = size;
#ifdef UIO_MEM_DMA_COHERENT
	if (memtype == UIO_MEM_DMA_COHERENT) {
		mem->dma_addr = e->dma;
		mem->dma_device = &e->pdev->dev;
	}
#endif
}

static int example_add(struct example *e, int id)
{
	int ret;

	memset(e, 0, sizeof(*e));
	e->pdev = platform_device_register_simple(KBUILD_MODNAME, id, NULL, 0);
	if (IS_ERR(e->pdev)) {
		ret = PTR_ERR(e->pdev);
		e->pdev = NULL;
		return ret;
	}
	ret = dma_coerce_mask_and_coherent(&e->pdev->dev, DMA_BIT_MASK(32));
	if (ret)
		goto unregister_pdev;

	ret = -ENOMEM;
	e->logical = alloc_pages_exact(LOGICAL_SIZE, GFP_KERNEL | __GFP_ZERO);
	if (!e->logical)
		goto unregister_pdev;
	e->virtual = vzalloc(VIRTUAL_SIZE);
	if (!e->virtual)
		goto free_logical;
	e->coherent = dma_alloc_coherent(&e->pdev->dev, COHERENT_SIZE, &e->dma,
					 GFP_KERNEL);
	if (!e->coherent)
		goto free_virtual;

	stamp(e->logical, LOGICAL_SIZE, 'l');
	stamp(e->virtual, VIRTUAL_SIZE, 'v');
	stamp(e->coherent, COHERENT_SIZE, 'c');
	add_map(e, "logical", UIO_MEM_LOGICAL, (uintptr_t)e->logical,
		LOGICAL_SIZE);
	add_map(e, "virtual", UIO_MEM_VIRTUAL, (uintptr_t)e->virtual,
		VIRTUAL_SIZE);
#ifdef UIO_MEM_DMA_COHERENT
	add_map(e, "coherent", UIO_MEM_DMA_COHERENT, (uintptr_t)e->coherent,
		COHERENT_SIZE);
#endif
	if (phys_len)
		add_map(e, "phys", UIO_MEM_PHYS, phys, phys_len);

	e->info.name = "example";
	e->info.version = "1.0";
	e->info.irq = UIO_IRQ_CUSTOM;
	e->info.open = open;
	e->info.release = release;
	e->info.irqcontrol = irqcontrol;
	if (own_mmap)
#ifdef HAVE_UIO_MMAP_PREPARE
		e->info.mmap_prepare = map_logical;
#else
		e->info.mmap = map_logical;
#endif
	ret = example_register(&e->pdev->dev, &e->info);
	if (ret)
		goto free_coherent;
	return 0;

free_coherent:
	dma_free_coherent(&e->pdev->dev, COHERENT_SIZE, e->coherent, e->dma);
free_virtual:
	vfree(e->virtual);
free_logical:
	free_pages_exact(e->logical, LOGICAL_SIZE);
unregister_pdev:
	platform_device_unregister(e->pdev);
	e->pdev = NULL;
	return ret;
}

static void example_remove(struct example *e)
{
	if (!e->pdev)
		return;
	example_unregister(&e->info);
	dma_free_coherent(&e->pdev->dev, COHERENT_SIZE, e->coherent, e->dma);
	vfree(e->virtual);
	free_pages_exact(e->logical, LOGICAL_SIZE);
	platform_device_unregister(e->pdev);
	e->pdev = NULL;
}

static int __init example_init(void)
{
	unsigned int i;
	int ret = 0;

	if (!devices || devices > ARRAY_SIZE(examples))
		return -EINVAL;
	for (i = 0; i < devices; i++) {
		ret = example_add(&examples[i], i);
		if (ret)
			break;
	}
	while (ret && i--)
		example_remove(&examples[i]);
	return ret;
}

static void __exit example_exit(void)
{
	unsigned int i;

	for (i = 0; i < devices; i++)
		example_remove(&examples[i]);
}

module_init(example_init);
module_exit(example_exit);

MODULE_DESCRIPTION("hugepfn test helper: a UIO driver without a device");
MODULE_LICENSE("GPL");
