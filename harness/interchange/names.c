/* SPDX-License-Identifier: MIT */
/* How what others call things becomes legal in a key. */
#include <ctype.h>
#include <string.h>

#include "core/hash.h"
#include "interchange/internal.h"

/* What a key is taken apart at, and what is not itself in a pattern for keys, stand as %XX. */
static bool is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && !strchr(",=/%+[]\\", c);
}

char *interchange_encode(struct bench_arena *arena, const char *text)
{
	BENCH_SCOPED_TEXT out = {0};
	for (const char *at = text; *at; at++) {
		const unsigned char c = (unsigned char)*at;
		if (c == ' ')
			bench_text_add(&out, "+");
		else if (is_plain(c))
			bench_text_add(&out, "%c", c);
		else
			bench_text_add(&out, "%%%02X", c);
	}
	if (out.length < BENCH_VALUE_MAX)
		return bench_text_keep(&out, arena);
	char cut[BENCH_VALUE_MAX];
	bench_text_cut(cut, sizeof(cut), out.data, text);
	return bench_arena_format(arena, "%s", cut);
}

char *interchange_identifier(struct bench_arena *arena, const char *text, size_t most)
{
	struct bench_text out = {0};
	for (const char *at = text; *at; at++) {
		const unsigned char c = (unsigned char)*at;
		const bool letter = c < 0x80 && isalnum(c);
		if (out.length == 0 && (!letter || isdigit(c)))
			bench_text_add(&out, "x_");
		if (letter)
			bench_text_add(&out, "%c", tolower(c));
		else if (out.length > 0 && out.data[out.length - 1] != '_')
			bench_text_add(&out, "_");
	}
	while (out.length > 1 && out.data[out.length - 1] == '_')
		out.data[--out.length] = '\0';
	if (out.length == 0)
		bench_text_add(&out, "x");
	char *name = bench_text_keep(&out, arena);
	if (strlen(name) > most) {
		const uint64_t hash = bench_hash_bytes(BENCH_HASH_START, text, strlen(text));
		name = bench_arena_format(arena, "%.*s_%06x", (int)most - 7, name, (unsigned)(hash >> 40));
	}
	return name;
}
