// SPDX-License-Identifier: GPL-2.0-only
/* PCI devices by sysfs: who drives one, and how that is changed */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

/* DDDD:BB:DD.F, or as lspci writes it where there is one domain: BB:DD.F */
bool parse_pci_address(const char *text, char address[20])
{
	unsigned int domain = 0, bus, device, function;
	int end = 0;

	if (sscanf(text, "%8x:%2x:%2x.%1u%n", &domain, &bus, &device,
		   &function, &end) != 4 || text[end]) {
		domain = 0;
		end = 0;
		if (sscanf(text, "%2x:%2x.%1u%n", &bus, &device, &function,
			   &end) != 3 || text[end])
			return false;
	}
	if (device > 31 || function > 7)
		return false;
	snprintf(address, 20, "%04x:%02x:%02x.%u", domain, bus, device,
		 function);
	return true;
}

struct pci_device pci_find(const char *text)
{
	struct pci_device device;

	if (!parse_pci_address(text, device.address))
		die_usage("DEVICE '%s' is no PCI address such as 0000:03:00.0 or 03:00.0",
			  text);
	snprintf(device.sysfs, sizeof(device.sysfs),
		 "/sys/bus/pci/devices/%s", device.address);
	if (access(device.sysfs, F_OK))
		die("there is no PCI device %s: lspci -D lists them",
		    device.address);
	return device;
}

/* to be freed; NULL if none drives it */
char *pci_driver(const struct pci_device *device)
{
	return link_name("%s/driver", device->sysfs);
}

/* 0 or an errno */
int pci_write(const struct pci_device *device, const char *file,
	      const char *text)
{
	return file_write(text, "%s/%s", device->sysfs, file);
}

/* from the driver that it has */
int pci_unbind(const struct pci_device *device)
{
	return pci_write(device, "driver/unbind", device->address);
}

/*
 * No driver is preferred any more, and any that knows the device may have it.
 * 0 or an errno.
 */
int pci_give_back(const struct pci_device *device)
{
	int err = pci_write(device, "driver_override", "\n");

	return err ?: file_write(device->address,
				 "/sys/bus/pci/drivers_probe");
}
