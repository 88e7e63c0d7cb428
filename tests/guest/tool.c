// SPDX-License-Identifier: GPL-2.0-only
/* The command `hugepfn`, by its output, its errors and its exit status */
#include "uio.h"

#include <pty.h>
#include <signal.h>
#include <spawn.h>

#include <json-c/json.h>

#define MAX_ARGS 16

extern char **environ;

/* what a run of the command left */
static char out[1 << 17], err[1 << 12];

static pid_t spawn(char *const argv[], int out_fd, int err_fd)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int ret;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out_fd, 1);
	posix_spawn_file_actions_adddup2(&actions, err_fd, 2);
	ret = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (ret)
		fail_msg("%s: %s", argv[0], strerror(ret));
	return pid;
}

static int exit_status(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status))
		fail_msg("signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

static void take(FILE *f, char *text, size_t room)
{
	size_t n;

	rewind(f);
	n = fread(text, 1, room - 1, f);
	text[n] = '\0';
	fclose(f);
}

/* a run that goes on, and where its output goes */
struct started {
	pid_t pid;
	FILE *to_out, *to_err;
};

/* arguments are split at spaces */
static struct started start(char *line)
{
	struct started s = { .to_out = tmpfile(), .to_err = tmpfile() };
	char *argv[MAX_ARGS] = { "hugepfn" }, *save = NULL;
	int n = 1;

	for (char *arg = strtok_r(line, " ", &save); arg;
	     arg = strtok_r(NULL, " ", &save)) {
		assert_in_range(n, 1, MAX_ARGS - 2);
		argv[n++] = arg;
	}
	assert_non_null(s.to_out);
	assert_non_null(s.to_err);
	s.pid = spawn(argv, fileno(s.to_out), fileno(s.to_err));
	return s;
}

/* its exit status */
static int end(const struct started *s)
{
	const int status = exit_status(s->pid);

	take(s->to_out, out, sizeof(out));
	take(s->to_err, err, sizeof(err));
	return status;
}

static int run(const char *format, ...)
{
	struct started s;
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	s = start(line);
	return end(&s);
}

/* a run that must succeed, with --json; to be put */
#define run_json(...) parse_ok(run(__VA_ARGS__))

static struct json_object *parse_ok(int status)
{
	struct json_object *root;

	if (status)
		fail_msg("exit status %d: %s", status, err);
	assert_string_equal(err, "");
	root = json_tokener_parse(out);
	if (!root)
		fail_msg("no JSON: %s", out);
	return root;
}

static struct json_object *get(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value))
		fail_msg("no %s in %s", key, json_object_to_json_string(object));
	return value;
}

static uint64_t get_number(struct json_object *object, const char *key)
{
	return json_object_get_uint64(get(object, key));
}

static const char *get_text(struct json_object *object, const char *key)
{
	return json_object_get_string(get(object, key));
}

/* of an array of objects, the one whose @key is @text; NULL if none is */
static struct json_object *find_text(struct json_object *array,
				     const char *key, const char *text)
{
	size_t i;

	for (i = 0; i < json_object_array_length(array); i++) {
		struct json_object *o = json_object_array_get_idx(array, i);
		const char *value = get_text(o, key);

		if (value && !strcmp(value, text))
			return o;
	}
	return NULL;
}

static struct json_object *find_number(struct json_object *array,
				       const char *key, uint64_t n)
{
	size_t i;

	for (i = 0; i < json_object_array_length(array); i++) {
		struct json_object *o = json_object_array_get_idx(array, i);

		if (get_number(o, key) == n)
			return o;
	}
	return NULL;
}

/* that exit status, nothing on stdout, and one line that has @part in it */
static void assert_complains(int status, int want, const char *part)
{
	const char *end = strchr(err, '\n');

	if (status != want || !strstr(err, part))
		fail_msg("exit status %d, not %d with '%s': %s", status, want,
			 part, err);
	assert_string_equal(out, "");
	assert_non_null(end);
	assert_string_equal(end, "\n");
	assert_memory_equal(err, "hugepfn", 7);
}

static unsigned long long at(uint64_t offset)
{
	return bar + offset;
}

/* bytes that a mapping has by entries of that size */
static uint64_t mapped_by(struct json_object *root, uint64_t size)
{
	struct json_object *page = find_number(get(root, "pages"), "page_size",
					       size);

	return page ? get_number(page, "bytes") : 0;
}

static uint64_t largest_size(void)
{
	return has_pud ? pud_size : has_pmd ? pmd_size : page_size;
}

/* what a table of PMD entries spans, whether or not an entry can */
static uint64_t pud_span(void)
{
	return page_size / sizeof(uint64_t) * pmd_size;
}

static void every_command_has_its_help(void **state)
{
	static const char *const commands[] = {
		"status", "info", "map", "dump", "poke", "bind", "unbind",
		"bench"
	};
	char usage[40];
	size_t i;

	(void)state;
	assert_int_equal(run("--help"), 0);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		assert_non_null(strstr(out, commands[i]));
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		assert_int_equal(run("%s --help", commands[i]), 0);
		snprintf(usage, sizeof(usage), "usage: hugepfn %s", commands[i]);
		assert_memory_equal(out, usage, strlen(usage));
		assert_string_equal(err, "");
	}
}

/* the command's version is the module's, whose is in sysfs */
static void the_version_is_the_modules(void **state)
{
	char *version = read_file("/sys/module/hugepfn/version");
	char line[60];

	(void)state;
	snprintf(line, sizeof(line), "hugepfn %s", version);
	assert_int_equal(run("--version"), 0);
	assert_string_equal(out, line);
	free(version);
}

static void a_bad_command_line_is_told_in_one_line(void **state)
{
	static const struct {
		const char *args, *part;
	} rows[] = {
		{ "frobnicate", "no command 'frobnicate'" },
		{ "status x", "'x' is one argument too many" },
		{ "status --frob", "unrecognized option '--frob'" },
		{ "info x", "'x' is one argument too many" },
		{ "map", "ADDRESS is missing" },
		{ "map 64K", "LENGTH is missing" },
		{ "map 64K 64K 64K", "'64K' is one argument too many" },
		{ "map zz 64K", "ADDRESS 'zz' is not a number" },
		{ "map 64K 1.5G", "LENGTH '1.5G' is not a number" },
		{ "map 0x10001 64K", "ADDRESS 0x10001 is not a multiple of the page size, as 0x10000 is" },
		{ "map 64K 5000", "LENGTH 0x1388 is not a multiple" },
		{ "map 64K 0", "LENGTH 0 maps nothing" },
		{ "map 0xffffffffffff0000 128K", "wraps around" },
		{ "map 64K 64K --cache", "requires an argument" },
		{ "map 64K 64K --cache pink", "--cache 'pink' is none of uc, uc-minus, wc, wt, wb or device" },
		{ "map 64K 64K --strict", "--strict is about a --cache" },
		{ "map 64K 64K --order 3M", "--order '3M' is neither an order nor a size" },
		{ "map 64K 64K --at 1", "--at 0x1 is not a multiple" },
		{ "map 64K 64K --misalign 1", "--misalign 0x1 is not a multiple" },
		{ "map 64K 64K --at 2M --misalign 64K", "both say where" },
		{ "map 64K 64K --map 0", "--map is for /dev/hugeuioN" },
		{ "map 64K 64K --map -1", "--map '-1' is not a number" },
		{ "map --node /dev/hugemem", "ADDRESS is missing" },
		{ "dump", "ADDRESS is missing" },
		{ "dump 0 0", "COUNT 0 reads nothing" },
		{ "dump 0 x", "COUNT 'x' is not a number" },
		{ "dump 0 1 2", "'2' is one argument too many" },
		{ "dump 0 --width 3", "--width '3' is none of 1, 2, 4 or 8" },
		{ "poke", "ADDRESS is missing" },
		{ "poke 0", "VALUE is missing" },
		{ "poke 0 ten", "VALUE 'ten' is not a number" },
		{ "poke 0 256 --width 1", "VALUE '256' has more than 1 bytes" },
		{ "bind", "DEVICE is missing" },
		{ "bind eth0", "DEVICE 'eth0' is no PCI address" },
		{ "bind 00:01.0 --interrupts all", "--interrupts 'all' is none of" },
		{ "bind 00:01.0 00:02.0", "'00:02.0' is one argument too many" },
		{ "unbind", "DEVICE is missing" },
		{ "bench", "DEVICE is missing" },
		{ "bench 00:01.0 --rounds 0", "--rounds 0 is not from 1 to" },
		{ "bench 00:01.0 --rounds 4294967297", "--rounds 4294967297 is not from 1 to" },
		{ "bench 00:01.0 --bar 6", "--bar 6 is not from 0 to 5" },
		{ "bench 00:01.0 --max much", "--max 'much' is not a number" },
		{ "bench 00:01.0 --max 1000", "--max 0x3e8 is not a multiple of the page size" },
		{ "map 4G 64K --at 0", "--at 0 is where nothing can be mapped" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_complains(run("%s", rows[i].args), 2, rows[i].part);
	assert_int_equal(run(""), 2);
	assert_memory_equal(err, "usage: hugepfn", 14);
}

static void status_tells_the_module_the_orders_and_the_node(void **state)
{
	struct json_object *root = run_json("status --json"), *module, *sizes;
	size_t i, n = 1 + has_pmd + has_pud;
	const uint64_t all[] = { page_size, pmd_size, pud_size };

	(void)state;
	module = get(root, "module");
	assert_true(json_object_get_boolean(get(module, "loaded")));
	sizes = get(root, "page_sizes");
	assert_int_equal(json_object_array_length(sizes), n);
	for (i = 0; i < n; i++)
		assert_int_equal(json_object_get_uint64(
			json_object_array_get_idx(sizes, i)), all[i]);
	assert_non_null(find_text(get(root, "nodes"), "node", "/dev/hugemem"));
	assert_int_equal(json_object_array_length(get(root, "reservations")), 0);
	json_object_put(root);
}

static void status_lists_live_maps_and_whose_they_are(void **state)
{
	char *p = map_bar(pmd_size, 2 * pmd_size);
	struct json_object *root = run_json("status --json"), *r, *map;

	(void)state;
	r = find_number(get(root, "reservations"), "start", bar + pmd_size);
	assert_non_null(r);
	assert_int_equal(get_number(r, "end"), bar + 3 * pmd_size - 1);
	map = find_number(get(r, "maps"), "pid", getpid());
	assert_non_null(map);
	assert_int_equal(get_number(map, "start"), bar + pmd_size);
	assert_int_equal(get_number(map, "size"), 2 * pmd_size);
	assert_string_equal(get_text(map, "node"), "hugemem");
	assert_string_equal(get_text(map, "command"), "hugepfn-test");
	assert_string_equal(get_text(map, "cache"), get_text(r, "cache"));
	json_object_put(root);

	assert_int_equal(run("status"), 0);
	assert_non_null(strstr(out, "hugepfn-test"));
	munmap(p, 2 * pmd_size);
	assert_int_equal(run("status"), 0);
	assert_null(strstr(out, "hugepfn-test"));
}

static void info_tells_the_largest_entry_of_the_bar(void **state)
{
	struct json_object *root = run_json("info --json"), *r;

	(void)state;
	r = find_number(get(root, "ranges"), "start", bar);
	assert_non_null(r);
	assert_int_equal(get_number(r, "size"), bar_size);
	assert_string_equal(get_text(r, "name"), getenv("HUGEPFN_BAR_DEV"));
	assert_true(json_object_get_boolean(get(r, "mappable")));
	assert_int_equal(get_number(r, "largest"), largest_size());
	if (has_pud)
		assert_null(get_text(r, "why"));
	else if (has_pmd && bar_size < pud_span())
		assert_memory_equal(get_text(r, "why"), "range: ", 7);
	else
		assert_memory_equal(get_text(r, "why"), "kernel: ", 8);
	json_object_put(root);
}

static void info_tells_why_not(void **state)
{
	struct json_object *root, *r;
	char small[40];

	(void)state;
	snprintf(small, sizeof(small), "range: smaller than %lluG",
		 (unsigned long long)(pud_span() / GIB(1)));
	assert_int_equal(claim(0, pmd_size + page_size), 0);
	root = run_json("info --json");
	release();
	r = find_number(get(root, "ranges"), "start", bar);
	assert_false(json_object_get_boolean(get(r, "mappable")));
	assert_null(get_text(r, "largest"));
	assert_string_equal(get_text(r, "why"), "claimed by 'hugepfn_claim'");
	/* the BAR's rest */
	r = find_number(get(root, "ranges"), "start",
			bar + pmd_size + page_size);
	assert_int_equal(get_number(r, "largest"), largest_size());
	r = find_text(get(root, "ranges"), "name", "System RAM");
	assert_false(json_object_get_boolean(get(r, "mappable")));
	json_object_put(root);

	assert_int_equal(claim(pmd_size + page_size, bar_size - pmd_size -
			       page_size), 0);
	root = run_json("info --json");
	release();
	r = find_number(get(root, "ranges"), "start", bar);
	assert_int_equal(get_number(r, "largest"),
			 has_pmd ? pmd_size : page_size);
	assert_string_equal(get_text(r, "why"), has_pmd ?
			    small :
			    "kernel: no 2M entries of device memory");
	json_object_put(root);
}

static void info_touches_nothing(void **state)
{
	(void)state;
	assert_int_equal(run("info"), 0);
	assert_non_null(strstr(out, "LARGEST"));
	assert_string_equal(err, "");
	if (memtypes_are_tracked())
		assert_false(reserved_as("", 0));
}

static void map_fills_by_the_largest_entries(void **state)
{
	struct json_object *root = run_json("map %#llx %llu --json", at(0),
					    (unsigned long long)bar_size);

	(void)state;
	assert_int_equal(mapped_by(root, largest_size()), bar_size);
	assert_int_equal(get_number(root, "physical"), bar);
	assert_int_equal(get_number(root, "length"), bar_size);
	assert_int_equal(get_number(root, "reserved"), bar_size);
	if (bar_size < pud_span())
		assert_true(get_number(root, "congruent") >= largest_size());
	else
		assert_int_equal(get_number(root, "congruent"), pud_span());
	json_object_put(root);
}

static void map_tells_smaller_entries_and_why(void **state)
{
	struct json_object *root;

	(void)state;
	root = run_json("map %#llx 64M --misalign %llu --json", at(0),
			(unsigned long long)page_size);
	assert_int_equal(mapped_by(root, page_size), MIB(64));
	assert_int_equal(get_number(root, "congruent"), page_size);
	if (has_pmd)
		assert_in_range(get_number(get(root, "smaller"), "offset"), 1,
				MIB(64) / page_size);
	json_object_put(root);

	root = run_json("map %#llx 64M --json", at(page_size));
	assert_int_equal(mapped_by(root, page_size) +
			 mapped_by(root, pmd_size), MIB(64));
	assert_int_equal(mapped_by(root, page_size),
			 has_pmd ? pmd_size : MIB(64));
	json_object_put(root);

	root = run_json("map %#llx 2G --misalign %llu --json", at(0),
			(unsigned long long)pmd_size);
	assert_int_equal(mapped_by(root, has_pmd ? pmd_size : page_size),
			 GIB(2));
	json_object_put(root);
}

static void map_keeps_to_a_limit(void **state)
{
	const unsigned long long limits[] = { page_size, 0, 1, 8 };
	const unsigned long long length = 2 * pmd_size;
	struct json_object *root;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		root = run_json("map %#llx %llu --order %llu --json", at(0),
				length, limits[i]);
		assert_int_equal(mapped_by(root, page_size), length);
		json_object_put(root);
	}
	root = run_json("map %#llx 2G --order %llu --json", at(0),
			(unsigned long long)pmd_size);
	assert_int_equal(mapped_by(root, has_pmd ? pmd_size : page_size),
			 GIB(2));
	json_object_put(root);
}

static void map_grants_the_cache_mode(void **state)
{
#ifdef __x86_64__
	static const char *const modes[] = { "uc", "uc-minus", "wc", "wb" };
	static const char absent[] = "device";
#else
	static const char *const modes[] = { "uc", "wc", "wb", "device" };
	static const char absent[] = "uc-minus";
#endif
	char message[60];
	struct json_object *root;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		root = run_json("map %#llx 2M --cache %s --strict --json",
				at(0), modes[i]);
		assert_string_equal(get_text(root, "asked"), modes[i]);
		assert_string_equal(get_text(root, "cache"), modes[i]);
		json_object_put(root);
	}
	snprintf(message, sizeof(message), "this machine has no cache mode %s",
		 absent);
	assert_complains(run("map %#llx 2M --cache %s", at(0), absent), 1,
			 message);
}

static void a_cache_conflict_says_what_to_do(void **state)
{
	char *p;

	(void)state;
	if (!memtypes_are_tracked())
		skip_because("memory types are not tracked: nothing conflicts");
	p = map_bar(0, pmd_size);
	assert_complains(run("map %#llx 2M --cache uc-", at(0)), 1,
			 "has another cache mode already");
	assert_complains(run("map %#llx 2M --cache uc --strict", at(0)), 1,
			 "has another cache mode already");
	assert_complains(run("dump %#llx", at(0)), 1,
			 "has another cache mode already");
	assert_complains(run("dump %#llx --cache uc", at(0)), 1,
			 "has another cache mode already");
	assert_int_equal(run("dump %#llx --cache wb", at(0)), 0);
	munmap(p, pmd_size);
}

static void map_honours_an_address(void **state)
{
	unsigned long long where = (uintptr_t)reserve(pud_size, pud_size,
						      page_size);
	struct json_object *root;

	(void)state;
	root = run_json("map %#llx 4M --at %#llx --json", at(0), where);
	assert_int_equal(get_number(root, "address"), where);
	assert_int_equal(mapped_by(root, page_size), MIB(4));
	json_object_put(root);
}

static void what_may_not_be_mapped_is_named(void **state)
{
	(void)state;
#ifdef __x86_64__
	assert_complains(run("map 0 64K"), 1, "first megabyte");
#endif
	assert_complains(run("map %#llx 64K", (unsigned long long)iomem_ram()),
			 1, "is System RAM, which is never mapped");
	assert_complains(run("map 0xfff0000000000000 64K"), 1,
			 "past the addresses that this CPU has");
	assert_int_equal(claim(pmd_size, page_size), 0);
	assert_complains(run("map %#llx %llu", at(0),
			     (unsigned long long)(2 * pmd_size)), 1,
			 "is claimed by 'hugepfn_claim' (/proc/iomem)");
	assert_complains(run("dump %#llx", at(pmd_size)), 1,
			 "is claimed by 'hugepfn_claim' (/proc/iomem)");
	assert_int_equal(run("dump %#llx", at(0)), 0);
	release();
	assert_complains(run("map 4G 64K --node /dev/null"), 1,
			 "/dev/null is not a node of hugepfn");
	assert_complains(run("map 4G 64K --node /dev/hugeuio99"), 1,
			 "there is no such node");
}

static void who_is_not_root_is_told(void **state)
{
	(void)state;
	assert_int_equal(seteuid(65534), 0);
	assert_complains(run("map 4G 64K"), 1, "/dev/hugemem: run as root");
	assert_complains(run("info"), 1, "/dev/hugemem: run as root");
	assert_int_equal(run("status"), 0);
	assert_non_null(strstr(out, "unknown: run as root"));
	assert_int_equal(seteuid(0), 0);
}

static void dump_reads_what_is_there_at_each_width(void **state)
{
	static const unsigned int widths[] = { 1, 2, 4, 8 };
	volatile unsigned char *p = map_bar(0, page_size);
	struct json_object *root, *values;
	unsigned char bytes[16];
	unsigned int i, w;

	(void)state;
	for (i = 0; i < 16; i++)
		p[i] = bytes[i] = 0x81 + 7 * i;
	munmap((void *)p, page_size);

	for (w = 0; w < 4; w++) {
		root = run_json("dump %#llx %u --width %u --json", at(0),
				16 / widths[w], widths[w]);
		values = get(root, "values");
		assert_int_equal(json_object_array_length(values),
				 16 / widths[w]);
		for (i = 0; i < 16 / widths[w]; i++) {
			uint64_t want = 0;

			memcpy(&want, bytes + i * widths[w], widths[w]);
			assert_int_equal(json_object_get_uint64(
				json_object_array_get_idx(values, i)), want);
		}
		json_object_put(root);
	}
}

static void dump_is_a_hexdump(void **state)
{
	char want[160];

	(void)state;
	assert_int_equal(run("poke %#llx 0x64636261 0x20202020 1 2 0xffffffff",
			     at(0)), 0);
	assert_string_equal(out, "");
	assert_int_equal(run("dump %#llx 5", at(0)), 0);
	snprintf(want, sizeof(want),
		 "%012llx  64636261 20202020 00000001 00000002  |abcd    ........|\n"
		 "%012llx  ffffffff                             |....|\n",
		 at(0), at(16));
	assert_string_equal(out, want);
	/* one value if none is counted */
	assert_int_equal(run("dump %#llx --width 1", at(1)), 0);
	snprintf(want, sizeof(want), "%012llx  62 ", at(1));
	assert_memory_equal(out, want, strlen(want));
}

static void poke_writes_its_width_and_no_more(void **state)
{
	volatile unsigned char *p = map_bar(0, page_size);
	static const unsigned char want[] = {
		0xff, 0x11, 0xff, 0xff, 0x22, 0x22, 0x33, 0x33,
		0xff, 0xff, 0xff, 0xff, 0x44, 0x44, 0x44, 0x44,
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < 16; i++)
		p[i] = 0xff;
	munmap((void *)p, page_size);
	assert_int_equal(run("poke %#llx 0x11 --width 1", at(1)), 0);
	assert_int_equal(run("poke %#llx 0x2222 0x3333 --width 2", at(4)), 0);
	assert_int_equal(run("poke %#llx 0x44444444", at(12)), 0);
	p = map_bar(0, page_size);
	for (i = 0; i < 16; i++)
		assert_int_equal(p[i], want[i]);
	munmap((void *)p, page_size);
}

static void an_access_that_would_be_torn_is_refused(void **state)
{
	(void)state;
	assert_complains(run("dump %#llx --width 2", at(1)), 1,
			 "is not a multiple of the width, 2");
	assert_complains(run("poke %#llx 1 --width 8", at(4)), 1,
			 "is not a multiple of the width, 8");
}

static void bind_gives_a_node_and_unbind_gives_it_back(void **state)
{
	const char *device = getenv("HUGEPFN_BAR_DEV");
	struct json_object *root, *map, *node;
	unsigned long long index;
	char path[40];

	(void)state;
	root = run_json("bind %s --interrupts none --json", device);
	assert_string_equal(get_text(root, "device"), device);
	assert_null(get_text(root, "from"));
	map = find_text(get(root, "maps"), "name", "BAR2");
	assert_int_equal(get_number(map, "address"), bar);
	assert_int_equal(get_number(map, "size"), bar_size);
	index = get_number(map, "map");
	snprintf(path, sizeof(path), "%s", get_text(root, "node"));
	assert_int_equal(access(path, F_OK), 0);
	json_object_put(root);

	assert_complains(run("bind %s", device), 1, "is bound already: /dev/");
	root = run_json("status --json");
	assert_true(json_object_get_boolean(get(get(root, "module"),
						"hugeuio_pci")));
	node = find_text(get(root, "nodes"), "node", path);
	assert_string_equal(get_text(node, "device"), device);
	assert_string_equal(get_text(node, "name"), "hugeuio_pci");
	assert_non_null(find_text(get(node, "maps"), "name", "BAR2"));
	json_object_put(root);

	root = run_json("map --node %s --map %llu --json", path, index);
	assert_int_equal(mapped_by(root, largest_size()), bar_size);
	assert_int_equal(get_number(root, "physical"), bar);
	json_object_put(root);

	assert_complains(run("map --node %s --map 9", path), 1,
			 "has no map 9: it has 2");
	assert_complains(run("map 64K 64K --node %s", path), 2, "ADDRESS is 0");
	assert_complains(run("dump 4G --node %s --map %llu", path, index), 1,
			 "ends past map");
	assert_int_equal(run("poke 4096 0x600df00d --node %s --map %llu", path,
			     index), 0);
	root = run_json("dump 4096 --node %s --map %llu --json", path, index);
	assert_int_equal(json_object_get_uint64(json_object_array_get_idx(
				get(root, "values"), 0)), 0x600df00d);
	json_object_put(root);

	root = run_json("unbind %s --json", device);
	assert_null(get_text(root, "driver"));
	json_object_put(root);
	assert_false(pci_is_bound(device));
	assert_complains(run("unbind %s", device), 1,
			 "is not with hugeuio_pci but with no driver");
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

/* the row of a case and a size; NULL if there is none */
static struct json_object *bench_row(struct json_object *root,
				     const char *name, uint64_t size)
{
	struct json_object *rows = get(root, "rows");
	size_t i;

	for (i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *o = json_object_array_get_idx(rows, i);

		if (!strcmp(get_text(o, "case"), name) &&
		    get_number(o, "size") == size)
			return o;
	}
	return NULL;
}

static void bench_compares_the_ways_to_map_a_bar(void **state)
{
	const char *device = getenv("HUGEPFN_BAR_DEV");
	/* a mapping shorter than a page table may lie in two */
	const uint64_t least = pmd_size < MIB(8) ? MIB(8) / pmd_size : 1;
	const uint64_t most = pmd_size < MIB(8) ? least : 2;
	struct json_object *root, *faults, *mmaps, *spread;

	(void)state;
	root = run_json("bench %s --max 8M --rounds 3 --touch --json", device);
	assert_string_equal(get_text(root, "unit"), "ns");
	assert_string_equal(get_text(get(root, "skipped"), "uio"),
			    "no node was named by --uio");
	assert_string_equal(get_text(get(root, "skipped"), "vfio"),
			    "its module cannot be loaded");
	faults = bench_row(root, "faults", MIB(8));
	assert_int_equal(get_number(faults, "devmem"), 0);
	assert_int_equal(get_number(faults, "sysfs"), 0);
	assert_in_range(get_number(faults, "hugemem"), least, most);
	assert_in_range(get_number(faults, "hugeuio"), least, most);
	mmaps = bench_row(root, "mmap", MIB(2));
	spread = get(get(mmaps, "spread"), "hugemem");
	assert_in_range(get_number(mmaps, "hugemem"),
			json_object_get_uint64(json_object_array_get_idx(spread, 0)),
			json_object_get_uint64(json_object_array_get_idx(spread, 1)));
	assert_true(get_number(mmaps, "hugemem") > 0);
	assert_null(bench_row(root, "mmap", MIB(32)));
	json_object_put(root);
	assert_false(pci_is_bound(device));

	/* the device is not read unless that is asked for */
	root = run_json("bench %s --max 2M --rounds 1 --json", device);
	assert_null(bench_row(root, "first_touch", MIB(2)));
	assert_non_null(bench_row(root, "populate", MIB(2)));
	json_object_put(root);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

static void bench_keeps_off_a_device_in_use(void **state)
{
	const char *device = getenv("HUGEPFN_BAR_DEV");

	(void)state;
	assert_int_equal(run("bind %s --interrupts none", device), 0);
	assert_complains(run("bench %s", device), 1,
			 "is with hugeuio_pci: take it away first");
	assert_int_equal(run("unbind %s", device), 0);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

static void a_bench_that_is_ended_leaves_the_device_alone(void **state)
{
	const char *device = getenv("HUGEPFN_BAR_DEV");
	char line[100], path[100], *override;
	struct started s;

	(void)state;
	snprintf(line, sizeof(line), "bench %s --max 2M --rounds 100", device);
	s = start(line);
	while (!pci_is_bound(device)) {
		assert_int_equal(waitpid(s.pid, NULL, WNOHANG), 0);
		usleep(1000);
	}
	assert_int_equal(kill(s.pid, SIGINT), 0);
	assert_complains(end(&s), 1, "ended while measuring: Interrupt");
	assert_false(pci_is_bound(device));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver_override",
		 device);
	override = read_file(path);
	assert_string_equal(override, "(null)\n");
	free(override);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

static char *interrupts_parameter(void)
{
	return read_file("/sys/module/hugeuio_pci/parameters/interrupts");
}

static void a_bind_that_fails_leaves_everything_as_it_was(void **state)
{
	const char *device = getenv("HUGEPFN_BAR_DEV");
	char path[100], *text;

	(void)state;
	/* QEMU's ivshmem-plain has no interrupt */
	assert_complains(run("bind %s --interrupts msi", device), 1,
			 "it has no msi interrupt");
	assert_false(pci_is_bound(device));
	snprintf(path, sizeof(path),
		 "/sys/bus/pci/devices/%s/driver_override", device);
	text = read_file(path);
	assert_string_equal(text, "(null)\n");
	free(text);
	text = interrupts_parameter();
	assert_string_equal(text, "auto\n");
	free(text);
	assert_complains(run("bind 00:1e.7"), 1,
			 "there is no PCI device 0000:00:1e.7");
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

/* a device that has a driver, which can spare it: a virtio one of its own */
static void a_driver_gets_its_device_back(void **state)
{
	struct json_object *root;
	char device[16];

	(void)state;
	if (!pci_find(0x1af4, 0x1044, device) &&
	    !pci_find(0x1af4, 0x1005, device))
		skip_because("needs QEMU's virtio-rng-pci");
	assert_true(pci_is_bound(device));
	root = run_json("bind %s --json", device);
	assert_string_equal(get_text(root, "from"), "virtio-pci");
	json_object_put(root);
	root = run_json("unbind %s --json", device);
	assert_string_equal(get_text(root, "driver"), "virtio-pci");
	json_object_put(root);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

static void a_bus_error_is_a_line_and_no_crash(void **state)
{
	const char *device = getenv("HUGEPFN_BAR_DEV");
	struct json_object *root = run_json("bind %s --json", device);
	char path[40];

	(void)state;
	snprintf(path, sizeof(path), "%s", get_text(root, "node"));
	json_object_put(root);
	pci_set_bits(device, PCI_COMMAND, PCI_COMMAND_MEMORY, 0);
	assert_complains(run("dump 8 4 --node %s", path), 1, "0x8: bus error");
	assert_complains(run("poke 8 4 --node %s", path), 1, "0x8: bus error");
	assert_complains(run("map --node %s", path), 1, "cannot populate: ");
	pci_set_bits(device, PCI_COMMAND, 0, PCI_COMMAND_MEMORY);
	assert_int_equal(run("dump 8 4 --node %s", path), 0);
	assert_int_equal(run("unbind %s", device), 0);
	assert_int_equal(module_unload("hugeuio_pci"), 0);
}

/* does `hugepfn info` on a terminal of that kind have escapes? */
static bool colours(const char *term, const char *no_color)
{
	char text[1 << 14];
	ssize_t n = 0, got;
	pid_t pid;
	int fd;

	pid = forkpty(&fd, NULL, NULL, NULL);
	if (!pid) {
		setenv("TERM", term, 1);
		setenv("NO_COLOR", no_color, 1);
		execlp("hugepfn", "hugepfn", "info", (char *)NULL);
		_exit(127);
	}
	while (n < (ssize_t)sizeof(text) - 1 &&
	       (got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += got;
	text[n] = '\0';
	close(fd);
	waitpid(pid, NULL, 0);
	assert_non_null(strstr(text, "LARGEST"));
	return strchr(text, '\033');
}

static void colour_is_for_a_terminal_that_may_have_it(void **state)
{
	(void)state;
	assert_true(colours("xterm-256color", ""));
	assert_false(colours("xterm-256color", "1"));
	assert_false(colours("dumb", ""));
	setenv("TERM", "xterm-256color", 1);
	assert_int_equal(run("info"), 0);
	assert_null(strchr(out, '\033'));
	unsetenv("TERM");
}

static void a_full_disk_is_a_failure(void **state)
{
	char *argv[] = { "hugepfn", "info", NULL };
	int full = open_node("/dev/full", O_WRONLY), fd = memfd_create("err", 0);

	(void)state;
	assert_int_equal(exit_status(spawn(argv, full, fd)), 1);
	close(full);
	close(fd);
}

const struct CMUnitTest tool_tests[] = {
	cmocka_unit_test(every_command_has_its_help),
	cmocka_unit_test(the_version_is_the_modules),
	cmocka_unit_test(a_bad_command_line_is_told_in_one_line),
	cmocka_unit_test(status_tells_the_module_the_orders_and_the_node),
	cmocka_unit_test(status_lists_live_maps_and_whose_they_are),
	cmocka_unit_test(info_tells_the_largest_entry_of_the_bar),
	cmocka_unit_test(info_tells_why_not),
	cmocka_unit_test(info_touches_nothing),
	cmocka_unit_test(map_fills_by_the_largest_entries),
	cmocka_unit_test(map_tells_smaller_entries_and_why),
	cmocka_unit_test(map_keeps_to_a_limit),
	cmocka_unit_test(map_grants_the_cache_mode),
	cmocka_unit_test(a_cache_conflict_says_what_to_do),
	cmocka_unit_test(map_honours_an_address),
	cmocka_unit_test(what_may_not_be_mapped_is_named),
	cmocka_unit_test(who_is_not_root_is_told),
	cmocka_unit_test(dump_reads_what_is_there_at_each_width),
	cmocka_unit_test(dump_is_a_hexdump),
	cmocka_unit_test(poke_writes_its_width_and_no_more),
	cmocka_unit_test(an_access_that_would_be_torn_is_refused),
	cmocka_unit_test(bind_gives_a_node_and_unbind_gives_it_back),
	cmocka_unit_test(bench_compares_the_ways_to_map_a_bar),
	cmocka_unit_test(bench_keeps_off_a_device_in_use),
	cmocka_unit_test(a_bench_that_is_ended_leaves_the_device_alone),
	cmocka_unit_test(a_bind_that_fails_leaves_everything_as_it_was),
	cmocka_unit_test(a_driver_gets_its_device_back),
	cmocka_unit_test(a_bus_error_is_a_line_and_no_crash),
	cmocka_unit_test(colour_is_for_a_terminal_that_may_have_it),
	cmocka_unit_test(a_full_disk_is_a_failure),
};
const size_t tool_tests_n = sizeof(tool_tests) / sizeof(*tool_tests);
