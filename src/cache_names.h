/* SPDX-License-Identifier: GPL-2.0-only */
/* What people call the cache modes, in parameters and in what is printed */
#ifndef HUGEPFN_CACHE_NAMES_H
#define HUGEPFN_CACHE_NAMES_H

#include "hugepfn.h"

/* in the form that trace.h needs */
#define HUGEPFN_CACHE_NAMES				\
	EM(HUGEPFN_CACHE_DEFAULT,	"default")	\
	EM(HUGEPFN_CACHE_UC,		"uc")		\
	EM(HUGEPFN_CACHE_UC_MINUS,	"uc-minus")	\
	EM(HUGEPFN_CACHE_WC,		"wc")		\
	EM(HUGEPFN_CACHE_WT,		"wt")		\
	EM(HUGEPFN_CACHE_WB,		"wb")		\
	EMe(HUGEPFN_CACHE_DEVICE,	"device")

#define HUGEPFN_CACHE_MODES (HUGEPFN_CACHE_DEVICE + 1)

/* @cache: below HUGEPFN_CACHE_MODES */
static inline const char *hugepfn_cache_name(unsigned int cache)
{
#define EM(cache, name) [cache] = name,
#define EMe(cache, name) [cache] = name,
	static const char * const names[] = { HUGEPFN_CACHE_NAMES };
#undef EM
#undef EMe

	return names[cache];
}

#endif
