// SPDX-License-Identifier: GPL-2.0-only
/* src/mm/window.h, on the build machine */
#include <stdlib.h>

#include "unit.h"
#include "../../src/mm/window.h"

#define PMD 9
#define PUD 18

static const unsigned int orders[] = { PUD, PMD, 0 };

static void a_window_fits_only_where_both_sides_are_congruent(void **state)
{
	(void)state;
	assert_true(hugepfn_window_fits(512, 1024, 512, 1023, PMD));
	assert_true(hugepfn_window_fits(700, 1212, 512, 1023, PMD));
	assert_false(hugepfn_window_fits(700, 1211, 0, 4095, PMD));
	assert_false(hugepfn_window_fits(700, 1213, 0, 4095, PMD));
}

static void a_window_fits_only_inside_the_mapping(void **state)
{
	(void)state;
	assert_false(hugepfn_window_fits(512, 512, 513, 4095, PMD));
	assert_false(hugepfn_window_fits(512, 512, 0, 1022, PMD));
	assert_true(hugepfn_window_fits(512, 512, 512, 1023, PMD));
	/* the highest window there is: nothing wraps */
	assert_true(hugepfn_window_fits(-1UL, -1UL, 0, -1UL, PUD));
}

static void an_extent_ends_with_the_mapping(void **state)
{
	struct hugepfn_extent e;

	(void)state;
	e = hugepfn_extent_around(700, 0, 4095, PMD);
	assert_int_equal(e.first, 512);
	assert_int_equal(e.last, 1023);
	e = hugepfn_extent_around(700, 650, 800, PMD);
	assert_int_equal(e.first, 650);
	assert_int_equal(e.last, 800);
	e = hugepfn_extent_around(-1UL, 0, -1UL, PMD);
	assert_int_equal(e.last, -1UL);
}

static void a_full_window_is_found_or_not(void **state)
{
	(void)state;
	assert_true(hugepfn_window_inside(512, 512, PMD));
	assert_false(hugepfn_window_inside(512, 511, PMD));
	assert_false(hugepfn_window_inside(513, 1022, PMD));
	assert_true(hugepfn_window_inside(513, 1023, PMD));
	assert_true(hugepfn_window_inside(1, 1UL << 40, PUD));
	/* -pfn must not be taken for a short way when there is no room */
	assert_false(hugepfn_window_inside(1, 1, PMD));
	assert_false(hugepfn_window_inside(0, 0, PMD));
}

static void congruent_is_the_next_page_of_the_same_remainder(void **state)
{
	unsigned long page, pfn;

	(void)state;
	for (page = 0; page < 2048; page += 37) {
		for (pfn = 0; pfn < 2048; pfn += 41) {
			unsigned long c = hugepfn_congruent(page, pfn, PMD);

			assert_true(c >= page && c < page + 512);
			assert_int_equal((c ^ pfn) & 511, 0);
		}
	}
}

/* the pieces cover the range, in at most five, each of one usable order */
static void check_pieces(unsigned long pfn, unsigned long npages)
{
	const unsigned long end = pfn + npages;
	unsigned int n = 0;

	while (npages) {
		unsigned long piece = hugepfn_piece(pfn, npages, orders);

		assert_in_range(piece, 1, npages);
		if (hugepfn_window_inside(pfn, piece, PUD))
			assert_int_equal((pfn | piece) & ((1UL << PUD) - 1), 0);
		else if (hugepfn_window_inside(pfn, piece, PMD))
			assert_int_equal((pfn | piece) & ((1UL << PMD) - 1), 0);
		pfn += piece;
		npages -= piece;
		n++;
	}
	assert_int_equal(pfn, end);
	assert_in_range(n, 1, 5);
}

static void pieces_change_where_the_order_does(void **state)
{
	int i;

	(void)state;
	assert_int_equal(hugepfn_piece(0, 1UL << PUD, orders), 1UL << PUD);
	assert_int_equal(hugepfn_piece(1, 1024, orders), 511);
	assert_int_equal(hugepfn_piece(512, 1024, orders), 1024);
	assert_int_equal(hugepfn_piece(512, 1030, orders), 1024);
	assert_int_equal(hugepfn_piece(3, 4, orders), 4);
	assert_int_equal(hugepfn_piece(512, 1UL << 19, orders),
			 (1UL << PUD) - 512);
	srand(1);
	for (i = 0; i < 100000; i++)
		check_pieces((unsigned long)rand() >> (rand() % 24),
			     1 + ((unsigned long)rand() >> (rand() % 30)));
}

const struct CMUnitTest window_tests[] = {
	cmocka_unit_test(a_window_fits_only_where_both_sides_are_congruent),
	cmocka_unit_test(a_window_fits_only_inside_the_mapping),
	cmocka_unit_test(an_extent_ends_with_the_mapping),
	cmocka_unit_test(a_full_window_is_found_or_not),
	cmocka_unit_test(congruent_is_the_next_page_of_the_same_remainder),
	cmocka_unit_test(pieces_change_where_the_order_does),
};
const size_t window_tests_n = sizeof(window_tests) / sizeof(*window_tests);
