// SPDX-License-Identifier: GPL-2.0-only
/*
 * The suite of random operations: who does them, how long, and what must hold
 * when all have ended. See random.h.
 *
 * In the environment: HUGEPFN_RANDOM_OPS (100000 if neither is set) and
 * HUGEPFN_RANDOM_SECONDS say how long; HUGEPFN_RANDOM_SEED repeats a run, and
 * HUGEPFN_RANDOM_WORKER a worker's part of it alone, which is the same
 * operation for operation.
 */
#include "random.h"
#include "uio.h"

#include <signal.h>
#include <time.h>

#define RW (PROT_READ | PROT_WRITE)
#define PAT_LIST "/sys/kernel/debug/x86/pat_memtype_list"
#define MOST_WORKERS 8
#define THREADS 2		/* of a process */
#define PATIENCE 300		/* seconds in which a worker must get on */

static struct random_shared *shared;
static struct random_progress *progress;
static struct worker workers[MOST_WORKERS];
static pthread_rwlock_t fork_lock = PTHREAD_RWLOCK_INITIALIZER;

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* the first failure is told, with what led to it, and all others end too */
void random_failed(struct worker *w, const char *format, ...)
{
	char *to = shared->message;
	char *const end = to + sizeof(shared->message);
	va_list args;
	uint64_t i;

	if (atomic_flag_test_and_set(&shared->told))
		_exit(1);
	to += snprintf(to, end - to, "seed %llu, worker %u, step %llu (%s): ",
		       (unsigned long long)shared->seed, w->index,
		       (unsigned long long)w->nsteps, w->progress->op ?: "begin");
	va_start(args, format);
	to += vsnprintf(to, end - to, format, args);
	va_end(args);
	for (i = w->nsteps < STEPS ? 0 : w->nsteps - STEPS + 1;
	     i <= w->nsteps; i++) {
		const struct step *s = &w->steps[i % STEPS];

		to += snprintf(to, end - to,
			       "\n#   %llu %s at %#llx, pages %#llx-%#llx, %#llx",
			       (unsigned long long)s->n, s->op ?: "",
			       (unsigned long long)s->at,
			       (unsigned long long)s->first,
			       (unsigned long long)s->last,
			       (unsigned long long)s->more);
	}
	atomic_store(&shared->stop, true);
	_exit(1);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	random_begin(w);
	while (w->nsteps < w->limit && !atomic_load(&shared->stop))
		random_step(w);
	random_end(w);
	return NULL;
}

/* a process with workers @first to @end, less one */
static void work_together(unsigned int first, unsigned int end)
{
	pthread_t id[THREADS];
	unsigned int i;

	for (i = first; i < end; i++)
		if (pthread_create(&id[i - first], NULL, work, &workers[i]))
			_exit(1);
	for (i = first; i < end; i++)
		pthread_join(id[i - first], NULL);
	_exit(0);
}

static void add_window(struct worker *w, uint64_t frame)
{
	if (w->nwindows < WINDOWS && frame + WINDOW_PAGES <= w->npages)
		w->windows[w->nwindows++] = frame;
}

/* both ends, and about boundaries of entries, the largest first */
static void choose_windows(struct worker *w)
{
	const uint64_t sizes[] = { pud_size, pmd_size };
	uint64_t end = w->phys + w->npages * page_size, at;
	unsigned int i, n;

	add_window(w, 0);
	add_window(w, w->npages - WINDOW_PAGES);
	for (i = 0; i < 2; i++)
		for (at = w->phys - w->phys % sizes[i] + sizes[i], n = 0;
		     at < end && n < 4; at += sizes[i], n++)
			add_window(w, (at - w->phys) / page_size -
				   WINDOW_PAGES / 2);
	add_window(w, w->npages / 2);
}

static void set_up(unsigned int index, uint64_t phys, uint64_t size)
{
	struct worker *w = &workers[index];
	const uint64_t largest = size > pud_size ? size : pud_size;

	w->index = index;
	w->shared = shared;
	w->progress = &progress[index];
	w->fork_lock = &fork_lock;
	w->state = (shared->seed + 1) * 0x9e3779b97f4a7c15ULL + index * 2 + 1;
	w->phys = phys;
	w->npages = size / page_size;
	w->words = mmap(NULL, w->npages * sizeof(*w->words), RW,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(w->words != MAP_FAILED);
	choose_windows(w);
	/* halfway down, where the kernel puts nothing by itself; gaps between */
	w->arena_pages = 4 * largest / page_size;
	w->arena = (char *)((uintptr_t)reserve(page_size, pud_size, 0) / 2 /
			    pud_size * pud_size) +
		   index * (w->arena_pages * page_size + pud_size);
}

/* ivshmem, whose BAR is memory */
static bool set_up_device(unsigned int index)
{
	struct worker *w = &workers[index];
	char path[100];
	uint64_t size, at;

	if (!pci_find_hot(IVSHMEM, w->pci))
		return false;
	assert_int_equal(module_load("hugeuio_pci", ""), 0);
	pci_unbind(w->pci);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver_override",
		 w->pci);
	write_file(path, "hugeuio_pci");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/enable", w->pci);
	write_file(path, "1");
	at = pci_bar(w->pci, 2, &size);
	w->is_uio = true;
	set_up(index, at, size);
	return true;
}

/* a slice of the BAR for each, with the largest entries if there is room */
static unsigned int set_up_all(void)
{
	unsigned int n = bar_size / pud_size, i, slices;
	uint64_t size;

	n = n < 4 ? 4 : n > MOST_WORKERS ? MOST_WORKERS : n;
	slices = n < MOST_WORKERS ? n : n - 1;
	if (set_up_device(slices))
		n = slices + 1;
	else
		slices = n;
	size = bar_size / slices / pmd_size * pmd_size;
	if (size > pud_size)
		size = size / pud_size * pud_size;
	for (i = 0; i < slices; i++) {
		snprintf(workers[i].node, sizeof(workers[i].node),
			 "/dev/hugemem");
		set_up(i, bar + i * size, size);
	}
	return n;
}

static void note_ram(const struct iomem_range *r, void *arg)
{
	(void)arg;
	if (r->depth || strncmp(r->name, "System RAM", 10) ||
	    shared->nram + 2 > RAM_PAGES)
		return;
	shared->ram[shared->nram++] = r->start / page_size * page_size;
	shared->ram[shared->nram++] = r->end / page_size * page_size;
}

static void learn(void)
{
	shared->seed = setting("HUGEPFN_RANDOM_SEED", time(NULL));
	shared->tracked = !access(PAT_LIST, R_OK);
	shared->revocable = claims_are_revoked();
	shared->largest = (splitting_a_pud_warns() ? pmd_size : pud_size) /
			  page_size;
	iomem_each(note_ram, NULL);
	assert_true(shared->nram >= 2);
	if (!shared->revocable)
		print_message("# random: no claims, since this kernel revokes nothing\n");
}

static uint64_t done_by(unsigned int n)
{
	uint64_t done = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		done += atomic_load(&progress[i].done);
	return done;
}

/* until all have ended; a worker that does not get on is a failure */
static bool watch(const pid_t *pids, unsigned int processes, unsigned int n)
{
	const uint64_t seconds = setting("HUGEPFN_RANDOM_SECONDS", 0);
	const time_t begun = time(NULL);
	uint64_t before[MOST_WORKERS] = { 0 };
	time_t moved[MOST_WORKERS] = { 0 };
	unsigned int i, left = processes;
	bool good = true;
	int status;

	while (left) {
		pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid > 0) {
			left--;
			good = good && !status;
			if (status)
				atomic_store(&shared->stop, true);
			continue;
		}
		usleep(100000);
		if (seconds && time(NULL) - begun >= (time_t)seconds)
			atomic_store(&shared->stop, true);
		for (i = 0; i < n; i++) {
			uint64_t done = atomic_load(&progress[i].done);

			if (done != before[i] || !moved[i])
				moved[i] = time(NULL);
			before[i] = done;
			if (done < workers[i].limit && !shared->stop &&
			    time(NULL) - moved[i] > PATIENCE) {
				print_message("# worker %u hangs at step %llu (%s), seed %llu\n",
					      i, (unsigned long long)done,
					      progress[i].op,
					      (unsigned long long)shared->seed);
				for (i = 0; i < processes; i++)
					kill(pids[i], SIGKILL);
				return false;
			}
		}
	}
	return good;
}

static void report(unsigned int n, unsigned int processes, double seconds)
{
	unsigned int op, i;

	print_message("# random: seed %llu, %llu operations by %u threads of %u processes in %.0f s\n",
		      (unsigned long long)shared->seed,
		      (unsigned long long)done_by(n), n, processes, seconds);
	print_message("# random:");
	for (op = 0; op < random_ops_n; op++) {
		unsigned long count = 0;

		for (i = 0; i < n; i++)
			count += progress[i].counts[op];
		print_message(" %s %lu", random_op_name(op), count);
	}
	print_message("\n");
}

static char *memory_types(void)
{
	return access(PAT_LIST, R_OK) ? strdup("") : read_file(PAT_LIST);
}

static void *shared_memory(size_t size)
{
	void *p = mmap(NULL, size, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

static void each_step_ends_as_the_model_foretells(void **state)
{
	const int only = setting("HUGEPFN_RANDOM_WORKER", -1);
	uint64_t total = setting("HUGEPFN_RANDOM_OPS",
				 getenv("HUGEPFN_RANDOM_SECONDS") ? UINT64_MAX :
								    100000);
	pid_t pids[MOST_WORKERS];
	unsigned int n, i, processes = 0;
	char *before, *after;
	struct timespec begun, ended;
	bool good;

	(void)state;
	shared = shared_memory(sizeof(*shared));
	progress = shared_memory(MOST_WORKERS * sizeof(*progress));
	assert_int_equal(module_load("hugepfn_claims", ""), 0);
	learn();
	n = set_up_all();
	before = memory_types();
	clock_gettime(CLOCK_MONOTONIC, &begun);
	for (i = 0; i < n; i++)
		workers[i].limit = total / n;
	fflush(stdout);
	for (i = 0; i < n; i += THREADS) {
		const unsigned int end = i + THREADS < n ? i + THREADS : n;
		const bool alone = only >= (int)i && only < (int)end;

		if (only >= 0 && !alone)
			continue;
		pids[processes++] = fork();
		if (!pids[processes - 1])
			work_together(alone ? (unsigned int)only : i,
				      alone ? only + 1U : end);
		assert_true(pids[processes - 1] > 0);
	}
	good = watch(pids, processes, n);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	report(n, processes, ended.tv_sec - begun.tv_sec +
	       (ended.tv_nsec - begun.tv_nsec) / 1e9);
	if (*shared->message)
		fail_msg("%s", shared->message);
	assert_true(good);

	/* nothing is left of it */
	after = read_file("/sys/kernel/debug/hugepfn/reservations");
	assert_string_equal(after, "");
	free(after);
	after = memory_types();
	assert_string_equal(after, before);
	free(after);
	free(before);
	assert_int_equal(module_unload("hugepfn_claims"), 0);
	if (workers[n - 1].is_uio)
		assert_int_equal(module_unload("hugeuio_pci"), 0);
}

const struct CMUnitTest random_tests[] = {
	cmocka_unit_test(each_step_ends_as_the_model_foretells),
};
const size_t random_tests_n = sizeof(random_tests) / sizeof(*random_tests);
