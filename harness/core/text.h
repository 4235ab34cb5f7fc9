/* SPDX-License-Identifier: MIT */
/* Text: a growing buffer, quantities with units, near names, patterns. Pure functions. */
#ifndef BENCH_CORE_TEXT_H
#define BENCH_CORE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "core/arena.h"

/* A growing string. {0} is empty; `data` is NUL-terminated once anything was added, else NULL. */
struct bench_text {
	char *data;
	size_t length;
	size_t capacity;
};

void bench_text_add(struct bench_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_text_add_bytes(struct bench_text *text, const char *bytes, size_t length);
/* Adds a format whose %s `add` writes, escaped as the text around them asks for; else it has %zu and %%. */
void bench_text_add_by(struct bench_text *text, void (*add)(struct bench_text *text, const char *value),
		       const char *format, va_list arguments);
void bench_text_free(struct bench_text *text);
/* As BENCH_SCOPED_ARENA (arena.h). */
#define BENCH_SCOPED_TEXT __attribute__((cleanup(bench_text_free))) struct bench_text
/* The string in the arena, "" where nothing was added; the text is freed. */
char *bench_text_keep(struct bench_text *text, struct bench_arena *arena);

/* The end of a regular noun behind its count, for "%zu case%s": "" of one, else "s". */
static inline const char *bench_text_plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/*
 * A quantity in a readable unit: 1.234e-3 s gives "1.234 ms", 4e11 FLOP/s
 * "400.0 GFLOP/s", B/s "12.34 GB/s", a ratio "1.234". Four significant digits. NaN gives
 * "-", zero "0", with its unit where that is none of the known ones. Units known: s, FLOP/s, B/s, item/s,
 * ratio, B, count; any other is appended as it is.
 */
void bench_text_quantity(char *out, size_t size, double value, const char *unit);
/* The same with its sign, and without decimals that a whole number has no need of: "+5 allocs/op", "0 s". */
void bench_text_difference(char *out, size_t size, double value, const char *unit);
/*
 * The scale that bench_text_quantity would choose for `value`: divides by *factor and
 * shows the returned unit name (static storage), so that a column can share one.
 */
const char *bench_text_scale(double value, const char *unit, double *factor);

/* The word of `words` (count of them) nearest to `word` in edits, or NULL if none is near. */
const char *bench_text_nearest(const char *word, const char *const *words, size_t count);
/* Three arguments for a format's "%s%s%s": "; did you mean 'X'?", or nothing where `nearest` is NULL. */
#define BENCH_DID_YOU_MEAN(nearest)                                                                          \
	(nearest) ? "; did you mean '" : "", (nearest) ? (nearest) : "", (nearest) ? "'?" : ""

/*
 * BENCH_USAGE: "there is no <what> 'x': there are a, b<last>; did you mean 'b'?", or, of an empty word, "say
 * which <what>: there are a, b<last>"; returns -1.
 */
int bench_text_no_such(const char *what, const char *word, const char *const *names, size_t count,
		       const char *last, struct bench_error *error);

/*
 * The order of strings by their bytes, for qsort and bsearch over pointers to them, or over structs that
 * begin with one.
 */
int bench_text_order(const void *left, const void *right);
/*
 * The element of that name, of `count` elements of `size` bytes that are in no order: strings, or structs
 * that begin with their name, a char *. NULL: there is none.
 */
void *bench_text_find(const void *items, size_t count, size_t size, const char *name);
/* The same, and where there is none, a new one at the end of the array in the arena, zeroed but for its name.
 */
void *bench_text_find_or_add(struct bench_arena *arena, void *array_pointer, size_t *count, size_t size,
			     const char *name);
#define BENCH_FIND(items, count, name) bench_text_find(items, count, sizeof(*(items)), name)

/* Does `name` match the shell pattern (*, ?, [...])? '/' is an ordinary character. */
bool bench_text_match(const char *pattern, const char *name);
/* A pattern that matches that name alone. */
char *bench_text_literal(struct bench_arena *arena, const char *name);

/*
 * Takes the next item from a list separated by `separator`, in place: returns it, trimmed of blanks and
 * NUL-terminated, and moves *rest past it; NULL at the end.
 */
char *bench_text_next(char **rest, char separator);

/* Parse the whole text; false if it is something else. A finite decimal number. */
bool bench_text_real(const char *text, double *value);
/* A duration: "90s", "15m", "1.5h", "250ms", or a bare number of seconds; > 0. */
bool bench_text_duration(const char *text, double *seconds);
/* A time that something takes, which may be short: "1ns", "0.5us", "2ms", "1s", or "0"; up to 10 s. */
bool bench_text_time(const char *text, double *seconds);
/* A fraction: "5%" or "0.05"; in [0, 10]. A bare number of 1 or more is none: "5" may mean 5% or 500%. */
bool bench_text_fraction(const char *text, double *fraction);
/*
 * BENCH_USAGE, where `text`, of the value `whole`, is no fraction or not one that is expected: "<what> 5: say
 * 5% (or 0.05)", or "<what> '<whole>': expected <expected>"; returns -1.
 */
int bench_text_no_fraction(const char *what, const char *whole, const char *text, const char *expected,
			   struct bench_error *error);
/* Lowercase [a-z0-9-] from any text: runs of other characters become one '-'. */
void bench_text_slug(char *out, size_t size, const char *text);
/* The length in bytes of the UTF-8 character at `text` (RFC 3629, section 4) and its code point; 0 if there
 * is none. */
size_t bench_text_utf8(const char *text, uint32_t *point);
/* The first byte that is of no such character; NULL: there is none. */
const char *bench_text_not_utf8(const char *text);

/*
 * `text` as one line for people: newlines and tabs become blanks; other control and direction-changing
 * characters, and bytes that are not UTF-8, become '?', so that it cannot drive a terminal. Nor can it be a
 * command to a CI runner that reads the log: "::" at its start becomes "?:", and "##[" becomes "?#[".
 */
void bench_text_add_line(struct bench_text *out, const char *text);
/* The same, but line ends stay, each line by itself. */
void bench_text_add_lines(struct bench_text *out, const char *text);
/* A JSON document, the same by value, with escapes for what bench_text_add_line replaces. */
void bench_text_add_json(struct bench_text *out, const char *json);

/*
 * `text` as a value of a key, in `size` bytes: itself if it fits; otherwise its beginning, '~' and a hash of
 * `whole`, which `text` was made from. So values that begin alike stay distinct.
 */
void bench_text_cut(char *out, size_t size, const char *text, const char *whole);
/*
 * `text` with %XX for each byte that is not printable ASCII, is a '%', or is one of `special`: two texts
 * never become one.
 */
void bench_text_add_percent(struct bench_text *out, const char *text, const char *special);
/* The text that it was, in place. A '%' without two hexadecimal digits stays. */
void bench_text_decode_percent(char *text);

/* `text` quoted for a POSIX shell, only where it needs to be. */
void bench_text_add_shell(struct bench_text *text, const char *word);
/* A command whose %s are such words (bench_text_add_by). */
void bench_text_add_command(struct bench_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* An option of a command line with its value, so quoted, and never such that the value is taken for an
 * option. */
void bench_text_add_option(struct bench_text *text, const char *name, const char *value);
/*
 * Takes the next word off *rest, in place, split and unquoted as a shell does it: '...' and "..." hold
 * blanks, a backslash outside of '...' takes the next character as it is. Nothing is expanded. NULL at the
 * end; *open: a quote is not closed.
 */
char *bench_text_next_shell(char **rest, bool *open);
/*
 * The next option of a command line, in place, that is one of `names` (NULL-terminated) and takes a value,
 * which *value gets; NULL at the end.
 */
const char *bench_text_next_option(char **rest, const char *const *names, const char **value);

#endif
