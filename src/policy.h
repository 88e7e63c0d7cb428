/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HUGEPFN_POLICY_H
#define HUGEPFN_POLICY_H

#include "mm/window.h"

int hugepfn_policy_device(unsigned long pfn, unsigned long npages);
int hugepfn_policy_range(unsigned long pfn, unsigned long npages);
bool hugepfn_policy_may_map(unsigned long pfn, struct hugepfn_extent *around);
bool hugepfn_policy_unclaimed(struct hugepfn_extent range);

#endif
