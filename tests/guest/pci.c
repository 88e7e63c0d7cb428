// SPDX-License-Identifier: GPL-2.0-only
/* PCI devices by sysfs: finding, binding, BARs and config space */
#include "uio.h"

#include <dirent.h>
#include <limits.h>

#define DEVICES "/sys/bus/pci/devices"

static unsigned long read_number(const char *path)
{
	char *text = read_file(path);
	unsigned long n = strtoul(text, NULL, 0);

	free(text);
	return n;
}

/* a device of that kind on bus 0, or on another; false if there is none */
static bool find(unsigned int vendor, unsigned int device, bool bus_0,
		 char addr[16])
{
	char path[300];
	struct dirent **list;
	int n = scandir(DEVICES, &list, NULL, alphasort), i;
	bool found = false;

	for (i = 0; i < n; i++) {
		if (!found && list[i]->d_name[0] != '.' &&
		    bus_0 == !strncmp(list[i]->d_name, "0000:00", 7)) {
			snprintf(path, sizeof(path), DEVICES "/%s/vendor",
				 list[i]->d_name);
			found = read_number(path) == vendor;
			snprintf(path, sizeof(path), DEVICES "/%s/device",
				 list[i]->d_name);
			found = found && read_number(path) == device;
			if (found)
				snprintf(addr, 16, "%.15s", list[i]->d_name);
		}
		free(list[i]);
	}
	free(list);
	return found;
}

bool pci_find(unsigned int vendor, unsigned int device, char addr[16])
{
	return find(vendor, device, true, addr);
}

/* one that can be unplugged: in a slot of its own */
bool pci_find_hot(unsigned int vendor, unsigned int device, char addr[16])
{
	return find(vendor, device, false, addr);
}

static void device_path(char path[200], const char *addr, const char *file)
{
	snprintf(path, 200, DEVICES "/%s/%s", addr, file);
}

bool pci_is_bound(const char *addr)
{
	char path[200];

	device_path(path, addr, "driver");
	return !access(path, F_OK);
}

void pci_unbind(const char *addr)
{
	char path[200];

	device_path(path, addr, "driver/unbind");
	if (pci_is_bound(addr))
		write_file(path, addr);
	/* or the driver would have it again as soon as it is loaded */
	device_path(path, addr, "driver_override");
	if (!access(path, W_OK))
		write_file(path, "\n");
}

/* 0 or the errno of binding by driver_override */
int pci_try_bind(const char *addr, const char *driver)
{
	char path[200];
	int fd, err = 0;

	pci_unbind(addr);
	device_path(path, addr, "driver_override");
	write_file(path, driver);
	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s/bind", driver);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, addr, strlen(addr)) < 0)
		err = errno;
	close(fd);
	return err;
}

void pci_bind(const char *addr, const char *driver)
{
	assert_int_equal(pci_try_bind(addr, driver), 0);
}

uint64_t pci_bar(const char *addr, unsigned int bar, uint64_t *size)
{
	unsigned long long start = 0, end = 0;
	char path[200], *text, *line;

	device_path(path, addr, "resource");
	text = read_file(path);
	for (line = text; bar--; line = strchr(line, '\n') + 1)
		;
	sscanf(line, "%llx %llx", &start, &end);
	free(text);
	*size = end - start + 1;
	return start;
}

static int open_config(const char *addr, int flags)
{
	char path[200];

	device_path(path, addr, "config");
	return open_node(path, flags);
}

uint16_t pci_config(const char *addr, unsigned int at)
{
	int fd = open_config(addr, O_RDONLY);
	uint16_t value = 0;

	assert_int_equal(pread(fd, &value, 2, at), 2);
	close(fd);
	return value;
}

void pci_set_config(const char *addr, unsigned int at, uint16_t value)
{
	int fd = open_config(addr, O_RDWR);

	assert_int_equal(pwrite(fd, &value, 2, at), 2);
	close(fd);
}

/* where the device's capability of that kind is */
unsigned int pci_capability(const char *addr, uint8_t id)
{
	unsigned int at = pci_config(addr, PCI_CAPABILITIES) & 0xff;

	while (at && (pci_config(addr, at) & 0xff) != id)
		at = pci_config(addr, at) >> 8;
	assert_int_not_equal(at, 0);
	return at;
}

/* the bridge above the device */
void pci_bridge(const char *addr, char bridge[16])
{
	char path[200], real[PATH_MAX];

	device_path(path, addr, "..");
	assert_non_null(realpath(path, real));
	snprintf(bridge, 16, "%.15s", strrchr(real, '/') + 1);
}

void pci_set_bits(const char *addr, unsigned int at, uint16_t clear,
		  uint16_t set)
{
	pci_set_config(addr, at, (pci_config(addr, at) & ~clear) | set);
}
