// SPDX-License-Identifier: GPL-2.0-only
/*
 * LD_PRELOAD for stress-ng: what its workers map anonymously comes from a node
 * instead, so that its mapping stressors have device memory to cut, move,
 * protect and fork. HUGEPFN_NODE names the node, HUGEPFN_FIRST and HUGEPFN_LAST
 * what of it may be mapped: for a range each mapping is of another part, for a
 * UIO node (both 0) of its first map.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void *mmap_fn(void *addr, size_t len, int prot, int flags, int fd,
		      off_t offset);

static mmap_fn *real_mmap;
static pid_t parent;
static int node = -1;
static uint64_t first, last;
static atomic_uint_fast64_t used;

static uint64_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : 0;
}

/* stress-ng's own memory, which its parent maps, stays what it is */
__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("HUGEPFN_NODE");

	real_mmap = (mmap_fn *)dlsym(RTLD_NEXT, "mmap");
	parent = getpid();
	first = number("HUGEPFN_FIRST");
	last = number("HUGEPFN_LAST");
	if (path)
		node = open(path, O_RDWR | O_CLOEXEC);
}

static void *map_node(void *addr, size_t len, int prot, int flags)
{
	uint64_t offset = 0;

	flags = (flags & ~(MAP_ANONYMOUS | MAP_TYPE)) | MAP_SHARED;
	if (last) {
		if (len > last - first)
			return MAP_FAILED;
		offset = first + atomic_fetch_add(&used, len) %
				 (last - first - len + 1);
		offset -= offset % sysconf(_SC_PAGESIZE);
	}
	return real_mmap(addr, len, prot & ~PROT_EXEC, flags, node, offset);
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	void *p = MAP_FAILED;

	if (flags & MAP_ANONYMOUS && !(flags & (MAP_STACK | MAP_GROWSDOWN)) &&
	    node >= 0 && getpid() != parent)
		p = map_node(addr, len, prot, flags);
	if (p == MAP_FAILED)
		p = real_mmap(addr, len, prot, flags, fd, offset);
	return p;
}

void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	return mmap(addr, len, prot, flags, fd, offset);
}
