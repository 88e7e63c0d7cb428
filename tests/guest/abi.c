// SPDX-License-Identifier: GPL-2.0-only
/*
 * UIO's ABI. The same tests run on the kernel's own uio and on hugeuio: on
 * QEMU's edu device bound to uio_pci_generic or hugeuio_pci, and on the
 * example driver registered with either. Only the node's path differs.
 */
#include "uio.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

static char edu[16];
static struct uio_node node, example;
static const char *example_module;
static volatile uint32_t *reg;

static const char *node_class;

static int load_example(const char *options)
{
	char path[200];

	if (module_load(example_module, options))
		return -1;
	snprintf(path, sizeof(path), "/sys/devices/platform/%s.0",
		 example_module);
	return uio_find(path, node_class, &example) ? 0 : -1;
}

static int setup(const char *class, const char *pci_driver, const char *module)
{
	int fd;

	node_class = class;
	example_module = module;
	if (!pci_find(EDU, edu)) {
		fprintf(stderr, "no edu device: QEMU needs -device edu\n");
		return -1;
	}
	if (module_load(pci_driver, !strcmp(class, "uio") ? "" :
			"interrupts=intx") || load_example(""))
		return -1;
	pci_bind(edu, pci_driver);
	uio_of_pci(edu, class, &node);
	fd = open_node(node.dev, O_RDWR);
	reg = uio_map(fd, 0, MIB(1));
	close(fd);
	return 0;
}

int abi_setup_uio(void **state)
{
	(void)state;
	return setup("uio", "uio_pci_generic", "uio_example");
}

int abi_setup_hugeuio(void **state)
{
	(void)state;
	return setup("hugeuio", "hugeuio_pci", "hugeuio_example");
}

int abi_teardown(void **state)
{
	(void)state;
	munmap((void *)reg, MIB(1));
	pci_unbind(edu);
	module_unload("hugeuio_pci");
	module_unload("uio_pci_generic");
	return module_unload(example_module);
}

/* a device that has interrupted keeps its line up until it is answered */
static void answer(void)
{
	reg[EDU_ACK] = reg[EDU_STATUS];
	pci_set_bits(edu, PCI_COMMAND, PCI_COMMAND_INTX_DISABLE, 0);
}

static void raise_interrupt(void)
{
	reg[EDU_RAISE] = 1;
}

static void sysfs_tells_name_version_events_and_maps(void **state)
{
	uint64_t size, start = pci_bar(edu, 0, &size);
	char *name = uio_attr(&node, "name");
	char *version = uio_attr(&node, "version");

	(void)state;
	assert_true(*name && *version);
	assert_true(uio_has(&node, "event"));
	assert_int_equal(uio_number(&node, "maps/map0/addr"), start);
	assert_int_equal(uio_number(&node, "maps/map0/size"), size);
	assert_int_equal(uio_number(&node, "maps/map0/offset"), 0);
	assert_true(uio_has(&node, "maps/map0/name"));
	assert_false(uio_has(&node, "maps/map1"));
	assert_false(uio_has(&node, "portio"));
	free(name);
	free(version);
}

static void map_0_shows_the_device(void **state)
{
	(void)state;
	assert_int_equal(reg[EDU_ID], EDU_ID_VALUE);
	reg[1] = 0x12345678;
	assert_int_equal(reg[1], ~0x12345678u);
}

static void what_is_not_in_a_map_is_refused(void **state)
{
	int fd = open_node(node.dev, O_RDWR);

	(void)state;
	assert_int_equal(uio_try_map(fd, 0, MIB(1)), 0);
	assert_int_equal(uio_try_map(fd, 0, MIB(1) + page_size), EINVAL);
	assert_int_equal(uio_try_map(fd, 0, 1ULL << 46), EINVAL);
	assert_int_equal(uio_try_map(fd, 0, 0), EINVAL);
	assert_int_equal(uio_try_map(fd, 1, page_size), EINVAL);
	assert_int_equal(uio_try_map(fd, page_size, page_size), EINVAL);
	assert_int_equal(uio_try_map(fd, 5 * page_size, page_size), EINVAL);
	assert_int_equal(uio_try_map(fd, 1ULL << 40, page_size), EINVAL);
	close(fd);
}

static void a_mapping_does_not_grow(void **state)
{
	int fd = open_node(node.dev, O_RDWR);
	volatile uint32_t *p = uio_map(fd, 0, MIB(1));

	(void)state;
	assert_ptr_equal(mremap((void *)p, MIB(1), MIB(2), MREMAP_MAYMOVE),
			 MAP_FAILED);
	assert_int_equal(errno, EFAULT);
	assert_ptr_equal(mremap((void *)p, MIB(1), MIB(1) + page_size, 0),
			 MAP_FAILED);
	assert_int_equal(p[EDU_ID], EDU_ID_VALUE);
	munmap((void *)p, MIB(1));
	close(fd);
}

static void a_private_map_shows_the_device_too(void **state)
{
	int fd = open_node(node.dev, O_RDWR);
	volatile uint32_t *p = map_at(fd, NULL, 0, page_size,
				      PROT_READ | PROT_WRITE, MAP_PRIVATE);

	(void)state;
	assert_int_equal(p[EDU_ID], EDU_ID_VALUE);
	munmap((void *)p, page_size);
	close(fd);
}

static void a_forked_process_has_the_device_too(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child)
		_exit(reg[EDU_ID] != EDU_ID_VALUE);
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
}

static void an_interrupt_is_one_event(void **state)
{
	int fd = open_node(node.dev, O_RDWR), err;
	int32_t before = uio_number(&node, "event");

	(void)state;
	assert_int_equal(poll_events(fd, 200), 0);
	raise_interrupt();
	assert_int_equal(poll_events(fd, 2000), POLLIN);
	/* level triggered until it is read */
	assert_int_equal(poll_events(fd, 0), POLLIN);
	assert_int_equal(read_count(fd, &err), before + 1);
	assert_int_equal(err, 0);
	assert_int_equal(poll_events(fd, 100), 0);
	assert_int_equal(uio_number(&node, "event"), before + 1);

	answer();
	raise_interrupt();
	assert_int_equal(read_count(fd, &err), before + 2);
	answer();
	close(fd);
}

static void each_file_has_its_own_count(void **state)
{
	int a = open_node(node.dev, O_RDWR), b = open_node(node.dev, O_RDWR);
	int err;

	(void)state;
	raise_interrupt();
	assert_int_equal(poll_events(a, 2000), POLLIN);
	assert_int_equal(poll_events(b, 2000), POLLIN);
	read_count(a, &err);
	assert_int_equal(poll_events(a, 0), 0);
	assert_int_equal(poll_events(b, 0), POLLIN);
	answer();
	close(a);
	/* a new file has seen what happened before it was opened */
	a = open_node(node.dev, O_RDWR);
	assert_int_equal(poll_events(a, 0), 0);
	close(a);
	close(b);
}

static void other_sizes_than_4_bytes_are_invalid(void **state)
{
	int fd = open_node(node.dev, O_RDWR);
	char buf[8] = { 0 };

	(void)state;
	assert_int_equal(read(fd, buf, 3), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(read(fd, buf, 8), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(write(fd, buf, 2), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(write(fd, buf, 8), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	close(fd);
}

static void a_nonblocking_read_does_not_wait(void **state)
{
	int fd = open_node(node.dev, O_RDWR | O_NONBLOCK), err;

	(void)state;
	read_count(fd, &err);
	assert_int_equal(err, EAGAIN);
	raise_interrupt();
	assert_int_equal(poll_events(fd, 2000), POLLIN);
	read_count(fd, &err);
	assert_int_equal(err, 0);
	read_count(fd, &err);
	assert_int_equal(err, EAGAIN);
	answer();
	close(fd);
}

static void a_bad_buffer_does_not_eat_the_event(void **state)
{
	int fd = open_node(node.dev, O_RDWR), err;

	(void)state;
	raise_interrupt();
	assert_int_equal(poll_events(fd, 2000), POLLIN);
	assert_int_equal(syscall(SYS_read, fd, 1, 4), -1);
	assert_int_equal(errno, EFAULT);
	read_count(fd, &err);
	assert_int_equal(err, 0);
	assert_int_equal(syscall(SYS_write, fd, 1, 4), -1);
	assert_int_equal(errno, EFAULT);
	answer();
	close(fd);
}

static volatile sig_atomic_t signals;

static void count_signal(int sig)
{
	(void)sig;
	signals++;
}

static void a_signal_ends_a_read(void **state)
{
	struct sigaction sa = { .sa_handler = count_signal }, old;
	int fd = open_node(node.dev, O_RDWR), err;

	(void)state;
	signals = 0;
	sigaction(SIGALRM, &sa, &old);
	alarm(1);
	read_count(fd, &err);
	assert_int_equal(err, EINTR);
	assert_int_equal(signals, 1);
	sigaction(SIGALRM, &old, NULL);
	close(fd);
}

static void an_event_can_be_a_signal(void **state)
{
	struct sigaction sa = { .sa_handler = count_signal }, old;
	int fd = open_node(node.dev, O_RDWR), i;

	(void)state;
	signals = 0;
	sigaction(SIGIO, &sa, &old);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
	raise_interrupt();
	for (i = 0; i < 200 && !signals; i++)
		usleep(10000);
	assert_int_equal(signals, 1);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_ASYNC);
	sigaction(SIGIO, &old, NULL);
	answer();
	close(fd);
}

static void an_edge_is_told_once(void **state)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd = open_node(node.dev, O_RDWR), epoll = epoll_create1(0), err;

	(void)state;
	assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	assert_int_equal(epoll_wait(epoll, &event, 1, 100), 0);
	raise_interrupt();
	assert_int_equal(epoll_wait(epoll, &event, 1, 2000), 1);
	assert_int_equal(epoll_wait(epoll, &event, 1, 100), 0);
	answer();
	raise_interrupt();
	assert_int_equal(epoll_wait(epoll, &event, 1, 2000), 1);
	read_count(fd, &err);
	answer();
	close(epoll);
	close(fd);
}

static void *read_in_thread(void *arg)
{
	int err;

	read_count(*(int *)arg, &err);
	return (void *)(intptr_t)err;
}

static void an_event_wakes_who_reads(void **state)
{
	int fd = open_node(node.dev, O_RDWR);
	pthread_t id;
	void *err;

	(void)state;
	pthread_create(&id, NULL, read_in_thread, &fd);
	usleep(200000);
	raise_interrupt();
	pthread_join(id, &err);
	assert_null(err);
	answer();
	close(fd);
}

static void the_device_can_be_read_through_proc_mem(void **state)
{
	uint32_t id = 0;
	int mem;

	(void)state;
#ifdef __aarch64__
	if (!strcmp(node_class, "uio"))
		skip_because("UIO reads 4 bytes one by one, edu answers with a bus error, and the kernel dies");
#endif
	mem = open_node("/proc/self/mem", O_RDONLY);
	assert_int_equal(reg[EDU_ID], EDU_ID_VALUE);
	assert_int_equal(pread(mem, &id, 4, (uintptr_t)reg), 4);
	assert_int_equal(id, EDU_ID_VALUE);
	close(mem);
}

/* the example driver from here */

static int example_param(const char *name)
{
	char path[200], *text;
	int n;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s",
		 example_module, name);
	text = read_file(path);
	n = atoi(text);
	free(text);
	return n;
}

static void example_raise(void)
{
	char path[200];

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/raise",
		 example_module);
	write_file(path, "0");
}

static void the_driver_hears_of_open_close_and_write(void **state)
{
	int a = open_node(example.dev, O_RDWR), b;

	(void)state;
	assert_int_equal(example_param("opened"), 1);
	b = open_node(example.dev, O_RDWR);
	assert_int_equal(example_param("opened"), 2);
	assert_int_equal(write_control(a, 1), 0);
	assert_int_equal(example_param("irq_on"), 1);
	assert_int_equal(write_control(b, 0), 0);
	assert_int_equal(example_param("irq_on"), 0);
	close(a);
	close(b);
	assert_int_equal(example_param("opened"), 0);
}

static void the_drivers_own_event_is_told(void **state)
{
	int fd = open_node(example.dev, O_RDWR), err;
	int32_t before = uio_number(&example, "event");

	(void)state;
	assert_int_equal(poll_events(fd, 0), 0);
	example_raise();
	example_raise();
	assert_int_equal(poll_events(fd, 1000), POLLIN);
	assert_int_equal(read_count(fd, &err), before + 2);
	assert_int_equal(poll_events(fd, 0), 0);
	close(fd);
}

static void check_memory(int fd, int index, char name, unsigned int pages)
{
	uint64_t *p = uio_map(fd, index, pages * page_size), i;
	const uint64_t words = page_size / sizeof(*p);

	for (i = 0; i < pages; i++) {
		assert_int_equal(p[i * words], i);
		assert_int_equal(p[i * words + 1], name);
	}
	/* what one writes another reads */
	if (!fork()) {
		p[2] = 77;
		_exit(0);
	}
	wait(NULL);
	assert_int_equal(p[2], 77);
	p[2] = 0;
	assert_int_equal(uio_try_map(fd, index * page_size,
				     (pages + 1) * page_size), EINVAL);
	munmap(p, pages * page_size);
}

/* what it takes to touch each page of a map */
static long count_faults(int fd, int index, uint64_t len)
{
	void *p = uio_map(fd, index, len);
	long n = touch(p, len, page_size);

	munmap(p, len);
	return n;
}

static void the_drivers_memory_can_be_mapped(void **state)
{
	int fd = open_node(example.dev, O_RDWR);
	int coherent = uio_map_index(&example, "coherent");

	(void)state;
	check_memory(fd, uio_map_index(&example, "logical"), 'l', 2);
	check_memory(fd, uio_map_index(&example, "virtual"), 'v', 4);
	if (coherent >= 0)
		check_memory(fd, coherent, 'c', 2);
	else
		print_message("this kernel's UIO has no coherent maps\n");
	close(fd);
}

/* it maps all pages at once, and no map but the first */
static void the_drivers_own_mmap_is_asked(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(module_unload(example_module), 0);
	assert_int_equal(load_example("own_mmap=1"), 0);
	fd = open_node(example.dev, O_RDWR);
	check_memory(fd, 0, 'l', 2);
	assert_int_equal(count_faults(fd, 0, 2 * page_size), 0);
	assert_int_equal(uio_try_map(fd, page_size, page_size), ENXIO);
	close(fd);
	assert_int_equal(module_unload(example_module), 0);
	assert_int_equal(load_example(""), 0);
	fd = open_node(example.dev, O_RDWR);
	assert_int_equal(count_faults(fd, 0, 2 * page_size), 2);
	close(fd);
}

static void a_module_with_files_open_stays(void **state)
{
	int fd = open_node(example.dev, O_RDWR);

	(void)state;
	assert_int_not_equal(module_unload(example_module), 0);
	close(fd);
}

const struct CMUnitTest abi_tests[] = {
	cmocka_unit_test(sysfs_tells_name_version_events_and_maps),
	cmocka_unit_test(map_0_shows_the_device),
	cmocka_unit_test(what_is_not_in_a_map_is_refused),
	cmocka_unit_test(a_mapping_does_not_grow),
	cmocka_unit_test(a_private_map_shows_the_device_too),
	cmocka_unit_test(a_forked_process_has_the_device_too),
	cmocka_unit_test(an_interrupt_is_one_event),
	cmocka_unit_test(each_file_has_its_own_count),
	cmocka_unit_test(other_sizes_than_4_bytes_are_invalid),
	cmocka_unit_test(a_nonblocking_read_does_not_wait),
	cmocka_unit_test(a_bad_buffer_does_not_eat_the_event),
	cmocka_unit_test(a_signal_ends_a_read),
	cmocka_unit_test(an_event_can_be_a_signal),
	cmocka_unit_test(an_edge_is_told_once),
	cmocka_unit_test(an_event_wakes_who_reads),
	cmocka_unit_test(the_device_can_be_read_through_proc_mem),
	cmocka_unit_test(the_driver_hears_of_open_close_and_write),
	cmocka_unit_test(the_drivers_own_event_is_told),
	cmocka_unit_test(the_drivers_memory_can_be_mapped),
	cmocka_unit_test(the_drivers_own_mmap_is_asked),
	cmocka_unit_test(a_module_with_files_open_stays),
};
const size_t abi_tests_n = sizeof(abi_tests) / sizeof(*abi_tests);
