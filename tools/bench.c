// SPDX-License-Identifier: GPL-2.0-only
/* hugepfn bench: the ways to map a BAR, side by side in one run */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define DEFAULT_ROUNDS 5
#define MAX_ROUNDS 1000
#define MOST_UIO_MAP 4	/* MAX_UIO_MAPS - 1 */

static const char bench_help[] =
"usage: hugepfn bench DEVICE [OPTION]...\n\n"
"Maps a BAR of the PCI device DEVICE (0000:03:00.0 or 03:00.0) through /dev/mem,\n"
"sysfs, uio, hugeuio, /dev/hugemem and vfio-pci, from 2 MiB to its whole size, and\n"
"tells what each step takes: medians of several rounds. The device may have no\n"
"driver, and has none afterwards. It is read only with --touch.\n\n"
"  --touch          read the BAR: first touch, faults, sweep and random access\n"
"  --bar N          which BAR; else the largest memory BAR\n"
"  --uio NODE[:M]   also through map M (0) of the uio node NODE, which must show\n"
"                   the same BAR\n"
"  --max SIZE       no size above this\n"
"  --rounds N       rounds for each median (5)\n"
"  --unit NAME      what the clock counts, if not ns: QEMU's -icount makes it\n"
"                   instructions\n"
"  --json           for programs\n"
"  --help           this\n";

static const struct option bench_options[] = {
	{ "touch", no_argument, NULL, 't' },
	{ "bar", required_argument, NULL, 'b' },
	{ "uio", required_argument, NULL, 'u' },
	{ "max", required_argument, NULL, 'm' },
	{ "rounds", required_argument, NULL, 'r' },
	{ "unit", required_argument, NULL, 'U' },
	COMMON_OPTIONS
};

struct settings {
	struct bench_bar bar;
	int wanted_bar;		/* -1: the largest */
	uint64_t max;
	unsigned int rounds;
	const char *unit;
	bool touch;
};

static const struct {
	const char *name, *unit;	/* NULL: the clock's */
} cases[BENCH_CASES] = {
	[BENCH_MMAP] = { "mmap", NULL },
	[BENCH_POPULATE] = { "populate", NULL },
	[BENCH_FIRST_TOUCH] = { "first_touch", NULL },
	[BENCH_FAULTS] = { "faults", "faults" },
	[BENCH_SET_UP] = { "set_up", NULL },
	[BENCH_SWEEP] = { "sweep_1000", NULL },
	[BENCH_RANDOM] = { "random_1000", NULL },
	[BENCH_DTLB_MISSES] = { "dtlb_misses", "misses" },
	[BENCH_PAGE_TABLES] = { "page_tables", "bytes" },
	[BENCH_FORK] = { "fork", NULL },
	[BENCH_MUNMAP] = { "munmap", NULL },
};

static void parse_uio(struct bench_bar *bar, char *text)
{
	char *colon = strchr(text, ':');

	if (colon) {
		*colon = '\0';
		bar->uio_map = number_within("--uio's map", colon + 1, 0,
					     MOST_UIO_MAP);
	}
	bar->uio = text;
}

static void parse(struct settings *s, int argc, char **argv)
{
	int option;

	while ((option = next_option(argc, argv, bench_options,
				     bench_help)) >= 0) {
		switch (option) {
		case 't':
			s->touch = true;
			break;
		case 'b':
			s->wanted_bar = number_within("--bar", optarg, 0, 5);
			break;
		case 'u':
			parse_uio(&s->bar, optarg);
			break;
		case 'm':
			s->max = page_multiple("--max", optarg);
			if (!s->max)
				die_usage("--max 0 leaves nothing to measure");
			break;
		case 'r':
			s->rounds = number_within("--rounds", optarg, 1,
						  MAX_ROUNDS);
			break;
		case 'U':
			s->unit = optarg;
			break;
		}
	}
	s->bar.device = pci_find(operand(argc, argv, "DEVICE"));
	no_more_operands(argc, argv);
}

static void check_unused(const struct pci_device *device)
{
	char *driver = pci_driver(device);

	if (driver)
		die("%s is with %s: take it away first, echo %s >%s/driver/unbind",
		    device->address, driver, device->address, device->sysfs);
}

/* the BAR that was asked for, or the largest, by sysfs' file of resources */
static void find_bar(struct settings *s)
{
	char *text = file_text("%s/resource", s->bar.device.sysfs), *line = text;
	unsigned long long start, end, flags;
	int i;

	for (i = 0; line && i < 6; i++, line = strchr(line + 1, '\n')) {
		if (sscanf(line, "%llx %llx %llx", &start, &end, &flags) != 3 ||
		    !(flags & 0x200))	/* IORESOURCE_MEM */
			continue;
		if (s->wanted_bar >= 0 ? i != s->wanted_bar :
		    end - start + 1 <= s->bar.size)
			continue;
		s->bar.bar = i;
		s->bar.address = start;
		s->bar.size = end - start + 1;
	}
	free(text);
	if (!s->bar.size)
		die("%s has no such memory BAR: lspci -v -s %s shows them",
		    s->bar.device.address, s->bar.device.address);
	if (s->bar.size % getpagesize())
		die("BAR %u of %s is smaller than a page: --bar names another",
		    s->bar.bar, s->bar.device.address);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* the row of a case and a size, made when it is first asked for */
static struct json_object *row(struct json_object *rows, const char *name,
			       const char *unit, uint64_t size)
{
	struct json_object *object;
	size_t i;

	for (i = 0; i < json_object_array_length(rows); i++) {
		object = json_object_array_get_idx(rows, i);
		if (get_number(object, "size") == size &&
		    !strcmp(get_text(object, "case"), name))
			return object;
	}
	object = json_object_new_object();
	put_text(object, "case", name);
	put_number(object, "size", size);
	put_text(object, "unit", unit);
	json_object_object_add(object, "spread", json_object_new_object());
	json_object_array_add(rows, object);
	return object;
}

static void put_case(struct json_object *object, const char *peer,
		     uint64_t *values, unsigned int n)
{
	struct json_object *spread = json_object_new_array();

	qsort(values, n, sizeof(*values), by_value);
	put_number(object, peer, values[n / 2]);
	json_object_array_add(spread, json_object_new_uint64(values[0]));
	json_object_array_add(spread, json_object_new_uint64(values[n - 1]));
	json_object_object_add(json_object_object_get(object, "spread"), peer,
			       spread);
}

static void measure(const struct settings *s, const struct bench_peer *peer,
		    const char *name, uint64_t size, struct json_object *rows)
{
	struct bench_round *rounds = calloc(s->rounds, sizeof(*rounds));
	uint64_t *values = calloc(s->rounds, sizeof(*values));
	unsigned int i, c;

	if (!rounds || !values)
		die("out of memory");
	bench_measure(peer, size, s->touch);	/* warms caches up */
	for (i = 0; i < s->rounds; i++)
		rounds[i] = bench_measure(peer, size, s->touch);
	for (c = 0; c < BENCH_CASES; c++) {
		for (i = 0; i < s->rounds; i++)
			values[i] = rounds[i].value[c];
		if (values[0] != BENCH_NONE)
			put_case(row(rows, cases[c].name,
				     cases[c].unit ?: s->unit, size),
				 name, values, s->rounds);
	}
	free(values);
	free(rounds);
}

/* 2 MiB, 8 MiB and so on, and the whole */
static uint64_t next_size(uint64_t size, uint64_t most)
{
	if (size >= most)
		return 0;
	return size * 4 < most ? size * 4 : most;
}

static void measure_peer(const struct settings *s, unsigned int which,
			 struct json_object *rows, struct json_object *skipped)
{
	const char *name = bench_peer_name(which), *why;
	const uint64_t most = s->bar.size < s->max ? s->bar.size : s->max;
	const uint64_t least = most < 2 << 20 ? most : 2 << 20;
	struct bench_peer peer;
	uint64_t size;

	why = bench_peer_open(which, &s->bar, &peer);
	if (why)
		put_text(skipped, name, why);
	else
		for (size = least; size; size = next_size(size, most))
			measure(s, &peer, name, size, rows);
	bench_peer_close(&peer);
}

static void print_people(struct json_object *root)
{
	struct column columns[3 + BENCH_PEERS] = {
		{ "case", "CASE", CELL_TEXT },
		{ "size", "SIZE", CELL_SIZE },
		{ "unit", "UNIT", CELL_TEXT },
	};
	struct json_object *skipped = json_object_object_get(root, "skipped");
	unsigned int i, n = 3;

	for (i = 0; i < BENCH_PEERS; i++)
		if (!json_object_object_get(skipped, bench_peer_name(i)))
			columns[n++] = (struct column) {
				bench_peer_name(i), bench_peer_name(i),
				CELL_NUMBER
			};
	print_table(json_object_object_get(root, "rows"), columns, n);
	json_object_object_foreach(skipped, name, why)
		printf("not measured: %s: %s\n", name,
		       json_object_get_string(why));
}

static int order(const void *a, const void *b)
{
	struct json_object *x = *(struct json_object **)a;
	struct json_object *y = *(struct json_object **)b;
	unsigned int i = 0, j = 0;

	while (strcmp(cases[i].name, get_text(x, "case")))
		i++;
	while (strcmp(cases[j].name, get_text(y, "case")))
		j++;
	if (i != j)
		return i < j ? -1 : 1;
	return get_number(x, "size") < get_number(y, "size") ? -1 : 1;
}

static void measure_all(const struct settings *s)
{
	struct json_object *root = json_object_new_object();
	struct json_object *rows = json_object_new_array();
	struct json_object *skipped = json_object_new_object();
	struct progress progress;
	struct utsname uts;
	unsigned int i;

	uname(&uts);
	put_text(root, "kernel", uts.release);
	put_text(root, "unit", s->unit);
	put_text(root, "device", s->bar.device.address);
	put_number(root, "bar", s->bar.bar);
	put_number(root, "rounds", s->rounds);
	json_object_object_add(root, "rows", rows);
	json_object_object_add(root, "skipped", skipped);

	progress = progress_begin("measuring", BENCH_PEERS);
	for (i = 0; i < BENCH_PEERS; i++) {
		progress_show(&progress, i);
		measure_peer(s, i, rows, skipped);
	}
	progress_end(&progress);

	json_object_array_sort(rows, order);
	if (json_wanted)
		print_json(root);
	else
		print_people(root);
	json_object_put(root);
}

/* what asks this process to end, ends the child; 0, or 1 if it failed */
static int wait_for(pid_t child, const sigset_t *set)
{
	int sig, status;

	do {
		sigwait(set, &sig);
		if (sig != SIGCHLD)
			kill(child, sig);
	} while (waitpid(child, &status, WNOHANG) != child);
	if (WIFSIGNALED(status))
		warn("ended while measuring: %s", strsignal(WTERMSIG(status)));
	return status ? EXIT_FAILED : EXIT_OK;
}

/*
 * A child measures, so that the device is left as it was found whatever ends
 * that: no file of its drivers is open then.
 */
int cmd_bench(int argc, char **argv)
{
	struct settings s = {
		.wanted_bar = -1,
		.max = UINT64_MAX,
		.rounds = DEFAULT_ROUNDS,
		.unit = "ns",
	};
	sigset_t set, before;
	pid_t child;
	int status;

	parse(&s, argc, argv);
	find_bar(&s);
	check_unused(&s.bar.device);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	child = fork();
	if (child < 0)
		die("fork: %m");
	if (!child) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		measure_all(&s);
		return EXIT_OK;
	}
	status = wait_for(child, &set);
	bench_leave(&s.bar.device);
	return status;
}
