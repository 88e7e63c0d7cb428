// SPDX-License-Identifier: GPL-2.0-only
/* Which entries a mapping gets, in how many faults, at which address */
#include "guest.h"

#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

static uint64_t congruence(const void *p, uint64_t offset, uint64_t size)
{
	return ((uintptr_t)p - (bar + offset)) & (size - 1);
}

/* how many entries a fully aligned range of @len takes */
static long entries(uint64_t len)
{
	return len / (has_pud ? pud_size : pmd_size);
}

static void the_whole_bar_takes_one_fault_per_largest_entry(void **state)
{
	char *p;

	(void)state;
	if (bar_size < pud_size)
		skip_because("the BAR is smaller than a PUD entry");
	stamp(0, bar_size, MIB(16));
	p = map_bar(0, bar_size);
	assert_int_equal(touch(p + page_size, bar_size - page_size, pmd_size),
			 entries(bar_size));
	assert_int_equal(touch(p, bar_size, pmd_size), 0);
	assert_stamps(p, 0, bar_size, MIB(16));
	munmap(p, bar_size);
}

static void at_a_pmd_offset_each_pmd_window_takes_one_fault(void **state)
{
	const uint64_t len = MIB(256);
	char *p;

	(void)state;
	stamp(pmd_size, len, page_size);
	p = map_bar(pmd_size, len);
	assert_int_equal(touch(p, len, page_size), len / pmd_size);
	assert_int_equal(touch(p, len, page_size), 0);
	assert_stamps(p, pmd_size, len, page_size);
	munmap(p, len);
}

static void four_pmd_windows_take_four_faults(void **state)
{
	char *p;

	(void)state;
	p = map_bar(0, 4 * pmd_size);
	assert_int_equal(touch(p, 4 * pmd_size, page_size), 4);
	munmap(p, 4 * pmd_size);
}

static void a_page_offset_takes_one_fault_per_page_table(void **state)
{
	const uint64_t len = 2 * pmd_size;
	char *p;

	(void)state;
	stamp(page_size, len, page_size);
	p = map_bar(page_size, len);
	assert_in_range(touch(p, len, page_size), 1, 4);
	assert_int_equal(touch(p, len, page_size), 0);
	assert_stamps(p, page_size, len, page_size);
	munmap(p, len);
}

static void a_misaligned_address_takes_one_fault_per_page_table(void **state)
{
	const uint64_t len = MIB(256);
	int fd = open_hugemem(O_RDWR);
	char *p;

	(void)state;
	stamp(0, len, page_size);
	p = map_at(fd, reserve(len, pmd_size, page_size), bar, len,
		   PROT_READ, MAP_SHARED | MAP_FIXED);
	assert_int_equal(touch(p, len, page_size), len / pmd_size + 1);
	assert_int_equal(touch(p, len, page_size), 0);
	assert_stamps(p, 0, len, page_size);
	munmap(p, len);
	close(fd);
}

/* a 1 GiB entry at an address aligned to it, but not to the frame: C1 */
static void an_aligned_address_over_a_misaligned_frame_shows_the_right_pages(
	void **state)
{
	const uint64_t offsets[] = { page_size, pmd_size, pud_size / 2 };
	const uint64_t len = pud_size + pmd_size / 2;
	int fd = open_hugemem(O_RDWR);
	size_t i;

	(void)state;
	stamp(0, bar_size, MIB(1));
	for (i = 0; i < 3; i++) {
		char *p = map_at(fd, reserve(len, pud_size, 0),
				 bar + offsets[i], len, PROT_READ,
				 MAP_SHARED | MAP_FIXED);
		const uint64_t skip = MIB(1) - offsets[i] % MIB(1);

		assert_stamps(p + skip, offsets[i] + skip, len - MIB(2),
			      MIB(1));
		munmap(p, len);
	}
	close(fd);
}

static void any_byte_of_a_window_brings_the_whole_window(void **state)
{
	const uint64_t len = MIB(64);
	char *p;

	(void)state;
	stamp(pmd_size, len, page_size);
	p = map_bar(pmd_size, len);
	assert_int_equal(touch(p + 5 * page_size, len - 5 * page_size, pmd_size),
			 len / pmd_size);
	assert_int_equal(touch(p, len, page_size), 0);
	assert_stamps(p, pmd_size, len, page_size);
	munmap(p, len);
}

static void addresses_are_congruent_at_the_largest_order_that_fits(void **state)
{
	const uint64_t table = pmd_size * (page_size / 8);
	const uint64_t largest = pud_size == table ? table : pmd_size;
	const struct {
		uint64_t offset, len, congruent;
	} rows[] = {
		{ 0, 2 * pud_size, largest },
		{ 0, bar_size, largest },
		{ MIB(96), pud_size * 3 + pud_size / 2, largest },
		{ 0, MIB(64), pmd_size },
		{ page_size, MIB(64), pmd_size },
		{ pmd_size - page_size, pmd_size + page_size, pmd_size },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		void *p;

		if (rows[i].offset + rows[i].len > bar_size)
			continue;
		p = map_bar(rows[i].offset, rows[i].len);
		assert_int_equal(congruence(p, rows[i].offset,
					    rows[i].congruent), 0);
		munmap(p, rows[i].len);
	}
}

/* a head and a tail of PMD entries around PUD entries: F1 (ii) */
static void an_odd_range_has_large_entries_in_its_middle(void **state)
{
	const uint64_t offset = MIB(96), len = pud_size * 3 + pud_size / 2;
	const uint64_t head = pud_size - offset;
	const uint64_t tail = (offset + len) % pud_size;
	char *p;

	(void)state;
	if (!has_pud || offset + len > bar_size)
		skip_because("no PUD entries, or the BAR is too small");
	p = map_bar(offset, len);
	assert_int_equal(touch(p, len, pmd_size),
			 head / pmd_size + tail / pmd_size +
			 (len - head - tail) / pud_size);
	munmap(p, len);
}

static void a_free_hint_is_honoured(void **state)
{
	const uint64_t len = MIB(64);
	void *hint = reserve(len, pmd_size, page_size);
	int fd = open_hugemem(O_RDWR);
	void *p;

	(void)state;
	p = map_at(fd, hint, bar, len, PROT_READ, MAP_SHARED);
	assert_ptr_equal(p, hint);
	/* taken now: another address, and again a congruent one */
	p = map_at(fd, hint, bar, len, PROT_READ, MAP_SHARED);
	assert_ptr_not_equal(p, hint);
	assert_int_equal(congruence(p, 0, pmd_size), 0);
	munmap(p, len);
	munmap(hint, len);
	close(fd);
}

static void alignment_never_makes_a_mapping_fail(void **state)
{
	int fd = open_hugemem(O_RDWR);
	struct rlimit old, tight;
	void *p;

	(void)state;
#ifdef MAP_32BIT
	p = mmap(NULL, MIB(64), PROT_READ, MAP_SHARED | MAP_32BIT, fd, bar);
	assert_true(p != MAP_FAILED);
	assert_true((uintptr_t)p + MIB(64) <= GIB(4));
	munmap(p, MIB(64));
#endif

	/* room for the mapping, none for an alignment gap */
	getrlimit(RLIMIT_AS, &old);
	tight = old;
	tight.rlim_cur = status_kib("VmSize:") * 1024 + MIB(65);
	setrlimit(RLIMIT_AS, &tight);
	p = mmap(NULL, MIB(64), PROT_READ, MAP_SHARED, fd, bar);
	setrlimit(RLIMIT_AS, &old);
	assert_true(p != MAP_FAILED);
	munmap(p, MIB(64));
	close(fd);
}

static void addresses_stay_random(void **state)
{
	bool differ = false;
	void *first = NULL;
	int i;

	(void)state;
	for (i = 0; i < 8 && !differ; i++) {
		int pipes[2];
		void *p = NULL;
		pid_t child;

		assert_int_equal(pipe(pipes), 0);
		child = fork();
		if (!child) {
			/* a new program has a new layout */
			dup2(pipes[1], 1);
			execl("/proc/self/exe", "hugepfn-test", "--address",
			      (char *)NULL);
			_exit(1);
		}
		close(pipes[1]);
		assert_int_equal(read(pipes[0], &p, sizeof(p)), sizeof(p));
		close(pipes[0]);
		waitpid(child, NULL, 0);
		differ = first && p != first;
		first = p;
	}
	assert_true(differ);
}

static void page_tables_do_not_grow_with_the_mapping(void **state)
{
	const uint64_t len = bar_size / 2;
	uint64_t before, after;
	char *p;

	(void)state;
	if (!has_pud || len < pud_size)
		skip_because("no PUD entries, or the BAR is too small");
	p = map_bar(0, len);
	before = status_kib("VmPTE:");
	touch(p, len, page_size * 16);
	after = status_kib("VmPTE:");
	assert_in_range(after - before, 0, 16);
	munmap(p, len);
}

static void the_largest_order_can_be_limited(void **state)
{
	const unsigned int pmd_order = __builtin_ctzll(pmd_size / page_size);
	const uint64_t len = pud_size;
	int fd = open_hugemem(O_RDWR);
	char *p;

	(void)state;
	set_attr(fd, HUGEPFN_CACHE_DEFAULT, pmd_order, 0);
	p = map_at(fd, NULL, bar, len, PROT_READ, MAP_SHARED);
	assert_int_equal(touch(p, len, pmd_size / 2), len / pmd_size);
	munmap(p, len);
	close(fd);
}

struct toucher {
	pthread_barrier_t *barrier;
	volatile char *p;
	int sig;
};

static void *touch_one(void *arg)
{
	struct toucher *t = arg;

	pthread_barrier_wait(t->barrier);
	t->sig = load_signal(t->p);
	return NULL;
}

static void threads_may_fault_one_window_at_once(void **state)
{
	enum { THREADS = 16 };
	const uint64_t len = pud_size;
	struct toucher t[THREADS];
	pthread_barrier_t barrier;
	pthread_t id[THREADS];
	int round, i;

	(void)state;
	stamp(0, len, len / THREADS);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (round = 0; round < 100; round++) {
		/* the PUD window, then a single PMD window */
		uint64_t span = round & 1 ? pmd_size : len;
		char *p = map_bar(0, span);

		for (i = 0; i < THREADS; i++) {
			t[i].barrier = &barrier;
			t[i].p = p + span / THREADS * i;
			pthread_create(&id[i], NULL, touch_one, &t[i]);
		}
		for (i = 0; i < THREADS; i++) {
			pthread_join(id[i], NULL);
			assert_int_equal(t[i].sig, 0);
		}
		if (span == len)
			assert_stamps(p, 0, len, len / THREADS);
		munmap(p, span);
	}
	pthread_barrier_destroy(&barrier);
}

const struct CMUnitTest map_tests[] = {
	cmocka_unit_test(the_whole_bar_takes_one_fault_per_largest_entry),
	cmocka_unit_test(at_a_pmd_offset_each_pmd_window_takes_one_fault),
	cmocka_unit_test(four_pmd_windows_take_four_faults),
	cmocka_unit_test(a_page_offset_takes_one_fault_per_page_table),
	cmocka_unit_test(a_misaligned_address_takes_one_fault_per_page_table),
	cmocka_unit_test(an_aligned_address_over_a_misaligned_frame_shows_the_right_pages),
	cmocka_unit_test(any_byte_of_a_window_brings_the_whole_window),
	cmocka_unit_test(addresses_are_congruent_at_the_largest_order_that_fits),
	cmocka_unit_test(an_odd_range_has_large_entries_in_its_middle),
	cmocka_unit_test(a_free_hint_is_honoured),
	cmocka_unit_test(alignment_never_makes_a_mapping_fail),
	cmocka_unit_test(addresses_stay_random),
	cmocka_unit_test(page_tables_do_not_grow_with_the_mapping),
	cmocka_unit_test(the_largest_order_can_be_limited),
	cmocka_unit_test(threads_may_fault_one_window_at_once),
};
const size_t map_tests_n = sizeof(map_tests) / sizeof(*map_tests);
