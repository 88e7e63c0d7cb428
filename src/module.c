// SPDX-License-Identifier: GPL-2.0-only
/* What is set up in which order, and torn down in reverse */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "trace.h"

#include "debugfs.h"
#include "hugemem.h"
#include "hugeuio/core.h"
#include "mm/map.h"

static int __init hugepfn_init(void)
{
	int ret;

	hugepfn_fault_init();
	ret = hugeuio_init();
	if (ret)
		return ret;
	ret = hugeuio_regions_init();
	if (ret)
		goto exit_hugeuio;
	ret = hugepfn_hugemem_init();
	if (ret)
		goto exit_regions;
	hugepfn_debugfs_init();
	hugeuio_regions_show();
	return 0;

exit_regions:
	hugeuio_regions_exit();
exit_hugeuio:
	hugeuio_exit();
	return ret;
}

static void __exit hugepfn_exit(void)
{
	hugepfn_debugfs_exit();
	hugepfn_hugemem_exit();
	hugeuio_regions_exit();
	hugeuio_exit();
}

module_init(hugepfn_init);
module_exit(hugepfn_exit);

MODULE_DESCRIPTION("Device memory in processes by huge entries");
MODULE_VERSION(HUGEPFN_VERSION);
MODULE_LICENSE("GPL");
