/* SPDX-License-Identifier: MIT */
#include "report/format/alarm_event.h"

#include <string.h>

#include "core/clock.h"
#include "core/json.h"
#include "core/text.h"
#include "report/render/alarms.h"
#include "report/render/words.h"

#define MOST_LINES 20 /* of metrics in the text */

/* The metrics that the event is about: those that are open; of a closed alarm, all. */
static bool concerns(const struct bench_alarm *alarm, const struct bench_alarm_metric *metric)
{
	return metric->state == BENCH_ALARM_OPEN || !bench_record_alarm_is_open(alarm);
}

static size_t count_metrics(const struct bench_alarm *alarm)
{
	size_t count = 0;
	for (size_t m = 0; m < alarm->metric_count; m++)
		count += concerns(alarm, &alarm->metrics[m]);
	return count;
}

static const char *change_of(struct bench_arena *arena, const struct bench_alarm_metric *metric)
{
	return bench_render_words_measured(arena, metric->ratio, metric->lo, metric->hi, metric->ci_level,
					   metric->unit);
}

/* "alarm 12 opened: 3 metrics, +12.0%, 95% +10.9..+13.2, commits 1b2c3d4e5f6a..4af884b10c2d" */
static char *title_of(struct bench_arena *arena, const struct bench_alarm_telling *telling)
{
	static const char *const words[BENCH_ALARM_EVENTS] = {
		[BENCH_ALARM_OPENED] = "opened",
		[BENCH_ALARM_SECOND_NIGHT] = "is open for a second night",
		[BENCH_ALARM_WEEK_OLD] = "has been open for a week",
		[BENCH_ALARM_HAS_RECOVERED] = "has recovered",
		[BENCH_ALARM_WAS_ACCEPTED] = "was accepted"};
	const struct bench_alarm *alarm = telling->alarm;
	const struct bench_alarm_metric *largest = bench_record_alarm_largest(alarm);
	const char *commits = bench_render_alarms_commits(arena, alarm->good_commit, alarm->bad_commit);
	const size_t count = count_metrics(alarm);
	const bool same = *commits && strcmp(alarm->good_commit, alarm->bad_commit) == 0;
	const char *where = !*commits              ? ""
			    : same                 ? ", no commit between "
			    : strchr(commits, '.') ? ", commits "
						   : ", commit ";
	const char *what = count == 1 && largest ? bench_render_words_line(arena, largest->key)
						 : bench_arena_format(arena, "%zu metrics", count);
	return bench_arena_format(arena, "alarm %lld %s: %s, %s%s%s", (long long)alarm->id,
				  words[telling->event], what, largest ? change_of(arena, largest) : "-",
				  where, commits);
}

static const char *why_of(const struct bench_alarm *alarm)
{
	for (size_t m = 0; m < alarm->metric_count; m++)
		if (alarm->metrics[m].state == BENCH_ALARM_ACCEPTED)
			return alarm->metrics[m].why;
	return "";
}

/* What a mail or an issue says: complete, and for people. */
static void add_text(struct bench_arena *arena, const struct bench_alarm_telling *telling, const char *title,
		     cJSON *document)
{
	const struct bench_alarm *alarm = telling->alarm;
	const char *why = why_of(alarm);
	struct bench_text text = {0};
	size_t shown = 0, left = count_metrics(alarm);
	bench_text_add(&text, "%s\n\n", title);
	for (size_t m = 0; m < alarm->metric_count && shown < MOST_LINES; m++) {
		const struct bench_alarm_metric *metric = &alarm->metrics[m];
		if (!concerns(alarm, metric))
			continue;
		bench_text_add(&text, "%s: %s\n", bench_render_words_line(arena, metric->key),
			       change_of(arena, metric));
		shown++;
		left--;
	}
	if (left > 0)
		bench_text_add(&text, "and %zu more\n", left);
	bench_text_add(&text, "\nopen since %s, first bad run %s\n",
		       bench_render_alarms_day(arena, alarm->since),
		       bench_render_words_line(arena, alarm->first_bad));
	bench_text_add(&text, "on %s, by: %s\n", bench_render_words_line(arena, telling->origin.host),
		       bench_render_words_line(arena, telling->origin.command));
	if (*why)
		bench_text_add(&text, "accepted: %s\n", bench_render_words_line(arena, why));
	bench_text_add(&text, "\nto look at it:\n  bench alarms show %lld%s\n", (long long)alarm->id,
		       telling->places);
	cJSON_AddStringToObject(document, "text", bench_text_keep(&text, arena));
}

static cJSON *metric_object(const struct bench_alarm_metric *metric,
			    const struct bench_compare_options *options)
{
	cJSON *object = cJSON_CreateObject(), *interval;
	cJSON_AddStringToObject(object, "key", metric->key);
	cJSON_AddStringToObject(object, "unit", metric->unit);
	cJSON_AddStringToObject(object, "state", bench_record_alarm_state_name(metric->state));
	bench_json_add_number(object, "before", metric->level);
	bench_json_add_number(object, "ratio", metric->ratio);
	interval = cJSON_AddArrayToObject(object, "ci");
	cJSON_AddItemToArray(interval, bench_json_real(metric->lo));
	cJSON_AddItemToArray(interval, bench_json_real(metric->hi));
	bench_json_add_number(object, "ci_level", metric->ci_level);
	bench_json_add_number(object, "last_ratio", metric->last_ratio);
	cJSON_AddStringToObject(object, "last_run", metric->last_run);
	bench_json_add_number(object, "nights", metric->nights);
	cJSON_AddStringToObject(object, "why", metric->why);
	cJSON_AddStringToObject(object, "owner", bench_compare_owner(options, metric->key));
	return object;
}

static cJSON *alarm_object(const struct bench_alarm_telling *telling)
{
	const struct bench_alarm *alarm = telling->alarm;
	cJSON *object = cJSON_CreateObject();
	char since[40];
	bench_clock_iso(alarm->since, since, sizeof(since));
	bench_json_add_number(object, "id", (double)alarm->id);
	cJSON_AddStringToObject(object, "state",
				bench_record_alarm_state_name(bench_record_alarm_state(alarm)));
	cJSON_AddStringToObject(object, "since", since);
	bench_json_add_number(object, "nights", bench_record_alarm_whole(alarm).nights);
	cJSON_AddStringToObject(object, "host", telling->origin.host);
	cJSON_AddStringToObject(object, "command", telling->origin.command);
	cJSON_AddStringToObject(object, "first_bad", alarm->first_bad);
	cJSON_AddStringToObject(object, "last_good", alarm->last_good);
	cJSON_AddStringToObject(object, "good_commit", alarm->good_commit);
	cJSON_AddStringToObject(object, "bad_commit", alarm->bad_commit);
	cJSON_AddStringToObject(object, "culprit", alarm->culprit);
	cJSON_AddStringToObject(object, "cause", alarm->cause ? alarm->cause : "");
	cJSON *metrics = cJSON_AddArrayToObject(object, "metrics");
	for (size_t m = 0; m < alarm->metric_count; m++)
		cJSON_AddItemToArray(metrics, metric_object(&alarm->metrics[m], telling->options));
	return object;
}

char *bench_format_alarm_event(const struct bench_alarm_telling *telling)
{
	BENCH_SCOPED_ARENA arena = {0};
	cJSON *document = cJSON_CreateObject();
	const char *title = title_of(&arena, telling);
	cJSON_AddStringToObject(document, "schema", "bench-alarm-event/1");
	cJSON_AddStringToObject(document, "event", bench_record_alarm_event_name(telling->event));
	cJSON_AddStringToObject(document, "title", title);
	add_text(&arena, telling, title, document);
	cJSON_AddItemToObject(document, "alarm", alarm_object(telling));
	return bench_json_print(document, false);
}
