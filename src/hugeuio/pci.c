// SPDX-License-Identifier: GPL-2.0-only
/*
 * hugeuio_pci: any PCI device as a hugeuio node. Binds only when told to, by
 * driver_override or new_id.
 *
 * Nothing of the device is mapped in the kernel: a BAR that a driver maps
 * uncached can no longer be given out write-combining. But for the BAR that has
 * the table of MSI-X, which the PCI core maps where that is used.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hugepfn/hugeuio.h"

/* which interrupt a device gets */
enum {
	INTERRUPT_AUTO,
	INTERRUPT_MSIX,
	INTERRUPT_MSI,
	INTERRUPT_INTX,
	INTERRUPT_NONE,
};

static const char * const interrupt_names[] = {
	[INTERRUPT_AUTO] = "auto",
	[INTERRUPT_MSIX] = "msix",
	[INTERRUPT_MSI] = "msi",
	[INTERRUPT_INTX] = "intx",
	[INTERRUPT_NONE] = "none",
};

static int interrupts = INTERRUPT_AUTO;

static int interrupts_set(const char *val, const struct kernel_param *kp)
{
	int kind = sysfs_match_string(interrupt_names, val);

	if (kind < 0) {
		pr_err("interrupts='%s': use auto, msix, msi, intx or none\n",
		       val);
		return kind;
	}
	WRITE_ONCE(interrupts, kind);
	return 0;
}

static int interrupts_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n",
			  interrupt_names[READ_ONCE(interrupts)]);
}

static const struct kernel_param_ops interrupts_ops = {
	.set = interrupts_set,
	.get = interrupts_get,
};
module_param_cb(interrupts, &interrupts_ops, NULL, 0644);
MODULE_PARM_DESC(interrupts,
		 "auto (the first there is of msix, msi, intx), msix, msi, intx or none; read when a device is bound");

/* why the device's memory is out of reach */
enum {
	BLOCKED_RESET,
	BLOCKED_SUSPEND,
	BLOCKED_ERROR,
};

/**
 * struct hugeuio_pci - a bound device
 * @info: what user space sees
 * @options: the device's memory may be out of reach
 * @pdev: the device
 * @irq_type: PCI_IRQ_MSIX, PCI_IRQ_MSI, or 0 for INTx or none
 * @irq_masked: user space masked the interrupt; info_lock
 * @opened: how many files are open; info_lock
 * @used: a file was open since the device was last reset; info_lock
 * @master_lock: taken inside info_lock, and where that may not be taken
 * @master: the device may be bus master; master_lock
 * @blocked: BLOCKED_ bits
 * @fresh: the device's config space as it was bound
 * @names: the BARs'
 */
struct hugeuio_pci {
	struct uio_info info;
	struct hugeuio_options options;
	struct pci_dev *pdev;
	unsigned int irq_type;
	bool irq_masked;
	unsigned int opened;
	bool used;
	struct mutex master_lock;
	bool master;
	unsigned long blocked;
	struct pci_saved_state *fresh;
	char names[PCI_STD_NUM_BARS][8];
};

static struct hugeuio_pci *to_hugeuio_pci(struct uio_info *info)
{
	return container_of(info, struct hugeuio_pci, info);
}

/* PCI_UNKNOWN is how the core leaves a device without power states, 6.1 */
static bool is_asleep(const struct pci_dev *pdev)
{
	const pci_power_t state = pdev->current_state;

	return state == PCI_D1 || state == PCI_D2 || state == PCI_D3hot ||
	       state == PCI_D3cold;
}

/*
 * User space may switch memory decoding off through config space, which no
 * driver is told of, so the device itself is asked. An access to a BAR that
 * does not decode is a bus error on some machines. A virtual function has no
 * such bit: the switch is its physical function's.
 */
static bool may_access(struct uio_info *info)
{
	struct hugeuio_pci *hp = to_hugeuio_pci(info);
	u16 command;

	if (READ_ONCE(hp->blocked) || pci_channel_offline(hp->pdev) ||
	    is_asleep(hp->pdev))
		return false;
	pci_read_config_word(hp->pdev, PCI_COMMAND, &command);
	return !PCI_POSSIBLE_ERROR(command) &&
	       (command & PCI_COMMAND_MEMORY || hp->pdev->no_command_memory);
}

static void block(struct hugeuio_pci *hp, unsigned int why)
{
	set_bit(why, &hp->blocked);
	hugeuio_zap_maps(&hp->info);
}

static void unblock(struct hugeuio_pci *hp, unsigned int why)
{
	clear_bit(why, &hp->blocked);
}

/*
 * INTx may be shared: ask the device, and mask it there until user space acts.
 * One that is masked already has not raised this, whatever its status says.
 */
static irqreturn_t intx_handler(int irq, struct uio_info *info)
{
	struct pci_dev *pdev = to_hugeuio_pci(info)->pdev;
	u16 command;

	pci_read_config_word(pdev, PCI_COMMAND, &command);
	if (command & PCI_COMMAND_INTX_DISABLE)
		return IRQ_NONE;
	return pci_check_and_mask_intx(pdev) ? IRQ_HANDLED : IRQ_NONE;
}

static irqreturn_t msi_handler(int irq, struct uio_info *info)
{
	return IRQ_HANDLED;
}

/* what comes while an MSI is masked is delivered, once, when it is no more */
static void msi_control(struct hugeuio_pci *hp, bool on)
{
	if (on == !hp->irq_masked)
		return;
	if (on)
		enable_irq(hp->info.irq);
	else
		disable_irq(hp->info.irq);
}

/* not while the device is being reset: the core puts back what it saved */
static int irqcontrol(struct uio_info *info, s32 on)
{
	struct hugeuio_pci *hp = to_hugeuio_pci(info);

	if (on != 0 && on != 1)
		return -EINVAL;
	pci_cfg_access_lock(hp->pdev);
	if (hp->irq_type)
		msi_control(hp, on);
	else
		pci_intx(hp->pdev, on);
	WRITE_ONCE(hp->irq_masked, !on);
	pci_cfg_access_unlock(hp->pdev);
	return 0;
}

/* not while the device is being reset, either */
static void set_master(struct hugeuio_pci *hp, bool on)
{
	pci_cfg_access_lock(hp->pdev);
	mutex_lock(&hp->master_lock);
	hp->master = on;
	if (on)
		pci_set_master(hp->pdev);
	else
		pci_clear_master(hp->pdev);
	mutex_unlock(&hp->master_lock);
	pci_cfg_access_unlock(hp->pdev);
}

/*
 * The device's lock, which a reset needs, is held by whoever unbinds it, and
 * that waits for info_lock: so it is only tried, and tried again before the
 * next one gets the device, or by remove(). One that is gone or frozen would
 * keep everybody waiting.
 */
static void try_reset(struct hugeuio_pci *hp)
{
	if (!pci_channel_offline(hp->pdev) &&
	    !pci_try_reset_function(hp->pdev))
		hp->used = false;
}

static int open(struct uio_info *info, struct inode *inode)
{
	struct hugeuio_pci *hp = to_hugeuio_pci(info);

	if (hp->opened++)
		return 0;
	if (hp->used)
		try_reset(hp);
	hp->used = true;
	set_master(hp, true);
	if (info->irq)
		irqcontrol(info, 1);
	return 0;
}

/*
 * A device that nobody holds any more does no DMA and, if it can be reset,
 * keeps no state of who had it.
 */
static int release(struct uio_info *info, struct inode *inode)
{
	struct hugeuio_pci *hp = to_hugeuio_pci(info);

	if (--hp->opened)
		return 0;
	set_master(hp, false);
	try_reset(hp);
	return 0;
}

static int use_vectors(struct hugeuio_pci *hp, unsigned int type)
{
	int ret = pci_alloc_irq_vectors(hp->pdev, 1, 1, type);

	if (ret < 0)
		return ret;
	hp->irq_type = type;
	hp->info.irq = pci_irq_vector(hp->pdev, 0);
	hp->info.handler = msi_handler;
	return 0;
}

static bool has_intx(const struct pci_dev *pdev)
{
	return pdev->pin && pdev->irq && pdev->irq != IRQ_NOTCONNECTED;
}

static int use_intx(struct hugeuio_pci *hp)
{
	if (!has_intx(hp->pdev) || !pci_intx_mask_supported(hp->pdev))
		return -ENODEV;
	hp->info.irq = hp->pdev->irq;
	hp->info.irq_flags = IRQF_SHARED;
	hp->info.handler = intx_handler;
	return 0;
}

static int use_interrupt(struct hugeuio_pci *hp)
{
	const int kind = READ_ONCE(interrupts);
	int ret = 0;

	switch (kind) {
	case INTERRUPT_AUTO:
		if (!use_vectors(hp, PCI_IRQ_MSIX) ||
		    !use_vectors(hp, PCI_IRQ_MSI) || !use_intx(hp))
			break;
		return 0;	/* a device without interrupts */
	case INTERRUPT_MSIX:
		ret = use_vectors(hp, PCI_IRQ_MSIX);
		break;
	case INTERRUPT_MSI:
		ret = use_vectors(hp, PCI_IRQ_MSI);
		break;
	case INTERRUPT_INTX:
		ret = use_intx(hp);
		break;
	case INTERRUPT_NONE:
		return 0;
	}
	if (ret)
		pci_err(hp->pdev, "the device has no %s interrupt: %pe\n",
			interrupt_names[kind], ERR_PTR(ret));
	else
		hp->info.irqcontrol = irqcontrol;
	return ret;
}

/*
 * INTx that nobody handles would have its line shut down, for all who share it,
 * as soon as user space makes the device raise it.
 */
static int mask_unused_intx(struct hugeuio_pci *hp)
{
	if (hp->info.irq || !has_intx(hp->pdev))
		return 0;
	if (!pci_intx_mask_supported(hp->pdev)) {
		pci_err(hp->pdev, "its INTx can be neither used nor masked\n");
		return -ENODEV;
	}
	pci_intx(hp->pdev, 0);
	return 0;
}

static void free_interrupt(struct hugeuio_pci *hp)
{
	if (hp->irq_type)
		pci_free_irq_vectors(hp->pdev);
	if (has_intx(hp->pdev))
		pci_intx(hp->pdev, 0);
}

static void add_mem(struct uio_mem *mem, const struct resource *r,
		    const char *name)
{
	mem->name = name;
	mem->memtype = UIO_MEM_PHYS;
	mem->addr = r->start & PAGE_MASK;
	mem->offs = r->start & ~PAGE_MASK;
	mem->size = PAGE_ALIGN(mem->offs + resource_size(r));
}

static void add_port(struct uio_port *port, const struct resource *r,
		     const char *name)
{
	port->name = name;
	port->porttype = UIO_PORT_X86;
	port->start = r->start;
	port->size = resource_size(r);
}

/* uio_info has room for five of each; a sixth BAR of a kind is left out */
static void add_bars(struct hugeuio_pci *hp)
{
	unsigned int i, mems = 0, ports = 0;

	for (i = 0; i < PCI_STD_NUM_BARS; i++) {
		const struct resource *r = &hp->pdev->resource[i];
		const bool mem = r->flags & IORESOURCE_MEM;

		if (!resource_size(r) || !r->start ||
		    (r->flags & (IORESOURCE_UNSET | IORESOURCE_DISABLED)))
			continue;
		snprintf(hp->names[i], sizeof(hp->names[i]), "BAR%u", i);
		if (mem && mems < MAX_UIO_MAPS)
			add_mem(&hp->info.mem[mems++], r, hp->names[i]);
		else if (!mem && ports < MAX_UIO_PORT_REGIONS)
			add_port(&hp->info.port[ports++], r, hp->names[i]);
		else
			pci_warn(hp->pdev, "no room for %s\n", hp->names[i]);
	}
}

static int probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct hugeuio_pci *hp;
	int ret;

	hp = kzalloc(sizeof(*hp), GFP_KERNEL);
	if (!hp)
		return -ENOMEM;
	hp->pdev = pdev;
	mutex_init(&hp->master_lock);
	hp->info.name = KBUILD_MODNAME;
	hp->info.version = HUGEPFN_VERSION;
	hp->info.open = open;
	hp->info.release = release;
	hp->options.may_access = may_access;
	hp->options.lockdown = LOCKDOWN_PCI_ACCESS;

	ret = pci_enable_device(pdev);
	if (ret)
		goto free_hp;
	pci_clear_master(pdev);
	/* claims the BARs: /dev/mem's and /dev/hugemem's maps of them go */
	ret = pci_request_regions(pdev, KBUILD_MODNAME);
	if (ret)
		goto disable;
	add_bars(hp);
	ret = use_interrupt(hp) ?: mask_unused_intx(hp);
	if (ret)
		goto release_regions;
	ret = -ENOMEM;
	pci_save_state(pdev);
	hp->fresh = pci_store_saved_state(pdev);
	if (!hp->fresh)
		goto free_irq;
	pci_set_drvdata(pdev, hp);
	ret = hugeuio_register_device_options(&pdev->dev, &hp->info,
					      &hp->options);
	if (ret)
		goto free_fresh;
	return 0;

free_fresh:
	pci_set_drvdata(pdev, NULL);
	kfree(hp->fresh);
free_irq:
	free_interrupt(hp);
release_regions:
	pci_release_regions(pdev);
disable:
	pci_disable_device(pdev);
free_hp:
	kfree(hp);
	return ret;
}

/* as it was bound: the reset itself leaves the BARs empty */
static void reset_and_restore(struct hugeuio_pci *hp)
{
	struct pci_dev *pdev = hp->pdev;

	pci_cfg_access_lock(pdev);
	if (!__pci_reset_function_locked(pdev)) {
		pci_load_saved_state(pdev, hp->fresh);
		pci_restore_state(pdev);
	}
	pci_cfg_access_unlock(pdev);
}

/* the device's lock is held, as __pci_reset_function_locked() wants it */
static void remove(struct pci_dev *pdev)
{
	struct hugeuio_pci *hp = pci_get_drvdata(pdev);

	hugeuio_unregister_device(&hp->info);
	pci_set_drvdata(pdev, NULL);
	free_interrupt(hp);
	pci_clear_master(pdev);
	if (hp->used && !pci_channel_offline(pdev))
		reset_and_restore(hp);
	pci_release_regions(pdev);
	pci_disable_device(pdev);
	kfree(hp->fresh);
	kfree(hp);
}

/* a reset of another's making, through sysfs or a neighbour */
static void reset_prepare(struct pci_dev *pdev)
{
	struct hugeuio_pci *hp = pci_get_drvdata(pdev);

	if (hp)
		block(hp, BLOCKED_RESET);
}

static void reset_done(struct pci_dev *pdev)
{
	struct hugeuio_pci *hp = pci_get_drvdata(pdev);

	if (hp)
		unblock(hp, BLOCKED_RESET);
}

/* even one that is not fatal may end in a reset, if a neighbour wants it */
static pci_ers_result_t error_detected(struct pci_dev *pdev,
				       pci_channel_state_t state)
{
	block(pci_get_drvdata(pdev), BLOCKED_ERROR);
	switch (state) {
	case pci_channel_io_normal:
		return PCI_ERS_RESULT_CAN_RECOVER;
	case pci_channel_io_perm_failure:
		return PCI_ERS_RESULT_DISCONNECT;
	default:
		return PCI_ERS_RESULT_NEED_RESET;
	}
}

/*
 * The port has reset the device. What the core saved last is not to be relied
 * on: every other reset has used it up (6.1), or saved what user space made of
 * config space. Bus mastering is as open() and release() left it; not asked of
 * @opened, since pci_bus_sem is held here, and release() takes it to reset the
 * device, with info_lock held.
 */
static pci_ers_result_t slot_reset(struct pci_dev *pdev)
{
	struct hugeuio_pci *hp = pci_get_drvdata(pdev);

	mutex_lock(&hp->master_lock);
	pci_load_saved_state(pdev, hp->fresh);
	pci_restore_state(pdev);
	if (hp->master)
		pci_set_master(pdev);
	if (has_intx(pdev) && !hp->irq_type && READ_ONCE(hp->irq_masked))
		pci_intx(pdev, 0);
	mutex_unlock(&hp->master_lock);
	return PCI_ERS_RESULT_RECOVERED;
}

static void error_resume(struct pci_dev *pdev)
{
	unblock(pci_get_drvdata(pdev), BLOCKED_ERROR);
}

static const struct pci_error_handlers err_handlers = {
	.error_detected = error_detected,
	.slot_reset = slot_reset,
	.resume = error_resume,
	.reset_prepare = reset_prepare,
	.reset_done = reset_done,
};

/* the PCI core saves and restores the device; here its memory is taken away */
static int suspend(struct device *dev)
{
	block(dev_get_drvdata(dev), BLOCKED_SUSPEND);
	return 0;
}

static int resume(struct device *dev)
{
	unblock(dev_get_drvdata(dev), BLOCKED_SUSPEND);
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(pm_ops, suspend, resume);

static struct pci_driver hugeuio_pci_driver = {
	.name = KBUILD_MODNAME,
	.probe = probe,
	.remove = remove,
	.err_handler = &err_handlers,
	.driver.pm = pm_sleep_ptr(&pm_ops),
};
module_pci_driver(hugeuio_pci_driver);

MODULE_DESCRIPTION("Any PCI device as a hugeuio node");
MODULE_VERSION(HUGEPFN_VERSION);
MODULE_LICENSE("GPL");
