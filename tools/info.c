// SPDX-License-Identifier: GPL-2.0-only
/* hugepfn info: what of /proc/iomem can be mapped, and by which entries */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "claim.h"
#include "tool.h"

static const char help[] =
"usage: hugepfn info [OPTION]...\n\n"
"Lists the ranges of /proc/iomem: the largest page-table entry that each can be\n"
"mapped with, and why not a larger one, or why it cannot be mapped, as memory of\n"
"the system never is. No device is touched.\n\n"
"  --json    for programs\n"
"  --help    this\n";

static const struct option options[] = { COMMON_OPTIONS };

static const struct column columns[] = {
	{ "start", "START", CELL_HEX },
	{ "end", "END", CELL_HEX },
	{ "size", "SIZE", CELL_SIZE },
	{ "largest", "LARGEST", CELL_SIZE },
	{ "name", "NAME", CELL_TEXT },
	{ "why", "WHY", CELL_TEXT },
};

struct search {
	struct node node;
	struct iomem iomem;
	struct json_object *ranges;
};

/* what is between two children, as a range of its own */
struct piece {
	uint64_t start, end;	/* both included */
	const char *name;
};

/* the first window of that size in the range; false if there is none */
static bool window_in(uint64_t start, uint64_t end, uint64_t size)
{
	const uint64_t first = (start + size - 1) & -size;

	return first >= start && first + size - 1 >= first &&
		first + size - 1 <= end;
}

/* a text that says why entries of @size bytes do not fit */
static void why_not(const struct piece *p, uint64_t size, char why[80])
{
	char large[24], past[24];

	size_text(size, large);
	if (p->end - p->start < size - 1)
		snprintf(why, 80, "range: smaller than %s", large);
	else
		snprintf(why, 80, "alignment: starts %s past a multiple of %s",
			 size_text(p->start & (size - 1), past), large);
}

/* entries of @size bytes that the CPU has, should the kernel know them or not */
static uint64_t next_size(const struct search *s, uint64_t size)
{
	return size * (s->node.info.page_size / sizeof(uint64_t));
}

/* the largest that fits and the kernel has; @why is empty if nothing is larger */
static uint64_t largest(const struct search *s, const struct piece *p,
			char why[80])
{
	uint64_t size = s->node.info.page_size, large = size;
	char text[24];
	int level;

	why[0] = '\0';
	for (level = 1; level < HUGEPFN_LEVELS; level++) {
		large = next_size(s, size);
		if (!window_in(p->start, p->end, large)) {
			why_not(p, large, why);
			break;
		}
		if (!(s->node.info.orders * s->node.info.page_size & large)) {
			snprintf(why, 80, "kernel: no %s entries of device memory",
				 size_text(large, text));
			break;
		}
		size = large;
	}
	return size;
}

/* whole pages: those inside, or where there are none those it lies in */
static void to_pages(const struct search *s, struct piece *p)
{
	const uint64_t page = s->node.info.page_size;

	if (window_in(p->start, p->end, page)) {
		p->start = (p->start + page - 1) & -page;
		p->end = ((p->end + 1) & -page) - 1;
	} else {
		p->start &= -page;
		p->end |= page - 1;
	}
}

static void refused(const struct search *s, const struct piece *p, int err,
		    char why[80])
{
	const uint64_t page = s->node.info.page_size;
	const struct iomem_range *r;

	if (err != EPERM) {
		snprintf(why, 80, "%s", strerror(err));
		return;
	}
	if (p->end < 1 << 20) {
		strcpy(why, "the first megabyte of a PC");
		return;
	}
	r = claim_find(&s->iomem, s->node.fd, page, p->start, page);
	snprintf(why, 80, "claimed by '%.60s'", r ? r->name : "a driver");
}

static void add(struct search *s, const struct piece *p, uint64_t large,
		const char *why)
{
	struct json_object *range = json_object_new_object();

	put_number(range, "start", p->start);
	put_number(range, "end", p->end);
	put_number(range, "size", p->end - p->start + 1);
	put_text(range, "name", p->name);
	json_object_object_add(range, "mappable", json_object_new_boolean(large));
	json_object_object_add(range, "largest",
			       large ? json_object_new_uint64(large) : NULL);
	put_text(range, "why", *why ? why : NULL);
	json_object_array_add(s->ranges, range);
}

/*
 * The rule is the same for all pages of a piece, so the first one tells. A
 * cache mode that is in force there is no refusal: it can be asked for.
 */
static void judge(struct search *s, const struct piece *piece)
{
	struct piece pages = *piece;
	uint64_t large = 0;
	char why[80];
	int err;

	to_pages(s, &pages);
	err = claim_try(s->node.fd, pages.start, s->node.info.page_size);
	if (!err || err == EAGAIN)
		large = largest(s, &pages, why);
	else
		refused(s, &pages, err, why);
	add(s, piece, large, why);
}

/* what a bridge passes on is the devices', and between them is nothing */
static bool is_window(const struct iomem_range *range)
{
	return !strncmp(range->name, "PCI Bus", 7);
}

static size_t visit(struct search *s, size_t i);

/* a resource less its children, and they by themselves, in rising order */
static void visit_pieces(struct search *s, size_t i)
{
	const struct iomem_range *range = &s->iomem.ranges[i], *child;
	struct piece p = { .start = range->start, .name = range->name };
	const size_t end = iomem_next(&s->iomem, i);
	size_t c = i + 1;

	while (c < end) {
		child = &s->iomem.ranges[c];
		p.end = child->start - 1;
		if (child->start > p.start && !is_window(range))
			judge(s, &p);
		p.start = child->end + 1;
		c = visit(s, c);
	}
	p.end = range->end;
	if (p.start - 1 < p.end && !is_window(range))
		judge(s, &p);
}

static size_t visit(struct search *s, size_t i)
{
	const struct iomem_range *range = &s->iomem.ranges[i];
	const struct piece whole = { range->start, range->end, range->name };

	if (claim_is_ram(range))
		add(s, &whole, 0, "memory of the system");
	else
		visit_pieces(s, i);
	return iomem_next(&s->iomem, i);
}

static void find_ranges(struct search *s)
{
	const struct node_options node_options = node_options_default();
	size_t i;
	int err;

	node_open(&s->node, &node_options, O_RDONLY);
	err = iomem_read("/proc/iomem", &s->iomem);
	if (err == EPERM)
		die("/proc/iomem hides its addresses: run as root");
	if (err)
		die("/proc/iomem: %s", strerror(err));
	s->ranges = json_object_new_array();
	for (i = 0; i < s->iomem.n;)
		i = visit(s, i);
}

int cmd_info(int argc, char **argv)
{
	struct json_object *root;
	struct search s = {};

	while (next_option(argc, argv, options, help) >= 0)
		;
	no_more_operands(argc, argv);
	find_ranges(&s);
	if (json_wanted) {
		root = json_object_new_object();
		json_object_object_add(root, "ranges", s.ranges);
		print_json(root);
	} else {
		print_table(s.ranges, columns,
			    sizeof(columns) / sizeof(*columns));
	}
	return EXIT_OK;
}
