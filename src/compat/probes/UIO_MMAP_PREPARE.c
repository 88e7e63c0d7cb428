#include <linux/uio_driver.h>

void *probe(struct uio_info *info);
void *probe(struct uio_info *info)
{
	return info->mmap_prepare;
}
