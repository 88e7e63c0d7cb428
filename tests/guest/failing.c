// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation fails once, by its number: the first of a call, then the
 * second, until a call gets through without one that fails. It must say
 * ENOMEM, or not have needed the memory, and leave nothing behind. B2 is the
 * case of fork(). INFO, SET_MAP_ATTR and QUERY_RANGE allocate nothing.
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

#define RESERVATIONS "/sys/kernel/debug/hugepfn/reservations"

static void assert_nothing_left(void)
{
	char *text = read_file(RESERVATIONS);

	assert_string_equal(text, "");
	free(text);
	assert_int_equal(try_map("/dev/mem", O_RDWR | O_SYNC, bar, page_size,
				 RW, MAP_SHARED), 0);
	assert_int_equal(try_map("/dev/mem", O_RDWR, bar, page_size, RW,
				 MAP_SHARED), 0);
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
	void *p = mmap(NULL, m->len, RW, m->flags, m->fd, m->offset);

	if (p == MAP_FAILED)
		return errno == EAGAIN ? ENOMEM : errno;	/* see below */
	munmap(p, m->len);
	return 0;
}

static int call_populate(void *arg)
{
	const struct mapping *m = arg;
	void *p = mmap(NULL, m->len, RW, m->flags, m->fd, m->offset);
	int err;

	if (p == MAP_FAILED)
		return errno == EAGAIN ? ENOMEM : errno;
	err = populate_errno(m->fd, p, m->len);
	munmap(p, m->len);
	return err;
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
		{ .flags = MAP_SHARED, .offset = bar, .len = pud_size },
		{ .flags = MAP_SHARED, .offset = bar + page_size,
		  .len = 2 * pmd_size },
		{ .flags = MAP_PRIVATE, .offset = bar, .len = pmd_size },
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

/* a page that is there for the asking, cut out of the middle or moved */
struct cut {
	char *p, *to;
	uint64_t len, at;
};

static int call_munmap(void *arg)
{
	const struct cut *c = arg;

	return munmap(c->p + c->at, page_size) ? errno : 0;
}

static int call_mprotect(void *arg)
{
	const struct cut *c = arg;

	return mprotect(c->p + c->at, page_size, PROT_READ) ? errno : 0;
}

static int call_mremap(void *arg)
{
	const struct cut *c = arg;

	return mremap(c->p + c->at, page_size, page_size,
		      MREMAP_MAYMOVE | MREMAP_FIXED, c->to) == MAP_FAILED ?
	       errno : 0;
}

/* what is still mapped shows what it did; all anew for the next round */
static void map_again(void *arg)
{
	struct cut *c = arg;

	assert_stamps(c->p, 0, c->at, pmd_size);
	assert_stamps(c->p + c->at + page_size, c->at + page_size,
		      c->len - c->at - page_size, pmd_size);
	munmap(c->to, page_size);
	munmap(c->p, c->len);
	c->p = map_bar(0, c->len);
	touch(c->p, c->len, page_size);
}

static void cutting_and_moving_fail_cleanly(void **state)
{
	const uint64_t lens[] = { 4 * pmd_size, pud_size };
	struct cut c;
	size_t i;

	(void)state;
	need_fail_nth();
	stamp(0, pud_size, page_size);
	c.to = reserve(page_size, pmd_size, 0);
	for (i = 0; i < 2; i++) {
		c.len = lens[i];
		c.at = pmd_size + page_size;
		c.p = map_bar(0, c.len);
		touch(c.p, c.len, page_size);
		fail_each("munmap", call_munmap, map_again, &c);
		fail_each("mprotect", call_mprotect, map_again, &c);
		fail_each("mremap", call_mremap, map_again, &c);
		munmap(c.p, c.len);
		assert_nothing_left();
	}
}

/*
 * A fault from within the kernel, which gives up where one of user space is
 * tried again: the copy says EFAULT.
 */
struct copy {
	struct mapping mapping;
	char *p;
	int to;
};

static int call_copy(void *arg)
{
	const struct copy *c = arg;

	if (write(c->to, c->p, 8) == 8)
		return 0;
	return errno == EFAULT ? ENOMEM : errno;
}

static void map_untouched(void *arg)
{
	struct copy *c = arg;

	if (c->p)
		munmap(c->p, c->mapping.len);
	c->p = map_at(c->mapping.fd, NULL, c->mapping.offset, c->mapping.len,
		      RW, MAP_SHARED);
}

static void check_faults(struct mapping mapping)
{
	struct copy c = { .mapping = mapping };
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	c.to = fds[1];
	map_untouched(&c);
	fail_each("fault", call_copy, map_untouched, &c);
	munmap(c.p, mapping.len);
	close(fds[0]);
	close(fds[1]);
}

static void faults_fail_cleanly(void **state)
{
	/* what large entries cannot map: those may need no table of their own */
	struct mapping m = { .offset = bar + page_size, .len = pmd_size };

	(void)state;
	need_fail_nth();
	m.fd = open_hugemem(O_RDWR);
	check_faults(m);
	close(m.fd);
	assert_nothing_left();
}

static int call_access(void *arg)
{
	const struct copy *c = arg;
	uint64_t word;

	if (pread(c->to, &word, 8, (uintptr_t)c->p) == 8)
		return 0;
	return errno == EIO ? ENOMEM : errno;
}

static void anothers_access_fails_cleanly(void **state)
{
	struct copy c = { .to = open_node("/proc/self/mem", O_RDWR) };

	(void)state;
	need_fail_nth();
	c.p = map_bar(0, pmd_size);
	fail_each("access", call_access, NULL, &c);
	munmap(c.p, pmd_size);
	close(c.to);
	assert_nothing_left();
}

static int call_read(void *arg)
{
	char buf[4096];
	int fd = open(arg, O_RDONLY), err = 0;

	if (fd < 0 || read(fd, buf, sizeof(buf)) < 0)
		err = errno;
	close(fd);
	return err;
}

static void being_looked_at_fails_cleanly(void **state)
{
	char path[60], *p;
	int fd;

	(void)state;
	need_fail_nth();
	fd = open_hugemem(O_RDWR);
	p = map_at(fd, NULL, bar, pmd_size, RW, MAP_SHARED);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	fail_each("fdinfo", call_read, NULL, path);
	fail_each("reservations", call_read, NULL, RESERVATIONS);
	munmap(p, pmd_size);
	close(fd);
}

static int call_async(void *arg)
{
	return fcntl(*(int *)arg, F_SETFL, O_RDWR | O_ASYNC) ? errno : 0;
}

static void undo_async(void *arg)
{
	assert_int_equal(fcntl(*(int *)arg, F_SETFL, O_RDWR), 0);
}

/* the maps of a UIO node, each kind of memory, to share and to copy */
static void check_uio_maps(int fd, const struct uio_node *node)
{
	static const char *const names[] = {
		"logical", "virtual", "coherent", "phys",
	};
	size_t i;

	for (i = 0; i < 4; i++) {
		const int index = uio_map_index(node, names[i]);
		struct mapping m = {
			.fd = fd, .flags = MAP_SHARED,
			.offset = index * page_size, .len = 2 * page_size,
		};

		if (index < 0)
			continue;
		fail_each(names[i], call_mmap, NULL, &m);
		m.flags = MAP_PRIVATE;
		fail_each(names[i], call_mmap, NULL, &m);
	}
}

static void a_uio_node_fails_cleanly(void **state)
{
	struct uio_node node;
	char options[80];
	int fd;

	(void)state;
	need_fail_nth();
	snprintf(options, sizeof(options), "phys=%#llx phys_len=%llu",
		 (unsigned long long)bar, (unsigned long long)pmd_size);
	assert_int_equal(module_load("hugeuio_example", options), 0);
	assert_true(uio_by_name("example", &node));
	fail_each("open", call_open, NULL, node.dev);
	fd = open_node(node.dev, O_RDWR);
	check_uio_maps(fd, &node);
	fail_each("O_ASYNC", call_async, undo_async, &fd);
	close(fd);
	assert_int_equal(module_unload("hugeuio_example"), 0);
	assert_nothing_left();
}

#define EXAMPLE "/sys/module/hugeuio_example/parameters/"

static int call_register(void *arg)
{
	int fd = open(EXAMPLE "add", O_WRONLY), err = 0;

	(void)arg;
	if (fd < 0 || write(fd, "0", 1) < 0)
		err = ENOMEM;	/* any will do, as below */
	close(fd);
	return err;
}

static void undo_register(void *arg)
{
	struct uio_node node;

	(void)arg;
	if (!uio_by_name("example", &node))
		return;
	write_file(EXAMPLE "remove", "0");
	assert_false(uio_by_name("example", &node));
}

static void registering_fails_cleanly(void **state)
{
	struct uio_node node;

	(void)state;
	need_fail_nth();
	assert_int_equal(module_load("hugeuio_example", ""), 0);
	write_file(EXAMPLE "remove", "0");
	fail_each("register", call_register, undo_register, NULL);
	/* no number, no name is taken for ever */
	write_file(EXAMPLE "add", "0");
	assert_true(uio_by_name("example", &node));
	assert_string_equal(node.dev, "/dev/hugeuio0");
	assert_int_equal(module_unload("hugeuio_example"), 0);
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
	cmocka_unit_test(faults_fail_cleanly),
	cmocka_unit_test(cutting_and_moving_fail_cleanly),
	cmocka_unit_test(anothers_access_fails_cleanly),
	cmocka_unit_test(being_looked_at_fails_cleanly),
	cmocka_unit_test(forking_fails_cleanly),
	cmocka_unit_test(a_uio_node_fails_cleanly),
	cmocka_unit_test(registering_fails_cleanly),
	cmocka_unit_test(binding_fails_cleanly),
	cmocka_unit_test(mapping_and_populating_fail_cleanly),
};
const size_t failing_tests_n = sizeof(failing_tests) / sizeof(*failing_tests);
