/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory types, and the account x86 keeps of them.
 *
 * pfnmap_track() and memtype_reserve() are not exported. ioremap_prot() is,
 * and reserves just as remap_pfn_range() does: memtype_reserve(), then the
 * test whether the type granted may stand for the one asked for. The alias it
 * makes shows which one was granted. iounmap() gives the reservation back.
 */
#ifndef HUGEPFN_COMPAT_MEMTYPE_H
#define HUGEPFN_COMPAT_MEMTYPE_H

#include <linux/io.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include "hugepfn.h"
#include "ioremap_prot.h"

#ifdef CONFIG_X86
#include <asm/memtype.h>

/**
 * struct hugepfn_memtype - a range with its type reserved
 * @alias: the kernel mapping that holds the reservation
 * @phys: the range's first byte
 * @size: its length in bytes
 * @entry: the alias's first page-table entry
 * @level: that entry's
 */
struct hugepfn_memtype {
	void __iomem *alias;
	phys_addr_t phys;
	size_t size;
	pte_t *entry;
	unsigned int level;
};

/* the bits of a protection that say its memory type */
static inline unsigned long hugepfn_memtype_of(pgprot_t prot)
{
	return pgprot_val(prot) & _PAGE_CACHE_MASK;
}

static inline pgprot_t hugepfn_memtype_set(pgprot_t prot, unsigned long type)
{
	return __pgprot((pgprot_val(prot) & ~_PAGE_CACHE_MASK) | type);
}

/* write-back: for device memory the MTRRs decide what becomes of it */
static inline unsigned long hugepfn_memtype_default(void)
{
	return 0;
}

static inline unsigned long hugepfn_memtype_uncached(void)
{
	return hugepfn_memtype_of(pgprot_noncached(__pgprot(0)));
}

/**
 * hugepfn_memtype_reserve - reserve the memory type of a range
 * @mt: where to keep what hugepfn_memtype_free() needs
 * @phys: the first byte, page aligned, of no System RAM
 * @size: the length in bytes, page aligned
 * @type: in: the type wanted; out: the type granted
 *
 * is_new_memtype_allowed() gives write-back to whoever asks for uncached, of the
 * strong kind: an oversight, it seems, since it refuses it to those who ask for
 * uncached-minus. It is refused here.
 *
 * Context: sleeps.
 * Return: 0, or -EAGAIN: another type is in force somewhere in the range.
 */
static inline int hugepfn_memtype_reserve(struct hugepfn_memtype *mt,
					  phys_addr_t phys, size_t size,
					  unsigned long *type)
{
	const unsigned long asked = *type;
	pgprot_t prot;

	mt->alias = hugepfn_ioremap_prot(phys, size, __pgprot(*type));
	if (!mt->alias)
		return -EAGAIN;
	mt->phys = phys;
	mt->size = size;

	mt->entry = lookup_address((unsigned long __force)mt->alias,
				   &mt->level);
	if (WARN_ON_ONCE(!mt->entry))
		return 0;
	prot = __pgprot(pte_val(READ_ONCE(*mt->entry)));
	if (mt->level != PG_LEVEL_4K)
		prot = pgprot_large_2_4k(prot);
	*type = hugepfn_memtype_of(prot);
	if (asked == cachemode2protval(_PAGE_CACHE_MODE_UC) &&
	    *type == cachemode2protval(_PAGE_CACHE_MODE_WB)) {
		iounmap(mt->alias);
		return -EAGAIN;
	}
	return 0;
}

static inline void hugepfn_memtype_free(struct hugepfn_memtype *mt)
{
	iounmap(mt->alias);
}

/*
 * Every fault asks for this. A page-table walk is spared where the entry lies
 * in the same table as the alias's first one, and maps something at all.
 */
static inline unsigned int hugepfn_memtype_level(const struct hugepfn_memtype *mt,
						 unsigned long offset)
{
	unsigned int level;
	pte_t *entry;

	if (mt->level != PG_LEVEL_4K) {
		entry = mt->entry + (offset >> page_level_shift(mt->level));
		if (((unsigned long)entry ^ (unsigned long)mt->entry) <
			    PAGE_SIZE &&
		    pte_val(READ_ONCE(*entry)) & _PAGE_PSE)
			return mt->level;
	}
	if (!lookup_address((unsigned long __force)mt->alias + offset, &level))
		return PG_LEVEL_4K;
	return level;
}

/**
 * hugepfn_memtype_is_uniform - has a window one memory type in the MTRRs?
 * @mt: a reservation
 * @phys: the window's first byte
 * @order: its order
 *
 * What the CPU does with an entry over several types is undefined (Intel SDM
 * vol. 3, 13.11.9). mtrr_type_lookup() is not exported, but pud_set_huge() and
 * pmd_set_huge() asked it when they made the alias, which lies congruent to
 * the range: an alias in smaller entries says no. (So does the boot parameter
 * nohugeiomap.)
 *
 * Return: false if not, or if the window is not in the reservation.
 */
static inline bool hugepfn_memtype_is_uniform(const struct hugepfn_memtype *mt,
					      phys_addr_t phys,
					      unsigned int order)
{
	if (phys < mt->phys || phys - mt->phys > mt->size - 1)
		return false;
	return page_level_size(hugepfn_memtype_level(mt, phys - mt->phys)) >=
	       PAGE_SIZE << order;
}

/*
 * May a huge entry have this protection? vmf_insert_pfn_pmd() and _pud() take
 * vm_page_prot as it is, but the bit that says PAT in an entry of order 0 says
 * huge in others: write-through would come out as uncached.
 */
static inline bool hugepfn_memtype_may_be_huge(pgprot_t prot)
{
	return !(pgprot_val(prot) & _PAGE_PAT);
}

/* has the architecture this mode? @cache: an &enum hugepfn_cache */
static inline bool hugepfn_memtype_has(u32 cache)
{
	return cache <= HUGEPFN_CACHE_WB;
}

/* does the kernel let one type only be in force from here on? */
static inline bool hugepfn_memtype_is_accounted(phys_addr_t phys)
{
	return pat_enabled() && phys >= SZ_1M;
}

/*
 * May who asks for one type get another one that is in force? As
 * is_new_memtype_allowed(), but for what hugepfn_memtype_reserve() refuses.
 */
static inline bool hugepfn_memtype_may_become(unsigned long type,
					      unsigned long granted)
{
	if (type == granted || type == hugepfn_memtype_default())
		return true;
	return granted != hugepfn_memtype_default() &&
	       (type != cachemode2protval(_PAGE_CACHE_MODE_WT) ||
		granted != cachemode2protval(_PAGE_CACHE_MODE_WC));
}

/* does an entry keep its type where vm_page_prot has another? pte_modify() */
static inline bool hugepfn_memtype_outlives_mprotect(void)
{
	return true;
}

/* the mode of an entry's protection; the first of those that are the same */
static inline u32 hugepfn_memtype_cache(pgprot_t prot)
{
	const unsigned long type = hugepfn_memtype_of(prot);

	if (type == cachemode2protval(_PAGE_CACHE_MODE_WB))
		return HUGEPFN_CACHE_WB;
	if (type == cachemode2protval(_PAGE_CACHE_MODE_UC_MINUS))
		return HUGEPFN_CACHE_UC_MINUS;
	if (type == cachemode2protval(_PAGE_CACHE_MODE_WC))
		return HUGEPFN_CACHE_WC;
	if (type == cachemode2protval(_PAGE_CACHE_MODE_WT))
		return HUGEPFN_CACHE_WT;
	return HUGEPFN_CACHE_UC;
}

/**
 * hugepfn_memtype_prot - the protection that asks for a cache mode
 * @prot: the VMA's
 * @cache: an &enum hugepfn_cache
 * @sync: the file was opened with O_SYNC
 *
 * The default follows phys_mem_access_prot_allowed() of
 * arch/x86/mm/pat/memtype.c. Device memory is never encrypted memory.
 *
 * Return: @prot with that mode.
 */
static inline pgprot_t hugepfn_memtype_prot(pgprot_t prot, u32 cache,
					    bool sync)
{
	unsigned long type = hugepfn_memtype_default();

	switch (cache) {
	case HUGEPFN_CACHE_DEFAULT:
		if (sync)
			type = hugepfn_memtype_uncached();
		break;
	case HUGEPFN_CACHE_UC:
		type = cachemode2protval(_PAGE_CACHE_MODE_UC);
		break;
	case HUGEPFN_CACHE_UC_MINUS:
		type = hugepfn_memtype_uncached();
		break;
	case HUGEPFN_CACHE_WC:
		type = cachemode2protval(_PAGE_CACHE_MODE_WC);
		break;
	case HUGEPFN_CACHE_WT:
		type = cachemode2protval(_PAGE_CACHE_MODE_WT);
		break;
	}
	return hugepfn_memtype_set(pgprot_decrypted(prot), type);
}

#elif defined(CONFIG_ARM64)

/* nobody keeps an account: the type asked for is the type granted */
struct hugepfn_memtype {
};

static inline unsigned long hugepfn_memtype_of(pgprot_t prot)
{
	return pgprot_val(prot) & PTE_ATTRINDX_MASK;
}

static inline pgprot_t hugepfn_memtype_set(pgprot_t prot, unsigned long type)
{
	return __pgprot((pgprot_val(prot) & ~PTE_ATTRINDX_MASK) | type);
}

static inline unsigned long hugepfn_memtype_default(void)
{
	return PTE_ATTRINDX(MT_DEVICE_nGnRnE);
}

static inline unsigned long hugepfn_memtype_uncached(void)
{
	return PTE_ATTRINDX(MT_DEVICE_nGnRnE);
}

static inline int hugepfn_memtype_reserve(struct hugepfn_memtype *mt,
					  phys_addr_t phys, size_t size,
					  unsigned long *type)
{
	return 0;
}

static inline void hugepfn_memtype_free(struct hugepfn_memtype *mt)
{
}

static inline bool hugepfn_memtype_is_uniform(const struct hugepfn_memtype *mt,
					      phys_addr_t phys,
					      unsigned int order)
{
	return true;
}

static inline bool hugepfn_memtype_may_be_huge(pgprot_t prot)
{
	return true;
}

static inline bool hugepfn_memtype_is_accounted(phys_addr_t phys)
{
	return false;
}

static inline bool hugepfn_memtype_may_become(unsigned long type,
					      unsigned long granted)
{
	return true;
}

static inline bool hugepfn_memtype_outlives_mprotect(void)
{
	return false;
}

static inline bool hugepfn_memtype_has(u32 cache)
{
	return cache == HUGEPFN_CACHE_DEFAULT || cache == HUGEPFN_CACHE_UC ||
	       cache == HUGEPFN_CACHE_WC || cache == HUGEPFN_CACHE_WB ||
	       cache == HUGEPFN_CACHE_DEVICE;
}

static inline u32 hugepfn_memtype_cache(pgprot_t prot)
{
	switch (hugepfn_memtype_of(prot)) {
	case PTE_ATTRINDX(MT_DEVICE_nGnRnE):
		return HUGEPFN_CACHE_UC;
	case PTE_ATTRINDX(MT_DEVICE_nGnRE):
		return HUGEPFN_CACHE_DEVICE;
	case PTE_ATTRINDX(MT_NORMAL_NC):
		return HUGEPFN_CACHE_WC;
	default:
		return HUGEPFN_CACHE_WB;
	}
}

/* the default is what phys_mem_access_prot() gives outside memory */
static inline pgprot_t hugepfn_memtype_prot(pgprot_t prot, u32 cache,
					    bool sync)
{
	prot = pgprot_decrypted(prot);
	switch (cache) {
	case HUGEPFN_CACHE_WC:
		return pgprot_writecombine(prot);
	case HUGEPFN_CACHE_WB:
		return prot;
	case HUGEPFN_CACHE_DEVICE:
		return pgprot_device(prot);
	default:
		return pgprot_noncached(prot);
	}
}

#else
#error "hugepfn: no memory types known for this architecture (x86 and arm64 are)"
#endif

#endif
