#include <linux/io.h>
#include <linux/pgtable.h>

void __iomem *probe(pgprot_t prot);
void __iomem *probe(pgprot_t prot)
{
	return ioremap_prot(0, PAGE_SIZE, prot);
}
