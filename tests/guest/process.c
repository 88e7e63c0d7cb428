// SPDX-License-Identifier: GPL-2.0-only
/* fork, copy-on-write, mremap, other processes' access, and mm's settings */
#include "guest.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define RW (PROT_READ | PROT_WRITE)
#define THP "/sys/kernel/mm/transparent_hugepage/enabled"

static int reap(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	return status;
}

static void private_writes_stay_private(void **state)
{
	int fd = open_hugemem(O_RDWR);
	volatile uint64_t *private, *device, *copied;
	pid_t child;

	(void)state;
	stamp(0, 4 * page_size, page_size);
	private = map_at(fd, NULL, bar, 4 * page_size, RW, MAP_PRIVATE);
	device = map_bar(0, 4 * page_size);
	assert_stamps(private, 0, 4 * page_size, page_size);

	copied = private;
	copied[0] = 1;
	assert_stamps(device, 0, 2 * page_size, page_size);
	child = fork();
	if (!child) {
		copied[1] = 2;
		_exit(copied[0] != 1);
	}
	assert_int_equal(reap(child), 0);
	assert_int_equal(copied[0], 1);
	assert_int_equal(copied[1], 0);
	/* what was not written still shows the device */
	device[page_size / 8] = 7;
	assert_int_equal(private[page_size / 8], 7);
	munmap((void *)private, 4 * page_size);
	munmap((void *)device, 4 * page_size);
	close(fd);
}

/* C7: both sides of a fork write to one device, without new faults */
static void fork_keeps_shared_entries(void **state)
{
	const uint64_t len = pud_size + pmd_size + page_size;
	const uint64_t at[] = { 0, pud_size, pud_size + pmd_size };
	volatile char *p;
	pid_t child;
	long before;
	int i;

	(void)state;
	if (bar_size < len)
		skip_because("the BAR is too small");
	p = map_bar(0, len);
	for (i = 0; i < 3; i++)
		*(volatile uint64_t *)(p + at[i]) = i;
	child = fork();
	if (!child) {
		long mine = faults();
		int bad = 0;

		for (i = 0; i < 3; i++) {
			bad |= *(volatile uint64_t *)(p + at[i]) !=
			       (uint64_t)i;
			*(volatile uint64_t *)(p + at[i] + 8) = 100 + i;
		}
		/* its own stack may fault once or twice */
		_exit(bad || faults() - mine > 5);
	}
	before = faults();
	for (i = 0; i < 3; i++)
		*(volatile uint64_t *)(p + at[i] + 16) = 200 + i;
	assert_in_range(faults() - before, 0, 2);
	assert_int_equal(reap(child), 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(*(volatile uint64_t *)(p + at[i] + 8),
				 100 + i);
		assert_int_equal(*(volatile uint64_t *)(p + at[i] + 16),
				 200 + i);
	}
	munmap((void *)p, len);
}

/* B4: the frame comes from vm_pgoff, wherever the mapping goes */
static void a_moved_mapping_shows_the_same_pages(void **state)
{
	const uint64_t len = MIB(64), middle = MIB(4) + page_size;
	char *p, *q;

	(void)state;
	stamp(0, len, page_size);

	p = map_bar(0, len);
	touch(p, len / 2, page_size);
	q = mremap(p, len, len, MREMAP_MAYMOVE | MREMAP_FIXED,
		   reserve(len, pmd_size, 0));
	assert_true(q != MAP_FAILED);
	assert_stamps(q, 0, len, page_size);
	p = mremap(q, len, len, MREMAP_MAYMOVE | MREMAP_FIXED,
		   reserve(len, pmd_size, page_size));
	assert_true(p != MAP_FAILED);
	assert_stamps(p, 0, len, page_size);
	munmap(p, len);

	/* a piece out of the middle */
	p = map_bar(0, len);
	touch(p, len / 4, page_size);
	q = mremap(p + MIB(8) + page_size, middle, middle,
		   MREMAP_MAYMOVE | MREMAP_FIXED,
		   reserve(middle, pmd_size, 0));
	assert_true(q != MAP_FAILED);
	assert_stamps(q, MIB(8) + page_size, middle, page_size);
	assert_stamps(p, 0, MIB(8) + page_size, page_size);
	assert_stamps(p + MIB(16), MIB(16), len - MIB(16), page_size);
	munmap(q, middle);
	munmap(p, len);
}

/* the largest entries there are, moved whole, in part and out of line */
static void the_largest_entries_can_be_moved(void **state)
{
	const uint64_t shifts[] = { 0, pmd_size, page_size };
	const uint64_t len = 2 * pud_size, cut = pud_size / 2 + page_size;
	char *p, *q;
	size_t i;

	(void)state;
	stamp(0, len, MIB(1));
	for (i = 0; i < 3; i++) {
		p = map_bar(0, len);
		touch(p, len, MIB(1));
		q = mremap(p, len, len, MREMAP_MAYMOVE | MREMAP_FIXED,
			   reserve(len, pud_size, shifts[i]));
		assert_true(q != MAP_FAILED);
		assert_int_equal(load_signal(p), SIGSEGV);
		assert_int_equal(load_signal(p + pud_size), SIGSEGV);
		assert_stamps(q, 0, len, MIB(1));

		p = mremap(q + cut, MIB(8), MIB(8),
			   MREMAP_MAYMOVE | MREMAP_FIXED,
			   reserve(MIB(8), pmd_size, page_size));
		assert_true(p != MAP_FAILED);
		assert_int_equal(load_signal(q + cut), SIGSEGV);
		assert_stamps(p + MIB(1) - page_size, pud_size / 2 + MIB(1),
			      MIB(7), MIB(1));
		assert_stamps(q, 0, cut, MIB(1));
		munmap(p, MIB(8));
		munmap(q, len);
	}
}

/*
 * The core is not ready for the largest entries without access: the kernel log
 * tells, and a debug kernel's tells more.
 */
static void what_has_no_access_can_be_moved_and_have_it_again(void **state)
{
	const uint64_t lens[] = { page_size, pmd_size, pud_size };
	size_t i;

	(void)state;
	stamp(0, pud_size, MIB(1));
	for (i = 0; i < 3; i++) {
		char *p = map_bar(0, lens[i]), *q;

		touch(p, lens[i], page_size);
		assert_int_equal(mprotect(p, lens[i], PROT_NONE), 0);
		assert_int_equal(load_signal(p), SIGSEGV);
		assert_int_equal(mprotect(p, lens[i], RW), 0);
		assert_stamps(p, 0, lens[i], MIB(1));
		assert_int_equal(mprotect(p, lens[i], PROT_NONE), 0);
		q = mremap(p, lens[i], lens[i], MREMAP_MAYMOVE | MREMAP_FIXED,
			   reserve(lens[i], lens[i], 0));
		assert_true(q != MAP_FAILED);
		assert_int_equal(load_signal(q), SIGSEGV);
		assert_int_equal(mprotect(q, lens[i], RW), 0);
		assert_stamps(q, 0, lens[i], MIB(1));
		assert_int_equal(load_signal(p), SIGSEGV);
		munmap(q, lens[i]);
	}
}

/*
 * munmap(), mprotect() and madvise() of a part. What is cut off is out of
 * reach, here and in a child, and the rest is where it was.
 */
static void the_largest_entries_can_be_cut_anywhere(void **state)
{
	const uint64_t at[] = {
		page_size, pmd_size, 3 * pmd_size + page_size, pud_size / 2,
		pud_size - page_size, pud_size + pmd_size,
	};
	const uint64_t len = 2 * pud_size;
	size_t i;

	(void)state;
	stamp(0, len, MIB(1));
	for (i = 0; i < sizeof(at) / sizeof(*at); i++) {
		char *p = map_bar(0, len), *cut = p + at[i];
		int status;
		pid_t child;

		touch(p, len, MIB(1));
		assert_int_equal(madvise(cut, page_size, MADV_DONTFORK), 0);
		touch(p, len, MIB(1));
		child = fork();
		if (!child)
			_exit(load_signal(cut) == SIGSEGV &&
			      load_signal(p + len - 8) == 0 ? 0 : 1);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_stamps(p, 0, len, MIB(1));

		assert_int_equal(mprotect(cut, page_size, PROT_READ), 0);
		assert_int_equal(load_signal(cut), 0);
		assert_int_equal(store_signal(cut), SIGSEGV);
		assert_stamps(p, 0, len, MIB(1));

		munmap(cut, page_size);
		assert_int_equal(load_signal(cut), SIGSEGV);
		assert_int_equal(store_signal(cut - 8), 0);
		assert_int_equal(store_signal(cut + page_size), 0);
		munmap(p, len);
		stamp(at[i] - page_size, 3 * page_size, page_size);
	}
}

static void a_mapping_cannot_grow(void **state)
{
	char *p = map_bar(0, MIB(1));

	(void)state;
	assert_ptr_equal(mremap(p, MIB(1), MIB(2), MREMAP_MAYMOVE), MAP_FAILED);
	assert_int_equal(errno, EFAULT);
	assert_ptr_equal(mremap(p, MIB(1), MIB(2), 0), MAP_FAILED);
	assert_ptr_equal(mremap(p, MIB(1), MIB(1), MREMAP_MAYMOVE | 4, 0),
			 MAP_FAILED);	/* 4: MREMAP_DONTUNMAP */
	assert_int_equal(errno, EINVAL);
	assert_int_equal(load_signal(p), 0);
	munmap(p, MIB(1));
}

static void partial_unmap_leaves_the_rest(void **state)
{
	const uint64_t len = 4 * pmd_size, hole = pmd_size + page_size;
	char *p;

	(void)state;
	stamp(0, len, page_size);
	p = map_bar(0, len);
	touch(p, len, page_size);
	assert_int_equal(munmap(p + hole, page_size), 0);
	assert_stamps(p, 0, hole, page_size);
	assert_stamps(p + hole + page_size, hole + page_size,
		      len - hole - page_size, page_size);
	assert_int_equal(load_signal(p + hole), SIGSEGV);
	assert_int_equal(mprotect(p + 2 * pmd_size, page_size, PROT_READ), 0);
	assert_int_equal(store_signal(p + 2 * pmd_size), SIGSEGV);
	assert_int_equal(store_signal(p + 2 * pmd_size + page_size), 0);
	munmap(p, len);
}

static uint64_t mem_word(int mem, const void *at)
{
	uint64_t word = 0;

	assert_int_equal(pread(mem, &word, 8, (uintptr_t)at), 8);
	return word;
}

/* a page nobody touched, by /proc/PID/mem and by ptrace */
static void other_processes_reach_untouched_pages(void **state)
{
	const uint64_t len = 2 * pmd_size;
	const uint64_t word = 0x1122334455667788;
	volatile uint64_t *device;
	char path[40], *p, buf[64];
	pid_t child;
	int mem;

	(void)state;
	stamp(0, len, page_size);
	p = map_bar(0, len);
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, NULL, WUNTRACED);
	snprintf(path, sizeof(path), "/proc/%d/mem", child);
	mem = open_node(path, O_RDWR);

	assert_int_equal(mem_word(mem, p + 3 * page_size) & 0xffff, 3);
	errno = 0;
	assert_int_equal(ptrace(PTRACE_PEEKDATA, child, p + 5 * page_size, 0) &
			 0xffff, 5);
	assert_int_equal(errno, 0);
	assert_int_equal(pwrite(mem, &word, 8, (uintptr_t)p + page_size + 8),
			 8);
	assert_int_equal(ptrace(PTRACE_POKEDATA, child, p + page_size + 16,
				word), 0);
	device = (void *)(p + page_size);
	assert_int_equal(device[1], word);
	assert_int_equal(device[2], word);

	/* across a page's end, and up to the mapping's */
	assert_int_equal(pread(mem, buf, 64, (uintptr_t)p + page_size - 32),
			 64);
	assert_int_equal(*(uint64_t *)(buf + 32 + 8), word);
	assert_in_range(pread(mem, buf, 64, (uintptr_t)p + len - 32), 32, 64);

	/* and with a huge entry in place, where there are any */
	touch(p, len, page_size);
	assert_int_equal(mem_word(mem, p + 3 * page_size) & 0xffff, 3);

	/* a claimed page is out of reach this way too */
	assert_int_equal(claim(4 * page_size, page_size), 0);
	assert_int_equal(pread(mem, buf, 8, (uintptr_t)p + 4 * page_size), -1);
	assert_int_equal(errno, EIO);
	release();

	/* no force: a read-only mapping is not written */
	assert_int_equal(mprotect(p, page_size, PROT_READ), 0);
	close(mem);
	mem = open_node("/proc/self/mem", O_RDWR);
	assert_int_equal(pwrite(mem, &word, 8, (uintptr_t)p), -1);
	close(mem);
	kill(child, SIGKILL);
	reap(child);
	munmap(p, len);
}

/* the device's pages, none after the last, no copies; and nothing is stored */
static void other_processes_only_read_private_mappings(void **state)
{
	int fd = open_hugemem(O_RDWR), mem = open_node("/proc/self/mem", O_RDWR);
	const uint64_t word = 0x1122334455667788;
	volatile uint64_t *p;
	char buf[64];

	(void)state;
	stamp(0, 3 * page_size, page_size);
	p = map_at(fd, NULL, bar + page_size, 2 * page_size, RW, MAP_PRIVATE);
	munmap((char *)p + page_size, page_size);
	assert_int_equal(mem_word(mem, (void *)p) & 0xffff, 1);
	assert_int_equal(pread(mem, buf, 64, (uintptr_t)p + page_size - 32),
			 32);
	assert_int_equal(pwrite(mem, &word, 8, (uintptr_t)p), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(p[0] & 0xffff, 1);

	assert_int_equal(mprotect((void *)p, page_size, PROT_READ) ? errno : 0,
			 private_outlives_mprotect ? 0 : EACCES);
	munmap((void *)p, page_size);
	p = map_at(fd, NULL, bar, page_size, RW, MAP_PRIVATE);
	p[0] = word;
	assert_int_equal(pread(mem, buf, 8, (uintptr_t)p), -1);
	assert_int_equal(errno, EIO);
	munmap((void *)p, page_size);
	p = map_bar(0, page_size);
	assert_stamps(p, 0, page_size, page_size);
	munmap((void *)p, page_size);
	close(mem);
	close(fd);
}

/* a store to an entry write-protected by soft-dirty tracking ends */
static void a_store_after_clear_refs_comes_through(void **state)
{
	const uint64_t lens[] = { pmd_size, pud_size };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		volatile char *p = map_bar(0, lens[i]);

		*p = 1;
		write_file("/proc/self/clear_refs", "4");
		alarm(10);
		*p = 2;
		/* and the first store to a page of an armed mapping */
		p[lens[i] - 1] = 3;
		alarm(0);
		assert_int_equal(*p, 2);
		munmap((void *)p, lens[i]);

		p = map_bar(0, lens[i]);
		write_file("/proc/self/clear_refs", "4");
		alarm(10);
		*p = 4;
		alarm(0);
		assert_int_equal(*p, 4);
		munmap((void *)p, lens[i]);
	}
}

static void check_data(const char *what)
{
	const uint64_t len = 8 * pmd_size;
	char *p = map_bar(0, len);

	print_message("# THP %s: %ld faults for %llu windows\n", what,
		      touch(p, len, page_size),
		      (unsigned long long)(len / pmd_size));
	assert_stamps(p, 0, len, page_size);
	assert_int_equal(store_signal(p), 0);
	munmap(p, len);
}

static void every_thp_setting_leaves_the_data_right(void **state)
{
	const char *const settings[] = { "always", "never", "madvise" };
	char *p;
	size_t i;

	(void)state;
	stamp(0, 8 * pmd_size, page_size);
	if (access(THP, W_OK)) {
		check_data("compiled out");
		return;
	}
	for (i = 0; i < 3; i++) {
		write_file(THP, settings[i]);
		check_data(settings[i]);
	}

	p = map_bar(0, 8 * pmd_size);
	assert_int_equal(madvise(p, 8 * pmd_size, MADV_NOHUGEPAGE), 0);
	assert_int_equal(touch(p, 8 * pmd_size, page_size), 8);
	assert_stamps(p, 0, 8 * pmd_size, page_size);
	munmap(p, 8 * pmd_size);

	assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	check_data("disabled by prctl");
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

static long vmsplice_of(void *p)
{
	struct iovec iov = { .iov_base = p, .iov_len = 8 };
	int fds[2];
	long ret;

	assert_int_equal(pipe(fds), 0);
	ret = vmsplice(fds[1], &iov, 1, 0);
	if (ret < 0)
		ret = -errno;
	close(fds[0]);
	close(fds[1]);
	return ret;
}

/* C8: device memory has no pages to pin; plain copies work */
static void pinning_is_refused_and_copying_works(void **state)
{
	const uint64_t lens[] = { page_size, pmd_size, pud_size };
	size_t i;

	(void)state;
	stamp(0, page_size, page_size);
	for (i = 0; i < 3; i++) {
		char *p = map_bar(0, lens[i]);
		uint64_t word = 0;
		struct iovec to = { &word, 8 }, from = { p, 8 };
		int fds[2];

		touch(p, lens[i], lens[i]);
		assert_int_equal(vmsplice_of(p), -EFAULT);
		assert_int_equal(process_vm_readv(getpid(), &to, 1, &from, 1,
						  0), -1);
		assert_int_equal(errno, EFAULT);
		assert_int_equal(syscall(SYS_futex, p, FUTEX_WAKE, 1, NULL,
					 NULL, 0), -1);
		assert_int_equal(errno, EFAULT);

		assert_int_equal(pipe(fds), 0);
		assert_int_equal(write(fds[1], p, 8), 8);
		assert_int_equal(read(fds[0], &word, 8), 8);
		assert_int_equal(word, *(uint64_t *)p);
		close(fds[0]);
		close(fds[1]);
		munmap(p, lens[i]);
	}
}

static atomic_bool walk_stop;

static void *walk(void *arg)
{
	(void)arg;
	while (!atomic_load(&walk_stop)) {
		free(read_file("/proc/self/smaps"));
		if (!access("/proc/self/numa_maps", R_OK))
			free(read_file("/proc/self/numa_maps"));
	}
	return NULL;
}

static void walkers_and_faults_get_along(void **state)
{
	pthread_t id;
	int i;

	(void)state;
	stamp(0, pud_size, MIB(16));
	atomic_store(&walk_stop, false);
	pthread_create(&id, NULL, walk, NULL);
	for (i = 0; i < 200; i++) {
		char *p = map_bar(0, pud_size);

		touch(p, pud_size, MIB(128));
		touch(p, pud_size, MIB(64));
		munmap(p, pud_size);
	}
	atomic_store(&walk_stop, true);
	pthread_join(id, NULL);
}

const struct CMUnitTest process_tests[] = {
	cmocka_unit_test(private_writes_stay_private),
	cmocka_unit_test(fork_keeps_shared_entries),
	cmocka_unit_test(a_moved_mapping_shows_the_same_pages),
	cmocka_unit_test(the_largest_entries_can_be_moved),
	cmocka_unit_test(what_has_no_access_can_be_moved_and_have_it_again),
	cmocka_unit_test(the_largest_entries_can_be_cut_anywhere),
	cmocka_unit_test(a_mapping_cannot_grow),
	cmocka_unit_test(partial_unmap_leaves_the_rest),
	cmocka_unit_test(other_processes_reach_untouched_pages),
	cmocka_unit_test(other_processes_only_read_private_mappings),
	cmocka_unit_test(a_store_after_clear_refs_comes_through),
	cmocka_unit_test(every_thp_setting_leaves_the_data_right),
	cmocka_unit_test(pinning_is_refused_and_copying_works),
	cmocka_unit_test(walkers_and_faults_get_along),
};
const size_t process_tests_n = sizeof(process_tests) / sizeof(*process_tests);
