// SPDX-License-Identifier: GPL-2.0-only
/* What every subcommand's command line has */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool.h"

bool json_wanted;

/* the next option that is not common to all; -1 after the last */
int next_option(int argc, char **argv, const struct option *options,
		const char *help)
{
	int option = getopt_long(argc, argv, "", options, NULL);

	switch (option) {
	case 'j':
		json_wanted = true;
		return next_option(argc, argv, options, help);
	case 'h':
		fputs(help, stdout);
		exit(EXIT_OK);
	case '?':	/* getopt_long() has said what */
		exit(EXIT_USAGE);
	}
	return option;
}

const char *operand(int argc, char **argv, const char *name)
{
	if (optind >= argc)
		die_usage("%s is missing; see --help", name);
	return argv[optind++];
}

void no_more_operands(int argc, char **argv)
{
	if (optind < argc)
		die_usage("'%s' is one argument too many; see --help", argv[optind]);
}

uint64_t number(const char *name, const char *text)
{
	uint64_t n;

	if (!parse_number(text, &n))
		die_usage("%s '%s' is not a number such as 4096, 0x1000, 64K or 2M",
			  name, text);
	return n;
}

unsigned int number_within(const char *name, const char *text,
			   unsigned int least, unsigned int most)
{
	uint64_t n = number(name, text);

	if (n < least || n > most)
		die_usage("%s %s is not from %u to %u", name, text, least,
			  most);
	return n;
}

uint64_t page_multiple(const char *name, const char *text)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t n = number(name, text);

	if (n & (page - 1))
		die_usage("%s %#" PRIx64 " is not a multiple of the page size, as %#" PRIx64 " is",
			  name, n, n & -page);
	return n;
}
