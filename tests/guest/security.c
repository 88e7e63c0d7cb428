// SPDX-License-Identifier: GPL-2.0-only
/* What docs/security.md promises, where no other suite tests it already */
#include "uio.h"

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define RW (PROT_READ | PROT_WRITE)
#define NOBODY 65534

/*
 * 0 or the errno of mapping through an open file; private ones not to be
 * written to, for which memory would have to be promised
 */
static int map_errno(int fd, uint64_t address, uint64_t len, int flags)
{
	void *p = mmap(NULL, len, flags == MAP_PRIVATE ? PROT_READ : RW, flags,
		       fd, (off_t)address);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, len);
	return 0;
}

/* runs @fn in a child and gives what it returns, 0 to 255 */
static int in_child(int (*fn)(void *arg), void *arg)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(fn(arg));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* from here on no more than anybody has */
static void become_nobody(void)
{
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		_exit(200);
}

struct ram {
	int fd[2];		/* plain, O_SYNC */
	unsigned int ranges, tried;
};

static void expect_refused(struct ram *ram, uint64_t address, uint64_t len)
{
	static const int flags[] = { MAP_SHARED, MAP_PRIVATE };
	size_t i, k;

	for (i = 0; i < 2; i++)
		for (k = 0; k < 2; k++) {
			assert_int_equal(map_errno(ram->fd[i], address, len,
						   flags[k]), EPERM);
			ram->tried++;
		}
}

/* single pages, and each window of a large entry that holds the page */
static void page_is_refused(struct ram *ram, uint64_t at)
{
	const uint64_t sizes[] = { page_size, pmd_size, pud_size };
	size_t i;

	for (i = 0; i < 3; i++)
		expect_refused(ram, at / sizes[i] * sizes[i], sizes[i]);
}

static bool is_ram(const struct iomem_range *r)
{
	return !strncmp(r->name, "System RAM", 10);
}

static void range_is_refused(const struct iomem_range *r, void *arg)
{
	struct ram *ram = arg;
	uint64_t first = r->start / page_size * page_size;
	uint64_t last = r->end / page_size * page_size, at, step;

	if (!is_ram(r))
		return;
	ram->ranges++;
	/* both ends, the pages they share with others, and some between */
	step = (last - first) / 16 / page_size * page_size + page_size;
	for (at = first; at < last; at += step)
		page_is_refused(ram, at);
	page_is_refused(ram, last);
	expect_refused(ram, first, last - first + page_size);
}

/* at every depth, by every cache mode and every limit of the order */
static void system_ram_is_refused_however_it_is_asked_for(void **state)
{
	const uint32_t orders[] = { 0, 1, 64 };
	struct ram ram = { 0 };
	uint32_t cache;
	size_t i, k;

	(void)state;
	for (i = 0; i < 2; i++)
		ram.fd[i] = open_hugemem(O_RDWR | (i ? O_SYNC : 0));
	for (cache = 0; cache <= HUGEPFN_CACHE_DEVICE; cache++)
		for (k = 0; k < 3; k++) {
			struct hugepfn_map_attr attr = {
				.size = sizeof(attr), .cache = cache,
				.max_order = orders[k],
			};

			if (ioctl(ram.fd[0], HUGEPFN_IOC_SET_MAP_ATTR, &attr))
				continue;	/* not on this architecture */
			set_attr(ram.fd[1], cache, orders[k], 0);
			iomem_each(range_is_refused, &ram);
		}
	assert_true(ram.ranges >= 2 * 3);
	print_message("# %u mappings refused\n", ram.tried);
	close(ram.fd[0]);
	close(ram.fd[1]);
}

/* the last one's first whole page */
static void find_ram(const struct iomem_range *r, void *arg)
{
	if (is_ram(r) && !r->depth)
		*(uint64_t *)arg = (r->start + page_size - 1) / page_size *
				   page_size;
}

/* where /dev/mem gives System RAM out, the difference can be seen */
static void what_dev_mem_allows_is_refused_all_the_same(void **state)
{
	int mem = open_node("/dev/mem", O_RDWR);
	uint64_t ram = 0;

	(void)state;
	iomem_each(find_ram, &ram);
	if (map_errno(mem, ram, page_size, MAP_SHARED)) {
		close(mem);
		skip_because("this kernel's /dev/mem is strict: see 7.3-laxmem");
	}
	assert_int_equal(try_map("/dev/hugemem", O_RDWR, ram, page_size, RW,
				 MAP_SHARED), EPERM);
	/* and a range that a driver has claimed */
	assert_int_equal(claim(0, page_size), 0);
	assert_int_equal(map_errno(mem, bar, page_size, MAP_SHARED), 0);
	assert_int_equal(try_map("/dev/hugemem", O_RDWR, bar, page_size, RW,
				 MAP_SHARED), EPERM);
	release();
	close(mem);
}

static void nodes_are_for_root_alone_at_first(void **state)
{
	struct uio_node node;
	struct stat st;

	(void)state;
	assert_int_equal(stat("/dev/hugemem", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_uid, 0);
	assert_int_equal(module_load("hugeuio_example", ""), 0);
	assert_true(uio_by_name("example", &node));
	assert_int_equal(stat(node.dev, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_uid, 0);
	assert_int_equal(module_unload("hugeuio_example"), 0);
	assert_int_equal(stat("/sys/kernel/debug/hugepfn/reservations", &st),
			 0);
	assert_int_equal(st.st_mode & 07777, 0400);
}

static void drop_capability(int cap)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data))
		_exit(201);
	data[cap / 32].effective &= ~(1U << cap % 32);
	data[cap / 32].permitted &= ~(1U << cap % 32);
	if (syscall(SYS_capset, &head, data))
		_exit(202);
}

/* root, but for the one capability */
static int open_without_rawio(void *arg)
{
	(void)arg;
	drop_capability(CAP_SYS_RAWIO);
	return open("/dev/hugemem", O_RDWR) < 0 ? errno : 0;
}

/* as /dev/mem: who opened the file answers for what it is used for */
static int use_after_drop(void *arg)
{
	int *fd = arg;
	uint64_t ram;

	iomem_each(find_ram, &ram);
	drop_capability(CAP_SYS_RAWIO);
	if (map_errno(*fd, bar, page_size, MAP_SHARED))
		return 1;
	/* but no more than that */
	return map_errno(*fd, ram, page_size, MAP_SHARED) != EPERM;
}

static void the_capability_is_asked_for_at_open(void **state)
{
	int fd = open_hugemem(O_RDWR);

	(void)state;
	assert_int_equal(in_child(open_without_rawio, NULL), EPERM);
	assert_int_equal(in_child(use_after_drop, &fd), 0);
	close(fd);
}

/* root of a user namespace of one's own is nobody here */
static int open_in_userns(void *arg)
{
	(void)arg;
	become_nobody();
	if (unshare(CLONE_NEWUSER))
		return 100 + (errno == ENOSPC || errno == EINVAL ||
			      errno == EPERM);
	return open("/dev/hugemem", O_RDWR) < 0 ? errno : 0;
}

static void root_of_a_user_namespace_is_refused(void **state)
{
	int ret;

	(void)state;
	/* let the mode not be the reason */
	assert_int_equal(chmod("/dev/hugemem", 0666), 0);
	ret = in_child(open_in_userns, NULL);
	assert_int_equal(chmod("/dev/hugemem", 0600), 0);
	if (ret == 101)
		skip_because("this kernel gives nobody a user namespace");
	assert_int_equal(ret, EPERM);
}

static void send_fd(int to, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	assert_int_equal(sendmsg(to, &msg, 0), 1);
}

static int receive_fd(int from)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(from, &msg, 0) != 1 || !CMSG_FIRSTHDR(&msg))
		_exit(203);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return fd;
}

/* which file it was opened as is all that a receiver has */
static int use_received(void *arg)
{
	int fd = receive_fd(*(int *)arg);
	char path[40], *p;
	uint64_t ram;

	iomem_each(find_ram, &ram);
	become_nobody();
	p = mmap(NULL, pmd_size, PROT_READ, MAP_SHARED, fd, bar);
	if (p == MAP_FAILED || load_signal(p))
		return 1;
	/* opened for reading it stays for reading, whatever one tries */
	if (mprotect(p, page_size, RW) != -1 || errno != EACCES)
		return 2;
	if (map_errno(fd, bar, page_size, MAP_SHARED) != EACCES)
		return 3;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (open(path, O_RDWR) != -1)
		return 4;
	if (map_errno(fd, ram, page_size, MAP_PRIVATE) != EPERM)
		return 5;
	return 0;
}

static void a_file_that_was_passed_on_gives_what_it_was_opened_for(void **state)
{
	int sockets[2], fd = open_hugemem(O_RDONLY);

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), 0);
	send_fd(sockets[0], fd);
	assert_int_equal(in_child(use_received, &sockets[1]), 0);
	close(sockets[0]);
	close(sockets[1]);
	close(fd);
}

/* another /dev, without the node, and no way to make one */
static int look_in_container(void *arg)
{
	const dev_t number = *(dev_t *)arg;

	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/dev", "tmpfs", 0, NULL))
		return 1;
	if (open("/dev/hugemem", O_RDWR) != -1 || errno != ENOENT)
		return 2;
	/* one that is there all the same, on a file system without devices */
	if (mknod("/dev/hugemem", S_IFCHR | 0666, number) ||
	    mount("none", "/dev", NULL, MS_REMOUNT | MS_NODEV, NULL))
		return 3;
	if (open("/dev/hugemem", O_RDWR) != -1 || errno != EACCES)
		return 4;
	drop_capability(CAP_MKNOD);
	if (mknod("/dev/another", S_IFCHR | 0666, number) != -1 ||
	    errno != EPERM)
		return 5;
	return 0;
}

static void a_container_without_the_node_has_no_way_to_it(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat("/dev/hugemem", &st), 0);
	assert_int_equal(in_child(look_in_container, &st.st_rdev), 0);
}

const struct CMUnitTest security_tests[] = {
	cmocka_unit_test(system_ram_is_refused_however_it_is_asked_for),
	cmocka_unit_test(what_dev_mem_allows_is_refused_all_the_same),
	cmocka_unit_test(nodes_are_for_root_alone_at_first),
	cmocka_unit_test(the_capability_is_asked_for_at_open),
	cmocka_unit_test(root_of_a_user_namespace_is_refused),
	cmocka_unit_test(a_file_that_was_passed_on_gives_what_it_was_opened_for),
	cmocka_unit_test(a_container_without_the_node_has_no_way_to_it),
};
const size_t security_tests_n = sizeof(security_tests) / sizeof(*security_tests);
