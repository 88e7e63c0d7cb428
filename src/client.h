/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HUGEPFN_CLIENT_H
#define HUGEPFN_CLIENT_H

#include <linux/fs.h>

#include "mm/map.h"

struct seq_file;

long hugepfn_client_ioctl(struct hugepfn_client *client, struct file *file,
			  unsigned int cmd, void __user *arg);
void hugepfn_client_show(const struct hugepfn_client *client,
			 struct seq_file *m);

#endif
