// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

static int run(const char *name, const struct CMUnitTest *tests, size_t n)
{
	return _cmocka_run_group_tests(name, tests, n, NULL, NULL);
}

int main(void)
{
	int failed = run("window", window_tests, window_tests_n);

	failed += run("region_list", region_list_tests, region_list_tests_n);
	failed += run("tool", tool_tests, tool_tests_n);
	return failed ? 1 : 0;
}
