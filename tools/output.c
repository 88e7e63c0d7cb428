// SPDX-License-Identifier: GPL-2.0-only
/* JSON for programs, and tables of it for people */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

#define CELL_ROOM 256

void put_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key,
			       text ? json_object_new_string(text) : NULL);
}

void put_number(struct json_object *object, const char *key, uint64_t n)
{
	json_object_object_add(object, key, json_object_new_uint64(n));
}

uint64_t get_number(struct json_object *object, const char *key)
{
	return json_object_get_uint64(json_object_object_get(object, key));
}

/* NULL if there is none */
const char *get_text(struct json_object *object, const char *key)
{
	return json_object_get_string(json_object_object_get(object, key));
}

void print_json(struct json_object *root)
{
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
					    JSON_C_TO_STRING_SPACED |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
}

static bool colour_wanted(void)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term &&
		strcmp(term, "dumb");
}

static void cell_text(struct json_object *row, const struct column *column,
		      char text[CELL_ROOM])
{
	struct json_object *value = json_object_object_get(row, column->key);
	const uint64_t n = json_object_get_uint64(value);

	if (!value)
		strcpy(text, "-");
	else if (column->cell == CELL_HEX)
		snprintf(text, CELL_ROOM, "%#" PRIx64, n);
	else if (column->cell == CELL_SIZE)
		size_text(n, text);
	else
		snprintf(text, CELL_ROOM, "%s", json_object_get_string(value));
}

/* the last column is never padded, so that no line ends in spaces */
static void print_cell(const char *text, const struct column *column,
		       int width, bool last)
{
	if (column->cell != CELL_TEXT)
		printf("%*s", width, text);
	else
		printf("%-*s", last ? 0 : width, text);
	fputs(last ? "\n" : "  ", stdout);
}

static int column_width(struct json_object *rows, const struct column *column)
{
	size_t i, width = strlen(column->head);
	char text[CELL_ROOM];

	for (i = 0; i < json_object_array_length(rows); i++) {
		cell_text(json_object_array_get_idx(rows, i), column, text);
		if (strlen(text) > width)
			width = strlen(text);
	}
	return width;
}

/* @rows: an array of objects; at most 16 columns */
void print_table(struct json_object *rows, const struct column *columns,
		 unsigned int n)
{
	const bool colour = colour_wanted();
	char text[CELL_ROOM];
	int widths[16];
	unsigned int c;
	size_t r;

	for (c = 0; c < n; c++)
		widths[c] = column_width(rows, &columns[c]);
	fputs(colour ? "\033[1m" : "", stdout);
	for (c = 0; c < n; c++)
		print_cell(columns[c].head, &columns[c], widths[c], c == n - 1);
	fputs(colour ? "\033[0m" : "", stdout);
	for (r = 0; r < json_object_array_length(rows); r++) {
		for (c = 0; c < n; c++) {
			cell_text(json_object_array_get_idx(rows, r),
				  &columns[c], text);
			print_cell(text, &columns[c], widths[c], c == n - 1);
		}
	}
}
