// SPDX-License-Identifier: GPL-2.0-only
/* hugepfn dump: read a device */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tool.h"

#define LINE 16		/* bytes */

static const char help[] =
"usage: hugepfn dump ADDRESS [COUNT] [OPTION]...\n\n"
"Reads COUNT values (1) from ADDRESS on, uncached, each by one access of the\n"
"width asked for. ADDRESS is physical; with a hugeuio node an offset in the map.\n\n"
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

/* a value's bytes as they lie in memory */
static void put_bytes(unsigned char *bytes, uint64_t value, unsigned int width)
{
	const uint8_t v1 = value;
	const uint16_t v2 = value;
	const uint32_t v4 = value;

	switch (width) {
	case 1:
		memcpy(bytes, &v1, width);
		break;
	case 2:
		memcpy(bytes, &v2, width);
		break;
	case 4:
		memcpy(bytes, &v4, width);
		break;
	default:
		memcpy(bytes, &value, width);
	}
}

/* as hexdump -C shows them */
static void print_text(const unsigned char *bytes, unsigned int n)
{
	unsigned int i;

	fputs(" |", stdout);
	for (i = 0; i < n; i++)
		putchar(isprint(bytes[i]) ? bytes[i] : '.');
	puts("|");
}

/* all is read before anything is printed: a bus error leaves no half line */
static void print_line(const struct window *window, uint64_t first,
		       unsigned int n)
{
	const unsigned int width = window->width;
	const unsigned int missing = LINE / width - n;
	unsigned char bytes[LINE];
	uint64_t values[LINE];
	unsigned int i;

	for (i = 0; i < n; i++)
		values[i] = window_load(window, first + i);
	printf("%012" PRIx64 " ", window->at + first * width);
	for (i = 0; i < n; i++) {
		printf(" %0*" PRIx64, 2 * (int)width, values[i]);
		put_bytes(bytes + i * width, values[i], width);
	}
	printf("%*s", (int)(missing * (2 * width + 1) + 1), "");
	print_text(bytes, n * width);
}

static void print_lines(const struct window *window, uint64_t count)
{
	struct progress progress = progress_begin("dump", count);
	const unsigned int per_line = LINE / window->width;
	uint64_t i, left;

	for (i = 0; i < count; i += per_line) {
		left = count - i;
		print_line(window, i, left < per_line ? left : per_line);
		progress_show(&progress, i);
	}
	progress_end(&progress);
}

static void print_values(const struct window *window, uint64_t count)
{
	struct json_object *root = json_object_new_object();
	struct json_object *values = json_object_new_array();
	uint64_t i;

	for (i = 0; i < count; i++)
		json_object_array_add(values, json_object_new_uint64(
					window_load(window, i)));
	put_number(root, "address", window->at);
	put_number(root, "width", window->width);
	json_object_object_add(root, "values", values);
	print_json(root);
	json_object_put(root);
}

int cmd_dump(int argc, char **argv)
{
	struct node_options node_options = node_options_default();
	unsigned int width = 4;
	uint64_t at, count = 1;
	struct window window;
	struct node node;
	int o;

	while ((o = next_option(argc, argv, options, help)) >= 0)
		if (!node_option(&node_options, o))
			width = width_option(optarg);
	at = number("ADDRESS", operand(argc, argv, "ADDRESS"));
	if (optind < argc)
		count = number("COUNT", argv[optind++]);
	no_more_operands(argc, argv);
	if (!count)
		die_usage("COUNT 0 reads nothing");

	window_node(&node, node_options, O_RDONLY);
	window_open(&window, &node, at, count, width, PROT_READ);
	if (json_wanted)
		print_values(&window, count);
	else
		print_lines(&window, count);
	return EXIT_OK;
}
