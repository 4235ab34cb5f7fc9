/*
 * JUnit's XML, as CI servers read it: a testsuite for each suite, a testcase for each metric. What
 * fails the gate is a <failure>, what is unclear is <skipped>, both with the text.
 */
#include <string.h>
#include <time.h>

#include "report/format/format.h"
#include "report/render/alarms.h"
#include "report/render/words.h"

/* XML 1.0 has no place for U+FFFE and U+FFFF; the other characters that it has none for are gone from a line.
 */
static bool is_no_character(const char *at)
{
	return strncmp(at, "\xef\xbf\xbe", 3) == 0 || strncmp(at, "\xef\xbf\xbf", 3) == 0;
}

static void add_escaped(struct bench_text *out, const char *text)
{
	struct bench_text line = {0};
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
	bench_text_free(&line);
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
	       (verdict->kind == BENCH_UNCLEAR || bench_render_alarms_known(verdict));
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
	} else if (is_skipped(verdict, failing)) {
		bench_text_add(out, "      <skipped");
		add_attribute(out, "message", told);
		bench_text_add(out, "/>\n");
	} else {
		bench_text_add(out, "      <system-out>");
		add_escaped(out, told);
		bench_text_add(out, "</system-out>\n");
	}
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
	bench_text_add(out, ">\n");
	add_outcome(out, arena, verdict, failing);
	bench_text_add(out, "    </testcase>\n");
}

static bool in_suite(const struct bench_verdict *verdict, const char *suite, size_t length)
{
	return strcspn(verdict->key, "/") == length && strncmp(verdict->key, suite, length) == 0;
}

static void add_totals(struct bench_text *out, const struct bench_comparison *comparison, const char *suite,
		       size_t length, unsigned failing)
{
	size_t tests = 0, failures = 0, skipped = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (!in_suite(verdict, suite, length))
			continue;
		tests++;
		failures += bench_compare_fails(verdict, failing);
		skipped += is_skipped(verdict, failing);
	}
	bench_text_add(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"", tests, failures,
		       skipped);
}

static void add_properties(struct bench_text *out, struct bench_arena *arena,
			   const struct bench_comparison *comparison,
			   const struct bench_report_options *options)
{
	const struct bench_run *run = options->candidate;
	bench_text_add(out, "    <properties>\n");
	add_property(out, "run", comparison->candidate_id);
	if (run && *run->git.commit)
		add_property(out, "commit",
			     run->git.dirty ? bench_arena_format(arena, "%s, dirty", run->git.commit)
					    : run->git.commit);
	add_property(out, "baseline", comparison->baseline_name);
	if (comparison->removed)
		add_property(out, "removed, as accepted",
			     bench_arena_format(arena, "%zu", comparison->removed));
	for (size_t i = 0; i < comparison->env_change_count; i++)
		add_property(out, "environment changed, as allowed", comparison->env_changes[i]);
	struct bench_alarm_group *groups;
	size_t count;
	bench_render_alarms(arena, comparison, &groups, &count);
	for (size_t i = 0; i < count; i++)
		add_property(out, "alarm", bench_render_alarms_line(arena, &groups[i]));
	for (size_t i = 0; i < comparison->env_note_count; i++)
		add_property(out, "environment differs", comparison->env_notes[i]);
	if (options->gate)
		add_property(out, "gate",
			     bench_render_gate_line(arena, comparison, options->gate, options->failing));
	bench_text_add(out, "    </properties>\n");
}

static void add_suite(struct bench_text *out, struct bench_arena *arena,
		      const struct bench_comparison *comparison, const char *suite, size_t length,
		      const struct bench_report_options *options)
{
	const struct bench_run *run = options->candidate;
	bench_text_add(out, "  <testsuite");
	add_attribute(out, "name", bench_arena_format(arena, "%.*s", (int)length, suite));
	add_totals(out, comparison, suite, length, options->failing);
	if (run && run->started > 0) {
		char stamp[32];
		time_t started = (time_t)run->started;
		struct tm parts;
		gmtime_r(&started, &parts);
		strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &parts);
		add_attribute(out, "timestamp", stamp);
		add_attribute(out, "hostname",
			      bench_record_attribute_get(run->host, run->host_count, "name"));
	}
	bench_text_add(out, ">\n");
	add_properties(out, arena, comparison, options);
	for (size_t i = 0; i < comparison->verdict_count; i++)
		if (in_suite(&comparison->verdicts[i], suite, length))
			add_case(out, arena, &comparison->verdicts[i], options->failing);
	bench_text_add(out, "  </testsuite>\n");
}

/* What went wrong with the judging itself is no metric's: a testsuite of its own. */
static void add_trouble(struct bench_text *out, const char *verb, const char *why)
{
	bench_text_add(out,
		       "  <testsuite name=\"bench\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
		       "    <testcase classname=\"bench\"");
	add_attribute(out, "name", verb);
	bench_text_add(out, ">\n      <failure");
	add_attribute(out, "message", why);
	bench_text_add(out, " type=\"refused\"/>\n    </testcase>\n  </testsuite>\n");
}

static void render_comparison(const struct bench_comparison *comparison,
			      const struct bench_report_options *options, struct bench_text *out)
{
	struct bench_arena arena = {0};
	bench_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	add_attribute(out, "name", options->gate ? "bench gate" : "bench compare");
	bench_text_add(out, ">\n");
	/* A suite where its first verdict stands: what is worst comes first. */
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const char *suite = comparison->verdicts[i].key;
		size_t length = strcspn(suite, "/"), before = 0;
		while (before < i && !in_suite(&comparison->verdicts[before], suite, length))
			before++;
		if (before == i)
			add_suite(out, &arena, comparison, suite, length, options);
	}
	if (options->gate && options->gate->trouble)
		add_trouble(out, "gate", options->gate->trouble);
	if (options->gate && options->gate->undecided.too_many)
		add_trouble(out, "undecided",
			    bench_arena_format(
				    &arena, "too little could be decided: %zu of %zu metrics are unclear",
				    options->gate->undecided.unclear, options->gate->undecided.judged));
	bench_text_add(out, "</testsuites>\n");
	bench_arena_free(&arena);
}

static void render_refusal(const char *verb, const char *why, struct bench_text *out)
{
	bench_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	struct bench_arena arena = {0};
	add_attribute(out, "name", bench_arena_format(&arena, "bench %s", verb));
	bench_arena_free(&arena);
	bench_text_add(out, ">\n");
	add_trouble(out, verb, why);
	bench_text_add(out, "</testsuites>\n");
}

const struct bench_format bench_format_junit = {
	.name = "junit",
	.comparison = render_comparison,
	.refusal = render_refusal,
};
