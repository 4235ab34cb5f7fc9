/* SPDX-License-Identifier: MIT */
#include "statistics/nights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/duel.h"
#include "compare/gate.h"
#include "stats/changepoints.h"
#include "stats/signed.h"
#include "unit/made_run.h"

enum {
	ROLLING = 10,
	TEACHING = 20, /* nights from which the spread is learned */
	NIGHT_SECONDS = 86400,
	MOST_RUNS = 4000,
	MOST_INVOCATIONS = 256,
	MOST_EXCLUDED = 4000,
	SEARCHED = 400, /* nights, and new levels that began within so many: as harness/app has it */
	RECENT = 20
};

#define ALPHA           0.01
#define UNDECIDED_SHARE 0.1
#define LEAST_SHIFT     0.05 /* that looking back reports */

const char *const shape_names[SHAPES] = {"lognormal 2%",      "heavy tail",  "two peaks",
					 "invocations AR .8", "steps of 2%", "steps of 10%"};
const char *const sky_names[SKIES] = {"normal", "skewed",  "AR .5",      "AR .8",          "changing spread",
				      "spikes", "weekend", "two levels", "own two levels", "missing"};
const char *const judge_names[JUDGES] = {"anchor", "history"};

struct gate {
	const struct setting *setting;
	struct bench_rng *rng;
	struct bench_arena arena;
	size_t metrics;
	struct bench_run *runs[MOST_RUNS]; /* the history: newest last */
	size_t run_count;
	double **medians; /* of each metric and run; NaN: it has none */
	struct bench_alarm *alarms;
	size_t alarm_count;
	struct bench_accepted *accepted;
	size_t accepted_count;
	double anchor; /* metric 0's time in the anchor, a logarithm; the others' is 0 */
	struct bench_anchor_level levels[METRICS]; /* what is known of the anchor's place, by metric */
	size_t level_count;
	double ratio; /* of metric 0 on the last night, a logarithm */
	double lasting[METRICS +
		       1]; /* a night's level, where the next one resembles it; the last is common */
};

/* The world: what a process takes. */

/* One draw of unit deviation; `kept` is that of the night before, and becomes this one's. */
static double draw_level(struct gate *gate, double *kept)
{
	enum sky sky = gate->setting->sky;
	double normal = bench_rng_normal(gate->rng), follows;

	if (sky == SKY_SKEWED)
		return -log(1 - bench_rng_uniform(gate->rng)) - 1;
	if (sky != SKY_FOLLOWING && sky != SKY_LASTING)
		return normal;
	follows = sky == SKY_LASTING ? 0.8 : 0.5;
	*kept = gate->run_count == 0 ? normal : follows * *kept + sqrt(1 - follows * follows) * normal;
	return *kept;
}

/* What a night does to one metric beside its level; `all` is a draw that all metrics share. */
static double draw_event(struct gate *gate, double all)
{
	double own = bench_rng_uniform(gate->rng), size = bench_rng_uniform(gate->rng);

	switch (gate->setting->sky) {
	case SKY_SPIKES:
		return own < 0.03 ? log(1.1 + 0.4 * size) : 0;
	case SKY_WEEKEND:
		return gate->run_count % 7 >= 5 ? log(1.04) : 0;
	case SKY_LEVELS:
		return all < 0.3 ? log(1.06) : 0;
	case SKY_OWN_LEVELS:
		return own < 0.3 ? log(1.06) : 0;
	default:
		return 0;
	}
}

/* The night's share in each metric, as logarithms. */
static void draw_night(struct gate *gate, double *effects)
{
	double deviation = gate->setting->run_deviation * sqrt(0.5), all = bench_rng_uniform(gate->rng);

	if (gate->setting->sky == SKY_CHANGING)
		deviation *= exp(bench_rng_normal(gate->rng));
	double common = draw_level(gate, &gate->lasting[METRICS]);
	for (size_t m = 0; m < METRICS; m++)
		effects[m] =
			deviation * (common + draw_level(gate, &gate->lasting[m])) + draw_event(gate, all);
}

/* What a process is off by beside the noise that all have. */
static double draw_shape(struct bench_rng *rng, enum shape shape)
{
	if (shape == SHAPE_HEAVY && bench_rng_uniform(rng) < 0.05)
		return log(1.87) * bench_rng_uniform(rng);
	if (shape == SHAPE_PEAKS)
		return bench_rng_uniform(rng) < 0.5 ? -0.04 : 0.04;
	return 0;
}

/* One invocation: a process, or a pair of them, whose ratio has the noise of 2% too, and what either is off
 * by. `last` is the noise of the one before; 0 of the first. */
static double draw_invocation(struct bench_rng *rng, enum judge judge, enum shape shape, double *last)
{
	double noise = 0.02 * bench_rng_normal(rng), value;

	if (shape == SHAPE_FOLLOWING && *last != 0)
		noise = 0.8 * *last + 0.6 * noise;
	*last = noise;
	value = noise + draw_shape(rng, shape);
	return judge == JUDGE_ANCHOR ? value - draw_shape(rng, shape) : value;
}

/* A time as a coarse clock reads it. */
static double read_clock(double value, enum shape shape)
{
	double step = shape == SHAPE_QUANTISED ? 0.02 : 0.1;

	return shape == SHAPE_QUANTISED || shape == SHAPE_COARSE ? step * round(value / step) : value;
}

static struct bench_run *start_run(const char *kind, size_t night)
{
	char id[32];

	snprintf(id, sizeof(id), "%s-%04zu", kind, night);
	struct bench_run *run = made_run(id);
	run->started = (int64_t)(night + 1) * NIGHT_SECONDS;
	run->finished = run->started + 600;
	return run;
}

static void add_times(struct bench_run *run, size_t metric, const char *name, const double *times,
		      size_t count)
{
	struct bench_metric *made =
		made_metric(run, made_case(run, (unsigned)metric), name, BENCH_BETTER_LOWER, times, count);

	for (size_t i = 0; i < count; i++) {
		made->series[i].values[0] = times[i];
		made->series[i].count = 1;
	}
}

/* A run of the metrics of `wanted`, which have these ratios (logarithms) to their first level. */
static struct bench_run *measure(struct gate *gate, size_t night, const char *kind, const bool *wanted,
				 size_t invocations, const double *logs)
{
	const struct setting *setting = gate->setting;
	struct bench_run *run = start_run(kind, night);
	double medians[MOST_INVOCATIONS];

	for (size_t m = 0; m < METRICS; m++) {
		double last = 0;

		if (!wanted[m])
			continue;
		for (size_t i = 0; i < invocations; i++)
			medians[i] = read_clock(
				exp(logs[m] - (m == 0 ? gate->anchor : 0) +
				    draw_invocation(gate->rng, setting->judge, setting->shape, &last)),
				setting->shape);
		add_times(run, m, setting->judge == JUDGE_ANCHOR ? "relative_time" : "time", medians,
			  invocations);
	}
	return run;
}

/* A published night: a run of one value each. */
static struct bench_run *publish(const double *const *values, size_t metrics, size_t night)
{
	struct bench_run *run = start_run("night", night);

	for (size_t m = 0; m < metrics; m++)
		if (isfinite(values[m][night]))
			add_times(run, m, "time", &values[m][night], 1);
	return run;
}

/* The gate: as harness/app/gate.c does it. */

static bool teaches(const struct bench_excluded *excluded, size_t count, const char *key, int64_t started)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(excluded[i].key, key) == 0 && started >= excluded[i].since &&
		    started < excluded[i].until)
			return false;
	return true;
}

/* The last ROLLING runs, and as many more as it takes to have ROLLING for each metric, as harness/app has it.
 */
static size_t take_baseline(const struct gate *gate, const struct bench_excluded *excluded,
			    size_t excluded_count, const struct bench_run **runs)
{
	size_t count = 0, each[MOST_EXCLUDED] = {0};
	bool wants = true;

	for (size_t i = gate->run_count; wants && i-- > 0;) {
		bool taken = count < ROLLING;

		wants = count + 1 < ROLLING;
		for (size_t e = 0; e < excluded_count && e < MOST_EXCLUDED; e++) {
			if (each[e] < ROLLING &&
			    teaches(excluded, excluded_count, excluded[e].key, gate->runs[i]->started)) {
				each[e]++;
				taken = true;
			}
			wants |= each[e] < ROLLING;
		}
		if (taken)
			runs[count++] = gate->runs[i];
	}
	return count;
}

/* The nights before those of the baseline, as many as teach how far nights differ. */
static size_t take_earlier(const struct gate *gate, const struct bench_run *const *baseline, size_t count,
			   const struct bench_run **runs)
{
	size_t earlier = 0;

	for (size_t i = gate->run_count; i-- > 0 && i + TEACHING >= gate->run_count;) {
		bool taken = false;

		for (size_t b = 0; b < count; b++)
			taken |= baseline[b] == gate->runs[i];
		if (!taken)
			runs[earlier++] = gate->runs[i];
	}
	return earlier;
}

/* Which look a comparison is for, and at what. */
enum look { LOOK_FIRST, LOOK_POOLED, LOOK_ALONE };

static struct bench_comparison *compare(struct gate *gate, const struct bench_run *run,
					const struct bench_run *again, enum look look)
{
	const struct setting *setting = gate->setting;
	bool alone = look == LOOK_ALONE;
	struct bench_excluded *excluded;
	size_t excluded_count = bench_compare_alarms_excluded(gate->alarms, gate->alarm_count, INT64_MAX,
							      &gate->arena, &excluded);
	const struct bench_run *candidate = alone ? again : run, *baseline[MOST_RUNS], *earlier[MOST_RUNS];
	size_t base_count = take_baseline(gate, excluded, excluded_count, baseline);
	const struct bench_compare_options options = {
		.threshold = setting->threshold * (alone ? BENCH_GATE_CONFIRM_SHARE : 1),
		.alpha = alone                            ? BENCH_GATE_CONFIRM_ALPHA
			 : setting->judge == JUDGE_ANCHOR ? ALPHA
							  : ALPHA / 2,
		.each_alone = alone,
		.assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD,
		.history = earlier,
		.history_count = take_earlier(gate, baseline, base_count, earlier),
		.accepted = gate->accepted,
		.accepted_count = gate->accepted_count,
		.excluded = excluded,
		.excluded_count = excluded_count,
		.newest = ROLLING,
		.again = look == LOOK_POOLED ? again : NULL,
	};
	const struct bench_duel_options duel = {
		.base_name = "anchor",
		.threshold = options.threshold,
		.alpha = options.alpha,
		.each_alone = alone,
		.levels = gate->levels,
		.level_count = gate->level_count,
		.again = options.again,
		.two_looks = !alone,
	};
	struct bench_comparison *comparison = NULL;
	struct bench_error error;
	int status = setting->judge == JUDGE_ANCHOR
			     ? bench_compare_duel(candidate, &duel, &comparison, &error)
			     : bench_compare_runs(baseline, base_count, "rolling:10", candidate, &options,
						  &comparison, &error);

	if (status != 0) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	return comparison;
}

static void find_wanted(const char *const *keys, size_t count, bool *wanted)
{
	memset(wanted, 0, METRICS * sizeof(*wanted));
	for (size_t i = 0; i < count; i++)
		wanted[strtoul(strrchr(keys[i], '=') + 1, NULL, 10)] = true;
}

/* The final verdicts of a run, after a second look at what it accuses; `logs` NULL: there can be none. */
static struct bench_comparison *judge(struct gate *gate, size_t night, const struct bench_run *run,
				      const double *logs)
{
	struct bench_comparison *comparison = compare(gate, run, NULL, LOOK_FIRST);
	struct bench_comparison *pooled = NULL, *alone = NULL;
	struct bench_compare_confirmation confirmation = {0};
	struct bench_run *again = NULL;
	size_t count = 0;
	const char *const *keys =
		logs ? bench_compare_gate_suspects(comparison, NULL, &gate->arena, &count) : NULL;
	bool wanted[METRICS];

	if (count > 0) {
		find_wanted(keys, count, wanted);
		again = measure(gate, night, "again", wanted, gate->setting->again, logs);
		pooled = compare(gate, run, again, LOOK_POOLED);
		alone = compare(gate, run, again, LOOK_ALONE);
		confirmation = (struct bench_compare_confirmation){
			.run = again, .comparison = alone, .pooled = pooled};
	}
	bench_compare_gate_conclude(comparison, NULL, count > 0 ? &confirmation : NULL);
	bench_compare_free(pooled);
	bench_compare_free(alone);
	bench_record_free(again);
	return comparison;
}

static void key_of(size_t metric, char *key, size_t size)
{
	snprintf(key, size, "gemm/openblas:cpu/n=%zu/time", metric);
}

static bool is_under_alarm(const struct gate *gate, size_t metric)
{
	char key[64];

	key_of(metric, key, sizeof(key));
	for (size_t a = 0; a < gate->alarm_count; a++)
		for (size_t m = 0; m < gate->alarms[a].metric_count; m++)
			if (gate->alarms[a].metrics[m].state == BENCH_ALARM_OPEN &&
			    strcmp(gate->alarms[a].metrics[m].key, key) == 0)
				return true;
	return false;
}

static void note_seen(const struct gate *gate, const struct bench_comparison *comparison, size_t night,
		      struct seen *seen)
{
	char first[64];

	key_of(0, first, sizeof(first));
	for (size_t v = 0; v < comparison->verdict_count; v++) {
		const struct bench_verdict *verdict = &comparison->verdicts[v];
		bool is_first = strcmp(verdict->key, first) == 0;

		seen->undecided += verdict->kind == BENCH_UNCLEAR;
		seen->suspected[night] |= verdict->kind == BENCH_SUSPECTED;
		if (verdict->alarm && verdict->alarm->is_new)
			*(is_first ? &seen->opened[night] : &seen->others[night]) = true;
		if (is_first && bench_compare_fails(verdict, 0))
			seen->red[night] = true;
	}
	seen->red[night] |= is_under_alarm(gate, 0);
	for (size_t a = 0; a < gate->alarm_count; a++)
		seen->alarms[night] += bench_record_alarm_metric(&gate->alarms[a], first) != NULL;
	seen->too_little[night] = bench_compare_gate_undecided(comparison, UNDECIDED_SHARE, false).too_many;
}

/*
 * The last night's build becomes the anchor, as harness/app/anchor.c has it: of what was not accepted its
 * level is known as well as that night has found it.
 */
static void move_anchor(struct gate *gate)
{
	const struct bench_run *run = gate->runs[gate->run_count - 1];
	const struct bench_anchor_level *before = gate->level_count ? gate->levels : NULL;
	char key[64];

	for (size_t m = 1; m < METRICS; m++) {
		const struct bench_metric *metric = &run->results[m].metrics[0];
		struct bench_anchor_level *level = &gate->levels[m - 1];
		double logs[MOST_INVOCATIONS];

		for (size_t i = 0; i < metric->series_count; i++)
			logs[i] = log(metric->series[i].values[0]);
		struct bench_interval shift =
			bench_stats_signed_series(logs, metric->series_count, 0.95,
						  bench_stats_correlation(logs, metric->series_count));
		double error =
			0.5 * (shift.hi - shift.lo) / bench_stats_normal_quantile(0.5 + 0.5 * shift.level);

		key_of(m, key, sizeof(key));
		*level = (struct bench_anchor_level){bench_arena_string(&gate->arena, key),
						     (before ? level->shift : 0) + shift.estimate,
						     hypot(before ? level->error : 0, error), 0};
	}
	gate->level_count = METRICS - 1;
	gate->anchor = gate->ratio;
}

/* Metric 0 is accepted as it was on the last night. */
static void accept(struct gate *gate)
{
	const struct bench_run *run = gate->runs[gate->run_count - 1];
	char key[64];

	key_of(0, key, sizeof(key));
	struct bench_accepted *accepted =
		bench_arena_push(&gate->arena, &gate->accepted, &gate->accepted_count, sizeof(*accepted));
	*accepted =
		(struct bench_accepted){bench_arena_string(&gate->arena, key), run->started, "meant", false};
	for (size_t a = 0; a < gate->alarm_count; a++)
		bench_compare_alarms_accept(&gate->alarms[a], accepted, run->id, &gate->arena);
	if (gate->setting->judge == JUDGE_ANCHOR)
		move_anchor(gate);
}

/* Looking back over the medians of all nights, as the gate does after its verdicts. */

/* The newest level shift of a metric over the nights up to `tonight`; false where there is none. */
static bool find_change(struct gate *gate, size_t metric, const struct bench_run *tonight,
			struct bench_change *change)
{
	const struct bench_stats_changepoint_options options = {.alpha = ALPHA / (double)gate->metrics,
								.least = log1p(LEAST_SHIFT)};
	struct bench_stats_changepoint *changes, last = {0};
	double values[SEARCHED];
	const struct bench_run *runs[SEARCHED];
	size_t nights = gate->run_count + 1, count = 0, found;
	char key[64];

	for (size_t i = nights > SEARCHED ? nights - SEARCHED : 0; i < nights; i++) {
		if (!(gate->medians[metric][i] > 0))
			continue;
		values[count] = log(gate->medians[metric][i]);
		runs[count++] = i + 1 < nights ? gate->runs[i] : tonight;
	}
	found = bench_stats_changepoints(values, count, &options, &changes);
	if (found > 0)
		last = changes[found - 1];
	free(changes);
	if (found == 0 || runs[last.index]->started + (int64_t)RECENT * NIGHT_SECONDS <= tonight->started)
		return false;
	const struct bench_run *first = runs[last.index];

	key_of(metric, key, sizeof(key));
	*change = (struct bench_change){
		.key = bench_arena_string(&gate->arena, key),
		.unit = "s",
		.better = BENCH_BETTER_LOWER,
		.last_run = runs[last.index - 1]->id,
		.last_commit = "",
		.first_run = first->id,
		.first_commit = "",
		.started = first->started,
		.before = exp(last.before),
		.after = exp(last.after),
		.ratio = {exp(last.shift.estimate), exp(last.shift.lo), exp(last.shift.hi), last.shift.level},
		.recurs = last.recurs,
		.cause = BENCH_CHANGE_UNKNOWN,
	};
	return true;
}

/* The changes that a gate's report shows. */
static struct bench_changes find_changes(struct gate *gate, const struct bench_run *run)
{
	struct bench_change *items = bench_arena_alloc(&gate->arena, gate->metrics, sizeof(*items));
	struct bench_changes changes = {.items = items};

	for (size_t m = 0; m < gate->metrics; m++)
		changes.count += find_change(gate, m, run, &items[changes.count]);
	return changes;
}

/* The nights. */

/* What a night does to each metric: its own effect, and what the plot says of metric 0. */
static void draw_logs(struct gate *gate, double ratio, double spike, double *logs)
{
	const struct setting *setting = gate->setting;
	double share = setting->judge == JUDGE_ANCHOR ? setting->residual : 1;

	draw_night(gate, logs);
	logs[0] += spike > 0 ? log(spike) : 0;
	for (size_t m = 0; m < METRICS; m++)
		logs[m] *= share;
	gate->ratio = ratio > 0 ? log(ratio) : 0;
	logs[0] += gate->ratio;
}

static void start(struct gate *gate, size_t metrics, size_t nights)
{
	gate->metrics = metrics;
	gate->medians = bench_arena_alloc(&gate->arena, metrics, sizeof(*gate->medians));
	for (size_t m = 0; m < metrics; m++)
		gate->medians[m] = bench_arena_alloc(&gate->arena, nights, sizeof(*gate->medians[m]));
}

static void end(struct gate *gate)
{
	for (size_t i = 0; i < gate->run_count; i++)
		bench_record_free(gate->runs[i]);
	bench_arena_free(&gate->arena);
}

/* Notes the medians of a run, which is not in the history yet. */
static void note_medians(struct gate *gate, const struct bench_run *run)
{
	double values[MOST_INVOCATIONS];

	for (size_t m = 0; m < gate->metrics; m++)
		gate->medians[m][gate->run_count] = NAN;
	for (size_t r = 0; r < run->result_count; r++) {
		const struct bench_metric *time = &run->results[r].metrics[0];
		size_t metric = strtoul(strrchr(run->results[r].key, '=') + 1, NULL, 10);

		for (size_t s = 0; s < time->series_count; s++)
			values[s] = time->series[s].values[0];
		gate->medians[metric][gate->run_count] = bench_stats_median(values, time->series_count);
	}
}

static void add_run(struct gate *gate, struct bench_run *run)
{
	note_medians(gate, run);
	gate->runs[gate->run_count++] = run;
}

/* What the verdicts mean for the alarms. */
static void follow_alarms(struct gate *gate, const struct bench_run *run, struct bench_comparison *comparison)
{
	struct bench_changes changes = {0};

	note_medians(gate, run);
	if (gate->setting->judge == JUDGE_HISTORY && !gate->setting->forgets)
		changes = find_changes(gate, run);
	const struct bench_alarm_night facts = {.run = run->id,
						.commit = "",
						.fingerprint = "host",
						.track = "track",
						.started = run->started,
						.last_run = gate->runs[gate->run_count - 1]->id,
						.last_commit = "",
						.changes = &changes};

	bench_compare_alarms_look_back(&gate->alarms, &gate->alarm_count, &facts, comparison, &gate->arena);
	bench_compare_alarms_update(&gate->alarms, &gate->alarm_count, &facts, comparison, &gate->arena);
}

static void play_night(struct gate *gate, const struct plot *plot, size_t night, struct seen *seen)
{
	static const bool all[METRICS] = {[0 ... METRICS - 1] = true};
	double logs[METRICS];
	size_t number = ROLLING + night;

	draw_logs(gate, plot->ratio[night], plot->spike[night], logs);
	if (gate->setting->sky == SKY_MISSING && bench_rng_uniform(gate->rng) < 0.3) {
		seen->red[night] = is_under_alarm(gate, 0);
		seen->alarms[night] = night > 0 ? seen->alarms[night - 1] : 0;
		return;
	}
	struct bench_run *run = measure(gate, number, "night", all, gate->setting->invocations, logs);
	struct bench_comparison *comparison = judge(gate, number, run, logs);

	follow_alarms(gate, run, comparison);
	note_seen(gate, comparison, night, seen);
	bench_compare_free(comparison);
	add_run(gate, run);
	if (plot->accepted[night])
		accept(gate);
	if (gate->setting->forgets)
		gate->alarm_count = 0;
}

void nights_play(const struct setting *setting, const struct plot *plot, struct bench_rng *rng,
		 struct seen *seen)
{
	struct gate gate = {.setting = setting, .rng = rng};
	static const bool all[METRICS] = {[0 ... METRICS - 1] = true};

	*seen = (struct seen){0};
	start(&gate, METRICS, ROLLING + plot->nights);
	for (size_t i = 0; i < ROLLING; i++) {
		double logs[METRICS];

		draw_logs(&gate, 1, 1, logs);
		add_run(&gate, measure(&gate, i, "night", all, setting->invocations, logs));
	}
	for (size_t night = 0; night < plot->nights; night++)
		play_night(&gate, plot, night, seen);
	end(&gate);
}

/* Published nights. */

/* The alarm of a metric that is open, or was; NULL: it is not known yet, or it has recovered and is open
 * again. */
static struct nights_event *find_event(struct nights_event *events, size_t count, size_t alarm, size_t metric)
{
	for (size_t e = count; e-- > 0;)
		if (events[e].alarm == alarm && events[e].metric == metric)
			return &events[e];
	return NULL;
}

static size_t note_events(const struct gate *gate, size_t night, struct nights_event *events, size_t count,
			  size_t most)
{
	for (size_t a = 0; a < gate->alarm_count; a++)
		for (size_t m = 0; m < gate->alarms[a].metric_count; m++) {
			const struct bench_alarm_metric *metric = &gate->alarms[a].metrics[m];
			size_t number = strtoul(strrchr(metric->key, '=') + 1, NULL, 10);
			struct nights_event *event = find_event(events, count, a, number);
			bool open = metric->state == BENCH_ALARM_OPEN;

			if (event && !event->closed && !open)
				event->closed = night;
			if (open && (!event || event->closed) && count < most)
				events[count++] = (struct nights_event){
					.alarm = a,
					.metric = number,
					.first_bad = (size_t)(gate->alarms[a].since / NIGHT_SECONDS - 1),
					.opened = night,
				};
		}
	return count;
}

size_t nights_walk(const double *const *values, size_t metrics, size_t nights, struct nights_event *events,
		   size_t most)
{
	const struct setting setting = {.judge = JUDGE_HISTORY, .threshold = LEAST_SHIFT};
	struct gate gate = {.setting = &setting};
	size_t count = 0;

	start(&gate, metrics, nights);
	for (size_t night = 0; night < nights && night < MOST_RUNS; night++) {
		struct bench_run *run = publish(values, metrics, night);

		if (night >= ROLLING) {
			struct bench_comparison *comparison = judge(&gate, night, run, NULL);

			follow_alarms(&gate, run, comparison);
			bench_compare_free(comparison);
			count = note_events(&gate, night, events, count, most);
		}
		add_run(&gate, run);
	}
	end(&gate);
	return count;
}
