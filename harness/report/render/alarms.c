/* SPDX-License-Identifier: MIT */
#include "report/render/alarms.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/render/words.h"

#define COMMIT_DIGITS 12

/* New ones and old ones apart, even where they are not stored and have no id. */
static bool same_alarm(const struct bench_verdict_alarm *a, const struct bench_verdict_alarm *b)
{
	return a->id == b->id && (a->id != 0 || a->since == b->since);
}

static int place(const struct bench_alarm_group *group)
{
	return group->alarm.is_new ? 0 : group->alarm.recovered ? 2 : 1;
}

static int compare_groups(const void *left, const void *right)
{
	const struct bench_alarm_group *a = left, *b = right;
	if (place(a) != place(b))
		return place(a) - place(b);
	if (a->alarm.since != b->alarm.since)
		return a->alarm.since < b->alarm.since ? -1 : 1;
	return (a->alarm.id > b->alarm.id) - (a->alarm.id < b->alarm.id);
}

static void add_to_group(struct bench_alarm_group *group, const struct bench_verdict_alarm *alarm)
{
	struct bench_verdict_alarm *whole = &group->alarm;
	group->metrics++;
	group->recovered += alarm->recovered;
	whole->is_new |= alarm->is_new;
	whole->recovered = group->recovered == group->metrics;
	whole->nights = alarm->nights > whole->nights ? alarm->nights : whole->nights;
	whole->ratio = alarm->largest.ratio;
	whole->lo = alarm->largest.lo;
	whole->hi = alarm->largest.hi;
	whole->ci_level = alarm->largest.ci_level;
	whole->unit = alarm->largest.unit;
}

/* The index of an alarm's group; `count` if it has none yet. */
static size_t find_group(const struct bench_alarm_group *groups, size_t count,
			 const struct bench_verdict_alarm *alarm)
{
	size_t at = 0;
	while (at < count && !same_alarm(&groups[at].alarm, alarm))
		at++;
	return at;
}

static void add_alarm(struct bench_arena *arena, const struct bench_verdict_alarm *alarm,
		      struct bench_alarm_group **groups, size_t *count)
{
	size_t at = find_group(*groups, *count, alarm);
	struct bench_alarm_group *group = at < *count ? &(*groups)[at] : NULL;
	if (!group) {
		group = bench_arena_push(arena, groups, count, sizeof(*group));
		*group = (struct bench_alarm_group){.alarm = *alarm};
	}
	add_to_group(group, alarm);
}

void bench_render_alarms(struct bench_arena *arena, const struct bench_comparison *comparison,
			 struct bench_alarm_group **groups, size_t *count)
{
	*groups = NULL;
	*count = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++)
		for (const struct bench_verdict_alarm *alarm = comparison->verdicts[i].alarm; alarm;
		     alarm = alarm->older)
			add_alarm(arena, alarm, groups, count);
	if (*count > 1)
		qsort(*groups, *count, sizeof(**groups), compare_groups);
}

bool bench_render_alarms_known(const struct bench_verdict *verdict)
{
	const struct bench_verdict_alarm *alarm = verdict->alarm;
	return alarm && !alarm->is_new && !alarm->recovered && verdict->kind != BENCH_BROKEN &&
	       verdict->kind != BENCH_MISSING;
}

const char *bench_render_alarms_state(const struct bench_verdict_alarm *alarm)
{
	return alarm->recovered ? "recovered" : alarm->is_new ? "new" : "open";
}

char *bench_render_alarms_day(struct bench_arena *arena, int64_t since)
{
	time_t start = (time_t)since;
	char day[32] = "some day";
	struct tm parts;
	if (gmtime_r(&start, &parts))
		strftime(day, sizeof(day), "%Y-%m-%d", &parts);
	return bench_arena_string(arena, day);
}

char *bench_render_alarms_commits(struct bench_arena *arena, const char *good, const char *bad)
{
	const char *from = bench_render_words_line(arena, good), *to = bench_render_words_line(arena, bad);
	if (*from && *to && strcmp(from, to) != 0)
		return bench_arena_format(arena, "%.*s..%.*s", COMMIT_DIGITS, from, COMMIT_DIGITS, to);
	return bench_arena_format(arena, "%.*s", COMMIT_DIGITS, to);
}

/* ", commits a1b2..c3d4", with what a bisection found. */
static char *name_commits(struct bench_arena *arena, const struct bench_verdict_alarm *alarm)
{
	char *commits = bench_render_alarms_commits(arena, alarm->good_commit, alarm->bad_commit), *text;
	/* The last good run has the same commit: the cause is the machine, or something outside git. */
	if (*commits && strcmp(alarm->good_commit, alarm->bad_commit) == 0)
		text = bench_arena_format(arena, ", no commit between (%s)", commits);
	else if (*commits)
		text = bench_arena_format(arena, ", commit%s %s", strchr(commits, '.') ? "s" : "", commits);
	else
		text = commits;
	return *alarm->culprit ? bench_arena_format(arena, "%s, bisected to %.*s", text, COMMIT_DIGITS,
						    bench_render_words_line(arena, alarm->culprit))
			       : text;
}

/* "alarm 12, open since 2026-11-03" */
static char *name_alarm(struct bench_arena *arena, const struct bench_verdict_alarm *alarm)
{
	char *id = alarm->id ? bench_arena_format(arena, "alarm %lld", (long long)alarm->id)
			     : bench_arena_string(arena, "alarm");
	if (alarm->is_new)
		return bench_arena_format(arena, "new %s", id);
	return bench_arena_format(arena, "%s, %s since %s", id,
				  alarm->recovered ? "recovered, was open" : "open",
				  bench_render_alarms_day(arena, alarm->since));
}

static char *change_of(struct bench_arena *arena, const struct bench_verdict_alarm *alarm)
{
	return bench_render_words_measured(arena, alarm->largest.ratio, alarm->largest.lo, alarm->largest.hi,
					   alarm->largest.ci_level, alarm->largest.unit);
}

/* Another change beside the alarm's own, ", this run +21.1%"; "" where it reads the same. */
static const char *beside(struct bench_arena *arena, const char *change, const char *name, const char *other)
{
	return strcmp(change, other) == 0 ? "" : bench_arena_format(arena, ", %s %s", name, other);
}

char *bench_render_alarms_line(struct bench_arena *arena, const struct bench_alarm_group *group)
{
	const struct bench_verdict_alarm *alarm = &group->alarm;
	const char *back = group->recovered == 0 || alarm->recovered
				   ? ""
				   : bench_arena_format(arena, " (and %zu recovered)", group->recovered);
	const size_t metrics = group->metrics - (*back ? group->recovered : 0);
	const char *change = change_of(arena, alarm);
	const char *now = bench_render_words_measured(arena, alarm->largest.now_ratio, alarm->largest.now_lo,
						      alarm->largest.now_hi, alarm->largest.now_ci_level,
						      alarm->largest.unit);
	const bool explained = alarm->cause && *alarm->cause;
	return bench_arena_format(arena, "%s: %zu metric%s%s, %u night%s, %s%s%s%s%s",
				  name_alarm(arena, alarm), metrics, bench_text_plural(metrics), back,
				  alarm->nights, bench_text_plural(alarm->nights), change,
				  *now == '-' && !now[1] ? "" : beside(arena, change, "this run", now),
				  name_commits(arena, alarm), explained ? "; why: " : "",
				  explained ? bench_render_words_line(arena, alarm->cause) : "");
}

size_t bench_render_alarms_lines(struct bench_arena *arena, const struct bench_comparison *comparison,
				 char ***lines)
{
	struct bench_alarm_group *groups;
	size_t count;
	bench_render_alarms(arena, comparison, &groups, &count);
	*lines = bench_arena_alloc(arena, count + 1, sizeof(**lines));
	for (size_t i = 0; i < count; i++)
		(*lines)[i] = bench_render_alarms_line(arena, &groups[i]);
	return count;
}

char *bench_render_alarms_told(struct bench_arena *arena, const struct bench_verdict_alarm *alarm)
{
	const char *change = change_of(arena, alarm);
	const char *own = bench_render_words_measured(arena, alarm->ratio, alarm->lo, alarm->hi,
						      alarm->ci_level, alarm->unit);
	return bench_arena_format(arena, "%s, %u night%s, %s%s%s", name_alarm(arena, alarm), alarm->nights,
				  bench_text_plural(alarm->nights), change,
				  beside(arena, change, "this metric", own), name_commits(arena, alarm));
}

char *bench_render_alarms_cell(struct bench_arena *arena, const struct bench_verdict_alarm *alarm)
{
	const char *state = bench_render_alarms_state(alarm);
	return alarm->id ? bench_arena_format(arena, "%s %lld", state, (long long)alarm->id)
			 : bench_arena_string(arena, state);
}

/* How many metrics are under one in a place: some are under several. */
static size_t count_metrics(const struct bench_comparison *comparison, const struct bench_alarm_group *groups,
			    size_t count, int where)
{
	size_t metrics = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict_alarm *alarm = comparison->verdicts[i].alarm;
		while (alarm && place(&groups[find_group(groups, count, alarm)]) != where)
			alarm = alarm->older;
		metrics += alarm != NULL;
	}
	return metrics;
}

/* Those in a place: "2 new alarms (3 metrics)", "1 alarm open since 2026-11-03 (1 metric)"; NULL: none. */
static char *count_alarms(struct bench_arena *arena, const struct bench_comparison *comparison,
			  const struct bench_alarm_group *groups, size_t count, int where)
{
	size_t found = 0, metrics = count_metrics(comparison, groups, count, where);
	const char *since = "";
	for (size_t i = 0; i < count; i++) {
		if (place(&groups[i]) != where)
			continue;
		if (found++ == 0)
			since = bench_render_alarms_day(arena, groups[i].alarm.since);
	}
	if (found == 0)
		return NULL;
	return bench_arena_format(arena, "%zu %salarm%s%s%s (%zu metric%s)", found, where == 0 ? "new " : "",
				  bench_text_plural(found),
				  where == 1   ? " open since "
				  : where == 2 ? " recovered"
					       : "",
				  where == 1 ? since : "", metrics, bench_text_plural(metrics));
}

char *bench_render_alarms_summary(struct bench_arena *arena, const struct bench_comparison *comparison)
{
	struct bench_alarm_group *groups;
	size_t count;
	char *summary = bench_arena_string(arena, "");
	bench_render_alarms(arena, comparison, &groups, &count);
	for (int where = 0; where < 3; where++) {
		char *part = count_alarms(arena, comparison, groups, count, where);
		if (part)
			summary = bench_arena_format(arena, "%s%s%s", summary, *summary ? ", " : "", part);
	}
	return summary;
}

/* Alarms that began with the same commits. */
struct cause {
	char *commits, *alarms;                     /* ", commits a1b2..c3d4"; "12, 13" */
	size_t alarm_count, metrics, classes, last; /* last: the newest of these classes */
};

static void add_cause(struct bench_arena *arena, struct cause **causes, size_t *count, size_t class,
		      const struct bench_alarm_group *group)
{
	struct cause *cause = bench_text_find_or_add(arena, causes, count, sizeof(*cause),
						     name_commits(arena, &group->alarm));
	cause->alarms = bench_arena_format(arena, "%s%s%lld", cause->alarms ? cause->alarms : "",
					   cause->alarms ? ", " : "", (long long)group->alarm.id);
	cause->classes += cause->alarm_count == 0 || cause->last != class;
	cause->last = class;
	cause->alarm_count++;
	cause->metrics += group->metrics - group->recovered;
}

void bench_render_alarms_causes(struct bench_arena *arena, const struct bench_comparison *const *comparisons,
				size_t comparison_count, char ***lines, size_t *count)
{
	struct cause *causes = NULL;
	size_t cause_count = 0;
	for (size_t class = 0; class < comparison_count; class ++) {
		struct bench_alarm_group *groups = NULL;
		size_t group_count = 0;
		if (comparisons[class])
			bench_render_alarms(arena, comparisons[class], &groups, &group_count);
		for (size_t i = 0; i < group_count; i++)
			if (!groups[i].alarm.recovered)
				add_cause(arena, &causes, &cause_count, class, &groups[i]);
	}
	*lines = bench_arena_alloc(arena, cause_count + 1, sizeof(**lines));
	*count = cause_count;
	for (size_t i = 0; i < cause_count; i++)
		(*lines)[i] = bench_arena_format(arena, "open alarm%s %s%s: %zu metric%s of %zu class%s",
						 bench_text_plural(causes[i].alarm_count), causes[i].alarms,
						 causes[i].commits, causes[i].metrics,
						 bench_text_plural(causes[i].metrics), causes[i].classes,
						 causes[i].classes == 1 ? "" : "es");
}
