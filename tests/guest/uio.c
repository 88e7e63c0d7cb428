// SPDX-License-Identifier: GPL-2.0-only
/* UIO nodes, of the kernel's uio class and of hugeuio alike */
#include "uio.h"

#include <dirent.h>
#include <poll.h>

/* the node that a device got: /sys/.../PARENT/CLASS/NAME; false if none */
bool uio_find(const char *parent, const char *class, struct uio_node *node)
{
	char path[200];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s", parent, class);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		found = entry->d_name[0] != '.';
		if (!found)
			continue;
		snprintf(node->dev, sizeof(node->dev), "/dev/%.40s",
			 entry->d_name);
		snprintf(node->sysfs, sizeof(node->sysfs), "%s/%.40s", path,
			 entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

void uio_of_pci(const char *addr, const char *class, struct uio_node *node)
{
	char path[200];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s", addr);
	assert_true(uio_find(path, class, node));
}

/* the hugeuio node whose device has that name; false if none */
bool uio_by_name(const char *name, struct uio_node *node)
{
	char *text;
	bool found;
	int i;

	for (i = 0; i < 16; i++) {
		snprintf(node->dev, sizeof(node->dev), "/dev/hugeuio%d", i);
		snprintf(node->sysfs, sizeof(node->sysfs),
			 "/sys/class/hugeuio/hugeuio%d", i);
		if (!uio_has(node, "name"))
			continue;
		text = uio_attr(node, "name");
		found = !strcmp(text, name);
		free(text);
		if (found)
			return true;
	}
	return false;
}

/* a file below the node's folder, without its newline; to be freed */
char *uio_attr(const struct uio_node *node, const char *file)
{
	char path[400], *text;

	snprintf(path, sizeof(path), "%s/%s", node->sysfs, file);
	text = read_file(path);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

uint64_t uio_number(const struct uio_node *node, const char *file)
{
	char *text = uio_attr(node, file);
	uint64_t n = strtoull(text, NULL, 0);

	free(text);
	return n;
}

bool uio_has(const struct uio_node *node, const char *file)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", node->sysfs, file);
	return !access(path, F_OK);
}

/* the map of that name, or -1 */
int uio_map_index(const struct uio_node *node, const char *name)
{
	char file[40], *text;
	int i;

	for (i = 0; i < 5; i++) {
		snprintf(file, sizeof(file), "maps/map%d/name", i);
		if (!uio_has(node, file))
			break;
		text = uio_attr(node, file);
		if (!strcmp(text, name)) {
			free(text);
			return i;
		}
		free(text);
	}
	return -1;
}

void *uio_map(int fd, unsigned int index, uint64_t len)
{
	return map_at(fd, NULL, index * page_size, len, PROT_READ | PROT_WRITE,
		      MAP_SHARED);
}

/* 0 or the errno of mmap() */
int uio_try_map(int fd, uint64_t offset, uint64_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       (off_t)offset);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, len);
	return 0;
}

/* what poll() says within @ms */
short poll_events(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) < 0 ? -1 : p.revents;
}

/* a 4-byte read; the errno in *@err */
int32_t read_count(int fd, int *err)
{
	int32_t count = 0;

	*err = read(fd, &count, sizeof(count)) == sizeof(count) ? 0 : errno;
	return count;
}

/* 0 or the errno of write(@value) */
int write_control(int fd, int32_t value)
{
	return write(fd, &value, sizeof(value)) == sizeof(value) ? 0 : errno;
}
