// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims ranges of physical addresses as drivers would, without a module to be
 * loaded for each: "N START LENGTH", written to the parameter claim, lets slot
 * N hold that range in place of what it held; a length of 0 holds nothing.
 */
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/module.h>

#define SLOTS 16

/* the lock of this module's parameters protects it */
static struct {
	resource_size_t start, len;
} slots[SLOTS];

static void let_go(unsigned int i)
{
	if (slots[i].len)
		release_mem_region(slots[i].start, slots[i].len);
	slots[i].len = 0;
}

static int claim_set(const char *val, const struct kernel_param *kp)
{
	unsigned long long start, len;
	unsigned int i;

	if (sscanf(val, "%u %llx %llx", &i, &start, &len) != 3 || i >= SLOTS)
		return -EINVAL;
	let_go(i);
	if (!len)
		return 0;
	if (!request_mem_region(start, len, KBUILD_MODNAME))
		return -EBUSY;
	slots[i].start = start;
	slots[i].len = len;
	return 0;
}

static const struct kernel_param_ops claim_ops = { .set = claim_set };
module_param_cb(claim, &claim_ops, NULL, 0200);
MODULE_PARM_DESC(claim, "N START LENGTH, the latter two in hexadecimal");

static int __init claims_init(void)
{
	return 0;
}

static void __exit claims_exit(void)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		let_go(i);
}

module_init(claims_init);
module_exit(claims_exit);

MODULE_DESCRIPTION("hugepfn test helper: claims ranges as it is told");
MODULE_LICENSE("GPL");
