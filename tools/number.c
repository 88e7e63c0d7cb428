// SPDX-License-Identifier: GPL-2.0-only
/* Numbers as people write them, and back */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const char suffixes[] = "KMGTPE";

/* the bits that a suffix shifts by; -1 if it is none */
static int suffix_shift(const char *suffix)
{
	const char *at;

	if (!*suffix)
		return 0;
	at = strchr(suffixes, toupper((unsigned char)*suffix));
	return !at || suffix[1] ? -1 : 10 * (int)(at - suffixes + 1);
}

/*
 * Decimal, or hexadecimal after 0x, and then K, M, G ... for powers of 1024.
 * No octal: an address copied with leading zeros means what it looks like
 * nowhere else. False for anything else, and for what 64 bits do not hold.
 */
bool parse_number(const char *text, uint64_t *n)
{
	const bool hex = text[0] == '0' && tolower((unsigned char)text[1]) == 'x';
	const char *digits = hex ? text + 2 : text;
	unsigned long long value;
	char *end;
	int shift;

	/* strtoull() would take signs, spaces and a second 0x */
	if (hex ? !isxdigit((unsigned char)digits[0]) ||
		  tolower((unsigned char)digits[1]) == 'x' :
		  !isdigit((unsigned char)digits[0]))
		return false;
	errno = 0;
	value = strtoull(digits, &end, hex ? 16 : 10);
	shift = suffix_shift(end);
	if (errno || shift < 0 || (value << shift) >> shift != value)
		return false;
	*n = value << shift;
	return true;
}

/* exact, in the largest unit that divides it: 4K, 2M, 1535M, 4097 */
char *size_text(uint64_t bytes, char text[24])
{
	unsigned int unit = 0;

	while (bytes && !(bytes & 1023) && suffixes[unit]) {
		bytes >>= 10;
		unit++;
	}
	snprintf(text, 24, "%llu%.*s", (unsigned long long)bytes, unit > 0,
		 &suffixes[unit ? unit - 1 : 0]);
	return text;
}
