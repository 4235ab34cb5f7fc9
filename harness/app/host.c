/* SPDX-License-Identifier: MIT */
#include "app/host.h"

#include <stdarg.h>

static void tell(void (*to)(void *, const char *), void *context, const char *format, va_list arguments)
{
	BENCH_SCOPED_ARENA arena = {0};
	to(context, bench_arena_vformat(&arena, format, arguments));
}

void bench_app_note(const struct bench_app_host *host, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	tell(host->note, host->context, format, arguments);
	va_end(arguments);
}

void bench_app_warn(const struct bench_app_host *host, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	tell(host->warn, host->context, format, arguments);
	va_end(arguments);
}
