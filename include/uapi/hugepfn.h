/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The ioctl() interface of the hugepfn nodes.
 *
 * Every struct begins with its own size. A program built against an older
 * header passes a shorter struct: what it does not have is taken as 0. One
 * built against a newer header may pass a longer struct, as long as what this
 * kernel module does not know is 0; otherwise the call fails with E2BIG.
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
 * @HUGEPFN_CACHE_WT: write-through
 * @HUGEPFN_CACHE_WB: write-back, as far as the MTRRs allow
 *
 * Architectures other than x86 have @HUGEPFN_CACHE_DEFAULT,
 * @HUGEPFN_CACHE_UC and @HUGEPFN_CACHE_WC.
 */
enum hugepfn_cache {
	HUGEPFN_CACHE_DEFAULT,
	HUGEPFN_CACHE_UC,
	HUGEPFN_CACHE_UC_MINUS,
	HUGEPFN_CACHE_WC,
	HUGEPFN_CACHE_WT,
	HUGEPFN_CACHE_WB,
};

/**
 * struct hugepfn_map_attr - how later mmap() calls on this file shall map
 * @size: in: sizeof() of the caller's struct
 * @flags: in: 0
 * @cache: in: an &enum hugepfn_cache
 * @max_order: in: no entry maps more than 2^@max_order pages; 0 for no limit
 *
 * For the open file, not for the process: whoever shares the file shares it.
 *
 * HUGEPFN_IOC_SET_MAP_ATTR fails with EFAULT for a bad pointer, with EINVAL
 * for a @size that lacks @flags, for unknown flags or an unknown @cache, with
 * EOPNOTSUPP for a @cache that this architecture has not, and with E2BIG for
 * a longer struct whose tail is not 0.
 */
struct hugepfn_map_attr {
	__u32 size;
	__u32 flags;
	__u32 cache;
	__u32 max_order;
};

#define HUGEPFN_IOC_SET_MAP_ATTR _IO(HUGEPFN_IOC_MAGIC, 1)

#endif
