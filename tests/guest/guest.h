/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the guest tests share: the BAR, mappings of it, counted faults, stamps
 * written through /dev/mem, caught SIGBUS, and the helper module.
 */
#ifndef HUGEPFN_TESTS_GUEST_H
#define HUGEPFN_TESTS_GUEST_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hugepfn.h"
#include "../../tools/iomem.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

#define TRACING "/sys/kernel/tracing/"

/* filled in by guest_init(); sizes in bytes */
extern uint64_t bar, bar_size;
extern uint64_t page_size, pmd_size, pud_size;
extern bool has_pmd, has_pud;	/* entries of that size on this kernel */

/* arm64's mprotect() would give the device the memory type of copies */
#ifdef __aarch64__
#define private_outlives_mprotect false
#else
#define private_outlives_mprotect true
#endif

int guest_init(void);
void guest_print_machine(void);

/* skip the running test and say why */
#define skip_because(...) do {					\
	print_message("# SKIP %s: ", __func__);			\
	print_message(__VA_ARGS__);				\
	print_message("\n");					\
	skip();							\
} while (0)

/* nodes.c */
int open_node(const char *node, int flags);
int open_hugemem(int flags);
void set_attr(int fd, uint32_t cache, uint32_t max_order, uint32_t flags);
void *map_at(int fd, void *addr, uint64_t offset, uint64_t len, int prot,
	     int flags);
void *map_bar(uint64_t offset, uint64_t len);
void *reserve(uint64_t len, uint64_t align, uint64_t shift);
int try_map(const char *node, int oflags, uint64_t address, uint64_t len,
	    int prot, int flags);
long faults(void);
long touch(volatile char *p, uint64_t len, uint64_t step);
uint64_t status_kib(const char *field);

/* range.c */
struct hugepfn_range_info query_range(int fd, const void *p, uint64_t len);
int populate_errno(int fd, const void *p, uint64_t len);

/* stamps.c */
void stamp(uint64_t offset, uint64_t len, uint64_t step);
void assert_stamps(const volatile void *p, uint64_t offset, uint64_t len,
		   uint64_t step);

/* memtype.c */
bool memtypes_are_tracked(void);
bool reserved_as(const char *type, uint64_t offset);

/* sigbus.c: 0, or the signal that the access raised */
int load_signal(const volatile void *p);
int store_signal(volatile void *p);
/* the same, many times: after catch_signals() */
void catch_signals(void);
int load_word(const volatile void *p, uint64_t *word);
int store_word(volatile void *p, uint64_t word);

/* modules.c: 0 or a negative errno */
int module_load(const char *name, const char *options);
int module_unload(const char *name);
int claim(uint64_t offset, uint64_t len);
bool claims_are_revoked(void);

#define need_revocation() do {						\
	if (!claims_are_revoked())					\
		skip_because("this kernel takes nothing back when a driver claims it: no CONFIG_IO_STRICT_DEVMEM"); \
} while (0)

void release(void);
void write_file(const char *path, const char *text);
char *read_file(const char *path);
char *read_fd(int fd);
void log_mark(void);
bool log_has(const char *text);

/* suspend.c: 0 or an errno */
int suspend(void);

/* revoke.c: zap_pud_range() of this kernel asserts a lock that is not held */
bool splitting_a_pud_warns(void);

/* iomem.c */
void iomem_each(void (*fn)(const struct iomem_range *range, void *arg),
		void *arg);
uint64_t iomem_ram(void);

/* the suites */
extern const struct CMUnitTest map_tests[], error_tests[], memtype_tests[];
extern const struct CMUnitTest lockdown_tests[], abi_tests[], pci_tests[];
extern const struct CMUnitTest unplug_tests[], regions_tests[];
extern const struct CMUnitTest range_tests[], seen_tests[];
extern const struct CMUnitTest nopat_tests[], failing_tests[];
extern const size_t range_tests_n, seen_tests_n, nopat_tests_n, failing_tests_n;
extern const size_t lockdown_tests_n, abi_tests_n, pci_tests_n;
extern const struct CMUnitTest tool_tests[];
extern const size_t unplug_tests_n, regions_tests_n, tool_tests_n;
extern const struct CMUnitTest random_tests[], security_tests[];
extern const struct CMUnitTest races_tests[];
extern const size_t random_tests_n, security_tests_n, races_tests_n;
int abi_setup_uio(void **state);
int abi_setup_hugeuio(void **state);
int abi_teardown(void **state);
int lockdown_setup(void **state);
int dma_setup(void **state);
int dma_teardown(void **state);
extern const struct CMUnitTest dma_tests[], dma_cost_tests[];
extern const size_t dma_tests_n, dma_cost_tests_n;
int kvm_setup(void **state);
int kvm_teardown(void **state);
extern const struct CMUnitTest reference_tests[], kvm_tests[];
extern const size_t reference_tests_n, kvm_tests_n;
extern const struct CMUnitTest revoke_tests[], process_tests[], speed_tests[];
extern const size_t map_tests_n, error_tests_n, memtype_tests_n;
extern const size_t revoke_tests_n, process_tests_n, speed_tests_n;

#endif
