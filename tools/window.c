// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single accesses to a device, each of exactly the width asked for: a register
 * may not bear another, and reading its neighbour may have an effect.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include "tool.h"

#define MAX_WIDTH sizeof(uintptr_t)

static sigjmp_buf sigbus;

static void on_sigbus(int sig)
{
	siglongjmp(sigbus, sig);
}

unsigned int width_option(const char *text)
{
	uint64_t width = number("--width", text);

	if (width != 1 && width != 2 && width != 4 && width != 8)
		die_usage("--width '%s' is none of 1, 2, 4 or 8", text);
	if (width > MAX_WIDTH)
		die_usage("--width %s: this machine has no single access of that width",
			  text);
	return width;
}

/*
 * Uncached, or as was asked, and then as that and nothing else: the kernel may
 * grant write-back instead of uncached where another mapping has it.
 */
void window_node(struct node *node, struct node_options options, int flags)
{
	if (options.attr.cache)
		options.attr.flags |= HUGEPFN_MAP_STRICT;
	node_open(node, &options, flags | O_SYNC);
}

/*
 * @at: an address, or with a hugeuio node an offset into what the device has
 * in the map
 */
void window_open(struct window *window, const struct node *node, uint64_t at,
		 uint64_t count, unsigned int width, int prot)
{
	const struct sigaction catch = { .sa_handler = on_sigbus };
	const uint64_t page = node->info.page_size;
	const uint64_t start = at + node->inset, first = start & -page;
	uint64_t len, end;

	if (at % width)
		die("%#" PRIx64 " is not a multiple of the width, %u: the access would be torn",
		    at, width);
	if (__builtin_mul_overflow(count, width, &len) ||
	    __builtin_add_overflow(start, len + page - 1, &end) || len > -page)
		die("%" PRIu64 " values of %u bytes end past the last address",
		    count, width);
	*window = (struct window) { .node = node, .at = at, .width = width };
	window->p = (char *)node_mmap(node, first, (end & -page) - first, prot,
				      NULL, 0) + (start - first);
	sigaction(SIGBUS, &catch, NULL);
}

static _Noreturn void die_sigbus(const struct window *window, uint64_t i)
{
	die("%#" PRIx64 ": bus error: a driver has claimed the page since, or the device is gone, asleep or does not decode its memory",
	    window->at + i * window->width);
}

uint64_t window_load(const struct window *window, uint64_t i)
{
	if (sigsetjmp(sigbus, 1))
		die_sigbus(window, i);
	switch (window->width) {
	case 1:
		return ((volatile uint8_t *)window->p)[i];
	case 2:
		return ((volatile uint16_t *)window->p)[i];
	case 4:
		return ((volatile uint32_t *)window->p)[i];
	default:
		return ((volatile uint64_t *)window->p)[i];
	}
}

void window_store(const struct window *window, uint64_t i, uint64_t value)
{
	if (sigsetjmp(sigbus, 1))
		die_sigbus(window, i);
	switch (window->width) {
	case 1:
		((volatile uint8_t *)window->p)[i] = value;
		break;
	case 2:
		((volatile uint16_t *)window->p)[i] = value;
		break;
	case 4:
		((volatile uint32_t *)window->p)[i] = value;
		break;
	default:
		((volatile uint64_t *)window->p)[i] = value;
	}
}
