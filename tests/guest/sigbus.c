// SPDX-License-Identifier: GPL-2.0-only
/* Accesses that may be answered by a signal; safe in several threads */
#include "guest.h"

#include <signal.h>

static __thread sigjmp_buf back;

static void jump(int sig)
{
	siglongjmp(back, sig);
}

/* from here on, until somebody else wants these signals */
void catch_signals(void)
{
	/* not blocked in the handler, so that no mask must be put back */
	const struct sigaction catch = {
		.sa_handler = jump,
		.sa_flags = SA_NODEFER,
	};

	sigaction(SIGBUS, &catch, NULL);
	sigaction(SIGSEGV, &catch, NULL);
}

int load_word(const volatile void *p, uint64_t *word)
{
	int sig = sigsetjmp(back, 0);

	if (!sig)
		*word = *(const volatile uint64_t *)p;
	return sig;
}

int store_word(volatile void *p, uint64_t word)
{
	int sig = sigsetjmp(back, 0);

	if (!sig)
		*(volatile uint64_t *)p = word;
	return sig;
}

/* by 32 bits, which registers have most often */
int load_signal(const volatile void *p)
{
	int sig;

	catch_signals();
	sig = sigsetjmp(back, 0);
	if (!sig)
		*(const volatile uint32_t *)p;
	return sig;
}

int store_signal(volatile void *p)
{
	volatile uint32_t *word = p;
	int sig;

	catch_signals();
	sig = sigsetjmp(back, 0);
	if (!sig)
		*word = *word;
	return sig;
}
