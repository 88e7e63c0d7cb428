/* SPDX-License-Identifier: GPL-2.0-only */
/* Which page frames a mapping of device memory may name at all */
#ifndef HUGEPFN_COMPAT_PHYS_RANGE_H
#define HUGEPFN_COMPAT_PHYS_RANGE_H

#include <linux/mm.h>
#include <linux/pfn.h>

#ifdef CONFIG_X86

#include <asm/processor.h>

/* the first page frame past what the CPU can address */
static inline unsigned long hugepfn_pfn_limit(void)
{
	return 1UL << (boot_cpu_data.x86_phys_bits - PAGE_SHIFT);
}

/*
 * The first megabyte is out: devmem_is_allowed() lets it pass whoever claims
 * it, so revoke_iomem() never zaps it, and its memory type is not tracked.
 */
static inline unsigned long hugepfn_pfn_floor(void)
{
	return PHYS_PFN(0x100000);
}

#else

static inline unsigned long hugepfn_pfn_limit(void)
{
	return PHYS_PFN(PHYS_MASK) + 1;
}

static inline unsigned long hugepfn_pfn_floor(void)
{
	return 0;
}

#endif

#endif
