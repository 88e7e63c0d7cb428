// SPDX-License-Identifier: GPL-2.0-only
/* hugepfn bind, hugepfn unbind: PCI devices and hugeuio_pci */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#define DRIVER "/sys/bus/pci/drivers/" PCI_DRIVER
#define INTERRUPTS "/sys/module/" PCI_DRIVER "/parameters/interrupts"

static const char bind_help[] =
"usage: hugepfn bind DEVICE [OPTION]...\n\n"
"Gives the PCI device DEVICE (0000:03:00.0 or 03:00.0) to hugeuio_pci, which is\n"
"loaded if need be, and names the node it comes up as. Another driver loses it.\n\n"
"  --interrupts KIND    auto, msix, msi, intx or none; else what the module's\n"
"                       parameter says\n"
"  --json               for programs\n"
"  --help               this\n";

static const char unbind_help[] =
"usage: hugepfn unbind DEVICE [OPTION]...\n\n"
"Takes the PCI device DEVICE from hugeuio_pci and lets the driver that knows it\n"
"have it. What is mapped of it gives SIGBUS from then on.\n\n"
"  --json    for programs\n"
"  --help    this\n";

static const struct option bind_options[] = {
	{ "interrupts", required_argument, NULL, 'i' },
	COMMON_OPTIONS
};

static const struct option unbind_options[] = { COMMON_OPTIONS };

static const struct column map_columns[] = {
	{ "map", "MAP", CELL_NUMBER },
	{ "name", "NAME", CELL_TEXT },
	{ "address", "ADDRESS", CELL_HEX },
	{ "size", "SIZE", CELL_SIZE },
};

static const char *checked_kind(const char *kind)
{
	static const char *const kinds[] = {
		"auto", "msix", "msi", "intx", "none"
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kind, kinds[i]))
			return kind;
	die_usage("--interrupts '%s' is none of auto, msix, msi, intx or none",
		  kind);
}

static const char *explain(int err, const char *interrupts)
{
	static char text[80];

	if (interrupts && (err == EINVAL || err == ENODEV || err == ENOSPC)) {
		snprintf(text, sizeof(text),
			 "it has no %s interrupt: try another kind, or auto",
			 interrupts);
		return text;
	}
	switch (err) {
	case EACCES:
	case EPERM:
		return "run as root";
	case EBUSY:
		return "a driver has claimed one of its BARs (/proc/iomem)";
	default:
		snprintf(text, sizeof(text),
			 "%s; the kernel log (dmesg) says more", strerror(err));
		return text;
	}
}

/* for this one device: the parameter is put back. 0 or an errno. */
static int probe(const struct pci_device *device, const char *interrupts)
{
	char *before = interrupts ? file_text(INTERRUPTS) : NULL;
	int err = 0;

	if (interrupts)
		err = file_write(interrupts, INTERRUPTS);
	if (!err)
		err = file_write(device->address, DRIVER "/bind");
	if (before)
		file_write(before, INTERRUPTS);
	free(before);
	return err;
}

/* 0 or an errno, and the device is where it was then */
static int take(const struct pci_device *device, const char *from,
		const char *interrupts)
{
	int err = pci_write(device, "driver_override", PCI_DRIVER);

	if (!err && from)
		err = pci_unbind(device);
	if (!err)
		err = probe(device, interrupts);
	if (err)
		pci_give_back(device);
	return err;
}

static void print_bound(const struct pci_device *device, const char *from)
{
	struct json_object *root = json_object_new_object(), *maps;
	char *name = hugeuio_of_device(device->sysfs);
	char path[300], sysfs[300];

	snprintf(path, sizeof(path), "/dev/%s", name);
	snprintf(sysfs, sizeof(sysfs), "/sys/class/hugeuio/%s", name);
	maps = hugeuio_maps(sysfs);
	put_text(root, "device", device->address);
	put_text(root, "node", path);
	put_text(root, "from", from);
	json_object_object_add(root, "maps", maps);
	if (json_wanted) {
		print_json(root);
	} else {
		printf("%s is %s%s%s\n\n", device->address, path,
		       from ? ", taken from " : "", from ?: "");
		print_table(maps, map_columns,
			    sizeof(map_columns) / sizeof(*map_columns));
	}
	json_object_put(root);
	free(name);
}

int cmd_bind(int argc, char **argv)
{
	const char *interrupts = NULL;
	struct pci_device device;
	char *from, *node;
	int err;

	while (next_option(argc, argv, bind_options, bind_help) >= 0)
		interrupts = checked_kind(optarg);
	device = pci_find(operand(argc, argv, "DEVICE"));
	no_more_operands(argc, argv);
	from = pci_driver(&device);
	node = hugeuio_of_device(device.sysfs);
	if (node)
		die("%s is bound already: /dev/%s", device.address, node);

	module_need(PCI_DRIVER);
	err = take(&device, from, interrupts);
	if (err)
		die("%s: " PCI_DRIVER " cannot have it: %s", device.address,
		    explain(err, interrupts));
	print_bound(&device, from);
	free(from);
	return EXIT_OK;
}

static void print_unbound(const struct pci_device *device)
{
	struct json_object *root = json_object_new_object();
	char *driver = pci_driver(device);

	put_text(root, "device", device->address);
	put_text(root, "driver", driver);
	if (json_wanted)
		print_json(root);
	else
		printf("%s is with %s\n", device->address,
		       driver ?: "no driver");
	json_object_put(root);
	free(driver);
}

int cmd_unbind(int argc, char **argv)
{
	struct pci_device device;
	char *driver;
	int err;

	while (next_option(argc, argv, unbind_options, unbind_help) >= 0)
		;
	device = pci_find(operand(argc, argv, "DEVICE"));
	no_more_operands(argc, argv);
	driver = pci_driver(&device);
	if (!driver || strcmp(driver, PCI_DRIVER))
		die("%s is not with " PCI_DRIVER " but with %s",
		    device.address, driver ?: "no driver");
	free(driver);

	err = pci_unbind(&device) ?: pci_give_back(&device);
	if (err)
		die("%s: %s", device.address, explain(err, NULL));
	print_unbound(&device);
	return EXIT_OK;
}
