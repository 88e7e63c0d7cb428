// SPDX-License-Identifier: GPL-2.0-only
/*
 * VFIO's type1 maps a part of a process for a device's DMA. Of a mapping of
 * frames it takes the frames' numbers, from the page tables, and keeps nothing
 * else: it pins nothing, and nobody tells it when the mapping goes. What that
 * costs, and what it means, for mappings of /dev/mem, /dev/hugemem and
 * vfio-pci's own. The device that does DMA is QEMU's edu.
 */
#include "cost.h"
#include "peers.h"

#include <signal.h>

#define RW (PROT_READ | PROT_WRITE)

/* edu's registers for DMA, and where its own buffer is on its side */
enum {
	EDU_DMA_FROM = 0x80,
	EDU_DMA_TO = 0x88,
	EDU_DMA_COUNT = 0x90,
	EDU_DMA_COMMAND = 0x98,
};
#define EDU_BUFFER 0x40000
#define EDU_RUN 1
#define EDU_TO_MEMORY 2

/* where the device sees what; any would do that suits the largest entry */
#define IOVA_WORD GIB(1)
#define IOVA_BAR GIB(64)

static const uint64_t sizes[] = {
	MIB(2), MIB(32), MIB(256), GIB(1), GIB(4), GIB(8)
};

/* each size that the BAR has room for */
#define for_each_size(_len)						\
	for (const uint64_t *at_ = sizes;				\
	     at_ < sizes + sizeof(sizes) / sizeof(*sizes) &&		\
	     (_len = *at_) <= bar_size; at_++)

static int container;
static struct vfio_device edu;
static volatile char *edu_registers;
static uint64_t *word;		/* a page of ours, for the device */

int dma_setup(void **state)
{
	char addr[16];

	(void)state;
	if (!vfio_works() || !pci_find(EDU, addr)) {
		print_message("# the dma suite needs an IOMMU, vfio-pci and QEMU's edu\n");
		return -1;
	}
	container = vfio_container();
	vfio_open(container, addr, &edu);
	vfio_let_master(&edu);
	edu_registers = map_at(edu.fd, NULL, vfio_region(&edu, 0), page_size,
			       RW, MAP_SHARED);
	word = map_at(-1, NULL, 0, page_size, RW, MAP_PRIVATE | MAP_ANONYMOUS);
	assert_int_equal(vfio_map_dma(container, word, IOVA_WORD, page_size),
			 0);
	return 0;
}

int dma_teardown(void **state)
{
	(void)state;
	munmap((void *)edu_registers, page_size);
	vfio_close(&edu);
	close(container);
	munmap(word, page_size);
	return 0;
}

static void edu_set(unsigned int at, uint64_t value)
{
	*(volatile uint64_t *)(edu_registers + at) = value;
}

static void edu_copy(uint64_t from, uint64_t to, unsigned int direction)
{
	edu_set(EDU_DMA_FROM, from);
	edu_set(EDU_DMA_TO, to);
	edu_set(EDU_DMA_COUNT, sizeof(*word));
	edu_set(EDU_DMA_COMMAND, EDU_RUN | direction);
	while (*(volatile uint64_t *)(edu_registers + EDU_DMA_COMMAND) &
	       EDU_RUN)
		usleep(1000);
}

/* let the device write @value to @iova; false if it does not arrive at @offset */
static bool dma_arrives(uint64_t value, uint64_t iova, uint64_t offset)
{
	int fd = open_node("/dev/mem", O_RDWR);
	volatile uint64_t *p = map_at(fd, NULL, bar + offset, page_size, RW,
				      MAP_SHARED);
	bool arrived;

	*word = value;
	*p = ~value;
	edu_copy(IOVA_WORD, EDU_BUFFER, 0);
	edu_copy(EDU_BUFFER, iova, EDU_TO_MEMORY);
	arrived = *p == value;
	if (!arrived)
		assert_int_equal(*p, ~value);
	munmap((void *)p, page_size);
	close(fd);
	return arrived;
}

/* congruent to the largest entry, as a monitor of virtual machines would */
static char *map_node(int fd, uint64_t offset, uint64_t len)
{
	return map_at(fd, reserve(len, pud_size, bar & (pud_size - 1)), offset,
		      len, RW, MAP_SHARED | MAP_FIXED);
}

static uint64_t map_cost(const void *p, uint64_t len)
{
	int err;
	uint64_t cost = cost_of(err = vfio_map_dma(container, p, IOVA_BAR,
						   len));

	assert_int_equal(err, 0);
	return cost;
}

static uint64_t unmap_cost(uint64_t len)
{
	uint64_t done;
	uint64_t cost = cost_of(done = vfio_unmap_dma(container, IOVA_BAR,
						      len));

	assert_int_equal(done, len);
	return cost;
}

static uint64_t map_and_unmap(const void *p, uint64_t len)
{
	uint64_t cost = map_cost(p, len);

	unmap_cost(len);
	return cost;
}

/* MAP_DMA of what nobody has touched yet; its faults are in it */
static uint64_t figures_of(const char *name, int fd, uint64_t offset,
			   uint64_t len, bool check)
{
	char *p = map_node(fd, offset, len);
	uint64_t cost = map_cost(p, len);

	figure("dma-map", name, len, cost, "instructions");
	if (check) {
		assert_true(dma_arrives(len, IOVA_BAR, 0));
		assert_true(dma_arrives(len + 1, IOVA_BAR + len - page_size,
					len - page_size));
	}
	figure("dma-unmap", name, len, unmap_cost(len), "instructions");
	munmap(p, len);
	return cost;
}

/*
 * Kernels whose VFIO takes a huge entry at one look-up, found by how much more
 * a page table's worth of pages below one entry takes than one page.
 */
static bool vfio_goes_by_entry(void)
{
	int fd = open_hugemem(O_RDWR);
	char *p = map_node(fd, bar, pmd_size);
	uint64_t one, all;

	touch(p, pmd_size, page_size);
	one = best_of_5(map_and_unmap(p, page_size));
	all = best_of_5(map_and_unmap(p, pmd_size));
	munmap(p, pmd_size);
	close(fd);
	print_message("# MAP_DMA of one page of a PMD entry %llu, of all of it %llu instructions\n",
		      (unsigned long long)one, (unsigned long long)all);
	return all < 4 * one;
}

static void dma_map_goes_by_entry_where_vfio_does(void **state)
{
	int devmem = open_node("/dev/mem", O_RDWR);
	int hugemem = open_hugemem(O_RDWR);
	uint64_t len, us = 0, them = 0;
	bool by_entry;

	(void)state;
	need_icount();
	by_entry = vfio_goes_by_entry();
	for_each_size(len) {
		them = figures_of("/dev/mem", devmem, bar, len, true);
		us = figures_of("/dev/hugemem", hugemem, bar, len, true);
		if (len == GIB(4) && by_entry)
			assert_true(us * 1000 <= them);
	}
	close(devmem);
	close(hugemem);
	if (!by_entry)
		skip_because("this kernel's VFIO looks up each page, whatever the entry");
	assert_true(us * 100 <= them);
}

static void vfios_own_map_costs_the_same(void **state)
{
	struct vfio_device ivshmem;
	char addr[16];
	uint64_t len;

	(void)state;
	need_icount();
	assert_true(pci_find(IVSHMEM, addr));
	vfio_open(container, addr, &ivshmem);
	for_each_size(len)
		figures_of("vfio-pci", ivshmem.fd,
			   vfio_region(&ivshmem, IVSHMEM_BAR), len, false);
	vfio_close(&ivshmem);
}

static void dma_arrives_in_what_hugemem_maps(void **state)
{
	const uint64_t offset = pmd_size + 3 * page_size;
	const uint64_t len = 2 * pmd_size;
	char *p = map_bar(offset, len);

	(void)state;
	assert_int_equal(vfio_map_dma(container, p, IOVA_BAR, len), 0);
	assert_true(dma_arrives(0x11, IOVA_BAR, offset));
	assert_int_equal(*(volatile uint64_t *)p, 0x11);
	assert_true(dma_arrives(0x12, IOVA_BAR + len - page_size,
				offset + len - page_size));
	assert_int_equal(vfio_unmap_dma(container, IOVA_BAR, len), len);
	assert_false(dma_arrives(0x13, IOVA_BAR, offset));
	munmap(p, len);
}

/* as with any mapping of frames: it lasts until UNMAP_DMA, not munmap() */
static void dma_outlives_the_mapping_until_it_is_unmapped(void **state)
{
	char *p = map_bar(0, pmd_size);

	(void)state;
	assert_int_equal(vfio_map_dma(container, p, IOVA_BAR, pmd_size), 0);
	munmap(p, pmd_size);
	assert_true(dma_arrives(0x21, IOVA_BAR, 0));
	assert_int_equal(vfio_unmap_dma(container, IOVA_BAR, pmd_size),
			 pmd_size);
	assert_false(dma_arrives(0x22, IOVA_BAR, 0));
}

/*
 * A claim takes the page from the process. What the device may reach stays as
 * it was, for type1 is not told; a new DMA map of the page is refused.
 */
static void a_claim_refuses_new_dma_maps_and_leaves_old_ones(void **state)
{
	char *p = map_bar(0, pmd_size);

	(void)state;
	assert_int_equal(vfio_map_dma(container, p, IOVA_BAR, pmd_size), 0);
	assert_int_equal(claim(page_size, page_size), 0);
	assert_int_equal(load_signal(p + page_size), SIGBUS);
	assert_int_equal(load_signal(p), 0);
	assert_true(dma_arrives(0x31, IOVA_BAR, 0));
	assert_int_equal(vfio_unmap_dma(container, IOVA_BAR, pmd_size),
			 pmd_size);

	assert_int_equal(vfio_map_dma(container, p, IOVA_BAR, pmd_size),
			 EFAULT);
	assert_false(dma_arrives(0x32, IOVA_BAR, 0));
	assert_int_equal(vfio_map_dma(container, p, IOVA_BAR, page_size), 0);
	assert_true(dma_arrives(0x33, IOVA_BAR, 0));
	assert_int_equal(vfio_unmap_dma(container, IOVA_BAR, page_size),
			 page_size);
	release();
	assert_int_equal(vfio_map_dma(container, p, IOVA_BAR, pmd_size), 0);
	assert_true(dma_arrives(0x34, IOVA_BAR + page_size, page_size));
	assert_int_equal(vfio_unmap_dma(container, IOVA_BAR, pmd_size),
			 pmd_size);
	munmap(p, pmd_size);
}

const struct CMUnitTest dma_tests[] = {
	cmocka_unit_test(dma_arrives_in_what_hugemem_maps),
	cmocka_unit_test(dma_outlives_the_mapping_until_it_is_unmapped),
	cmocka_unit_test(a_claim_refuses_new_dma_maps_and_leaves_old_ones),
};
const size_t dma_tests_n = sizeof(dma_tests) / sizeof(*dma_tests);

const struct CMUnitTest dma_cost_tests[] = {
	cmocka_unit_test(dma_map_goes_by_entry_where_vfio_does),
	cmocka_unit_test(vfios_own_map_costs_the_same),
};
const size_t dma_cost_tests_n =
	sizeof(dma_cost_tests) / sizeof(*dma_cost_tests);
