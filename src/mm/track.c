// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory-type reservations. One is held by every map that lies inside it and
 * asked for the same type; the last one gives it back.
 *
 * A reservation is cut where the largest usable page size changes, because
 * the kernel makes an alias for each piece (see compat/memtype.h) and an
 * alias in 4 KiB entries costs 512 times one in 2 MiB entries.
 */
#include <linux/interval_tree_generic.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "../compat/memtype.h"
#include "map.h"

/* what lies before and after the 2 MiB and the 1 GiB boundaries */
#define HUGEPFN_TRACK_PIECES 5

/* the sizes ioremap() makes entries of, as orders, falling, ended by 0 */
static const unsigned int alias_orders[] = {
	PUD_SHIFT - PAGE_SHIFT,
	PMD_SHIFT - PAGE_SHIFT,
	0,
};

struct hugepfn_track {
	struct rb_node rb;
	unsigned long first;
	unsigned long last;
	unsigned long subtree_last;
	unsigned int ref;
	unsigned long want;
	unsigned long granted;
	unsigned int nr_pieces;
	struct hugepfn_memtype pieces[HUGEPFN_TRACK_PIECES];
};

#define TRACK_FIRST(track) ((track)->first)
#define TRACK_LAST(track) ((track)->last)

INTERVAL_TREE_DEFINE(struct hugepfn_track, rb, unsigned long, subtree_last,
		     TRACK_FIRST, TRACK_LAST, static __maybe_unused, track)

static struct rb_root_cached tracks = RB_ROOT_CACHED;

/*
 * Protects the tree and every reservation in it. Taken inside the mmap lock;
 * allocates, so nothing that reclaim can reach may take it.
 */
static DEFINE_MUTEX(tracks_lock);

static struct hugepfn_track *track_find(unsigned long first,
					unsigned long last, unsigned long want)
{
	struct hugepfn_track *t;

	for (t = track_iter_first(&tracks, first, first); t;
	     t = track_iter_next(t, first, first))
		if (t->last >= last && t->want == want)
			return t;
	return NULL;
}

static void track_release_pieces(struct hugepfn_track *t)
{
	while (t->nr_pieces)
		hugepfn_memtype_free(&t->pieces[--t->nr_pieces]);
}

static int track_reserve_pieces(struct hugepfn_track *t, unsigned long type)
{
	unsigned long pfn = t->first;
	unsigned long left = t->last - t->first + 1;
	int ret;

	t->granted = type;
	while (left) {
		unsigned long n = hugepfn_piece(pfn, left, alias_orders);
		unsigned long granted = type;

		if (t->nr_pieces == HUGEPFN_TRACK_PIECES - 1)
			n = left;
		ret = hugepfn_memtype_reserve(&t->pieces[t->nr_pieces],
					      PFN_PHYS(pfn),
					      (u64)n << PAGE_SHIFT, &granted);
		if (ret)
			goto undo;
		t->nr_pieces++;
		if (pfn == t->first)
			t->granted = granted;
		ret = -EAGAIN;
		if (granted != t->granted)
			goto undo;
		pfn += n;
		left -= n;
	}
	return 0;

undo:
	track_release_pieces(t);
	return ret;
}

/*
 * The kernel may grant another type than was asked for, where a part of the
 * range has it already. A mapping has one type: if the pieces differ, ask for
 * uncached for all of them, the type that every other may be turned into.
 */
static int track_reserve(struct hugepfn_track *t)
{
	int ret = track_reserve_pieces(t, t->want);

	if (ret == -EAGAIN && t->want == hugepfn_memtype_default())
		ret = track_reserve_pieces(t, hugepfn_memtype_uncached());
	return ret;
}

static struct hugepfn_track *track_new(unsigned long first, unsigned long last,
				       unsigned long want)
{
	struct hugepfn_track *t;
	int ret;

	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return ERR_PTR(-ENOMEM);
	t->first = first;
	t->last = last;
	t->want = want;
	ret = track_reserve(t);
	if (ret) {
		kfree(t);
		return ERR_PTR(ret);
	}
	track_insert(t, &tracks);
	return t;
}

/**
 * hugepfn_track_get - reserve the memory type of a range
 * @pfn: the first page frame
 * @npages: how many there are, not 0
 * @prot: in: a protection with the type that is wanted; out: the same
 *	protection with the type that was granted
 *
 * Follows pfnmap_track() of arch/x86/mm/pat/memtype.c, with exported symbols.
 * Where the architecture keeps no account of memory types this only counts.
 *
 * Context: sleeps; may be called with the mmap lock held.
 * Return: the reservation, -EAGAIN if another type is in force somewhere in
 * the range, or -ENOMEM.
 */
struct hugepfn_track *hugepfn_track_get(unsigned long pfn,
					unsigned long npages, pgprot_t *prot)
{
	const unsigned long last = pfn + npages - 1;
	const unsigned long want = hugepfn_memtype_of(*prot);
	struct hugepfn_track *t;

	mutex_lock(&tracks_lock);
	t = track_find(pfn, last, want);
	if (!t)
		t = track_new(pfn, last, want);
	if (!IS_ERR(t)) {
		t->ref++;
		*prot = hugepfn_memtype_set(*prot, t->granted);
	}
	mutex_unlock(&tracks_lock);
	return t;
}

/**
 * hugepfn_track_put - give up a reference to a reservation
 * @track: what hugepfn_track_get() returned
 *
 * Context: sleeps; may be called with the mmap lock held.
 */
void hugepfn_track_put(struct hugepfn_track *track)
{
	mutex_lock(&tracks_lock);
	if (!--track->ref) {
		track_remove(track, &tracks);
		track_release_pieces(track);
		kfree(track);
	}
	mutex_unlock(&tracks_lock);
}
