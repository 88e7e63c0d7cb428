// SPDX-License-Identifier: GPL-2.0-only
/*
 * A virtual machine whose memory is a mapping of /dev/hugemem. KVM takes frames
 * and order from the process's page tables, maps them with entries of its own,
 * and hears of what is revoked by the MMU notifier.
 */
#include "guest.h"

#include <signal.h>
#include <sys/ioctl.h>

#include <linux/kvm.h>

#define RW (PROT_READ | PROT_WRITE)

/* where the virtual machine has its program, and the device's memory */
#define CODE_AT 0x1000
#define MEMORY_AT GIB(1)

static struct vm {
	int kvm, vm, vcpu;
	struct kvm_run *run;
	size_t run_size;
	void *code;
} vm = { .kvm = -1 };

#ifdef __x86_64__
/* mov (%ebx),%eax; mov %ecx,(%ebx); hlt */
static const uint8_t program[] = { 0x8b, 0x03, 0x89, 0x0b, 0xf4 };

/* 32 bits, segments that span all addresses, no paging */
static void make_flat(void)
{
	struct kvm_sregs sregs;
	struct kvm_segment flat = {
		.limit = 0xffffffff,
		.present = 1, .s = 1, .db = 1, .g = 1,
	};

	assert_int_equal(ioctl(vm.vcpu, KVM_GET_SREGS, &sregs), 0);
	flat.type = 3;	/* data, written and accessed */
	flat.selector = 0x10;
	sregs.ds = sregs.es = sregs.ss = flat;
	flat.type = 11;	/* code, read and accessed */
	flat.selector = 0x08;
	sregs.cs = flat;
	sregs.cr0 |= 1;	/* protected mode */
	assert_int_equal(ioctl(vm.vcpu, KVM_SET_SREGS, &sregs), 0);
}

/* let it load from @address, then store @store there; 0 or KVM_RUN's errno */
static int run(uint32_t address, uint32_t store, uint32_t *loaded)
{
	struct kvm_regs regs = {
		.rip = CODE_AT, .rflags = 2, .rbx = address, .rcx = store,
	};

	assert_int_equal(ioctl(vm.vcpu, KVM_SET_REGS, &regs), 0);
	if (ioctl(vm.vcpu, KVM_RUN, 0))
		return errno;
	assert_int_equal(vm.run->exit_reason, KVM_EXIT_HLT);
	assert_int_equal(ioctl(vm.vcpu, KVM_GET_REGS, &regs), 0);
	*loaded = regs.rax;
	return 0;
}
#else
static const uint8_t program[] = { 0 };

static void make_flat(void) { }

static int run(uint32_t address, uint32_t store, uint32_t *loaded)
{
	(void)address; (void)store; (void)loaded;
	return ENOSYS;
}
#endif

static void give(uint32_t slot, uint64_t at, void *p, uint64_t len)
{
	const struct kvm_userspace_memory_region region = {
		.slot = slot,
		.guest_phys_addr = at,
		.memory_size = len,
		.userspace_addr = (uintptr_t)p,
	};

	assert_int_equal(ioctl(vm.vm, KVM_SET_USER_MEMORY_REGION, &region), 0);
}

int kvm_setup(void **state)
{
	(void)state;
	if (!program[0])
		return 0;	/* for this architecture there is none */
	module_load("kvm_amd", NULL);
	module_load("kvm_intel", NULL);
	vm.kvm = open("/dev/kvm", O_RDWR);
	if (vm.kvm < 0)
		return 0;
	vm.vm = ioctl(vm.kvm, KVM_CREATE_VM, 0);
	vm.vcpu = ioctl(vm.vm, KVM_CREATE_VCPU, 0);
	assert_true(vm.vcpu >= 0);
	vm.run_size = ioctl(vm.kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	vm.run = map_at(vm.vcpu, NULL, 0, vm.run_size, RW, MAP_SHARED);
	vm.code = map_at(-1, NULL, 0, page_size, RW,
			 MAP_PRIVATE | MAP_ANONYMOUS);
	memcpy(vm.code, program, sizeof(program));
	give(0, CODE_AT, vm.code, page_size);
	make_flat();
	return 0;
}

int kvm_teardown(void **state)
{
	(void)state;
	if (vm.kvm < 0)
		return 0;
	munmap(vm.run, vm.run_size);
	close(vm.vcpu);
	close(vm.vm);
	close(vm.kvm);
	munmap(vm.code, page_size);
	return 0;
}

#define need_kvm() do {							\
	if (vm.kvm < 0)							\
		skip_because("no KVM, or no program for its CPU");	\
} while (0)

/* how many entries of that order KVM has, in all virtual machines */
static unsigned int entries(const char *order)
{
	char path[100], *text;
	unsigned int n;

	snprintf(path, sizeof(path), "/sys/kernel/debug/kvm/pages_%s", order);
	text = read_file(path);
	n = atoi(text);
	free(text);
	return n;
}

/*
 * What the machine finds at @in_slot of its memory is the BAR's page at
 * @offset, for loads and for stores.
 */
static void check_access(uint64_t offset, uint64_t in_slot)
{
	volatile uint32_t *there = map_bar(offset, page_size);
	uint32_t loaded;

	*there = 0xbeef;
	assert_int_equal(run(MEMORY_AT + in_slot, 0xcafe, &loaded), 0);
	assert_int_equal(loaded, 0xbeef);
	assert_int_equal(*there, 0xcafe);
	munmap((void *)there, page_size);
}

static void tell_entries(const char *order, uint64_t len, unsigned int n)
{
	print_message("# figure kvm-entries-of-%s /dev/hugemem %llu %u entries\n",
		      order, (unsigned long long)len, n);
}

/* memory of one huge entry's size */
static void check_huge(uint64_t len, const char *order)
{
	char *p = map_bar(0, len);
	unsigned int before = entries(order);

	give(1, MEMORY_AT, p, len);
	check_access(0, 0);
	assert_int_equal(entries(order), before + 1);
	tell_entries(order, len, 1);
	/* and all of it by that one */
	check_access(len - page_size, len - page_size);
	assert_int_equal(entries(order), before + 1);
	give(1, MEMORY_AT, p, 0);
	munmap(p, len);
}

/* pages at an offset that no huge entry has */
static void check_pages(void)
{
	const uint64_t len = 4 * page_size;
	char *p = map_bar(page_size, len);
	unsigned int before;

	give(1, MEMORY_AT, p, len);
	check_access(page_size, 0);
	/* which had to map the program again */
	before = entries("4k");
	check_access(2 * page_size, page_size);
	assert_int_equal(entries("4k"), before + 1);
	tell_entries("4k", len, 1);
	give(1, MEMORY_AT, p, 0);
	munmap(p, len);
}

static void kvm_maps_by_the_order_of_the_mapping(void **state)
{
	(void)state;
	need_kvm();
	if (has_pud)
		check_huge(pud_size, "1g");
	if (has_pmd)
		check_huge(pmd_size, "2m");
	check_pages();
}

static void what_is_claimed_is_taken_from_the_virtual_machine(void **state)
{
	char *p = map_bar(0, pmd_size);
	uint32_t loaded;

	(void)state;
	need_kvm();
	give(1, MEMORY_AT, p, pmd_size);
	check_access(0, 0);
	check_access(page_size, page_size);
	assert_int_equal(claim(page_size, page_size), 0);
	assert_int_equal(run(MEMORY_AT + page_size, 0, &loaded), EFAULT);
	assert_int_equal(load_signal(p + page_size), SIGBUS);
	check_access(0, 0);
	release();
	check_access(page_size, page_size);
	give(1, MEMORY_AT, p, 0);
	munmap(p, pmd_size);
}

static void what_is_unmapped_is_taken_from_the_virtual_machine(void **state)
{
	char *p = map_bar(0, pmd_size);
	uint32_t loaded;

	(void)state;
	need_kvm();
	give(1, MEMORY_AT, p, pmd_size);
	check_access(0, 0);
	munmap(p, pmd_size);
	assert_int_equal(run(MEMORY_AT, 0, &loaded), EFAULT);
	give(1, MEMORY_AT, p, 0);
}

const struct CMUnitTest kvm_tests[] = {
	cmocka_unit_test(kvm_maps_by_the_order_of_the_mapping),
	cmocka_unit_test(what_is_claimed_is_taken_from_the_virtual_machine),
	cmocka_unit_test(what_is_unmapped_is_taken_from_the_virtual_machine),
};
const size_t kvm_tests_n = sizeof(kvm_tests) / sizeof(*kvm_tests);
