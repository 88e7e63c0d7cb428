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

#elif defined(CONFIG_ARM64)

#include <linux/bitfield.h>
#include <linux/minmax.h>

#include <asm/cpufeature.h>

/*
 * valid_mmap_phys_addr_range() of arch/arm64/mm/mmap.c allows PHYS_MASK: what
 * the kernel was built for. Where the CPU has fewer bits (TCR_EL1.IPS, set by
 * tcr_compute_pa_size()) it faults on those above, or, above the 48th, takes
 * them for shareability or for nothing: the entry would show other memory, RAM
 * perhaps.
 */
static inline unsigned long hugepfn_pfn_limit(void)
{
	const u64 range = FIELD_GET(TCR_IPS_MASK, read_sysreg(tcr_el1));

	return min(PHYS_PFN(PHYS_MASK) + 1,
		   1UL << (id_aa64mmfr0_parange_to_phys_shift(range) -
			   PAGE_SHIFT));
}

#else

static inline unsigned long hugepfn_pfn_limit(void)
{
	return PHYS_PFN(PHYS_MASK) + 1;
}

#endif

#ifndef CONFIG_X86

static inline unsigned long hugepfn_pfn_floor(void)
{
	return 0;
}

#endif

#endif
