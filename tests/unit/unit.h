/* SPDX-License-Identifier: GPL-2.0-only */
/* What needs no kernel, tested on the build machine */
#ifndef HUGEPFN_TESTS_UNIT_H
#define HUGEPFN_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern const struct CMUnitTest window_tests[], tool_tests[];
extern const struct CMUnitTest region_list_tests[];
extern const size_t window_tests_n, tool_tests_n, region_list_tests_n;

#endif
