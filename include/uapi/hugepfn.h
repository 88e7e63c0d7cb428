/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The ioctl() interface of the hugepfn nodes.
 *
 * Every struct begins with its own size. A program built against an older
 * header passes a shorter struct: what it does not have is taken as 0. One
 * built against a newer header may pass a longer struct, as long as what this
 * kernel module does not know is 0; otherwise, and for more than a page, the
 * call fails with E2BIG.
 */
#ifndef _UAPI_HUGEPFN_H
#define _UAPI_HUGEPFN_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define HUGEPFN_IOC_MAGIC 0xB9

/* raised when an existing call changes its meaning, which it should not */
#define HUGEPFN_ABI_VERSION 1

/**
 * struct hugepfn_info - what the module and the kernel can do
 * @size: in: sizeof() of the caller's struct; out: of the module's
 * @abi: out: %HUGEPFN_ABI_VERSION
 * @orders: out: bit n is set if one page-table entry can map 2^n pages
 * @page_size: out: the size in bytes of an order-0 page
 * @reserved: out: 0
 *
 * HUGEPFN_IOC_INFO fails with EFAULT for a bad pointer, and with EINVAL for a
 * @size that has not even @abi in it.
 */
struct hugepfn_info {
	__u32 size;
	__u32 abi;
	__u64 orders;
	__u32 page_size;
	__u32 reserved;
};

#define HUGEPFN_IOC_INFO _IO(HUGEPFN_IOC_MAGIC, 0)

/**
 * enum hugepfn_cache - the memory type of a mapping
 * @HUGEPFN_CACHE_DEFAULT: as /dev/mem: uncached-minus for a file opened with
 *	O_SYNC, else what the MTRRs (x86) or the architecture say
 * @HUGEPFN_CACHE_UC: uncached, even where an MTRR says write-combining
 * @HUGEPFN_CACHE_UC_MINUS: uncached, but an MTRR may make it write-combining
 * @HUGEPFN_CACHE_WC: write-combining; uncached-minus where the CPU has no PAT
 * @HUGEPFN_CACHE_WT: write-through; by order-0 entries only
 * @HUGEPFN_CACHE_WB: write-back, as far as the MTRRs allow
 *
 * @HUGEPFN_CACHE_DEVICE: arm64's Device-nGnRE
 *
 * x86 has all but the last. arm64 has @HUGEPFN_CACHE_DEFAULT,
 * @HUGEPFN_CACHE_UC (Device-nGnRnE), @HUGEPFN_CACHE_WC (Normal non-cacheable),
 * @HUGEPFN_CACHE_WB and @HUGEPFN_CACHE_DEVICE.
 */
enum hugepfn_cache {
	HUGEPFN_CACHE_DEFAULT,
	HUGEPFN_CACHE_UC,
	HUGEPFN_CACHE_UC_MINUS,
	HUGEPFN_CACHE_WC,
	HUGEPFN_CACHE_WT,
	HUGEPFN_CACHE_WB,
	HUGEPFN_CACHE_DEVICE,
};

/**
 * enum hugepfn_map_flags - for &struct hugepfn_map_attr
 * @HUGEPFN_MAP_STRICT: mmap() fails with EAGAIN rather than give another
 *	memory type than @cache asks for
 */
enum hugepfn_map_flags {
	HUGEPFN_MAP_STRICT = 1 << 0,
};

/**
 * struct hugepfn_map_attr - how later mmap() calls on this file shall map
 * @size: in: sizeof() of the caller's struct
 * @flags: in: &enum hugepfn_map_flags
 * @cache: in: an &enum hugepfn_cache
 * @max_order: in: no entry maps more than 2^@max_order pages; 0 for no limit
 *
 * For the open file, not for the process: whoever shares the file shares it.
 *
 * HUGEPFN_IOC_SET_MAP_ATTR fails with EFAULT for a bad pointer, with EINVAL
 * for a @size that lacks @flags, for unknown flags or an unknown @cache, for
 * %HUGEPFN_MAP_STRICT with %HUGEPFN_CACHE_DEFAULT, with EOPNOTSUPP for a
 * @cache that this architecture has not, and with E2BIG for a longer struct
 * whose tail is not 0.
 */
struct hugepfn_map_attr {
	__u32 size;
	__u32 flags;
	__u32 cache;
	__u32 max_order;
};

#define HUGEPFN_IOC_SET_MAP_ATTR _IO(HUGEPFN_IOC_MAGIC, 1)

/* the levels of a page table that map pages: PTE, PMD, PUD */
#define HUGEPFN_LEVELS 3

/**
 * struct hugepfn_range_info - what the page tables have for a range
 * @size: in: sizeof() of the caller's struct; out: of the module's
 * @flags: in: 0
 * @addr: in: where the range starts in the caller's address space, a multiple
 *	of the page size
 * @length: in: its length in bytes, a multiple of the page size, not 0
 * @mapped: out: bytes of the range that entries map, by level: [0] those of
 *	order 0, [i] those of the i-th order above that which &struct
 *	hugepfn_info reports
 * @copied: out: bytes of a private mapping that were written to and so are
 *	memory of the process now; not in @mapped
 * @cache: out: the &enum hugepfn_cache in force: that of the entries, or where
 *	there are none yet the one granted to the mapping;
 *	%HUGEPFN_CACHE_DEFAULT if the range has more than one
 * @reserved: out: 0
 *
 * What @mapped and @copied lack of @length comes by fault, if it may. The
 * answer is a snapshot: faults and claims of other threads and drivers go on
 * meanwhile.
 *
 * HUGEPFN_IOC_QUERY_RANGE fails with EFAULT for a bad pointer; EINVAL for a
 * @size that lacks @length, unknown flags, a range that is empty, not aligned
 * or wraps, or that is in part a mapping of another file; ENOMEM if a part of
 * it is no mapping at all; E2BIG for a longer struct whose tail is not 0.
 */
struct hugepfn_range_info {
	__u32 size;
	__u32 flags;
	__u64 addr;
	__u64 length;
	__u64 mapped[HUGEPFN_LEVELS];
	__u64 copied;
	__u32 cache;
	__u32 reserved;
};

#define HUGEPFN_IOC_QUERY_RANGE _IO(HUGEPFN_IOC_MAGIC, 2)

/**
 * struct hugepfn_populate - fill the page tables of a range now
 * @size: in: sizeof() of the caller's struct
 * @flags: in: 0
 * @addr: in: as in &struct hugepfn_range_info
 * @length: in: as in &struct hugepfn_range_info
 *
 * Each entry is of the largest order there may be. The device is neither read
 * nor written. What is mapped already stays.
 *
 * HUGEPFN_IOC_POPULATE fails as HUGEPFN_IOC_QUERY_RANGE does, and with EACCES
 * for a range that is mapped without access (PROT_NONE); EPERM if a page may
 * not be mapped now, because a driver has claimed it or the device is gone or
 * asleep; ENOMEM also where memory for page tables is missing; EINTR when the
 * process is being killed. What was filled until then stays.
 */
struct hugepfn_populate {
	__u32 size;
	__u32 flags;
	__u64 addr;
	__u64 length;
};

#define HUGEPFN_IOC_POPULATE _IO(HUGEPFN_IOC_MAGIC, 3)

#endif
