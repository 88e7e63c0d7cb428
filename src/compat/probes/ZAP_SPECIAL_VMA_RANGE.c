#include <linux/mm.h>

void probe(struct vm_area_struct *vma);
void probe(struct vm_area_struct *vma)
{
	zap_special_vma_range(vma, vma->vm_start, PAGE_SIZE);
}
