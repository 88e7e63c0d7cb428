// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation fails once, by its number: the first of a call, then the
 * second, until a call gets through without one that fails. It must say
 * ENOMEM, or not have needed the memory, and leave nothing behind. B2 is the
 * case of fork().
 */
#include "guest.h"
#include "uio.h"

#define RW (PROT_READ | PROT_WRITE)
#define MOST 2000	/* allocations of one call */

static void set_fault(const char *fault, const char *file, const char *value)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", fault, file);
	write_file(path, value);
}

/* those that may sleep as well, of any order, without a stack in the log */
static int let_all_fail(void **state)
{
	static const char *const faults[] = { "failslab", "fail_page_alloc" };
	size_t i;

	(void)state;
	if (access("/proc/self/fail-nth", W_OK))
		return 0;
	for (i = 0; i < 2; i++) {
		set_fault(faults[i], "ignore-gfp-wait", "N");
		set_fault(faults[i], "verbose", "0");
	}
	set_fault("fail_page_alloc", "min-order", "0");
	return 0;
}

#define need_fail_nth() do {						\
	if (access("/proc/self/fail-nth", W_OK))			\
		skip_because("this kernel has no fail-nth: see 7.3-debug"); \
} while (0)

/*
 * Runs @call with its n-th allocation failing, for n from 1, as long as one
 * fails. @call gives 0 or an errno; @undo, if there is one, runs after each.
 */
static void fail_each(const char *what, int (*call)(void *arg),
		      void (*undo)(void *arg), void *arg)
{
	int fd = open("/proc/self/fail-nth", O_RDWR);
	unsigned int n, failed = 0;
	char left[16] = "";

	assert_true(fd >= 0);
	for (n = 1; n < MOST; n++) {
		char nth[16];
		int err;

		snprintf(nth, sizeof(nth), "%u", n);
		assert_int_equal(pwrite(fd, nth, strlen(nth), 0), strlen(nth));
		err = call(arg);
		/* 0: it was reached; and none is to fail from here on */
		assert_true(pread(fd, left, sizeof(left) - 1, 0) > 0);
		assert_int_equal(pwrite(fd, "0", 1, 0), 1);
		if (undo)
			undo(arg);
		if (err && err != ENOMEM)
			fail_msg("%s: errno %d when allocation %u failed",
				 what, err, n);
		failed += err == ENOMEM;
		if (atoi(left)) {
			assert_int_equal(err, 0);
			break;
		}
	}
	close(fd);
	assert_in_range(n, 2, MOST - 1);
	print_message("# %s: %u allocations, %u of them refused the call\n",
		      what, n - 1, failed);
}

static int call_open(void *arg)
{
	int fd = open(arg, O_RDWR), err = errno;

	if (fd < 0)
		return err;
	close(fd);
	return 0;
}

struct mapping {
	int fd, flags;
	uint64_t offset, len;
};

static int call_mmap(void *arg)
{
	const struct mapping *m = arg;
	void *p = mmap(NULL, m->len, RW, m->flags, m->fd, bar + m->offset);

	if (p == MAP_FAILED)
		return errno == EAGAIN ? ENOMEM : errno;	/* see below */
	munmap(p, m->len);
	return 0;
}

static int call_populate(void *arg)
{
	const struct mapping *m = arg;
	void *p = mmap(NULL, m->len, RW, m->flags, m->fd, bar + m->offset);
	int err;

	if (p == MAP_FAILED)
		return errno == EAGAIN ? ENOMEM : errno;
	err = populate_errno(m->fd, p, m->len);
	munmap(p, m->len);
	return err;
}

static void assert_nothing_left(void)
{
	char *text = read_file("/sys/kernel/debug/hugepfn/reservations");

	assert_string_equal(text, "");
	free(text);
	assert_int_equal(try_map("/dev/mem", O_RDWR | O_SYNC, bar, page_size,
				 RW, MAP_SHARED), 0);
	assert_int_equal(try_map("/dev/mem", O_RDWR, bar, page_size, RW,
				 MAP_SHARED), 0);
}

static void opening_fails_cleanly(void **state)
{
	(void)state;
	need_fail_nth();
	fail_each("open", call_open, NULL, "/dev/hugemem");
	assert_nothing_left();
}

/*
 * ioremap_prot() does not say whether it was memory or a conflict that it
 * failed for, nor does remap_pfn_range() through us: EAGAIN stands for both.
 */
static void mapping_and_populating_fail_cleanly(void **state)
{
	struct mapping rows[] = {
		{ .flags = MAP_SHARED, .offset = 0, .len = pud_size },
		{ .flags = MAP_SHARED, .offset = page_size,
		  .len = 2 * pmd_size },
		{ .flags = MAP_PRIVATE, .offset = 0, .len = pmd_size },
	};
	size_t i;

	(void)state;
	need_fail_nth();
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		rows[i].fd = open_hugemem(O_RDWR);
		fail_each("mmap", call_mmap, NULL, &rows[i]);
		fail_each("mmap and POPULATE", call_populate, NULL,
			  &rows[i]);
		close(rows[i].fd);
		assert_nothing_left();
	}
}

static int call_fork(void *arg)
{
	int status;
	pid_t child;

	(void)arg;
	child = fork();
	if (child < 0)
		return errno;
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return 0;
}

/* three pages, at three orders */
static void forking_fails_cleanly(void **state)
{
	const uint64_t at[] = { 0, pud_size, pud_size + pmd_size };
	const uint64_t len[] = { pud_size, pmd_size, page_size };
	char *p[3];
	size_t i;

	(void)state;
	need_fail_nth();
	stamp(0, 2 * pud_size, pmd_size);
	for (i = 0; i < 3; i++) {
		p[i] = map_bar(at[i], len[i]);
		touch(p[i], len[i], page_size);
	}
	fail_each("fork", call_fork, NULL, NULL);
	for (i = 0; i < 3; i++) {
		assert_stamps(p[i], at[i], len[i], pmd_size);
		munmap(p[i], len[i]);
	}
	assert_nothing_left();
}

#define DRIVER "/sys/bus/pci/drivers/hugeuio_pci/"

/* any errno will do: they are the driver core's and sysfs' business */
static int call_bind(void *arg)
{
	int fd = open(DRIVER "bind", O_WRONLY);
	ssize_t n;

	if (fd < 0)
		return ENOMEM;
	n = write(fd, arg, strlen(arg));
	close(fd);
	return n < 0 ? ENOMEM : 0;
}

static void undo_bind(void *arg)
{
	if (pci_is_bound(arg))
		write_file(DRIVER "unbind", arg);
}

static void binding_fails_cleanly(void **state)
{
	char addr[16];

	(void)state;
	need_fail_nth();
	if (!pci_find(0x1234, 0x11e8, addr))
		skip_because("no edu device");
	/* the core warns when it frees an interrupt whose /proc entry failed */
	assert_int_equal(module_load("hugeuio_pci", "interrupts=none"), 0);
	pci_bind(addr, "hugeuio_pci");
	write_file(DRIVER "unbind", addr);
	fail_each("bind", call_bind, undo_bind, addr);
	pci_unbind(addr);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

const struct CMUnitTest failing_tests[] = {
	cmocka_unit_test_setup(opening_fails_cleanly, let_all_fail),
	cmocka_unit_test(mapping_and_populating_fail_cleanly),
	cmocka_unit_test(forking_fails_cleanly),
	cmocka_unit_test(binding_fails_cleanly),
};
const size_t failing_tests_n = sizeof(failing_tests) / sizeof(*failing_tests);
