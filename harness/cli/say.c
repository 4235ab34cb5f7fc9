/* SPDX-License-Identifier: MIT */
#include "cli/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/text.h"

static void say(const char *before, const char *format, va_list arguments)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_TEXT line = {0};
	bench_text_add_line(&line, bench_arena_vformat(&arena, format, arguments));
	fprintf(stderr, "%s%s\n", before, line.data);
}

void cli_say(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say("bench: ", format, arguments);
	va_end(arguments);
}

void cli_say_plain(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say("", format, arguments);
	va_end(arguments);
}
