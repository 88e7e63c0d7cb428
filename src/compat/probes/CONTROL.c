/* must build, or the answers of all the others mean nothing */
#include <linux/mm.h>
#include <linux/security.h>

bool probe(struct vm_area_struct *vma);
bool probe(struct vm_area_struct *vma)
{
	unmap_mapping_range(vma->vm_file->f_mapping, 0, PAGE_SIZE, 1);
	return security_locked_down(LOCKDOWN_DEV_MEM) == 0;
}
