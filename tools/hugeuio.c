// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/hugeuio. The nodes themselves stay closed: the last close of one
 * resets its PCI device.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

#define CLASS "/sys/class/hugeuio"

static void put_attribute(struct json_object *object, const char *key,
			  const char *sysfs)
{
	char *text = file_text("%s/%s", sysfs, key);

	put_text(object, key, text);
	free(text);
}

static struct json_object *map_of(const char *sysfs, unsigned int i)
{
	struct json_object *map;
	char dir[300];

	snprintf(dir, sizeof(dir), "%s/maps/map%u", sysfs, i);
	if (access(dir, F_OK))
		return NULL;
	map = json_object_new_object();
	put_number(map, "map", i);
	put_attribute(map, "name", dir);
	put_number(map, "address", file_number("%s/addr", dir));
	put_number(map, "size", file_number("%s/size", dir));
	put_number(map, "offset", file_number("%s/offset", dir));
	return map;
}

/* the maps of the device that has that folder */
struct json_object *hugeuio_maps(const char *sysfs)
{
	struct json_object *maps = json_object_new_array(), *map;
	unsigned int i;

	for (i = 0; (map = map_of(sysfs, i)); i++)
		json_object_array_add(maps, map);
	return maps;
}

static struct json_object *node_of(const char *name)
{
	struct json_object *node = json_object_new_object();
	char sysfs[300], path[300], *device;

	snprintf(sysfs, sizeof(sysfs), CLASS "/%s", name);
	snprintf(path, sizeof(path), "/dev/%s", name);
	device = link_name("%s/device", sysfs);
	put_text(node, "node", path);
	put_attribute(node, "name", sysfs);
	put_attribute(node, "version", sysfs);
	put_text(node, "device", device);
	json_object_object_add(node, "maps", hugeuio_maps(sysfs));
	free(device);
	return node;
}

void hugeuio_nodes(struct json_object *nodes)
{
	struct dirent **list;
	int n = scandir(CLASS, &list, NULL, versionsort), i;

	for (i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.')
			json_object_array_add(nodes, node_of(list[i]->d_name));
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

/* /sys's name of the node that a device has come up as; NULL if none has */
char *hugeuio_of_device(const char *device)
{
	char *name = NULL;
	struct dirent *entry;
	char path[300];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/hugeuio", device);
	dir = opendir(path);
	if (!dir)
		return NULL;
	while (!name && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			name = strdup(entry->d_name);
	closedir(dir);
	return name;
}
