/* SPDX-License-Identifier: MIT */
/* The words of a command line, and the placeholders in them. */
#include <ctype.h>
#include <string.h>

#include "core/text.h"
#include "suites/exec/exec.h"

#define BLANKS " \t\n"

char **bench_exec_split(const char *line, struct bench_arena *arena, size_t *count)
{
	char *rest = bench_arena_string(arena, line), *word, **words = NULL;
	bool open = false;
	*count = 0;
	while ((word = bench_text_next_shell(&rest, &open)))
		BENCH_PUSH(arena, words, *count) = word;
	size_t end = *count;
	bench_arena_push(arena, &words, &end, sizeof(*words));
	return open ? NULL : words;
}

/* Would a shell see more in this character, unquoted, than itself? */
static bool is_special(const char *at)
{
	if (*at == '$')
		return at[1] && (isalnum((unsigned char)at[1]) || strchr("_{(@*#?$!", at[1]));
	if (*at == '[')
		return memchr(at, ']', strcspn(at, BLANKS)) != NULL;
	return strchr("<>|&;()`*?", *at) != NULL;
}

const char *bench_exec_shell_word(const char *line, struct bench_arena *arena)
{
	for (const char *at = line + strspn(line, BLANKS); *at; at += strspn(at, BLANKS)) {
		const char *word = at;
		bool special = *at == '~' || *at == '#';
		char quote = '\0';
		for (; *at && (quote || !strchr(BLANKS, *at)); at++) {
			if (*at == quote)
				quote = '\0';
			else if (!quote && (*at == '\'' || *at == '"'))
				quote = *at;
			else if (*at == '\\' && quote != '\'' && at[1])
				at++;
			else
				special |= !quote && is_special(at);
		}
		if (special)
			return bench_arena_format(arena, "%.*s", (int)(at - word), word);
	}
	return NULL;
}

size_t bench_exec_placeholder(const char *text, char *name, size_t size)
{
	if (text[0] != '{' || text[1] < 'a' || text[1] > 'z')
		return 0;
	size_t length = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz0123456789_");
	if (text[1 + length] != '}' || length >= size)
		return 0;
	memcpy(name, text + 1, length);
	name[length] = '\0';
	return length + 2;
}
