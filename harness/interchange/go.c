/* SPDX-License-Identifier: MIT */
/* Go's benchmark text, as `go test -bench` prints it and benchstat reads it. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "interchange/internal.h"

#define UNITS_MOST 64
#define UNIT_MOST  63 /* characters */

/* What Go's own tool measures beside the time, by the name of the unit. */
static const struct {
	const char *name, *unit, *quantity;
} known[] = {
	{"time", "ns/op", "time"},
	{"bytes", "B/op", "allocated_bytes"},
	{"alloc", "allocs/op", "allocations"},
};

struct unit {
	const char *name;
	enum bench_better better;
};

struct text {
	struct interchange_reader *in;
	size_t line;
	const char *package;
	struct unit units[UNITS_MOST]; /* whose direction the file says */
	size_t unit_count;
	size_t failed; /* benchmarks of the package */
};

/* Is it a number of iterations and a value behind the name: no line of a log? */
static bool is_result(const char *line)
{
	static const char prefix[] = "Benchmark";
	const size_t name = strcspn(line, " \t"), gap = strspn(line + name, " \t");
	const char *count = line + name + gap;
	const size_t digits = strspn(count, "0123456789");
	const char *value = count + digits + strspn(count + digits, " \t");
	return strncmp(line, prefix, sizeof(prefix) - 1) == 0 && gap > 0 && digits > 0 &&
	       value > count + digits && strchr("+-.0123456789NI", *value) && *value;
}

static bool is_events(const struct interchange_reader *in)
{
	const char *data = in->file->data + strspn(in->file->data, " \t\r\n");
	return *data == '{' && strstr(data, "\"Action\":") && strstr(data, "Benchmark");
}

static bool is_go(const struct interchange_reader *in)
{
	const char *line = in->file->data;
	if (in->root)
		return false;
	while (!is_result(line)) {
		const char *end = strchr(line, '\n');
		if (!end)
			return is_events(in);
		line = end + 1;
	}
	return true;
}

static char *next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t\r");
	const size_t length = strcspn(word, " \t\r");
	if (length == 0)
		return NULL;
	*rest = word + length + (word[length] != '\0');
	word[length] = '\0';
	return word;
}

/* "Unit bytes/op better=lower" */
static int read_unit(struct text *text, char *rest)
{
	const char *name = next_word(&rest), *word;
	struct unit unit = {name, BENCH_BETTER_NONE};
	while ((word = next_word(&rest)))
		if (strncmp(word, "better=", 7) == 0)
			bench_record_better_parse(word + 7, &unit.better);
	if (!name || unit.better == BENCH_BETTER_NONE)
		return 0;
	if (text->unit_count == UNITS_MOST)
		return interchange_fail(text->in, "line %zu: more than %d units", text->line, UNITS_MOST);
	text->units[text->unit_count++] = unit;
	return 0;
}

/* "key: value": what it was measured on. */
static int read_setting(struct text *text, char *line)
{
	static const struct {
		const char *key, *fact;
	} facts[] = {{"goos", "os"}, {"cpu", "cpu"}, {"host", "name"}};
	char *value = strchr(line, ':');
	if (!value || value == line || !islower((unsigned char)*line) ||
	    strcspn(line, " \t") < (size_t)(value - line))
		return 0;
	*value++ = '\0';
	value += strspn(value, " \t");
	value[strcspn(value, "\r")] = '\0';
	int64_t started;
	if (strcmp(line, "pkg") == 0)
		text->package = value;
	else if (strcmp(line, "commit") == 0)
		return interchange_commit(text->in, value, "", false);
	else if (strcmp(line, "date") == 0 && bench_date_parse(value, &started))
		interchange_started(text->in, started);
	else
		interchange_label(text->in, line, value);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (strcmp(line, facts[i].key) == 0)
			interchange_fact(text->in, facts[i].fact, value);
	return 0;
}

/* A quantity is named by its unit, and is the same one however that is spelled: "ns/op" and "us/op" are time.
 */
static struct interchange_quantity quantity_of(const struct text *text, const char *unit)
{
	struct interchange_quantity quantity = {unit, unit, BENCH_BETTER_NONE, INTERCHANGE_BY_UNIT};
	struct bench_unit parsed;
	if (bench_unit_parse(unit, &parsed) && (strchr(unit, '/') || strcmp(parsed.si, "s") == 0))
		quantity.name = bench_arena_string(text->in->arena, parsed.name);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, quantity.name) == 0) {
			quantity.name = known[i].quantity;
			quantity.better = BENCH_BETTER_LOWER;
			quantity.direction = INTERCHANGE_SAID;
		}
	for (size_t i = 0; i < text->unit_count; i++)
		if (strcmp(text->units[i].name, unit) == 0) {
			quantity.direction = INTERCHANGE_SAID;
			quantity.better = text->units[i].better;
		}
	return quantity;
}

/* "BenchmarkSort/n=10-8": the name Sort, n=10, and procs=8. */
static struct interchange_case new_case(const struct text *text, const char *full)
{
	const struct interchange_reader *in = text->in;
	const char *procs = strrchr(full, '-');
	const bool has_procs = procs && procs[1] && strspn(procs + 1, "0123456789") == strlen(procs + 1);
	const int length = has_procs ? (int)(procs - full) : (int)strlen(full);
	const char *bare = full + strlen("Benchmark");
	struct interchange_case fresh = interchange_split(
		in, bare < full + length
			    ? bench_arena_format(in->arena, "%.*s", (int)(full + length - bare), bare)
			    : full);
	interchange_note(in, &fresh, "name", full);
	if (has_procs)
		interchange_param(in, &fresh, "procs", procs + 1);
	if (text->package) {
		interchange_param(in, &fresh, "pkg", text->package);
		interchange_note(in, &fresh, "package", text->package);
	}
	fresh.named = true;
	return fresh;
}

/* Values with their units, as far as the line goes. */
static int read_values(struct text *text, char *rest, struct interchange_case *to)
{
	struct interchange_reader *in = text->in;
	const char *word;
	double value, seconds = 0, rate = 0;
	while ((word = next_word(&rest))) {
		const char *unit = next_word(&rest);
		struct bench_unit parsed;
		if (!bench_text_real(word, &value) || !unit)
			return interchange_fail(in, "line %zu: '%.60s' is no value with a unit", text->line,
						word);
		const bool is_known = bench_unit_parse(unit, &parsed);
		if (strcmp(unit, "MB/s") == 0) {
			rate = value * 1e6;
			continue;
		}
		const struct interchange_quantity quantity = quantity_of(text, unit);
		if (interchange_sample(in, to, &quantity, 0, value) != 0)
			return -1;
		if (is_known && strcmp(quantity.name, "time") == 0)
			seconds = value * parsed.times / parsed.over;
	}
	if (rate * seconds > 0 && isfinite(rate * seconds))
		to->work.bytes = round(rate * seconds);
	return 0;
}

static int read_result(struct text *text, char *rest)
{
	const char *full = next_word(&rest), *count = next_word(&rest);
	double iterations;
	struct interchange_case *to = interchange_enter(text->in, new_case(text, full), true);
	if (!to)
		return -1;
	to->iterations = bench_text_real(count, &iterations) ? interchange_iterations(iterations) : 1;
	return read_values(text, rest, to);
}

/* "--- FAIL: BenchmarkC-8", and "--- SKIP: ...", which have no values. */
static int read_ended(struct text *text, char *rest, enum bench_status status)
{
	const char *full = next_word(&rest);
	if (!full || strncmp(full, "Benchmark", 9) != 0)
		return 0;
	struct interchange_case *to = interchange_enter(text->in, new_case(text, full), true);
	if (!to)
		return -1;
	interchange_end(to, status,
			status == BENCH_STATUS_FAILED ? "go test says FAIL" : "go test says SKIP");
	text->failed += status == BENCH_STATUS_FAILED;
	return 0;
}

/* "FAIL package 0.3s": a benchmark of it ended the process, unless one has failed by itself. */
static int read_package_failure(struct text *text, char *rest)
{
	const char *package = next_word(&rest);
	const size_t failed = text->failed;
	text->failed = 0;
	return failed > 0 || !package
		       ? 0
		       : interchange_fail(
				 text->in,
				 "line %zu: package '%.200s' failed: what it had not measured is not here",
				 text->line, package);
}

static int read_line(struct text *text, char *line)
{
	line[strcspn(line, "\r")] = '\0';
	if (is_result(line))
		return read_result(text, line);
	if (strncmp(line, "--- FAIL: ", 10) == 0)
		return read_ended(text, line + 10, BENCH_STATUS_FAILED);
	if (strncmp(line, "--- SKIP: ", 10) == 0)
		return read_ended(text, line + 10, BENCH_STATUS_SKIPPED);
	if (strncmp(line, "FAIL\t", 5) == 0)
		return read_package_failure(text, line + 5);
	if (strncmp(line, "Unit ", 5) == 0)
		return read_unit(text, line + 5);
	return read_setting(text, line);
}

static void read_lines(struct text *text, char *rest)
{
	char *line;
	while ((line = strsep(&rest, "\n"))) {
		text->line++;
		const char *name = bench_arena_format(text->in->arena, "line %zu: %.*s", text->line,
						      (int)strcspn(line, " \t"), line);
		interchange_settle(text->in, name, read_line(text, line));
	}
}

/* The output of one package, out of the events of `go test -json`, where those of several are mixed. */
struct package {
	const char *name;
	struct bench_text output;
};

static void read_event(struct interchange_reader *in, const cJSON *event, struct package **packages,
		       size_t *count)
{
	const char *name = interchange_text(event, "Package");
	const char *output = interchange_text(event, "Output");
	if (strcmp(interchange_text(event, "Action"), "output") != 0)
		return;
	struct package *package = bench_text_find_or_add(in->arena, packages, count, sizeof(*package), name);
	if (package->name == name)
		package->name = bench_arena_string(in->arena, name);
	bench_text_add(&package->output, "%s", output);
}

static void read_events(struct interchange_reader *in)
{
	struct package *packages = NULL;
	size_t count = 0, number = 0;
	char *rest = bench_arena_string(in->arena, in->file->data), *line;
	while ((line = strsep(&rest, "\n"))) {
		char *what = bench_arena_format(in->arena, "%.300s: line %zu", in->file->path, ++number);
		BENCH_SCOPED_JSON *event = line[strspn(line, " \t\r")] == '{'
						   ? bench_json_parse(line, strlen(line), what, in->error)
						   : NULL;
		if (event)
			read_event(in, event, &packages, &count);
		else if (line[strspn(line, " \t\r")] == '{')
			interchange_settle(in, what, -1);
	}
	for (size_t i = 0; i < count; i++) {
		struct text text = {.in = in, .package = *packages[i].name ? packages[i].name : NULL};
		read_lines(&text, bench_text_keep(&packages[i].output, in->arena));
	}
}

static int read_go(struct interchange_reader *in)
{
	struct text text = {.in = in};
	if (is_events(in))
		read_events(in);
	else
		read_lines(&text, bench_arena_string(in->arena, in->file->data));
	return 0;
}

/* A name that Go's rules let stand at the start of a line. */
static const char *go_name(struct bench_arena *arena, const struct bench_result *result)
{
	const char *came = bench_record_note(result, "name");
	const char *title = *came ? came : interchange_title(arena, result, '=');
	const bool legal =
		is_result(bench_arena_format(arena, "%s 1 1", title)) && !islower((unsigned char)title[9]);
	char *name = bench_arena_format(arena, "%s%s", legal ? "" : "Benchmark", title);
	char *first = name + strlen("Benchmark");
	*first = legal ? *first : (char)toupper((unsigned char)*first);
	for (char *at = name; *at; at++)
		if (isspace((unsigned char)*at) || iscntrl((unsigned char)*at))
			*at = '_';
	return name;
}

/* The unit of a column, and what SI values are multiplied with. */
static const char *go_unit(const struct bench_result *result, const struct bench_metric *metric,
			   double *factor)
{
	double times, over;
	if (strcmp(metric->name, "time") == 0) {
		*factor = 1e9;
		return "ns/op";
	}
	*factor = 1;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].quantity, metric->name) == 0 && metric->better == BENCH_BETTER_LOWER)
			return known[i].unit;
	const char *name = interchange_metric_name(result, metric);
	interchange_unit(result, metric, &times, &over);
	*factor = over / times;
	return strpbrk(name, " \t\r\n") || strlen(name) > UNIT_MOST ? metric->name : name;
}

static void write_units(const struct bench_run *run, struct bench_interchange_notes *notes,
			struct bench_text *out)
{
	for (size_t i = 0; i < run->result_count; i++)
		for (size_t m = 0; m < run->results[i].metric_count; m++) {
			const struct bench_metric *metric = &run->results[i].metrics[m];
			double factor;
			if (!interchange_is_measured(metric) || metric->better == BENCH_BETTER_NONE)
				continue;
			BENCH_SCOPED_TEXT line = {0};
			bench_text_add_line(&line,
					    bench_arena_format(&notes->arena, "Unit %s better=%s",
							       go_unit(&run->results[i], metric, &factor),
							       bench_record_better_name(metric->better)));
			bench_text_add(&line, "\n");
			if (!out->data || !strstr(out->data, line.data))
				bench_text_add_bytes(out, line.data, line.length);
		}
}

/* The index-th value of each metric; false if no metric has that many. */
static bool write_line(struct bench_arena *arena, const struct bench_result *result, size_t index,
		       struct bench_text *out)
{
	bool any = false;
	for (size_t m = 0; m < result->metric_count; m++) {
		const struct bench_metric *metric = &result->metrics[m];
		double factor;
		size_t count = 0;
		const double *values =
			interchange_is_measured(metric) ? interchange_values(arena, metric, &count) : NULL;
		if (index >= count)
			continue;
		if (!any) {
			bench_text_add_line(out, go_name(arena, result));
			bench_text_add(out, " %llu",
				       (unsigned long long)(result->iterations ? result->iterations : 1));
		}
		any = true;
		const char *unit = go_unit(result, metric, &factor);
		bench_text_add(out, " %.15g ", values[index] * factor);
		bench_text_add_line(out, unit);
		const double rate = result->work.bytes / values[index] / 1e6;
		if (strcmp(metric->name, "time") == 0 && rate > 0 && isfinite(rate))
			bench_text_add(out, " %.15g MB/s", rate);
	}
	bench_text_add(out, "%s", any ? "\n" : "");
	return any;
}

static void write_setting(const char *key, const char *value, struct bench_text *out)
{
	bench_text_add(out, "%s: ", key);
	bench_text_add_line(out, value);
	bench_text_add(out, "\n");
}

static void write_go(const struct bench_run *run, struct bench_interchange_notes *notes,
		     struct bench_text *out)
{
	static const char what[] = "Go's text";
	static const char *const settings[][2] = {{"goos", "os"}, {"cpu", "cpu"}};
	BENCH_SCOPED_ARENA arena = {0};
	const char *package = "";
	for (size_t i = 0; i < 2; i++)
		if (*bench_record_fact(run, settings[i][1]))
			write_setting(settings[i][0], bench_record_fact(run, settings[i][1]), out);
	write_units(run, notes, out);
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const char *own = bench_record_note(result, "package");
		if (interchange_leaves_out(result, what, notes))
			continue;
		if (strcmp(own, package) != 0)
			write_setting("pkg", own, out);
		package = own;
		for (size_t index = 0; write_line(&arena, result, index, out);)
			index++;
	}
	interchange_say(
		notes,
		"%s has no date, host or commit: benchstat does not compare files that differ in such lines",
		what);
	interchange_say_medians(run, what, notes);
}

INTERCHANGE_FORMAT(go, is_go, read_go, write_go);
