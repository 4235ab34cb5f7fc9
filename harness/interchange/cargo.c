/* SPDX-License-Identifier: MIT */
/*
 * cargo bench: what it prints. Rust's own harness has "test NAME ... bench: 1,234 ns/iter (+/- 56) = 7 MB/s";
 * Criterion has "NAME   time:   [1.20 us 1.25 us 1.30 us]", an estimate between its bounds, with a long name
 * on the line before.
 */
#include <math.h>
#include <string.h>

#include "interchange/internal.h"

struct text {
	struct interchange_reader *in;
	const char *name; /* Criterion's, of the line before */
};

static char *find_bench(char *line)
{
	char *bench = strncmp(line, "test ", 5) == 0 ? strstr(line, " ... bench:") : NULL;
	return bench && strstr(bench, "/iter") ? bench : NULL;
}

static char *find_time(char *line)
{
	char *time = strstr(line, "time:   [");
	return time && (time == line || time[-1] == ' ') && strchr(time, ']') ? time : NULL;
}

static bool is_cargo(const struct interchange_reader *in)
{
	bool found = false;
	for (const char *line = in->root ? NULL : in->file->data; line && !found;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const size_t length = strcspn(line, "\n");
		const char *bench = strncmp(line, "test ", 5) == 0 ? strstr(line, " ... bench:") : NULL;
		const char *time = strstr(line, "time:   [");
		found = (bench && bench < line + length) || (time && time < line + length);
	}
	return found;
}

/* "1,234.5" */
static bool take_number(struct bench_arena *arena, char **rest, double *value)
{
	char *word, *digits, *to;
	*rest += strspn(*rest, " \t[");
	word = strsep(rest, " ");
	digits = to = bench_arena_string(arena, word ? word : "");
	for (const char *from = digits; *from; from++)
		if (*from != ',')
			*to++ = *from;
	*to = '\0';
	return *rest && bench_text_real(digits, value);
}

/* Ends the name, which is padded to the longest one of the run. */
static void cut_blanks(const char *start, char *end)
{
	while (end > start && end[-1] == ' ')
		end--;
	*end = '\0';
}

static int read_test(struct interchange_reader *in, char *line, char *bench)
{
	double value, rate;
	char *rest = bench + strlen(" ... bench:");
	cut_blanks(line, bench);
	struct interchange_case *to =
		interchange_enter(in, interchange_split(in, line + strlen("test ")), true);
	const bool is_number = take_number(in->arena, &rest, &value);
	const char *unit = rest ? strsep(&rest, " \t") : NULL;
	if (!to)
		return -1;
	if (!is_number || !unit)
		return interchange_fail(in, "'%.100s' has no time", to->id);
	const struct interchange_quantity time =
		INTERCHANGE_COST("time", bench_arena_string(in->arena, unit));
	if (interchange_sample(in, to, &time, 0, value) != 0)
		return -1;
	rest = rest ? strstr(rest, "= ") : NULL;
	if (rest && (rest += 2, take_number(in->arena, &rest, &rate)) && strncmp(rest, "MB/s", 4) == 0)
		to->work.bytes = round(rate * 1e6 * to->last->value);
	return 0;
}

static int read_estimate(struct text *text, char *line, char *found)
{
	struct interchange_reader *in = text->in;
	double low, value;
	char *rest = found + strlen("time:");
	cut_blanks(line, found);
	line += strspn(line, " ");
	const char *name = *line ? line : text->name;
	if (!name)
		return interchange_fail(in, "a time without a name");
	struct interchange_case *to = interchange_enter(in, interchange_split(in, name), false);
	if (!to)
		return -1;
	const bool has_low = take_number(in->arena, &rest, &low) && strsep(&rest, " ");
	const bool is_number = has_low && rest && take_number(in->arena, &rest, &value);
	const char *unit = is_number ? strsep(&rest, " ]") : NULL;
	const struct interchange_quantity time = INTERCHANGE_COST("time", unit ? unit : "");
	return unit ? interchange_sample(in, to, &time, 0, value)
		    : interchange_fail(in, "'%.100s' has no estimate", to->id);
}

/* "test NAME ... FAILED" */
static int read_ended(struct interchange_reader *in, char *line)
{
	char *how = strstr(line, " ... ");
	if (strncmp(line, "test ", 5) != 0 || !how || strncmp(how + 5, "FAILED", 6) != 0)
		return 0; /* a test that is no benchmark */
	cut_blanks(line, how);
	struct interchange_case *to = interchange_enter(in, interchange_split(in, line + 5), true);
	if (to)
		interchange_end(to, BENCH_STATUS_FAILED, "cargo bench says FAILED");
	return to ? 0 : -1;
}

static int read_line(struct text *text, char *line)
{
	char *bench = find_bench(line), *time = find_time(line);
	return bench  ? read_test(text->in, line, bench)
	       : time ? read_estimate(text, line, time)
		      : read_ended(text->in, line);
}

static int read_cargo(struct interchange_reader *in)
{
	struct text text = {.in = in};
	char *rest = bench_arena_string(in->arena, in->file->data), *line;
	interchange_say_has(in, "one value a benchmark, and no date, host or commit");
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "\r")] = '\0';
		const char *copy = bench_arena_string(in->arena, line);
		interchange_settle(in, copy, read_line(&text, line));
		if (*copy && *copy != ' ' && !strchr(copy, ':'))
			text.name = copy;
	}
	return 0;
}

INTERCHANGE_FORMAT(cargo, is_cargo, read_cargo, NULL);
