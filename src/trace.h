/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints, under /sys/kernel/tracing/events/hugepfn */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hugepfn

#if !defined(HUGEPFN_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HUGEPFN_TRACE_H

#include <linux/pfn.h>
#include <linux/tracepoint.h>

#include "cache_names.h"
#include "mm/map.h"

/* tools that read the binary trace learn the enums' values */
#undef EM
#undef EMe
#define EM(value, name) TRACE_DEFINE_ENUM(value);
#define EMe(value, name) TRACE_DEFINE_ENUM(value);
HUGEPFN_REASON_NAMES
HUGEPFN_CACHE_NAMES
#undef EM
#undef EMe
#define EM(value, name) { value, name },
#define EMe(value, name) { value, name }

/*
 * A fault was answered, or could not be.
 *
 * order: of the entry; smaller: why it is not of the next larger one; error: 0,
 * -EFAULT for a page that may not be mapped now (SIGBUS), -ENOMEM
 */
TRACE_EVENT(fault,
	TP_PROTO(const struct vm_fault *vmf, unsigned long pfn,
		 unsigned int order, enum hugepfn_reason smaller, int error),
	TP_ARGS(vmf, pfn, order, smaller, error),
	TP_STRUCT__entry(
		__field(unsigned long, addr)
		__field(u64, phys)
		__field(unsigned int, order)
		__field(unsigned int, smaller)
		__field(bool, write)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->addr = vmf->address;
		__entry->phys = PFN_PHYS(pfn);
		__entry->order = order;
		__entry->smaller = smaller;
		__entry->write = vmf->flags & FAULT_FLAG_WRITE;
		__entry->error = error;
	),
	TP_printk("addr=0x%lx phys=0x%llx order=%u %s smaller=%s error=%d",
		  __entry->addr, __entry->phys, __entry->order,
		  __entry->write ? "write" : "read",
		  __print_symbolic(__entry->smaller, HUGEPFN_REASON_NAMES),
		  __entry->error)
);

/* mmap() reserved a memory type; error: 0, -EAGAIN for a conflict, -ENOMEM */
TRACE_EVENT(track,
	TP_PROTO(const struct hugepfn_map *map, u32 asked, u32 granted,
		 int error),
	TP_ARGS(map, asked, granted, error),
	TP_STRUCT__entry(
		__field(u64, phys)
		__field(u64, size)
		__field(u32, asked)
		__field(u32, granted)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->phys = PFN_PHYS(map->pfn);
		__entry->size = (u64)map->npages << PAGE_SHIFT;
		__entry->asked = asked;
		__entry->granted = granted;
		__entry->error = error;
	),
	TP_printk("phys=0x%llx size=0x%llx asked=%s granted=%s error=%d",
		  __entry->phys, __entry->size,
		  __print_symbolic(__entry->asked, HUGEPFN_CACHE_NAMES),
		  __print_symbolic(__entry->granted, HUGEPFN_CACHE_NAMES),
		  __entry->error)
);

/*
 * Entries were taken back: those of a fault that lost against a claim, or all
 * that a node has out, where the range is everything. What the kernel itself
 * zaps when a driver claims a range is not seen here, only the faults after.
 */
TRACE_EVENT(revoke,
	TP_PROTO(unsigned long first, unsigned long last),
	TP_ARGS(first, last),
	TP_STRUCT__entry(
		__field(u64, first)
		__field(u64, last)
	),
	TP_fast_assign(
		__entry->first = PFN_PHYS(first);
		__entry->last = PFN_PHYS(last) | ~PAGE_MASK;
	),
	TP_printk("phys=0x%llx-0x%llx", __entry->first, __entry->last)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
