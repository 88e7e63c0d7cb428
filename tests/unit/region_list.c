// SPDX-License-Identifier: GPL-2.0-only
/* src/hugeuio/region_list.h, on the build machine */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hugepfn.h"

/* as lib/kstrtox.c, for digits alone */
static int kstrtoull(const char *text, unsigned int base,
		     unsigned long long *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, base);
	return errno || *end || end == text ? -EINVAL : 0;
}

#include "../../src/hugeuio/region_list.h"

#define PAGE 4096ul

static void a_region_is_a_name_an_address_and_a_length(void **state)
{
	static const struct {
		const char *text;
		struct hugeuio_region_spec spec;
	} rows[] = {
		{ "fpga@0x380000000000+4G",
		  { "fpga", 0x380000000000, 4ull << 30, HUGEPFN_CACHE_DEFAULT } },
		{ "mailbox@0xfed90000+4K",
		  { "mailbox", 0xfed90000, 4096, HUGEPFN_CACHE_DEFAULT } },
		{ "a@4G+1M", { "a", 4ull << 30, 1 << 20, HUGEPFN_CACHE_DEFAULT } },
		{ "a@0+4096", { "a", 0, 4096, HUGEPFN_CACHE_DEFAULT } },
		{ "A-z_0.9@0x1000+0x1000",
		  { "A-z_0.9", 4096, 4096, HUGEPFN_CACHE_DEFAULT } },
		{ "a@0x1000+4k", { "a", 4096, 4096, HUGEPFN_CACHE_DEFAULT } },
		{ "a@1P+2T", { "a", 1ull << 50, 2ull << 40,
			       HUGEPFN_CACHE_DEFAULT } },
		{ "a@16383P+1p", { "a", 16383ull << 50, 1ull << 50,
				   HUGEPFN_CACHE_DEFAULT } },
		/* up to the very last byte */
		{ "a@0xfffffffffffff000+0x1000",
		  { "a", 0xfffffffffffff000, 4096, HUGEPFN_CACHE_DEFAULT } },
		{ "a@0+0xfffffffffffff000",
		  { "a", 0, 0xfffffffffffff000, HUGEPFN_CACHE_DEFAULT } },
		{ "a@0x1000+0x1000:default",
		  { "a", 4096, 4096, HUGEPFN_CACHE_DEFAULT } },
		{ "a@0x1000+0x1000:uc", { "a", 4096, 4096, HUGEPFN_CACHE_UC } },
		{ "a@0x1000+0x1000:uc-minus",
		  { "a", 4096, 4096, HUGEPFN_CACHE_UC_MINUS } },
		{ "a@0x1000+0x1000:wc", { "a", 4096, 4096, HUGEPFN_CACHE_WC } },
		{ "a@0x1000+0x1000:wt", { "a", 4096, 4096, HUGEPFN_CACHE_WT } },
		{ "a@0x1000+0x1000:wb", { "a", 4096, 4096, HUGEPFN_CACHE_WB } },
		{ "abcdefghijklmnopqrstuvwxyz01234@0x1000+0x1000",
		  { "abcdefghijklmnopqrstuvwxyz01234", 4096, 4096,
		    HUGEPFN_CACHE_DEFAULT } },
	};
	struct hugeuio_region_spec spec;
	const char *wrong;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		memset(&spec, 0xff, sizeof(spec));
		wrong = hugeuio_region_parse(rows[i].text, PAGE, &spec);
		if (wrong)
			fail_msg("'%s': %s", rows[i].text, wrong);
		assert_string_equal(spec.name, rows[i].spec.name);
		assert_int_equal(spec.start, rows[i].spec.start);
		assert_int_equal(spec.len, rows[i].spec.len);
		assert_int_equal(spec.cache, rows[i].spec.cache);
	}
}

/* each is told apart by what it says; what is right but for one thing */
static void what_is_wrong_with_a_region_is_said(void **state)
{
	static const struct {
		const char *text, *wrong;
	} rows[] = {
		{ "", "does not begin with NAME@" },
		{ "@0x1000+0x1000", "does not begin with NAME@" },
		{ "fpga", "does not begin with NAME@" },
		{ " a@0x1000+0x1000", "does not begin with NAME@" },
		{ "a b@0x1000+0x1000", "does not begin with NAME@" },
		{ "x/y@0x1000+0x1000", "does not begin with NAME@" },
		{ "\xc3\xa9@0x1000+0x1000", "does not begin with NAME@" },
		{ "abcdefghijklmnopqrstuvwxyz012345@0x1000+0x1000",
		  "longer than 31" },
		{ "a@", "no ADDR+LEN of" },
		{ "a@0x1000", "no ADDR+LEN of" },
		{ "a@+0x1000", "no ADDR+LEN of" },
		{ "a@-0x1000+0x1000", "no ADDR+LEN of" },
		{ "a@ 0x1000+0x1000", "no ADDR+LEN of" },
		{ "a@x1000+0x1000", "no ADDR+LEN of" },
		{ "a@0x1000-0x1000", "no ADDR+LEN of" },
		{ "a@0x1000:wc", "no ADDR+LEN of" },
		{ "a@1E+0x1000", "no ADDR+LEN of" },
		{ "a@0x+0x1000", "no ADDR+LEN of" },
		{ "a@09+0x1000", "no ADDR+LEN of" },
		{ "a@0x1x+0x1000", "no ADDR+LEN of" },
		{ "a@000000000000000000001000+0x1000", "no ADDR+LEN of" },
		{ "a@1KB+0x1000", "no ADDR+LEN of" },
		{ "a@@0x1000+0x1000", "no ADDR+LEN of" },
		{ "a@0x1000+", "no LEN of" },
		{ "a@0x1000++0x1000", "no LEN of" },
		{ "a@0x1000+-1", "no LEN of" },
		{ "a@0x1000+0x1000 ", "no LEN of" },
		{ "a@0x1000+0x1000wc", "no LEN of" },
		{ "a@0x1000+4KB", "no LEN of" },
		{ "a@0x1000+:wc", "no LEN of" },
		{ "a@0x1000+0x1000:", "cache mode" },
		{ "a@0x1000+0x1000:hot", "cache mode" },
		{ "a@0x1000+0x1000:WC", "cache mode" },
		{ "a@0x1000+0x1000:wc:wc", "cache mode" },
		{ "a@0x1000+0x1000:w", "cache mode" },
		{ "a@0x1000+0", "multiple of the page size" },
		{ "a@0x1000+0x800", "multiple of the page size" },
		{ "a@0x1800+0x1000", "multiple of the page size" },
		{ "a@0xfffffffffffff000+0x2000", "past the last address" },
		{ "a@0x2000+0xfffffffffffff000", "past the last address" },
		{ "a@0x8000000000000000+0x8000000000001000",
		  "past the last address" },
	};
	struct hugeuio_region_spec spec;
	const char *wrong;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		wrong = hugeuio_region_parse(rows[i].text, PAGE, &spec);
		if (!wrong || !strstr(wrong, rows[i].wrong))
			fail_msg("'%s': %s", rows[i].text, wrong ?: "taken");
	}
}

/* a number of 65 bits is none: what is left of it would do */
static void a_number_that_does_not_fit_is_refused(void **state)
{
	static const char * const texts[] = {
		"a@0x10000000000001000+0x1000",
		"a@0x1000+0x10000000000001000",
		"a@18446744073709555712+0x1000",
		"a@16384P+0x1000",
		"a@16385P+0x1000",
		"a@0x1000+17179869185G",
		"a@0x1000+0x40000000000001M",
		"a@0x1000+99999999999999999999999",
	};
	struct hugeuio_region_spec spec;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!hugeuio_region_parse(texts[i], PAGE, &spec))
			fail_msg("'%s' is taken", texts[i]);
}

static void the_page_size_is_the_kernels(void **state)
{
	struct hugeuio_region_spec spec;

	(void)state;
	assert_null(hugeuio_region_parse("a@0x10000+0x10000", 65536, &spec));
	assert_non_null(hugeuio_region_parse("a@0x1000+0x10000", 65536, &spec));
	assert_non_null(hugeuio_region_parse("a@0x10000+0x1000", 65536, &spec));
}

/* exactly as long as it is, so that ASan sees a byte too many */
static void nothing_past_the_text_is_read(void **state)
{
	static const char whole[] = "abcdefghijklmnopqrstuvwxyz01234@0x1000+0x1000:uc-minus";
	struct hugeuio_region_spec spec;
	size_t n;

	(void)state;
	for (n = 0; n < sizeof(whole); n++) {
		char *text = strndup(whole, n);

		hugeuio_region_parse(text, PAGE, &spec);
		free(text);
	}
}

const struct CMUnitTest region_list_tests[] = {
	cmocka_unit_test(a_region_is_a_name_an_address_and_a_length),
	cmocka_unit_test(what_is_wrong_with_a_region_is_said),
	cmocka_unit_test(a_number_that_does_not_fit_is_refused),
	cmocka_unit_test(the_page_size_is_the_kernels),
	cmocka_unit_test(nothing_past_the_text_is_read),
};
const size_t region_list_tests_n =
	sizeof(region_list_tests) / sizeof(*region_list_tests);
