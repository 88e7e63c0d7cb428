// SPDX-License-Identifier: GPL-2.0-only
#define HUGEUIO
#include "uio_example.c"
