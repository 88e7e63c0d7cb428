// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims a range of physical addresses as a driver would, while it is loaded.
 * With period_us a thread claims and releases it over and over, which is what
 * a race needs: loading and unloading takes far longer than a fault.
 */
#include <linux/delay.h>
#include <linux/ioport.h>
#include <linux/kthread.h>
#include <linux/module.h>

static ulong start;
module_param(start, ulong, 0444);
MODULE_PARM_DESC(start, "first byte of the range");

static ulong len;
module_param(len, ulong, 0444);
MODULE_PARM_DESC(len, "its length in bytes");

static uint period_us;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us,
		 "claim for this long, release for as long, and again; 0: claim once");

static ulong rounds;
module_param(rounds, ulong, 0444);
MODULE_PARM_DESC(rounds, "how often it was claimed (read only)");

static struct task_struct *thread;

static int claim_loop(void *unused)
{
	while (!kthread_should_stop()) {
		if (request_mem_region(start, len, KBUILD_MODNAME)) {
			rounds++;
			usleep_range(period_us, period_us + 1);
			release_mem_region(start, len);
		}
		usleep_range(period_us, period_us + 1);
	}
	return 0;
}

static int __init claim_init(void)
{
	if (period_us) {
		thread = kthread_run(claim_loop, NULL, KBUILD_MODNAME);
		return PTR_ERR_OR_ZERO(thread);
	}
	return request_mem_region(start, len, KBUILD_MODNAME) ? 0 : -EBUSY;
}

static void __exit claim_exit(void)
{
	if (thread)
		kthread_stop(thread);
	else
		release_mem_region(start, len);
}

module_init(claim_init);
module_exit(claim_exit);

MODULE_DESCRIPTION("hugepfn test helper: claims a physical range");
MODULE_LICENSE("GPL");
