// SPDX-License-Identifier: GPL-2.0-only
#include "peers.h"

static void open_physical(struct peer *peer)
{
	peer->fd = open_node(peer->name, O_RDWR);
	peer->offset = bar;
}

static void open_map(struct peer *peer, const struct uio_node *node,
		     const char *name)
{
	int index = uio_map_index(node, name);

	assert_true(index >= 0);
	peer->fd = open_node(node->dev, O_RDWR);
	peer->offset = index * page_size;
}

/* the kernel's uio has no driver for such a BAR: one of ours offers it */
static void open_uio(struct peer *peer)
{
	struct uio_node node;
	char options[80];

	snprintf(options, sizeof(options), "phys=%#llx phys_len=%#llx",
		 (unsigned long long)bar, (unsigned long long)bar_size);
	assert_int_equal(module_load("uio_example", options), 0);
	assert_true(uio_find("/sys/devices/platform/uio_example.0", "uio",
			     &node));
	open_map(peer, &node, "phys");
}

static void open_hugeuio(struct peer *peer)
{
	struct uio_node node;
	char name[8];

	module_load("hugeuio_pci", "");
	pci_bind(peer->addr, "hugeuio_pci");
	uio_of_pci(peer->addr, "hugeuio", &node);
	snprintf(name, sizeof(name), "BAR%d", IVSHMEM_BAR);
	open_map(peer, &node, name);
}

static void open_vfio(struct peer *peer)
{
	assert_true(vfio_works());
	peer->container = vfio_container();
	vfio_open(peer->container, peer->addr, &peer->vfio);
	peer->fd = peer->vfio.fd;
	peer->offset = vfio_region(&peer->vfio, IVSHMEM_BAR);
}

void peer_open(enum peer_kind kind, struct peer *peer)
{
	static const struct {
		const char *name;
		void (*open)(struct peer *peer);
	} kinds[] = {
		[PEER_DEVMEM] = { "/dev/mem", open_physical },
		[PEER_UIO] = { "uio", open_uio },
		[PEER_VFIO] = { "vfio-pci", open_vfio },
		[PEER_HUGEMEM] = { "/dev/hugemem", open_physical },
		[PEER_HUGEUIO] = { "hugeuio", open_hugeuio },
	};

	*peer = (struct peer) { .kind = kind, .name = kinds[kind].name };
	assert_true(pci_find(IVSHMEM, peer->addr));
	kinds[kind].open(peer);
}

void peer_close(struct peer *peer)
{
	if (peer->kind == PEER_VFIO) {
		vfio_close(&peer->vfio);
		close(peer->container);
		return;
	}
	close(peer->fd);
	if (peer->kind == PEER_HUGEUIO)
		pci_unbind(peer->addr);
	if (peer->kind == PEER_UIO)
		assert_int_equal(module_unload("uio_example"), 0);
}
