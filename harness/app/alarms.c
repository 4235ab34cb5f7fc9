/* SPDX-License-Identifier: MIT */
#include "app/alarms.h"

#include <stdlib.h>
#include <string.h>

#include "app/before.h"
#include "core/text.h"

#define MOST_OPEN_NIGHTS 30 /* in a row, before an alarm; its range begins no earlier */

/* The result of the run that a relative_time is of; NULL: the run has none, or the metric is another. */
static const struct bench_result *relative_result(const struct bench_run *run, const char *key)
{
	static const char tail[] = "/relative_time";
	const size_t length = strlen(key), cut = length - strlen(tail);
	if (length <= strlen(tail) || strcmp(key + cut, tail) != 0)
		return NULL;
	for (size_t i = 0; i < run->result_count; i++)
		if (strlen(run->results[i].key) == cut && strncmp(run->results[i].key, key, cut) == 0)
			return &run->results[i];
	return NULL;
}

/* Leaves out what alarms say of ratios to another reference than the run's: that is no metric of the run. */
static int drop_other_references(struct bench_store *store, const struct bench_run *run,
				 struct bench_app_alarms *alarms, struct bench_error *error)
{
	for (size_t i = 0; i < alarms->count; i++) {
		struct bench_alarm *alarm = &alarms->alarms[i];
		size_t kept = 0;
		for (size_t m = 0; m < alarm->metric_count; m++) {
			const struct bench_result *result = relative_result(run, alarm->metrics[m].key);
			const char *reference = NULL;
			if (result && bench_store_reference(store, alarm->first_bad, alarm->metrics[m].key,
							    &alarms->arena, &reference, error) != 0)
				return -1;
			if (!reference || strcmp(reference, result->relative_to) == 0)
				alarm->metrics[kept++] = alarm->metrics[m];
		}
		alarm->metric_count = kept;
	}
	return 0;
}

/* Of level shifts (NULL: none) those of the run's own ratios, by the names that its metrics have. */
static struct bench_changes own_changes(const struct bench_changes *changes, const struct bench_run *run,
					struct bench_arena *arena)
{
	static const char against[] = " against ";
	struct bench_change *items =
		bench_arena_alloc(arena, changes ? changes->count + 1 : 1, sizeof(*items));
	size_t count = 0;
	for (size_t i = 0; changes && i < changes->count; i++) {
		struct bench_change change = changes->items[i];
		const char *at = strstr(change.key, against);
		char *name =
			at ? bench_arena_format(arena, "%.*s", (int)(at - change.key), change.key) : NULL;
		const struct bench_result *result = name ? relative_result(run, name) : NULL;
		if (result && strcmp(result->relative_to, at + strlen(against)) != 0)
			continue;
		if (result)
			change.key = name;
		items[count++] = change;
	}
	return (struct bench_changes){items, count, changes ? changes->runs : 0};
}

int bench_app_alarms_load(struct bench_store *store, const struct bench_run *run,
			  const struct bench_app_line *line, struct bench_app_alarms *alarms,
			  struct bench_error *error)
{
	*alarms = (struct bench_app_alarms){0};
	if (!store)
		return 0;
	if (bench_store_alarms(store, bench_record_fact(run, "fingerprint"),
			       bench_compare_track(run, &alarms->arena), false, &alarms->arena,
			       &alarms->alarms, &alarms->count, error) != 0)
		return -1;
	size_t kept = 0;
	for (size_t i = 0; i < alarms->count; i++)
		if (bench_app_line_has_commit(line, alarms->alarms[i].bad_commit))
			alarms->alarms[kept++] = alarms->alarms[i];
	alarms->count = kept;
	if (drop_other_references(store, run, alarms, error) != 0)
		return -1;
	return 0;
}

void bench_app_alarms_free(struct bench_app_alarms *alarms)
{
	bench_arena_free(&alarms->arena);
	*alarms = (struct bench_app_alarms){0};
}

/* Did that run leave open whether a metric that is slower now was slower then? */
static int was_open(struct bench_store *store, const char *run, const struct bench_comparison *comparison,
		    bool *open, struct bench_error *error)
{
	*open = false;
	for (size_t i = 0; i < comparison->verdict_count && !*open; i++)
		if (comparison->verdicts[i].kind == BENCH_SLOWER &&
		    bench_store_verdict_is_open(store, run, comparison->verdicts[i].key, open, error) != 0)
			return -1;
	return 0;
}

/* The newest run before that is known not to be bad: its id and commit, in `arena`, or "". */
static int find_last(struct bench_store *store, const struct bench_run *run,
		     const struct bench_app_line *line, const struct bench_comparison *comparison,
		     struct bench_arena *arena, struct bench_alarm_night *night, struct bench_error *error)
{
	BENCH_SCOPED_RUN *head = NULL;
	char **ids;
	size_t count, at = 0;
	bool open = true;
	night->last_run = night->last_commit = "";
	if (bench_app_runs_before(store, MOST_OPEN_NIGHTS + 1, run, line, arena, &ids, &count, error) != 0)
		return error->code == BENCH_NOTHING ? 0 : -1;
	for (; open && at < count; at++)
		if (was_open(store, ids[at], comparison, &open, error) != 0)
			return -1;
	if (bench_store_load_head(store, ids[at - 1], &head, error) != 0)
		return -1;
	night->last_run = ids[at - 1];
	night->last_commit = bench_arena_string(arena, head->git.present ? head->git.commit : "");
	return 0;
}

/* In the transaction of the night, so that no kill between it and the hooks loses an event. */
static int keep(struct bench_store *store, struct bench_app_alarms *alarms, const struct bench_run *run,
		bool hooked, struct bench_error *error)
{
	for (size_t i = 0; i < alarms->count; i++) {
		struct bench_alarm *alarm = &alarms->alarms[i];
		bool touched = false;
		for (size_t m = 0; m < alarm->metric_count; m++)
			touched |= strcmp(alarm->metrics[m].last_run, run->id) == 0;
		if (hooked && !alarm->told)
			alarm->told = bench_arena_string(&alarms->arena, "");
		if (touched && bench_store_alarm_keep(store, alarm, error) != 0)
			return -1;
	}
	return 0;
}

/* One transaction from reading to keeping: what others keep meanwhile is not lost, and a kill leaves all or
 * none. */
static int update(struct bench_store *store, struct bench_app_alarms *alarms, const struct bench_run *run,
		  const struct bench_app_line *line, const struct bench_run *last,
		  const struct bench_changes *changes, bool hooked, struct bench_comparison *comparison,
		  struct bench_error *error)
{
	struct bench_alarm_night night = {.run = run->id,
					  .commit = run->git.present ? run->git.commit : "",
					  .fingerprint = bench_record_fact(run, "fingerprint"),
					  .started = run->started,
					  .last_run = last ? last->id : "",
					  .last_commit = last && last->git.present ? last->git.commit : ""};
	if (bench_store_begin(store, error) != 0)
		return -1;
	int result = bench_app_alarms_load(store, run, line, alarms, error);
	night.track = bench_compare_track(run, &alarms->arena);
	if (result == 0 && !last)
		result = find_last(store, run, line, comparison, &alarms->arena, &night, error);
	const struct bench_changes own = own_changes(changes, run, &alarms->arena);
	night.changes = &own;
	if (result == 0)
		bench_compare_alarms_look_back(&alarms->alarms, &alarms->count, &night, comparison,
					       &alarms->arena);
	if (result == 0)
		bench_compare_alarms_update(&alarms->alarms, &alarms->count, &night, comparison,
					    &alarms->arena);
	if (result == 0)
		result = keep(store, alarms, run, hooked, error);
	return bench_store_end(store, result, error);
}

int bench_app_alarms_update(const char *db, const struct bench_run *run, const struct bench_app_line *line,
			    const struct bench_run *last, const struct bench_changes *changes, bool hooked,
			    struct bench_comparison *comparison, struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_app_alarms alarms = {0};
	int result = bench_store_open(db, BENCH_STORE_WRITE, &store, error);
	if (result == 0)
		result = update(store, &alarms, run, line, last, changes, hooked, comparison, error);
	/* Now they have their ids. */
	bench_compare_alarms_tell(alarms.alarms, alarms.count, run->id, run->started, comparison);
	bench_app_alarms_free(&alarms);
	return result;
}

int bench_app_alarms_tell(struct bench_store *store, const struct bench_run *run,
			  const struct bench_app_line *line, struct bench_comparison *comparison,
			  struct bench_error *error)
{
	struct bench_app_alarms alarms;
	int result = bench_app_alarms_load(store, run, line, &alarms, error);
	if (result == 0)
		bench_compare_alarms_tell(alarms.alarms, alarms.count, run->id, run->started, comparison);
	bench_app_alarms_free(&alarms);
	return result;
}

/* An alarm's id, or 0 where the text is a pattern. */
static int64_t parse_id(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) ? strtoll(text, NULL, 10) : 0;
}

/* Leaves of the alarm what is meant; false where that is nothing. */
static bool narrow(struct bench_alarm *alarm, const char *text, bool open)
{
	int64_t id = text ? parse_id(text) : 0;
	size_t kept = 0;
	if (id && id != alarm->id)
		return false;
	for (size_t m = 0; m < alarm->metric_count; m++) {
		const struct bench_alarm_metric metric = alarm->metrics[m];
		if ((!open || metric.state == BENCH_ALARM_OPEN) &&
		    (!text || id || bench_text_match(text, metric.key)))
			alarm->metrics[kept++] = metric;
	}
	alarm->metric_count = kept;
	return kept > 0;
}

int bench_app_alarms_find(struct bench_store *store, const char *id_or_pattern, bool open,
			  struct bench_arena *arena, struct bench_alarm **alarms, size_t *count,
			  struct bench_error *error)
{
	size_t all;
	*count = 0;
	if (bench_store_alarms(store, NULL, NULL, open, arena, alarms, &all, error) != 0)
		return -1;
	for (size_t i = 0; i < all; i++)
		if (narrow(&(*alarms)[i], id_or_pattern, open))
			(*alarms)[(*count)++] = (*alarms)[i];
	if (*count > 0 || !id_or_pattern)
		return 0;
	return bench_fail(error, !open && parse_id(id_or_pattern) ? BENCH_USAGE : BENCH_NOTHING,
			  "no %salarm %s '%s'; 'bench alarms list --all' has them all", open ? "open " : "",
			  parse_id(id_or_pattern) ? "has the id" : "has a metric that matches",
			  id_or_pattern);
}

struct bench_alarm_origin bench_app_alarms_origin(struct bench_store *store, const struct bench_alarm *alarm,
						  struct bench_arena *arena)
{
	struct bench_alarm_origin origin = {alarm->fingerprint, alarm->track};
	BENCH_SCOPED_RUN *run = NULL;
	struct bench_error ignored;
	if (bench_store_load_head(store, alarm->first_bad, &run, &ignored) != 0)
		return origin;
	const char *name = bench_record_fact(run, "name");
	if (*name)
		origin.host = bench_arena_string(arena, name);
	if (run->command && *run->command)
		origin.command = bench_arena_string(arena, run->command);
	return origin;
}

int bench_app_alarms_close(struct bench_store *store, const struct bench_accepted_row *shift, size_t *count,
			   struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_alarm *alarms;
	size_t alarm_count;
	int result = bench_store_alarms(store, *shift->fingerprint ? shift->fingerprint : NULL, NULL, true,
					&arena, &alarms, &alarm_count, error);
	*count = 0;
	for (size_t i = 0; i < alarm_count && result == 0; i++) {
		size_t closed = bench_compare_alarms_accept(
			&alarms[i],
			&(struct bench_accepted){shift->pattern, shift->since, shift->why, shift->removal},
			shift->run, &arena);
		if (closed > 0)
			result = bench_store_alarm_keep(store, &alarms[i], error);
		*count += closed;
	}
	return result;
}

bool bench_app_withdrawn_has(const struct bench_app_withdrawn *withdrawn, const char *key)
{
	for (size_t i = 0; i < withdrawn->other_count; i++) {
		const struct bench_accepted_row *other = &withdrawn->others[i];
		if (other->since >= withdrawn->shift->since && bench_text_match(other->pattern, key) &&
		    (!*other->fingerprint || strcmp(other->fingerprint, withdrawn->shift->fingerprint) == 0))
			return false;
	}
	return bench_text_match(withdrawn->shift->pattern, key);
}

int bench_app_alarms_reopen(struct bench_store *store, const struct bench_app_withdrawn *withdrawn,
			    size_t *count, struct bench_error *error)
{
	const struct bench_accepted_row *shift = withdrawn->shift;
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_alarm *alarms;
	size_t alarm_count;
	int result = bench_store_alarms(store, *shift->fingerprint ? shift->fingerprint : NULL, NULL, false,
					&arena, &alarms, &alarm_count, error);
	*count = 0;
	for (size_t i = 0; i < alarm_count && result == 0; i++)
		for (size_t m = 0; m < alarms[i].metric_count && result == 0; m++) {
			const struct bench_alarm_metric *metric = &alarms[i].metrics[m];
			if (metric->state != BENCH_ALARM_ACCEPTED || metric->closed != shift->since ||
			    strcmp(metric->why, shift->why) != 0 ||
			    !bench_app_withdrawn_has(withdrawn, metric->key))
				continue;
			result = bench_store_alarm_reopen(store, alarms[i].id, metric->key, error);
			++*count;
		}
	return result;
}
