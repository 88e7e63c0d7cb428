// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices that leave while they are open, mapped, waited for and forked, by
 * unbinding and by being pulled out. Nothing of them may be left in reach.
 */
#include "uio.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#define RW (PROT_READ | PROT_WRITE)
#define GONE (POLLERR | POLLHUP)

static char addr[16];

static void load_driver(void)
{
	assert_int_equal(module_load("hugeuio_pci", ""), 0);
}

static void unload_driver(void)
{
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

static int bind_and_open(struct uio_node *node)
{
	pci_bind(addr, "hugeuio_pci");
	uio_of_pci(addr, "hugeuio", node);
	return open_node(node->dev, O_RDWR);
}

static void assert_gone(int fd, const volatile void *p)
{
	int err;

	assert_int_equal(load_signal(p), SIGBUS);
	read_count(fd, &err);
	assert_int_equal(err, EIO);
	assert_int_equal(write_control(fd, 1), EIO);
	assert_int_equal(poll_events(fd, 0), GONE);
	assert_int_equal(uio_try_map(fd, 0, page_size), ENODEV);
}

static void an_unbound_device_is_gone_for_who_had_it(void **state)
{
	struct uio_node node, again;
	char *p;
	int fd, other, status;
	pid_t child;

	(void)state;
	load_driver();
	assert_true(pci_find(EDU, addr));
	fd = bind_and_open(&node);
	p = uio_map(fd, 0, MIB(1));
	touch(p, MIB(1), page_size);
	pci_unbind(addr);
	assert_int_equal(access(node.sysfs, F_OK), -1);
	assert_int_equal(access(node.dev, F_OK), -1);
	assert_gone(fd, p);
	child = fork();
	if (!child)
		_exit(load_signal(p) != SIGBUS);
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);

	/* the number is not used again while somebody has it */
	other = bind_and_open(&again);
	assert_string_not_equal(node.dev, again.dev);
	assert_gone(fd, p);
	assert_int_equal(uio_try_map(other, 0, MIB(1)), 0);
	munmap(p, MIB(1));
	close(fd);
	close(other);
	pci_unbind(addr);
	other = bind_and_open(&again);
	assert_string_equal(node.dev, again.dev);
	close(other);
	pci_unbind(addr);
	unload_driver();
}

/* the first @n maps of the driver's memory, each mapped twice */
static void check_freed_memory(const char *options, int n)
{
	static const char * const names[] = { "logical", "virtual", "coherent" };
	struct uio_node node;
	char *p[3] = { NULL }, *own[3] = { NULL };
	int fd, i, index;

	assert_int_equal(module_load("hugeuio_example", options), 0);
	assert_true(uio_by_name("example", &node));
	fd = open_node(node.dev, O_RDWR);
	for (i = 0; i < n; i++) {
		index = uio_map_index(&node, names[i]);
		if (index < 0)
			continue;
		p[i] = uio_map(fd, index, 2 * page_size);
		own[i] = map_at(fd, NULL, index * page_size, 2 * page_size,
				RW, MAP_PRIVATE);
		assert_int_equal(load_signal(p[i]), 0);
		assert_int_equal(load_signal(own[i]), 0);
	}
	write_file("/sys/module/hugeuio_example/parameters/remove", "0");
	/* an interrupt that comes too late */
	write_file("/sys/module/hugeuio_example/parameters/raise", "0");
	for (i = 0; i < n && p[i]; i++) {
		assert_int_equal(load_signal(p[i]), SIGBUS);
		assert_int_equal(load_signal(p[i] + page_size), SIGBUS);
		assert_int_equal(load_signal(own[i]), SIGBUS);
		munmap(p[i], 2 * page_size);
		munmap(own[i], 2 * page_size);
	}
	assert_int_equal(uio_try_map(fd, 0, page_size), ENODEV);
	close(fd);
	assert_int_equal(module_unload("hugeuio_example"), 0);
}

static void memory_that_a_driver_frees_is_no_longer_mapped(void **state)
{
	(void)state;
	check_freed_memory("", 3);
}

static void what_a_driver_mapped_itself_goes_with_it(void **state)
{
	(void)state;
	check_freed_memory("own_mmap=1", 1);
}

static void it_can_be_bound_a_thousand_times_with_a_map_live(void **state)
{
	enum { ROUNDS = 1000 };
	struct uio_node node;
	int fd, i;
	char *p;

	(void)state;
	load_driver();
	snprintf(addr, sizeof(addr), "%.15s", getenv("HUGEPFN_BAR_DEV"));
	for (i = 0; i < ROUNDS; i++) {
		fd = bind_and_open(&node);
		p = uio_map(fd, uio_map_index(&node, "BAR2"), 4 * pmd_size);
		assert_int_equal(load_signal(p + i % 4 * pmd_size), 0);
		pci_unbind(addr);
		assert_int_equal(load_signal(p + i % 4 * pmd_size), SIGBUS);
		munmap(p, 4 * pmd_size);
		close(fd);
	}
	unload_driver();
}

enum { KEPT = 64 };

struct mapper {
	int fd;
	char *kept[KEPT];
	unsigned int n;
};

/* keeps the last private maps it could make */
static void *map_until_gone(void *arg)
{
	struct mapper *m = arg;

	for (m->n = 0;; m->n++) {
		char **p = &m->kept[m->n % KEPT];

		if (m->n >= KEPT)
			munmap(*p, page_size);
		*p = mmap(NULL, page_size, RW, MAP_PRIVATE, m->fd, 0);
		if (*p == MAP_FAILED)
			return (void *)(intptr_t)errno;
	}
}

/* the race of mmap.c: filled at mmap(), linked after it, zapped in between */
static void no_private_map_slips_past_an_unbind(void **state)
{
	struct uio_node node;
	struct mapper m;
	unsigned int i, round;
	pthread_t id;
	void *err;

	(void)state;
	load_driver();
	assert_true(pci_find(EDU, addr));
	for (round = 0; round < 50; round++) {
		m.fd = bind_and_open(&node);
		pthread_create(&id, NULL, map_until_gone, &m);
		usleep(5000);
		pci_unbind(addr);
		pthread_join(id, &err);
		assert_int_equal((intptr_t)err, ENODEV);
		for (i = 0; i < KEPT && i < m.n; i++) {
			if (m.kept[i] == MAP_FAILED)
				continue;
			assert_int_equal(load_signal(m.kept[i]), SIGBUS);
			munmap(m.kept[i], page_size);
		}
		close(m.fd);
	}
	unload_driver();
}

static void open_and_close_until(volatile int *stop)
{
	char path[40];
	unsigned int i;

	for (i = 0; !*stop; i++) {
		int fd, count;
		char *p;

		snprintf(path, sizeof(path), "/dev/hugeuio%u", i % 3);
		fd = open(path, O_RDWR | O_NONBLOCK);
		if (fd < 0) {
			if (errno != ENODEV && errno != ENOENT &&
			    errno != ENXIO)
				_exit(1);
			continue;
		}
		p = mmap(NULL, page_size, RW, MAP_SHARED, fd, 0);
		(void)!read(fd, &count, 4);
		if (p != MAP_FAILED) {
			load_signal(p);
			munmap(p, page_size);
		}
		close(fd);
	}
	_exit(0);
}

/* D1 */
static void opening_races_with_binding_and_unloading(void **state)
{
	/* a debug kernel has time for a round every 7 seconds */
	enum { PROCESSES = 8, ROUNDS = 200, AT_LEAST = 10, SECONDS = 100 };
	const time_t end = time(NULL) + SECONDS;
	volatile int *stop = mmap(NULL, page_size, RW,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int i, status;

	(void)state;
	load_driver();
	assert_true(pci_find(EDU, addr));
	for (i = 0; i < PROCESSES; i++)
		if (!fork())
			open_and_close_until(stop);
	for (i = 0; i < AT_LEAST || (i < ROUNDS && time(NULL) < end); i++) {
		pci_bind(addr, "hugeuio_pci");
		if (i % 10 == 9 && !module_unload("hugeuio_pci"))
			load_driver();
		pci_unbind(addr);
	}
	*stop = 1;
	while (wait(&status) > 0)
		assert_int_equal(status, 0);
	munmap((void *)stop, page_size);
	unload_driver();
}

/* until the device is there, or not; a slot needs its time */
static void wait_for_device(bool there)
{
	char path[100];
	int i;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s", addr);
	for (i = 0; i < 3000 && !access(path, F_OK) != there; i++)
		usleep(20000);
	assert_int_equal(!access(path, F_OK), there);
}

struct load {
	int fd;
	char *p;
	atomic_ulong faults, forks;
	atomic_bool stop;
};

static void *load_read(void *arg)
{
	int err;

	do
		read_count(((struct load *)arg)->fd, &err);
	while (!err);
	return (void *)(intptr_t)err;
}

static void *load_poll(void *arg)
{
	short events;

	do
		events = poll_events(((struct load *)arg)->fd, 1000);
	while (!(events & POLLHUP));
	return (void *)(intptr_t)events;
}

static void *load_fault(void *arg)
{
	struct load *l = arg;
	int sig;

	do {
		/* a new one each time, so that there is something to fault in */
		char *p = mmap(NULL, MIB(1), RW, MAP_SHARED, l->fd, 0);

		if (p == MAP_FAILED)
			return (void *)(intptr_t)load_signal(l->p);
		sig = load_signal(p + l->faults++ % (MIB(1) / page_size) * page_size);
		munmap(p, MIB(1));
	} while (!sig);
	return (void *)(intptr_t)sig;
}

static void *load_fork(void *arg)
{
	struct load *l = arg;
	int status;

	while (!atomic_load(&l->stop)) {
		pid_t child = fork();

		if (!child)
			_exit(load_signal(l->p) & ~SIGBUS);
		waitpid(child, &status, 0);
		l->forks++;
		if (status)
			return (void *)(intptr_t)status;
	}
	return NULL;
}

static void a_device_can_be_pulled_out_under_load(void **state)
{
	static void *(* const fn[])(void *) = {
		load_read, load_poll, load_fault, load_fork
	};
	static const intptr_t want[] = { EIO, GONE, SIGBUS, 0 };
	struct load l = { 0 };
	struct uio_node node;
	pthread_t id[4];
	void *ret;
	int i;

	(void)state;
	need_monitor();
	load_driver();
	assert_true(pci_find_hot(EDU, addr));
	l.fd = bind_and_open(&node);
	l.p = uio_map(l.fd, 0, MIB(1));
	for (i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, fn[i], &l);
	sleep(1);
	monitor("device_del hotedu\n");
	wait_for_device(false);
	for (i = 0; i < 4; i++) {
		atomic_store(&l.stop, true);
		pthread_join(id[i], &ret);
		assert_int_equal((intptr_t)ret, want[i]);
	}
	assert_true(l.faults > 1 && l.forks > 1);
	assert_gone(l.fd, l.p);
	munmap(l.p, MIB(1));
	close(l.fd);
	unload_driver();
}

/* the new device has the old one's addresses; the old map must not show it */
static void an_old_map_never_shows_the_next_device(void **state)
{
	const uint64_t len = MIB(64);
	uint64_t size, start;
	struct uio_node node;
	int fd, other;
	char *p, *q;

	(void)state;
#ifdef __aarch64__
	skip_because("pciehp hears nothing of a device that QEMU 7.2's virt machine puts in again");
#endif
	need_monitor();
	load_driver();
	assert_true(pci_find_hot(IVSHMEM, addr));
	start = pci_bar(addr, 2, &size);
	fd = bind_and_open(&node);
	p = uio_map(fd, uio_map_index(&node, "BAR2"), len);
	p[0] = 'o';
	monitor("device_del hot\n");
	wait_for_device(false);
	assert_int_equal(load_signal(p), SIGBUS);

	monitor("object_add memory-backend-memfd,id=hot2,share=on,size=64M\n");
	/* not before the slot is off, and not twice: QEMU dies of that */
	sleep(2);
	monitor("device_add ivshmem-plain,memdev=hot2,bus=rp,id=hot2\n");
	wait_for_device(true);
	/* it has a path before it can be bound */
	sleep(2);
	other = bind_and_open(&node);
	assert_int_equal(pci_bar(addr, 2, &size), start);
	q = uio_map(other, uio_map_index(&node, "BAR2"), len);
	assert_int_equal(q[0], 0);
	q[0] = 'n';
	assert_int_equal(load_signal(p), SIGBUS);
	assert_int_equal(load_signal(p + len - 1), SIGBUS);
	assert_int_equal(uio_try_map(fd, 0, page_size), ENODEV);
	munmap(p, len);
	munmap(q, len);
	close(fd), close(other);
	pci_unbind(addr);
	unload_driver();
}

/* or who had it mapped would choose the mode that its next driver gets */
static void a_device_that_left_keeps_no_cache_mode(void **state)
{
	struct uio_node node;
	char options[100], *p, *own;
	int fd, index;

	(void)state;
	if (!memtypes_are_tracked())
		skip_because("memory types are not tracked");
	snprintf(options, sizeof(options), "phys=%#llx phys_len=%#llx",
		 (unsigned long long)bar, (unsigned long long)4 * pmd_size);
	assert_int_equal(module_load("hugeuio_example", options), 0);
	assert_true(uio_by_name("example", &node));
	fd = open_node(node.dev, O_RDWR);
	set_attr(fd, HUGEPFN_CACHE_WC, 0, 0);
	index = uio_map_index(&node, "phys");
	p = uio_map(fd, index, 4 * pmd_size);
	touch(p, 4 * pmd_size, pmd_size);
	own = map_at(fd, NULL, index * page_size, page_size, RW, MAP_PRIVATE);
	own[0] = 1;
	assert_true(reserved_as("write-combining", 0));
	write_file("/sys/module/hugeuio_example/parameters/remove", "0");
	assert_false(reserved_as("write-combining", 0));
	assert_int_equal(load_signal(p), SIGBUS);
	assert_int_equal(load_signal(own), SIGBUS);

	assert_int_equal(try_map("/dev/hugemem", O_RDWR, bar, pmd_size, RW,
				 MAP_SHARED), 0);
	munmap(p, pmd_size);
	assert_int_equal(load_signal(p + pmd_size), SIGBUS);
	munmap(p + pmd_size, 3 * pmd_size);
	munmap(own, page_size);
	close(fd);
	assert_int_equal(module_unload("hugeuio_example"), 0);
}

const struct CMUnitTest unplug_tests[] = {
	cmocka_unit_test(an_unbound_device_is_gone_for_who_had_it),
	cmocka_unit_test(memory_that_a_driver_frees_is_no_longer_mapped),
	cmocka_unit_test(what_a_driver_mapped_itself_goes_with_it),
	cmocka_unit_test(it_can_be_bound_a_thousand_times_with_a_map_live),
	cmocka_unit_test(no_private_map_slips_past_an_unbind),
	cmocka_unit_test(opening_races_with_binding_and_unloading),
	cmocka_unit_test(a_device_that_left_keeps_no_cache_mode),
	cmocka_unit_test(a_device_can_be_pulled_out_under_load),
	cmocka_unit_test(an_old_map_never_shows_the_next_device),
};
const size_t unplug_tests_n = sizeof(unplug_tests) / sizeof(*unplug_tests);
