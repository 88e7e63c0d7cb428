/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the list of regions that the module's parameter gives:
 * NAME@ADDR+LEN[:CACHE],... Nothing here touches the kernel but kstrtoull() and
 * string functions, so that tests/unit runs these very lines on the build
 * machine.
 */
#ifndef HUGEUIO_REGION_LIST_H
#define HUGEUIO_REGION_LIST_H

#include "../cache_names.h"

#define HUGEUIO_REGION_NAME 32

/**
 * struct hugeuio_region_spec - one entry of the list
 * @name: letters, digits, '-', '_' and '.'
 * @start: the first byte
 * @len: its length in bytes, not 0
 * @cache: an &enum hugepfn_cache
 */
struct hugeuio_region_spec {
	char name[HUGEUIO_REGION_NAME];
	unsigned long long start;
	unsigned long long len;
	unsigned int cache;
};

static inline int hugeuio_region_cache(const char *text, unsigned int *cache)
{
	for (*cache = 0; *cache < HUGEPFN_CACHE_MODES; ++*cache)
		if (!strcmp(text, hugepfn_cache_name(*cache)))
			return 0;
	return -1;
}

/*
 * A number, and perhaps K, M, G, T or P after it. NULL if there is none at @at
 * or if it has more than 64 bits: memparse() forgets those past them, and a
 * range that nobody named would be claimed.
 */
static inline const char *hugeuio_region_number(const char *at,
						unsigned long long *number)
{
	static const char suffixes[] = "KkMmGgTtPp";
	const unsigned long len = strspn(at, "0123456789abcdefABCDEFxX");
	const char *suffix;
	unsigned int shift;
	char digits[24];

	if (*at < '0' || *at > '9' || len >= sizeof(digits))
		return NULL;
	memcpy(digits, at, len);
	digits[len] = '\0';
	if (kstrtoull(digits, 0, number))
		return NULL;

	at += len;
	suffix = *at ? strchr(suffixes, *at) : NULL;
	if (!suffix)
		return at;
	shift = 10 * ((suffix - suffixes) / 2 + 1);
	if (*number >> (64 - shift))
		return NULL;
	*number <<= shift;
	return at + 1;
}

/**
 * hugeuio_region_parse - read one entry
 * @text: the entry, without the comma; left as it is
 * @page_size: in bytes
 * @spec: what it says
 *
 * Return: NULL, or what is wrong with it, for a message.
 */
static inline const char *hugeuio_region_parse(const char *text,
					       unsigned long page_size,
					       struct hugeuio_region_spec *spec)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	const unsigned long name_len = strspn(text, allowed);
	const char *at = text + name_len;

	if (!name_len || *at != '@')
		return "it does not begin with NAME@, NAME of letters, digits, '-', '_' and '.'";
	if (name_len >= sizeof(spec->name))
		return "its name is longer than 31 characters";
	memcpy(spec->name, text, name_len);
	spec->name[name_len] = '\0';

	at = hugeuio_region_number(at + 1, &spec->start);
	if (!at || *at != '+')
		return "no ADDR+LEN of at most 64 bits follows the name";
	at = hugeuio_region_number(at + 1, &spec->len);
	if (!at || (*at && *at != ':'))
		return "no LEN of at most 64 bits follows the address";

	spec->cache = HUGEPFN_CACHE_DEFAULT;
	if (*at && hugeuio_region_cache(at + 1, &spec->cache))
		return "its cache mode is none of uc, uc-minus, wc, wt, wb, device";
	if (!spec->len || (spec->start | spec->len) & (page_size - 1))
		return "its address or length is not a multiple of the page size, or the length is 0";
	if (spec->start + spec->len - 1 < spec->start)
		return "it ends past the last address";
	return NULL;
}

#endif
