/* SPDX-License-Identifier: GPL-2.0-only */
/* ioremap_prot() takes a pgprot_t since 6.15, before that its value */
#ifndef HUGEPFN_COMPAT_IOREMAP_PROT_H
#define HUGEPFN_COMPAT_IOREMAP_PROT_H

#include <linux/io.h>
#include <linux/pgtable.h>

static inline void __iomem *hugepfn_ioremap_prot(phys_addr_t phys, size_t size,
						 pgprot_t prot)
{
#ifdef HAVE_IOREMAP_PROT_PGPROT
	return ioremap_prot(phys, size, prot);
#else
	return ioremap_prot(phys, size, pgprot_val(prot));
#endif
}

#endif
