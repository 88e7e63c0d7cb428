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
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../cache_names.h"
#include "../compat/memtype.h"
#include "../trace.h"
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
	struct list_head maps;
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

/*
 * Would the kernel refuse a type for what others here have another one of? It
 * says so in the log each time, and everyone who may open a node could fill
 * that.
 */
static bool is_refused(unsigned long first, unsigned long last,
		       unsigned long type)
{
	struct hugepfn_track *one, *t;

	if (!hugepfn_memtype_is_accounted(PFN_PHYS(first)))
		return false;
	one = track_iter_first(&tracks, first, last);
	for (t = one; t; t = track_iter_next(t, first, last))
		if (t->granted != one->granted ||
		    !hugepfn_memtype_may_become(type, t->granted))
			return true;
	return false;
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
		ret = -EAGAIN;
		if (is_refused(pfn, pfn + n - 1, type))
			goto undo;
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
	INIT_LIST_HEAD(&t->maps);
	ret = track_reserve(t);
	if (ret) {
		kfree(t);
		return ERR_PTR(ret);
	}
	track_insert(t, &tracks);
	return t;
}

static void track_free_unused(struct hugepfn_track *t)
{
	if (!list_empty(&t->maps))
		return;
	track_remove(t, &tracks);
	track_release_pieces(t);
	kfree(t);
}

static u32 track_cache(const struct hugepfn_track *t)
{
	return hugepfn_memtype_cache(hugepfn_memtype_set(__pgprot(0),
							 t->granted));
}

/*
 * The file asked for one mode and no other. The types need not differ when the
 * modes do: without PAT, write-combining is asked for by the bits of
 * uncached-minus.
 */
static bool granted_too_little(const struct hugepfn_map *map,
			       const struct hugepfn_track *t)
{
	return READ_ONCE(map->client->attr.flags) & HUGEPFN_MAP_STRICT &&
	       READ_ONCE(map->client->attr.cache) != track_cache(t);
}

/**
 * hugepfn_track_map - reserve the memory type of a map's range
 * @map: the map, its pfn, npages and client set
 * @reserve: the pages from there on to reserve, if nothing is shared
 * @prot: in: a protection with the type that is wanted; out: the same
 *	protection with the type that was granted
 *
 * Follows pfnmap_track() of arch/x86/mm/pat/memtype.c, with exported symbols.
 * Where the architecture keeps no account of memory types this only counts.
 *
 * Context: sleeps; may be called with the mmap lock held.
 * Return: 0; -EAGAIN if another type is in force somewhere in the range, or
 * would be granted and the file is strict; -ENOMEM.
 */
int hugepfn_track_map(struct hugepfn_map *map, unsigned long reserve,
		      pgprot_t *prot)
{
	const unsigned long last = map->pfn + map->npages - 1;
	const unsigned long want = hugepfn_memtype_of(*prot);
	const u32 asked = hugepfn_memtype_cache(*prot);
	struct hugepfn_track *t;
	int ret = 0;

	mutex_lock(&tracks_lock);
	t = track_find(map->pfn, last, want);
	if (!t)
		t = track_new(map->pfn, map->pfn + reserve - 1, want);
	if (IS_ERR(t)) {
		ret = PTR_ERR(t);
	} else if (granted_too_little(map, t)) {
		track_free_unused(t);
		ret = -EAGAIN;
	} else {
		list_add_tail(&map->list, &t->maps);
		map->track = t;
		*prot = hugepfn_memtype_set(*prot, t->granted);
	}
	mutex_unlock(&tracks_lock);

	if (!ret)
		atomic64_add((u64)map->npages << PAGE_SHIFT,
			     &map->client->reserved);
	trace_track(map, asked, hugepfn_memtype_cache(*prot), ret);
	return ret;
}

static void map_leave_track(struct hugepfn_map *map)
{
	list_del(&map->list);
	map->track = NULL;
	atomic64_sub((u64)map->npages << PAGE_SHIFT, &map->client->reserved);
}

/**
 * hugepfn_untrack_map - give up what hugepfn_track_map() took
 * @map: the map
 *
 * Context: sleeps; may be called with the mmap lock held.
 */
void hugepfn_untrack_map(struct hugepfn_map *map)
{
	struct hugepfn_track *t;

	mutex_lock(&tracks_lock);
	t = map->track;
	if (t) {
		map_leave_track(map);
		track_free_unused(t);
	}
	mutex_unlock(&tracks_lock);
}

/**
 * hugepfn_untrack_owner - give up what the maps of a device keep reserved
 * @owner: the maps' owner, whose rules say no for good and whose entries are
 *	zapped
 *
 * Else who has mapped the device once would decide, for as long as he likes,
 * about the memory type that its next driver gets.
 *
 * Context: sleeps; no fault of such a map is under way.
 */
void hugepfn_untrack_owner(const void *owner)
{
	struct hugepfn_map *map, *next_map;
	struct hugepfn_track *t, *next;

	mutex_lock(&tracks_lock);
	for (t = track_iter_first(&tracks, 0, ULONG_MAX); t; t = next) {
		next = track_iter_next(t, 0, ULONG_MAX);
		list_for_each_entry_safe(map, next_map, &t->maps, list)
			if (map->owner == owner)
				map_leave_track(map);
		track_free_unused(t);
	}
	mutex_unlock(&tracks_lock);
}

/**
 * hugepfn_track_is_uniform - may one entry map this window?
 * @track: a reservation that holds it
 * @pfn: the window's first page frame
 * @order: its order
 *
 * Return: true if it has one memory type that such an entry can have.
 */
bool hugepfn_track_is_uniform(const struct hugepfn_track *track,
			      unsigned long pfn, unsigned int order)
{
	unsigned int i;

	for (i = 0; i < track->nr_pieces; i++)
		if (hugepfn_memtype_is_uniform(&track->pieces[i],
					       PFN_PHYS(pfn), order))
			return true;
	return false;
}

static void show_range(struct seq_file *m, const char *indent,
		       unsigned long first, unsigned long last,
		       const struct hugepfn_track *t)
{
	seq_printf(m, "%s%llx-%llx %s", indent, (u64)PFN_PHYS(first),
		   (u64)PFN_PHYS(last + 1) - 1,
		   hugepfn_cache_name(track_cache(t)));
}

/**
 * hugepfn_track_show - list the reservations and the maps under each
 * @m: where to
 *
 * Context: sleeps.
 */
void hugepfn_track_show(struct seq_file *m)
{
	const struct hugepfn_map *map;
	struct hugepfn_track *t;

	mutex_lock(&tracks_lock);
	for (t = track_iter_first(&tracks, 0, ULONG_MAX); t;
	     t = track_iter_next(t, 0, ULONG_MAX)) {
		show_range(m, "", t->first, t->last, t);
		seq_putc(m, '\n');
		list_for_each_entry(map, &t->maps, list) {
			show_range(m, "\t", map->pfn,
				   map->pfn + map->npages - 1, t);
			seq_printf(m, " %s pid %d %s\n", map->client->name,
				   map->pid, map->comm);
		}
	}
	mutex_unlock(&tracks_lock);
}
