/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HUGEPFN_ATTR_H
#define HUGEPFN_ATTR_H

#include <linux/mm_types.h>

#include "hugepfn.h"

long hugepfn_attr_ioctl(struct hugepfn_map_attr *attr, unsigned int cmd,
			void __user *arg);

#endif
