// SPDX-License-Identifier: GPL-2.0-only
/* hugepfn poke: write to a device */
#include <fcntl.h>
#include <sys/mman.h>

#include "tool.h"

static const char help[] =
"usage: hugepfn poke ADDRESS VALUE... [OPTION]...\n\n"
"Writes the VALUEs from ADDRESS on, uncached, each by one access of the width\n"
"asked for, and reads nothing. ADDRESS is physical; with a hugeuio node an\n"
"offset in the map.\n\n"
"  --width 1|2|4|8    bytes of a value (4)\n"
"  --node NODE        /dev/hugemem, or a /dev/hugeuioN\n"
"  --map N            which map of the hugeuio node (0)\n"
"  --cache MODE       " CACHE_NAMES "\n"
"  --json             for programs\n"
"  --help             this\n";

static const struct option options[] = {
	{ "width", required_argument, NULL, 'w' },
	NODE_OPTIONS,
	COMMON_OPTIONS
};

static struct json_object *parse_values(char **texts, int n,
					unsigned int width)
{
	struct json_object *values = json_object_new_array();
	uint64_t value;
	int i;

	for (i = 0; i < n; i++) {
		value = number("VALUE", texts[i]);
		if (width < 8 && value >> (8 * width))
			die_usage("VALUE '%s' has more than %u bytes: give a --width",
				  texts[i], width);
		json_object_array_add(values, json_object_new_uint64(value));
	}
	return values;
}

static void print_done(const struct window *window, struct json_object *values)
{
	struct json_object *root = json_object_new_object();

	put_number(root, "address", window->at);
	put_number(root, "width", window->width);
	json_object_object_add(root, "values", json_object_get(values));
	print_json(root);
	json_object_put(root);
}

int cmd_poke(int argc, char **argv)
{
	struct node_options node_options = node_options_default();
	struct json_object *values;
	unsigned int width = 4;
	struct window window;
	struct node node;
	uint64_t at;
	size_t i, n;
	int o;

	while ((o = next_option(argc, argv, options, help)) >= 0)
		if (!node_option(&node_options, o))
			width = width_option(optarg);
	at = number("ADDRESS", operand(argc, argv, "ADDRESS"));
	if (optind == argc)
		die_usage("VALUE is missing; see --help");
	n = argc - optind;
	values = parse_values(argv + optind, n, width);

	window_node(&node, node_options, O_RDWR);
	window_open(&window, &node, at, n, width, PROT_READ | PROT_WRITE);
	for (i = 0; i < n; i++)
		window_store(&window, i, json_object_get_uint64(
				json_object_array_get_idx(values, i)));
	if (json_wanted)
		print_done(&window, values);
	json_object_put(values);
	return EXIT_OK;
}
