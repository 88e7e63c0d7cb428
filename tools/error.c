// SPDX-License-Identifier: GPL-2.0-only
/* One line on what was wrong */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"

const char *program = "hugepfn";

static void say(const char *format, va_list args)
{
	/* what was printed until then comes before it */
	fflush(stdout);
	fprintf(stderr, "%s: ", program);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

/* what was asked for could not be done */
void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	exit(EXIT_FAILED);
}

/* what was asked for makes no sense */
void die_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	exit(EXIT_USAGE);
}
