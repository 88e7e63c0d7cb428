// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspending the machine and waking it up again, without the firmware:
 * Documentation/power/basic-pm-debugging.rst.
 *
 * The harness' ports are taken away meanwhile and what is printed is kept.
 * virtio_console of 7.3 loses them for ever: when it resumes it asks QEMU which
 * ports are open before it offers buffers for the answer (virtcons_restore()),
 * so that whoever writes to one waits without end.
 */
#include "guest.h"

#include <libgen.h>
#include <limits.h>

#define CONSOLE "/sys/bus/virtio/drivers/virtio_console/"

/* where standard output and standard error went, and which device that is */
static char paths[2][64];
static char console[40];
static int kept = -1;

/* the virtio device of a port of the harness; false if there is none */
static bool find_console(void)
{
	const char *port = getenv("HUGEPFN_MONITOR");
	char path[100], real[PATH_MAX];

	if (!port)
		return false;
	snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/device",
		 strrchr(port, '/') + 1);
	assert_non_null(realpath(path, real));
	snprintf(console, sizeof(console), "%s", basename(real));
	return true;
}

static void ports_detach(void)
{
	char path[40];
	int i;

	kept = memfd_create("output", 0);
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", i + 1);
		assert_true(readlink(path, paths[i], sizeof(paths[i]) - 1) > 0);
		dup2(kept, i + 1);
	}
	write_file(CONSOLE "unbind", console);
}

static void ports_attach(void)
{
	char *text;
	int i, fd;

	write_file(CONSOLE "bind", console);
	for (i = 0; i < 2; i++) {
		/* ENOENT, ENXIO: the driver has not made it yet */
		while ((fd = open(paths[i], O_WRONLY)) < 0)
			usleep(10000);
		dup2(fd, i + 1);
		close(fd);
	}
	lseek(kept, 0, SEEK_SET);
	text = read_fd(kept);
	fputs(text, stdout);
	free(text);
}

/* 0 or the errno of suspending: devices are put to sleep and woken up */
int suspend(void)
{
	const bool detach = find_console();
	int fd, err;

	write_file("/sys/power/pm_test", "platform");
	write_file("/sys/module/suspend/parameters/pm_test_delay", "0");
	if (detach)
		ports_detach();
	fd = open("/sys/power/state", O_WRONLY);
	err = write(fd, "freeze", 6) == 6 ? 0 : errno;
	close(fd);
	if (detach)
		ports_attach();
	write_file("/sys/power/pm_test", "none");
	return err;
}
