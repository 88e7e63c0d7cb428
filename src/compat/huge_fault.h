/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * huge_fault may answer with page frames where the architecture marks huge
 * entries special, 6.12 and later: before, GUP-fast would take such an entry
 * for ordinary pages. That the inserts compile says nothing, and they do on
 * 6.1; the configuration does. Every kernel that has it calls huge_fault with
 * an order, as 6.6 began to.
 */
#ifndef HUGEPFN_COMPAT_HUGE_FAULT_H
#define HUGEPFN_COMPAT_HUGE_FAULT_H

#include <linux/mm.h>

/* what to put into .huge_fault: fn(vmf, order), or nothing */
#ifdef CONFIG_ARCH_SUPPORTS_PMD_PFNMAP
#define HUGEPFN_HUGE_FAULT(fn) (fn)
#else
#define HUGEPFN_HUGE_FAULT(fn) NULL
#endif

/*
 * Kernels before the fix of autumn 2026 ask huge_fault only as transparent
 * huge pages are set: under "madvise", the usual setting, for VMAs with this
 * flag. What is mapped is no memory of the system, so the setting's reasons do
 * not hold here; MADV_NOHUGEPAGE still takes the flag off.
 */
#ifdef CONFIG_ARCH_SUPPORTS_PMD_PFNMAP
#define HUGEPFN_VM_HUGEPAGE VM_HUGEPAGE
#else
#define HUGEPFN_VM_HUGEPAGE VM_NONE
#endif

#endif
