/* SPDX-License-Identifier: MIT */
#include "core/regex.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64 /* of groups within groups */

/* Elements of an open group: all of them, and those of its last atom. */
struct group {
	uint64_t all, atom;
};

/* Behind a bracket expression, whose '[' `at` points to. */
static const char *skip_bracket(const char *at)
{
	at++;
	at += *at == '^';
	at += *at == ']';
	while (*at && *at != ']') {
		if (*at == '[' && at[1] && strchr(":.=", at[1])) {
			const char kind = at[1];

			for (at += 2; *at && !(*at == kind && at[1] == ']'); at++)
				;
			at += *at ? 2 : 0;
		} else {
			at++;
		}
	}
	return at + (*at == ']');
}

/* How often a repetition writes its atom out, and where it ends; 0 where `at` has none. */
static uint64_t repetition(const char **at)
{
	const char *begin = *at;
	char *end;
	unsigned long least, most;

	if (*begin == '*' || *begin == '?' || *begin == '+') {
		*at = begin + 1;
		return *begin == '+' ? 2 : 1;
	}
	if (*begin != '{' || !(isdigit((unsigned char)begin[1]) || begin[1] == ','))
		return 0;
	least = most = strtoul(begin + 1, &end, 10);
	if (*end == ',')
		most = isdigit((unsigned char)*++end) ? strtoul(end, &end, 10) : least + 1;
	if (*end != '}')
		return 0;
	*at = end + 1;
	most = most > least ? most : least;
	return most > BENCH_REGEX_MOST ? BENCH_REGEX_MOST + 1 : most ? most : 1;
}

static bool is_within(const char *at)
{
	struct group groups[DEPTH] = {{0}}, *group = groups;

	while (*at) {
		uint64_t times = repetition(&at);

		if (times) {
			group->all += group->atom * (times - 1);
			group->atom *= times;
		} else if (*at == '(') {
			if (++group == groups + DEPTH)
				return false;
			*group = (struct group){0};
			at++;
		} else if (*at == ')' && group > groups) {
			const uint64_t all = group->all + 1;

			group--;
			group->atom = all;
			group->all += all;
			at++;
		} else {
			group->atom = 1;
			group->all++;
			at = *at == '[' ? skip_bracket(at) : at + 1 + (*at == '\\' && at[1]);
		}
		if (group->all > BENCH_REGEX_MOST)
			return false;
	}
	return true;
}

int bench_regex_compile(regex_t *out, const char *text, int flags, char *why, size_t size)
{
	int wrong;

	if (!is_within(text)) {
		snprintf(why, size,
			 "with its repetitions written out it has more than %d elements, or groups within %d "
			 "others",
			 BENCH_REGEX_MOST, DEPTH - 1);
		return -1;
	}
	wrong = regcomp(out, text, REG_EXTENDED | flags);
	if (wrong != 0)
		regerror(wrong, out, why, size);
	return wrong != 0 ? -1 : 0;
}
