/* SPDX-License-Identifier: MIT */
#include "report/render/wrap.h"

#include <string.h>

static size_t columns_of(const char *word, size_t bytes)
{
	size_t columns = 0;
	for (size_t i = 0; i < bytes; i++)
		columns += ((unsigned char)word[i] & 0xc0) != 0x80;
	return columns;
}

void bench_render_wrap(struct bench_text *out, const char *line, size_t width, size_t indent)
{
	size_t at = 0;
	for (const char *word = line; *word;) {
		size_t bytes = strcspn(word, " "), columns = columns_of(word, bytes);
		if (at && width && at + 1 + columns > width) {
			bench_text_add(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at) {
			bench_text_add(out, " ");
			at++;
		}
		bench_text_add_bytes(out, word, bytes);
		at += columns;
		word += bytes + strspn(word + bytes, " ");
	}
	bench_text_add(out, "\n");
}
