#include <linux/mm.h>
#include <linux/pfn_t.h>

vm_fault_t probe(struct vm_fault *vmf, pfn_t pfn);
vm_fault_t probe(struct vm_fault *vmf, pfn_t pfn)
{
	return vmf_insert_pfn_pmd(vmf, pfn, false);
}
