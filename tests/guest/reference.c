// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the reference work measured, here and by instructions, each beside the
 * kernel's own ways in the same run. tests/reference/run makes a report of the
 * figures; what must hold on any machine is asserted.
 */
#include "cost.h"
#include "peers.h"

#define RW (PROT_READ | PROT_WRITE)
#define ROUNDS 3

enum what { MMAP, FIRST_TOUCH, FAULTS, SET_UP, SWEEP, FORK, TABLES, MUNMAP,
	    WHATS };

static const struct {
	const char *name, *unit;
} whats[WHATS] = {
	[MMAP] = { "mmap", "instructions" },
	[FIRST_TOUCH] = { "first-touch", "instructions" },
	[FAULTS] = { "faults", "faults" },
	[SET_UP] = { "set-up", "instructions" },
	[SWEEP] = { "sweep", "instructions" },
	[FORK] = { "fork", "instructions" },
	[TABLES] = { "page-tables", "bytes" },
	[MUNMAP] = { "munmap", "instructions" },
};

struct costs {
	uint64_t of[WHATS];
};

/* a load each cache line, as theirs */
static void sweep(const volatile char *p, uint64_t len)
{
	uint64_t i;

	for (i = 0; i < len; i += 64)
		p[i];
}

static struct costs measure_once(const struct peer *peer, void *at,
				 uint64_t len)
{
	uint64_t tables = status_kib("VmPTE:"), *of;
	struct costs costs;
	char *p;

	of = costs.of;
	of[MMAP] = cost_of(p = mmap(at, len, RW, MAP_SHARED |
				    (at ? MAP_FIXED : 0), peer->fd,
				    (off_t)peer->offset));
	assert_true(p != MAP_FAILED);
	of[FIRST_TOUCH] = cost_of(of[FAULTS] = touch(p, len, page_size));
	of[SET_UP] = of[MMAP] + of[FIRST_TOUCH];
	of[SWEEP] = cost_of(sweep(p, len));
	of[TABLES] = (status_kib("VmPTE:") - tables) * 1024;
	of[FORK] = fork_cost();
	of[MUNMAP] = cost_of(munmap(p, len));
	return costs;
}

/* the least of each, over a few rounds: interrupts only ever add */
static struct costs measure(const struct peer *peer, void *at, uint64_t len)
{
	struct costs least = measure_once(peer, at, len), one;
	int round, i;

	for (round = 1; round < ROUNDS; round++) {
		one = measure_once(peer, at, len);
		for (i = 0; i < WHATS; i++)
			if (one.of[i] < least.of[i])
				least.of[i] = one.of[i];
	}
	return least;
}

/* a figure for each, as CASE:WHAT */
static void tell(const char *name, const struct peer *peer, uint64_t len,
		 const struct costs *costs)
{
	char what[60];
	int i;

	for (i = 0; i < WHATS; i++) {
		snprintf(what, sizeof(what), "%s:%s", name, whats[i].name);
		figure(what, peer->name, len, costs->of[i], whats[i].unit);
	}
}

static struct costs measure_and_tell(const char *name, enum peer_kind kind,
				     void *at, uint64_t len)
{
	struct costs costs;
	struct peer peer;

	peer_open(kind, &peer);
	costs = measure(&peer, at, len);
	tell(name, &peer, len, &costs);
	peer_close(&peer);
	return costs;
}

/* S3: their table of 256 MiB of /dev/mem */
static void a_256_mib_mapping_beside_devmem(void **state)
{
	const uint64_t len = MIB(256);
	struct costs us, them;

	(void)state;
	need_icount();
	them = measure_and_tell("plain", PEER_DEVMEM, NULL, len);
	us = measure_and_tell("plain", PEER_HUGEMEM, NULL, len);
	assert_int_equal(them.of[FAULTS], 0);
	assert_int_equal(us.of[FAULTS], len / pmd_size);
	assert_true(us.of[MMAP] * 95 <= them.of[MMAP]);
	/* the loads themselves are the same */
	assert_in_range(us.of[SWEEP], them.of[SWEEP] / 100 * 99,
			them.of[SWEEP] / 100 * 101);
}

/* S4: their table of 8 MiB of a UIO device */
static void an_8_mib_map_of_a_uio_node_beside_uio(void **state)
{
	const uint64_t len = MIB(8);
	struct costs us, them;

	(void)state;
	need_icount();
	them = measure_and_tell("plain", PEER_UIO, NULL, len);
	us = measure_and_tell("plain", PEER_HUGEUIO, NULL, len);
	assert_int_equal(them.of[FAULTS], 0);
	assert_int_equal(us.of[FAULTS], len / pmd_size);
	assert_true(us.of[MMAP] < them.of[MMAP]);
}

static uint64_t eager_cost(enum peer_kind kind, uint64_t len)
{
	struct peer peer;
	uint64_t cost;
	void *p;

	peer_open(kind, &peer);
	cost = cost_of(p = mmap(NULL, len, RW, MAP_SHARED, peer.fd,
				(off_t)peer.offset));
	assert_true(p != MAP_FAILED);
	figure("populated:set-up", peer.name, len, cost, "instructions");
	figure("populated:entries", peer.name, len, len / page_size, "entries");
	munmap(p, len);
	peer_close(&peer);
	return cost;
}

static uint64_t populate_cost(enum peer_kind kind, uint64_t len)
{
	struct hugepfn_range_info info;
	struct peer peer;
	uint64_t cost;
	int err;
	void *p;

	peer_open(kind, &peer);
	cost = cost_of(p = mmap(NULL, len, RW, MAP_SHARED, peer.fd,
				(off_t)peer.offset);
		       err = populate_errno(peer.fd, p, len));
	assert_int_equal(err, 0);
	info = query_range(peer.fd, p, len);
	assert_int_equal(touch(p, len, page_size), 0);
	figure("populated:set-up", peer.name, len, cost, "instructions");
	figure("populated:entries", peer.name, len,
	       info.mapped[0] / page_size + info.mapped[1] / pmd_size +
	       info.mapped[2] / pud_size, "entries");
	munmap(p, len);
	peer_close(&peer);
	return cost;
}

/* S5: a mapping filled when it is made, by them page for page */
static void a_populated_gib_beside_an_eager_remap(void **state)
{
	const uint64_t lens[] = { MIB(256), GIB(1), GIB(4) };
	size_t i;

	(void)state;
	need_icount();
	for (i = 0; i < 3 && lens[i] <= bar_size; i++) {
		uint64_t devmem = eager_cost(PEER_DEVMEM, lens[i]);
		uint64_t uio = eager_cost(PEER_UIO, lens[i]);
		uint64_t hugemem = populate_cost(PEER_HUGEMEM, lens[i]);
		uint64_t hugeuio = populate_cost(PEER_HUGEUIO, lens[i]);

		assert_true(hugemem < devmem);
		assert_true(hugeuio < uio);
	}
}

/* S6: what cannot have huge entries, for the address is off by a page */
static void a_misaligned_mapping_beside_a_fault_a_page(void **state)
{
	const uint64_t len = MIB(256);
	void *at = reserve(len, pmd_size, page_size);
	struct costs us, eager, by_page;

	(void)state;
	need_icount();
	eager = measure_and_tell("misaligned", PEER_DEVMEM, at, len);
	us = measure_and_tell("misaligned", PEER_HUGEMEM, at, len);
	by_page = measure_and_tell("misaligned", PEER_VFIO, at, len);
	assert_int_equal(us.of[FAULTS], len / pmd_size + 1);
	assert_int_equal(by_page.of[FAULTS], len / page_size);
	assert_true(us.of[SET_UP] * 9 <= by_page.of[SET_UP]);
	assert_true(us.of[SET_UP] * 4 <= eager.of[SET_UP]);
}

static long faults_with_hint(const struct peer *peer, const char *name,
			     void *hint, uint64_t len)
{
	char *p = map_at(peer->fd, hint, peer->offset, len, RW, MAP_SHARED);
	long took = touch(p, len, page_size);
	char what[40];

	snprintf(what, sizeof(what), "hint-%s:faults", name);
	figure(what, peer->name, len, took, "faults");
	if (hint)
		assert_ptr_equal(p, hint);
	munmap(p, len);
	return took;
}

/* S7: the address that the kernel chooses, or is hinted at */
static void an_address_congruent_without_being_asked(void **state)
{
	const uint64_t len = MIB(256);
	struct peer peer;
	enum peer_kind kinds[] = { PEER_VFIO, PEER_HUGEMEM };
	size_t i;

	(void)state;
	need_icount();
	for (i = 0; i < 2; i++) {
		long none, congruent, misaligned;

		peer_open(kinds[i], &peer);
		none = faults_with_hint(&peer, "none", NULL, len);
		congruent = faults_with_hint(&peer, "congruent",
					     reserve(len, pmd_size, 0), len);
		misaligned = faults_with_hint(&peer, "misaligned",
				reserve(len, pmd_size, page_size), len);
		if (kinds[i] == PEER_HUGEMEM) {
			assert_int_equal(none, len / pmd_size);
			assert_int_equal(congruent, len / pmd_size);
			assert_int_equal(misaligned, len / pmd_size + 1);
		}
		peer_close(&peer);
	}
}

static uint64_t mmap_cost(int fd, uint64_t offset, uint64_t len)
{
	void *p;
	uint64_t cost = cost_of(p = mmap(NULL, len, RW, MAP_SHARED, fd,
					 (off_t)offset));

	assert_true(p != MAP_FAILED);
	munmap(p, len);
	return cost;
}

static void mmap_figures(const char *what, int fd, uint64_t offset)
{
	const uint64_t lens[] = { MIB(2), MIB(256), GIB(1), GIB(4), GIB(8) };
	size_t i;

	for (i = 0; i < 5; i++)
		if (offset + lens[i] <= bar + bar_size)
			figure(what, "/dev/hugemem", lens[i],
			       best_of_5(mmap_cost(fd, offset, lens[i])),
			       "instructions");
}

static void mmap_of_each_size(void **state)
{
	int fd = open_hugemem(O_RDWR);
	void *all;

	(void)state;
	need_icount();
	mmap_figures("mmap-new", fd, bar);
	mmap_figures("mmap-new-at-2M", fd, bar + pmd_size);
	all = map_at(fd, NULL, bar, bar_size, RW, MAP_SHARED);
	mmap_figures("mmap-reserved", fd, bar);
	mmap_figures("mmap-reserved-at-2M", fd, bar + pmd_size);
	munmap(all, bar_size);
	close(fd);
}

/* of a mapping that has PMD entries and no larger ones */
static void a_fault_beside_vfio_pci(void **state)
{
	const uint64_t len = MIB(256);
	const enum peer_kind kinds[] = { PEER_VFIO, PEER_HUGEMEM, PEER_HUGEUIO };
	struct peer peer;
	size_t i;

	(void)state;
	need_icount();
	for (i = 0; i < 3; i++) {
		uint64_t cost = UINT64_MAX;
		int round;

		peer_open(kinds[i], &peer);
		for (round = 0; round < ROUNDS; round++) {
			char *p = map_at(peer.fd, reserve(len, pud_size, 0),
					 peer.offset, len, RW,
					 MAP_SHARED | MAP_FIXED);
			long took;
			uint64_t one = cost_of(took = touch(p, len, pmd_size));

			assert_int_equal(took, len / pmd_size);
			cost = one < cost ? one : cost;
			munmap(p, len);
		}
		figure("fault-pmd", peer.name, pmd_size, cost /
		       (len / pmd_size), "instructions");
		peer_close(&peer);
	}
}

/* what a process pays for having mapped much */
static void fork_and_page_tables_with_2_gib(void **state)
{
	const uint64_t len = GIB(2);

	(void)state;
	need_icount();
	figure("plain:fork", "nothing", 0, best_of_5(fork_cost()),
	       "instructions");
	measure_and_tell("plain", PEER_DEVMEM, NULL, len);
	measure_and_tell("plain", PEER_HUGEMEM, NULL, len);
}

const struct CMUnitTest reference_tests[] = {
	cmocka_unit_test(a_256_mib_mapping_beside_devmem),
	cmocka_unit_test(an_8_mib_map_of_a_uio_node_beside_uio),
	cmocka_unit_test(a_populated_gib_beside_an_eager_remap),
	cmocka_unit_test(a_misaligned_mapping_beside_a_fault_a_page),
	cmocka_unit_test(an_address_congruent_without_being_asked),
	cmocka_unit_test(mmap_of_each_size),
	cmocka_unit_test(a_fault_beside_vfio_pci),
	cmocka_unit_test(fork_and_page_tables_with_2_gib),
};
const size_t reference_tests_n =
	sizeof(reference_tests) / sizeof(*reference_tests);
