// SPDX-License-Identifier: GPL-2.0-only
#include "guest.h"

static const struct suite {
	const char *name, *about;
	const struct CMUnitTest *tests;
	const size_t *n;
} suites[] = {
	{ "map", "orders, faults, addresses and data",
	  map_tests, &map_tests_n },
	{ "errors", "what is refused, and how", error_tests, &error_tests_n },
	{ "memtype", "cache modes and their conflicts",
	  memtype_tests, &memtype_tests_n },
	{ "revoke", "a driver claims what is mapped",
	  revoke_tests, &revoke_tests_n },
	{ "process", "fork, copy-on-write, mremap, ptrace and the rest of mm",
	  process_tests, &process_tests_n },
	{ "speed", "instructions beside /dev/mem (needs HUGEPFN_ICOUNT)",
	  speed_tests, &speed_tests_n },
	{ "lockdown", "only by name: locks the machine down until it restarts",
	  lockdown_tests, &lockdown_tests_n },
};

static void usage(FILE *to)
{
	size_t i;

	fprintf(to, "usage: hugepfn-test [SUITE]...\n\n"
		"Tests the loaded hugepfn module on the BAR at HUGEPFN_BAR, which is\n"
		"HUGEPFN_BAR_SIZE bytes long. It is written to. Without SUITE all but lockdown:\n\n");
	for (i = 0; i < sizeof(suites) / sizeof(*suites); i++)
		fprintf(to, "  %-9s %s\n", suites[i].name, suites[i].about);
}

static int run(const struct suite *s)
{
	return _cmocka_run_group_tests(s->name, s->tests, *s->n, NULL, NULL);
}

int main(int argc, char **argv)
{
	int failed = 0, i;
	size_t s;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	if (guest_init())
		return 2;
	/* for a test that wants to see a fresh process's layout */
	if (argc > 1 && !strcmp(argv[1], "--address")) {
		void *p = map_bar(0, pmd_size);

		return write(1, &p, sizeof(p)) != sizeof(p);
	}
	for (s = 0; argc < 2 && strcmp(suites[s].name, "lockdown"); s++)
		failed += run(&suites[s]);
	for (i = 1; i < argc; i++) {
		for (s = 0; s < sizeof(suites) / sizeof(*suites); s++)
			if (!strcmp(argv[i], suites[s].name))
				break;
		if (s == sizeof(suites) / sizeof(*suites)) {
			fprintf(stderr, "no suite '%s'; see --help\n", argv[i]);
			return 2;
		}
		failed += run(&suites[s]);
	}
	return failed ? 1 : 0;
}
