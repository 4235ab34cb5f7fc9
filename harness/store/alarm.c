/* SPDX-License-Identifier: MIT */
/* Alarms, each with its metrics. */
#include <time.h>

#include "store/sql.h"

#define ALARM                                                                                                \
	"alarm, fingerprint, track, first_bad, last_good, bad_commit, good_commit, since, culprit, "         \
	"told, cause"
#define METRIC                                                                                               \
	"key, unit, state, level, ratio, lo, hi, last_run, last_ratio, last_lo, last_hi, nights, "           \
	"closed_run, closed, why, ci_level, last_ci_level"

static int read_metric(struct bench_store *store, struct store_statement *statement,
		       struct bench_arena *arena, struct bench_alarm_metric *metric,
		       struct bench_error *error)
{
	*metric = (struct bench_alarm_metric){
		.key = store_text(arena, statement, 0),
		.unit = store_text(arena, statement, 1),
		.level = store_real(statement, 3),
		.ratio = store_real(statement, 4),
		.lo = store_real(statement, 5),
		.hi = store_real(statement, 6),
		.last_run = store_text(arena, statement, 7),
		.last_ratio = store_real(statement, 8),
		.last_lo = store_real(statement, 9),
		.last_hi = store_real(statement, 10),
		.nights = (unsigned)store_int(statement, 11),
		.closed_run = store_text(arena, statement, 12),
		.closed = store_int(statement, 13),
		.why = store_text(arena, statement, 14),
		.ci_level = store_real(statement, 15),
		.last_ci_level = store_real(statement, 16),
	};
	const char *state = store_text(arena, statement, 2);
	if (bench_record_alarm_state_parse(state, &metric->state))
		return 0;
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "database '%s': damaged: the alarm on '%.200s' has the state '%.40s'", store->path,
			  metric->key, state);
}

static int read_metrics(struct bench_store *store, struct store_statement *statement,
			struct bench_arena *arena, struct bench_alarm *alarm, struct bench_error *error)
{
	int state = store_start(store, statement, error, "i", alarm->id);
	for (; state == 1; state = store_next(store, statement, error)) {
		if (read_metric(store, statement, arena,
				bench_arena_push(arena, &alarm->metrics, &alarm->metric_count,
						 sizeof(*alarm->metrics)),
				error) != 0)
			return -1;
	}
	return state;
}

static void read_alarm(struct store_statement *statement, struct bench_arena *arena,
		       struct bench_alarm *alarm)
{
	*alarm = (struct bench_alarm){
		.id = store_int(statement, 0),
		.fingerprint = store_text(arena, statement, 1),
		.track = store_text(arena, statement, 2),
		.first_bad = store_text(arena, statement, 3),
		.last_good = store_text(arena, statement, 4),
		.bad_commit = store_text(arena, statement, 5),
		.good_commit = store_text(arena, statement, 6),
		.since = store_int(statement, 7),
		.culprit = store_text(arena, statement, 8),
		.told = store_column(statement, 9).type == STORE_NULL ? NULL
								      : store_text(arena, statement, 9),
		.cause = store_text(arena, statement, 10),
	};
}

int bench_store_alarms(struct bench_store *store, const char *fingerprint, const char *track, bool open_only,
		       struct bench_arena *arena, struct bench_alarm **alarms, size_t *count,
		       struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *selected = NULL, *metrics = NULL;
	*alarms = NULL;
	*count = 0;
	int state = store_prepare(store, "SELECT " METRIC " FROM alarm_metric WHERE alarm = ? ORDER BY key",
				  &metrics, error);
	if (state == 0)
		state = store_select(
			store, &selected, error,
			"SELECT " ALARM
			" FROM alarm AS a WHERE (?1 IS NULL OR fingerprint = ?1) AND (?2 IS NULL OR track = "
			"?2) AND (?3 = 0 OR EXISTS (SELECT 1 FROM alarm_metric AS m WHERE m.alarm = a.alarm "
			"AND state = 'open')) ORDER BY since, alarm",
			"tti", fingerprint, track, (int64_t)open_only);
	for (; state == 1; state = store_next(store, selected, error)) {
		struct bench_alarm *alarm = bench_arena_push(arena, alarms, count, sizeof(*alarm));
		read_alarm(selected, arena, alarm);
		if (read_metrics(store, metrics, arena, alarm, error) != 0) {
			state = -1;
			break;
		}
	}
	return state;
}

static int put_metrics(struct bench_store *store, const struct bench_alarm *alarm, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *put = NULL;
	/* What somebody has accepted meanwhile stays so. */
	int status = store_prepare(
		store,
		"INSERT INTO alarm_metric (alarm, " METRIC
		") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, CASE WHEN ?4 <> "
		"'open' THEN ?15 END, ?16, ?17, ?18) ON CONFLICT (alarm, key) DO UPDATE SET state = "
		"excluded.state, level = excluded.level, ratio = excluded.ratio, lo = excluded.lo, hi = "
		"excluded.hi, last_run = excluded.last_run, last_ratio = excluded.last_ratio, last_lo = "
		"excluded.last_lo, last_hi = excluded.last_hi, nights = excluded.nights, closed_run = "
		"excluded.closed_run, closed = excluded.closed, why = excluded.why, ci_level = "
		"excluded.ci_level, last_ci_level = excluded.last_ci_level WHERE alarm_metric.state <> "
		"'accepted' OR excluded.state = 'accepted'",
		&put, error);
	for (size_t i = 0; i < alarm->metric_count && status == 0; i++) {
		const struct bench_alarm_metric *metric = &alarm->metrics[i];
		status = store_start(store, put, error, "itttrrrrtrrrititrr", alarm->id, metric->key,
				     metric->unit, bench_record_alarm_state_name(metric->state),
				     metric->level, metric->ratio, metric->lo, metric->hi, metric->last_run,
				     metric->last_ratio, metric->last_lo, metric->last_hi,
				     (int64_t)metric->nights, metric->closed_run, metric->closed, metric->why,
				     metric->ci_level, metric->last_ci_level);
	}
	return status;
}

/* Another process may have kept an alarm of the same run before: it is the same one. */
static int put_alarm(struct bench_store *store, const struct bench_alarm *alarm, int64_t *id,
		     struct bench_error *error)
{
	return store_write_new(
		store, id, error,
		"INSERT INTO alarm (fingerprint, track, first_bad, last_good, bad_commit, good_commit, "
		"since, created, culprit, told) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT "
		"(fingerprint, track, first_bad) DO UPDATE SET culprit = CASE excluded.culprit WHEN '' THEN "
		"alarm.culprit ELSE excluded.culprit END, told = COALESCE(alarm.told, excluded.told) "
		"RETURNING alarm",
		"ttttttiitt", alarm->fingerprint, alarm->track, alarm->first_bad, alarm->last_good,
		alarm->bad_commit, alarm->good_commit, alarm->since, (int64_t)time(NULL), alarm->culprit,
		alarm->told);
}

int bench_store_alarm_keep(struct bench_store *store, struct bench_alarm *alarm, struct bench_error *error)
{
	struct bench_alarm kept = *alarm;
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = put_alarm(store, alarm, &kept.id, error);
	if (status == 0)
		status = put_metrics(store, &kept, error);
	status = store_end_table(store, status, STORE_DIGEST_ALARMS, error);
	if (status == 0)
		alarm->id = kept.id;
	return status;
}

int bench_store_alarm_reopen(struct bench_store *store, int64_t alarm, const char *key,
			     struct bench_error *error)
{
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = store_write(store, error,
				 "UPDATE alarm_metric SET state = 'open', closed_run = '', closed = NULL, "
				 "why = '' WHERE alarm = ? AND key = ? AND state = 'accepted'",
				 "it", alarm, key);
	return store_end_table(store, status, STORE_DIGEST_ALARMS, error);
}

static int set(struct bench_store *store, const char *sql, const char *value, int64_t alarm,
	       struct bench_error *error)
{
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = store_write(store, error, sql, "ti", value, alarm);
	return store_end_table(store, status, STORE_DIGEST_ALARMS, error);
}

int bench_store_alarm_told(struct bench_store *store, int64_t alarm, const char *event,
			   struct bench_error *error)
{
	return set(store, "UPDATE alarm SET told = ? WHERE alarm = ?", event, alarm, error);
}

int bench_store_alarm_explained(struct bench_store *store, int64_t alarm, const char *cause,
				struct bench_error *error)
{
	return set(store, "UPDATE alarm SET cause = ? WHERE alarm = ?", cause, alarm, error);
}
