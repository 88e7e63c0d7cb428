#include <linux/mm.h>
#include <linux/sched/mm.h>

unsigned long probe(struct file *file);
unsigned long probe(struct file *file)
{
	return mm_get_unmapped_area(file, 0UL, PAGE_SIZE, 0UL, 0UL);
}
