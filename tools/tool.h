/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the subcommands of `hugepfn` share. A subcommand gathers what it has to
 * say as JSON; --json prints that as it is, tables are drawn from it, so both
 * say the same.
 */
#ifndef HUGEPFN_TOOL_H
#define HUGEPFN_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include <getopt.h>
#include <json-c/json.h>

#include "hugepfn.h"

/* exit statuses */
enum {
	EXIT_OK,
	EXIT_FAILED,
	EXIT_USAGE,
};

/* the subcommands; argv[0] is "hugepfn NAME" */
int cmd_bench(int argc, char **argv);
int cmd_bind(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_poke(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_unbind(int argc, char **argv);

/* error.c: one line on stderr, then exit */
extern const char *program;
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void die(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
_Noreturn void die_usage(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* options.c: what every subcommand's command line has */
#define COMMON_OPTIONS \
	{ "json", no_argument, NULL, 'j' }, \
	{ "help", no_argument, NULL, 'h' }, \
	{ NULL, 0, NULL, 0 }

extern bool json_wanted;
int next_option(int argc, char **argv, const struct option *options,
		const char *help);
const char *operand(int argc, char **argv, const char *name);
void no_more_operands(int argc, char **argv);
uint64_t number(const char *name, const char *text);
unsigned int number_within(const char *name, const char *text,
			   unsigned int least, unsigned int most);
uint64_t page_multiple(const char *name, const char *text);

/* number.c */
bool parse_number(const char *text, uint64_t *n);
char *size_text(uint64_t bytes, char text[24]);

/* cache.c */
#define CACHE_NAMES "uc, uc-minus, wc, wt, wb or device"
bool parse_cache(const char *text, uint32_t *cache);
const char *cache_name(uint32_t cache);

/* output.c */
enum cell {
	CELL_TEXT,
	CELL_HEX,
	CELL_NUMBER,
	CELL_SIZE,
};

struct column {
	const char *key, *head;
	enum cell cell;
};

void put_text(struct json_object *object, const char *key, const char *text);
void put_number(struct json_object *object, const char *key, uint64_t n);
uint64_t get_number(struct json_object *object, const char *key);
const char *get_text(struct json_object *object, const char *key);
void print_json(struct json_object *root);
void print_table(struct json_object *rows, const struct column *columns,
		 unsigned int n);

/* progress.c */
struct progress {
	const char *what;
	uint64_t total;
	double began, drawn;
};
struct progress progress_begin(const char *what, uint64_t total);
void progress_show(struct progress *p, uint64_t done);
void progress_end(struct progress *p);

/* sysfs.c: small files; a path is a format */
char *file_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t file_number(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
char *link_name(const char *format, ...) __attribute__((format(printf, 1, 2)));
int file_write(const char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* fdinfo.c */
struct json_object *fdinfo_numbers(const char *path, const char *prefix);

/* module.c: libkmod */
bool module_is_loaded(const char *name);
int module_load(const char *name);
void module_need(const char *name);

/* hugeuio.c: /sys/class/hugeuio, which no node need be opened for */
void hugeuio_nodes(struct json_object *nodes);
struct json_object *hugeuio_maps(const char *sysfs);
char *hugeuio_of_device(const char *device);

/* explain.c: what an errno means here, and what to do */
char *lockdown_state(void);
const char *explain_open(const char *path, int err);

/* node.c: an open node */
struct node {
	const char *path;
	int fd;
	struct hugepfn_info info;
	int map;		/* of a hugeuio node; -1: offsets are physical */
	uint64_t address;	/* that map's first page, and its size in bytes */
	uint64_t size;
	uint64_t inset;		/* where in its first page the device begins */
};

struct node_options {
	const char *path;
	bool named;		/* by --node */
	int map;
	struct hugepfn_map_attr attr;
};

#define NODE_OPTIONS \
	{ "node", required_argument, NULL, 'n' }, \
	{ "map", required_argument, NULL, 'm' }, \
	{ "cache", required_argument, NULL, 'c' }

struct node_options node_options_default(void);
bool node_option(struct node_options *options, int option);
void node_open(struct node *node, const struct node_options *options,
	       int flags);
void *node_mmap(const struct node *node, uint64_t at, uint64_t len, int prot,
		void *where, int flags);
uint64_t node_page_size(const struct node *node, unsigned int level);

/* window.c: a stretch of a node for single accesses */
struct window {
	const struct node *node;
	uint64_t at;		/* the address of the first value */
	unsigned int width;	/* bytes of a value */
	volatile void *p;
};

unsigned int width_option(const char *text);
void window_node(struct node *node, struct node_options options, int flags);
void window_open(struct window *window, const struct node *node, uint64_t at,
		 uint64_t count, unsigned int width, int prot);
uint64_t window_load(const struct window *window, uint64_t i);
void window_store(const struct window *window, uint64_t i, uint64_t value);

/* pci.c: a device by its address, and who drives it */
#define PCI_DRIVER "hugeuio_pci"

struct pci_device {
	char address[20];	/* 0000:03:00.0 */
	char sysfs[60];
};

bool parse_pci_address(const char *text, char address[20]);
struct pci_device pci_find(const char *text);
char *pci_driver(const struct pci_device *device);
int pci_write(const struct pci_device *device, const char *file,
	      const char *text);
int pci_unbind(const struct pci_device *device);
int pci_give_back(const struct pci_device *device);

#endif
