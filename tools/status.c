// SPDX-License-Identifier: GPL-2.0-only
/* hugepfn status: the module, its nodes, and what is mapped now */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tool.h"

#define RESERVATIONS "/sys/kernel/debug/hugepfn/reservations"

static const char help[] =
"usage: hugepfn status [OPTION]...\n\n"
"Tells whether the module is loaded, which page-table entries the kernel can map\n"
"device memory with, which nodes there are and what is mapped through them. The\n"
"exit status is 1 if the module is not loaded.\n\n"
"  --json    for programs\n"
"  --help    this\n";

static const struct option options[] = { COMMON_OPTIONS };

static const struct column node_columns[] = {
	{ "node", "NODE", CELL_TEXT },
	{ "name", "NAME", CELL_TEXT },
	{ "device", "DEVICE", CELL_TEXT },
	{ "map", "MAP", CELL_NUMBER },
	{ "map_name", "OF", CELL_TEXT },
	{ "address", "ADDRESS", CELL_HEX },
	{ "size", "SIZE", CELL_SIZE },
};

static const struct column live_columns[] = {
	{ "start", "START", CELL_HEX },
	{ "end", "END", CELL_HEX },
	{ "size", "SIZE", CELL_SIZE },
	{ "cache", "CACHE", CELL_TEXT },
	{ "node", "NODE", CELL_TEXT },
	{ "pid", "PID", CELL_NUMBER },
	{ "command", "COMMAND", CELL_TEXT },
};

static struct json_object *module_object(void)
{
	struct json_object *module = json_object_new_object();
	char *version = file_text("/sys/module/hugepfn/version");

	json_object_object_add(module, "loaded", json_object_new_boolean(
				       module_is_loaded("hugepfn")));
	put_text(module, "version", version);
	json_object_object_add(module, "hugeuio_pci", json_object_new_boolean(
				       module_is_loaded(PCI_DRIVER)));
	free(version);
	return module;
}

/* NULL, and why, if the kernel cannot be asked */
static struct json_object *page_sizes(const char **why)
{
	struct node node = { .info.size = sizeof(node.info) };
	struct json_object *sizes;
	uint64_t size;
	unsigned int i;

	node.fd = open("/dev/hugemem", O_RDONLY | O_CLOEXEC);
	if (node.fd < 0 || ioctl(node.fd, HUGEPFN_IOC_INFO, &node.info)) {
		*why = explain_open("/dev/hugemem", errno);
		return NULL;
	}
	close(node.fd);
	sizes = json_object_new_array();
	for (i = 0; (size = node_page_size(&node, i)); i++)
		json_object_array_add(sizes, json_object_new_uint64(size));
	return sizes;
}

/* a line of a reservation, or below it, after a tab, of a map; NULL if neither */
static struct json_object *range_of(const char *line)
{
	char cache[16], node[32], command[32] = "";
	unsigned long long start, end;
	struct json_object *range;
	int pid, n;

	n = sscanf(line, " %llx-%llx %15s %31s pid %d %31[^\n]", &start, &end,
		   cache, node, &pid, command);
	if (n < (*line == '\t' ? 5 : 3))
		return NULL;
	range = json_object_new_object();
	put_number(range, "start", start);
	put_number(range, "end", end);
	put_number(range, "size", end - start + 1);
	put_text(range, "cache", cache);
	if (*line == '\t') {
		put_text(range, "node", node);
		put_number(range, "pid", pid);
		put_text(range, "command", command);
	} else {
		json_object_object_add(range, "maps", json_object_new_array());
	}
	return range;
}

/* NULL, and why, if they cannot be read */
static struct json_object *all_reservations(const char **why)
{
	struct json_object *all, *last = NULL, *range;
	FILE *f = fopen(RESERVATIONS, "r");
	char line[256];

	if (!f) {
		*why = errno == EACCES ? "run as root" : strerror(errno);
		return NULL;
	}
	all = json_object_new_array();
	while (fgets(line, sizeof(line), f)) {
		range = range_of(line);
		if (range && *line != '\t') {
			json_object_array_add(all, range);
			last = range;
		} else if (range && last) {
			json_object_array_add(json_object_object_get(last,
								     "maps"),
					      range);
		}
	}
	fclose(f);
	return all;
}

static struct json_object *all_nodes(void)
{
	struct json_object *all = json_object_new_array(), *hugemem;

	if (!access("/dev/hugemem", F_OK)) {
		hugemem = json_object_new_object();
		put_text(hugemem, "node", "/dev/hugemem");
		json_object_object_add(hugemem, "maps",
				       json_object_new_array());
		json_object_array_add(all, hugemem);
	}
	hugeuio_nodes(all);
	return all;
}

/* a row for each map of a node, or one if it has none */
static void add_node_rows(struct json_object *rows, struct json_object *node)
{
	struct json_object *maps = json_object_object_get(node, "maps");
	const size_t n = json_object_array_length(maps);
	size_t i = 0;

	do {
		struct json_object *map = json_object_array_get_idx(maps, i);
		struct json_object *row = json_object_new_object();

		put_text(row, "node", get_text(node, "node"));
		put_text(row, "name", get_text(node, "name"));
		put_text(row, "device", get_text(node, "device"));
		if (map) {
			put_number(row, "map", get_number(map, "map"));
			put_text(row, "map_name", get_text(map, "name"));
			put_number(row, "address", get_number(map, "address"));
			put_number(row, "size", get_number(map, "size"));
		}
		json_object_array_add(rows, row);
	} while (++i < n);
}

static void print_nodes(struct json_object *nodes)
{
	struct json_object *rows = json_object_new_array();
	size_t i;

	for (i = 0; i < json_object_array_length(nodes); i++)
		add_node_rows(rows, json_object_array_get_idx(nodes, i));
	putchar('\n');
	print_table(rows, node_columns,
		    sizeof(node_columns) / sizeof(*node_columns));
	json_object_put(rows);
}

/* a row for each map, whatever its reservation */
static struct json_object *live_rows(struct json_object *reservations)
{
	struct json_object *rows = json_object_new_array(), *maps;
	size_t i, m;

	for (i = 0; i < json_object_array_length(reservations); i++) {
		maps = json_object_object_get(json_object_array_get_idx(
						reservations, i), "maps");
		for (m = 0; m < json_object_array_length(maps); m++)
			json_object_array_add(rows, json_object_get(
					json_object_array_get_idx(maps, m)));
	}
	return rows;
}

static void print_live(struct json_object *reservations, const char *why)
{
	struct json_object *rows;

	if (!reservations) {
		printf("\nlive maps: unknown: " RESERVATIONS ": %s\n", why);
		return;
	}
	rows = live_rows(reservations);
	putchar('\n');
	if (json_object_array_length(rows))
		print_table(rows, live_columns,
			    sizeof(live_columns) / sizeof(*live_columns));
	else
		puts("no live maps");
	json_object_put(rows);
}

static void print_sizes(struct json_object *sizes)
{
	char size[24];
	size_t i;

	for (i = 0; i < json_object_array_length(sizes); i++)
		printf("%s%s", i ? ", " : "",
		       size_text(json_object_get_uint64(
				json_object_array_get_idx(sizes, i)), size));
	putchar('\n');
}

static void print_module(struct json_object *module, const char *release)
{
	const char *version = get_text(module, "version");

	printf("module   hugepfn %s%s\n", version ?: "is not loaded",
	       json_object_get_boolean(json_object_object_get(module,
							      "hugeuio_pci")) ?
	       ", hugeuio_pci" : "");
	printf("kernel   %s\n", release);
}

static bool is_loaded(struct json_object *module)
{
	return json_object_get_boolean(json_object_object_get(module,
							      "loaded"));
}

static void print_people(struct json_object *root, const char *no_sizes,
			 const char *no_reservations)
{
	struct json_object *sizes = json_object_object_get(root, "page_sizes");
	struct json_object *module = json_object_object_get(root, "module");

	print_module(module, get_text(root, "kernel"));
	if (!is_loaded(module))
		return;
	fputs("entries  ", stdout);
	if (sizes)
		print_sizes(sizes);
	else
		printf("unknown: %s\n", no_sizes);
	print_nodes(json_object_object_get(root, "nodes"));
	print_live(json_object_object_get(root, "reservations"),
		   no_reservations);
}

int cmd_status(int argc, char **argv)
{
	const char *no_sizes = NULL, *no_reservations = NULL;
	struct json_object *root, *module;
	struct utsname uts;
	bool loaded;

	while (next_option(argc, argv, options, help) >= 0)
		;
	no_more_operands(argc, argv);
	uname(&uts);
	root = json_object_new_object();
	module = module_object();
	loaded = is_loaded(module);
	json_object_object_add(root, "module", module);
	put_text(root, "kernel", uts.release);
	json_object_object_add(root, "page_sizes", page_sizes(&no_sizes));
	json_object_object_add(root, "nodes", all_nodes());
	json_object_object_add(root, "reservations",
			       all_reservations(&no_reservations));
	if (json_wanted)
		print_json(root);
	else
		print_people(root, no_sizes, no_reservations);
	json_object_put(root);
	if (!loaded)
		die("the module is not loaded: run modprobe hugepfn as root");
	return EXIT_OK;
}
