/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random operations, held against a model. A worker is a thread that has a
 * slice of device memory and a part of the address space to itself; it knows
 * what it mapped where, so each operation's result can be foretold. The kernel's
 * side is shared: one mm by the threads of a process, and by all of them the
 * memory types, the claims and the address space that revokes.
 *
 *   random.c	the suite: workers, processes, and what must hold at the end
 *   random_ops.c	the operations
 *   random_model.c	what the worker knows, and what follows from it
 */
#ifndef HUGEPFN_TESTS_RANDOM_H
#define HUGEPFN_TESTS_RANDOM_H

#include "guest.h"

#include <pthread.h>
#include <stdatomic.h>

#define SEGMENTS 24		/* VMAs of a worker */
#define WINDOWS 14		/* where its pages of interest are */
#define WINDOW_PAGES 8
#define FILES 3
#define STEPS 16		/* remembered for a message */
#define MODES 8			/* more than there are cache modes */
#define PRIVATE_PAGES (2 * WINDOW_PAGES)
#define RAM_PAGES 32

/* pages of the slice, both included; empty if last < first */
struct frames {
	uint64_t first, last;
};

/* a memory type that is reserved for our maps */
struct track {
	bool used;
	struct frames frames;
	uint32_t want, granted;
	unsigned int maps;
	uint64_t made;
};

/* what one mmap() call made; its pieces are segments */
struct mapping {
	unsigned int pieces;
	struct frames frames;
	struct track *track;
	uint32_t granted;
	uint64_t largest;	/* pages of the largest entry allowed */
	int fd;			/* -1: the file is closed by now */
	bool private;
	bool gone;		/* the device has left */
	uint32_t copied, dead;	/* a private one's pages */
	uint64_t copy[PRIVATE_PAGES];
};

struct segment {
	struct mapping *map;
	char *start;
	struct frames frames;
	int prot, advice;
};

/* a map of /dev/mem: somebody else, as far as memory types go */
struct stranger {
	void *at;
	struct frames frames;
	uint32_t granted;
};

struct step {
	const char *op;
	uint64_t n, at, first, last, more;
};

/* what the workers of all processes share */
struct random_shared {
	atomic_bool stop;
	atomic_flag told;
	char message[4096];
	uint64_t seed;
	bool tracked;		/* memory types have an account */
	bool revocable;		/* a claim takes back what is mapped */
	uint64_t largest;	/* pages of the largest entry to be asked for */
	uint64_t ram[RAM_PAGES];	/* System RAM: where a range begins or ends */
	unsigned int nram;
};

/* what a worker shows to those who wait for it */
struct random_progress {
	atomic_ulong done;
	const char *op;
	unsigned long counts[32];
};

struct worker {
	struct random_shared *shared;
	struct random_progress *progress;
	pthread_rwlock_t *fork_lock;
	unsigned int index;
	uint64_t limit;		/* operations */
	uint64_t state;		/* of the random numbers */

	/* the slice; a device's begins at its map, a range of hugemem anywhere */
	char node[64], pci[16];
	bool is_uio;
	uint64_t phys, npages, offset;
	uint64_t windows[WINDOWS];
	unsigned int nwindows;
	uint64_t *words;	/* what each page of interest begins with */
	uint64_t written;

	/* the addresses */
	char *arena;
	uint64_t arena_pages;

	int files[FILES];
	bool sync[FILES];
	uint32_t type_of[2][MODES];	/* by O_SYNC and mode; 0: has it not */

	struct segment segments[SEGMENTS];
	unsigned int nsegments;
	struct mapping mappings[SEGMENTS];
	struct track tracks[SEGMENTS];
	struct stranger stranger;
	struct frames claimed;
	int mem, claims;
	struct step steps[STEPS];
	uint64_t nsteps;
};

/* random.c */
void random_failed(struct worker *w, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

#define expect(w, condition, ...) do {					\
	if (!(condition))						\
		random_failed(w, __VA_ARGS__);				\
} while (0)

/* random_model.c */
uint64_t random_below(struct worker *w, uint64_t n);
bool random_chance(struct worker *w, unsigned int percent);
struct frames random_frames(struct worker *w);
struct frames random_part(struct worker *w, const struct segment *s);
struct segment *random_segment(struct worker *w);
bool random_frame(struct worker *w, const struct segment *s, uint64_t *frame);
char *random_address(struct worker *w, struct frames f);

static inline uint64_t frames_count(struct frames f)
{
	return f.last - f.first + 1;
}

static inline bool frames_overlap(struct frames a, struct frames b)
{
	return a.first <= b.last && b.first <= a.last;
}

static inline bool frames_within(struct frames a, struct frames b)
{
	return a.first >= b.first && a.last <= b.last;
}

static inline char *segment_at(const struct segment *s, uint64_t frame)
{
	return s->start + (frame - s->frames.first) * page_size;
}

static inline bool is_claimed(const struct worker *w, uint64_t frame)
{
	return frame >= w->claimed.first && frame <= w->claimed.last;
}

struct mapping *model_map(struct worker *w, char *at, struct frames f,
			  int prot, int advice);
struct segment *model_cut(struct worker *w, struct segment *s,
			  struct frames part);
void model_unmap(struct worker *w, struct segment *s);
void model_claim(struct worker *w, struct frames f);
void model_leave(struct worker *w);

/* how mmap() will end */
struct forecast {
	bool sure;		/* not: as foretold, or EAGAIN */
	int err;
	uint32_t granted;	/* 0: it has to be asked for */
	struct track *shared;
};

struct forecast model_forecast(struct worker *w, struct frames f,
			       uint32_t mode, uint32_t want, bool strict);
uint32_t model_types(const struct worker *w, struct frames f);
bool model_may_become(uint32_t want, uint32_t type);
struct track *model_track(struct worker *w, const struct forecast *how,
			  struct frames f, uint32_t want, uint32_t granted);
bool model_may_peek(const struct worker *w, const struct segment *s,
		    uint64_t frame, bool store);
int model_access(const struct worker *w, const struct segment *s,
		 uint64_t frame, bool store);
uint64_t *model_word(struct worker *w, const struct segment *s,
		     uint64_t frame, bool store);
bool model_may_be(const struct worker *w, const struct segment *s,
		  uint64_t frame, unsigned int level);

/* random_ops.c */
extern const unsigned int random_ops_n;
const char *random_op_name(unsigned int i);
void random_step(struct worker *w);
void random_begin(struct worker *w);
void random_end(struct worker *w);

#endif
