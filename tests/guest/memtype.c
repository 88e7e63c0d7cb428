// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory type is reserved for as long as a piece of the mapping lives.
 * The BAR is write-back by its MTRR in QEMU, so that a plain mapping and an
 * O_SYNC one want different types.
 */
#include "guest.h"
#include "uio.h"

#define PAT_LIST "/sys/kernel/debug/x86/pat_memtype_list"
#define RW (PROT_READ | PROT_WRITE)

/* x86 keeps an account, and shows it where the kernel has debugfs */
bool memtypes_are_tracked(void)
{
	return !access(PAT_LIST, R_OK);
}

#define need_tracking() do {						\
	if (!memtypes_are_tracked())						\
		skip_because("no " PAT_LIST ": memory types are not tracked"); \
} while (0)

static int sync_map(const char *node, uint64_t offset, uint64_t len)
{
	return try_map(node, O_RDWR | O_SYNC, bar + offset, len, RW,
		       MAP_SHARED);
}

/* the lines of the list about the BAR */
static int reservations(void)
{
	char *text = read_file(PAT_LIST), *line, *save = NULL;
	int n = 0;

	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned long long start, end;
		char *at = strstr(line, "0x");

		if (at && sscanf(at, "%llx-%llx", &start, &end) == 2 &&
		    start < bar + bar_size && end > bar)
			n++;
	}
	free(text);
	return n;
}

/* has the BAR that type, there? */
bool reserved_as(const char *type, uint64_t offset)
{
	char *text = read_file(PAT_LIST), *line, *save = NULL;
	bool found = false;

	for (line = strtok_r(text, "\n", &save); line && !found;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned long long start, end;
		char *at = strstr(line, "0x");

		found = at && sscanf(at, "%llx-%llx", &start, &end) == 2 &&
			start <= bar + offset && end > bar + offset &&
			strstr(line, type);
	}
	free(text);
	return found;
}

static int attr_map(uint32_t cache, uint64_t offset, uint64_t len, void **p)
{
	int fd = open_hugemem(O_RDWR), err = 0;

	set_attr(fd, cache, 0, 0);
	*p = mmap(NULL, len, RW, MAP_SHARED, fd, bar + offset);
	if (*p == MAP_FAILED)
		err = errno;
	close(fd);
	return err;
}

static void a_conflicting_cache_mode_is_refused_in_both_directions(void **state)
{
	int mem = open_node("/dev/mem", O_RDWR);
	void *p, *q;

	(void)state;
	need_tracking();
	p = map_bar(0, MIB(4));
	assert_int_equal(sync_map("/dev/mem", 0, page_size), EAGAIN);
	assert_int_equal(sync_map("/dev/mem", MIB(3), MIB(4)), EAGAIN);
	assert_int_equal(sync_map("/dev/hugemem", 0, page_size), EAGAIN);
	assert_int_equal(attr_map(HUGEPFN_CACHE_UC, 0, page_size, &q), EAGAIN);
	assert_int_equal(attr_map(HUGEPFN_CACHE_WC, 0, page_size, &q), EAGAIN);
	munmap(p, MIB(4));
	assert_int_equal(sync_map("/dev/mem", 0, page_size), 0);

	p = map_at(mem, NULL, bar, MIB(4), RW, MAP_SHARED);
	assert_int_equal(sync_map("/dev/hugemem", 0, page_size), EAGAIN);
	assert_int_equal(sync_map("/dev/hugemem", 0, pud_size), EAGAIN);
	assert_int_equal(sync_map("/dev/hugemem", MIB(4), MIB(4)), 0);
	munmap(p, MIB(4));
	assert_int_equal(sync_map("/dev/hugemem", 0, page_size), 0);
	assert_int_equal(reservations(), 0);
	close(mem);
}

/* who may open a node could fill it otherwise */
static void a_refused_cache_mode_is_not_told_to_the_log(void **state)
{
	void *p, *q;

	(void)state;
	need_tracking();
	assert_int_equal(attr_map(HUGEPFN_CACHE_WC, 0, MIB(4), &p), 0);
	log_mark();
	assert_int_equal(attr_map(HUGEPFN_CACHE_WT, 0, page_size, &q), EAGAIN);
	assert_int_equal(attr_map(HUGEPFN_CACHE_WT, MIB(1), MIB(4), &q),
			 EAGAIN);
	munmap(p, MIB(4));
	assert_int_equal(attr_map(HUGEPFN_CACHE_WB, 0, MIB(4), &p), 0);
	assert_int_equal(sync_map("/dev/hugemem", 0, page_size), EAGAIN);
	assert_int_equal(attr_map(HUGEPFN_CACHE_UC, 0, page_size, &q), EAGAIN);
	munmap(p, MIB(4));
	assert_false(log_has("ioremap"));
	assert_false(log_has("conflicting memory types"));
}

static void conflicting_cache_mode_is_refused_while_half_is_mapped(void **state)
{
	char *p;

	(void)state;
	need_tracking();
	p = map_bar(0, 4 * pmd_size);
	munmap(p, 2 * pmd_size);
	assert_int_equal(sync_map("/dev/mem", 0, page_size), EAGAIN);
	munmap(p + 3 * pmd_size, pmd_size);
	assert_int_equal(sync_map("/dev/mem", 0, page_size), EAGAIN);
	munmap(p + 2 * pmd_size, pmd_size);
	assert_int_equal(sync_map("/dev/mem", 0, page_size), 0);
	assert_int_equal(reservations(), 0);
}

/* fork, then unmap in either order; split; mremap */
static void the_last_piece_gives_the_reservation_back(void **state)
{
	int child_first, status;
	char *p, *q;

	(void)state;
	need_tracking();
	for (child_first = 0; child_first < 2; child_first++) {
		int go[2];
		pid_t child;
		char c;

		assert_int_equal(pipe(go), 0);
		p = map_bar(0, pmd_size);
		child = fork();
		if (!child) {
			if (!child_first)
				(void)!read(go[0], &c, 1);
			munmap(p, pmd_size);
			_exit(0);
		}
		if (child_first)
			waitpid(child, &status, 0);
		assert_int_equal(sync_map("/dev/mem", 0, page_size), EAGAIN);
		munmap(p, pmd_size);
		assert_int_equal(sync_map("/dev/mem", 0, page_size),
				 child_first ? 0 : EAGAIN);
		(void)!write(go[1], "", 1);
		if (!child_first)
			waitpid(child, &status, 0);
		close(go[0]);
		close(go[1]);
		assert_int_equal(reservations(), 0);
	}

	p = map_bar(0, 4 * pmd_size);
	assert_int_equal(mprotect(p + pmd_size, pmd_size, PROT_READ), 0);
	q = mremap(p + 2 * pmd_size, pmd_size, pmd_size,
		   MREMAP_MAYMOVE | MREMAP_FIXED,
		   reserve(pmd_size, pmd_size, 0));
	assert_true(q != MAP_FAILED);
	munmap(p, 4 * pmd_size);
	assert_int_equal(sync_map("/dev/mem", 0, page_size), EAGAIN);
	munmap(q, pmd_size);
	assert_int_equal(reservations(), 0);
}

static void every_cache_mode_is_reserved_as_asked(void **state)
{
	const struct {
		uint32_t cache;
		const char *type;
	} rows[] = {
		{ HUGEPFN_CACHE_DEFAULT, "write-back" },
		{ HUGEPFN_CACHE_UC, "uncached" },
		{ HUGEPFN_CACHE_UC_MINUS, "uncached-minus" },
		{ HUGEPFN_CACHE_WC, "write-combining" },
		{ HUGEPFN_CACHE_WT, "write-through" },
		{ HUGEPFN_CACHE_WB, "write-back" },
	};
	size_t i;
	void *p;

	(void)state;
	need_tracking();
	stamp(0, MIB(8), page_size);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(attr_map(rows[i].cache, page_size, MIB(6),
					  &p), 0);
		assert_true(reserved_as(rows[i].type, page_size));
		assert_true(reserved_as(rows[i].type, MIB(6)));
		assert_stamps(p, page_size, MIB(6), page_size);
		assert_int_equal(store_signal(p), 0);
		munmap(p, MIB(6));
		assert_int_equal(reservations(), 0);
	}
}

/* B1: beside sysfs' write-combining file of the same BAR */
static void sysfs_write_combining_and_ours_never_differ(void **state)
{
	char path[128];
	int wc, round;

	(void)state;
	need_tracking();
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource2_wc",
		 getenv("HUGEPFN_BAR_DEV") ?: "");
	wc = open(path, O_RDWR);
	if (wc < 0)
		skip_because("%s: %s", path, strerror(errno));
	for (round = 0; round < 100; round++) {
		void *other = map_at(wc, NULL, 0, MIB(2), RW, MAP_SHARED);
		void *p, *q;

		/* plain asks for write-back, which write-combining replaces */
		assert_int_equal(attr_map(HUGEPFN_CACHE_UC_MINUS, MIB(2),
					  MIB(2), &p), 0);
		munmap(p, MIB(2));
		assert_int_equal(attr_map(HUGEPFN_CACHE_WC, 0, MIB(2), &q), 0);
		assert_true(reserved_as("write-combining", 0));
		munmap(q, MIB(2));
		munmap(other, MIB(2));
		assert_int_equal(reservations(), 0);
	}
	close(wc);
}

/* nothing else is held while a failed mapping is undone */
static void a_refused_mapping_leaves_no_reservation(void **state)
{
	int mem = open_node("/dev/mem", O_RDWR), before;
	void *p;

	(void)state;
	need_tracking();
	p = map_at(mem, NULL, bar + 5 * pmd_size, page_size, RW, MAP_SHARED);
	before = reservations();
	/* head and middle are free, the conflict is in the tail */
	assert_int_equal(sync_map("/dev/hugemem", page_size, 5 * pmd_size),
			 EAGAIN);
	assert_int_equal(reservations(), before);
	munmap(p, page_size);
	assert_int_equal(sync_map("/dev/hugemem", page_size, 5 * pmd_size), 0);
	close(mem);
}

/* the neighbours in the address space too, with no warning in the log */
static void a_range_over_several_resources_can_be_mapped(void **state)
{
	uint64_t before = bar + bar_size;

	(void)state;
	assert_int_equal(try_map("/dev/hugemem", O_RDWR, before - pmd_size,
				 pmd_size, RW, MAP_SHARED), 0);
	/* behind the BAR lies another device's, which its driver claimed */
	assert_int_equal(try_map("/dev/hugemem", O_RDWR,
				 before + pud_size * 8 - MIB(2), MIB(4), RW,
				 MAP_SHARED), 0);
}

static void maps_of_one_range_share_a_reservation(void **state)
{
	void *a, *b;
	int n;

	(void)state;
	need_tracking();
	a = map_bar(0, 4 * pmd_size);
	n = reservations();
	b = map_bar(pmd_size, pmd_size);
	assert_int_equal(reservations(), n);
	munmap(a, 4 * pmd_size);
	assert_int_equal(reservations(), n);
	assert_int_equal(sync_map("/dev/mem", pmd_size, page_size), EAGAIN);
	munmap(b, pmd_size);
	assert_int_equal(reservations(), 0);
}

/*
 * F2: /dev/mem's rule, not sysfs' which keeps its _wc file for prefetchable
 * BARs: whoever asks for a mode by name gets it.
 */
static void a_bar_that_is_not_prefetchable_can_be_write_combining(void **state)
{
	char addr[16], path[80];
	uint64_t size, at;
	int fd;
	void *p;

	(void)state;
	need_tracking();
	if (!pci_find(0x8086, 0x2922, addr))
		skip_because("no AHCI controller of QEMU's q35");
	at = pci_bar(addr, 5, &size);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource5_wc",
		 addr);
	assert_int_equal(access(path, F_OK), -1);

	fd = open_hugemem(O_RDWR);
	set_attr(fd, HUGEPFN_CACHE_WC, 0, HUGEPFN_MAP_STRICT);
	p = map_at(fd, NULL, at, size, PROT_READ, MAP_SHARED);
	assert_int_equal(load_signal(p), 0);
	assert_true(reserved_as("write-combining", at - bar));
	munmap(p, size);
	close(fd);
}

const struct CMUnitTest memtype_tests[] = {
	cmocka_unit_test(a_bar_that_is_not_prefetchable_can_be_write_combining),
	cmocka_unit_test(a_conflicting_cache_mode_is_refused_in_both_directions),
	cmocka_unit_test(a_refused_cache_mode_is_not_told_to_the_log),
	cmocka_unit_test(conflicting_cache_mode_is_refused_while_half_is_mapped),
	cmocka_unit_test(the_last_piece_gives_the_reservation_back),
	cmocka_unit_test(every_cache_mode_is_reserved_as_asked),
	cmocka_unit_test(sysfs_write_combining_and_ours_never_differ),
	cmocka_unit_test(a_refused_mapping_leaves_no_reservation),
	cmocka_unit_test(a_range_over_several_resources_can_be_mapped),
	cmocka_unit_test(maps_of_one_range_share_a_reservation),
};
const size_t memtype_tests_n = sizeof(memtype_tests) / sizeof(*memtype_tests);

/* booted with nopat: no write-combining but by MTRRs */
static void without_pat_write_combining_is_uncached_minus(void **state)
{
	int fd = open_hugemem(O_RDWR);
	struct hugepfn_range_info info;
	char *p;

	(void)state;
	stamp(0, pmd_size, page_size);
	set_attr(fd, HUGEPFN_CACHE_WC, 0, 0);
	p = map_at(fd, NULL, bar, pmd_size, RW, MAP_SHARED);
	assert_stamps(p, 0, pmd_size, page_size);
	info = query_range(fd, p, pmd_size);
	assert_int_equal(info.cache, HUGEPFN_CACHE_UC_MINUS);
	munmap(p, pmd_size);
	close(fd);
}

static void without_pat_who_insists_on_write_combining_is_refused(void **state)
{
	int fd = open_hugemem(O_RDWR);

	(void)state;
	set_attr(fd, HUGEPFN_CACHE_WC, 0, HUGEPFN_MAP_STRICT);
	assert_ptr_equal(mmap(NULL, pmd_size, RW, MAP_SHARED, fd, bar),
			 MAP_FAILED);
	assert_int_equal(errno, EAGAIN);
	set_attr(fd, HUGEPFN_CACHE_UC_MINUS, 0, HUGEPFN_MAP_STRICT);
	munmap(map_at(fd, NULL, bar, pmd_size, RW, MAP_SHARED), pmd_size);
	close(fd);
}

const struct CMUnitTest nopat_tests[] = {
	cmocka_unit_test(without_pat_write_combining_is_uncached_minus),
	cmocka_unit_test(without_pat_who_insists_on_write_combining_is_refused),
};
const size_t nopat_tests_n = sizeof(nopat_tests) / sizeof(*nopat_tests);
