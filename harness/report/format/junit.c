/* SPDX-License-Identifier: MIT */
/*
 * JUnit's XML, as CI servers read it: one testsuite per suite, one testcase per metric. A metric that fails
 * the gate is a <failure>, one that is unclear or suspected is <skipped>, both with the text. The texts of
 * the others are the testsuite's output. Attributes, elements and their order satisfy both schemas in use:
 * that of Ant's files (JUnit.xsd, github.com/windyroad/JUnit-Schema) and that of Jenkins (junit-10.xsd of its
 * xUnit plug-in).
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "report/format/format.h"
#include "report/render/alarms.h"
#include "report/render/answer.h"
#include "report/render/bounds.h"
#include "report/render/words.h"

/* XML 1.0 forbids U+FFFE and U+FFFF; bench_text_add_line has replaced the other forbidden characters. */
static bool is_no_character(const char *at)
{
	return strncmp(at, "\xef\xbf\xbe", 3) == 0 || strncmp(at, "\xef\xbf\xbf", 3) == 0;
}

static void add_escaped(struct bench_text *out, const char *text)
{
	BENCH_SCOPED_TEXT line = {0};
	bench_text_add_line(&line, text);
	for (const char *at = line.data; *at; at++) {
		if (*at == '&')
			bench_text_add(out, "&amp;");
		else if (*at == '<')
			bench_text_add(out, "&lt;");
		else if (*at == '>')
			bench_text_add(out, "&gt;");
		else if (*at == '"')
			bench_text_add(out, "&quot;");
		else if (is_no_character(at)) {
			bench_text_add(out, "?");
			at += 2;
		} else
			bench_text_add_bytes(out, at, 1);
	}
}

static void add_attribute(struct bench_text *out, const char *name, const char *value)
{
	bench_text_add(out, " %s=\"", name);
	add_escaped(out, value);
	bench_text_add(out, "\"");
}

static void add_property(struct bench_text *out, const char *name, const char *value)
{
	bench_text_add(out, "      <property");
	add_attribute(out, "name", name);
	add_attribute(out, "value", value);
	bench_text_add(out, "/>\n");
}

/* Neither failed nor passed. */
static bool is_skipped(const struct bench_verdict *verdict, unsigned failing)
{
	return !bench_compare_fails(verdict, failing) &&
	       (verdict->expected || verdict->kind == BENCH_UNCLEAR || verdict->kind == BENCH_SUSPECTED ||
		bench_render_alarms_known(verdict));
}

/* <failure message="..." type="slower">...</failure> */
static void add_outcome(struct bench_text *out, struct bench_arena *arena,
			const struct bench_verdict *verdict, unsigned failing)
{
	const char *told = bench_render_words_told(arena, verdict);
	if (bench_compare_fails(verdict, failing)) {
		bench_text_add(out, "      <failure");
		add_attribute(out, "message", told);
		add_attribute(out, "type",
			      bench_render_alarms_known(verdict) ? "open alarm"
								 : bench_compare_verdict_name(verdict->kind));
		bench_text_add(out, ">");
		add_escaped(out, verdict->key);
		bench_text_add(out, ": ");
		add_escaped(out, told);
		bench_text_add(out, "</failure>\n");
	} else {
		bench_text_add(out, "      <skipped");
		const char *why =
			verdict->expected ? bench_render_bounds_expected(arena, verdict->expected) : "";
		add_attribute(out, "message",
			      bench_arena_format(arena, "%s: %s%s%s",
						 bench_compare_verdict_name(verdict->kind), told,
						 *why ? "; " : "", why));
		bench_text_add(out, "/>\n");
	}
}

/* In seconds, as the schemas have it: a decimal. */
static void add_time(struct bench_text *out, double seconds)
{
	bench_text_add(out, " time=\"%.9f\"", isfinite(seconds) ? seconds : 0);
}

static double seconds_of(const struct bench_verdict *verdict)
{
	return strcmp(verdict->unit, "s") == 0 && isfinite(verdict->candidate_median)
		       ? verdict->candidate_median
		       : 0;
}

/* "gemm/openblas:cpu" is the class, "n=64/time" the name; a key of another form is both. */
static void add_case(struct bench_text *out, struct bench_arena *arena, const struct bench_verdict *verdict,
		     unsigned failing)
{
	const char *slash = strchr(verdict->key, '/');
	const char *second = slash ? strchr(slash + 1, '/') : NULL;
	size_t length = second ? (size_t)(second - verdict->key) : strlen(verdict->key);
	bench_text_add(out, "    <testcase");
	add_attribute(out, "classname", bench_arena_format(arena, "%.*s", (int)length, verdict->key));
	add_attribute(out, "name", second ? second + 1 : verdict->key);
	add_time(out, seconds_of(verdict));
	if (!bench_compare_fails(verdict, failing) && !is_skipped(verdict, failing)) {
		bench_text_add(out, "/>\n");
		return;
	}
	bench_text_add(out, ">\n");
	add_outcome(out, arena, verdict, failing);
	bench_text_add(out, "    </testcase>\n");
}

static bool in_suite(const struct bench_verdict *verdict, const char *suite, size_t length)
{
	return strcspn(verdict->key, "/") == length && strncmp(verdict->key, suite, length) == 0;
}

/* The start of a testsuite. */
struct head {
	size_t id; /* from 0 on */
	const char *name;
	size_t tests, failures, skipped;
	double seconds;
};

static void begin_suite(struct bench_text *out, const struct head *head,
			const struct bench_report_options *options)
{
	const struct bench_run *run = options ? options->candidate : NULL;
	const char *host = run ? bench_record_fact(run, "name") : "";
	char stamp[32];
	time_t started = run ? (time_t)run->started : 0;
	struct tm parts;
	gmtime_r(&started, &parts);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &parts);
	bench_text_add(out, "  <testsuite id=\"%zu\" package=\"bench\"", head->id);
	add_attribute(out, "name", head->name);
	bench_text_add(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"", head->tests,
		       head->failures, head->skipped);
	add_time(out, head->seconds);
	add_attribute(out, "timestamp", stamp);
	add_attribute(out, "hostname", *host ? host : "localhost");
	bench_text_add(out, ">\n    <properties>\n");
}

static void end_suite(struct bench_text *out, const char *said)
{
	bench_text_add(out, "    <system-out>%s</system-out>\n    <system-err/>\n  </testsuite>\n", said);
}

static void add_properties(struct bench_text *out, struct bench_arena *arena,
			   const struct bench_comparison *comparison,
			   const struct bench_report_options *options)
{
	const struct bench_run *run = options->candidate;
	add_property(out, "answer",
		     bench_render_answer(arena, comparison, options->gate, options->failing).line);
	add_property(out, "run", comparison->candidate_id);
	if (run && *run->git.commit)
		add_property(out, "commit",
			     run->git.dirty ? bench_arena_format(arena, "%s, dirty", run->git.commit)
					    : run->git.commit);
	add_property(out, "baseline", comparison->baseline_name);
	if (comparison->removed)
		add_property(out, "removed, as accepted",
			     bench_arena_format(arena, "%zu", comparison->removed));
	if (comparison->line)
		add_property(out, "line of history", comparison->line);
	for (size_t i = 0; i < comparison->env_change_count; i++)
		add_property(out, "environment changed, as allowed", comparison->env_changes[i]);
	char **alarms;
	size_t count = bench_render_alarms_lines(arena, comparison, &alarms);
	for (size_t i = 0; i < count; i++)
		add_property(out, "alarm", alarms[i]);
	for (size_t i = 0; i < comparison->env_note_count; i++)
		add_property(out, "environment differs", comparison->env_notes[i]);
	if (options->gate)
		add_property(out, "gate",
			     bench_render_gate_line(arena, comparison, options->gate, options->failing));
	struct bench_next *next;
	size_t next_count = bench_format_next(arena, comparison, options, &next);
	for (size_t i = 0; i < next_count; i++)
		add_property(out, next[i].what, next[i].command);
}

/* One line for each metric that passed. */
static void add_passed(struct bench_text *out, struct bench_arena *arena, const struct bench_verdict *verdict)
{
	if (out->length == 0)
		bench_text_add(out, "\n");
	add_escaped(out, verdict->key);
	bench_text_add(out, ": ");
	add_escaped(out, bench_render_words_told(arena, verdict));
	bench_text_add(out, "\n");
}

static void add_suite(struct bench_text *out, struct bench_arena *arena,
		      const struct bench_comparison *comparison, size_t first, size_t id,
		      const struct bench_report_options *options)
{
	const char *suite = comparison->verdicts[first].key;
	size_t length = strcspn(suite, "/");
	struct head head = {.id = id, .name = bench_arena_format(arena, "%.*s", (int)length, suite)};
	BENCH_SCOPED_TEXT cases = {0}, passed = {0};
	for (size_t i = first; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (!in_suite(verdict, suite, length))
			continue;
		bool fails = bench_compare_fails(verdict, options->failing),
		     skipped = is_skipped(verdict, options->failing);
		head.tests++;
		head.failures += fails;
		head.skipped += skipped;
		head.seconds += seconds_of(verdict);
		add_case(&cases, arena, verdict, options->failing);
		if (!fails && !skipped)
			add_passed(&passed, arena, verdict);
	}
	begin_suite(out, &head, options);
	add_properties(out, arena, comparison, options);
	bench_text_add(out, "    </properties>\n");
	bench_text_add_bytes(out, cases.data, cases.length);
	end_suite(out, passed.data ? passed.data : "");
}

/* A testsuite for the bounds of the project file. */
static void add_bounds(struct bench_text *out, struct bench_arena *arena, size_t id,
		       const struct bench_comparison *comparison, const struct bench_report_options *options)
{
	struct head head = {.id = id,
			    .name = "bounds",
			    .tests = comparison->bound_count,
			    .failures = bench_compare_out_of_bounds(comparison, BENCH_BOUND_OUT)};
	for (size_t i = 0; i < comparison->bound_count; i++)
		head.skipped += comparison->bounds[i].state != BENCH_BOUND_KEPT;
	head.skipped -= head.failures;
	begin_suite(out, &head, options);
	bench_text_add(out, "    </properties>\n");
	for (size_t i = 0; i < comparison->bound_count; i++) {
		const struct bench_bound_verdict *held = &comparison->bounds[i];
		const bool fails = held->state == BENCH_BOUND_OUT && !held->expected;
		bench_text_add(out, "    <testcase classname=\"bounds\"");
		add_attribute(out, "name",
			      bench_arena_format(arena, "%s %s %s", held->key, held->is_least ? "min" : "max",
						 held->bound->text));
		add_time(out, 0);
		if (held->state == BENCH_BOUND_KEPT) {
			bench_text_add(out, "/>\n");
			continue;
		}
		bench_text_add(out, ">\n      <%s", fails ? "failure" : "skipped");
		add_attribute(out, "message", bench_render_bounds_told(arena, held));
		bench_text_add(out, "%s/>\n    </testcase>\n", fails ? " type=\"out of bounds\"" : "");
	}
	end_suite(out, "");
}

/* A separate testsuite for trouble with the judging itself, which belongs to no metric. */
static void add_trouble(struct bench_text *out, size_t id, const char *verb, const char *why,
			const struct bench_report_options *options)
{
	const struct head head = {.id = id, .name = "bench", .tests = 1, .failures = 1};
	begin_suite(out, &head, options);
	bench_text_add(out, "    </properties>\n    <testcase classname=\"bench\"");
	add_attribute(out, "name", verb);
	add_time(out, 0);
	bench_text_add(out, ">\n      <failure");
	add_attribute(out, "message", why);
	bench_text_add(out, " type=\"refused\"/>\n    </testcase>\n");
	end_suite(out, "");
}

static void render_comparison(const struct bench_comparison *comparison,
			      const struct bench_report_options *options, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	size_t id = 0;
	bench_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	/* Suites in the order of their first verdicts: the worst first. */
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const char *suite = comparison->verdicts[i].key;
		size_t length = strcspn(suite, "/"), before = 0;
		while (before < i && !in_suite(&comparison->verdicts[before], suite, length))
			before++;
		if (before == i)
			add_suite(out, &arena, comparison, i, id++, options);
	}
	if (comparison->bound_count)
		add_bounds(out, &arena, id++, comparison, options);
	if (options->gate && options->gate->trouble)
		add_trouble(out, id++, "gate", options->gate->trouble, options);
	if (options->gate && options->gate->undecided.too_many)
		add_trouble(out, id, "undecided",
			    bench_arena_format(
				    &arena, "too little could be decided: %zu of %zu metrics are unclear",
				    options->gate->undecided.unclear, options->gate->undecided.judged),
			    options);
	bench_text_add(out, "</testsuites>\n");
}

static void render_refusal(const char *verb, const char *why, struct bench_text *out)
{
	bench_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	add_trouble(out, 0, verb, why, NULL);
	bench_text_add(out, "</testsuites>\n");
}

const struct bench_format bench_format_junit = {
	.name = "junit",
	.comparison = render_comparison,
	.refusal = render_refusal,
};
