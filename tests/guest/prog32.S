/* SPDX-License-Identifier: GPL-2.0-only */
	.section .rodata
	.globl prog32, prog32_end
prog32:
	.incbin PROG32
prog32_end:
	.section .note.GNU-stack, "", %progbits
