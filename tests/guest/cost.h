/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What something costs, in instructions: under QEMU's -icount shift=0 the
 * guest's clock counts them. Everything is compared within one run.
 */
#ifndef HUGEPFN_TESTS_COST_H
#define HUGEPFN_TESTS_COST_H

#include "guest.h"

#define need_icount() do {						\
	if (!getenv("HUGEPFN_ICOUNT"))					\
		skip_because("the clock counts time, not instructions"); \
} while (0)

/* the least of a few: interrupts only ever add */
#define best_of_5(expr) ({						\
	uint64_t best_ = UINT64_MAX;					\
	for (int i_ = 0; i_ < 5; i_++) {				\
		uint64_t one_ = (expr);					\
		best_ = one_ < best_ ? one_ : best_;			\
	}								\
	best_;								\
})

#define cost_of(work) ({						\
	const uint64_t began_ = now();					\
	work;								\
	now() - began_;							\
})

/* cost.c */
uint64_t now(void);
uint64_t fork_cost(void);
void figure(const char *what, const char *node, uint64_t size, uint64_t value,
	    const char *unit);

#endif
