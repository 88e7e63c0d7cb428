// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations of the random suite. Each says what it is about to do, does
 * it, and compares how it ended with what the model foretold.
 */
#include "random.h"
#include "uio.h"

#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define RW (PROT_READ | PROT_WRITE)
#define RESERVATIONS "/sys/kernel/debug/hugepfn/reservations"
#define DRIVER "/sys/bus/pci/drivers/hugeuio_pci/"
#define NOTHING ((struct frames){ UINT64_MAX, 0 })

static void note(struct worker *w, const void *at, struct frames f,
		 uint64_t more)
{
	struct step *step = &w->steps[w->nsteps % STEPS];

	step->at = (uintptr_t)at;
	step->first = f.first;
	step->last = f.last;
	step->more = more;
}

static void expect_errno(struct worker *w, int is, int want, const char *what)
{
	expect(w, is == want, "%s: %s instead of %s", what, strerror(is),
	       strerror(want));
}

static uint64_t bytes(struct frames f)
{
	return frames_count(f) * page_size;
}

/* a word that tells the page and the store */
static uint64_t new_word(struct worker *w, uint64_t frame)
{
	return frame << 32 | (++w->written & UINT32_MAX);
}

static void expect_word(struct worker *w, uint64_t is, uint64_t want)
{
	expect(w, is == want, "page %#llx of store %llu instead of %#llx of %llu",
	       (unsigned long long)is >> 32, (unsigned long long)is & UINT32_MAX,
	       (unsigned long long)want >> 32,
	       (unsigned long long)want & UINT32_MAX);
}

static struct hugepfn_range_info query(struct worker *w,
				       const struct segment *s,
				       struct frames f)
{
	struct hugepfn_range_info info = {
		.size = sizeof(info),
		.addr = (uintptr_t)segment_at(s, f.first),
		.length = bytes(f),
	};

	expect(w, !ioctl(s->map->fd, HUGEPFN_IOC_QUERY_RANGE, &info),
	       "QUERY_RANGE: %s", strerror(errno));
	return info;
}

static uint64_t sum(const struct hugepfn_range_info *info)
{
	return info->mapped[0] + info->mapped[1] + info->mapped[2] +
	       info->copied;
}

/* what a query says of a page may be so; @there: it must be mapped */
static bool check_page(struct worker *w, const struct segment *s,
		       uint64_t frame, bool there)
{
	const struct frames f = { frame, frame };
	const struct hugepfn_range_info info = query(w, s, f);
	unsigned int level;

	for (level = 0; level < HUGEPFN_LEVELS; level++)
		expect(w, !info.mapped[level] ||
		       model_may_be(w, s, frame, level),
		       "page %#llx is mapped at level %u",
		       (unsigned long long)frame, level);
	expect(w, sum(&info) <= page_size, "a page of %llu bytes",
	       (unsigned long long)sum(&info));
	/* a copy is memory */
	expect(w, info.cache == s->map->granted ||
	       (s->map->private && !info.mapped[0]),
	       "cache mode %u where %u was granted", info.cache,
	       s->map->granted);
	if (s->map->gone || (!s->map->private && is_claimed(w, frame)))
		expect(w, !sum(&info), "page %#llx is mapped and may not be",
		       (unsigned long long)frame);
	return !there || sum(&info) == page_size;
}

static void op_touch(struct worker *w)
{
	struct segment *s = random_segment(w);
	const bool store = random_chance(w, 30);
	uint64_t frame, word, *model;
	int sig, want, tries = 0;

	if (!s || !random_frame(w, s, &frame))
		return;
	note(w, segment_at(s, frame), s->frames, store);
	want = model_access(w, s, frame, store);
	word = new_word(w, frame);
	sig = store ? store_word(segment_at(s, frame), word) :
		      load_word(segment_at(s, frame), &word);
	expect(w, sig == want, "signal %d instead of %d at page %#llx", sig,
	       want, (unsigned long long)frame);
	if (want)
		return;
	model = model_word(w, s, frame, store);
	if (store)
		*model = word;
	else
		expect_word(w, word, *model);
	if (s->map->fd < 0 || random_chance(w, 90))
		return;
	/* who reads numa_maps in another thread may have split the entry */
	while (!check_page(w, s, frame, true)) {
		expect(w, ++tries < 10, "page %#llx is not mapped after a touch",
		       (unsigned long long)frame);
		load_word(segment_at(s, frame), &word);
	}
}

static void op_query(struct worker *w)
{
	struct segment *s = random_segment(w);
	uint64_t frame;

	if (!s || s->map->fd < 0 || !random_frame(w, s, &frame))
		return;
	note(w, segment_at(s, frame), s->frames, 0);
	check_page(w, s, frame, false);
}

/* by way of another process's access, which needs no page to be there */
static void op_peek(struct worker *w)
{
	struct segment *s = random_segment(w);
	const bool store = random_chance(w, 30);
	uint64_t frame, word;
	bool may;
	ssize_t n;

	if (!s || !random_frame(w, s, &frame))
		return;
	note(w, segment_at(s, frame), s->frames, store);
	may = model_may_peek(w, s, frame, store);
	word = new_word(w, frame);
	n = store ? pwrite(w->mem, &word, 8, (uintptr_t)segment_at(s, frame)) :
		    pread(w->mem, &word, 8, (uintptr_t)segment_at(s, frame));
	expect(w, n == (may ? 8 : -1), "access: %zd, %s", n,
	       n < 0 ? strerror(errno) : "no error");
	if (!may)
		expect_errno(w, errno, EIO, "access");
	else if (store)
		w->words[frame] = word;
	else
		expect_word(w, word, w->words[frame]);
}

static void unmap_all_of(struct worker *w, struct segment *s)
{
	expect(w, !munmap(s->start, bytes(s->frames)), "munmap: %s",
	       strerror(errno));
	model_unmap(w, s);
}

static void make_room(struct worker *w, unsigned int n)
{
	while (w->nsegments + n > SEGMENTS)
		unmap_all_of(w, random_segment(w));
}

static unsigned int set_mode(struct worker *w, unsigned int file, bool *strict,
			     uint64_t *largest)
{
	const uint64_t sizes[] = { pud_size, pmd_size, 2 * page_size };
	struct hugepfn_map_attr attr = { .size = sizeof(attr) };

	do
		attr.cache = random_below(w, MODES);
	while (!w->type_of[w->sync[file]][attr.cache]);
	*strict = attr.cache != HUGEPFN_CACHE_DEFAULT && random_chance(w, 20);
	attr.flags = *strict ? HUGEPFN_MAP_STRICT : 0;
	*largest = sizes[random_chance(w, 20) ? random_below(w, 3) : 0] /
		   page_size;
	if (*largest > w->shared->largest)
		*largest = w->shared->largest;
	attr.max_order = __builtin_ctzll(*largest);
	expect(w, !ioctl(w->files[file], HUGEPFN_IOC_SET_MAP_ATTR, &attr),
	       "SET_MAP_ATTR: %s", strerror(errno));
	return attr.cache;
}

/* what must be so of a mapping that the kernel found an address for */
static void check_congruent(struct worker *w, const char *at, struct frames f)
{
	const uint64_t phys = w->phys + f.first * page_size;
	/* what a table maps; pud_size is less where no BAR is as large */
	const uint64_t sizes[] = { pmd_size * (page_size / 8), pmd_size };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const uint64_t head = -phys % sizes[i];

		if (bytes(f) < sizes[i] || bytes(f) - sizes[i] < head)
			continue;
		expect(w, ((uintptr_t)at ^ phys) % sizes[i] == 0,
		       "%p is not congruent to %#llx", at,
		       (unsigned long long)phys);
		return;
	}
}

struct request {
	struct frames frames;
	unsigned int file;
	uint32_t mode, want;
	uint64_t largest;
	bool private, strict;
	char *at;
	int prot, flags;
};

static struct request random_request(struct worker *w)
{
	static const int prots[] = { RW, RW, RW, PROT_READ, PROT_NONE };
	struct request r = { .frames = random_frames(w) };

	r.file = random_below(w, FILES);
	r.mode = set_mode(w, r.file, &r.strict, &r.largest);
	r.want = w->type_of[w->sync[r.file]][r.mode];
	r.private = frames_count(r.frames) <= PRIVATE_PAGES &&
		    random_chance(w, 20);
	r.prot = prots[random_below(w, 5)];
	r.flags = r.private ? MAP_PRIVATE : MAP_SHARED;
	/* to copy it must be writable, now or some day: all private ones are */
	if (!random_chance(w, 10))
		r.at = random_address(w, r.frames);
	if (r.at && !random_chance(w, 10))
		r.flags |= MAP_FIXED_NOREPLACE;
	return r;
}

static void adopt(struct worker *w, const struct request *r,
		  const struct forecast *how, char *at)
{
	const int advice = has_pmd && !r->private ? MADV_HUGEPAGE :
						    MADV_NORMAL;
	struct mapping *m = model_map(w, at, r->frames, r->prot, advice);
	struct segment *s = &w->segments[w->nsegments - 1];
	struct hugepfn_range_info info;

	m->private = r->private;
	m->fd = w->files[r->file];
	m->largest = r->largest;
	info = query(w, s, r->frames);
	expect(w, sum(&info) == (r->private ? bytes(r->frames) : 0),
	       "a new mapping has %llu bytes mapped",
	       (unsigned long long)sum(&info));
	expect(w, !how->granted || info.cache == how->granted,
	       "cache mode %u instead of %u", info.cache, how->granted);
	expect(w, !r->strict || info.cache == r->mode,
	       "cache mode %u where only %u would do", info.cache, r->mode);
	m->granted = info.cache;
	expect(w, how->shared || !(model_types(w, r->frames) &
				   ~(1U << info.cache)),
	       "cache mode %u beside another", info.cache);
	m->track = model_track(w, how, r->frames, r->want, info.cache);
}

static void op_mmap(struct worker *w)
{
	struct request r;
	struct forecast how;
	char *p;

	make_room(w, 1);
	r = random_request(w);
	note(w, r.at, r.frames, r.mode);
	/* a child of another thread's holds what we gave up, until it ends */
	pthread_rwlock_rdlock(w->fork_lock);
	how = model_forecast(w, r.frames, r.mode, r.want, r.strict);
	p = mmap(r.at, bytes(r.frames), r.prot, r.flags, w->files[r.file],
		 w->offset + (w->is_uio ? 0 : w->phys +
			      r.frames.first * page_size));
	if (how.err || (!how.sure && p == MAP_FAILED)) {
		expect(w, p == MAP_FAILED, "mmap works, and should fail: %s",
		       strerror(how.err ?: EAGAIN));
		expect_errno(w, errno, how.err ?: EAGAIN, "mmap");
	} else {
		expect(w, p != MAP_FAILED, "mmap: %s", strerror(errno));
		expect(w, !r.at || p == r.at, "mmap: %p instead of %p", p,
		       r.at);
		if (!r.at)
			check_congruent(w, p, r.frames);
		adopt(w, &r, &how, p);
	}
	pthread_rwlock_unlock(w->fork_lock);
}

static void op_munmap(struct worker *w)
{
	struct segment *s;

	make_room(w, 2);
	s = random_segment(w);
	if (!s)
		return;
	s = model_cut(w, s, random_part(w, s));
	note(w, s->start, s->frames, 0);
	unmap_all_of(w, s);
}

static void op_mprotect(struct worker *w)
{
	static const int prots[] = { RW, PROT_READ, PROT_NONE };
	const int prot = prots[random_below(w, 3)];
	struct segment *s;
	int err;

	make_room(w, 2);
	s = random_segment(w);
	if (!s)
		return;
	/* where nothing changes the kernel cuts nothing either */
	if (s->prot != prot)
		s = model_cut(w, s, random_part(w, s));
	note(w, s->start, s->frames, prot);
	err = mprotect(s->start, bytes(s->frames), prot) ? errno : 0;
	if (s->map->private && !private_outlives_mprotect) {
		expect_errno(w, err, EACCES, "mprotect");
		return;
	}
	expect_errno(w, err, 0, "mprotect");
	s->prot = prot;
}

static void op_mremap(struct worker *w)
{
	struct segment *s;
	struct frames part;
	char *to, *p;

	make_room(w, 2);
	s = random_segment(w);
	if (!s)
		return;
	part = random_part(w, s);
	to = random_address(w, part);
	if (!to)
		return;
	s = model_cut(w, s, part);
	note(w, s->start, part, (uintptr_t)to);
	p = mremap(s->start, bytes(s->frames), bytes(s->frames),
		   MREMAP_MAYMOVE | MREMAP_FIXED, to);
	expect(w, p == to, "mremap: %p, %s", p,
	       p == MAP_FAILED ? strerror(errno) : "");
	s->start = to;
}

static void op_madvise(struct worker *w)
{
	static const int advices[] = {
		MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTNEED,
	};
	const int advice = advices[random_below(w, 3)];
	struct segment *s;
	int err;

	make_room(w, 2);
	s = random_segment(w);
	if (!s)
		return;
	/* a private one keeps what it has, and huge entries it has none */
	if (s->advice != advice && advice != MADV_DONTNEED &&
	    !s->map->private)
		s = model_cut(w, s, random_part(w, s));
	note(w, s->start, s->frames, advice);
	err = madvise(s->start, bytes(s->frames), advice) ? errno : 0;
	if (advice == MADV_DONTNEED)
		expect_errno(w, err, EINVAL, "MADV_DONTNEED");
	else if (access("/sys/kernel/mm/transparent_hugepage", F_OK))
		expect_errno(w, err, EINVAL, "madvise");
	else
		expect_errno(w, err, 0, "madvise");
	if (!err)
		s->advice = advice;
}

static bool any_claimed(const struct worker *w, struct frames f)
{
	return frames_overlap(w->claimed, f);
}

static void op_populate(struct worker *w)
{
	struct segment *s = random_segment(w);
	struct frames f;
	bool forbidden;
	int err;

	if (!s || s->map->fd < 0 || s->map->private)
		return;
	f = random_part(w, s);
	if (bytes(f) > 4 * pmd_size)
		f.last = f.first + 4 * pmd_size / page_size - 1;
	note(w, segment_at(s, f.first), f, s->prot);
	err = populate_errno(s->map->fd, segment_at(s, f.first), bytes(f));
	forbidden = any_claimed(w, f);
	if (!s->prot)
		expect(w, !err || err == EACCES, "POPULATE: %s", strerror(err));
	else
		expect_errno(w, err, forbidden ? EPERM : 0, "POPULATE");
	if (!err)
		check_page(w, s, f.last, false);
}

static int write_claim(struct worker *w, struct frames f)
{
	char text[80];
	int n;

	n = f.last < f.first ? snprintf(text, sizeof(text), "%u 0 0", w->index) :
		snprintf(text, sizeof(text), "%u %llx %llx", w->index,
			 (unsigned long long)(w->phys + f.first * page_size),
			 (unsigned long long)bytes(f));
	return pwrite(w->claims, text, n, 0) == n ? 0 : errno;
}

static void unmap_stranger(struct worker *w)
{
	struct stranger *other = &w->stranger;

	if (other->at)
		munmap(other->at, bytes(other->frames));
	other->at = NULL;
}

/*
 * A driver comes, or goes. What /dev/mem had mapped there is gone, and up to
 * 6.15 the type of all that mapping's range with it; later kernels keep that.
 */
static void op_claim(struct worker *w)
{
	struct frames f = NOTHING;

	if (w->is_uio || !w->shared->revocable)
		return;
	if (w->claimed.last < w->claimed.first)
		f = random_frames(w);
	note(w, NULL, f, 0);
	if (frames_overlap(w->stranger.frames, f))
		unmap_stranger(w);
	expect_errno(w, write_claim(w, f), 0, "claim");
	model_claim(w, f);
}

/* somebody else maps a part of it, by /dev/mem */
static void op_stranger(struct worker *w)
{
	const bool sync = random_chance(w, 50);
	const uint32_t want = sync ? HUGEPFN_CACHE_UC_MINUS : HUGEPFN_CACHE_WB;
	struct stranger *other = &w->stranger;
	uint32_t types;
	bool may;
	int fd;

	if (w->is_uio || !w->shared->tracked)
		return;
	if (other->at) {
		unmap_stranger(w);
		return;
	}
	other->frames = random_frames(w);
	if (frames_count(other->frames) > 4 * WINDOW_PAGES ||
	    any_claimed(w, other->frames))
		return;
	note(w, NULL, other->frames, sync);
	pthread_rwlock_rdlock(w->fork_lock);
	types = model_types(w, other->frames);
	/* reserved as a whole, so with several types in it not at all */
	may = !types || (!(types & (types - 1)) &&
			 model_may_become(want, __builtin_ctz(types)));
	fd = open("/dev/mem", O_RDWR | (sync ? O_SYNC : 0));
	other->at = mmap(NULL, bytes(other->frames), PROT_READ, MAP_SHARED, fd,
			 w->phys + other->frames.first * page_size);
	close(fd);
	pthread_rwlock_unlock(w->fork_lock);
	expect(w, (other->at != MAP_FAILED) == may, "/dev/mem: %s",
	       may ? strerror(errno) : "mapped beside another type");
	other->granted = types ? (uint32_t)__builtin_ctz(types) : want;
	if (!may)
		other->at = NULL;
}

/* in a child: it has what its parent has, and gives it up as it likes */
static void check_child(struct worker *w)
{
	uint64_t frame, word;

	while (w->nsegments) {
		struct segment *s = random_segment(w);
		int want;

		if (random_frame(w, s, &frame)) {
			want = model_access(w, s, frame, false);
			note(w, segment_at(s, frame), s->frames, want);
			expect(w, load_word(segment_at(s, frame), &word) == want,
			       "a child reads page %#llx otherwise",
			       (unsigned long long)frame);
			if (!want)
				expect_word(w, word,
					    *model_word(w, s, frame, false));
		}
		if (random_chance(w, 50))
			break;
		unmap_all_of(w, s);
	}
}

static void op_fork(struct worker *w)
{
	const bool execs = random_chance(w, 10);
	int status, out;
	pid_t child;

	note(w, NULL, NOTHING, execs);
	pthread_rwlock_wrlock(w->fork_lock);
	child = fork();
	if (!child) {
		check_child(w);
		if (!execs)
			_exit(0);
		out = open("/dev/null", O_WRONLY);
		dup2(out, 1);
		execl("/proc/self/exe", "hugepfn-test", "--help", NULL);
		_exit(127);
	}
	expect(w, child > 0, "fork: %s", strerror(errno));
	expect(w, waitpid(child, &status, 0) == child, "waitpid: %s",
	       strerror(errno));
	pthread_rwlock_unlock(w->fork_lock);
	expect(w, !status, "the child's status is %#x", status);
}

/* debugfs lists just what the model has */
static void op_reservations(struct worker *w)
{
	char text[16384], *line, *save = NULL;
	unsigned int i, listed = 0, known = 0;
	ssize_t n;
	int fd;

	pthread_rwlock_rdlock(w->fork_lock);
	fd = open(RESERVATIONS, O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	pthread_rwlock_unlock(w->fork_lock);
	if (n < 0 || n == sizeof(text) - 1)
		return;
	text[n] = '\0';
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned long long start, end;

		if (*line != '\t' && sscanf(line, "%llx-%llx", &start, &end) == 2)
			listed += start >= w->phys &&
				  end < w->phys + w->npages * page_size;
	}
	for (i = 0; i < SEGMENTS; i++)
		known += w->tracks[i].used;
	expect(w, listed == known, "%u reservations instead of %u", listed,
	       known);
}

/* what reads page tables, and what arms them for soft-dirty tracking */
static void op_walk(struct worker *w)
{
	static const char *const files[] = {
		"/proc/self/smaps", "/proc/self/numa_maps",
		"/proc/self/pagemap", "/proc/self/clear_refs",
	};
	const unsigned int which = random_below(w, 4);
	const struct segment *s = random_segment(w);
	char buf[4096];
	int fd;

	note(w, files[which], NOTHING, which);
	fd = open(files[which], which == 3 ? O_WRONLY : O_RDONLY);
	if (fd < 0)
		return;
	if (which == 3)
		(void)!write(fd, "4", 1);
	else if (which == 2 && s)
		(void)!pread(fd, buf, sizeof(buf), (uintptr_t)s->start /
			     page_size * 8);
	else
		while (which < 2 && read(fd, buf, sizeof(buf)) > 0)
			;
	close(fd);
}

static void refuse_map(struct worker *w, int fd, uint64_t offset, uint64_t len,
		       int prot, int err)
{
	void *p = mmap(NULL, len, prot, MAP_SHARED, fd, (off_t)offset);

	expect(w, p == MAP_FAILED, "mmap of %#llx works",
	       (unsigned long long)offset);
	expect_errno(w, errno, err, "mmap");
}

static void refuse_query(struct worker *w, int fd, const char *at,
			 uint64_t len, uint32_t flags, int err)
{
	struct hugepfn_range_info info = {
		.size = sizeof(info), .flags = flags,
		.addr = (uintptr_t)at, .length = len,
	};

	expect_errno(w, ioctl(fd, HUGEPFN_IOC_QUERY_RANGE, &info) ? errno : 0,
		     err, "QUERY_RANGE");
}

/* kernels let no frames be watched, or livelock over the marks in the tables */
static void refuse_userfaultfd(struct worker *w, const struct segment *s)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = 1 << 15,	/* UFFD_FEATURE_WP_ASYNC, 6.7 */
	};
	struct uffdio_register range = {
		.range = { (uintptr_t)s->start, bytes(s->frames) },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd >= 0 && !ioctl(fd, UFFDIO_API, &api))
		expect(w, ioctl(fd, UFFDIO_REGISTER, &range) == -1 &&
		       errno == EINVAL, "userfaultfd takes device memory");
	close(fd);
}

/* what never works */
static void op_refused(struct worker *w)
{
	const struct segment *s = random_segment(w);
	const unsigned int which = random_below(w, 10);
	const int fd = w->files[0];
	struct hugepfn_map_attr attr = { .size = sizeof(attr), .flags = ~0U };

	note(w, s ? s->start : NULL, NOTHING, which);
	switch (which) {
	case 0:
		if (!w->is_uio)
			refuse_map(w, fd, w->shared->ram[random_below(w, w->shared->nram)],
				   page_size, PROT_READ, EPERM);
		break;
	case 1:
		refuse_map(w, fd, w->is_uio ? w->offset : -page_size,
			   w->is_uio ? (w->npages + 1) * page_size : page_size,
			   PROT_READ, EINVAL);
		break;
	case 2:
		if (!w->is_uio)
			refuse_map(w, fd, w->phys, page_size,
				   PROT_READ | PROT_EXEC, EPERM);
		break;
	case 3:
		expect_errno(w, ioctl(fd, HUGEPFN_IOC_SET_MAP_ATTR, &attr) ?
			     errno : 0, EINVAL, "SET_MAP_ATTR");
		break;
	case 4:
		refuse_query(w, fd, w->arena + w->arena_pages * page_size,
			     page_size, 0, ENOMEM);
		break;
	case 5:
		refuse_query(w, fd, w->arena + 1, page_size, 0, EINVAL);
		break;
	case 6:
		if (s && s->map->fd != fd)
			refuse_query(w, fd, s->start, page_size, 0, EINVAL);
		break;
	case 7:
		if (s)
			refuse_query(w, fd, s->start, page_size, 1, EINVAL);
		break;
	case 8:
		if (s && !s->map->private)
			expect(w, mremap(s->start, page_size, 2 * page_size,
					 MREMAP_MAYMOVE) == MAP_FAILED &&
			       errno == EFAULT, "a mapping grows");
		break;
	case 9:
		if (s && !s->map->private)
			refuse_userfaultfd(w, s);
		break;
	}
}

static void open_file(struct worker *w, unsigned int i)
{
	w->sync[i] = random_chance(w, 30);
	w->files[i] = open(w->node, O_RDWR | (w->sync[i] ? O_SYNC : 0));
	expect(w, w->files[i] >= 0, "%s: %s", w->node, strerror(errno));
}

static void close_file(struct worker *w, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < w->nsegments; k++)
		if (w->segments[k].map->fd == w->files[i])
			w->segments[k].map->fd = -1;
	close(w->files[i]);
}

/* its mappings stay */
static void op_reopen(struct worker *w)
{
	const unsigned int i = random_below(w, FILES);

	note(w, NULL, NOTHING, i);
	close_file(w, i);
	open_file(w, i);
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), err = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

static void bind_device(struct worker *w)
{
	struct uio_node node;
	char parent[80];
	unsigned int i;
	int index;

	if (w->is_uio) {
		expect_errno(w, write_text(DRIVER "bind", w->pci), 0, "bind");
		snprintf(parent, sizeof(parent), "/sys/bus/pci/devices/%s",
			 w->pci);
		expect(w, uio_find(parent, "hugeuio", &node), "no node");
		index = uio_map_index(&node, "BAR2");
		expect(w, index >= 0, "no map of BAR2");
		w->offset = index * page_size;
		snprintf(w->node, sizeof(w->node), "%s", node.dev);
	}
	for (i = 0; i < FILES; i++)
		open_file(w, i);
}

static void unbind_device(struct worker *w)
{
	unsigned int i;

	if (w->is_uio) {
		expect_errno(w, write_text(DRIVER "unbind", w->pci), 0,
			     "unbind");
		model_leave(w);
		refuse_map(w, w->files[0], w->offset, page_size, PROT_READ,
			   ENODEV);
	}
	for (i = 0; i < FILES; i++)
		close_file(w, i);
}

/* the driver leaves, and another one comes, with what is mapped in place */
static void op_rebind(struct worker *w)
{
	if (!w->is_uio)
		return;
	note(w, NULL, NOTHING, 0);
	unbind_device(w);
	bind_device(w);
}

static const struct {
	const char *name;
	void (*fn)(struct worker *w);
	unsigned int weight;	/* of 10,000 */
} ops[] = {
	{ "touch", op_touch, 8200 },
	{ "query", op_query, 650 },
	{ "mmap", op_mmap, 240 },
	{ "munmap", op_munmap, 150 },
	{ "mprotect", op_mprotect, 170 },
	{ "mremap", op_mremap, 130 },
	{ "madvise", op_madvise, 60 },
	{ "populate", op_populate, 70 },
	{ "access", op_peek, 130 },
	{ "claim", op_claim, 40 },
	{ "stranger", op_stranger, 40 },
	{ "refused", op_refused, 90 },
	{ "reopen", op_reopen, 8 },
	{ "reservations", op_reservations, 7 },
	{ "walk", op_walk, 5 },
	{ "fork", op_fork, 6 },
	{ "rebind", op_rebind, 4 },
};
const unsigned int random_ops_n = sizeof(ops) / sizeof(*ops);

const char *random_op_name(unsigned int i)
{
	return ops[i].name;
}

void random_step(struct worker *w)
{
	unsigned int pick = random_below(w, 10000), i = 0;

	while (pick >= ops[i].weight)
		pick -= ops[i++].weight;
	w->steps[w->nsteps % STEPS] = (struct step){
		.op = ops[i].name, .n = w->nsteps,
	};
	w->progress->op = ops[i].name;
	ops[i].fn(w);
	w->progress->counts[i]++;
	w->nsteps++;
	atomic_fetch_add(&w->progress->done, 1);
}

/* clears the pages of interest, or compares them, by another way than ours */
static void by_devmem(struct worker *w, bool compare)
{
	int fd = open("/dev/mem", O_RDWR);
	unsigned int i, k;

	for (i = 0; i < w->nwindows; i++) {
		const uint64_t first = w->windows[i];
		char *p = mmap(NULL, WINDOW_PAGES * page_size, RW, MAP_SHARED,
			       fd, w->phys + first * page_size);

		expect(w, p != MAP_FAILED, "/dev/mem: %s", strerror(errno));
		for (k = 0; k < WINDOW_PAGES; k++) {
			uint64_t *word = (uint64_t *)(p + k * page_size);

			if (compare)
				expect_word(w, *word, w->words[first + k]);
			else
				*word = 0;
		}
		munmap(p, WINDOW_PAGES * page_size);
	}
	close(fd);
}

/* the type that each mode gets where nothing else is mapped */
static void learn_types(struct worker *w)
{
	unsigned int sync, mode;

	for (sync = 0; sync < 2; sync++)
		for (mode = 0; mode < MODES; mode++) {
			struct hugepfn_map_attr attr = {
				.size = sizeof(attr), .cache = mode,
			};
			int fd = open(w->node, O_RDWR | (sync ? O_SYNC : 0));
			struct segment s = { .map = &(struct mapping){ .fd = fd } };

			if (ioctl(fd, HUGEPFN_IOC_SET_MAP_ATTR, &attr)) {
				close(fd);
				continue;
			}
			s.start = mmap(NULL, page_size, RW, MAP_SHARED, fd,
				       w->offset + (w->is_uio ? 0 : w->phys));
			expect(w, s.start != MAP_FAILED, "mmap, mode %u: %s",
			       mode, strerror(errno));
			w->type_of[sync][mode] = query(w, &s, s.frames).cache;
			munmap(s.start, page_size);
			close(fd);
		}
}

void random_begin(struct worker *w)
{
	catch_signals();
	w->claimed = NOTHING;
	w->mem = open("/proc/self/mem", O_RDWR);
	w->claims = open("/sys/module/hugepfn_claims/parameters/claim",
			 O_WRONLY);
	expect(w, w->mem >= 0 && w->claims >= 0, "open: %s", strerror(errno));
	by_devmem(w, false);
	bind_device(w);
	learn_types(w);
}

void random_end(struct worker *w)
{
	while (w->nsegments)
		unmap_all_of(w, &w->segments[0]);
	unmap_stranger(w);
	write_claim(w, NOTHING);
	unbind_device(w);
	by_devmem(w, true);
	close(w->mem);
	close(w->claims);
}
