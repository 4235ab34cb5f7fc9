/* SPDX-License-Identifier: MIT */
#include "core/text.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/memory.h"

static void reserve(struct bench_text *text, size_t more)
{
	if (text->capacity - text->length > more)
		return;
	size_t capacity = text->capacity ? text->capacity : 256;
	while (capacity - text->length <= more)
		capacity *= 2;
	char *data = realloc(text->data, capacity);
	if (!data)
		bench_memory_exhausted("%zu bytes of text", capacity);
	text->data = data;
	text->capacity = capacity;
}

void bench_text_add_bytes(struct bench_text *text, const char *bytes, size_t length)
{
	reserve(text, length);
	memcpy(text->data + text->length, bytes, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void bench_text_add(struct bench_text *text, const char *format, ...)
{
	va_list arguments;
	reserve(text, 0);
	size_t room = text->capacity - text->length;
	va_start(arguments, format);
	int length = vsnprintf(text->data + text->length, room, format, arguments);
	va_end(arguments);
	if (length >= 0 && (size_t)length >= room) {
		reserve(text, (size_t)length);
		va_start(arguments, format);
		vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
		va_end(arguments);
	}
	text->length += length > 0 ? (size_t)length : 0;
	text->data[text->length] = '\0';
}

void bench_text_add_by(struct bench_text *text, void (*add)(struct bench_text *text, const char *value),
		       const char *format, va_list arguments)
{
	for (;;) {
		const size_t plain = strcspn(format, "%");
		bench_text_add_bytes(text, format, plain);
		format += plain;
		if (!*format)
			return;
		if (format[1] == 's')
			add(text, va_arg(arguments, const char *));
		else if (format[1] == 'z')
			bench_text_add(text, "%zu", va_arg(arguments, size_t));
		else
			bench_text_add(text, "%%");
		format += format[1] == 'z' ? 3 : 2;
	}
}

void bench_text_free(struct bench_text *text)
{
	free(text->data);
	*text = (struct bench_text){0};
}

char *bench_text_keep(struct bench_text *text, struct bench_arena *arena)
{
	char *kept = bench_arena_string(arena, text->data ? text->data : "");
	bench_text_free(text);
	return kept;
}

struct scale {
	double factor;
	const char *name;
};

/* From the largest; the last one takes whatever is smaller. */
static const struct scale seconds[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {0, NULL}};
static const struct scale flop_rates[] = {
	{1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}, {1e6, "MFLOP/s"}, {1, "FLOP/s"}, {0, NULL}};
static const struct scale byte_rates[] = {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"},
					  {1e3, "kB/s"},  {1, "B/s"},    {0, NULL}};
static const struct scale item_rates[] = {
	{1e9, "Gitem/s"}, {1e6, "Mitem/s"}, {1e3, "kitem/s"}, {1, "item/s"}, {0, NULL}};
static const struct scale bytes[] = {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"},
				     {0x1p10, "KiB"}, {1, "B"},        {0, NULL}};

static const struct scale joules[] = {{1e3, "kJ"},  {1, "J"},     {1e-3, "mJ"},
				      {1e-6, "uJ"}, {1e-9, "nJ"}, {0, NULL}};
static const struct scale watts[] = {{1e3, "kW"}, {1, "W"}, {1e-3, "mW"}, {0, NULL}};
static const struct scale flops_of_joule[] = {
	{1e12, "TFLOP/J"}, {1e9, "GFLOP/J"}, {1e6, "MFLOP/J"}, {1, "FLOP/J"}, {0, NULL}};
static const struct scale bytes_of_joule[] = {
	{1e9, "GB/J"}, {1e6, "MB/J"}, {1e3, "kB/J"}, {1, "B/J"}, {0, NULL}};

static const struct {
	const char *unit;
	const struct scale *scales;
} units[] = {{"s", seconds},         {"FLOP/s", flop_rates}, {"B/s", byte_rates}, {"item/s", item_rates},
	     {"B", bytes},           {"J", joules},          {"W", watts},        {"FLOP/J", flops_of_joule},
	     {"B/J", bytes_of_joule}};

/* The scales of a unit, the largest first; NULL: it has none. */
static const struct scale *scales_of(const char *unit)
{
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++)
		if (strcmp(units[u].unit, unit) == 0)
			return units[u].scales;
	return NULL;
}

const char *bench_text_scale(double value, const char *unit, double *factor)
{
	*factor = 1.0;
	if (strcmp(unit, "ratio") == 0 || strcmp(unit, "count") == 0)
		return "";
	if (strcmp(unit, "share") == 0) {
		*factor = 0.01;
		return "%";
	}
	const struct scale *scale = scales_of(unit);
	if (!scale)
		return unit;
	while (scale[1].name && fabs(value) < scale->factor)
		scale++;
	*factor = scale->factor;
	return scale->name;
}

void bench_text_quantity(char *out, size_t size, double value, const char *unit)
{
	if (isnan(value)) {
		snprintf(out, size, "-");
		return;
	}
	double factor;
	const char *name = bench_text_scale(value, unit, &factor);
	double shown = value / factor, magnitude = fabs(shown);
	if (strcmp(unit, "count") == 0 && value == rint(value) && magnitude < 1e15) {
		snprintf(out, size, "%.0f", value);
		return;
	}
	if (value == 0) {
		bool counted = *name && strcmp(name, "%") != 0 && !scales_of(unit);
		snprintf(out, size, "0%s%s", counted ? " " : "", counted ? name : "");
		return;
	}
	int decimals = magnitude >= 999.95 ? 0 : magnitude >= 99.995 ? 1 : magnitude >= 9.9995 ? 2 : 3;
	bool close = *name == '\0' || strcmp(name, "%") == 0;
	snprintf(out, size, "%.*f%s%s", decimals, shown, close ? "" : " ", name);
}

void bench_text_difference(char *out, size_t size, double value, const char *unit)
{
	double factor;
	const char *name = bench_text_scale(value, unit, &factor);
	char text[96];
	if (value == 0 || (factor == 1 && value == rint(value) && fabs(value) < 1e6))
		snprintf(text, sizeof(text), "%.0f%s%s", fabs(value), *name ? " " : "", name);
	else
		bench_text_quantity(text, sizeof(text), fabs(value), unit);
	snprintf(out, size, "%s%s", value > 0 ? "+" : value < 0 ? "-" : "", text);
}

/* Edits (insert, delete, replace, swap of neighbors) that turn a into b: optimal string alignment distance.
 */
static size_t edit_distance(const char *a, const char *b)
{
	enum { MAX = 63 };
	size_t n = strlen(a), m = strlen(b);
	size_t row[3][MAX + 1];
	if (n > MAX || m > MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
			size_t best = above[j - 1] + (x != y);
			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    tolower((unsigned char)a[i - 2]) == y && two_above[j - 2] + 1 < best)
				best = two_above[j - 2] + 1;
			now[j] = best;
		}
	}
	return row[n % 3][m];
}

const char *bench_text_nearest(const char *word, const char *const *words, size_t count)
{
	const char *nearest = NULL;
	size_t length = strlen(word), best = length / 3 + 1; /* further off than this is another word */
	for (size_t i = 0; i < count; i++) {
		size_t distance = edit_distance(word, words[i]);
		/* A prefix is near too: "transf" for "transfer". */
		if (length >= 3 && strncasecmp(word, words[i], length) == 0 && distance > 1)
			distance = 1;
		if (distance < best || (distance == best && !nearest)) {
			best = distance;
			nearest = words[i];
		}
	}
	return nearest;
}

int bench_text_no_such(const char *what, const char *word, const char *const *names, size_t count,
		       const char *last, struct bench_error *error)
{
	BENCH_SCOPED_TEXT list = {0};
	const char *nearest = bench_text_nearest(word, names, count);
	for (size_t i = 0; i < count; i++)
		bench_text_add(&list, "%s%s", i ? ", " : "", names[i]);
	if (*word)
		bench_fail(error, BENCH_USAGE, "there is no %s '%s': there are %s%s%s%s%s", what, word,
			   list.data ? list.data : "", last, BENCH_DID_YOU_MEAN(nearest));
	else
		bench_fail(error, BENCH_USAGE, "say which %s: there are %s%s", what,
			   list.data ? list.data : "", last);
	return -1;
}

/* How much of a pattern one character has to match: "[...]", "\x" or a character; a '[' without its ']' is
 * one. */
static size_t pattern_element(const char *pattern)
{
	if (pattern[0] == '\\' && pattern[1])
		return 2;
	if (pattern[0] != '[')
		return 1;
	size_t at = pattern[1] == '!' || pattern[1] == '^' ? 2 : 1;
	at += pattern[at] == ']';
	for (; pattern[at] && pattern[at] != ']'; at++) {
		const char end[] = {pattern[at + 1], ']', '\0'};
		bool opens = pattern[at] == '[' && end[0] && strchr(":.=", end[0]);
		const char *class = opens ? strstr(pattern + at + 2, end) : NULL;
		if (class)
			at = (size_t)(class - pattern) + 1;
		else if (pattern[at] == '\\' && pattern[at + 1])
			at++;
	}
	return pattern[at] ? at + 1 : 1;
}

static bool element_matches(const char *pattern, size_t length, char c)
{
	char one[] = {c, '\0'}, bracket[256];
	if (length == 1)
		return *pattern == '?' || *pattern == c;
	if (*pattern == '\\')
		return pattern[1] == c;
	if (length >= sizeof(bracket))
		return false;
	memcpy(bracket, pattern, length);
	bracket[length] = '\0';
	return fnmatch(bracket, one, 0) == 0;
}

int bench_text_order(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void *bench_text_find(const void *items, size_t count, size_t size, const char *name)
{
	const char *item = items;
	for (size_t i = 0; i < count; i++, item += size)
		if (bench_text_order(item, &name) == 0)
			return (void *)(uintptr_t)item;
	return NULL;
}

void *bench_text_find_or_add(struct bench_arena *arena, void *array_pointer, size_t *count, size_t size,
			     const char *name)
{
	char *array;
	memcpy(&array, array_pointer, sizeof(array));
	const char **item = bench_text_find(array, *count, size, name);
	if (!item) {
		item = bench_arena_push(arena, array_pointer, count, size);
		*item = name;
	}
	return item;
}

/*
 * Where what is behind the last '*' does not match, it is tried again one character later; what matched
 * before that '*' stays. So the time grows with the product of the lengths. fnmatch(3) tries every way and
 * may take for ever, and patterns also come from databases.
 */
bool bench_text_match(const char *pattern, const char *name)
{
	const char *behind_star = NULL, *retry = NULL;
	while (*name) {
		size_t length = pattern_element(pattern);
		if (*pattern == '*') {
			behind_star = ++pattern;
			retry = name;
		} else if (*pattern && element_matches(pattern, length, *name)) {
			pattern += length;
			name++;
		} else if (behind_star) {
			pattern = behind_star;
			name = ++retry;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

char *bench_text_literal(struct bench_arena *arena, const char *name)
{
	struct bench_text pattern = {0};
	for (; *name; name++)
		bench_text_add(&pattern, strchr("*?[\\", *name) ? "\\%c" : "%c", *name);
	return bench_text_keep(&pattern, arena);
}

char *bench_text_next(char **rest, char separator)
{
	char *item = *rest;
	if (!item)
		return NULL;
	char *end = strchr(item, separator);
	*rest = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	else
		end = item + strlen(item);
	while (isspace((unsigned char)*item))
		item++;
	while (end > item && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return item;
}

bool bench_text_real(const char *text, double *value)
{
	/* strtod also takes hexadecimal, "inf" and leading blanks, which are errors here. */
	if (!*text || strspn(text, "0123456789+-.eE") != strlen(text))
		return false;
	char *end;
	errno = 0;
	double parsed = strtod(text, &end);
	if (*end || !isfinite(parsed))
		return false;
	*value = parsed;
	return true;
}

/* A number with one of the suffixes behind it, scaled by the suffix's factor. */
static bool with_suffix(const char *text, const char *const *suffixes, const double *factors, double *value)
{
	char number[64];
	size_t length = strlen(text);
	for (size_t i = 0; suffixes[i]; i++) {
		size_t tail = strlen(suffixes[i]);
		if (length <= tail || length - tail >= sizeof(number) ||
		    strcmp(text + length - tail, suffixes[i]) != 0)
			continue;
		memcpy(number, text, length - tail);
		number[length - tail] = '\0';
		if (!bench_text_real(number, value))
			continue;
		*value *= factors[i];
		return true;
	}
	return false;
}

bool bench_text_duration(const char *text, double *duration)
{
	static const char *const suffixes[] = {"ms", "s", "m", "h", "", NULL};
	static const double factors[] = {1e-3, 1, 60, 3600, 1};
	return with_suffix(text, suffixes, factors, duration) && *duration > 0 && *duration <= 1e7;
}

bool bench_text_time(const char *text, double *time)
{
	static const char *const suffixes[] = {"ns", "us", "ms", "s", "", NULL};
	static const double factors[] = {1e-9, 1e-6, 1e-3, 1, 0};
	double bare; /* is 1 a second, or a nanosecond? */
	if (bench_text_real(text, &bare) && bare != 0)
		return false;
	return with_suffix(text, suffixes, factors, time) && *time >= 0 && *time <= 10;
}

bool bench_text_fraction(const char *text, double *fraction)
{
	static const char *const suffixes[] = {"%", "", NULL};
	static const double factors[] = {0.01, 1};
	double value;
	if (!with_suffix(text, suffixes, factors, &value) || value < 0 || value > 10)
		return false;
	if (value >= 1 && !strchr(text, '%')) /* is 5 5%, or 500%? */
		return false;
	*fraction = value;
	return true;
}

int bench_text_no_fraction(const char *what, const char *whole, const char *text, const char *expected,
			   struct bench_error *error)
{
	double percent, fraction;
	char meant[80];
	if (bench_text_real(text, &percent) && percent >= 1 && strlen(text) < sizeof(meant) - 1) {
		snprintf(meant, sizeof(meant), "%s%%", text);
		if (bench_text_fraction(meant, &fraction) && fraction < 1)
			return bench_fail(error, BENCH_USAGE, "%s %s: say %s (or %g)", what, text, meant,
					  fraction);
		if (bench_text_fraction(meant, &fraction))
			return bench_fail(error, BENCH_USAGE, "%s %s: say %s", what, text, meant);
	}
	return bench_fail(error, BENCH_USAGE, "%s '%s': expected %s", what, whole, expected);
}

void bench_text_slug(char *out, size_t size, const char *text)
{
	size_t n = 0;
	for (; *text && n + 1 < size; text++) {
		unsigned char c = (unsigned char)*text;
		if (c < 128 && isalnum(c))
			out[n++] = (char)tolower(c);
		else if (n && out[n - 1] != '-')
			out[n++] = '-';
	}
	while (n && out[n - 1] == '-')
		n--;
	if (size)
		out[n] = '\0';
}

size_t bench_text_utf8(const char *text, uint32_t *point)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *at = (const unsigned char *)text;
	size_t length = at[0] < 0x80             ? 1
			: (at[0] & 0xe0) == 0xc0 ? 2
			: (at[0] & 0xf0) == 0xe0 ? 3
			: (at[0] & 0xf8) == 0xf0 ? 4
						 : 0;
	if (length == 0)
		return 0;
	*point = length == 1 ? at[0] : at[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80) /* also the end of the string */
			return 0;
		*point = *point << 6 | (at[i] & 0x3f);
	}
	if (*point < smallest[length] || *point > 0x10ffff || (*point >= 0xd800 && *point <= 0xdfff))
		return 0;
	return length;
}

const char *bench_text_not_utf8(const char *text)
{
	uint32_t point;
	for (size_t length; *text; text += length)
		if ((length = bench_text_utf8(text, &point)) == 0)
			return text;
	return NULL;
}

/* Control characters, and those that reorder or hide what stands around them. */
static bool is_unsafe(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x200b && point <= 0x200f) ||
	       (point >= 0x2028 && point <= 0x202e) || (point >= 0x2060 && point <= 0x206f) ||
	       point == 0xfeff;
}

/* Blanks, as runners take them off the start of a line (Unicode's White_Space). */
static bool is_blank(uint32_t point)
{
	return point == ' ' || (point >= '\t' && point <= '\r') || point == 0x85 || point == 0xa0 ||
	       point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
	       point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x3000;
}

/* What a CI runner takes for a command: "::" at the start of a line, and "##[" anywhere in it. */
static bool is_command(bool at_start, const char *at)
{
	return strncmp(at, "##[", 3) == 0 || (at_start && strncmp(at, "::", 2) == 0);
}

/* How many bytes stay as they are, wherever in a line but at its start. */
static size_t count_plain(const char *text)
{
	size_t count = 0;
	while (text[count] >= ' ' && text[count] < 0x7f && text[count] != '#')
		count++;
	return count;
}

static void add_shown(struct bench_text *out, const char *text, bool one_line)
{
	bool at_start = true;             /* but for blanks */
	bench_text_add_bytes(out, "", 0); /* so that an empty line is a string too */
	for (const char *at = text; *at;) {
		size_t plain = at_start ? 0 : count_plain(at);
		bench_text_add_bytes(out, at, plain);
		at += plain;
		if (!*at)
			break;
		uint32_t point = 0;
		size_t length = bench_text_utf8(at, &point);
		bool ends = *at == '\n', returns = *at == '\r' && at[1] == '\n';
		if ((ends || returns) && !one_line)
			bench_text_add_bytes(out, at, 1);
		else if (ends || *at == '\t')
			bench_text_add_bytes(out, " ", 1);
		else if (length == 0 || (is_unsafe(point) && !returns) || is_command(at_start, at))
			bench_text_add_bytes(out, "?", 1);
		else if (!returns) /* the newline stands for both */
			bench_text_add_bytes(out, at, length);
		at_start = (ends && !one_line) || (at_start && length > 0 && is_blank(point));
		at += length ? length : 1;
	}
}

void bench_text_add_line(struct bench_text *out, const char *text)
{
	add_shown(out, text, true);
}

void bench_text_add_lines(struct bench_text *out, const char *text)
{
	add_shown(out, text, false);
}

void bench_text_add_json(struct bench_text *out, const char *json)
{
	for (const char *at = json; *at;) {
		uint32_t point = 0;
		size_t length = bench_text_utf8(at, &point);
		if (strncmp(at, "##[", 3) == 0)
			bench_text_add(out, "\\u0023");
		else if (length > 0 && point >= 0x7f && is_unsafe(point))
			bench_text_add(out, "\\u%04x", (unsigned)point);
		else
			bench_text_add_bytes(out, at, length ? length : 1);
		at += length ? length : 1;
	}
}

void bench_text_cut(char *out, size_t size, const char *text, const char *whole)
{
	enum { MARK = 9 };
	const size_t length = strlen(text), most = size - 1;
	const uint64_t hash = bench_hash_bytes(BENCH_HASH_START, whole, strlen(whole));
	memcpy(out, text, length < most ? length + 1 : most);
	if (length > most)
		snprintf(out + most - MARK, MARK + 1, "~%08x", (unsigned)(hash >> 32));
}

void bench_text_add_shell(struct bench_text *text, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	if (*word && strspn(word, plain) == strlen(word)) {
		bench_text_add(text, "%s", word);
		return;
	}
	bench_text_add(text, "'");
	for (; *word; word++) {
		if (*word == '\'')
			bench_text_add(text, "'\\''");
		else
			bench_text_add_bytes(text, word, 1);
	}
	bench_text_add(text, "'");
}

void bench_text_add_command(struct bench_text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	bench_text_add_by(text, bench_text_add_shell, format, arguments);
	va_end(arguments);
}

void bench_text_add_option(struct bench_text *text, const char *name, const char *value)
{
	bench_text_add(text, " --%s%s", name, strncmp(value, "--", 2) == 0 ? "=" : " ");
	bench_text_add_shell(text, value);
}

void bench_text_add_percent(struct bench_text *out, const char *text, const char *special)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		if (c > ' ' && c <= '~' && c != '%' && !strchr(special, c))
			bench_text_add_bytes(out, text, 1);
		else
			bench_text_add(out, "%%%02X", c);
	}
}

void bench_text_decode_percent(char *text)
{
	static const char digits[] = "0123456789ABCDEF";
	char *to = text;
	for (const char *from = text; *from; from++) {
		const char *high = from[0] == '%' && from[1] ? strchr(digits, from[1]) : NULL;
		const char *low = high && from[2] ? strchr(digits, from[2]) : NULL;
		*to = *from;
		if (low) {
			*to = (char)((high - digits) << 4 | (low - digits));
			from += 2;
		}
		to++;
	}
	*to = '\0';
}

char *bench_text_next_shell(char **rest, bool *open)
{
	char *from = *rest + strspn(*rest, " \t\n"), *word = from, *to = from, quote = '\0';
	if (!*from)
		return NULL;
	for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
		if (*from == quote) {
			quote = '\0';
		} else if (!quote && (*from == '\'' || *from == '"')) {
			quote = *from;
		} else {
			if (*from == '\\' && quote != '\'' && from[1])
				from++;
			*to++ = *from;
		}
	}
	*open = quote != '\0';
	*rest = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

const char *bench_text_next_option(char **rest, const char *const *names, const char **value)
{
	char *word;
	bool open;
	while ((word = bench_text_next_shell(rest, &open))) {
		const char *equals = strchr(word, '=');
		size_t length = equals ? (size_t)(equals - word) : strlen(word);
		for (size_t i = 0; names[i]; i++) {
			if (length != strlen(names[i]) + 2 || strncmp(word, "--", 2) != 0 ||
			    strncmp(word + 2, names[i], length - 2) != 0)
				continue;
			*value = equals ? equals + 1 : bench_text_next_shell(rest, &open);
			return *value ? names[i] : NULL;
		}
	}
	return NULL;
}
