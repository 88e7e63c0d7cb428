// SPDX-License-Identifier: GPL-2.0-only
/* What an errno means here, and what to do about it */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

/* "integrity" or "confidentiality", to be freed; NULL if it is not locked down */
char *lockdown_state(void)
{
	char *text = file_text("/sys/kernel/security/lockdown");
	char *state = NULL, *at = text ? strchr(text, '[') : NULL;

	if (at && strncmp(at, "[none]", 6))
		state = strndup(at + 1, strcspn(at + 1, "]"));
	free(text);
	return state;
}

/* a hugeuio node wants no capability */
static const char *explain_open_eperm(bool hugemem)
{
	static char text[120];
	char *state = lockdown_state();

	if (state) {
		snprintf(text, sizeof(text),
			 "the kernel is locked down (%s), as Secure Boot does: nothing gets round that",
			 state);
		free(state);
		return text;
	}
	if (!hugemem)
		return "may not, or the kernel is locked down";
	return geteuid() ? "needs CAP_SYS_RAWIO: run as root" :
		"needs CAP_SYS_RAWIO, which this container or service lacks";
}

const char *explain_open(const char *path, int err)
{
	const bool hugemem = !strcmp(path, "/dev/hugemem");

	switch (err) {
	case ENOENT:
		return module_is_loaded("hugepfn") ?
			"there is no such node: `hugepfn status` lists them" :
			"the module is not loaded: run modprobe hugepfn as root";
	case EACCES:
		return hugemem ? "run as root" :
			"may not: run as root, or have udev give the node to a group of yours";
	case EPERM:
		return explain_open_eperm(hugemem);
	case ENODEV:
	case ENXIO:
		return "the device has left";
	default:
		return strerror(err);
	}
}
