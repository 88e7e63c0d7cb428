// SPDX-License-Identifier: GPL-2.0-only
/* Accesses that may be answered by a signal; safe in several threads */
#include "guest.h"

#include <signal.h>

static __thread sigjmp_buf back;

static void jump(int sig)
{
	siglongjmp(back, sig);
}

/* by 32 bits, which registers have most often */
static int access_signal(volatile uint32_t *p, bool store)
{
	const struct sigaction catch = { .sa_handler = jump };
	int sig;

	sigaction(SIGBUS, &catch, NULL);
	sigaction(SIGSEGV, &catch, NULL);
	sig = sigsetjmp(back, 1);
	if (!sig) {
		if (store)
			*p = *p;
		else
			*p;
	}
	return sig;
}

int load_signal(const volatile void *p)
{
	return access_signal((volatile uint32_t *)p, false);
}

int store_signal(volatile void *p)
{
	return access_signal(p, true);
}
