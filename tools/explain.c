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

static const char *explain_open_eperm(void)
{
	static char text[120];
	char *state = lockdown_state();

	if (geteuid())
		return "needs CAP_SYS_RAWIO: run as root";
	if (!state)
		return "needs CAP_SYS_RAWIO, which this container or service lacks";
	snprintf(text, sizeof(text),
		 "the kernel is locked down (%s), as Secure Boot does: nothing gets round that",
		 state);
	free(state);
	return text;
}

const char *explain_open(const char *path, int err)
{
	switch (err) {
	case ENOENT:
		return module_is_loaded("hugepfn") ?
			"there is no such node: `hugepfn status` lists them" :
			"the module is not loaded: run modprobe hugepfn as root";
	case EACCES:
		return !strcmp(path, "/dev/hugemem") ? "run as root" :
			"may not: run as root, or have udev give the node to a group of yours";
	case EPERM:
		return explain_open_eperm();
	case ENODEV:
	case ENXIO:
		return "the device has left";
	default:
		return strerror(err);
	}
}
