/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HUGEPFN_ATTR_H
#define HUGEPFN_ATTR_H

#include <linux/mm_types.h>

#include "hugepfn.h"

long hugepfn_attr_info(void __user *arg);
long hugepfn_attr_set(struct hugepfn_map_attr *attr, void __user *arg);

#endif
