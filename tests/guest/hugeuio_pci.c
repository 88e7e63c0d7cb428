// SPDX-License-Identifier: GPL-2.0-only
/* hugeuio_pci: BARs, interrupts, bus mastering, and memory out of reach */
#include "uio.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>

#define RW (PROT_READ | PROT_WRITE)
#define INTERRUPTS "/sys/module/hugeuio_pci/parameters/interrupts"

static char addr[16];

/* binds the device; the file of its node */
static int bind_to(unsigned int vendor, unsigned int device,
		   const char *interrupts, struct uio_node *node)
{
	char options[60];

	if (!pci_find(vendor, device, addr) &&
	    !pci_find_hot(vendor, device, addr))
		fail_msg("no device %04x:%04x", vendor, device);
	snprintf(options, sizeof(options), "interrupts=%s", interrupts);
	assert_int_equal(module_load("hugeuio_pci", options), 0);
	pci_bind(addr, "hugeuio_pci");
	uio_of_pci(addr, "hugeuio", node);
	return open_node(node->dev, O_RDWR);
}

static void let_go(int fd)
{
	close(fd);
	pci_unbind(addr);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

static int bind_bar(struct uio_node *node)
{
	int fd;

	assert_int_equal(module_load("hugeuio_pci", ""), 0);
	snprintf(addr, sizeof(addr), "%.15s", getenv("HUGEPFN_BAR_DEV"));
	pci_bind(addr, "hugeuio_pci");
	uio_of_pci(addr, "hugeuio", node);
	fd = open_node(node->dev, O_RDWR);
	return fd;
}

static void it_binds_nothing_by_itself(void **state)
{
	struct dirent *entry;
	DIR *dir;

	(void)state;
	assert_int_equal(module_load("hugeuio_pci", ""), 0);
	dir = opendir("/sys/bus/pci/drivers/hugeuio_pci");
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		assert_null(strchr(entry->d_name, ':'));
	closedir(dir);
	assert_int_equal(access("/dev/hugeuio0", F_OK), -1);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

static void new_id_binds(void **state)
{
	(void)state;
	assert_true(pci_find(EDU, addr));
	assert_int_equal(module_load("hugeuio_pci", ""), 0);
	write_file("/sys/bus/pci/drivers/hugeuio_pci/new_id", "1234 11e8");
	assert_true(pci_is_bound(addr));
	pci_unbind(addr);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

static void every_bar_has_its_map_or_port(void **state)
{
	static const unsigned int bars[] = { 0, 1, 3 };
	uint64_t start, size;
	struct uio_node node;
	char file[40], name[8];
	unsigned int i;
	char *text;
	int fd = bind_to(E1000E, "auto", &node);

	(void)state;
	for (i = 0; i < 3; i++) {
		start = pci_bar(addr, bars[i], &size);
		snprintf(name, sizeof(name), "BAR%u", bars[i]);
		assert_int_equal(uio_map_index(&node, name), i);
		snprintf(file, sizeof(file), "maps/map%u/addr", i);
		assert_int_equal(uio_number(&node, file), start);
		snprintf(file, sizeof(file), "maps/map%u/size", i);
		assert_int_equal(uio_number(&node, file), size);
		assert_int_equal(uio_try_map(fd, i * page_size, size), 0);
	}
	start = pci_bar(addr, 2, &size);
	text = uio_attr(&node, "portio/port0/name");
	assert_string_equal(text, "BAR2");
	free(text);
	text = uio_attr(&node, "portio/port0/porttype");
	assert_string_equal(text, "port_x86");
	free(text);
	assert_int_equal(uio_number(&node, "portio/port0/start"), start);
	assert_int_equal(uio_number(&node, "portio/port0/size"), size);
	let_go(fd);
}

/* A2: the page is mapped and the offset says where the BAR begins in it */
static void a_bar_smaller_than_a_page_has_an_offset(void **state)
{
	enum { CAPABILITIES = 0x40 / 4 };
	uint64_t start, size, offset;
	volatile uint32_t *p;
	struct uio_node node;
	char path[100];
	uint32_t want;
	int fd;

	(void)state;
	assert_true(pci_find(SDHCI, addr));
	pci_set_bits(addr, PCI_COMMAND, 0, PCI_COMMAND_MEMORY);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource0", addr);
	start = pci_bar(addr, 0, &size);
	offset = start & (page_size - 1);
	fd = open_node(path, O_RDWR | O_SYNC);
	p = map_at(fd, NULL, 0, page_size, RW, MAP_SHARED);
	want = p[offset / 4 + CAPABILITIES];
	munmap((void *)p, page_size);
	close(fd);
	assert_int_not_equal(want, 0);

	fd = bind_to(SDHCI, "auto", &node);
	assert_int_equal(size, 256);
	assert_int_equal(uio_number(&node, "maps/map0/addr"), start - offset);
	assert_int_equal(uio_number(&node, "maps/map0/offset"), offset);
	assert_int_equal(uio_number(&node, "maps/map0/size"), page_size);
	p = uio_map(fd, 0, page_size);
	assert_int_equal(p[offset / 4 + CAPABILITIES], want);
	munmap((void *)p, page_size);
	assert_int_equal(uio_try_map(fd, 0, 2 * page_size), EINVAL);
	let_go(fd);
}

static void a_large_bar_takes_one_fault_per_largest_entry(void **state)
{
	const uint64_t entry = has_pud ? pud_size : pmd_size;
	struct uio_node node;
	int fd = bind_bar(&node);
	int index = uio_map_index(&node, "BAR2");
	char *p = uio_map(fd, index, bar_size);

	(void)state;
	assert_int_equal((uintptr_t)p % entry, bar % entry);
	assert_int_equal(touch(p, bar_size, pmd_size), bar_size / entry);
	assert_int_equal(touch(p, bar_size, pmd_size), 0);
	munmap(p, bar_size);

	/* less than a PUD entry, and what each map would show is the same */
	p = uio_map(fd, index, 4 * pmd_size);
	p[3 * pmd_size] = 7;
	assert_true(touch(p, 4 * pmd_size, page_size) <= 3);
	munmap(p, 4 * pmd_size);
	p = uio_map(fd, index, bar_size);
	assert_int_equal(p[3 * pmd_size], 7);
	munmap(p, bar_size);
	let_go(fd);
}

static void a_bound_devices_bar_is_nobody_elses(void **state)
{
	struct uio_node node;
	char *p, *q;
	int fd, mem;

	(void)state;
	stamp(0, MIB(4), page_size);
	p = map_bar(0, MIB(4));
	mem = open_node("/dev/mem", O_RDWR);
	q = map_at(mem, NULL, bar, MIB(4), RW, MAP_SHARED);
	touch(p, MIB(4), page_size);
	touch(q, MIB(4), page_size);

	fd = bind_bar(&node);
	assert_int_equal(load_signal(p), SIGBUS);
	assert_int_equal(load_signal(q), SIGBUS);
	assert_int_equal(try_map("/dev/hugemem", O_RDWR, bar, page_size, RW,
				 MAP_SHARED), EPERM);
	let_go(fd);
	assert_stamps(p, 0, MIB(4), page_size);
	munmap(p, MIB(4));
	munmap(q, MIB(4));
	close(mem);
}

static int set_cache(int fd, uint32_t cache)
{
	struct hugepfn_map_attr attr = { .size = sizeof(attr), .cache = cache };

	return ioctl(fd, HUGEPFN_IOC_SET_MAP_ATTR, &attr);
}

static void files_that_want_different_cache_modes_conflict(void **state)
{
	struct uio_node node;
	int fd = bind_bar(&node), other = open_node(node.dev, O_RDWR);
	int index = uio_map_index(&node, "BAR2");
	char *p;

	(void)state;
	if (!memtypes_are_tracked()) {
		close(other);
		let_go(fd);
		skip_because("memory types are not tracked");
	}
	/* uncached-minus, what the other wants, gives way to all but this */
	assert_int_equal(set_cache(fd, HUGEPFN_CACHE_WB), 0);
	p = uio_map(fd, index, MIB(4));
	assert_int_equal(uio_try_map(other, index * page_size, MIB(2)), EAGAIN);
	munmap(p, MIB(4));
	assert_int_equal(uio_try_map(other, index * page_size, MIB(2)), 0);
	close(other);
	let_go(fd);
}

/* two nodes that show one BAR, 8 MiB of it in 4 faults */
static void nodes_that_want_different_cache_modes_conflict(void **state)
{
	struct uio_node node[2];
	char options[100];
	int fd[2], i, index;
	char *p;

	(void)state;
	snprintf(options, sizeof(options), "devices=2 phys=%#llx phys_len=%#llx",
		 (unsigned long long)bar + pmd_size,
		 (unsigned long long)4 * pmd_size);
	assert_int_equal(module_load("hugeuio_example", options), 0);
	for (i = 0; i < 2; i++) {
		char path[100];

		snprintf(path, sizeof(path),
			 "/sys/devices/platform/hugeuio_example.%d", i);
		assert_true(uio_find(path, "hugeuio", &node[i]));
		fd[i] = open_node(node[i].dev, O_RDWR);
	}
	index = uio_map_index(&node[0], "phys");
	p = uio_map(fd[0], index, 4 * pmd_size);
	assert_int_equal(touch(p, 4 * pmd_size, page_size), 4);
	assert_int_equal(uio_try_map(fd[1], index * page_size, 4 * pmd_size),
			 0);
	munmap(p, 4 * pmd_size);
	if (memtypes_are_tracked()) {
		assert_int_equal(set_cache(fd[0], HUGEPFN_CACHE_WB), 0);
		p = uio_map(fd[0], index, 4 * pmd_size);
		assert_int_equal(uio_try_map(fd[1], index * page_size,
					     pmd_size), EAGAIN);
		munmap(p, 4 * pmd_size);
	}
	close(fd[0]), close(fd[1]);
	assert_int_equal(module_unload("hugeuio_example"), 0);
}

/* not even a driver gets memory of the system out as device memory */
static void a_driver_that_offers_ram_as_a_device_is_refused(void **state)
{
	struct uio_node node;
	char options[64];
	int fd;

	(void)state;
	snprintf(options, sizeof(options), "phys=%#llx phys_len=%#llx",
		 (unsigned long long)iomem_ram(), (unsigned long long)page_size);
	assert_int_equal(module_load("hugeuio_example", options), 0);
	assert_true(uio_find("/sys/devices/platform/hugeuio_example.0",
			     "hugeuio", &node));
	fd = open_node(node.dev, O_RDWR);
	assert_int_equal(uio_try_map(fd, uio_map_index(&node, "phys") *
				     page_size, page_size), EPERM);
	close(fd);
	assert_int_equal(module_unload("hugeuio_example"), 0);
}

/* the head of a map unmapped: the rest shows what it showed */
static void a_split_map_shows_the_same_pages(void **state)
{
	struct uio_node node;
	uint64_t *p;
	int fd;

	(void)state;
	assert_int_equal(module_load("hugeuio_example", ""), 0);
	assert_true(uio_find("/sys/devices/platform/hugeuio_example.0",
			     "hugeuio", &node));
	fd = open_node(node.dev, O_RDWR);
	p = uio_map(fd, uio_map_index(&node, "virtual"), 4 * page_size);
	munmap(p, 2 * page_size);
	assert_int_equal(p[2 * page_size / 8], 2);
	assert_int_equal(p[3 * page_size / 8], 3);
	assert_int_equal(p[3 * page_size / 8 + 1], 'v');
	munmap(p + 2 * page_size / 8, 2 * page_size);
	close(fd);
	assert_int_equal(module_unload("hugeuio_example"), 0);
}

static volatile uint32_t *edu_reg;

static int bind_edu(const char *interrupts, struct uio_node *node)
{
	int fd = bind_to(EDU, interrupts, node);

	edu_reg = uio_map(fd, 0, MIB(1));
	return fd;
}

static void answer_edu(void)
{
	edu_reg[EDU_ACK] = edu_reg[EDU_STATUS];
}

static void intx_is_masked_until_write_1(void **state)
{
	struct uio_node node;
	int fd = bind_edu("intx", &node), err;
	int32_t before = uio_number(&node, "event");

	(void)state;
	edu_reg[EDU_RAISE] = 1;
	assert_int_equal(read_count(fd, &err), before + 1);
	assert_true(pci_config(addr, PCI_COMMAND) & PCI_COMMAND_INTX_DISABLE);
	answer_edu();
	edu_reg[EDU_RAISE] = 1;
	assert_int_equal(poll_events(fd, 200), 0);
	assert_int_equal(write_control(fd, 1), 0);
	assert_int_equal(read_count(fd, &err), before + 2);
	answer_edu();
	assert_int_equal(write_control(fd, 1), 0);
	assert_int_equal(write_control(fd, 0), 0);
	edu_reg[EDU_RAISE] = 1;
	assert_int_equal(poll_events(fd, 200), 0);
	answer_edu();
	assert_int_equal(write_control(fd, 2), EINVAL);
	munmap((void *)edu_reg, MIB(1));
	let_go(fd);
}

/* the kind of message interrupt that the device uses, as sysfs says; or "" */
static void assert_message_kind(const char *want)
{
	struct dirent *entry;
	char path[300], kind[8] = "", *text;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/msi_irqs", addr);
	dir = opendir(path);
	while (dir && !kind[0] && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path),
			 "/sys/bus/pci/devices/%s/msi_irqs/%.40s", addr,
			 entry->d_name);
		text = read_file(path);
		sscanf(text, "%7s", kind);
		free(text);
	}
	if (dir)
		closedir(dir);
	assert_string_equal(kind, want);
}

static void raise_edu(void)
{
	edu_reg[EDU_RAISE] = 1;
}

/* e1000e's registers, as 32-bit words */
enum {
	E1000E_VET = 0x38 / 4,	/* plain memory, with a value after reset */
	E1000E_ICR = 0xc0 / 4,	/* causes; writing 1 clears */
	E1000E_ICS = 0xc8 / 4,	/* writing 1 raises */
	E1000E_IMS = 0xd0 / 4,	/* writing 1 lets them through */
	E1000E_IVAR = 0xe4 / 4,	/* which vector a cause goes to */
};
#define E1000E_CAUSE_RXQ0 (1u << 20)
#define E1000E_IVAR_RXQ0_VECTOR_0 8u

static volatile uint32_t *e1000e_reg;

static int bind_e1000e(const char *interrupts, struct uio_node *node)
{
	int fd = bind_to(E1000E, interrupts, node);

	e1000e_reg = uio_map(fd, uio_map_index(node, "BAR0"), page_size);
	return fd;
}

static void let_e1000e_go(int fd)
{
	munmap((void *)e1000e_reg, page_size);
	let_go(fd);
}

static void raise_e1000e(void)
{
	e1000e_reg[E1000E_IVAR] = E1000E_IVAR_RXQ0_VECTOR_0;
	e1000e_reg[E1000E_IMS] = E1000E_CAUSE_RXQ0;
	e1000e_reg[E1000E_ICS] = E1000E_CAUSE_RXQ0;
}

/*
 * QEMU 7.2 puts off what comes within 128 us of the last message, and sends
 * two for each from then on.
 */
static void answer_e1000e(void)
{
	e1000e_reg[E1000E_ICR] = E1000E_CAUSE_RXQ0;
	usleep(1000);
}

/* @raise and @answer: what makes the device send a message, and ready again */
static void check_messages(int fd, int32_t before, void (*raise)(void),
			   void (*answer)(void))
{
	int err;

	raise();
	assert_int_equal(poll_events(fd, 2000), POLLIN);
	assert_int_equal(read_count(fd, &err), before + 1);
	answer();
	/* an edge: nothing to re-enable */
	raise();
	assert_int_equal(poll_events(fd, 2000), POLLIN);
	assert_int_equal(read_count(fd, &err), before + 2);
	answer();
	assert_int_equal(write_control(fd, 0), 0);
	assert_int_equal(write_control(fd, 0), 0);
	raise();
	assert_int_equal(poll_events(fd, 200), 0);
	assert_int_equal(write_control(fd, 1), 0);
	assert_int_equal(poll_events(fd, 2000), POLLIN);
	assert_int_equal(read_count(fd, &err), before + 3);
	answer();
	raise();
	assert_int_equal(poll_events(fd, 2000), POLLIN);
	answer();
}

static void an_msi_is_kept_while_it_is_masked(void **state)
{
	struct uio_node node;
	int fd = bind_edu("msi", &node);

	(void)state;
	assert_message_kind("msi");
	check_messages(fd, uio_number(&node, "event"), raise_edu, answer_edu);
	munmap((void *)edu_reg, MIB(1));
	let_go(fd);
}

static void an_msix_message_is_kept_while_it_is_masked(void **state)
{
	struct uio_node node;
	int fd = bind_e1000e("msix", &node);

	(void)state;
	assert_message_kind("msix");
	check_messages(fd, uio_number(&node, "event"), raise_e1000e,
		       answer_e1000e);
	let_e1000e_go(fd);
}

static void msix_comes_before_msi_and_msi_before_intx(void **state)
{
	static const struct {
		unsigned int vendor, device;
		const char *interrupts, *kind;
	} rows[] = {
		{ E1000E, "auto", "msix" },
		{ E1000E, "msix", "msix" },
		{ E1000E, "msi", "msi" },
		{ E1000E, "intx", "" },
		{ EDU, "auto", "msi" },
	};
	struct uio_node node;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int fd = bind_to(rows[i].vendor, rows[i].device,
				 rows[i].interrupts, &node);

		assert_message_kind(rows[i].kind);
		assert_int_equal(poll_events(fd, 0), 0);
		let_go(fd);
	}
}

static void an_interrupt_that_the_device_lacks_is_refused(void **state)
{
	(void)state;
	assert_true(pci_find(EDU, addr));
	assert_int_equal(module_load("hugeuio_pci", "interrupts=msix"), 0);
	log_mark();
	assert_int_not_equal(pci_try_bind(addr, "hugeuio_pci"), 0);
	assert_true(log_has("the device has no msix interrupt"));
	write_file(INTERRUPTS, "none");
	assert_int_equal(pci_try_bind(addr, "hugeuio_pci"), 0);
	pci_unbind(addr);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

static void an_unknown_kind_of_interrupt_is_refused(void **state)
{
	char *text;
	int fd;

	(void)state;
	log_mark();
	assert_int_equal(module_load("hugeuio_pci", "interrupts=many"),
			 -EINVAL);
	assert_true(log_has("interrupts='many': use auto, msix, msi, intx or none"));
	assert_int_equal(module_load("hugeuio_pci", "interrupts=msi"), 0);
	fd = open_node(INTERRUPTS, O_WRONLY);
	assert_int_equal(write(fd, "MSI-X", 5), -1);
	assert_int_equal(errno, EINVAL);
	close(fd);
	text = read_file(INTERRUPTS);
	assert_string_equal(text, "msi\n");
	free(text);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

static void a_device_without_interrupts_has_no_events(void **state)
{
	struct uio_node node;
	int fd = bind_to(EDU, "none", &node), err;

	(void)state;
	read_count(fd, &err);
	assert_int_equal(err, EIO);
	assert_int_equal(write_control(fd, 1), EIO);
	assert_int_equal(poll_events(fd, 0), POLLERR);
	let_go(fd);
}

static bool is_master(void)
{
	return pci_config(addr, PCI_COMMAND) & PCI_COMMAND_MASTER;
}

static void bus_mastering_is_on_while_a_file_is_open(void **state)
{
	struct uio_node node;
	int fd = bind_to(EDU, "msi", &node), other;

	(void)state;
	assert_true(is_master());
	close(fd);
	assert_false(is_master());
	fd = open_node(node.dev, O_RDWR);
	other = open_node(node.dev, O_RDWR);
	close(fd);
	assert_true(is_master());
	close(other);
	assert_false(is_master());
	fd = open_node(node.dev, O_RDWR);
	pci_unbind(addr);
	assert_false(is_master());
	close(fd);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

/* a register that the last user changed is as after power-on */
static void the_last_close_resets_the_device(void **state)
{
	struct uio_node node;
	int fd = bind_e1000e("auto", &node), other;
	const uint32_t fresh = e1000e_reg[E1000E_VET];
	char path[100];

	(void)state;
	/* QEMU's device keeps its registers over the other method, pm */
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset_method",
		 addr);
	write_file(path, "bus");
	e1000e_reg[E1000E_VET] = 0x1234;
	assert_int_not_equal(fresh, 0x1234);
	assert_int_equal(e1000e_reg[E1000E_VET], 0x1234);
	other = open_node(node.dev, O_RDWR);
	close(other);
	assert_int_equal(e1000e_reg[E1000E_VET], 0x1234);
	munmap((void *)e1000e_reg, page_size);
	close(fd);
	fd = open_node(node.dev, O_RDWR);
	e1000e_reg = uio_map(fd, 0, page_size);
	assert_int_equal(e1000e_reg[E1000E_VET], fresh);
	let_e1000e_go(fd);
}

/* how many errors that are not fatal the kernel has seen of the device */
static unsigned int errors_counted(void)
{
	static const char total[] = "TOTAL_ERR_NONFATAL";
	char path[100], *text, *at;
	unsigned int n;

	snprintf(path, sizeof(path),
		 "/sys/bus/pci/devices/%s/aer_dev_nonfatal", addr);
	text = read_file(path);
	at = strstr(text, total);
	assert_non_null(at);
	n = strtoul(at + strlen(total), NULL, 10);
	free(text);
	return n;
}

/*
 * virtio's registers, in bytes. The status is 0 after a reset; what is written
 * to it stays. Of QEMU's devices this one signals errors that are injected.
 */
enum {
	VIRTIO_STATUS = 0x14,
	VIRTIO_ACKNOWLEDGE = 1,
};

static volatile uint8_t *virtio_reg;

/*
 * QEMU passes errors up where PCI_COMMAND says SERR#. A PC's firmware sets that;
 * without one Linux sets the bits of the PCIe capability alone.
 */
static void let_errors_be_signalled(void)
{
	char bridge[16];

	pci_bridge(addr, bridge);
	pci_set_bits(addr, PCI_COMMAND, 0, PCI_COMMAND_SERR);
	pci_set_bits(bridge, PCI_COMMAND, 0, PCI_COMMAND_SERR);
}

/* the first of a physical function, whose driver may take a while to come up */
static void make_virtual_function(const char *pf, char vf[16])
{
	char path[100], target[100];
	int fd, i = 0;
	ssize_t n;

	snprintf(path, sizeof(path),
		 "/sys/bus/pci/devices/%s/sriov_drivers_autoprobe", pf);
	write_file(path, "0");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/sriov_numvfs", pf);
	fd = open_node(path, O_WRONLY);
	while (write(fd, "1", 1) != 1 && i++ < 1000)
		usleep(10000);
	close(fd);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/virtfn0", pf);
	n = readlink(path, target, sizeof(target) - 1);
	assert_in_range(n, 1, sizeof(target) - 1);
	target[n] = '\0';
	snprintf(vf, 16, "%.15s", strrchr(target, '/') + 1);
}

/* it has no bit that switches its memory on: that is its physical function's */
static void a_virtual_function_can_be_accessed(void **state)
{
	struct uio_node node;
	char pf[16], path[100], *p;
	int fd;

	(void)state;
	if (!pci_find_hot(NVME, pf))
		skip_because("no device with virtual functions");
	if (module_load("nvme", ""))
		skip_because("this kernel has no nvme, which would make one");
	make_virtual_function(pf, addr);
	assert_int_equal(module_load("hugeuio_pci", ""), 0);
	pci_bind(addr, "hugeuio_pci");
	uio_of_pci(addr, "hugeuio", &node);
	fd = open_node(node.dev, O_RDWR);
	p = uio_map(fd, uio_map_index(&node, "BAR0"), page_size);
	/* QEMU's has one */
	pci_set_bits(addr, PCI_COMMAND, PCI_COMMAND_MEMORY, 0);
	assert_int_equal(load_signal(p), 0);
	munmap(p, page_size);
	let_go(fd);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/sriov_numvfs", pf);
	write_file(path, "0");
	pci_unbind(pf);
}

static int bind_virtio(struct uio_node *node)
{
	int fd = bind_to(VIRTIO_RNG, "msix", node);

	let_errors_be_signalled();
	/* the last close resets the device, as it may have been before */
	close(fd);
	fd = open_node(node->dev, O_RDWR);
	virtio_reg = uio_map(fd, uio_map_index(node, "BAR4"), page_size);
	virtio_reg[VIRTIO_STATUS] = VIRTIO_ACKNOWLEDGE;
	assert_int_equal(virtio_reg[VIRTIO_STATUS], VIRTIO_ACKNOWLEDGE);
	return fd;
}

static void let_virtio_go(int fd)
{
	munmap((void *)virtio_reg, page_size);
	let_go(fd);
}

static bool msix_is_on(void)
{
	return pci_config(addr, pci_capability(addr, PCI_CAP_MSIX) + 2) &
	       PCI_MSIX_ENABLE;
}

/* until an access to the device ends as wanted, with 0 or a signal */
static void wait_for_signal(int sig)
{
	int i;

	for (i = 0; i < 10000 && load_signal(virtio_reg) != sig; i++)
		usleep(1000);
	assert_int_equal(load_signal(virtio_reg), sig);
}

static void a_fatal_error_is_sigbus_until_the_device_is_reset(void **state)
{
	struct uio_node node;
	int fd;

	(void)state;
	need_monitor();
	fd = bind_virtio(&node);
	monitor("pcie_aer_inject_error aer MALF_TLP\n");
	wait_for_signal(SIGBUS);
	wait_for_signal(0);
	assert_int_equal(virtio_reg[VIRTIO_STATUS], 0);
	assert_true(is_master());
	assert_true(msix_is_on());
	virtio_reg[VIRTIO_STATUS] = VIRTIO_ACKNOWLEDGE;
	assert_int_equal(virtio_reg[VIRTIO_STATUS], VIRTIO_ACKNOWLEDGE);
	let_virtio_go(fd);
}

static void an_error_that_is_not_fatal_leaves_the_device_as_it_was(void **state)
{
	struct uio_node node;
	unsigned int before;
	int fd, i;

	(void)state;
	need_monitor();
	fd = bind_virtio(&node);
	before = errors_counted();
	monitor("pcie_aer_inject_error aer COMP_ABORT\n");
	for (i = 0; i < 500 && errors_counted() == before; i++)
		usleep(10000);
	assert_int_equal(errors_counted(), before + 1);
	/* recovery goes on after the count, and ends with the map back */
	for (i = 0; i < 500 && load_signal(virtio_reg); i++)
		usleep(10000);
	assert_int_equal(virtio_reg[VIRTIO_STATUS], VIRTIO_ACKNOWLEDGE);
	let_virtio_go(fd);
}

/* the register of causes is cleared by whoever reads it */
static void populating_does_not_read_the_device(void **state)
{
	struct uio_node node;
	int fd = bind_e1000e("none", &node);
	const volatile uint32_t *other = uio_map(fd, 0, page_size);

	(void)state;
	e1000e_reg[E1000E_ICR];
	e1000e_reg[E1000E_ICS] = 1;
	assert_int_equal(populate_errno(fd, (const void *)other, page_size), 0);
	assert_int_equal(e1000e_reg[E1000E_ICR] & 1, 1);
	assert_int_equal(e1000e_reg[E1000E_ICR] & 1, 0);
	assert_int_equal(touch((char *)other + page_size / 2, 1, 1), 0);
	munmap((void *)other, page_size);
	let_e1000e_go(fd);
}

/* the reset at unbinding leaves nothing of config space: see remove() */
static void a_device_unbound_while_open_can_be_bound_again(void **state)
{
	struct uio_node node;
	int fd = bind_e1000e("auto", &node), again;
	const uint32_t fresh = e1000e_reg[E1000E_VET];
	char path[100], *text;

	(void)state;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset_method",
		 addr);
	write_file(path, "bus");
	e1000e_reg[E1000E_VET] = 0x1234;
	write_file(TRACING "events/hugepfn/revoke/enable", "1");
	pci_unbind(addr);
	write_file(TRACING "events/hugepfn/revoke/enable", "0");
	text = read_file(TRACING "trace");
	assert_non_null(strstr(text, "revoke: phys=0x0-0xffffffffffffffff"));
	free(text);
	assert_int_equal(load_signal(e1000e_reg), SIGBUS);
	munmap((void *)e1000e_reg, page_size);
	close(fd);
	assert_int_equal(module_unload("hugeuio_pci"), 0);

	again = bind_e1000e("auto", &node);
	assert_int_equal(e1000e_reg[E1000E_VET], fresh);
	let_e1000e_go(again);
}

static void a_fault_while_memory_decoding_is_off_is_sigbus(void **state)
{
	struct uio_node node;
	int fd = bind_bar(&node);
	char *p = uio_map(fd, uio_map_index(&node, "BAR2"), 4 * pmd_size);

	(void)state;
	assert_int_equal(load_signal(p), 0);
	pci_set_bits(addr, PCI_COMMAND, PCI_COMMAND_MEMORY, 0);
	assert_int_equal(load_signal(p + 2 * pmd_size), SIGBUS);
	pci_set_bits(addr, PCI_COMMAND, 0, PCI_COMMAND_MEMORY);
	assert_int_equal(load_signal(p + 2 * pmd_size), 0);
	munmap(p, 4 * pmd_size);
	let_go(fd);
}

/* someone else resets the device: the entries go, and come back after */
static void a_reset_takes_the_entries_away(void **state)
{
	struct uio_node node;
	int fd = bind_to(E1000E, "none", &node);
	char *p = uio_map(fd, 0, page_size), path[100];

	(void)state;
	touch(p, page_size, page_size);
	assert_int_equal(touch(p, page_size, page_size), 0);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset_method",
		 addr);
	write_file(path, "pm");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", addr);
	write_file(path, "1");
	assert_int_equal(touch(p, page_size, page_size), 1);
	munmap(p, page_size);
	let_go(fd);
}

static void a_device_comes_back_from_suspending(void **state)
{
	struct uio_node node;
	int fd;

	(void)state;
	if (access("/sys/power/pm_test", W_OK))
		skip_because("this kernel cannot test suspending (no /sys/power/pm_test)");
	fd = bind_e1000e("msix", &node);
	assert_int_equal(touch((char *)e1000e_reg, page_size, page_size), 1);
	assert_int_equal(touch((char *)e1000e_reg, page_size, page_size), 0);
	assert_int_equal(suspend(), 0);
	assert_int_equal(touch((char *)e1000e_reg, page_size, page_size), 1);
	check_messages(fd, uio_number(&node, "event"), raise_e1000e,
		       answer_e1000e);
	let_e1000e_go(fd);
}

static void a_device_that_somebody_has_is_busy(void **state)
{
	(void)state;
	snprintf(addr, sizeof(addr), "%.15s", getenv("HUGEPFN_BAR_DEV"));
	assert_int_equal(module_load("hugeuio_pci", ""), 0);
	assert_int_equal(claim(0, page_size), 0);
	assert_int_equal(pci_try_bind(addr, "hugeuio_pci"), EBUSY);
	release();
	assert_int_equal(pci_try_bind(addr, "hugeuio_pci"), 0);
	pci_unbind(addr);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

const struct CMUnitTest pci_tests[] = {
	cmocka_unit_test(it_binds_nothing_by_itself),
	cmocka_unit_test(new_id_binds),
	cmocka_unit_test(every_bar_has_its_map_or_port),
	cmocka_unit_test(a_bar_smaller_than_a_page_has_an_offset),
	cmocka_unit_test(a_large_bar_takes_one_fault_per_largest_entry),
	cmocka_unit_test(a_bound_devices_bar_is_nobody_elses),
	cmocka_unit_test(files_that_want_different_cache_modes_conflict),
	cmocka_unit_test(nodes_that_want_different_cache_modes_conflict),
	cmocka_unit_test(a_driver_that_offers_ram_as_a_device_is_refused),
	cmocka_unit_test(a_split_map_shows_the_same_pages),
	cmocka_unit_test(intx_is_masked_until_write_1),
	cmocka_unit_test(an_msi_is_kept_while_it_is_masked),
	cmocka_unit_test(an_msix_message_is_kept_while_it_is_masked),
	cmocka_unit_test(msix_comes_before_msi_and_msi_before_intx),
	cmocka_unit_test(an_interrupt_that_the_device_lacks_is_refused),
	cmocka_unit_test(an_unknown_kind_of_interrupt_is_refused),
	cmocka_unit_test(a_device_without_interrupts_has_no_events),
	cmocka_unit_test(bus_mastering_is_on_while_a_file_is_open),
	cmocka_unit_test(the_last_close_resets_the_device),
	cmocka_unit_test(populating_does_not_read_the_device),
	cmocka_unit_test(a_device_unbound_while_open_can_be_bound_again),
	cmocka_unit_test(a_fault_while_memory_decoding_is_off_is_sigbus),
	cmocka_unit_test(a_virtual_function_can_be_accessed),
	cmocka_unit_test(a_fatal_error_is_sigbus_until_the_device_is_reset),
	cmocka_unit_test(an_error_that_is_not_fatal_leaves_the_device_as_it_was),
	cmocka_unit_test(a_reset_takes_the_entries_away),
	cmocka_unit_test(a_device_comes_back_from_suspending),
	cmocka_unit_test(a_device_that_somebody_has_is_busy),
};
const size_t pci_tests_n = sizeof(pci_tests) / sizeof(*pci_tests);
