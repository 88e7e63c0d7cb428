/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HUGEPFN_TOOLS_CLAIM_H
#define HUGEPFN_TOOLS_CLAIM_H

#include "iomem.h"

int claim_try(int fd, uint64_t at, uint64_t len);
bool claim_is_ram(const struct iomem_range *range);
const struct iomem_range *claim_find(const struct iomem *iomem, int fd,
				     uint64_t page, uint64_t at, uint64_t len);

#endif
