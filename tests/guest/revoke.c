// SPDX-License-Identifier: GPL-2.0-only
/* A driver claims what is mapped: SIGBUS while it does, the device after */
#include "guest.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/utsname.h>

#define RW (PROT_READ | PROT_WRITE)

static void a_claimed_bar_is_sigbus_until_it_is_released(void **state)
{
	char *p;

	(void)state;
	need_revocation();
	stamp(0, bar_size, MIB(64));
	p = map_bar(0, bar_size);
	touch(p, bar_size, MIB(64));
	assert_int_equal(claim(0, bar_size), 0);
	assert_int_equal(load_signal(p), SIGBUS);
	assert_int_equal(store_signal(p + bar_size - 8), SIGBUS);
	assert_int_equal(load_signal(p + bar_size / 2), SIGBUS);
	release();
	assert_stamps(p, 0, bar_size, MIB(64));
	munmap(p, bar_size);
}

/* one page inside: it alone is refused, its neighbours come back smaller */
static void check_claimed_page(uint64_t len)
{
	const uint64_t claimed = pmd_size + 5 * page_size;
	char *p;

	stamp(0, 4 * pmd_size, page_size);
	p = map_bar(0, len);
	touch(p, len, pmd_size);
	assert_int_equal(claim(claimed, page_size), 0);

	assert_int_equal(load_signal(p + claimed), SIGBUS);
	assert_stamps(p, 0, claimed, page_size);
	assert_stamps(p + claimed + page_size, claimed + page_size,
		      4 * pmd_size - claimed - page_size, page_size);
	assert_int_equal(load_signal(p + claimed), SIGBUS);
	assert_int_equal(store_signal(p + claimed + page_size), 0);

	release();
	assert_stamps(p, 0, 4 * pmd_size, page_size);
	munmap(p, len);
}

static void a_claimed_page_in_a_pmd_window_is_sigbus_alone(void **state)
{
	(void)state;
	need_revocation();
	check_claimed_page(8 * pmd_size);
}

/*
 * zap_pud_range() of older kernels asserts the mmap lock when it splits an
 * entry, and unmap_mapping_range() does not hold it: right result, but a
 * warning in the log. Gone by 7.2.
 */
bool splitting_a_pud_warns(void)
{
	struct utsname u;

	uname(&u);
	return has_pud && atoi(u.release) < 7;
}

static void a_claimed_page_in_a_pud_window_is_sigbus_alone(void **state)
{
	(void)state;
	need_revocation();
	if (splitting_a_pud_warns())
		skip_because("this kernel's zap_pud_range() warns when a part of a PUD entry is revoked");
	check_claimed_page(pud_size);
}

static void an_untouched_claimed_page_is_sigbus_too(void **state)
{
	char *p = map_bar(0, 2 * pmd_size);

	(void)state;
	assert_int_equal(claim(5 * page_size, page_size), 0);
	assert_int_equal(load_signal(p + 5 * page_size), SIGBUS);
	assert_int_equal(load_signal(p + 4 * page_size), 0);
	assert_int_equal(load_signal(p + 6 * page_size), 0);
	assert_int_equal(load_signal(p + pmd_size), 0);
	release();
	assert_int_equal(load_signal(p + 5 * page_size), 0);
	munmap(p, 2 * pmd_size);
}

static void mapping_works_on_the_first_try_after_every_release(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		assert_int_equal(claim(5 * page_size, page_size), 0);
		assert_int_equal(try_map("/dev/hugemem", O_RDWR, bar, pmd_size,
					 RW, MAP_SHARED), EPERM);
		release();
		assert_int_equal(try_map("/dev/hugemem", O_RDWR, bar, pmd_size,
					 RW, MAP_SHARED), 0);
	}
}

static void revocation_reaches_forked_and_moved_mappings(void **state)
{
	const uint64_t len = 4 * pmd_size;
	int ready[2], go[2], status;
	pid_t child;
	char *p, c;

	(void)state;
	need_revocation();
	stamp(0, len, pmd_size);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	p = map_bar(0, len);
	touch(p, len, page_size);
	child = fork();
	if (!child) {
		char *q = mremap(p, len, len, MREMAP_MAYMOVE | MREMAP_FIXED,
				 reserve(len, pmd_size, page_size));
		int sig;

		if (q == MAP_FAILED || load_signal(q))
			_exit(1);
		(void)!write(ready[1], "", 1);
		(void)!read(go[0], &c, 1);
		sig = load_signal(q);
		(void)!write(ready[1], "", 1);
		(void)!read(go[0], &c, 1);
		_exit(sig == SIGBUS && !load_signal(q) ? 0 : 2);
	}
	(void)!read(ready[0], &c, 1);
	assert_int_equal(claim(0, len), 0);
	assert_int_equal(load_signal(p + pmd_size), SIGBUS);
	(void)!write(go[1], "", 1);
	(void)!read(ready[0], &c, 1);
	release();
	(void)!write(go[1], "", 1);
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_stamps(p, 0, len, pmd_size);
	munmap(p, len);
	close(ready[0]), close(ready[1]), close(go[0]), close(go[1]);
}

/* as with /dev/mem: what was populated once does not come back */
static void a_revoked_private_mapping_stays_sigbus(void **state)
{
	int fd = open_hugemem(O_RDWR);
	char *p;

	(void)state;
	need_revocation();
	p = map_at(fd, NULL, bar, 2 * page_size, RW, MAP_PRIVATE);
	assert_int_equal(load_signal(p), 0);
	assert_int_equal(claim(0, page_size), 0);
	assert_int_equal(load_signal(p), SIGBUS);
	assert_int_equal(load_signal(p + page_size), 0);
	release();
	assert_int_equal(load_signal(p), SIGBUS);
	munmap(p, 2 * page_size);
	close(fd);
}

/* a page of it, and what remains mapped keeps the type to itself */
static void a_revoked_private_mapping_keeps_its_memory_type(void **state)
{
	int fd = open_hugemem(O_RDWR);
	char *p;

	(void)state;
	need_revocation();
	if (!memtypes_are_tracked())
		skip_because("memory types are not tracked");
	p = map_at(fd, NULL, bar, 2 * page_size, RW, MAP_PRIVATE);
	assert_int_equal(claim(0, page_size), 0);
	release();
	assert_int_equal(try_map("/dev/hugemem", O_RDWR | O_SYNC,
				 bar + page_size, page_size, RW, MAP_SHARED),
			 EAGAIN);
	munmap(p, 2 * page_size);
	assert_int_equal(try_map("/dev/hugemem", O_RDWR | O_SYNC,
				 bar + page_size, page_size, RW, MAP_SHARED), 0);
	close(fd);
}

struct hammer {
	char *p;
	uint64_t len;
	atomic_bool stop;
	atomic_ulong done;
};

static void *hammer(void *arg)
{
	struct hammer *h = arg;
	unsigned int seed = (uintptr_t)&seed;

	while (!atomic_load(&h->stop)) {
		uint64_t page = rand_r(&seed) % (h->len / page_size);

		load_signal(h->p + page * page_size);
		atomic_fetch_add(&h->done, 1);
	}
	return NULL;
}

/*
 * The race that insert-then-recheck closes: whatever was about to be inserted
 * when the claim came, nothing of it is left once the claim has returned.
 */
static void no_fault_slips_past_a_claim(void **state)
{
	enum { THREADS = 4, ROUNDS = 60 };
	const uint64_t len = splitting_a_pud_warns() ? MIB(64) : pud_size;
	struct hammer h = { .len = len };
	pthread_t id[THREADS];
	int round, i;
	uint64_t at;

	(void)state;
	need_revocation();
	stamp(0, MIB(64), page_size);
	h.p = map_bar(0, len);
	for (i = 0; i < THREADS; i++)
		pthread_create(&id[i], NULL, hammer, &h);
	for (round = 0; round < ROUNDS; round++) {
		assert_int_equal(claim(0, MIB(64)), 0);
		for (at = 0; at < MIB(64); at += 61 * page_size)
			assert_int_equal(load_signal(h.p + at), SIGBUS);
		release();
	}
	atomic_store(&h.stop, true);
	for (i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	assert_true(h.done > THREADS);
	assert_stamps(h.p, 0, MIB(64), page_size);
	munmap(h.p, len);
}

/* claims of one page, faster than a module loads */
static void faults_survive_a_storm_of_claims(void **state)
{
	enum { THREADS = 4 };
	const uint64_t len = splitting_a_pud_warns() ? MIB(64) : pud_size;
	struct hammer h = { .len = len };
	pthread_t id[THREADS];
	char options[100], *rounds;
	int i;

	(void)state;
	stamp(0, MIB(64), page_size);
	h.p = map_bar(0, len);
	snprintf(options, sizeof(options),
		 "start=%#llx len=%llu period_us=100",
		 (unsigned long long)(bar + pmd_size + 5 * page_size),
		 (unsigned long long)page_size);
	assert_int_equal(module_load("hugepfn_claim", options), 0);
	for (i = 0; i < THREADS; i++)
		pthread_create(&id[i], NULL, hammer, &h);
	sleep(3);
	atomic_store(&h.stop, true);
	for (i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	rounds = read_file("/sys/module/hugepfn_claim/parameters/rounds");
	assert_true(atoi(rounds) > 100);
	free(rounds);
	release();
	assert_stamps(h.p, 0, MIB(64), page_size);
	munmap(h.p, len);
}

const struct CMUnitTest revoke_tests[] = {
	cmocka_unit_test(a_claimed_bar_is_sigbus_until_it_is_released),
	cmocka_unit_test(a_claimed_page_in_a_pmd_window_is_sigbus_alone),
	cmocka_unit_test(a_claimed_page_in_a_pud_window_is_sigbus_alone),
	cmocka_unit_test(an_untouched_claimed_page_is_sigbus_too),
	cmocka_unit_test(mapping_works_on_the_first_try_after_every_release),
	cmocka_unit_test(revocation_reaches_forked_and_moved_mappings),
	cmocka_unit_test(a_revoked_private_mapping_stays_sigbus),
	cmocka_unit_test(a_revoked_private_mapping_keeps_its_memory_type),
	cmocka_unit_test(no_fault_slips_past_a_claim),
	cmocka_unit_test(faults_survive_a_storm_of_claims),
};
const size_t revoke_tests_n = sizeof(revoke_tests) / sizeof(*revoke_tests);
