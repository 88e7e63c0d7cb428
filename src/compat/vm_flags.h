/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_flags_set() and vm_flags_clear() take the VMA's lock since 6.3; before,
 * vm_flags was a plain field that the mmap lock protects.
 */
#ifndef HUGEPFN_COMPAT_VM_FLAGS_H
#define HUGEPFN_COMPAT_VM_FLAGS_H

#include <linux/mm.h>

#ifndef HAVE_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/* no fault of this VMA until the mmap lock, held for writing, is let go */
static inline void hugepfn_vma_start_write(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_NONE);
}

#endif
