/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HUGEPFN_DEBUGFS_H
#define HUGEPFN_DEBUGFS_H

void hugepfn_debugfs_init(void);
void hugepfn_debugfs_exit(void);

#endif
