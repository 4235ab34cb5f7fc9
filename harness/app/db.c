/* SPDX-License-Identifier: MIT */
#include "app/db.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"

#define MOST_ASIDE 1000 /* damaged files of one second */

int bench_app_db_check(const char *db, struct bench_arena *arena, struct bench_store_finding **findings,
		       size_t *count, size_t *runs, struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	struct bench_error cause;
	char **ids;
	if (bench_store_open(db, BENCH_STORE_ANY, &store, error) != 0)
		return -1;
	int result = bench_store_examine(store, arena, findings, count, error);
	/* What cannot be read is among the findings. */
	if (result == 0 && bench_store_known(store, arena, &ids, runs, &cause) != 0 && *count == 0) {
		*error = cause;
		result = -1;
	}
	return result;
}

/* A history that is rebuilt. */
struct rebuild {
	const struct bench_app_places *places;
	struct bench_app_repair *repair;
	struct bench_store *old; /* NULL: nothing of it can be read */
	struct bench_store *made;
	const char *path; /* of the new file */
};

static struct bench_app_repaired *add(struct rebuild *rebuild, const char *what, const char *from,
				      const char *note)
{
	struct bench_app_repair *repair = rebuild->repair;
	struct bench_app_repaired *part =
		bench_arena_push(&repair->arena, &repair->parts, &repair->count, sizeof(*part));
	*part = (struct bench_app_repaired){bench_arena_string(&repair->arena, what),
					    bench_arena_string(&repair->arena, from),
					    bench_arena_string(&repair->arena, note)};
	return part;
}

/* Is it no fault of what was read that it could not be read? Then the repair ends with that. */
static bool lacks_memory(const struct bench_error *cause, struct bench_error *error)
{
	if (cause->code == BENCH_NO_MEMORY)
		*error = *cause;
	return cause->code == BENCH_NO_MEMORY;
}

/* A run out of the old file, if it is as it was written. A problem of the new file is an error. */
static int take_stored(struct rebuild *rebuild, const char *id, struct bench_error *error)
{
	struct bench_arena *arena = &rebuild->repair->arena;
	struct bench_error cause = {0};
	BENCH_SCOPED_RUN *run = NULL;
	bool intact = false, added;
	const char *what = bench_arena_format(arena, "run:%s", id);
	if (bench_store_intact(rebuild->old, id, &intact, &cause) != 0 ||
	    (intact && bench_store_load(rebuild->old, id, &run, &cause) != 0) || !intact) {
		if (lacks_memory(&cause, error))
			return -1;
		add(rebuild, what, "",
		    cause.code == BENCH_OK ? "its rows are not those that were written" : cause.text);
		return 0;
	}
	int result = bench_store_ingest(rebuild->made, run, &added, error);
	if (result == 0)
		add(rebuild, what, "database", "");
	return result;
}

static struct bench_app_repaired *find_part(struct rebuild *rebuild, const char *id)
{
	const char *what = bench_arena_format(&rebuild->repair->arena, "run:%s", id);
	for (size_t i = 0; i < rebuild->repair->count; i++)
		if (strcmp(rebuild->repair->parts[i].what, what) == 0)
			return &rebuild->repair->parts[i];
	return add(rebuild, what, "", "the old file did not have it");
}

/* Is the record of the new file what the folder holds? */
static int is_same(struct rebuild *rebuild, const struct bench_run *run, bool *same,
		   struct bench_error *error)
{
	BENCH_SCOPED_RUN *there = NULL;
	if (bench_store_load(rebuild->made, run->id, &there, error) != 0)
		return -1;
	BENCH_SCOPED_MEMORY char *ours = bench_record_to_json(there), *its = bench_record_to_json(run);
	*same = ours && its && strcmp(ours, its) == 0;
	return 0;
}

/* Reports a folder that cannot be read, or has another run of that name, and goes on. */
static int take_folder(struct rebuild *rebuild, const char *folder, struct bench_error *error)
{
	struct bench_arena *arena = &rebuild->repair->arena;
	BENCH_SCOPED_RUN *run = NULL;
	struct bench_error cause;
	bool added, same = true;
	if (bench_record_folder_is_live(folder))
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "'%s' is still being measured: repair the history afterwards", folder);
	if (bench_record_load_folder(folder, &run, &cause) != 0) {
		if (lacks_memory(&cause, error))
			return -1;
		if (cause.code != BENCH_NOTHING)
			add(rebuild, folder, folder, cause.text);
		return 0;
	}
	run->folder = bench_arena_string(&run->arena, folder);
	int result = bench_store_ingest(rebuild->made, run, &added, &cause);
	if (result != 0) /* the disk may have failed for a moment, which is no fault of the folder */
		result = bench_store_ingest(rebuild->made, run, &added, &cause);
	struct bench_app_repaired *part = find_part(rebuild, run->id);
	if (result == 0 && !added)
		result = is_same(rebuild, run, &same, &cause);
	if (result != 0 && lacks_memory(&cause, error))
		return -1;
	if (result != 0) {
		part->note = bench_arena_format(arena, "%s: %s", folder, cause.text);
	} else if (added) {
		part->note =
			bench_arena_string(arena, *part->from ? "the folder had more of it" : part->note);
		part->from = bench_arena_string(arena, folder);
	} else if (!same) {
		part->note = bench_arena_format(arena, "%s has another record of it", folder);
	}
	return 0;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int take_folders(struct rebuild *rebuild, struct bench_error *error)
{
	const char *runs_dir = rebuild->places->runs_dir;
	struct dirent **entries;
	char path[PATH_MAX], absolute[PATH_MAX];
	int result = 0, count = scandir(runs_dir, &entries, is_visible, alphasort);
	if (count < 0 && errno == ENOENT)
		return 0;
	if (count < 0 || !realpath(runs_dir, absolute))
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot read the folder '%s': %s", runs_dir,
				  strerror(errno));
	for (int i = 0; i < count; i++) {
		char samples[PATH_MAX], metrics[PATH_MAX];
		if (result == 0 && bench_file_join(path, sizeof(path), absolute, entries[i]->d_name) &&
		    bench_file_join(samples, sizeof(samples), path, "samples.jsonl") &&
		    bench_file_join(metrics, sizeof(metrics), path, "metrics.json") &&
		    (access(samples, F_OK) == 0 || access(metrics, F_OK) == 0))
			result = take_folder(rebuild, path, error);
		free(entries[i]);
	}
	free(entries);
	return result;
}

static int take_old(struct rebuild *rebuild, struct bench_error *error)
{
	struct bench_app_repair *repair = rebuild->repair;
	struct bench_error cause;
	char **ids;
	size_t count;
	if (bench_store_known(rebuild->old, &repair->arena, &ids, &count, &cause) != 0) {
		if (lacks_memory(&cause, error))
			return -1;
		add(rebuild, "runs", "", cause.text);
	}
	for (size_t i = 0; i < count; i++)
		if (take_stored(rebuild, ids[i], error) != 0)
			return -1;
	return 0;
}

/* What refers to a run can follow only when all runs are there. */
static int take_tables(struct rebuild *rebuild, struct bench_error *error)
{
	struct bench_arena *arena = &rebuild->repair->arena;
	struct bench_store_copied *tables;
	size_t count;
	if (bench_store_copy(rebuild->old, rebuild->made, arena, &tables, &count, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct bench_store_copied *table = &tables[i];
		BENCH_SCOPED_TEXT note = {0};
		if (table->rows == 0 && table->lost == 0 && !*table->problem)
			continue;
		bench_text_add(&note, "%zu row%s", table->rows, bench_text_plural(table->rows));
		if (table->lost > 0)
			bench_text_add(&note, "; lost: %zu, since their run is, or has more now",
				       table->lost);
		if (*table->problem)
			bench_text_add(&note, "; the rest is lost: %s", table->problem);
		else if (!table->intact)
			bench_text_add(&note, "; not all are as they were written: look at them");
		add(rebuild, table->what, table->lost || *table->problem ? "" : "database",
		    note.data ? note.data : "");
	}
	return 0;
}

static int check_made(struct rebuild *rebuild, struct bench_error *error)
{
	struct bench_store_finding *findings;
	size_t count;
	if (bench_store_examine(rebuild->made, &rebuild->repair->arena, &findings, &count, error) != 0)
		return -1;
	return count == 0 ? 0
			  : bench_fail(error, BENCH_ENVIRONMENT, "the new history is not whole: %s: %s",
				       findings[0].what, findings[0].problem);
}

static int build(struct rebuild *rebuild, struct bench_error *error)
{
	if (bench_store_open(rebuild->path, BENCH_STORE_WRITE, &rebuild->made, error) != 0 ||
	    (rebuild->old && take_old(rebuild, error) != 0) || take_folders(rebuild, error) != 0 ||
	    (rebuild->old && take_tables(rebuild, error) != 0) || check_made(rebuild, error) != 0)
		return -1;
	return 0;
}

/* A second name for the old file, which is free. */
static int keep_aside(const char *db, struct bench_app_repair *repair, struct bench_error *error)
{
	char stamp[32] = "";
	struct tm local;
	time_t now = time(NULL);
	if (localtime_r(&now, &local))
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
	char *base = bench_arena_format(&repair->arena, "%s.damaged-%s", db, stamp), *aside = base;
	for (int i = 2; link(db, aside) != 0; i++) {
		if (errno != EEXIST || i > MOST_ASIDE)
			return bench_fail(error, BENCH_ENVIRONMENT, "cannot keep '%s' as '%s': %s", db, aside,
					  strerror(errno));
		aside = bench_arena_format(&repair->arena, "%s-%d", base, i);
	}
	repair->aside = aside;
	return 0;
}

/* What a log holds goes with its file; an empty one, and the index of a log, hold nothing. */
static int move_beside(const char *from, const char *to, const char *suffix, struct bench_arena *arena,
		       struct bench_error *error)
{
	const char *source = bench_arena_format(arena, "%s%s", from, suffix),
		   *target = bench_arena_format(arena, "%s%s", to, suffix);
	struct stat status;
	if (stat(source, &status) == 0 && status.st_size == 0)
		target = "";
	if ((*target ? rename(source, target) : unlink(source)) == 0 || errno == ENOENT)
		return 0;
	return bench_fail(error, BENCH_ENVIRONMENT, "cannot move '%s': %s", source, strerror(errno));
}

/*
 * The old file has its second name, and its log goes with it, before the new one takes its place: an old log
 * beside the new file would be played into it. A kill in between leaves the old file without its log under
 * its old name, and both under the new.
 */
static int take_place(const char *db, const char *made, struct bench_app_repair *repair,
		      struct bench_error *error)
{
	struct bench_arena *arena = &repair->arena;
	if (keep_aside(db, repair, error) != 0 || move_beside(db, repair->aside, "-wal", arena, error) != 0 ||
	    move_beside(db, repair->aside, "-journal", arena, error) != 0)
		return -1;
	unlink(bench_arena_format(arena, "%s-shm", db));
	return rename(made, db) == 0 ? 0
				     : bench_fail(error, BENCH_ENVIRONMENT, "cannot move '%s' to '%s': %s",
						  made, db, strerror(errno));
}

static int check_unused(const char *db, struct bench_error *error)
{
	bool used;
	if (bench_store_is_used(db, &used, error) != 0)
		return -1;
	return used ? bench_fail(error, BENCH_ENVIRONMENT,
				 "database '%s': another process has it open: repair it afterwards", db)
		    : 0;
}

static size_t count_lost(const struct bench_app_repair *repair)
{
	size_t lost = 0;
	for (size_t i = 0; i < repair->count; i++)
		lost += !*repair->parts[i].from;
	return lost;
}

int bench_app_db_repair(const struct bench_app_places *places, struct bench_app_repair *repair,
			struct bench_error *error)
{
	struct rebuild rebuild = {.places = places, .repair = repair};
	struct bench_error cause;
	struct stat status;
	bool foreign, used;
	int opened = -1;
	*repair = (struct bench_app_repair){.aside = ""};
	/* Through a link the file that it names is replaced, and not the link. */
	char real[PATH_MAX];
	bool there;
	if (bench_store_is_server(places->db))
		return bench_fail(
			error, BENCH_USAGE,
			"a history on a server is not repaired: restore the server's backup, or copy one "
			"('bench db copy'), and 'bench ingest' the run folders since");
	if (bench_store_find(places->db, &there, error) != 0)
		return -1;
	if (!there || !realpath(places->db, real))
		return bench_fail(
			error, BENCH_NOTHING,
			"there is no history to repair: no file '%s' ('bench ingest' makes it from run "
			"folders)",
			places->db);
	if (check_unused(real, error) != 0 || bench_store_is_foreign(real, &foreign, error) != 0)
		return -1;
	if (foreign)
		return bench_store_open(real, BENCH_STORE_READ, &rebuild.old, error);
	char made[PATH_MAX];
	int lock = bench_file_open_temporary(real, made, sizeof(made));
	if (lock < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot write beside '%s': %s", real,
				  strerror(errno));
	if (stat(real, &status) == 0)
		(void)fchmod(lock, status.st_mode & 0777);
	rebuild.path = made;
	/* Twice: where the disk has failed for a moment, all would be taken for damaged. */
	for (int i = 0; i < 2 && !rebuild.old; i++)
		opened = bench_store_open(real, BENCH_STORE_ANY, &rebuild.old, &cause);
	if (opened != 0)
		add(&rebuild, "database", "", cause.text);
	int result = opened != 0 && lacks_memory(&cause, error) ? -1 : build(&rebuild, error);
	if (result == 0)
		result = bench_store_fold(rebuild.made, error);
	bench_store_close(rebuild.made);
	bench_store_close(rebuild.old);
	if (result == 0)
		result = check_unused(real, error);
	if (result == 0)
		result = take_place(real, made, repair, error);
	/* Between the last look and the rename there is no lock that would keep others out. */
	if (result == 0 && bench_store_is_used(repair->aside, &used, &cause) == 0 && used)
		add(&rebuild, "late writes", "",
		    "a process has opened the old file meanwhile: take its run in with 'bench ingest'");
	if (result != 0)
		bench_file_remove_temporary(made);
	close(lock);
	repair->lost = count_lost(repair);
	return result;
}

void bench_app_db_repair_free(struct bench_app_repair *repair)
{
	bench_arena_free(&repair->arena);
}
