// SPDX-License-Identifier: GPL-2.0-only
/*
 * QUERY_RANGE and POPULATE. What the query says is held against what a touch
 * costs: where entries are said to be, no fault may follow, and where none
 * are, one must.
 */
#include "guest.h"

#include <sys/ioctl.h>
#include <signal.h>

#define RW (PROT_READ | PROT_WRITE)

static int query_errno(int fd, const void *p, uint64_t len,
		       struct hugepfn_range_info *info)
{
	*info = (struct hugepfn_range_info){
		.size = sizeof(*info),
		.addr = (uintptr_t)p,
		.length = len,
	};
	return ioctl(fd, HUGEPFN_IOC_QUERY_RANGE, info) ? errno : 0;
}

struct hugepfn_range_info query_range(int fd, const void *p, uint64_t len)
{
	struct hugepfn_range_info info;

	assert_int_equal(query_errno(fd, p, len, &info), 0);
	assert_int_equal(info.size, sizeof(info));
	return info;
}

static uint64_t mapped(const struct hugepfn_range_info *info)
{
	return info->mapped[0] + info->mapped[1] + info->mapped[2];
}

/* asks about each block, and then touches it */
static void assert_query_is_true(int fd, char *p, uint64_t len)
{
	uint64_t at, n;

	for (at = 0; at < len; at += n) {
		struct hugepfn_range_info info;
		long took;

		n = len - at < pmd_size / 2 ? len - at : pmd_size / 2;
		info = query_range(fd, p + at, n);
		took = touch(p + at, n, page_size);
		if (mapped(&info) == n)
			assert_int_equal(took, 0);
		else
			assert_in_range(took, 1, n / page_size);
		info = query_range(fd, p + at, n);
		assert_int_equal(mapped(&info), n);
	}
}

int populate_errno(int fd, const void *p, uint64_t len)
{
	struct hugepfn_populate range = {
		.size = sizeof(range),
		.addr = (uintptr_t)p,
		.length = len,
	};

	return ioctl(fd, HUGEPFN_IOC_POPULATE, &range) ? errno : 0;
}

/* by the largest entry that @len allows, on this kernel */
static uint64_t at_largest(const struct hugepfn_range_info *info, uint64_t len)
{
	if (has_pud && len >= pud_size)
		return info->mapped[2];
	return info->mapped[has_pmd && len >= pmd_size];
}

static void a_range_not_touched_has_nothing_but_its_cache_mode(void **state)
{
	int fd = open_hugemem(O_RDWR);
	char *p = map_at(fd, NULL, bar, pud_size, RW, MAP_SHARED);
	struct hugepfn_range_info info = query_range(fd, p, pud_size);

	(void)state;
	assert_int_equal(mapped(&info), 0);
	assert_int_equal(info.copied, 0);
	assert_int_equal(info.reserved, 0);
	assert_true(info.cache != HUGEPFN_CACHE_DEFAULT);
	munmap(p, pud_size);
	close(fd);
}

static void each_level_is_told_apart(void **state)
{
	const uint64_t len = pud_size + pmd_size + page_size;
	int fd = open_hugemem(O_RDWR);
	char *p = map_at(fd, NULL, bar, len, RW, MAP_SHARED);
	struct hugepfn_range_info info;

	(void)state;
	touch(p, len, page_size);
	info = query_range(fd, p, len);
	assert_int_equal(mapped(&info), len);
	if (has_pud)
		assert_int_equal(info.mapped[2], pud_size);
	if (has_pmd)
		assert_int_equal(info.mapped[1],
				 pmd_size + (has_pud ? 0 : pud_size));
	/* a part of an entry is counted in part */
	info = query_range(fd, p + page_size, 3 * page_size);
	assert_int_equal(at_largest(&info, pud_size), 3 * page_size);
	munmap(p, len);
	close(fd);
}

static void the_query_is_true_after_the_mapping_is_cut_and_moved(void **state)
{
	const uint64_t len = pud_size;
	int fd = open_hugemem(O_RDWR);
	char *p = map_at(fd, NULL, bar, len, RW, MAP_SHARED);
	struct hugepfn_range_info info;
	char *q;

	(void)state;
	touch(p, len, page_size);
	assert_int_equal(munmap(p + len / 2, page_size), 0);
	assert_int_equal(query_errno(fd, p, len, &info), ENOMEM);
	assert_query_is_true(fd, p, len / 2);
	assert_query_is_true(fd, p + len / 2 + page_size,
			     len / 2 - page_size);

	assert_int_equal(mprotect(p + pmd_size, pmd_size / 2, PROT_READ), 0);
	assert_query_is_true(fd, p, 4 * pmd_size);

	q = mremap(p + 4 * pmd_size, 8 * pmd_size, 8 * pmd_size,
		   MREMAP_MAYMOVE | MREMAP_FIXED,
		   reserve(8 * pmd_size, pmd_size, 0));
	assert_true(q != MAP_FAILED);
	assert_query_is_true(fd, q, 8 * pmd_size);
	assert_int_equal(query_errno(fd, p, 5 * pmd_size, &info), ENOMEM);
	munmap(q, 8 * pmd_size);
	munmap(p, len);
	close(fd);
}

static void the_query_is_true_after_a_claim_and_its_release(void **state)
{
	const uint64_t len = 4 * pmd_size;
	int fd = open_hugemem(O_RDWR);
	struct hugepfn_range_info info;
	char *p;

	(void)state;
	need_revocation();
	p = map_at(fd, NULL, bar, len, RW, MAP_SHARED);
	touch(p, len, page_size);
	assert_int_equal(claim(pmd_size, pmd_size), 0);
	info = query_range(fd, p + pmd_size, pmd_size);
	assert_int_equal(mapped(&info), 0);
	assert_query_is_true(fd, p, pmd_size);
	assert_query_is_true(fd, p + 2 * pmd_size, 2 * pmd_size);
	release();
	assert_query_is_true(fd, p, len);
	munmap(p, len);
	close(fd);
}

static void the_query_is_true_in_a_child(void **state)
{
	const uint64_t len = 4 * pmd_size;
	int fd = open_hugemem(O_RDWR);
	char *p = map_at(fd, NULL, bar, len, RW, MAP_SHARED);
	int status;
	pid_t child;

	(void)state;
	touch(p, len, page_size);
	child = fork();
	if (!child) {
		/* a failed assertion ends the child in another test's place */
		struct hugepfn_range_info info;
		uint64_t before;
		long took;

		if (query_errno(fd, p, len, &info))
			_exit(1);
		before = mapped(&info);
		took = touch(p, len, page_size);
		if (before == len ? took : !took)
			_exit(2);
		if (query_errno(fd, p, len, &info) || mapped(&info) != len)
			_exit(3);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_query_is_true(fd, p, len);
	munmap(p, len);
	close(fd);
}

static void private_copies_are_counted_apart(void **state)
{
	const uint64_t len = 2 * pmd_size;
	int fd = open_hugemem(O_RDWR);
	struct hugepfn_range_info info;
	char *p;

	(void)state;
	p = map_at(fd, NULL, bar, len, RW, MAP_PRIVATE);
	info = query_range(fd, p, len);
	assert_int_equal(info.mapped[0], len);
	p[3 * page_size] = 1;
	p[len - 1] = 1;
	info = query_range(fd, p, len);
	assert_int_equal(info.mapped[0], len - 2 * page_size);
	assert_int_equal(info.copied, 2 * page_size);
	munmap(p, len);
	close(fd);
}

/* asked for each mode: what is reported is what the reservation says */
static void the_cache_mode_in_force_is_reported_at_each_order(void **state)
{
	static const struct {
		uint32_t cache;
		const char *type;
	} rows[] = {
		{ HUGEPFN_CACHE_UC, "uncached" },
		{ HUGEPFN_CACHE_WC, "write-combining" },
		{ HUGEPFN_CACHE_WB, "write-back" },
#ifdef __aarch64__
		{ HUGEPFN_CACHE_DEVICE, "device" },
#else
		{ HUGEPFN_CACHE_UC_MINUS, "uncached-minus" },
		{ HUGEPFN_CACHE_WT, "write-through" },
#endif
	};
	const uint64_t lens[] = { page_size, pmd_size, pud_size };
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (j = 0; j < 3; j++) {
			int fd = open_hugemem(O_RDWR);
			struct hugepfn_range_info info;
			char *p;

			set_attr(fd, rows[i].cache, 0, HUGEPFN_MAP_STRICT);
			p = map_at(fd, NULL, bar, lens[j], RW, MAP_SHARED);
			info = query_range(fd, p, lens[j]);
			assert_int_equal(info.cache, rows[i].cache);
			touch(p, lens[j], page_size);
			info = query_range(fd, p, lens[j]);
			assert_int_equal(info.cache, rows[i].cache);
			assert_int_equal(mapped(&info), lens[j]);
			if (rows[i].cache != HUGEPFN_CACHE_WT)
				assert_int_equal(at_largest(&info, lens[j]),
						 lens[j]);
			if (memtypes_are_tracked())
				assert_true(reserved_as(rows[i].type, 0));
			munmap(p, lens[j]);
			close(fd);
		}
	}
}

/* UC- where WC is in force is granted as WC, but not to who is strict */
static void a_strict_file_gets_the_mode_it_asks_for_or_nothing(void **state)
{
	int wc = open_hugemem(O_RDWR), other = open_hugemem(O_RDWR);
	struct hugepfn_range_info info;
	char *p, *q;

	(void)state;
	if (!memtypes_are_tracked())
		skip_because("memory types are not tracked: all are granted");
	set_attr(wc, HUGEPFN_CACHE_WC, 0, 0);
	p = map_at(wc, NULL, bar, pmd_size, RW, MAP_SHARED);

	set_attr(other, HUGEPFN_CACHE_UC_MINUS, 0, 0);
	q = map_at(other, NULL, bar, pmd_size, RW, MAP_SHARED);
	info = query_range(other, q, pmd_size);
	assert_int_equal(info.cache, HUGEPFN_CACHE_WC);
	munmap(q, pmd_size);

	set_attr(other, HUGEPFN_CACHE_UC_MINUS, 0, HUGEPFN_MAP_STRICT);
	q = mmap(NULL, pmd_size, RW, MAP_SHARED, other, bar);
	assert_true(q == MAP_FAILED);
	assert_int_equal(errno, EAGAIN);
	q = mmap(NULL, pmd_size, RW, MAP_PRIVATE, other, bar);
	assert_true(q == MAP_FAILED);
	assert_int_equal(errno, EAGAIN);
	munmap(p, pmd_size);

	/* and with nothing else in force, it does */
	q = map_at(other, NULL, bar, pmd_size, RW, MAP_SHARED);
	info = query_range(other, q, pmd_size);
	assert_int_equal(info.cache, HUGEPFN_CACHE_UC_MINUS);
	munmap(q, pmd_size);
	close(other);
	close(wc);
}

static void a_populated_range_takes_no_fault(void **state)
{
	const uint64_t offsets[] = { 0, pmd_size, page_size };
	const uint64_t len = bar_size / 2;
	const uint64_t step = pmd_size > MIB(16) ? pmd_size : MIB(16);
	size_t i;

	(void)state;
	stamp(0, bar_size, step);
	for (i = 0; i < 3; i++) {
		int fd = open_hugemem(O_RDWR);
		char *p = map_at(fd, NULL, bar + offsets[i], len, RW,
				 MAP_SHARED);
		const uint64_t skip = step - offsets[i];
		struct hugepfn_range_info info;

		assert_int_equal(populate_errno(fd, p, len), 0);
		info = query_range(fd, p, len);
		assert_int_equal(mapped(&info), len);
		if (!offsets[i])
			assert_int_equal(at_largest(&info, len), len);
		assert_int_equal(touch(p, len, page_size), 0);
		assert_int_equal(store_signal(p + page_size), 0);
		assert_stamps(p + skip, step, len - step, step);
		/* once more is nothing */
		assert_int_equal(populate_errno(fd, p, len), 0);
		munmap(p, len);
		close(fd);
	}
}

static void a_part_is_populated_alone(void **state)
{
	const uint64_t len = 8 * pmd_size;
	int fd = open_hugemem(O_RDWR);
	char *p = map_at(fd, reserve(len, pmd_size, page_size), bar, len,
			 PROT_READ, MAP_SHARED | MAP_FIXED);
	struct hugepfn_range_info info;

	(void)state;
	assert_int_equal(populate_errno(fd, p + 4 * pmd_size, page_size), 0);
	info = query_range(fd, p, len);
	assert_in_range(mapped(&info), page_size, pmd_size);
	info = query_range(fd, p, 2 * pmd_size);
	assert_int_equal(mapped(&info), 0);
	munmap(p, len);
	close(fd);
}

static void a_claimed_page_stops_populate(void **state)
{
	const uint64_t len = 4 * pmd_size;
	int fd = open_hugemem(O_RDWR);
	char *p = map_at(fd, NULL, bar, len, RW, MAP_SHARED);
	struct hugepfn_range_info info;

	(void)state;
	assert_int_equal(claim(2 * pmd_size, page_size), 0);
	assert_int_equal(populate_errno(fd, p, len), EPERM);
	info = query_range(fd, p, 2 * pmd_size);
	assert_int_equal(mapped(&info), 2 * pmd_size);
	info = query_range(fd, p + 2 * pmd_size, page_size);
	assert_int_equal(mapped(&info), 0);
	release();
	assert_int_equal(populate_errno(fd, p, len), 0);
	info = query_range(fd, p, len);
	assert_int_equal(mapped(&info), len);
	munmap(p, len);
	close(fd);
}

static void populate_obeys_the_protection(void **state)
{
	int fd = open_hugemem(O_RDWR);
	char *p = map_at(fd, NULL, bar, 2 * pmd_size, PROT_NONE, MAP_SHARED);
	struct hugepfn_range_info info;

	(void)state;
	assert_int_equal(populate_errno(fd, p, pmd_size), EACCES);
	assert_int_equal(mprotect(p, pmd_size, PROT_READ), 0);
	assert_int_equal(populate_errno(fd, p, pmd_size), 0);
	assert_int_equal(populate_errno(fd, p, 2 * pmd_size), EACCES);
	info = query_range(fd, p, 2 * pmd_size);
	assert_int_equal(mapped(&info), pmd_size);
	assert_int_equal(store_signal(p), SIGSEGV);
	munmap(p, 2 * pmd_size);
	close(fd);
}

/* every way to name a wrong range, for both calls */
static void bad_ranges_are_refused(void **state)
{
	int fd = open_hugemem(O_RDWR), other = open_hugemem(O_RDWR);
	char *area = reserve(4 * pmd_size, pmd_size, 0);
	char *p = map_at(fd, area, bar, pmd_size, RW, MAP_SHARED | MAP_FIXED);
	char *q = map_at(other, area + pmd_size, bar + pmd_size, pmd_size, RW,
			 MAP_SHARED | MAP_FIXED);
	const struct {
		const void *at;
		uint64_t len;
		int err;
	} rows[] = {
		{ p, 0, EINVAL },
		{ p + 1, page_size, EINVAL },
		{ p, page_size / 2, EINVAL },
		{ p, -page_size, EINVAL },
		{ p, 2 * pmd_size, EINVAL },	/* the end is another file's */
		{ q, pmd_size, EINVAL },	/* all of it is */
		{ p - page_size, 2 * page_size, ENOMEM },
		{ NULL, page_size, ENOMEM },
		{ (void *)-page_size, page_size, EINVAL },
		{ (void *)0xffffffff81000000, page_size, ENOMEM },
	};
	struct hugepfn_range_info info;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(query_errno(fd, rows[i].at, rows[i].len,
					     &info), rows[i].err);
		assert_int_equal(populate_errno(fd, rows[i].at, rows[i].len),
				 rows[i].err);
	}
	/* nothing was filled before the foreign part was found */
	info = query_range(fd, p, pmd_size);
	assert_int_equal(mapped(&info), 0);
	munmap(area, 2 * pmd_size);
	close(other);
	close(fd);
}

static int raw(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) ? errno : 0;
}

static void bad_structs_are_refused(void **state)
{
	const unsigned long cmds[] = {
		HUGEPFN_IOC_QUERY_RANGE, HUGEPFN_IOC_POPULATE,
	};
	int fd = open_hugemem(O_RDWR);
	char *p = map_at(fd, NULL, bar, pmd_size, RW, MAP_SHARED);
	struct {
		uint32_t size, flags;
		uint64_t addr, length;
		uint64_t rest[64];
	} s;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		memset(&s, 0, sizeof(s));
		s.size = 24;
		s.addr = (uintptr_t)p;
		s.length = pmd_size;
		assert_int_equal(raw(fd, cmds[i], &s), 0);
		assert_int_equal(s.rest[0], 0);	/* past what there was room for */
		s.size = 20;
		assert_int_equal(raw(fd, cmds[i], &s), EINVAL);
		s.size = 24;
		s.flags = 1;
		assert_int_equal(raw(fd, cmds[i], &s), EINVAL);
		s.flags = 0;
		s.size = sizeof(s);
		assert_int_equal(raw(fd, cmds[i], &s), 0);
		memset(s.rest, 0, sizeof(s.rest));
		s.size = sizeof(s);
		s.rest[63] = 1;
		assert_int_equal(raw(fd, cmds[i], &s), E2BIG);
		s.size = 1 << 30;
		assert_int_equal(raw(fd, cmds[i], &s), E2BIG);
		assert_int_equal(raw(fd, cmds[i], NULL), EFAULT);
		assert_int_equal(raw(fd, cmds[i], (void *)0xffffffff81000000),
				 EFAULT);
	}
	munmap(p, pmd_size);
	close(fd);
}

const struct CMUnitTest range_tests[] = {
	cmocka_unit_test(a_range_not_touched_has_nothing_but_its_cache_mode),
	cmocka_unit_test(each_level_is_told_apart),
	cmocka_unit_test(the_query_is_true_after_the_mapping_is_cut_and_moved),
	cmocka_unit_test(the_query_is_true_after_a_claim_and_its_release),
	cmocka_unit_test(the_query_is_true_in_a_child),
	cmocka_unit_test(private_copies_are_counted_apart),
	cmocka_unit_test(the_cache_mode_in_force_is_reported_at_each_order),
	cmocka_unit_test(a_strict_file_gets_the_mode_it_asks_for_or_nothing),
	cmocka_unit_test(a_populated_range_takes_no_fault),
	cmocka_unit_test(a_part_is_populated_alone),
	cmocka_unit_test(a_claimed_page_stops_populate),
	cmocka_unit_test(populate_obeys_the_protection),
	cmocka_unit_test(bad_ranges_are_refused),
	cmocka_unit_test(bad_structs_are_refused),
};
const size_t range_tests_n = sizeof(range_tests) / sizeof(*range_tests);
