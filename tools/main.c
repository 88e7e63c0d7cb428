// SPDX-License-Identifier: GPL-2.0-only
/* hugepfn: look at and steer mappings of device memory */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static const struct command {
	const char *name, *program;
	int (*run)(int argc, char **argv);
	const char *about;
} commands[] = {
#define COMMAND(_name, _about) { #_name, "hugepfn " #_name, cmd_ ## _name, _about }
	COMMAND(status, "the module, its nodes, and what is mapped now"),
	COMMAND(info, "which ranges can be mapped, and by how large entries"),
	COMMAND(map, "map a range and tell which entries it got"),
	COMMAND(dump, "read a device, each access as wide as asked for"),
	COMMAND(poke, "write to a device, likewise"),
	COMMAND(bind, "give a PCI device to hugeuio_pci"),
	COMMAND(unbind, "give it back"),
	COMMAND(bench, "measure the ways to map a BAR, side by side"),
};

#define NR_COMMANDS (sizeof(commands) / sizeof(*commands))

static void usage(FILE *to)
{
	size_t i;

	fputs("usage: hugepfn COMMAND [ARGUMENT]...\n\n"
	      "Maps device memory by large page-table entries, and shows how.\n\n", to);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].about);
	fputs("\n`hugepfn COMMAND --help` tells more; so does man hugepfn. Numbers may be\n"
	      "hexadecimal (0x) and end in K, M, G, T, P or E. The exit status is 0; 1 for\n"
	      "what could not be done; 2 for a command line that makes no sense.\n", to);
}

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	die_usage("there is no command '%s'; see --help", name);
}

/* a full disk is a failure too */
static int flushed(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		warn("cannot write the output: %m");
		return EXIT_FAILED;
	}
	return status;
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help")) {
		usage(stdout);
		return flushed(EXIT_OK);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("hugepfn " HUGEPFN_VERSION);
		return flushed(EXIT_OK);
	}
	command = find(argv[1]);
	program = command->program;
	/* getopt_long() begins its lines with this */
	argv[1] = (char *)command->program;
	return flushed(command->run(argc - 1, argv + 1));
}
