#include <linux/fs.h>

extern const struct file_operations probe;
const struct file_operations probe = {
	.fop_flags = FOP_UNSIGNED_OFFSET,
};
