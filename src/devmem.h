/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HUGEPFN_DEVMEM_H
#define HUGEPFN_DEVMEM_H

struct address_space;

struct address_space *hugepfn_devmem_mapping(void);
void hugepfn_devmem_exit(void);

#endif
