// SPDX-License-Identifier: GPL-2.0-only
/* What is set up in which order, and torn down in reverse */
#include <linux/module.h>

#include "hugemem.h"
#include "mm/map.h"

static int __init hugepfn_init(void)
{
	hugepfn_fault_init();
	return hugepfn_hugemem_init();
}

static void __exit hugepfn_exit(void)
{
	hugepfn_hugemem_exit();
}

module_init(hugepfn_init);
module_exit(hugepfn_exit);

MODULE_DESCRIPTION("Device memory in processes by huge entries");
MODULE_VERSION(HUGEPFN_VERSION);
MODULE_LICENSE("GPL");
