// SPDX-License-Identifier: GPL-2.0-only
/* The names of the cache modes: the kernel's own, and the short one of x86 */
#include <string.h>

#include "cache_names.h"
#include "tool.h"

bool parse_cache(const char *text, uint32_t *cache)
{
	uint32_t i;

	if (!strcmp(text, "uc-"))
		text = hugepfn_cache_name(HUGEPFN_CACHE_UC_MINUS);
	for (i = 0; i < HUGEPFN_CACHE_MODES; i++) {
		if (!strcmp(text, hugepfn_cache_name(i))) {
			*cache = i;
			return true;
		}
	}
	return false;
}

const char *cache_name(uint32_t cache)
{
	return cache < HUGEPFN_CACHE_MODES ? hugepfn_cache_name(cache) :
		"unknown";
}
