// SPDX-License-Identifier: GPL-2.0-only
/* Small files in /proc and /sys */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

#define make_path(path, format) do {				\
	va_list args;						\
								\
	va_start(args, format);					\
	vsnprintf(path, sizeof(path), format, args);		\
	va_end(args);						\
} while (0)

/* its first page less the last line's end; NULL and errno if it cannot be read */
char *file_text(const char *format, ...)
{
	char path[PATH_MAX], text[4096];
	ssize_t n;
	int fd, err;

	make_path(path, format);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	n = read(fd, text, sizeof(text) - 1);
	err = errno;
	close(fd);
	errno = err;
	if (n < 0)
		return NULL;
	if (n && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return strdup(text);
}

/* 0 if there is none */
uint64_t file_number(const char *format, ...)
{
	char path[PATH_MAX], *text;
	uint64_t n;

	make_path(path, format);
	text = file_text("%s", path);
	n = text ? strtoull(text, NULL, 0) : 0;
	free(text);
	return n;
}

/* the last part of where a link leads; NULL if there is none */
char *link_name(const char *format, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	make_path(path, format);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return NULL;
	target[n] = '\0';
	return strdup(basename(target));
}

/* 0 or an errno */
int file_write(const char *text, const char *format, ...)
{
	char path[PATH_MAX];
	int fd, err = 0;

	make_path(path, format);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}
