// SPDX-License-Identifier: GPL-2.0-only
/* What /proc/self/fdinfo says of a file: lines of a key, a colon and a value */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* an object of those numbers whose key begins so, by the rest of their keys */
struct json_object *fdinfo_numbers(const char *path, const char *prefix)
{
	struct json_object *numbers = json_object_new_object();
	const size_t skip = strlen(prefix);
	unsigned long long n;
	char line[256], key[64];
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, prefix, skip) &&
		    sscanf(line + skip, "%63[^:]: %llu", key, &n) == 2)
			put_number(numbers, key, n);
	if (f)
		fclose(f);
	return numbers;
}
