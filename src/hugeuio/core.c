// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices: minors, the class, and what happens when a driver comes and goes.
 *
 * A device outlives its driver: it stays until the last file is closed, with
 * info at NULL, and its number stays taken as long. Unlike uio_open() the
 * look-up of a device and the references to it and to its driver's module are
 * taken under one lock, which the driver's leaving takes too, so that neither
 * can be gone in between.
 */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../mm/map.h"
#include "core.h"

#define HUGEUIO_MINORS (1U << MINORBITS)

/* protects minors: NULL for one that is taken and not to be opened */
static DEFINE_MUTEX(minors_lock);
static DEFINE_IDR(minors);

static dev_t first_devt;
static struct cdev *hugeuio_cdev;

static struct class hugeuio_class = {
	.name = "hugeuio",
	.dev_groups = hugeuio_groups,
};

/* @info: a registered one */
static struct hugeuio_device *device_of(const struct uio_info *info)
{
	return container_of(info->uio_dev, struct hugeuio_device, uio);
}

static int minor_get(struct hugeuio_device *hdev)
{
	int minor;

	mutex_lock(&minors_lock);
	minor = idr_alloc(&minors, NULL, 0, HUGEUIO_MINORS, GFP_KERNEL);
	mutex_unlock(&minors_lock);
	if (minor >= 0)
		hdev->uio.minor = minor;
	return min(minor, 0);
}

/* from here on the device can be opened; with NULL, no more */
static void minor_set(unsigned int minor, struct hugeuio_device *hdev)
{
	mutex_lock(&minors_lock);
	idr_replace(&minors, hdev, minor);
	mutex_unlock(&minors_lock);
}

static void minor_put(struct hugeuio_device *hdev)
{
	mutex_lock(&minors_lock);
	idr_remove(&minors, hdev->uio.minor);
	mutex_unlock(&minors_lock);
}

/**
 * hugeuio_get - a device, and its driver's module, by number
 * @minor: the number
 *
 * Return: the device, for hugeuio_put(); NULL if there is none.
 */
struct hugeuio_device *hugeuio_get(unsigned int minor)
{
	struct hugeuio_device *hdev;

	mutex_lock(&minors_lock);
	hdev = idr_find(&minors, minor);
	if (hdev && try_module_get(hdev->uio.owner))
		get_device(&hdev->uio.dev);
	else
		hdev = NULL;
	mutex_unlock(&minors_lock);
	return hdev;
}

/**
 * hugeuio_put - give up what hugeuio_get() took
 * @hdev: the device
 */
void hugeuio_put(struct hugeuio_device *hdev)
{
	module_put(hdev->uio.owner);
	put_device(&hdev->uio.dev);
}

static void device_free(struct device *dev)
{
	struct hugeuio_device *hdev =
		container_of(dev, struct hugeuio_device, uio.dev);

	minor_put(hdev);
	iput(hdev->inode);
	kfree(hdev);
}

static struct hugeuio_device *device_new(struct module *owner,
					 struct device *parent,
					 struct uio_info *info,
					 const struct hugeuio_options *options)
{
	struct hugeuio_device *hdev;
	unsigned int i;
	int ret;

	hdev = kzalloc(sizeof(*hdev), GFP_KERNEL);
	if (!hdev)
		return ERR_PTR(-ENOMEM);

	hdev->inode = hugeuio_inode_new();
	if (IS_ERR(hdev->inode)) {
		ret = PTR_ERR(hdev->inode);
		goto free_hdev;
	}
	ret = minor_get(hdev);
	if (ret)
		goto put_inode;

	hdev->options = options;
	INIT_LIST_HEAD(&hdev->eager);
	for (i = 0; i < MAX_UIO_MAPS; i++)
		hdev->map_ref[i].hdev = hdev;
	hdev->uio.owner = owner;
	hdev->uio.info = info;
	mutex_init(&hdev->uio.info_lock);
	init_rwsem(&hdev->fault_lock);
	init_waitqueue_head(&hdev->uio.wait);

	device_initialize(&hdev->uio.dev);
	hdev->uio.dev.devt = MKDEV(MAJOR(first_devt), hdev->uio.minor);
	hdev->uio.dev.class = &hugeuio_class;
	hdev->uio.dev.parent = parent;
	hdev->uio.dev.release = device_free;
	dev_set_drvdata(&hdev->uio.dev, hdev);
	return hdev;

put_inode:
	iput(hdev->inode);
free_hdev:
	kfree(hdev);
	return ERR_PTR(ret);
}

static irqreturn_t irq_handler(int irq, void *data)
{
	struct hugeuio_device *hdev = data;
	irqreturn_t ret = hdev->uio.info->handler(irq, hdev->uio.info);

	return ret == IRQ_HANDLED ? IRQ_WAKE_THREAD : ret;
}

static irqreturn_t irq_thread(int irq, void *data)
{
	struct hugeuio_device *hdev = data;

	hugeuio_event_notify(hdev->uio.info);
	return IRQ_HANDLED;
}

static bool irq_is_ours(const struct uio_info *info)
{
	return info->irq && info->irq != UIO_IRQ_CUSTOM;
}

static int irq_get(struct hugeuio_device *hdev)
{
	struct uio_info *info = hdev->uio.info;
	int ret;

	if (!irq_is_ours(info))
		return 0;
	ret = request_threaded_irq(info->irq, irq_handler, irq_thread,
				   info->irq_flags, info->name, hdev);
	hdev->has_irq = !ret;
	return ret;
}

/* what processes have mapped, and what faults under way are about to map */
static void zap_maps(struct hugeuio_device *hdev)
{
	/* faults that began before the rules changed */
	down_write(&hdev->fault_lock);
	up_write(&hdev->fault_lock);
	hugepfn_zap_mapping(hdev->inode->i_mapping);
}

/*
 * The driver leaves: its data is out of reach when this returns, and nothing
 * of the device is mapped. See mmap.c for the mappings that were filled at
 * mmap() and may not be linked yet. The interrupt goes under info_lock, or
 * irqcontrol() could be asked to enable one that is gone.
 */
static void device_retire(struct hugeuio_device *hdev)
{
	struct uio_info *info = hdev->uio.info;
	LIST_HEAD(eager);

	mutex_lock(&hdev->uio.info_lock);
	if (hdev->has_irq)
		free_irq(info->irq, hdev);
	WRITE_ONCE(hdev->uio.info, NULL);
	list_splice_init(&hdev->eager, &eager);
	mutex_unlock(&hdev->uio.info_lock);

	wake_up_interruptible(&hdev->uio.wait);
	kill_fasync(&hdev->uio.async_queue, SIGIO, POLL_HUP);
	hugeuio_eager_settle(&eager);
	zap_maps(hdev);
	/* a fault that finds the driver gone may look at its reservation first */
	down_write(&hdev->fault_lock);
	hugepfn_untrack_owner(hdev);
	up_write(&hdev->fault_lock);
	hdev->options = NULL;
}

/**
 * __hugeuio_register_device - use hugeuio_register_device()
 * @owner: the driver's module
 * @parent: the device it stands for
 * @info: what it offers
 * @options: more about it, or NULL
 *
 * Return: 0 or a negative errno.
 */
int __hugeuio_register_device(struct module *owner, struct device *parent,
			      struct uio_info *info,
			      const struct hugeuio_options *options)
{
	struct hugeuio_device *hdev;
	int ret;

	if (!parent || !info || !info->name || !info->version)
		return -EINVAL;

	info->uio_dev = NULL;
	hdev = device_new(owner, parent, info, options);
	if (IS_ERR(hdev))
		return PTR_ERR(hdev);

	info->uio_dev = &hdev->uio;
	ret = dev_set_name(&hdev->uio.dev, "hugeuio%d", hdev->uio.minor);
	if (ret)
		goto retire;
	/* all that a file needs is there before one can be opened */
	ret = irq_get(hdev);
	if (ret)
		goto retire;
	minor_set(hdev->uio.minor, hdev);
	ret = device_add(&hdev->uio.dev);
	if (ret)
		goto retire;
	ret = hugeuio_sysfs_add(hdev);
	if (ret)
		goto del;
	return 0;

del:
	device_del(&hdev->uio.dev);
retire:
	minor_set(hdev->uio.minor, NULL);
	device_retire(hdev);
	WRITE_ONCE(info->uio_dev, NULL);
	put_device(&hdev->uio.dev);
	return ret;
}
EXPORT_SYMBOL_GPL(__hugeuio_register_device);

/**
 * hugeuio_unregister_device - take a device away
 * @info: what was registered; NULL and one that is not are ignored
 *
 * Files may be open and maps live: maps are zapped and give SIGBUS, read() and
 * write() give EIO, poll() gives EPOLLERR and EPOLLHUP. No callback of @info
 * runs after this, so it may be freed. A hugeuio_event_notify() under way is the
 * driver's to wait for. If its own mmap() set vm_ops with a fault handler, that
 * one is the driver's to stop: it goes on being called.
 *
 * Context: process; sleeps; takes the mmap locks of processes that have files
 * open.
 */
void hugeuio_unregister_device(struct uio_info *info)
{
	struct hugeuio_device *hdev;

	if (!info || !info->uio_dev)
		return;
	hdev = device_of(info);

	minor_set(hdev->uio.minor, NULL);
	device_retire(hdev);
	WRITE_ONCE(info->uio_dev, NULL);
	hugeuio_sysfs_remove(hdev, info);
	device_unregister(&hdev->uio.dev);
}
EXPORT_SYMBOL_GPL(hugeuio_unregister_device);

static void devm_unregister(struct device *dev, void *res)
{
	hugeuio_unregister_device(*(struct uio_info **)res);
}

/**
 * __devm_hugeuio_register_device - use devm_hugeuio_register_device()
 * @owner: the driver's module
 * @parent: the device it stands for
 * @info: what it offers
 * @options: more about it, or NULL
 *
 * Return: 0 or a negative errno.
 */
int __devm_hugeuio_register_device(struct module *owner, struct device *parent,
				   struct uio_info *info,
				   const struct hugeuio_options *options)
{
	struct uio_info **res;
	int ret;

	res = devres_alloc(devm_unregister, sizeof(*res), GFP_KERNEL);
	if (!res)
		return -ENOMEM;
	*res = info;
	ret = __hugeuio_register_device(owner, parent, info, options);
	if (ret) {
		devres_free(res);
		return ret;
	}
	devres_add(parent, res);
	return 0;
}
EXPORT_SYMBOL_GPL(__devm_hugeuio_register_device);

/**
 * hugeuio_event_notify - count an event and tell who waits
 * @info: a device; nothing is done if it is not registered any more, but it may
 *	not be unregistered during the call
 *
 * Context: any, hard interrupts included.
 */
void hugeuio_event_notify(struct uio_info *info)
{
	struct uio_device *uio = READ_ONCE(info->uio_dev);

	if (!uio)
		return;
	atomic_inc(&uio->event);
	wake_up_interruptible(&uio->wait);
	kill_fasync(&uio->async_queue, SIGIO, POLL_IN);
}
EXPORT_SYMBOL_GPL(hugeuio_event_notify);

/**
 * hugeuio_zap_maps - take back what processes have mapped
 * @info: a registered device whose may_access() says no from now on
 *
 * When this returns no page of a shared map is there that was let through
 * before. They come back by fault once may_access() says yes again. Private
 * maps, coherent ones and those of the driver's own mmap() do not, and one that
 * is being made at this moment may be missed.
 *
 * Context: process; sleeps. May be called from the driver's callbacks.
 */
void hugeuio_zap_maps(struct uio_info *info)
{
	zap_maps(device_of(info));
}
EXPORT_SYMBOL_GPL(hugeuio_zap_maps);

static int chrdev_init(void)
{
	int ret;

	ret = alloc_chrdev_region(&first_devt, 0, HUGEUIO_MINORS, "hugeuio");
	if (ret)
		return ret;
	ret = -ENOMEM;
	hugeuio_cdev = cdev_alloc();
	if (!hugeuio_cdev)
		goto unregister;
	hugeuio_cdev->owner = THIS_MODULE;
	hugeuio_cdev->ops = &hugeuio_fops;
	ret = cdev_add(hugeuio_cdev, first_devt, HUGEUIO_MINORS);
	if (ret)
		goto put_cdev;
	return 0;

put_cdev:
	kobject_put(&hugeuio_cdev->kobj);
unregister:
	unregister_chrdev_region(first_devt, HUGEUIO_MINORS);
	return ret;
}

static void chrdev_exit(void)
{
	cdev_del(hugeuio_cdev);
	unregister_chrdev_region(first_devt, HUGEUIO_MINORS);
}

/**
 * hugeuio_init - before the first device
 *
 * Return: 0 or a negative errno.
 */
int hugeuio_init(void)
{
	int ret;

	ret = hugeuio_inode_init();
	if (ret)
		return ret;
	ret = chrdev_init();
	if (ret)
		goto exit_inode;
	ret = class_register(&hugeuio_class);
	if (ret)
		goto exit_chrdev;
	return 0;

exit_chrdev:
	chrdev_exit();
exit_inode:
	hugeuio_inode_exit();
	return ret;
}

/**
 * hugeuio_exit - after the last device is gone and the last file closed
 */
void hugeuio_exit(void)
{
	class_unregister(&hugeuio_class);
	chrdev_exit();
	idr_destroy(&minors);
	hugeuio_inode_exit();
}
