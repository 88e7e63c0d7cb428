// SPDX-License-Identifier: GPL-2.0-only
/* Commands to QEMU's monitor */
#include "uio.h"

void monitor(const char *command)
{
	int fd = open_node(getenv("HUGEPFN_MONITOR"), O_WRONLY);

	assert_int_equal(write(fd, command, strlen(command)), strlen(command));
	close(fd);
}
