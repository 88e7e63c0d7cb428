// SPDX-License-Identifier: GPL-2.0-only
/* Nodes for the ranges that the module's parameter names */
#include "uio.h"

#include <signal.h>
#include <sys/stat.h>

#define RW (PROT_READ | PROT_WRITE)

static int reload(const char *regions)
{
	char options[400];

	assert_int_equal(module_unload("hugepfn"), 0);
	snprintf(options, sizeof(options), "regions=%s", regions);
	return module_load("hugepfn", options);
}

struct claimed {
	const char *name;
	uint64_t start, end;
	bool found;
};

static void find_claimed(const struct iomem_range *r, void *arg)
{
	struct claimed *c = arg;

	c->found |= !strcmp(r->name, c->name) && r->start == c->start &&
		    r->end == c->end;
}

static void each_region_has_a_node_and_is_claimed(void **state)
{
	struct claimed first = { "fpga", bar, bar + MIB(8) - 1, false };
	char list[200], *p;
	struct uio_node node;
	int fd, err;

	(void)state;
	stamp(0, MIB(8), page_size);
	snprintf(list, sizeof(list), "fpga@%#llx+8M,shared-1@%#llx+0x200000:wc",
		 (unsigned long long)bar, (unsigned long long)bar + MIB(16));
	assert_int_equal(reload(list), 0);
	assert_true(uio_by_name("shared-1", &node));
	assert_int_equal(uio_number(&node, "maps/map0/addr"), bar + MIB(16));
	assert_int_equal(uio_number(&node, "maps/map0/size"), MIB(2));

	assert_true(uio_by_name("fpga", &node));
	iomem_each(find_claimed, &first);
	assert_true(first.found);
	assert_int_equal(try_map("/dev/hugemem", O_RDWR, bar, page_size, RW,
				 MAP_SHARED), EPERM);
	assert_int_equal(try_map("/dev/hugemem", O_RDWR, bar + MIB(8),
				 page_size, RW, MAP_SHARED), 0);

	fd = open_node(node.dev, O_RDWR);
	p = uio_map(fd, 0, MIB(8));
	/* one for each page table; a map shorter than a table may lie in two */
	assert_int_equal(touch(p, MIB(8), page_size),
			 ((uintptr_t)p + MIB(8) - 1) / pmd_size -
			 (uintptr_t)p / pmd_size + 1);
	assert_stamps(p, 0, MIB(8), page_size);
	assert_int_equal(uio_try_map(fd, 0, MIB(8) + page_size), EINVAL);
	read_count(fd, &err);
	assert_int_equal(err, EIO);
	assert_int_not_equal(module_unload("hugepfn"), 0);
	munmap(p, MIB(8));
	close(fd);
	assert_int_equal(reload(""), 0);
	assert_false(uio_by_name("fpga", &node));
	assert_int_equal(try_map("/dev/hugemem", O_RDWR, bar, page_size, RW,
				 MAP_SHARED), 0);
}

static unsigned int reservations(void)
{
	char *text = read_file("/sys/kernel/debug/hugepfn/reservations");
	char *line, *save = NULL;
	unsigned int n = 0;

	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		n += *line != '\t';
	free(text);
	return n;
}

/* each reservation takes the kernel's own addresses, of which it has few */
static void lengths_without_end_take_few_reservations(void **state)
{
	enum { MAPS = 1000 };
	struct uio_node node;
	char list[200], *p[MAPS];
	uint64_t i;
	int fd;

	(void)state;
	snprintf(list, sizeof(list), "fpga@%#llx+%#llx",
		 (unsigned long long)bar, (unsigned long long)16 * pmd_size);
	assert_int_equal(reload(list), 0);
	assert_true(uio_by_name("fpga", &node));
	fd = open_node(node.dev, O_RDWR);
	for (i = 0; i < MAPS; i++)
		p[i] = uio_map(fd, 0, 8 * pmd_size + (i + 1) * page_size);
	assert_int_equal(reservations(), 1);
	for (i = 0; i < MAPS; i++)
		munmap(p[i], 8 * pmd_size + (i + 1) * page_size);
	for (i = 0; i < MAPS; i++)
		p[i] = uio_map(fd, 0, (i + 1) * page_size);
	/* 1, 2, 4 and so on */
	assert_in_range(reservations(), 2, 12);
	for (i = 0; i < MAPS; i++)
		munmap(p[i], (i + 1) * page_size);
	assert_int_equal(reservations(), 0);
	close(fd);
	assert_int_equal(reload(""), 0);
}

static void a_group_needs_no_capability(void **state)
{
	struct uio_node node;
	char list[200];
	int status;
	pid_t child;

	(void)state;
	snprintf(list, sizeof(list), "fpga@%#llx+8M", (unsigned long long)bar);
	assert_int_equal(reload(list), 0);
	assert_true(uio_by_name("fpga", &node));
	/* what the udev rule does */
	assert_int_equal(chown(node.dev, 0, 1234), 0);
	assert_int_equal(chmod(node.dev, 0660), 0);
	child = fork();
	if (!child) {
		if (setgid(1234) || setuid(65534))
			_exit(1);
		_exit(try_map(node.dev, O_RDWR, 0, MIB(8), RW, MAP_SHARED) ||
		      try_map("/dev/hugemem", O_RDWR, bar, MIB(8), RW,
			      MAP_SHARED) != EACCES);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(reload(""), 0);
}

static void the_cache_mode_is_the_lists_unless_a_file_asks(void **state)
{
	struct uio_node node;
	char list[200], *p;
	int fd;

	(void)state;
	if (!memtypes_are_tracked())
		skip_because("memory types are not tracked");
	snprintf(list, sizeof(list), "a@%#llx+2M:wc", (unsigned long long)bar);
	assert_int_equal(reload(list), 0);
	assert_true(uio_by_name("a", &node));
	fd = open_node(node.dev, O_RDWR);
	p = uio_map(fd, 0, MIB(2));
	assert_true(reserved_as("write-combining", 0));
	munmap(p, MIB(2));
	close(fd);
	assert_int_equal(reload(""), 0);
}

struct bad {
	const char *entry, *message;
};

static void refuse(const char *list, const char *message)
{
	struct uio_node node;

	log_mark();
	assert_int_not_equal(reload(list), 0);
	if (!log_has(message))
		fail_msg("'%s': no line '%s' in the log", list, message);
	assert_false(uio_by_name("good", &node));
	assert_int_equal(module_load("hugepfn", ""), 0);
}

/* one good entry before the bad one: none of them is left */
static void a_bad_list_refuses_the_load_with_one_line(void **state)
{
	static const struct bad bad[] = {
		{ "", "does not begin with NAME@" },
		{ "@0x1000+0x10000", "does not begin with NAME@" },
		{ "x/y@0x1000+0x10000", "does not begin with NAME@" },
		{ "x@+0x10000", "no ADDR+LEN of" },
		{ "x@0x1000", "no ADDR+LEN of" },
		{ "x@0x100000000+", "no LEN of" },
		{ "x@0x10000000100000000+0x10000", "no ADDR+LEN of" },
		{ "x@0x100000000+0x10000:hot", "its cache mode is none of" },
		{ "x@0x100000010+0x10000", "not a multiple of the page size" },
		{ "x@0x100000000+0", "not a multiple of the page size" },
		{ "x@0xffffffffffff0000+0x20000", "past the last address" },
		{ "x@0xfff000000000000+0x10000", "past what the CPU can address" },
#ifdef __x86_64__
		{ "x@0+0x10000", "System RAM or the first megabyte" },
#endif
	};
	char list[300];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(list, sizeof(list), "good@%#llx+2M,%s",
			 (unsigned long long)bar + MIB(64), bad[i].entry);
		refuse(list, bad[i].message);
	}
	snprintf(list, sizeof(list), "ram@%#llx+%#llx",
		 (unsigned long long)iomem_ram(), (unsigned long long)page_size);
	refuse(list, "System RAM");
	snprintf(list, sizeof(list), "a@%#llx+4M,b@%#llx+4M",
		 (unsigned long long)bar, (unsigned long long)bar + MIB(2));
	refuse(list, "overlaps a range that is claimed");
	assert_int_equal(claim(0, page_size), 0);
	snprintf(list, sizeof(list), "a@%#llx+4M", (unsigned long long)bar);
	refuse(list, "overlaps a range that is claimed");
	release();
}

const struct CMUnitTest regions_tests[] = {
	cmocka_unit_test(each_region_has_a_node_and_is_claimed),
	cmocka_unit_test(lengths_without_end_take_few_reservations),
	cmocka_unit_test(a_group_needs_no_capability),
	cmocka_unit_test(the_cache_mode_is_the_lists_unless_a_file_asks),
	cmocka_unit_test(a_bad_list_refuses_the_load_with_one_line),
};
const size_t regions_tests_n = sizeof(regions_tests) / sizeof(*regions_tests);
