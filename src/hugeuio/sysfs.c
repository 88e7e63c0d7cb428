// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/hugeuio/hugeuioN: name, version and event, and a folder for each
 * map and port region. Names and formats are those of drivers/uio/uio.c.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "core.h"

/* a folder; the driver's data behind it stays in place until it is removed */
struct uio_map {
	struct kobject kobj;
	const struct uio_mem *mem;
};

struct uio_portio {
	struct kobject kobj;
	const struct uio_port *port;
};

struct map_attribute {
	struct attribute attr;
	ssize_t (*show)(const struct uio_mem *mem, char *buf);
};

struct portio_attribute {
	struct attribute attr;
	ssize_t (*show)(const struct uio_port *port, char *buf);
};

#define RO_ATTR(_name, _show) \
	{ .attr = { .name = #_name, .mode = 0444 }, .show = _show }

static ssize_t map_name_show(const struct uio_mem *mem, char *buf)
{
	return sysfs_emit(buf, "%s\n", mem->name ?: "");
}

static ssize_t map_addr_show(const struct uio_mem *mem, char *buf)
{
	return sysfs_emit(buf, "%pa\n", &mem->addr);
}

static ssize_t map_size_show(const struct uio_mem *mem, char *buf)
{
	return sysfs_emit(buf, "%pa\n", &mem->size);
}

static ssize_t map_offset_show(const struct uio_mem *mem, char *buf)
{
	return sysfs_emit(buf, "0x%lx\n", mem->offs);
}

static struct map_attribute map_name = RO_ATTR(name, map_name_show);
static struct map_attribute map_addr = RO_ATTR(addr, map_addr_show);
static struct map_attribute map_size = RO_ATTR(size, map_size_show);
static struct map_attribute map_offset =
	RO_ATTR(offset, map_offset_show);

static struct attribute *map_attrs[] = {
	&map_name.attr,
	&map_addr.attr,
	&map_size.attr,
	&map_offset.attr,
	NULL
};
ATTRIBUTE_GROUPS(map);

static ssize_t map_show(struct kobject *kobj, struct attribute *attr,
			char *buf)
{
	struct uio_map *map = container_of(kobj, struct uio_map, kobj);

	return container_of(attr, struct map_attribute, attr)->show(map->mem,
								     buf);
}

static const struct sysfs_ops map_sysfs_ops = { .show = map_show };

static void map_free(struct kobject *kobj)
{
	kfree(container_of(kobj, struct uio_map, kobj));
}

static struct kobj_type map_type = {
	.release = map_free,
	.sysfs_ops = &map_sysfs_ops,
	.default_groups = map_groups,
};

static ssize_t port_name_show(const struct uio_port *port, char *buf)
{
	return sysfs_emit(buf, "%s\n", port->name ?: "");
}

static ssize_t port_start_show(const struct uio_port *port, char *buf)
{
	return sysfs_emit(buf, "0x%lx\n", port->start);
}

static ssize_t port_size_show(const struct uio_port *port, char *buf)
{
	return sysfs_emit(buf, "0x%lx\n", port->size);
}

static ssize_t port_porttype_show(const struct uio_port *port, char *buf)
{
	static const char * const names[] = { "none", "x86", "gpio", "other" };

	if (port->porttype < 0 || port->porttype >= ARRAY_SIZE(names))
		return -EINVAL;
	return sysfs_emit(buf, "port_%s\n", names[port->porttype]);
}

static struct portio_attribute port_name =
	RO_ATTR(name, port_name_show);
static struct portio_attribute port_start =
	RO_ATTR(start, port_start_show);
static struct portio_attribute port_size =
	RO_ATTR(size, port_size_show);
static struct portio_attribute port_porttype =
	RO_ATTR(porttype, port_porttype_show);

static struct attribute *portio_attrs[] = {
	&port_name.attr,
	&port_start.attr,
	&port_size.attr,
	&port_porttype.attr,
	NULL
};
ATTRIBUTE_GROUPS(portio);

static ssize_t portio_show(struct kobject *kobj, struct attribute *attr,
			   char *buf)
{
	struct uio_portio *portio = container_of(kobj, struct uio_portio, kobj);

	return container_of(attr, struct portio_attribute,
			    attr)->show(portio->port, buf);
}

static const struct sysfs_ops portio_sysfs_ops = { .show = portio_show };

static void portio_free(struct kobject *kobj)
{
	kfree(container_of(kobj, struct uio_portio, kobj));
}

static struct kobj_type portio_type = {
	.release = portio_free,
	.sysfs_ops = &portio_sysfs_ops,
	.default_groups = portio_groups,
};

/* the folder @dir is made for the first entry and kept in *@dir */
static int need_dir(struct kobject **dir, const char *name,
		    struct hugeuio_device *hdev)
{
	if (!*dir)
		*dir = kobject_create_and_add(name, &hdev->uio.dev.kobj);
	return *dir ? 0 : -ENOMEM;
}

static int add_map(struct hugeuio_device *hdev, struct uio_mem *mem,
		   unsigned int i)
{
	struct uio_map *map;
	int ret;

	ret = need_dir(&hdev->uio.map_dir, "maps", hdev);
	if (ret)
		return ret;
	map = kzalloc(sizeof(*map), GFP_KERNEL);
	if (!map)
		return -ENOMEM;
	map->mem = mem;
	ret = kobject_init_and_add(&map->kobj, &map_type, hdev->uio.map_dir,
				   "map%u", i);
	if (ret) {
		kobject_put(&map->kobj);
		return ret;
	}
	mem->map = map;
	kobject_uevent(&map->kobj, KOBJ_ADD);
	return 0;
}

static int add_port(struct hugeuio_device *hdev, struct uio_port *port,
		    unsigned int i)
{
	struct uio_portio *portio;
	int ret;

	ret = need_dir(&hdev->uio.portio_dir, "portio", hdev);
	if (ret)
		return ret;
	portio = kzalloc(sizeof(*portio), GFP_KERNEL);
	if (!portio)
		return -ENOMEM;
	portio->port = port;
	ret = kobject_init_and_add(&portio->kobj, &portio_type,
				   hdev->uio.portio_dir, "port%u", i);
	if (ret) {
		kobject_put(&portio->kobj);
		return ret;
	}
	port->portio = portio;
	kobject_uevent(&portio->kobj, KOBJ_ADD);
	return 0;
}

/**
 * hugeuio_sysfs_add - make the folders of a device's maps and ports
 * @hdev: the device, added, its driver in place
 *
 * Return: 0 or a negative errno, and nothing is left then.
 */
int hugeuio_sysfs_add(struct hugeuio_device *hdev)
{
	struct uio_info *info = hdev->uio.info;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < MAX_UIO_MAPS; i++)
		info->mem[i].map = NULL;
	for (i = 0; i < MAX_UIO_PORT_REGIONS; i++)
		info->port[i].portio = NULL;

	for (i = 0; !ret && i < MAX_UIO_MAPS && info->mem[i].size; i++)
		ret = add_map(hdev, &info->mem[i], i);
	for (i = 0; !ret && i < MAX_UIO_PORT_REGIONS && info->port[i].size; i++)
		ret = add_port(hdev, &info->port[i], i);
	if (ret)
		hugeuio_sysfs_remove(hdev, info);
	return ret;
}

/* gone from sysfs when this returns, whoever may hold the object still */
static void remove_kobj(struct kobject *kobj)
{
	kobject_del(kobj);
	kobject_put(kobj);
}

/**
 * hugeuio_sysfs_remove - take them away, and wait for who reads there
 * @hdev: the device
 * @info: the driver's data
 *
 * Context: process; sleeps; info_lock not held.
 */
void hugeuio_sysfs_remove(struct hugeuio_device *hdev, struct uio_info *info)
{
	unsigned int i;

	for (i = 0; i < MAX_UIO_MAPS; i++)
		if (info->mem[i].map)
			remove_kobj(&info->mem[i].map->kobj);
	remove_kobj(hdev->uio.map_dir);
	for (i = 0; i < MAX_UIO_PORT_REGIONS; i++)
		if (info->port[i].portio)
			remove_kobj(&info->port[i].portio->kobj);
	remove_kobj(hdev->uio.portio_dir);
}

/* name and version are the driver's; none of them once it has left */
static ssize_t show_text(struct device *dev, char *buf, bool version)
{
	struct hugeuio_device *hdev = dev_get_drvdata(dev);
	const struct uio_info *info;
	ssize_t ret = -ENODEV;

	mutex_lock(&hdev->uio.info_lock);
	info = hdev->uio.info;
	if (info)
		ret = sysfs_emit(buf, "%s\n",
				 version ? info->version : info->name);
	mutex_unlock(&hdev->uio.info_lock);
	return ret;
}

static ssize_t name_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return show_text(dev, buf, false);
}
static DEVICE_ATTR_RO(name);

static ssize_t version_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return show_text(dev, buf, true);
}
static DEVICE_ATTR_RO(version);

static ssize_t event_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	struct hugeuio_device *hdev = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n",
			  (unsigned int)atomic_read(&hdev->uio.event));
}
static DEVICE_ATTR_RO(event);

static struct attribute *hugeuio_attrs[] = {
	&dev_attr_name.attr,
	&dev_attr_version.attr,
	&dev_attr_event.attr,
	NULL
};

static const struct attribute_group hugeuio_group = {
	.attrs = hugeuio_attrs,
};

const struct attribute_group *hugeuio_groups[] = {
	&hugeuio_group,
	NULL
};
