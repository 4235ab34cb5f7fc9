/* SPDX-License-Identifier: MIT */
#include "app/bisect_alarm.h"

#include <string.h>

#include "app/runs.h"
#include "app/worktree.h"
#include "core/text.h"

static struct bench_alarm *find(struct bench_alarm *alarms, size_t count, int64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (alarms[i].id == id)
			return &alarms[i];
	return NULL;
}

static int no_such_alarm(const struct bench_alarm *alarms, size_t count, int64_t id,
			 struct bench_error *error)
{
	BENCH_SCOPED_TEXT open = {0};
	for (size_t i = 0; i < count; i++)
		if (bench_record_alarm_is_open(&alarms[i]))
			bench_text_add(&open, "%s%lld", open.length ? ", " : "", (long long)alarms[i].id);
	bench_fail(error, BENCH_USAGE, "--alarm %lld: there is no such alarm; open: %s", (long long)id,
		   open.length ? open.data : "none");
	return -1;
}

int bench_app_bisect_alarm_find(const char *db, int64_t id, struct bench_arena *arena,
				struct bench_alarm **alarm, struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_alarm *alarms;
	size_t count;

	if (bench_app_open_store(db, &store, error) != 0 ||
	    bench_store_alarms(store, NULL, NULL, false, arena, &alarms, &count, error) != 0)
		return -1;
	*alarm = find(alarms, count, id);
	return *alarm ? 0 : no_such_alarm(alarms, count, id, error);
}

int bench_app_bisect_alarm_command(const char *db, int64_t id, struct bench_arena *arena, char **command,
				   struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	BENCH_SCOPED_RUN *run = NULL;
	struct bench_alarm *alarm;
	struct bench_error ignored;

	*command = bench_arena_string(arena, "");
	if (bench_app_bisect_alarm_find(db, id, arena, &alarm, error) != 0 ||
	    bench_app_open_store(db, &store, error) != 0)
		return -1;
	if (bench_store_load(store, alarm->first_bad, &run, &ignored) == 0)
		*command = bench_arena_string(arena, run->command ? run->command : "");
	return 0;
}

/* Metrics are sorted by key, so that those of one case stand together. */
const char **bench_app_bisect_alarm_cases(const struct bench_alarm *alarm, struct bench_arena *arena)
{
	const char **keys = bench_arena_alloc(arena, alarm->metric_count + 1, sizeof(*keys));
	size_t count = 0;
	for (size_t i = 0; i < alarm->metric_count; i++) {
		char *key = bench_arena_string(arena, alarm->metrics[i].key), *slash = strrchr(key, '/');
		if (slash)
			*slash = '\0';
		if (!count || strcmp(keys[count - 1], key) != 0)
			keys[count++] = key;
	}
	return keys;
}

int bench_app_bisect_alarm_tell(const char *db, int64_t id, const char *commit, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_alarm *alarms, *alarm = NULL;
	size_t count;
	if (bench_store_open(db, BENCH_STORE_WRITE, &store, error) != 0)
		return -1;
	int result = bench_store_alarms(store, NULL, NULL, false, &arena, &alarms, &count, error);
	if (result == 0)
		alarm = find(alarms, count, id);
	if (result == 0 && !alarm)
		result = no_such_alarm(alarms, count, id, error);
	if (alarm) {
		alarm->culprit = bench_arena_string(&arena, commit);
		result = bench_store_alarm_keep(store, alarm, error);
	}
	return result;
}

int bench_app_bisect_alarm_explain(const char *db, int64_t id, const char *cause, struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	if (bench_store_open(db, BENCH_STORE_WRITE, &store, error) != 0)
		return -1;
	return bench_store_alarm_explained(store, id, cause, error);
}

int bench_app_bisect_alarm_around(const char *db, const char *repository, const char *commit, int64_t *id,
				  struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_alarm *alarms;
	size_t count = 0;
	*id = 0;
	if (bench_app_open_store(db, &store, error) != 0)
		return error->code == BENCH_NOTHING ? 0 : -1;
	int result = bench_store_alarms(store, NULL, NULL, true, &arena, &alarms, &count, error);
	for (size_t i = 0; i < count && result == 0 && !*id; i++)
		if (!*alarms[i].culprit && *alarms[i].good_commit && *alarms[i].bad_commit &&
		    bench_app_commit_is_between(repository, alarms[i].good_commit, alarms[i].bad_commit,
						commit))
			*id = alarms[i].id;
	return result;
}
