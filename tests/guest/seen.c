// SPDX-License-Identifier: GPL-2.0-only
/* What people can see of a mapping: fdinfo, tracepoints, debugfs */
#include "guest.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#ifdef __x86_64__
#include <asm/mtrr.h>
#endif

#define RW (PROT_READ | PROT_WRITE)
#define RESERVATIONS "/sys/kernel/debug/hugepfn/reservations"

/* a number of /proc/self/fdinfo/FD */
static uint64_t fdinfo(int fd, const char *key)
{
	char path[64], *text, *line;
	uint64_t value;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	text = read_file(path);
	line = strstr(text, key);
	if (!line)
		fail_msg("no %s in %s", key, path);
	value = strtoull(line + strlen(key) + 1, NULL, 10);
	free(text);
	return value;
}

static uint64_t faults_of(int fd, uint64_t size)
{
	char key[32];

	snprintf(key, sizeof(key), "faults-order%d",
		 __builtin_ctzll(size / page_size));
	return fdinfo(fd, key);
}

static void faults_are_counted_by_order(void **state)
{
	const uint64_t len = pud_size + 2 * pmd_size + page_size;
	int fd = open_hugemem(O_RDWR);
	char *p = map_at(fd, NULL, bar, len, RW, MAP_SHARED);
	long took;

	(void)state;
	took = touch(p, len, page_size);
	assert_int_equal(fdinfo(fd, "reserved"), len);
	if (has_pud)
		assert_int_equal(faults_of(fd, pud_size), 1);
	if (has_pmd)
		assert_int_equal(faults_of(fd, pmd_size),
				 2 + (has_pud ? 0 : pud_size / pmd_size));
	assert_int_equal(faults_of(fd, page_size) +
			 (has_pmd ? faults_of(fd, pmd_size) : 0) +
			 (has_pud ? faults_of(fd, pud_size) : 0), took);
	munmap(p, len);
	assert_int_equal(fdinfo(fd, "reserved"), 0);
	close(fd);
}

/* the only reason that a file's faults gave */
static void assert_reason(int fd, const char *reason, uint64_t n)
{
	static const char * const all[] = {
		"kernel", "limit", "offset", "window", "cache", "range",
		"advice", "table",
	};
	size_t i;

	if (!has_pmd)
		reason = "kernel";
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		char key[32];

		snprintf(key, sizeof(key), "smaller-%s", all[i]);
		if (fdinfo(fd, key) != (strcmp(all[i], reason) ? 0 : n))
			fail_msg("%s is %llu, want %s to be %llu and the only one",
				 key, (unsigned long long)fdinfo(fd, key),
				 reason, (unsigned long long)n);
	}
}

static void each_reason_for_a_smaller_entry_is_told(void **state)
{
	const unsigned int pmd_order = __builtin_ctzll(pmd_size / page_size);
	int fd;
	char *p;

	(void)state;
	fd = open_hugemem(O_RDWR);
	p = map_at(fd, reserve(pmd_size, pmd_size, page_size), bar, pmd_size,
		   RW, MAP_SHARED | MAP_FIXED);
	touch(p, pmd_size, page_size);
	assert_reason(fd, "offset", 2);
	munmap(p, pmd_size);
	close(fd);

	fd = open_hugemem(O_RDWR);
	p = map_at(fd, reserve(pmd_size, pmd_size, 0), bar, pmd_size / 2, RW,
		   MAP_SHARED | MAP_FIXED);
	touch(p, pmd_size / 2, page_size);
	assert_reason(fd, "window", 1);
	munmap(p, pmd_size / 2);
	close(fd);

	fd = open_hugemem(O_RDWR);
	set_attr(fd, HUGEPFN_CACHE_DEFAULT, pmd_order - 1, 0);
	p = map_at(fd, NULL, bar, pmd_size, RW, MAP_SHARED);
	touch(p, pmd_size, page_size);
	assert_reason(fd, "limit", 1);
	munmap(p, pmd_size);
	close(fd);

	fd = open_hugemem(O_RDWR);
	p = map_at(fd, reserve(pmd_size, pud_size, 0), bar, pmd_size, RW,
		   MAP_SHARED | MAP_FIXED);
	assert_int_equal(claim(page_size, page_size), 0);
	assert_int_equal(load_signal(p), 0);
	assert_reason(fd, "range", 1);
	/* the page table stays when the driver leaves */
	release();
	munmap(p, pmd_size);
	close(fd);

	fd = open_hugemem(O_RDWR);
	p = map_at(fd, reserve(pmd_size, pmd_size, 0), bar, pmd_size, RW,
		   MAP_SHARED | MAP_FIXED);
	assert_int_equal(madvise(p, pmd_size, MADV_NOHUGEPAGE), 0);
	touch(p, pmd_size, page_size);
	assert_reason(fd, "advice", 1);
	munmap(p, pmd_size);
	close(fd);
}

static void smaller_entries_that_are_there_are_a_reason(void **state)
{
	int fd;
	char *p;

	(void)state;
	if (!has_pmd)
		skip_because("this kernel has entries of one order only");
	fd = open_hugemem(O_RDWR);
	p = map_at(fd, NULL, bar, pmd_size, RW, MAP_SHARED);
	assert_int_equal(claim(page_size, page_size), 0);
	assert_int_equal(load_signal(p), 0);
	release();
	/* what came back with the neighbours is 4K entries; this page is new */
	assert_int_equal(load_signal(p + 2 * page_size), 0);
	assert_int_equal(fdinfo(fd, "smaller-range"), 1);
	assert_int_equal(fdinfo(fd, "smaller-table"), 1);
	munmap(p, pmd_size);
	close(fd);
}

/* an MTRR over half of the window, which goes when its file is closed */
static void two_memory_types_in_a_window_are_a_reason(void **state)
{
#ifdef __x86_64__
	const struct mtrr_sentry uncached = {
		.base = bar + pmd_size / 2,
		.size = pmd_size / 2,
		.type = MTRR_TYPE_UNCACHABLE,
	};
	int fd, mtrr = open("/proc/mtrr", O_WRONLY);
	char *p;

	(void)state;
	if (mtrr < 0)
		skip_because("no /proc/mtrr");
	if (ioctl(mtrr, MTRRIOC_ADD_ENTRY, &uncached) < 0) {
		close(mtrr);
		skip_because("no MTRR to be had: %s", strerror(errno));
	}
	fd = open_hugemem(O_RDWR);
	set_attr(fd, HUGEPFN_CACHE_UC_MINUS, 0, 0);
	p = map_at(fd, NULL, bar, pmd_size, RW, MAP_SHARED);
	touch(p, pmd_size, page_size);
	munmap(p, pmd_size);
	close(mtrr);
	assert_int_equal(faults_of(fd, page_size), 1);
	assert_reason(fd, "cache", 1);
	close(fd);
#else
	(void)state;
	skip_because("MTRRs are x86's");
#endif
}

static void assert_traced(const char *want)
{
	char *text = read_file(TRACING "trace");

	if (!strstr(text, want))
		fail_msg("want:\n%s\nin:\n%s", want, text);
	free(text);
}

static void the_trace_tells_each_fault_and_reservation(void **state)
{
	const unsigned long long phys = bar + pmd_size;
	char want[128];
	int fd = open_hugemem(O_RDWR);
	char *p;

	(void)state;
	need_revocation();
	write_file(TRACING "events/hugepfn/enable", "1");

	set_attr(fd, HUGEPFN_CACHE_WC, 0, 0);
	/* congruent to the address modulo a PMD entry, but not a PUD entry */
	p = map_at(fd, reserve(pmd_size, pud_size, 0), phys, pmd_size, RW,
		   MAP_SHARED | MAP_FIXED);
	snprintf(want, sizeof(want),
		 "track: phys=%#llx size=%#llx asked=wc granted=wc error=0",
		 phys, (unsigned long long)pmd_size);
	assert_traced(want);

	p[page_size] = 1;
	snprintf(want, sizeof(want),
		 "fault: addr=%#lx phys=%#llx order=%d write smaller=%s error=0",
		 (unsigned long)p + page_size, phys + page_size,
		 has_pmd ? __builtin_ctzll(pmd_size / page_size) : 0,
		 has_pud ? "window" : "kernel");
	assert_traced(want);

	assert_int_equal(claim(pmd_size, page_size), 0);
	assert_int_equal(load_signal(p), SIGBUS);
	assert_traced("error=-14");
	release();

	write_file(TRACING "events/hugepfn/enable", "0");
	munmap(p, pmd_size);
	close(fd);
}

static void live_reservations_are_listed_with_who_made_them(void **state)
{
	const uint64_t len = 4 * pmd_size;
	int fd = open_hugemem(O_RDWR);
	char want[128], *text, *p, *q;

	(void)state;
	set_attr(fd, HUGEPFN_CACHE_WC, 0, 0);
	p = map_at(fd, NULL, bar, len, RW, MAP_SHARED);
	q = map_at(fd, NULL, bar + pmd_size, pmd_size, RW, MAP_SHARED);
	prctl(PR_SET_NAME, "renamed");
	text = read_file(RESERVATIONS);
	prctl(PR_SET_NAME, "hugepfn-test");
	snprintf(want, sizeof(want),
		 "%llx-%llx wc\n\t%llx-%llx wc hugemem pid %d hugepfn-test\n\t%llx-%llx wc hugemem",
		 (unsigned long long)bar, (unsigned long long)(bar + len - 1),
		 (unsigned long long)bar, (unsigned long long)(bar + len - 1),
		 getpid(), (unsigned long long)(bar + pmd_size),
		 (unsigned long long)(bar + 2 * pmd_size - 1));
	if (!strstr(text, want))
		fail_msg("want:\n%s\nin:\n%s", want, text);
	free(text);
	munmap(p, len);
	munmap(q, pmd_size);
	text = read_file(RESERVATIONS);
	assert_string_equal(text, "");
	free(text);
	close(fd);
}

const struct CMUnitTest seen_tests[] = {
	cmocka_unit_test(faults_are_counted_by_order),
	cmocka_unit_test(each_reason_for_a_smaller_entry_is_told),
	cmocka_unit_test(smaller_entries_that_are_there_are_a_reason),
	cmocka_unit_test(two_memory_types_in_a_window_are_a_reason),
	cmocka_unit_test(the_trace_tells_each_fault_and_reservation),
	cmocka_unit_test(live_reservations_are_listed_with_who_made_them),
};
const size_t seen_tests_n = sizeof(seen_tests) / sizeof(*seen_tests);
