#include "report/power.h"

#include <math.h>

#include "core/json.h"
#include "report/grid.h"
#include "report/words.h"
#include "stats/stats.h"

#define LEVEL 0.95 /* of all intervals */

/* What is counted at each level, in the words of JSON and CSV. */
enum rate { RUNS, METRICS, CASES, UNCLEAR, RATES };
static const char *const rate_names[RATES] = {[RUNS] = "runs_slower",
					      [METRICS] = "metrics_slower",
					      [CASES] = "cases_slower",
					      [UNCLEAR] = "metrics_unclear"};

struct count {
	size_t hits, trials;
};

static struct count count_of(const struct bench_power_level *level, enum rate rate)
{
	switch (rate) {
	case RUNS:
		return (struct count){level->alarms, level->comparisons};
	case METRICS:
		return (struct count){level->slower, level->metrics};
	case CASES:
		return (struct count){level->found, level->cases};
	default:
		return (struct count){level->unclear, level->metrics};
	}
}

static struct bench_interval rate_of(struct count count)
{
	return bench_stats_proportion(count.hits, count.trials, LEVEL);
}

static char *level_name(struct bench_arena *arena, const struct bench_power_level *level)
{
	return level->slowdown > 0 ? bench_arena_format(arena, "%.4g%%", 100 * level->slowdown)
				   : bench_arena_string(arena, "none");
}

static char *words_of(struct bench_arena *arena, struct count count)
{
	if (!count.trials)
		return bench_arena_string(arena, "");
	return bench_arena_format(arena, "%zu of %zu, %s", count.hits, count.trials,
				  bench_words_percent(arena, rate_of(count).estimate));
}

static char *interval_of(struct bench_arena *arena, struct count count)
{
	struct bench_interval rate = rate_of(count);
	if (!count.trials)
		return bench_arena_string(arena, "");
	return bench_arena_format(arena, "%s..%s", bench_words_percent(arena, rate.lo),
				  bench_words_percent(arena, rate.hi));
}

/* A row a level. */
static void fill_levels(const struct bench_power *power, struct bench_grid *grid)
{
	size_t slowdown = bench_grid_column(grid, "slowdown", true, 0);
	size_t runs = bench_grid_column(grid, "runs called slower", true, 0);
	size_t runs_ci = bench_grid_column(grid, "95% interval", true, 2);
	size_t cases = bench_grid_column(grid, "cases called slower", true, 0);
	size_t cases_ci = bench_grid_column(grid, "95% interval", true, 1);
	size_t unclear = bench_grid_column(grid, "metrics unclear", true, 3);
	for (size_t i = 0; i < power->level_count; i++) {
		const struct bench_power_level *level = &power->levels[i];
		size_t row = bench_grid_row(grid);
		bench_grid_set(grid, row, slowdown, BENCH_TONE_STRONG, level_name(&grid->arena, level));
		bench_grid_set(grid, row, runs, i == 0 && level->alarms ? BENCH_TONE_BAD : BENCH_TONE_PLAIN,
			       words_of(&grid->arena, count_of(level, RUNS)));
		bench_grid_set(grid, row, runs_ci, BENCH_TONE_PLAIN,
			       interval_of(&grid->arena, count_of(level, RUNS)));
		bench_grid_set(grid, row, cases, BENCH_TONE_PLAIN,
			       words_of(&grid->arena, count_of(level, CASES)));
		bench_grid_set(grid, row, cases_ci, BENCH_TONE_PLAIN,
			       interval_of(&grid->arena, count_of(level, CASES)));
		bench_grid_set(grid, row, unclear, BENCH_TONE_PLAIN,
			       level->metrics
				       ? bench_words_percent(&grid->arena,
							     rate_of(count_of(level, UNCLEAR)).estimate)
				       : "");
	}
}

static void set_smallest(const struct bench_power *power, const struct bench_power_case *one, double share,
			 struct bench_grid *grid, size_t row, size_t column)
{
	double smallest = bench_power_smallest(power, one, share);
	bench_grid_set(grid, row, column, isnan(smallest) ? BENCH_TONE_DOUBT : BENCH_TONE_GOOD,
		       isnan(smallest) ? "-" : bench_arena_format(&grid->arena, "%.4g%%", 100 * smallest));
}

/* A row a case: how often it was found at each level. */
static void fill_cases(const struct bench_power *power, struct bench_grid *grid)
{
	size_t key = bench_grid_column(grid, "case", false, 0), first = 0;
	for (size_t i = 0; i < power->level_count; i++) {
		size_t column = bench_grid_column(grid, level_name(&grid->arena, &power->levels[i]), true, 2);
		first = i ? first : column;
	}
	size_t most = bench_grid_column(grid, "found >=80%", true, 0);
	size_t nearly_all = bench_grid_column(grid, "found >=95%", true, 0);
	size_t mde = bench_grid_column(grid, "MDE", true, 1);
	for (size_t i = 0; i < power->case_count; i++) {
		const struct bench_power_case *one = &power->cases[i];
		size_t row = bench_grid_row(grid);
		bench_grid_set(grid, row, key, BENCH_TONE_PLAIN, one->key);
		for (size_t l = 0; l < power->level_count; l++)
			if (one->trials[l])
				bench_grid_set(grid, row, first + l,
					       l == 0 && one->found[l] ? BENCH_TONE_BAD : BENCH_TONE_PLAIN,
					       bench_arena_format(&grid->arena, "%zu/%zu", one->found[l],
								  one->trials[l]));
		set_smallest(power, one, 0.80, grid, row, most);
		set_smallest(power, one, 0.95, grid, row, nearly_all);
		bench_grid_set(grid, row, mde, BENCH_TONE_PLAIN,
			       bench_words_percent(&grid->arena, bench_power_mde(one)));
	}
}

/* What was compared with what. */
static char *head_of(struct bench_arena *arena, const struct bench_power *power)
{
	size_t runs = 0;
	for (size_t i = 0; i < power->level_count; i++)
		runs += power->levels[i].comparisons;
	if (!power->baseline_runs)
		return bench_arena_string(arena, "nothing was compared: it takes two runs of unchanged code");
	/* A budget that is too small for the invocations cuts runs short. */
	const char *least = power->least_invocations < power->invocations
				    ? bench_arena_format(arena, "%zu to ", power->least_invocations)
				    : "";
	return bench_arena_format(arena,
				  "%zu runs of %s%u invocation%s and %.4g s, each against %zu of unchanged "
				  "code; threshold %s, alpha %.4g",
				  runs, least, power->invocations, power->invocations == 1 ? "" : "s",
				  power->run_seconds, power->baseline_runs,
				  bench_words_percent(arena, power->options.threshold), power->options.alpha);
}

/* What the tables leave open. */
static void add_foot(struct bench_arena *arena, const struct bench_power *power, const char *prefix,
		     struct bench_text *out)
{
	struct count alarms = count_of(&power->levels[0], METRICS);
	size_t missing = 0;
	for (size_t i = 0; i < power->level_count; i++)
		missing += power->levels[i].missing;
	if (alarms.trials)
		bench_text_add(
			out, "%sunchanged code: %zu of %zu metrics were called slower, %s (95%%: %s)\n",
			prefix, alarms.hits, alarms.trials,
			bench_words_percent(arena, rate_of(alarms).estimate), interval_of(arena, alarms));
	if (missing)
		bench_text_add(out,
			       "%s%zu time%s a case or metric was missing or broken, and is not counted\n",
			       prefix, missing, missing == 1 ? "" : "s");
}

static void add_table(const struct bench_power *power, const struct bench_report_options *options,
		      struct bench_text *out)
{
	struct bench_arena arena = {0};
	struct bench_grid levels = {0}, cases = {0};
	bench_text_add(out, "%s\n", head_of(&arena, power));
	if (power->baseline_runs) {
		bench_text_add(out, "\n");
		fill_levels(power, &levels);
		bench_grid_render(&levels, options->width, options->color, out);
		bench_text_add(out, "\n");
		fill_cases(power, &cases);
		bench_grid_render(&cases, options->width, options->color, out);
		bench_text_add(out, "\n");
		add_foot(&arena, power, "", out);
	}
	bench_grid_free(&levels);
	bench_grid_free(&cases);
	bench_arena_free(&arena);
}

static void add_markdown(const struct bench_power *power, struct bench_text *out)
{
	struct bench_arena arena = {0};
	struct bench_grid levels = {0}, cases = {0};
	bench_text_add(out, "# Power\n\n%s\n", head_of(&arena, power));
	if (power->baseline_runs) {
		bench_text_add(out, "\n");
		fill_levels(power, &levels);
		bench_grid_markdown(&levels, out);
		bench_text_add(out, "\n");
		fill_cases(power, &cases);
		bench_grid_markdown(&cases, out);
		bench_text_add(out, "\n");
		add_foot(&arena, power, "- ", out);
	}
	bench_grid_free(&levels);
	bench_grid_free(&cases);
	bench_arena_free(&arena);
}

static void add_csv_row(struct bench_text *out, const char *what, const char *key, double slowdown,
			struct count count)
{
	struct bench_interval rate = rate_of(count);
	bench_text_add(out, "%s,%s%s%s,", what, *key ? "\"" : "", key, *key ? "\"" : "");
	bench_words_add_number(out, slowdown);
	bench_text_add(out, ",%zu,%zu,", count.hits, count.trials);
	bench_words_add_number(out, rate.estimate);
	bench_text_add(out, ",");
	bench_words_add_number(out, rate.lo);
	bench_text_add(out, ",");
	bench_words_add_number(out, rate.hi);
	bench_text_add(out, "\n");
}

static void add_csv(const struct bench_power *power, struct bench_text *out)
{
	bench_text_add(out, "what,case,slowdown,hits,trials,rate,lo,hi\n");
	for (size_t i = 0; i < power->level_count; i++)
		for (enum rate rate = 0; rate < RATES; rate++)
			add_csv_row(out, rate_names[rate], "", power->levels[i].slowdown,
				    count_of(&power->levels[i], rate));
	for (size_t c = 0; c < power->case_count; c++)
		for (size_t i = 0; i < power->level_count; i++)
			add_csv_row(out, "case_slower", power->cases[c].key, power->levels[i].slowdown,
				    (struct count){power->cases[c].found[i], power->cases[c].trials[i]});
}

static void add_json_count(cJSON *object, const char *name, struct count count)
{
	struct bench_interval rate = rate_of(count);
	cJSON *item = cJSON_AddObjectToObject(object, name);
	bench_json_add_number(item, "hits", (double)count.hits);
	bench_json_add_number(item, "trials", (double)count.trials);
	bench_json_add_number(item, "rate", rate.estimate);
	cJSON *interval = cJSON_AddArrayToObject(item, "ci");
	cJSON_AddItemToArray(interval, bench_json_real(rate.lo));
	cJSON_AddItemToArray(interval, bench_json_real(rate.hi));
}

static cJSON *case_object(const struct bench_power *power, const struct bench_power_case *one)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "case", one->key);
	bench_json_add_number(object, "mde", bench_power_mde(one));
	bench_json_add_number(object, "found_80", bench_power_smallest(power, one, 0.80));
	bench_json_add_number(object, "found_95", bench_power_smallest(power, one, 0.95));
	cJSON *levels = cJSON_AddArrayToObject(object, "levels");
	for (size_t i = 0; i < power->level_count; i++) {
		cJSON *level = cJSON_CreateObject();
		bench_json_add_number(level, "slowdown", power->levels[i].slowdown);
		add_json_count(level, "slower", (struct count){one->found[i], one->trials[i]});
		cJSON_AddItemToArray(levels, level);
	}
	return object;
}

static void add_json(const struct bench_power *power, struct bench_text *out)
{
	cJSON *document = cJSON_CreateObject();
	cJSON_AddStringToObject(document, "schema", "bench-power/1");
	bench_json_add_number(document, "threshold", power->options.threshold);
	bench_json_add_number(document, "alpha", power->options.alpha);
	bench_json_add_number(document, "invocations", power->invocations);
	bench_json_add_number(document, "least_invocations", (double)power->least_invocations);
	bench_json_add_number(document, "run_seconds", power->run_seconds);
	bench_json_add_number(document, "baseline_runs", (double)power->baseline_runs);
	bench_json_add_number(document, "ci_level", LEVEL);
	cJSON *levels = cJSON_AddArrayToObject(document, "levels");
	for (size_t i = 0; i < power->level_count; i++) {
		cJSON *level = cJSON_CreateObject();
		bench_json_add_number(level, "slowdown", power->levels[i].slowdown);
		for (enum rate rate = 0; rate < RATES; rate++)
			add_json_count(level, rate_names[rate], count_of(&power->levels[i], rate));
		bench_json_add_number(level, "missing", (double)power->levels[i].missing);
		cJSON_AddItemToArray(levels, level);
	}
	cJSON *cases = cJSON_AddArrayToObject(document, "cases");
	for (size_t i = 0; i < power->case_count; i++)
		cJSON_AddItemToArray(cases, case_object(power, &power->cases[i]));
	char *text = cJSON_Print(document);
	bench_text_add(out, "%s\n", text ? text : "null");
	cJSON_free(text);
	cJSON_Delete(document);
}

void bench_report_power(const struct bench_power *power, const struct bench_report_options *options,
			struct bench_text *out)
{
	switch (options->format) {
	case BENCH_FORMAT_JSON:
		add_json(power, out);
		break;
	case BENCH_FORMAT_CSV:
		add_csv(power, out);
		break;
	case BENCH_FORMAT_MARKDOWN:
		add_markdown(power, out);
		break;
	default:
		add_table(power, options, out);
	}
}
