/* How what others call things becomes legal in a key, and the units that others measure in. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "interchange/internal.h"

#define VALUE_MOST (BENCH_VALUE_MAX - 1)

/* What a key is taken apart at, and what is not itself in a pattern for keys, stand as %XX. */
static bool is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && !strchr(",=/%+[]\\", c);
}

char *interchange_encode(struct bench_arena *arena, const char *text)
{
	struct bench_text out = {0};
	for (const char *at = text; *at; at++) {
		const unsigned char c = (unsigned char)*at;
		if (c == ' ')
			bench_text_add(&out, "+");
		else if (is_plain(c))
			bench_text_add(&out, "%c", c);
		else
			bench_text_add(&out, "%%%02X", c);
	}
	if (out.length <= VALUE_MOST)
		return bench_text_keep(&out, arena);
	const uint64_t hash = bench_hash_bytes(BENCH_HASH_START, text, strlen(text));
	char *cut = bench_arena_format(arena, "%.*s~%08x", VALUE_MOST - 9, out.data, (unsigned)(hash >> 32));
	bench_text_free(&out);
	return cut;
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

static const struct {
	const char *unit, *si;
	double times, over;
} units[] = {
	{"s", "s", 1, 1},
	{"sec", "s", 1, 1},
	{"secs", "s", 1, 1},
	{"second", "s", 1, 1},
	{"seconds", "s", 1, 1},
	{"ms", "s", 1, 1e3},
	{"msec", "s", 1, 1e3},
	{"milliseconds", "s", 1, 1e3},
	{"us", "s", 1, 1e6},
	{"\xc2\xb5s", "s", 1, 1e6}, /* micro sign */
	{"\xce\xbcs", "s", 1, 1e6}, /* Greek mu */
	{"usec", "s", 1, 1e6},
	{"microseconds", "s", 1, 1e6},
	{"ns", "s", 1, 1e9},
	{"nsec", "s", 1, 1e9},
	{"nanoseconds", "s", 1, 1e9},
	{"nanoseconds (ns)", "s", 1, 1e9},
	{"ps", "s", 1, 1e12},
	{"min", "s", 60, 1},
	{"s/op", "s", 1, 1},
	{"sec/op", "s", 1, 1},
	{"secs/op", "s", 1, 1},
	{"ms/op", "s", 1, 1e3},
	{"us/op", "s", 1, 1e6},
	{"ns/op", "s", 1, 1e9},
	{"ns/iter", "s", 1, 1e9},
	{"B", "B", 1, 1},
	{"byte", "B", 1, 1},
	{"bytes", "B", 1, 1},
	{"B/op", "B", 1, 1},
	{"kB", "B", 1e3, 1},
	{"KB", "B", 1e3, 1},
	{"MB", "B", 1e6, 1},
	{"GB", "B", 1e9, 1},
	{"KiB", "B", 1024, 1},
	{"MiB", "B", 1048576, 1},
	{"GiB", "B", 1073741824, 1},
	{"B/s", "B/s", 1, 1},
	{"bytes/s", "B/s", 1, 1},
	{"KB/s", "B/s", 1e3, 1},
	{"MB/s", "B/s", 1e6, 1},
	{"GB/s", "B/s", 1e9, 1},
	{"KiB/s", "B/s", 1024, 1},
	{"MiB/s", "B/s", 1048576, 1},
	{"GiB/s", "B/s", 1073741824, 1},
	{"item/s", "item/s", 1, 1},
	{"items/s", "item/s", 1, 1},
	{"op/s", "item/s", 1, 1},
	{"ops/s", "item/s", 1, 1},
	{"ops/sec", "item/s", 1, 1},
	{"iter/s", "item/s", 1, 1},
	{"iter/sec", "item/s", 1, 1},
	{"operations/second (ops/s)", "item/s", 1, 1},
	{"FLOP/s", "FLOP/s", 1, 1},
	{"MFLOP/s", "FLOP/s", 1e6, 1},
	{"GFLOP/s", "FLOP/s", 1e9, 1},
	{"TFLOP/s", "FLOP/s", 1e12, 1},
	{"GFLOPS", "FLOP/s", 1e9, 1},
	{"ratio", "ratio", 1, 1},
	{"share", "share", 1, 1},
	{"count", "count", 1, 1},
	{"", "count", 1, 1},
	{"%", "share", 1, 100},
};

const char *interchange_si(const char *unit, double *times, double *over)
{
	*times = *over = 1;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].unit, unit) == 0) {
			*times = units[i].times;
			*over = units[i].over;
			return units[i].si;
		}
	return NULL;
}
