// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's side: modules by libkmod, and small files in /proc and /sys */
#include "guest.h"

#include <libkmod.h>

/*
 * A helper module from $HUGEPFN_MODULES, where the packaged program builds
 * them; any other, and without that folder all, as modprobe finds it.
 */
static int look_up(struct kmod_ctx *ctx, const char *name,
		   struct kmod_module **mod)
{
	const char *dir = getenv("HUGEPFN_MODULES");
	struct kmod_list *list = NULL;
	char path[4096];
	int ret;

	if (dir) {
		snprintf(path, sizeof(path), "%s/%s.ko", dir, name);
		if (!access(path, R_OK))
			return kmod_module_new_from_path(ctx, path, mod);
	}
	ret = kmod_module_new_from_lookup(ctx, name, &list);
	if (!ret && !list)
		ret = -ENOENT;
	if (!ret)
		*mod = kmod_module_get_module(list);
	kmod_module_unref_list(list);
	return ret;
}

static int with_module(const char *name, int (*fn)(struct kmod_module *mod,
						   const char *options),
		       const char *options)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);
	struct kmod_module *mod;
	int ret;

	assert_non_null(ctx);
	/* its lines on stderr would part those of the tests */
	kmod_set_log_priority(ctx, 0);
	ret = look_up(ctx, name, &mod);
	if (!ret) {
		ret = fn(mod, options);
		kmod_module_unref(mod);
	}
	kmod_unref(ctx);
	/* a machine without a compiler has none, and says so by an empty folder */
	if (ret == -ENOENT && getenv("HUGEPFN_MODULES"))
		skip_because("no helper module %s", name);
	return ret;
}

static int load(struct kmod_module *mod, const char *options)
{
	return kmod_module_probe_insert_module(mod,
			KMOD_PROBE_FAIL_ON_LOADED, options, NULL, NULL, NULL);
}

static int unload(struct kmod_module *mod, const char *options)
{
	(void)options;
	return kmod_module_remove_module(mod, O_NONBLOCK);
}

int module_load(const char *name, const char *options)
{
	return with_module(name, load, options);
}

int module_unload(const char *name)
{
	return with_module(name, unload, NULL);
}

/* let the helper module claim a part of the BAR */
int claim(uint64_t offset, uint64_t len)
{
	char options[80];

	snprintf(options, sizeof(options), "start=%#llx len=%#llx",
		 (unsigned long long)(bar + offset), (unsigned long long)len);
	return module_load("hugepfn_claim", options);
}

void release(void)
{
	assert_int_equal(module_unload("hugepfn_claim"), 0);
}

/*
 * Does the kernel take back what is mapped when a driver claims it? One that is
 * strict about busy ranges does; it is asked by /dev/mem, not by us.
 */
bool claims_are_revoked(void)
{
	int err;

	assert_int_equal(claim(0, page_size), 0);
	err = try_map("/dev/mem", O_RDWR, bar, page_size,
		      PROT_READ | PROT_WRITE, MAP_SHARED);
	release();
	return err == EPERM;
}

void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail_msg("%s: %s", path, strerror(errno));
	close(fd);
}

/* all that is left to be read, to be freed */
char *read_fd(int fd)
{
	size_t have = 0, room = 1 << 20;
	char *text = malloc(room);
	ssize_t n;

	while ((n = read(fd, text + have, room - have - 1)) > 0)
		have += n;
	text[have] = '\0';
	return text;
}

/* the whole file, to be freed */
char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	char *text;

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	text = read_fd(fd);
	close(fd);
	return text;
}

static int kmsg = -1;

/* log_has() looks at what is logged from here on, each line once */
void log_mark(void)
{
	if (kmsg < 0)
		kmsg = open_node("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	lseek(kmsg, 0, SEEK_END);
}

bool log_has(const char *text)
{
	char line[8192];
	ssize_t n;

	while ((n = read(kmsg, line, sizeof(line) - 1)) > 0) {
		line[n] = '\0';
		if (strstr(line, text))
			return true;
	}
	return false;
}
