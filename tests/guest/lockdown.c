// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel that is locked down while files are open and maps live. A suite of
 * its own: lockdown is not lifted again until the machine restarts.
 */
#include "uio.h"

#include <sys/stat.h>

#define RW (PROT_READ | PROT_WRITE)
#define LOCKDOWN "/sys/kernel/security/lockdown"

/* the nodes, and /dev/mem to compare with */
enum { HUGEMEM, REGION, PCI, DEVMEM, NODES };

static struct {
	char path[60];
	int fd;
	uint64_t offset, len;
	char *map;
} nodes[NODES];

static char pci_addr[16];

static int use(unsigned int i, const char *path, uint64_t offset, uint64_t len)
{
	snprintf(nodes[i].path, sizeof(nodes[i].path), "%s", path);
	nodes[i].offset = offset;
	nodes[i].len = len;
	nodes[i].fd = open(path, O_RDWR);
	if (nodes[i].fd < 0)
		return -1;
	nodes[i].map = mmap(NULL, len, RW, MAP_SHARED, nodes[i].fd, offset);
	return nodes[i].map == MAP_FAILED ? -1 : load_signal(nodes[i].map);
}

/* the first page of each map is touched before the kernel is locked down */
int lockdown_setup(void **state)
{
	struct uio_node region, pci;
	char options[100];

	(void)state;
	if (access(LOCKDOWN, W_OK))
		return 0;
	snprintf(options, sizeof(options), "regions=region@%#llx+%#llx",
		 (unsigned long long)bar, (unsigned long long)4 * pmd_size);
	if (module_unload("hugepfn") || module_load("hugepfn", options) ||
	    module_load("hugeuio_pci", "") || !pci_find(EDU, pci_addr) ||
	    !uio_by_name("region", &region))
		return -1;
	pci_bind(pci_addr, "hugeuio_pci");
	uio_of_pci(pci_addr, "hugeuio", &pci);
	if (use(HUGEMEM, "/dev/hugemem", bar + 4 * pmd_size, 4 * pmd_size) ||
	    use(REGION, region.dev, 0, 4 * pmd_size) ||
	    use(PCI, pci.dev, 0, MIB(1)) ||
	    use(DEVMEM, "/dev/mem", bar + 8 * pmd_size, pmd_size))
		return -1;
	write_file(LOCKDOWN, "integrity");
	return 0;
}

#define need_lockdown() do {						\
	if (access(LOCKDOWN, W_OK))					\
		skip_because("this kernel has no lockdown");		\
} while (0)

static void no_node_can_be_opened(void **state)
{
	unsigned int i;

	(void)state;
	need_lockdown();
	for (i = 0; i < NODES; i++) {
		assert_int_equal(open(nodes[i].path, O_RDWR), -1);
		assert_int_equal(errno, EPERM);
		assert_int_equal(open(nodes[i].path, O_RDONLY), -1);
		assert_int_equal(errno, EPERM);
	}
}

static void files_already_open_cannot_be_mapped(void **state)
{
	char path[100];
	unsigned int i;

	(void)state;
	need_lockdown();
	for (i = 0; i < NODES; i++) {
		/* /dev/mem asks at open() only */
		if (i == DEVMEM)
			continue;
		assert_int_equal(uio_try_map(nodes[i].fd, nodes[i].offset,
					     page_size), EPERM);
	}
	/* as the kernel's own way to a BAR */
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource0",
		 pci_addr);
	assert_int_equal(try_map(path, O_RDWR, 0, page_size, RW, MAP_SHARED),
			 EPERM);
}

/* lockdown takes nothing back, here as there */
static void what_was_mapped_stays(void **state)
{
	unsigned int i;

	(void)state;
	need_lockdown();
	for (i = 0; i < NODES; i++) {
		assert_int_equal(load_signal(nodes[i].map), 0);
		assert_int_equal(load_signal(nodes[i].map + nodes[i].len -
					     page_size), 0);
	}
}

static void an_unsigned_module_is_not_loaded(void **state)
{
	(void)state;
	need_lockdown();
	if (access("/sys/module/module/parameters/sig_enforce", F_OK))
		skip_because("this kernel asks for no signatures");
	assert_int_equal(module_load("hugepfn_claim", ""), -EPERM);
}

/* 0 if the command ends with 1 and one line that names the node and the reason */
static int explained(const char *path)
{
	char line[200];
	FILE *said;
	bool good;

	snprintf(line, sizeof(line), "hugepfn map --node %s 0 64K 2>&1", path);
	said = popen(line, "r");
	good = said && fgets(line, sizeof(line), said) && strstr(line, path) &&
	       strstr(line, ": the kernel is locked down (integrity)");
	if (!good)
		fprintf(stderr, "%s\n", line);
	return !said || pclose(said) != 1 << 8 || !good;
}

/* to people, too, whom a node's mode lets open it */
static void the_command_names_lockdown(void **state)
{
	pid_t child;
	int status;
	unsigned int i;

	(void)state;
	need_lockdown();
	if (system("hugepfn --version >/dev/null 2>&1"))
		skip_because("the command hugepfn is not installed");
	for (i = 0; i < DEVMEM; i++) {
		assert_int_equal(explained(nodes[i].path), 0);
		assert_int_equal(chmod(nodes[i].path, 0666), 0);
		child = fork();
		if (!child)
			_exit(setresuid(65534, 65534, 65534) ||
			      explained(nodes[i].path));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_int_equal(chmod(nodes[i].path, 0600), 0);
	}
}

const struct CMUnitTest lockdown_tests[] = {
	cmocka_unit_test(no_node_can_be_opened),
	cmocka_unit_test(files_already_open_cannot_be_mapped),
	cmocka_unit_test(what_was_mapped_stays),
	cmocka_unit_test(an_unsigned_module_is_not_loaded),
	cmocka_unit_test(the_command_names_lockdown),
};
const size_t lockdown_tests_n = sizeof(lockdown_tests) / sizeof(*lockdown_tests);
