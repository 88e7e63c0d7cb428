// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's modules, by libkmod */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <libkmod.h>

#include "tool.h"

#define UNTRUSTED \
	"it is not signed by a key this machine trusts: enrol DKMS's with mokutil --import /var/lib/dkms/mok.pub and reboot"

bool module_is_loaded(const char *name)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);
	struct kmod_module *mod;
	bool loaded = false;

	if (ctx && !kmod_module_new_from_name(ctx, name, &mod)) {
		loaded = kmod_module_get_initstate(mod) == KMOD_MODULE_LIVE;
		kmod_module_unref(mod);
	}
	kmod_unref(ctx);
	return loaded;
}

/* with what it depends on, and modprobe.d's options; 0 or a negative errno */
int module_load(const char *name)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);
	struct kmod_list *list = NULL;
	struct kmod_module *mod;
	int ret;

	if (!ctx)
		return -ENOMEM;
	/* else libkmod has lines of its own */
	kmod_set_log_priority(ctx, 0);
	ret = kmod_module_new_from_lookup(ctx, name, &list);
	if (!ret && !list)
		ret = -ENOENT;
	if (!ret) {
		mod = kmod_module_get_module(list);
		ret = kmod_module_probe_insert_module(mod, 0, NULL, NULL, NULL,
						      NULL);
		kmod_module_unref(mod);
	}
	kmod_module_unref_list(list);
	kmod_unref(ctx);
	return ret;
}

static _Noreturn void die_may_not_load(const char *name)
{
	char *state = lockdown_state();

	if (geteuid())
		die("may not load %s: run as root", name);
	if (state)
		die("may not load %s: the kernel is locked down (%s), and " UNTRUSTED,
		    name, state);
	die("may not load %s, though as root: this container or service lacks CAP_SYS_MODULE",
	    name);
}

void module_need(const char *name)
{
	struct utsname uts;
	int ret;

	if (module_is_loaded(name))
		return;
	ret = module_load(name);
	uname(&uts);
	switch (-ret) {
	case 0:
		return;
	case ENOENT:
		die("there is no module %s for %s: `dkms status` says what was built",
		    name, uts.release);
	case EPERM:
		die_may_not_load(name);
	case EKEYREJECTED:
		die("%s: " UNTRUSTED, name);
	default:
		die("cannot load %s: %s; the kernel log (dmesg) says more",
		    name, strerror(-ret));
	}
}
