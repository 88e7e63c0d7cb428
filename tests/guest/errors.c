// SPDX-License-Identifier: GPL-2.0-only
/* What is refused, each with its errno; the harness watches the kernel log */
#include "guest.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define RW (PROT_READ | PROT_WRITE)

static int refused(uint64_t address, uint64_t len)
{
	return try_map("/dev/hugemem", O_RDWR, address, len, RW, MAP_SHARED);
}

/* how many bits the CPU's physical addresses have, or 0 */
static unsigned int phys_bits(void)
{
	char *text = read_file("/proc/cpuinfo");
	char *at = strstr(text, "address sizes");
	unsigned int bits = 0;

	if (at)
		sscanf(strchr(at, ':') + 1, " %u bits", &bits);
	/* arm64's says the kind of CPU: a Cortex-A76 has ID_AA64MMFR0_EL1.PARange 2 */
	else if (strstr(text, "CPU part\t: 0xd0b"))
		bits = 40;
	free(text);
	return bits;
}

static void length_0_is_invalid(void **state)
{
	(void)state;
	assert_int_equal(refused(bar, 0), EINVAL);
}

static void an_offset_within_a_page_is_invalid(void **state)
{
	int fd = open_hugemem(O_RDWR);

	(void)state;
	assert_int_equal(syscall(SYS_mmap, NULL, page_size, RW, MAP_SHARED, fd,
				 bar + 1), -1);
	assert_int_equal(errno, EINVAL);
	close(fd);
}

static void a_range_past_the_top_is_invalid(void **state)
{
	(void)state;
	assert_int_equal(refused(-page_size, page_size), EINVAL);
	/* mm itself answers this one, for /dev/mem too: file_mmap_ok() */
	assert_int_equal(refused(-page_size, 2 * page_size), EOVERFLOW);
	assert_int_equal(refused(1ULL << 63, page_size), EINVAL);
	assert_int_equal(refused(1ULL << 52, page_size), EINVAL);
}

static void a_range_past_the_cpus_addresses_is_invalid(void **state)
{
	const unsigned int bits = phys_bits();
	const uint64_t end = 1ULL << bits;

	(void)state;
	if (!bits || bits > 51)
		skip_because("/proc/cpuinfo does not tell the address size");
	assert_int_equal(refused(end, page_size), EINVAL);
	assert_int_equal(refused(end - page_size, 2 * page_size), EINVAL);
	/* a range up to the very end is judged by the rules, not by overflow */
	assert_int_not_equal(refused(end - GIB(1), GIB(1)), EINVAL);
	assert_int_not_equal(refused(end - page_size, page_size), EINVAL);
}

/* bits that the CPU does not look at would make an address show RAM */
static void ram_with_bits_above_is_refused(const struct iomem_range *r,
					   void *arg)
{
	const unsigned int *bits = arg;
	unsigned int bit;

	if (r->depth || strncmp(r->name, "System RAM", 10))
		return;
	for (bit = *bits; bit < 63; bit++)
		assert_int_equal(refused((r->start & -page_size) | 1ULL << bit,
					 page_size), EINVAL);
}

static void an_address_with_bits_above_the_cpus_is_invalid(void **state)
{
	unsigned int bits = phys_bits();

	(void)state;
	if (!bits)
		skip_because("/proc/cpuinfo does not tell the address size");
	iomem_each(ram_with_bits_above_is_refused, &bits);
}

struct ram {
	unsigned int ranges;
};

static void ram_is_refused(const struct iomem_range *r, void *arg)
{
	struct ram *ram = arg;
	uint64_t first = (r->start + page_size - 1) & -page_size;
	uint64_t end = (r->end + 1) & -page_size;
	uint64_t at[3];
	size_t i;

	if (r->depth || strncmp(r->name, "System RAM", 10) || end <= first)
		return;
	ram->ranges++;
	at[0] = first;
	at[1] = (first + (end - first) / 2) & -page_size;
	at[2] = end - page_size;
	for (i = 0; i < 3; i++) {
		assert_int_equal(refused(at[i], page_size), EPERM);
		assert_int_equal(try_map("/dev/hugemem", O_RDWR, at[i],
					 page_size, RW, MAP_PRIVATE), EPERM);
		assert_int_equal(try_map("/dev/hugemem", O_RDWR | O_SYNC,
					 at[i], page_size, RW, MAP_SHARED),
				 EPERM);
	}
	/* whole, and with a page of what lies before and after */
	assert_int_equal(refused(first, end - first), EPERM);
	assert_int_equal(refused(end - page_size, 2 * page_size), EPERM);
	if (first)
		assert_int_equal(refused(first - page_size, 2 * page_size),
				 EPERM);
}

static void system_ram_is_refused_in_every_range(void **state)
{
	struct ram ram = { 0 };

	(void)state;
	iomem_each(ram_is_refused, &ram);
	assert_true(ram.ranges >= 1);
}

static void the_first_megabyte_is_refused(void **state)
{
	uint64_t at;

	(void)state;
#ifndef __x86_64__
	skip_because("only a PC's is special");
#endif
	assert_int_equal(refused(0, MIB(1)), EPERM);
	for (at = 0; at < MIB(1); at += 16 * page_size)
		assert_int_equal(refused(at, page_size), EPERM);
}

static void a_busy_range_is_refused(void **state)
{
	(void)state;
	assert_int_equal(claim(5 * page_size, page_size), 0);
	/* A1: whole windows that touch it, and it alone; not its neighbours */
	assert_int_equal(refused(bar, pmd_size), EPERM);
	assert_int_equal(refused(bar, bar_size), EPERM);
	assert_int_equal(refused(bar + 5 * page_size, page_size), EPERM);
	assert_int_equal(refused(bar + 4 * page_size, page_size), 0);
	assert_int_equal(refused(bar + 6 * page_size, page_size), 0);
	assert_int_equal(try_map("/dev/hugemem", O_RDWR, bar + 5 * page_size,
				 page_size, RW, MAP_PRIVATE), EPERM);
	release();
	assert_int_equal(refused(bar, pmd_size), 0);
}

static void opening_needs_cap_sys_rawio(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child) {
		if (chmod("/dev/hugemem", 0666) || setuid(65534))
			_exit(1);
		_exit(open("/dev/hugemem", O_RDWR) == -1 ? errno : 0);
	}
	waitpid(child, &status, 0);
	chmod("/dev/hugemem", 0600);
	assert_int_equal(WEXITSTATUS(status), EPERM);
}

static void a_file_opened_before_may_map_without_the_capability(void **state)
{
	int fd = open_hugemem(O_RDWR), status;
	pid_t child = fork();

	(void)state;
	if (!child) {
		if (setuid(65534))
			_exit(1);
		_exit(mmap(NULL, page_size, RW, MAP_SHARED, fd, bar) ==
		      MAP_FAILED);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	close(fd);
}

static void a_read_only_file_cannot_be_mapped_writable(void **state)
{
	int fd = open_hugemem(O_RDONLY);
	void *p;

	(void)state;
	assert_int_equal(try_map("/dev/hugemem", O_RDONLY, bar, page_size, RW,
				 MAP_SHARED), EACCES);
	p = map_at(fd, NULL, bar, page_size, PROT_READ, MAP_SHARED);
	assert_int_equal(mprotect(p, page_size, RW), -1);
	assert_int_equal(errno, EACCES);
	munmap(p, page_size);
	close(fd);
}

static void executable_mappings_are_refused(void **state)
{
	void *p;

	(void)state;
	assert_int_equal(try_map("/dev/hugemem", O_RDWR, bar, page_size,
				 PROT_READ | PROT_EXEC, MAP_SHARED), EPERM);
	p = map_bar(0, page_size);
	assert_int_equal(mprotect(p, page_size, PROT_READ | PROT_EXEC), -1);
	assert_int_equal(errno, EACCES);
	munmap(p, page_size);
}

static void there_is_no_read_write_or_seek(void **state)
{
	int fd = open_hugemem(O_RDWR);
	char c = 0;

	(void)state;
	assert_int_equal(pread(fd, &c, 1, bar), -1);
	assert_true(errno == EINVAL || errno == ESPIPE);
	assert_int_equal(read(fd, &c, 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(write(fd, &c, 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(lseek(fd, 0, SEEK_END), -1);
	assert_int_equal(errno, ESPIPE);
	close(fd);
}

static int ioctl_errno(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) ? errno : 0;
}

static void bad_ioctls_are_refused(void **state)
{
	struct {
		struct hugepfn_map_attr attr;
		uint32_t tail;
	} longer = { .attr.size = sizeof(longer) };
	struct hugepfn_map_attr attr = { .size = sizeof(attr) };
	struct hugepfn_info info = { .size = 4 };
	int fd = open_hugemem(O_RDWR);

	(void)state;
	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_INFO + 77, &attr), ENOTTY);
	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_INFO, NULL), EFAULT);
	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_INFO, &info), EINVAL);
	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_SET_MAP_ATTR, NULL),
			 EFAULT);
	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_SET_MAP_ATTR,
				     (void *)0xffffffff81000000), EFAULT);

	attr.size = 4;
	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_SET_MAP_ATTR, &attr),
			 EINVAL);
	attr = (struct hugepfn_map_attr){ .size = sizeof(attr), .flags = 2 };
	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_SET_MAP_ATTR, &attr),
			 EINVAL);
	attr = (struct hugepfn_map_attr){
		.size = sizeof(attr),
		.flags = HUGEPFN_MAP_STRICT,
	};
	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_SET_MAP_ATTR, &attr),
			 EINVAL);
	attr = (struct hugepfn_map_attr){ .size = sizeof(attr), .cache = 99 };
	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_SET_MAP_ATTR, &attr),
			 EINVAL);

	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_SET_MAP_ATTR, &longer), 0);
	longer.tail = 1;
	assert_int_equal(ioctl_errno(fd, HUGEPFN_IOC_SET_MAP_ATTR, &longer),
			 E2BIG);
	close(fd);
}

extern const char prog32[], prog32_end[];

/* a program of the other word size, built without a libc */
static void a_32_bit_program_maps_the_bar(void **state)
{
	pid_t child;
	int fd, status;

	(void)state;
	if (&prog32[0] == &prog32_end[0])
		skip_because("prog32.c is not written for this architecture");
	stamp(0, page_size, page_size);
	fd = open("/tmp/prog32", O_CREAT | O_WRONLY | O_TRUNC, 0755);
	assert_int_equal(write(fd, prog32, prog32_end - prog32),
			 prog32_end - prog32);
	close(fd);
	child = fork();
	if (!child) {
		char page[20];

		snprintf(page, sizeof(page), "%llu",
			 (unsigned long long)(bar / page_size));
		execl("/tmp/prog32", "prog32", page, (char *)NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	unlink("/tmp/prog32");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		skip_because("this kernel does not run 32-bit programs");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void the_module_cannot_leave_while_mapped(void **state)
{
	void *p = map_bar(0, pmd_size);

	(void)state;
	touch(p, pmd_size, page_size);
	assert_int_not_equal(module_unload("hugepfn"), 0);
	munmap(p, pmd_size);
	assert_int_equal(module_unload("hugepfn"), 0);
	assert_int_equal(access("/dev/hugemem", F_OK), -1);
	assert_int_equal(module_load("hugepfn", ""), 0);
	p = map_bar(0, pmd_size);
	touch(p, pmd_size, page_size);
	munmap(p, pmd_size);
}

const struct CMUnitTest error_tests[] = {
	cmocka_unit_test(length_0_is_invalid),
	cmocka_unit_test(an_offset_within_a_page_is_invalid),
	cmocka_unit_test(a_range_past_the_top_is_invalid),
	cmocka_unit_test(a_range_past_the_cpus_addresses_is_invalid),
	cmocka_unit_test(an_address_with_bits_above_the_cpus_is_invalid),
	cmocka_unit_test(system_ram_is_refused_in_every_range),
	cmocka_unit_test(the_first_megabyte_is_refused),
	cmocka_unit_test(a_busy_range_is_refused),
	cmocka_unit_test(opening_needs_cap_sys_rawio),
	cmocka_unit_test(a_file_opened_before_may_map_without_the_capability),
	cmocka_unit_test(a_read_only_file_cannot_be_mapped_writable),
	cmocka_unit_test(executable_mappings_are_refused),
	cmocka_unit_test(there_is_no_read_write_or_seek),
	cmocka_unit_test(bad_ioctls_are_refused),
	cmocka_unit_test(a_32_bit_program_maps_the_bar),
	cmocka_unit_test(the_module_cannot_leave_while_mapped),
};
const size_t error_tests_n = sizeof(error_tests) / sizeof(*error_tests);
