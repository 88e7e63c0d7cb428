/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registering a device with hugeuio, for drivers.
 *
 * The interface is UIO's: fill in the kernel's struct uio_info as
 * Documentation/driver-api/uio-howto.rst says and call
 * hugeuio_register_device() where a UIO driver calls uio_register_device().
 * The device appears as /dev/hugeuioN with UIO's ABI.
 * hugeuio_event_notify() may be called after hugeuio_unregister_device() and does
 * nothing then; a call under way at that moment is the driver's to wait for.
 *
 * UIO_MEM_PHYS and UIO_MEM_IOVA maps are filled by fault, with the largest
 * entries that fit. They must be device memory: a map of System RAM is refused
 * at mmap() with EPERM; use UIO_MEM_LOGICAL, UIO_MEM_VIRTUAL or
 * UIO_MEM_DMA_COHERENT for that. A page of a UIO_MEM_LOGICAL map must have a
 * reference count of its own, so memory of more than one page comes from
 * alloc_pages_exact() or with __GFP_COMP, and never from kmalloc().
 */
#ifndef HUGEPFN_HUGEUIO_H
#define HUGEPFN_HUGEUIO_H

#include <linux/module.h>
#include <linux/security.h>
#include <linux/uio_driver.h>

/**
 * struct hugeuio_options - what a driver may say beyond struct uio_info
 * @may_access: may the device's memory be accessed now? Called for each fault,
 *	by several threads at once, with or without info_lock; may sleep briefly
 *	but take no lock that is held around hugeuio_zap_maps(). While it says no
 *	a fault is SIGBUS. NULL if it always may.
 * @lockdown: open() and mmap() fail with EPERM while the kernel is locked down
 *	for this reason; LOCKDOWN_NONE if the driver lets nobody do what lockdown
 *	forbids
 * @cache: for each map an &enum hugepfn_cache of include/uapi/hugepfn.h, in
 *	force unless the file asks for another; 0 gives UIO's: uncached for
 *	UIO_MEM_PHYS, else the platform's
 */
struct hugeuio_options {
	bool (*may_access)(struct uio_info *info);
	enum lockdown_reason lockdown;
	u32 cache[MAX_UIO_MAPS];
};

int __must_check __hugeuio_register_device(struct module *owner,
					   struct device *parent,
					   struct uio_info *info,
					   const struct hugeuio_options *options);
int __must_check __devm_hugeuio_register_device(struct module *owner,
						struct device *parent,
						struct uio_info *info,
						const struct hugeuio_options *options);
void hugeuio_unregister_device(struct uio_info *info);
void hugeuio_event_notify(struct uio_info *info);
void hugeuio_zap_maps(struct uio_info *info);

/**
 * hugeuio_register_device - register a device for user space
 * @parent: the device it stands for
 * @info: what it offers; stays the driver's, and in place until
 *	hugeuio_unregister_device()
 *
 * Context: process; sleeps.
 * Return: 0; -EINVAL for a missing parent, name or version; -ENOMEM; what
 * requesting the interrupt gave.
 */
#define hugeuio_register_device(parent, info) \
	__hugeuio_register_device(THIS_MODULE, parent, info, NULL)

/**
 * hugeuio_register_device_options - the same, with &struct hugeuio_options
 * @parent: the device it stands for
 * @info: what it offers
 * @options: more about it; stays in place as long as @info
 */
#define hugeuio_register_device_options(parent, info, options) \
	__hugeuio_register_device(THIS_MODULE, parent, info, options)

/**
 * devm_hugeuio_register_device - the same, unregistered with the parent
 * @parent: the device it stands for
 * @info: what it offers
 */
#define devm_hugeuio_register_device(parent, info) \
	__devm_hugeuio_register_device(THIS_MODULE, parent, info, NULL)

/**
 * devm_hugeuio_register_device_options - both of these
 * @parent: the device it stands for
 * @info: what it offers
 * @options: more about it; stays in place as long as @info
 */
#define devm_hugeuio_register_device_options(parent, info, options) \
	__devm_hugeuio_register_device(THIS_MODULE, parent, info, options)

#endif
