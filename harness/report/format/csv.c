/* SPDX-License-Identifier: MIT */
/* CSV as in RFC 4180, with LF as the line end: a header, SI base units, one row per metric. */
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "report/format/format.h"
#include "report/render/alarms.h"
#include "report/render/columns.h"
#include "report/render/power.h"
#include "report/render/words.h"

/* A row being written. */
struct row {
	struct bench_text *out;
	bool started;
};

static void separate(struct row *row)
{
	if (row->started)
		bench_text_add(row->out, ",");
	row->started = true;
}

static void add_quoted(struct bench_text *out, const char *text)
{
	bench_text_add(out, "\"");
	for (size_t length; *text; text += length) {
		length = *text == '"' ? 1 : strcspn(text, "\"");
		bench_text_add_bytes(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : length);
	}
	bench_text_add(out, "\"");
}

/* A field of text, quoted where it has to be. */
static void add_text(struct row *row, const char *text)
{
	BENCH_SCOPED_TEXT shown = {0};
	separate(row);
	bench_text_add_lines(&shown, text);
	if (strpbrk(shown.data, ",\"\r\n"))
		add_quoted(row->out, shown.data);
	else
		bench_text_add(row->out, "%s", shown.data);
}

/* A number; NaN leaves the field empty. */
static void add_number(struct row *row, double value)
{
	separate(row);
	bench_render_words_add_number(row->out, value);
}

static void add_count(struct row *row, size_t value)
{
	separate(row);
	bench_text_add(row->out, "%zu", value);
}

static void end(struct row *row)
{
	bench_text_add(row->out, "\n");
	row->started = false;
}

static void add_verdict(struct row *row, const struct bench_verdict *verdict)
{
	add_text(row, verdict ? bench_compare_verdict_name(verdict->kind) : "");
	add_number(row, verdict ? verdict->ratio : NAN);
	add_number(row, verdict && !verdict->by_difference ? verdict->lo : NAN);
	add_number(row, verdict && !verdict->by_difference ? verdict->hi : NAN);
	add_number(row, verdict ? verdict->p_adjusted : NAN);
	add_number(row, verdict ? verdict->mde : NAN);
	add_text(row, verdict ? verdict->reason : "");
}

/* The last columns: the difference, in its unit, of a metric that is judged by difference. */
#define DIFFERENCE ",difference,difference_lo,difference_hi"
static void add_difference(struct row *row, const struct bench_verdict *verdict)
{
	bool differs = verdict && verdict->by_difference;
	add_number(row, differs ? verdict->difference : NAN);
	add_number(row, differs ? verdict->lo : NAN);
	add_number(row, differs ? verdict->hi : NAN);
}

/* The first columns: what was measured, and where. */
static void add_identity(struct row *row, const char *key, const struct bench_result *result)
{
	BENCH_SCOPED_TEXT params = {0};
	bench_text_add(&params, "%s", "");
	for (size_t i = 0; i < result->param_count; i++)
		bench_text_add(&params, "%s%s=%s", i ? "," : "", result->params[i].name,
			       result->params[i].value);
	add_text(row, key);
	add_text(row, result->suite);
	add_text(row, result->backend);
	add_text(row, result->device);
	add_text(row, params.data);
}

static void add_status(struct row *row, const struct bench_result *result, const struct bench_run *run)
{
	add_text(row, bench_record_status_name(result->status));
	add_text(row, *result->reason ? result->reason : bench_record_unchecked(result));
	add_text(row, result->stopped);
	add_text(row, run->id);
	add_text(row, run->git.commit);
}

static void add_empty(struct row *row, size_t count)
{
	while (count--)
		add_text(row, "");
}

static void add_metric(struct row *row, const struct bench_metric *metric)
{
	const struct bench_summary *summary = &metric->summary;
	const double numbers[] = {summary->median,   summary->ci_lo, summary->ci_hi,
				  summary->ci_level, summary->min,   summary->mean,
				  summary->stddev,   summary->p05,   summary->p95};
	add_text(row, metric->name);
	add_text(row, metric->unit);
	add_text(row, bench_record_better_name(metric->better));
	add_text(row, metric->derived_from);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		add_number(row, numbers[i]);
	add_count(row, summary->count);
}
#define METRIC_COLUMNS 14 /* that add_metric writes */

static void add_result(struct row *row, const struct bench_run *run, const struct bench_result *result,
		       const struct bench_comparison *comparison)
{
	for (size_t m = 0; m < result->metric_count; m++) {
		char key[BENCH_KEY_MAX];
		if (!bench_record_metric_key(key, sizeof(key), result, &result->metrics[m]))
			continue; /* a record with such a key is refused when it is made */
		add_identity(row, key, result);
		add_metric(row, &result->metrics[m]);
		add_status(row, result, run);
		add_verdict(row, bench_compare_find(comparison, key));
		add_difference(row, bench_compare_find(comparison, key));
		end(row);
	}
	if (result->metric_count)
		return;
	add_identity(row, result->key, result);
	add_empty(row, METRIC_COLUMNS);
	add_status(row, result, run);
	add_verdict(row, bench_compare_find(comparison, result->key));
	add_difference(row, NULL);
	end(row);
}

static void render_run(const struct bench_run *run, const struct bench_comparison *comparison,
		       const struct bench_report_options *options, struct bench_text *out)
{
	struct row row = {.out = out};
	(void)options;
	bench_text_add(out, "key,suite,backend,device,params,metric,unit,better,derived_from,median,ci_lo,ci_"
			    "hi,ci_level,min,mean,stddev,p05,p95,n,status,reason,stopped,run,commit,verdict,"
			    "ratio,ratio_lo,ratio_hi,p_adjusted,mde,verdict_reason" DIFFERENCE "\n");
	for (size_t i = 0; i < run->result_count; i++)
		add_result(&row, run, &run->results[i], comparison);
	/* A metric that the comparison misses has no result. */
	for (size_t i = 0; comparison && i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->kind != BENCH_MISSING)
			continue;
		add_text(&row, verdict->key);
		add_empty(&row, 4);
		add_text(&row, verdict->metric);
		add_empty(&row, METRIC_COLUMNS - 1 + 3);
		add_text(&row, run->id);
		add_text(&row, run->git.commit);
		add_verdict(&row, verdict);
		add_difference(&row, NULL);
		end(&row);
	}
}

static void add_alarm(struct row *row, const struct bench_verdict_alarm *alarm)
{
	char since[40];
	if (!alarm) {
		add_empty(row, 8);
		return;
	}
	bench_clock_iso(alarm->since, since, sizeof(since));
	add_count(row, (size_t)alarm->id);
	add_text(row, bench_render_alarms_state(alarm));
	add_text(row, since);
	add_count(row, alarm->nights);
	add_number(row, alarm->ratio);
	add_text(row, alarm->good_commit);
	add_text(row, alarm->bad_commit);
	add_text(row, alarm->culprit);
}

static void render_comparison(const struct bench_comparison *comparison,
			      const struct bench_report_options *options, struct bench_text *out)
{
	struct row row = {.out = out};
	(void)options;
	bench_text_add(out, "key,metric,verdict,ratio,ratio_lo,ratio_hi,p_adjusted,mde,reason,level,p,base_"
			    "median,candidate_median,unit,better,base_invocations,candidate_invocations,"
			    "baseline,candidate,threshold,base_disturbed,candidate_disturbed,alarm,alarm_"
			    "state,alarm_since,alarm_nights,alarm_ratio,alarm_good_commit,alarm_bad_commit,"
			    "alarm_culprit" DIFFERENCE ",alarm_lo,alarm_hi,alarm_ci_level\n");
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		add_text(&row, verdict->key);
		add_text(&row, verdict->metric);
		add_verdict(&row, verdict);
		add_number(&row, verdict->level);
		add_number(&row, verdict->p);
		add_number(&row, verdict->base_median);
		add_number(&row, verdict->candidate_median);
		add_text(&row, verdict->unit);
		add_text(&row, bench_record_better_name(verdict->better));
		add_count(&row, verdict->base_invocations);
		add_count(&row, verdict->candidate_invocations);
		add_text(&row, comparison->baseline_name);
		add_text(&row, comparison->candidate_id);
		add_number(&row, verdict->threshold);
		add_count(&row, verdict->base_disturbed);
		add_count(&row, verdict->candidate_disturbed);
		add_alarm(&row, verdict->alarm);
		add_difference(&row, verdict);
		add_number(&row, verdict->alarm ? verdict->alarm->lo : NAN);
		add_number(&row, verdict->alarm ? verdict->alarm->hi : NAN);
		add_number(&row, verdict->alarm ? verdict->alarm->ci_level : NAN);
		end(&row);
	}
}

/* A row for each metric or mean of a column; `cases`: of a mean. */
static void add_column_row(struct row *row, const struct bench_columns *columns, size_t column,
			   const struct bench_verdict *verdict, const char *key, double cases)
{
	const struct bench_column *of = &columns->items[column];
	add_text(row, cases > 0 ? "geomean" : "metric");
	add_text(row, key);
	add_text(row, columns->items[0].name);
	add_text(row, of->name);
	add_text(row, of->paired ? "yes" : "no");
	add_number(row, cases);
	add_verdict(row, verdict);
	add_number(row, verdict->level);
	add_number(row, cases > 0 ? NAN : verdict->base_median);
	add_number(row, cases > 0 ? NAN : verdict->candidate_median);
	add_text(row, cases > 0 ? "" : verdict->unit);
	add_text(row, bench_record_better_name(verdict->better));
	add_difference(row, verdict);
	end(row);
}

static void render_columns(const struct bench_columns *columns, const struct bench_report_options *options,
			   struct bench_text *out)
{
	struct row row = {.out = out};
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_columns_group *groups;
	size_t count = bench_render_columns_groups(&arena, columns, &groups);
	bench_text_add(out, "what,key,base,column,paired,cases,verdict,ratio,ratio_lo,ratio_hi,p_adjusted,"
			    "mde,reason,level,base_median,median,unit,better" DIFFERENCE "\n");
	for (size_t c = 1; c < columns->count; c++) {
		const struct bench_column *column = &columns->items[c];
		for (size_t i = 0; i < column->comparison->verdict_count; i++) {
			const struct bench_verdict *verdict = &column->comparison->verdicts[i];
			if (!options->only || options->only & 1U << verdict->kind)
				add_column_row(&row, columns, c, verdict, verdict->key, NAN);
		}
		for (size_t g = 0; g < count; g++) {
			const struct bench_verdict *mean =
				bench_compare_find(column->comparison->means, groups[g].key);
			if (mean)
				add_column_row(&row, columns, c, mean, groups[g].key,
					       (double)groups[g].cases);
		}
	}
}

/* Every field quoted, needed or not. */
static void render_grid(struct bench_grid *grid, const struct bench_report_options *options,
			struct bench_text *out)
{
	(void)options;
	for (size_t c = 0; c < grid->column_count; c++)
		bench_text_add(out, "%s%s", c ? "," : "", grid->columns[c].title);
	bench_text_add(out, "\n");
	for (size_t r = 0; r < grid->row_count; r++) {
		for (size_t c = 0; c < grid->column_count; c++) {
			const char *text = grid->rows[r].cells[c].text;
			bench_text_add(out, "%s", c ? "," : "");
			add_quoted(out, text ? text : "");
		}
		bench_text_add(out, "\n");
	}
}

static void add_power_row(struct row *row, const char *what, const char *key, double slowdown,
			  struct bench_power_count count)
{
	struct bench_interval rate = bench_render_power_rate(count);
	add_text(row, what);
	separate(row);
	if (*key)
		add_quoted(row->out, key);
	add_number(row, slowdown);
	add_count(row, count.hits);
	add_count(row, count.trials);
	add_number(row, rate.estimate);
	add_number(row, rate.lo);
	add_number(row, rate.hi);
	end(row);
}

static void render_power(const struct bench_power *power, const struct bench_report_options *options,
			 struct bench_text *out)
{
	struct row row = {.out = out};
	(void)options;
	bench_text_add(out, "what,case,slowdown,hits,trials,rate,lo,hi\n");
	for (size_t i = 0; i < power->level_count; i++)
		for (enum bench_power_counted what = 0; what < BENCH_POWER_COUNTS; what++)
			add_power_row(&row, bench_render_power_count_names[what], "",
				      power->levels[i].slowdown,
				      bench_render_power_count_of(&power->levels[i], what));
	for (size_t c = 0; c < power->case_count; c++)
		for (size_t i = 0; i < power->level_count; i++)
			add_power_row(&row, "case_slower", power->cases[c].key, power->levels[i].slowdown,
				      (struct bench_power_count){power->cases[c].found[i],
								 power->cases[c].trials[i]});
}

const struct bench_format bench_format_csv = {
	.name = "csv",
	.exact = true,
	.run = render_run,
	.comparison = render_comparison,
	.columns = render_columns,
	.grid = render_grid,
	.power = render_power,
};
