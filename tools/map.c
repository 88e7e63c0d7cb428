// SPDX-License-Identifier: GPL-2.0-only
/* hugepfn map: map a range, fill it, and tell what came of it */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tool.h"

static const char help[] =
"usage: hugepfn map ADDRESS LENGTH [OPTION]...\n"
"       hugepfn map --node /dev/hugeuioN [--map N] [0 LENGTH] [OPTION]...\n\n"
"Maps the range, fills the page tables without touching the device, and tells\n"
"what they hold: how much is mapped by entries of each size, in which cache\n"
"mode, and why not by larger ones.\n\n"
"  --node NODE        /dev/hugemem, or a /dev/hugeuioN\n"
"  --map N            which map of the hugeuio node (0)\n"
"  --cache MODE       " CACHE_NAMES "\n"
"  --strict           fail rather than get another cache mode\n"
"  --order LIMIT      no entry larger than 4K, 2M, 1G, or 2^LIMIT pages\n"
"  --at ADDRESS       where in this process; else the kernel chooses\n"
"  --misalign BYTES   so far past an address that suits the device's\n"
"  --json             for programs\n"
"  --help             this\n";

static const struct option options[] = {
	{ "strict", no_argument, NULL, 's' },
	{ "order", required_argument, NULL, 'o' },
	{ "at", required_argument, NULL, 'a' },
	{ "misalign", required_argument, NULL, 'i' },
	NODE_OPTIONS,
	COMMON_OPTIONS
};

static const struct column columns[] = {
	{ "page_size", "ENTRIES OF", CELL_SIZE },
	{ "entries", "NUMBER", CELL_NUMBER },
	{ "bytes", "MAPPED", CELL_SIZE },
	{ "faults", "FAULTS", CELL_NUMBER },
};

/* @len: 0 for all of a hugeuio node's map; @where, @misalign: 0 if not given */
struct request {
	struct node_options node;
	uint64_t at, len;
	uint64_t where, misalign;
};

/* LIMIT as a size if it is as large as a page, else as an order */
static void order_option(struct request *r, const char *text)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t n = number("--order", text);

	if (n >= page && !(n & (n - 1)))
		n = __builtin_ctzll(n / page);
	if (n >= 64)
		die_usage("--order '%s' is neither an order nor a size such as 4K, 2M or 1G",
			  text);
	/* 0 means no limit to the kernel, and there are no entries of order 1 */
	r->node.attr.max_order = n ? n : 1;
}

static void at_option(struct request *r, const char *text)
{
	r->where = page_multiple("--at", text);
	if (!r->where)
		die_usage("--at 0 is where nothing can be mapped");
}

static void parse_options(struct request *r, int argc, char **argv)
{
	int o;

	while ((o = next_option(argc, argv, options, help)) >= 0) {
		if (o == 's')
			r->node.attr.flags |= HUGEPFN_MAP_STRICT;
		else if (o == 'o')
			order_option(r, optarg);
		else if (o == 'a')
			at_option(r, optarg);
		else if (o == 'i')
			r->misalign = page_multiple("--misalign", optarg);
		else
			node_option(&r->node, o);
	}
	if (r->where && r->misalign)
		die_usage("--at and --misalign both say where: give one");
	if (r->node.attr.flags && !r->node.attr.cache)
		die_usage("--strict is about a --cache: give one");
}

/* a node that is named may be a hugeuio one, of which all can be meant */
static void parse_operands(struct request *r, int argc, char **argv)
{
	if (r->node.named && optind == argc)
		return;
	r->at = page_multiple("ADDRESS", operand(argc, argv, "ADDRESS"));
	r->len = page_multiple("LENGTH", operand(argc, argv, "LENGTH"));
	no_more_operands(argc, argv);
	if (!r->len)
		die_usage("LENGTH 0 maps nothing");
	if (r->at + r->len - 1 < r->at)
		die_usage("ADDRESS + LENGTH wraps around 2^64");
}

static void settle_range(struct request *r, const struct node *node)
{
	if (node->map < 0) {
		if (!r->len)
			die_usage("ADDRESS is missing; see --help");
		return;
	}
	if (r->at)
		die_usage("a map of a hugeuio node begins at its start: ADDRESS is 0");
	if (!r->len)
		r->len = node->size;
}

static uint64_t largest_size(const struct node *node)
{
	const uint64_t per_table = node->info.page_size / sizeof(uint64_t);

	return node->info.page_size * per_table * per_table;
}

/* an address so far past one that is congruent to the device's */
static void *misaligned(const struct node *node, uint64_t physical,
			const struct request *r)
{
	const uint64_t align = largest_size(node);
	char *p = mmap(NULL, r->len + 2 * align, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t wanted;

	if (p == MAP_FAILED)
		die("no room for %#" PRIx64 " bytes of addresses: %s", r->len,
		    strerror(errno));
	wanted = physical + r->misalign - (uintptr_t)p;
	return p + (wanted & (align - 1));
}

static char *map_range(const struct node *node, uint64_t physical,
		       const struct request *r)
{
	void *where = (void *)(uintptr_t)r->where;
	int flags = 0;

	if (r->misalign) {
		where = misaligned(node, physical, r);
		flags = MAP_FIXED;
	} else if (r->where) {
		flags = MAP_FIXED_NOREPLACE;
	}
	return node_mmap(node, r->at, r->len, PROT_READ | PROT_WRITE, where,
			 flags);
}

static _Noreturn void die_ioctl(const char *what, int err)
{
	if (err == ENOTTY)
		die("the loaded module is older than this command and cannot %s",
		    what);
	if (err == EPERM)
		die("cannot %s: a driver has claimed a part of the range since, or the device is gone, asleep or does not decode its memory",
		    what);
	die("cannot %s: %s", what, strerror(err));
}

/* in pieces that end where the largest entries do */
static void populate(const struct node *node, const char *p, uint64_t len)
{
	struct progress progress = progress_begin("populate", len);
	const uint64_t step = largest_size(node);
	uint64_t done, next;

	for (done = 0; done < len; done = next) {
		struct hugepfn_populate range = {
			.size = sizeof(range),
			.addr = (uintptr_t)p + done,
		};

		next = (range.addr & -step) + step - (uintptr_t)p;
		if (next > len)
			next = len;
		range.length = next - done;
		if (ioctl(node->fd, HUGEPFN_IOC_POPULATE, &range))
			die_ioctl("populate", errno);
		progress_show(&progress, next);
	}
	progress_end(&progress);
}

/* up to the largest size that entries can have; larger means nothing */
static uint64_t congruence(const struct node *node, const void *p,
			   uint64_t physical)
{
	const uint64_t differs = ((uintptr_t)p ^ physical) | largest_size(node);

	return differs & -differs;
}

static struct json_object *pages_of(const struct node *node,
				    const struct hugepfn_range_info *range,
				    struct json_object *faults)
{
	struct json_object *pages = json_object_new_array(), *page;
	int level;

	for (level = HUGEPFN_LEVELS - 1; level >= 0; level--) {
		const uint64_t size = node_page_size(node, level);
		char key[24];

		if (!size)
			continue;
		page = json_object_new_object();
		snprintf(key, sizeof(key), "order%d",
			 __builtin_ctzll(size / node->info.page_size));
		put_number(page, "page_size", size);
		put_number(page, "entries", range->mapped[level] / size);
		put_number(page, "bytes", range->mapped[level]);
		put_number(page, "faults", get_number(faults, key));
		json_object_array_add(pages, page);
	}
	return pages;
}

static struct json_object *result_of(const struct node *node,
				     const struct request *r, const void *p,
				     uint64_t physical)
{
	struct hugepfn_range_info range = {
		.size = sizeof(range),
		.addr = (uintptr_t)p,
		.length = r->len,
	};
	struct json_object *root = json_object_new_object(), *all, *faults;
	char fdinfo[40];

	if (ioctl(node->fd, HUGEPFN_IOC_QUERY_RANGE, &range))
		die_ioctl("query the range", errno);
	snprintf(fdinfo, sizeof(fdinfo), "/proc/self/fdinfo/%d", node->fd);
	all = fdinfo_numbers(fdinfo, "");
	faults = fdinfo_numbers(fdinfo, "faults-");
	put_text(root, "node", node->path);
	put_number(root, "physical", physical);
	put_number(root, "length", r->len);
	put_number(root, "address", (uintptr_t)p);
	put_number(root, "congruent", congruence(node, p, physical));
	put_text(root, "asked", cache_name(r->node.attr.cache));
	put_text(root, "cache", cache_name(range.cache));
	put_number(root, "reserved", get_number(all, "reserved"));
	json_object_object_add(root, "pages", pages_of(node, &range, faults));
	json_object_object_add(root, "smaller",
			       fdinfo_numbers(fdinfo, "smaller-"));
	json_object_put(faults);
	json_object_put(all);
	return root;
}

static void print_reasons(struct json_object *smaller)
{
	const char *before = "not larger  ";
	bool any = false;

	json_object_object_foreach(smaller, reason, times) {
		if (!json_object_get_uint64(times))
			continue;
		printf("%s%s %s", before, reason,
		       json_object_get_string(times));
		before = ", ";
		any = true;
	}
	if (any)
		putchar('\n');
}

static void print_people(struct json_object *root)
{
	char size[24];

	printf("range       %#" PRIx64 ", %s of %s\n",
	       get_number(root, "physical"),
	       size_text(get_number(root, "length"), size),
	       get_text(root, "node"));
	printf("mapped at   %#" PRIx64 ", congruent to %s\n",
	       get_number(root, "address"),
	       size_text(get_number(root, "congruent"), size));
	printf("cache mode  %s, asked for %s\n", get_text(root, "cache"),
	       get_text(root, "asked"));
	print_reasons(json_object_object_get(root, "smaller"));
	putchar('\n');
	print_table(json_object_object_get(root, "pages"), columns,
		    sizeof(columns) / sizeof(*columns));
}

int cmd_map(int argc, char **argv)
{
	struct json_object *root;
	struct request r = { .node = node_options_default() };
	struct node node;
	uint64_t physical;
	char *p;

	parse_options(&r, argc, argv);
	parse_operands(&r, argc, argv);
	node_open(&node, &r.node, O_RDWR);
	settle_range(&r, &node);
	physical = node.address + r.at;
	p = map_range(&node, physical, &r);
	populate(&node, p, r.len);
	root = result_of(&node, &r, p, physical);
	if (json_wanted)
		print_json(root);
	else
		print_people(root);
	json_object_put(root);
	return EXIT_OK;
}
