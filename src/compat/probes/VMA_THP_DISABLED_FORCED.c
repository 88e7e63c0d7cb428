#include <linux/mm.h>

bool probe(struct vm_area_struct *vma);
bool probe(struct vm_area_struct *vma)
{
	return vma_thp_disabled(vma, vma->vm_flags, false);
}
