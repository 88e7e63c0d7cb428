// SPDX-License-Identifier: GPL-2.0-only
/*
 * A 32-bit program without a libc: maps the page frame it is given through
 * /dev/hugemem, compares its stamp and exits with 0, or a number that says
 * which step failed.
 */
static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;

	/* ebp carries the sixth argument and cannot be named as an operand */
	__asm__ volatile("push %%ebp\n\tmov %[f], %%ebp\n\tint $0x80\n\tpop %%ebp"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e),
			   [f] "m"(f)
			 : "memory");
	return ret;
}

enum { NR_EXIT = 1, NR_OPEN = 5, NR_IOCTL = 54, NR_MMAP2 = 192 };

static int run(const char *page)
{
	unsigned int info[6] = { sizeof(info) };
	unsigned long frame = 0;
	long fd, p;

	while (*page)
		frame = frame * 10 + (*page++ - '0');
	fd = call(NR_OPEN, (long)"/dev/hugemem", 2, 0, 0, 0, 0);
	if (fd < 0)
		return 1;
	if (call(NR_IOCTL, fd, 0xB900, (long)info, 0, 0, 0))
		return 2;
	p = call(NR_MMAP2, 0, 4096, 3, 1, fd, frame);
	if (p < 0 && p > -4096)
		return 3;
	if (((volatile unsigned int *)p)[1] != 0x5a000000)
		return 4;
	return 0;
}

__attribute__((used)) void start(long *stack)
{
	call(NR_EXIT, run((const char *)stack[2]), 0, 0, 0, 0, 0);
}

__asm__(".globl _start\n_start:\n\tmov %esp, %eax\n\tpush %eax\n\tcall start\n");
