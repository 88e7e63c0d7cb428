// SPDX-License-Identifier: GPL-2.0-only
/* What the command reads and writes as text */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "../../tools/iomem.h"
#include "../../tools/tool.h"

static void numbers_are_decimal_or_hexadecimal_with_a_suffix(void **state)
{
	static const struct {
		const char *text;
		uint64_t n;
	} rows[] = {
		{ "0", 0 },
		{ "4096", 4096 },
		{ "0x1000", 0x1000 },
		{ "0XaB", 0xab },
		{ "4K", 4096 },
		{ "2m", 2 << 20 },
		{ "1G", 1 << 30 },
		{ "3T", 3ULL << 40 },
		{ "0x10K", 16384 },
		{ "0100", 100 },
		{ "0xffffffffffffffff", UINT64_MAX },
		{ "18446744073709551615", UINT64_MAX },
		{ "15E", 15ULL << 60 },
	};
	uint64_t n;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(parse_number(rows[i].text, &n));
		assert_int_equal(n, rows[i].n);
	}
}

static void what_is_no_number_is_refused(void **state)
{
	static const char *const texts[] = {
		"", "K", "0x", "0xK", "0x0x1", "-1", "+1", " 1", "1 ", "1KB",
		"1KK", "1.5G", "zz", "12x", "0b1", "18446744073709551616",
		"0x10000000000000000", "16E", "0xffffffffffffffffK",
	};
	uint64_t n = 7;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(parse_number(texts[i], &n));
	assert_int_equal(n, 7);
}

static void sizes_are_exact_and_can_be_read_back(void **state)
{
	static const uint64_t sizes[] = {
		0, 1, 1023, 1024, 1025, 4096, 4097, 2 << 20, 1535ULL << 20,
		1 << 30, (1 << 30) + 4096, 5ULL << 40, 1ULL << 63, UINT64_MAX,
	};
	char text[24];
	uint64_t n;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_true(parse_number(size_text(sizes[i], text), &n));
		assert_int_equal(n, sizes[i]);
	}
	assert_string_equal(size_text(0, text), "0");
	assert_string_equal(size_text(4096, text), "4K");
	assert_string_equal(size_text(1535ULL << 20, text), "1535M");
	assert_string_equal(size_text(1ULL << 63, text), "8E");
}

static void cache_modes_have_the_kernels_names(void **state)
{
	uint32_t cache, i;

	(void)state;
	for (i = HUGEPFN_CACHE_DEFAULT; i <= HUGEPFN_CACHE_DEVICE; i++) {
		assert_true(parse_cache(cache_name(i), &cache));
		assert_int_equal(cache, i);
	}
	assert_true(parse_cache("uc-", &cache));
	assert_int_equal(cache, HUGEPFN_CACHE_UC_MINUS);
	assert_false(parse_cache("", &cache));
	assert_false(parse_cache("WC", &cache));
	assert_string_equal(cache_name(1000), "unknown");
}

static void pci_addresses_have_a_domain_or_none(void **state)
{
	static const char *const wrong[] = {
		"", "03:00", "03:00.8", "03:20.0", "0000:03:00.0x", "3:0.0:1",
		"/dev/hugeuio0", "0000:03:00", "eth0",
	};
	char address[20];
	size_t i;

	(void)state;
	assert_true(parse_pci_address("0000:03:1f.7", address));
	assert_string_equal(address, "0000:03:1f.7");
	assert_true(parse_pci_address("03:00.0", address));
	assert_string_equal(address, "0000:03:00.0");
	assert_true(parse_pci_address("10000:e1:00.0", address));
	assert_string_equal(address, "10000:e1:00.0");
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(parse_pci_address(wrong[i], address));
}

static void iomem_lines_are_parsed(void **state)
{
	struct iomem_range r;

	(void)state;
	assert_true(iomem_parse("00001000-0009fbff : System RAM\n", &r));
	assert_int_equal(r.start, 0x1000);
	assert_int_equal(r.end, 0x9fbff);
	assert_int_equal(r.depth, 0);
	assert_string_equal(r.name, "System RAM");
	assert_true(iomem_parse("    100000000-1ffffffff : 0000:00:01.0", &r));
	assert_int_equal(r.depth, 2);
	assert_int_equal(r.end, 0x1ffffffff);
	assert_false(iomem_parse("", &r));
	assert_false(iomem_parse("nonsense", &r));
	assert_false(iomem_parse("2000-1000 : backwards", &r));
	assert_false(iomem_parse("1000-2000", &r));
}

/* iomem_read() of a file with that text */
static int read_iomem(const char *text, struct iomem *iomem)
{
	char path[] = "/tmp/hugepfn-iomem-XXXXXX";
	int fd = mkstemp(path), err;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	err = iomem_read(path, iomem);
	unlink(path);
	return err;
}

static void iomem_is_a_tree(void **state)
{
	struct iomem iomem;

	(void)state;
	assert_int_equal(read_iomem("00000000-00000fff : Reserved\n"
				    "80000000-8fffffff : PCI Bus 0000:00\n"
				    "  80000000-80ffffff : 0000:00:02.0\n"
				    "    80000000-800fffff : driver\n"
				    "  81000000-81000fff : 0000:00:03.0\n"
				    "fed00000-fed003ff : HPET 0\n", &iomem), 0);
	assert_int_equal(iomem.n, 6);
	assert_int_equal(iomem_next(&iomem, 0), 1);
	assert_int_equal(iomem_next(&iomem, 1), 5);
	assert_int_equal(iomem_next(&iomem, 2), 4);
	assert_int_equal(iomem_next(&iomem, 3), 4);
	assert_int_equal(iomem_next(&iomem, 5), 6);
	free(iomem.ranges);
}

static void hidden_addresses_are_told_from_real_ones(void **state)
{
	struct iomem iomem;

	(void)state;
	assert_int_equal(read_iomem("00000000-00000000 : Reserved\n"
				    "  00000000-00000000 : x\n", &iomem),
			 EPERM);
	free(iomem.ranges);
	assert_int_equal(iomem_read("/nonexistent", &iomem), ENOENT);
}

/* what a piece of long work draws on stderr, be it a terminal or not */
static void draw(int fd, bool patient)
{
	int old = dup(STDERR_FILENO);
	struct progress p;

	dup2(fd, STDERR_FILENO);
	p = progress_begin("work", 200);
	progress_show(&p, 50);
	if (patient)
		usleep(600000);
	progress_show(&p, 100);
	progress_end(&p);
	dup2(old, STDERR_FILENO);
	close(old);
}

static void progress_is_shown_on_a_terminal_when_work_is_long(void **state)
{
	char text[200] = "";
	int master, slave, pipes[2];

	(void)state;
	assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
	fcntl(master, F_SETFL, O_NONBLOCK);
	draw(slave, false);
	assert_int_equal(read(master, text, sizeof(text)), -1);
	draw(slave, true);
	assert_true(read(master, text, sizeof(text) - 1) > 0);
	assert_non_null(strstr(text, "work [####################      "));
	assert_non_null(strstr(text, "]  50%"));
	assert_null(strstr(text, "25%"));
	close(master);
	close(slave);

	assert_int_equal(pipe2(pipes, O_NONBLOCK), 0);
	draw(pipes[1], true);
	assert_int_equal(read(pipes[0], text, sizeof(text)), -1);
	close(pipes[0]);
	close(pipes[1]);
}

const struct CMUnitTest tool_tests[] = {
	cmocka_unit_test(numbers_are_decimal_or_hexadecimal_with_a_suffix),
	cmocka_unit_test(what_is_no_number_is_refused),
	cmocka_unit_test(sizes_are_exact_and_can_be_read_back),
	cmocka_unit_test(cache_modes_have_the_kernels_names),
	cmocka_unit_test(pci_addresses_have_a_domain_or_none),
	cmocka_unit_test(iomem_lines_are_parsed),
	cmocka_unit_test(iomem_is_a_tree),
	cmocka_unit_test(progress_is_shown_on_a_terminal_when_work_is_long),
	cmocka_unit_test(hidden_addresses_are_told_from_real_ones),
};
const size_t tool_tests_n = sizeof(tool_tests) / sizeof(*tool_tests);
