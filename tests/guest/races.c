// SPDX-License-Identifier: GPL-2.0-only
/*
 * Races that have no other suite of their own. The others are
 * no_fault_slips_past_a_claim (revoke), a_device_can_be_pulled_out_under_load,
 * no_private_map_slips_past_an_unbind and
 * opening_races_with_binding_and_unloading (unplug), and
 * threads_may_fault_one_window_at_once (map).
 */
#include "uio.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define RW (PROT_READ | PROT_WRITE)

struct forks {
	char *p;
	uint64_t len;
	atomic_bool claimed, stop;
	atomic_uint children, lasted, kept;
};

/* a child that has lived through the claim has nothing of it left */
static void child_of(struct forks *f)
{
	uint64_t at;

	while (!atomic_load(&f->claimed)) {
		if (atomic_load(&f->stop))
			_exit(0);
		usleep(100);
	}
	atomic_fetch_add(&f->lasted, 1);
	for (at = 0; at < f->len; at += 61 * page_size)
		if (load_signal(f->p + at) != SIGBUS)
			atomic_fetch_add(&f->kept, 1);
	_exit(0);
}

/* as many as fit between one claim and the next */
static void *fork_until_claimed(void *arg)
{
	struct forks *f = arg;

	while (!atomic_load(&f->claimed)) {
		pid_t child = fork();

		if (!child)
			child_of(f);
		if (child > 0)
			atomic_fetch_add(&f->children, 1);
		if (atomic_load(&f->children) % 16 == 15)
			usleep(20000);
	}
	return NULL;
}

/*
 * What fork() copies while a driver claims it. dup_mmap() links the child's VMA
 * behind the parent's before it copies the entries, and the claim walks in that
 * order (see hugepfn_zap_mapping()). By entries of a page, so that the copy
 * takes its time.
 */
static void no_child_keeps_what_was_claimed_during_its_fork(void **state)
{
	enum { ROUNDS = 10 };
	struct forks *f = mmap(NULL, page_size, RW,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = open_hugemem(O_RDWR), round;
	pthread_t id;

	(void)state;
	need_revocation();
	f->len = 32 * pmd_size;
	set_attr(fd, HUGEPFN_CACHE_DEFAULT, 1, 0);
	f->p = map_at(fd, NULL, bar, f->len, RW, MAP_SHARED);
	for (round = 0; round < ROUNDS; round++) {
		touch(f->p, f->len, page_size);
		atomic_store(&f->claimed, false);
		pthread_create(&id, NULL, fork_until_claimed, f);
		usleep(1000 * (round + 1));
		assert_int_equal(claim(0, f->len), 0);
		atomic_store(&f->claimed, true);
		pthread_join(id, NULL);
		while (wait(NULL) > 0)
			;
		release();
	}
	print_message("# %u children, %u of them lived through a claim\n",
		      f->children, f->lasted);
	assert_true(f->lasted > 0);
	assert_int_equal(f->kept, 0);
	munmap(f->p, f->len);
	close(fd);
	munmap(f, page_size);
}

static atomic_uint signals;

static void count(int sig)
{
	(void)sig;
	atomic_fetch_add(&signals, 1);
}

struct notify {
	const char *dev;
	atomic_bool stop;
	atomic_uint rounds;
};

static void *open_for_signals(void *arg)
{
	struct notify *n = arg;

	while (!atomic_load(&n->stop)) {
		int fd = open(n->dev, O_RDWR);

		if (fd < 0 || fcntl(fd, F_SETOWN, getpid()) ||
		    fcntl(fd, F_SETFL, O_RDWR | O_ASYNC))
			return (void *)1;
		close(fd);
		atomic_fetch_add(&n->rounds, 1);
	}
	return NULL;
}

/* fput() takes a file off the list of those who want signals before release() */
static void closing_races_with_signals(void **state)
{
	enum { THREADS = 4, EVENTS = 2000 };
	const struct sigaction sa = { .sa_handler = count };
	struct notify n = { 0 };
	struct sigaction old;
	struct uio_node node;
	pthread_t id[THREADS];
	void *failed;
	int i, raise;

	(void)state;
	assert_int_equal(module_load("hugeuio_example", ""), 0);
	assert_true(uio_by_name("example", &node));
	n.dev = node.dev;
	raise = open_node("/sys/module/hugeuio_example/parameters/raise",
			  O_WRONLY);
	sigaction(SIGIO, &sa, &old);
	for (i = 0; i < THREADS; i++)
		pthread_create(&id[i], NULL, open_for_signals, &n);
	/* and until one has come, which takes long where the CPUs are busy */
	for (i = 0; i < EVENTS || atomic_load(&n.rounds) < EVENTS / 4 ||
	     !atomic_load(&signals); i++)
		assert_int_equal(pwrite(raise, "0", 1, 0), 1);
	/* and the driver leaves, which is a signal as well */
	write_file("/sys/module/hugeuio_example/parameters/remove", "0");
	atomic_store(&n.stop, true);
	for (i = 0; i < THREADS; i++)
		pthread_join(id[i], &failed);
	sigaction(SIGIO, &old, NULL);
	close(raise);
	assert_true(signals > 0);
	assert_int_equal(module_unload("hugeuio_example"), 0);
}

static void *open_hugemem_until(void *arg)
{
	struct notify *n = arg;

	while (!atomic_load(&n->stop)) {
		int fd = open("/dev/hugemem", O_RDWR);
		char *p;

		if (fd < 0) {
			if (errno != ENOENT && errno != ENODEV &&
			    errno != ENXIO)
				return (void *)(intptr_t)errno;
			continue;
		}
		p = mmap(NULL, page_size, RW, MAP_SHARED, fd, bar);
		if (p == MAP_FAILED)
			return (void *)(intptr_t)errno;
		/* a mapping alone keeps the module, too */
		close(fd);
		if (load_signal(p))
			return (void *)1;
		munmap(p, page_size);
		atomic_fetch_add(&n->rounds, 1);
		usleep(200000);
	}
	return NULL;
}

static void opening_races_with_unloading(void **state)
{
	enum { THREADS = 2, UNLOADED = 20, SECONDS = 60 };
	const time_t end = time(NULL) + SECONDS;
	struct notify n = { 0 };
	pthread_t id[THREADS];
	unsigned int gone = 0;
	void *err;
	int i;

	(void)state;
	for (i = 0; i < THREADS; i++)
		pthread_create(&id[i], NULL, open_hugemem_until, &n);
	while ((gone < UNLOADED || !atomic_load(&n.rounds)) &&
	       time(NULL) < end) {
		int ret = module_unload("hugepfn");

		assert_true(!ret || ret == -EAGAIN || ret == -EBUSY ||
			    ret == -EWOULDBLOCK);
		if (ret)
			continue;
		gone++;
		assert_int_equal(module_load("hugepfn", ""), 0);
	}
	atomic_store(&n.stop, true);
	for (i = 0; i < THREADS; i++) {
		pthread_join(id[i], &err);
		assert_int_equal((intptr_t)err, 0);
	}
	print_message("# unloaded %u times between %u mappings\n", gone,
		      n.rounds);
	assert_true(gone > 0 && n.rounds > 0);
}

const struct CMUnitTest races_tests[] = {
	cmocka_unit_test(no_child_keeps_what_was_claimed_during_its_fork),
	cmocka_unit_test(closing_races_with_signals),
	cmocka_unit_test(opening_races_with_unloading),
};
const size_t races_tests_n = sizeof(races_tests) / sizeof(*races_tests);
