// SPDX-License-Identifier: GPL-2.0-only
#include "guest.h"

#define SUITE(_name) .tests = _name ## _tests, .n = &_name ## _tests_n

static const struct suite {
	const char *name, *about;
	const struct CMUnitTest *tests;
	const size_t *n;
	CMFixtureFunction setup, teardown;
	bool by_name;	/* runs only when it is named */
} suites[] = {
	{ "map", "orders, faults, addresses and data", SUITE(map) },
	{ "errors", "what is refused, and how", SUITE(error) },
	{ "memtype", "cache modes and their conflicts", SUITE(memtype) },
	{ "revoke", "a driver claims what is mapped", SUITE(revoke) },
	{ "process", "fork, copy-on-write, mremap, ptrace and the rest of mm",
	  SUITE(process) },
	{ "range", "what QUERY_RANGE says and POPULATE does", SUITE(range) },
	{ "seen", "fdinfo, tracepoints and debugfs", SUITE(seen) },
	{ "security", "who may, and what nobody may", SUITE(security) },
	{ "races", "fork against a claim, close against a signal, open against unload",
	  SUITE(races), .by_name = true },
	{ "random", "random operations against a model (HUGEPFN_RANDOM_SEED, _OPS)",
	  SUITE(random) },
	{ "speed", "instructions beside /dev/mem (needs HUGEPFN_ICOUNT)",
	  SUITE(speed) },
	{ "uio", "UIO's ABI on the kernel's own uio (needs QEMU's edu)",
	  SUITE(abi), abi_setup_uio, abi_teardown, true },
	{ "hugeuio", "the same on hugeuio",
	  SUITE(abi), abi_setup_hugeuio, abi_teardown, true },
	{ "pci", "hugeuio_pci; suspends (needs QEMU's edu, e1000e, sdhci-pci)",
	  SUITE(pci), .by_name = true },
	{ "unplug", "devices that leave (needs HUGEPFN_MONITOR and a device `hot`)",
	  SUITE(unplug), .by_name = true },
	{ "regions", "nodes by the module's parameter", SUITE(regions),
	  .by_name = true },
	{ "tool", "the command `hugepfn`, which must be in PATH", SUITE(tool),
	  .by_name = true },
	{ "nopat", "cache modes on a kernel booted with nopat", SUITE(nopat),
	  .by_name = true },
	{ "failing", "each allocation fails once (needs fail-nth)",
	  SUITE(failing), .by_name = true },
	{ "dma", "VFIO's DMA maps of mappings (needs an IOMMU and QEMU's edu)",
	  SUITE(dma), dma_setup, dma_teardown, true },
	{ "dma-cost", "what those cost, beside /dev/mem's (needs HUGEPFN_ICOUNT)",
	  SUITE(dma_cost), dma_setup, dma_teardown, true },
	{ "kvm", "a virtual machine's memory (needs a CPU that can)",
	  SUITE(kvm), kvm_setup, kvm_teardown, true },
	{ "reference", "figures beside the kernel's own ways (needs HUGEPFN_ICOUNT)",
	  SUITE(reference), .by_name = true },
	{ "lockdown", "locks the machine down until it restarts (needs QEMU's edu)",
	  SUITE(lockdown), lockdown_setup, .by_name = true },
};

static void usage(FILE *to)
{
	size_t i;

	fprintf(to, "usage: hugepfn-test [SUITE]...\n\n"
		"Tests the loaded hugepfn module on the BAR at HUGEPFN_BAR, which is\n"
		"HUGEPFN_BAR_SIZE bytes long. It is written to. Without SUITE all that have\n"
		"no star:\n\n");
	for (i = 0; i < sizeof(suites) / sizeof(*suites); i++)
		fprintf(to, " %c%-9s %s\n", suites[i].by_name ? '*' : ' ',
			suites[i].name, suites[i].about);
}

static int run(const struct suite *s)
{
	return _cmocka_run_group_tests(s->name, s->tests, *s->n, s->setup,
				       s->teardown);
}

static const struct suite *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(suites) / sizeof(*suites); i++)
		if (!strcmp(name, suites[i].name))
			return &suites[i];
	return NULL;
}

static int run_all(void)
{
	int failed = 0;
	size_t i;

	for (i = 0; i < sizeof(suites) / sizeof(*suites); i++)
		if (!suites[i].by_name)
			failed += run(&suites[i]);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0, i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	for (i = 1; i < argc; i++) {
		if (find(argv[i]) || !strcmp(argv[i], "--address"))
			continue;
		fprintf(stderr, "no suite '%s'; see --help\n", argv[i]);
		return 2;
	}
	if (guest_init())
		return 2;
	/* for a test that wants to see a fresh process's layout */
	if (argc > 1 && !strcmp(argv[1], "--address")) {
		void *p = map_bar(0, pmd_size);

		return write(1, &p, sizeof(p)) != sizeof(p);
	}
	guest_print_machine();
	if (argc < 2)
		failed = run_all();
	for (i = 1; i < argc; i++)
		failed += run(find(argv[i]));
	return failed ? 1 : 0;
}
