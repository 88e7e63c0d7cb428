/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HUGEPFN_HUGEMEM_H
#define HUGEPFN_HUGEMEM_H

int hugepfn_hugemem_init(void);
void hugepfn_hugemem_exit(void);

#endif
