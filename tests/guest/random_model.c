// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a worker of the random suite knows: its VMAs, the memory types that its
 * mappings hold, what is claimed, and what each page of interest contains. From
 * that follows how its next operation must end.
 */
#include "random.h"

#include <signal.h>

/* xorshift64* */
static uint64_t next(struct worker *w)
{
	w->state ^= w->state >> 12;
	w->state ^= w->state << 25;
	w->state ^= w->state >> 27;
	return w->state * 0x2545f4914f6cdd1dULL;
}

uint64_t random_below(struct worker *w, uint64_t n)
{
	return (next(w) >> 16) % n;
}

bool random_chance(struct worker *w, unsigned int percent)
{
	return random_below(w, 100) < percent;
}

struct segment *random_segment(struct worker *w)
{
	if (!w->nsegments)
		return NULL;
	return &w->segments[random_below(w, w->nsegments)];
}

static uint64_t window_frame(struct worker *w, unsigned int window)
{
	return w->windows[window] + random_below(w, WINDOW_PAGES);
}

/*
 * From one page of interest to another: few pages, or the boundaries of large
 * entries between them, or all there is.
 */
struct frames random_frames(struct worker *w)
{
	unsigned int from = random_below(w, w->nwindows), to = from;
	struct frames f;

	if (random_chance(w, 10))
		return (struct frames){ 0, w->npages - 1 };
	if (random_chance(w, 40))
		to = random_below(w, w->nwindows);
	else if (random_chance(w, 50))
		to = (from + 1) % w->nwindows;
	f.first = window_frame(w, from);
	f.last = window_frame(w, to);
	if (f.last < f.first)
		f = (struct frames){ f.last, f.first };
	if (w->is_uio)
		f.first = 0;
	return f;
}

static bool is_of_interest(const struct worker *w, uint64_t frame)
{
	unsigned int i;

	for (i = 0; i < w->nwindows; i++)
		if (frame - w->windows[i] < WINDOW_PAGES)
			return true;
	return false;
}

/* a page of interest in a segment; false if none was found */
bool random_frame(struct worker *w, const struct segment *s, uint64_t *frame)
{
	unsigned int tries;

	for (tries = 0; tries < 6; tries++) {
		*frame = window_frame(w, random_below(w, w->nwindows));
		if (*frame >= s->frames.first && *frame <= s->frames.last)
			return true;
	}
	*frame = random_chance(w, 50) ? s->frames.first : s->frames.last;
	return is_of_interest(w, *frame);
}

struct frames random_part(struct worker *w, const struct segment *s)
{
	struct frames part = s->frames;
	uint64_t a, b;

	if (random_chance(w, 30) ||
	    !random_frame(w, s, &a) || !random_frame(w, s, &b))
		return part;
	if (random_chance(w, 70))
		part.first = a < b ? a : b;
	if (random_chance(w, 70))
		part.last = a < b ? b : a;
	return part;
}

static bool is_free(const struct worker *w, const char *at, uint64_t npages)
{
	const char *end = at + npages * page_size;
	unsigned int i;

	if (end > w->arena + w->arena_pages * page_size)
		return false;
	for (i = 0; i < w->nsegments; i++) {
		const struct segment *s = &w->segments[i];

		if (at < s->start + frames_count(s->frames) * page_size &&
		    s->start < end)
			return false;
	}
	return true;
}

/*
 * Free addresses for some frames: congruent to them modulo the largest entry,
 * the next smaller one or a page only; NULL if none were found.
 */
char *random_address(struct worker *w, struct frames f)
{
	const uint64_t phys = w->phys + f.first * page_size;
	uint64_t shift = 0;
	unsigned int tries;

	if (random_chance(w, 25))
		shift = random_below(w, pud_size / pmd_size) * pmd_size;
	else if (random_chance(w, 30))
		shift = random_below(w, pmd_size / page_size) * page_size;
	for (tries = 0; tries < 8; tries++) {
		uint64_t slots = w->arena_pages * page_size / pud_size;
		char *at = w->arena + random_below(w, slots) * pud_size +
			   (phys + shift) % pud_size;

		if (is_free(w, at, frames_count(f)))
			return at;
	}
	return NULL;
}

/* room for one more segment is the caller's to make */
struct mapping *model_map(struct worker *w, char *at, struct frames f,
			  int prot, int advice)
{
	struct mapping *m = w->mappings;

	while (m->pieces)
		m++;
	*m = (struct mapping){ .pieces = 1, .frames = f };
	w->segments[w->nsegments++] = (struct segment){
		.map = m, .start = at, .frames = f,
		.prot = prot, .advice = advice,
	};
	return m;
}

static void add_piece(struct worker *w, const struct segment *s,
		      struct frames f)
{
	struct segment *new = &w->segments[w->nsegments++];

	*new = *s;
	new->start = segment_at(s, f.first);
	new->frames = f;
	s->map->pieces++;
}

/* makes a part of a segment one of its own; room for two more is needed */
struct segment *model_cut(struct worker *w, struct segment *s,
			  struct frames part)
{
	const struct segment whole = *s;

	if (part.first > whole.frames.first)
		add_piece(w, &whole, (struct frames){ whole.frames.first,
						      part.first - 1 });
	if (part.last < whole.frames.last)
		add_piece(w, &whole, (struct frames){ part.last + 1,
						      whole.frames.last });
	s->start = segment_at(&whole, part.first);
	s->frames = part;
	return s;
}

static void drop_track(struct mapping *m)
{
	if (!--m->track->maps)
		m->track->used = false;
}

static void drop_mapping(struct mapping *m)
{
	if (!--m->pieces && !m->gone)
		drop_track(m);
}

void model_unmap(struct worker *w, struct segment *s)
{
	drop_mapping(s->map);
	*s = w->segments[--w->nsegments];
}

/* private pages that are revoked do not come back, nor do their copies */
void model_claim(struct worker *w, struct frames f)
{
	unsigned int i;
	uint64_t frame;

	w->claimed = f;
	for (i = 0; i < w->nsegments; i++) {
		struct mapping *m = w->segments[i].map;

		for (frame = m->frames.first; m->private &&
		     frame <= m->frames.last; frame++)
			if (is_claimed(w, frame))
				m->dead |= 1U << (frame - m->frames.first);
	}
}

/* the device left: what is mapped stays so, but shows and reserves nothing */
void model_leave(struct worker *w)
{
	unsigned int i;

	for (i = 0; i < w->nsegments; i++) {
		struct mapping *m = w->segments[i].map;

		if (!m->gone)
			drop_track(m);
		m->gone = true;
		m->fd = -1;
	}
}

/*
 * What memtype_check_conflict() and is_new_memtype_allowed() of x86 make of a
 * request where another type is in force: it may be granted that one, unless
 * it is more than was asked for. Ours refuses write-back to uncached as well
 * (see src/compat/memtype.h).
 */
bool model_may_become(uint32_t want, uint32_t type)
{
	if (type == want || want == HUGEPFN_CACHE_WB)
		return true;
	if (type == HUGEPFN_CACHE_WB)
		return false;
	return want != HUGEPFN_CACHE_WT || type != HUGEPFN_CACHE_WC;
}

/* the types in force somewhere in a range, as bits */
uint32_t model_types(const struct worker *w, struct frames f)
{
	const struct stranger *other = &w->stranger;
	uint32_t types = 0;
	unsigned int i;

	for (i = 0; i < SEGMENTS && w->shared->tracked; i++) {
		const struct track *t = &w->tracks[i];

		if (t->used && frames_overlap(t->frames, f))
			types |= 1U << t->granted;
	}
	if (other->at && frames_overlap(other->frames, f))
		types |= 1U << other->granted;
	return types;
}

/* as track_find() of src/mm/track.c: the first that holds the range */
static struct track *find_track(struct worker *w, struct frames f,
				uint32_t want)
{
	struct track *found = NULL;
	unsigned int i;

	for (i = 0; i < SEGMENTS; i++) {
		struct track *t = &w->tracks[i];

		if (!t->used || t->want != want || !frames_within(f, t->frames))
			continue;
		if (!found || t->frames.first < found->frames.first ||
		    (t->frames.first == found->frames.first &&
		     t->made < found->made))
			found = t;
	}
	return found;
}

/* what is reserved for a map: of a device's memory, powers of two */
static struct frames reserved_for(const struct worker *w, struct frames f)
{
	uint64_t n = 1;

	if (!w->is_uio)
		return f;
	while (n < frames_count(f))
		n *= 2;
	f.last = n < w->npages ? n - 1 : w->npages - 1;
	return f;
}

static struct forecast forecast_types(const struct worker *w, struct frames f,
				      uint32_t want)
{
	const uint32_t types = model_types(w, f);
	uint32_t type;

	if (!(types & ~(1U << want)))
		return (struct forecast){ .sure = true, .granted = want };
	for (type = 0; type < MODES; type++)
		if (types & 1U << type && !model_may_become(want, type))
			return (struct forecast){ .sure = true, .err = EAGAIN };
	/* depends on the pieces in which the range is reserved */
	return (struct forecast){ .sure = false };
}

/**
 * model_forecast - how will mmap() of a range end?
 * @w: the worker
 * @f: the range
 * @mode: the cache mode asked for
 * @want: the type it means where nothing else is mapped
 * @strict: no other will do
 */
struct forecast model_forecast(struct worker *w, struct frames f,
			       uint32_t mode, uint32_t want, bool strict)
{
	struct track *shared = find_track(w, f, want);
	struct forecast how;

	if (!w->is_uio && frames_overlap(w->claimed, f))
		return (struct forecast){ .sure = true, .err = EPERM };
	how = shared ? (struct forecast){ .sure = true, .shared = shared,
					  .granted = shared->granted } :
		       forecast_types(w, reserved_for(w, f), want);
	if (strict && how.granted && how.granted != mode)
		return (struct forecast){ .sure = true, .err = EAGAIN };
	return how;
}

/* after an mmap() that succeeded */
struct track *model_track(struct worker *w, const struct forecast *how,
			  struct frames f, uint32_t want, uint32_t granted)
{
	struct track *t = how->shared;

	if (!t) {
		for (t = w->tracks; t->used; t++)
			;
		*t = (struct track){
			.used = true, .frames = reserved_for(w, f),
			.want = want, .granted = granted, .made = w->nsteps,
		};
	}
	t->maps++;
	return t;
}

/* 0 or the signal that an access raises */
int model_access(const struct worker *w, const struct segment *s,
		 uint64_t frame, bool store)
{
	const struct mapping *m = s->map;

	if (!(s->prot & (store ? PROT_WRITE : PROT_READ)))
		return SIGSEGV;
	if (m->gone)
		return SIGBUS;
	if (m->private)
		return m->dead & 1U << (frame - m->frames.first) ? SIGBUS : 0;
	return is_claimed(w, frame) ? SIGBUS : 0;
}

/* may another process read, or write, the page of the device? */
bool model_may_peek(const struct worker *w, const struct segment *s,
		    uint64_t frame, bool store)
{
	const struct mapping *m = s->map;

	if (m->gone)
		return false;
	if (m->private)
		return !store && !((m->dead | m->copied) &
				   1U << (frame - m->frames.first));
	return !is_claimed(w, frame) && (!store || s->prot & PROT_WRITE);
}

/* where the model keeps what a page begins with; a store makes a copy */
uint64_t *model_word(struct worker *w, const struct segment *s,
		     uint64_t frame, bool store)
{
	struct mapping *m = s->map;
	const uint64_t i = frame - m->frames.first;

	if (!m->private)
		return &w->words[frame];
	if (store)
		m->copied |= 1U << i;
	return m->copied & 1U << i ? &m->copy[i] : &w->words[frame];
}

/* may an entry of that level map the page? level 0 always may */
bool model_may_be(const struct worker *w, const struct segment *s,
		  uint64_t frame, unsigned int level)
{
	const uint64_t size = level == 2 ? pud_size : pmd_size;
	const uint64_t phys = w->phys + frame * page_size;
	const uintptr_t at = (uintptr_t)segment_at(s, frame);
	struct frames window;

	if (!level)
		return true;
	if ((at ^ phys) % size || s->map->private ||
	    size / page_size > s->map->largest)
		return false;
	if (phys - phys % size < w->phys)
		return false;
	window.first = (phys - phys % size - w->phys) / page_size;
	window.last = window.first + size / page_size - 1;
	return frames_within(window, s->frames) &&
	       (w->is_uio || !frames_overlap(window, w->claimed));
}
