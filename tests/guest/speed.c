// SPDX-License-Identifier: GPL-2.0-only
/*
 * What mapping costs, in instructions: under QEMU's -icount shift=0 the guest's
 * clock counts them. Everything is compared within one run.
 */
#include "cost.h"

#define RW (PROT_READ | PROT_WRITE)

#define need_huge_entries() do {					\
	need_icount();							\
	if (!has_pud)							\
		skip_because("no PUD entries on this kernel");		\
} while (0)

static uint64_t mmap_cost(int fd, uint64_t offset, uint64_t len)
{
	uint64_t start = now(), cost;
	void *p = mmap(NULL, len, RW, MAP_SHARED, fd, bar + offset);

	cost = now() - start;
	assert_true(p != MAP_FAILED);
	munmap(p, len);
	return cost;
}

static void check_mmap(int fd, const char *what, uint64_t offset, uint64_t len,
		       uint64_t limit)
{
	uint64_t cost = best_of_5(mmap_cost(fd, offset, len));

	print_message("# mmap of %llu MiB at +%#llx, %s: %llu instructions (limit %llu)\n",
		      (unsigned long long)(len >> 20),
		      (unsigned long long)offset, what,
		      (unsigned long long)cost, (unsigned long long)limit);
	assert_in_range(cost, 1, limit);
}

static void mmap_does_not_grow_with_the_mapping(void **state)
{
	int fd = open_hugemem(O_RDWR);
	void *all;

	(void)state;
	need_huge_entries();
	check_mmap(fd, "new", 0, pud_size, 12000);
	check_mmap(fd, "new", pud_size, 2 * pud_size, 12000);
	check_mmap(fd, "new", 0, bar_size, 12000);
	check_mmap(fd, "new", pmd_size, MIB(2), 12000 + 250);
	check_mmap(fd, "new", pmd_size, MIB(256), 12000 + 250 * 128);
	check_mmap(fd, "new", pmd_size, pud_size, 12000 + 250 * 512);

	all = map_at(fd, NULL, bar, bar_size, RW, MAP_SHARED);
	check_mmap(fd, "reserved", 0, bar_size, 8000);
	check_mmap(fd, "reserved", pmd_size, pud_size, 8000);
	check_mmap(fd, "reserved", page_size, pud_size, 8000);
	check_mmap(fd, "reserved", page_size, MIB(4), 8000);
	munmap(all, bar_size);
	close(fd);
}

/*
 * The part of a range before its first and after its last PMD boundary takes
 * an alias in 4 KiB entries: up to two page tables, whatever the length.
 */
static void a_page_offset_costs_two_page_tables_more(void **state)
{
	const uint64_t tables = 2 * 45 * 512 + 2 * 6000;
	int fd = open_hugemem(O_RDWR);

	(void)state;
	need_huge_entries();
	check_mmap(fd, "new", page_size, MIB(4), 12000 + 250 * 2 + tables);
	check_mmap(fd, "new", page_size, MIB(256), 12000 + 250 * 128 + tables);
	close(fd);
}

/* mmap() at a misaligned address and the first touch of every page */
static uint64_t setup_cost(const char *node)
{
	const uint64_t len = MIB(256);
	int fd = open_node(node, O_RDWR);
	void *at = reserve(len, pmd_size, page_size);
	uint64_t start = now(), cost;
	char *p = mmap(at, len, RW, MAP_SHARED | MAP_FIXED, fd, bar);

	assert_true(p != MAP_FAILED);
	touch(p, len, page_size);
	cost = now() - start;
	munmap(p, len);
	close(fd);
	return cost;
}

static void misaligned_set_up_costs_at_most_a_quarter_of_devmem(void **state)
{
	uint64_t devmem, hugemem;

	(void)state;
	need_huge_entries();
	devmem = setup_cost("/dev/mem");
	hugemem = setup_cost("/dev/hugemem");
	print_message("# set-up of a misaligned 256 MiB: /dev/mem %llu, /dev/hugemem %llu instructions\n",
		      (unsigned long long)devmem, (unsigned long long)hugemem);
	assert_true(hugemem * 4 <= devmem);
}

static uint64_t fork_cost_with_2_gib(const char *node)
{
	const uint64_t len = 2 * pud_size;
	int fd = open_node(node, O_RDWR);
	char *p = map_at(fd, NULL, bar, len, RW, MAP_SHARED);
	uint64_t cost;

	touch(p, len, page_size);
	cost = fork_cost();
	munmap(p, len);
	close(fd);
	return cost;
}

static void fork_with_2_gib_is_200_times_cheaper_than_devmem(void **state)
{
	uint64_t devmem, hugemem;

	(void)state;
	need_huge_entries();
	devmem = fork_cost_with_2_gib("/dev/mem");
	hugemem = best_of_5(fork_cost_with_2_gib("/dev/hugemem"));
	print_message("# fork with 2 GiB mapped: /dev/mem %llu, /dev/hugemem %llu instructions\n",
		      (unsigned long long)devmem, (unsigned long long)hugemem);
	assert_true(hugemem * 200 <= devmem);
}

const struct CMUnitTest speed_tests[] = {
	cmocka_unit_test(mmap_does_not_grow_with_the_mapping),
	cmocka_unit_test(a_page_offset_costs_two_page_tables_more),
	cmocka_unit_test(misaligned_set_up_costs_at_most_a_quarter_of_devmem),
	cmocka_unit_test(fork_with_2_gib_is_200_times_cheaper_than_devmem),
};
const size_t speed_tests_n = sizeof(speed_tests) / sizeof(*speed_tests);
