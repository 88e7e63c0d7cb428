#include <linux/mm.h>

bool probe(struct vm_area_struct *vma);
bool probe(struct vm_area_struct *vma)
{
	return vma_is_cow_mapping(vma);
}
