/* SPDX-License-Identifier: MIT */
#include "app/runs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"

int bench_app_open_store(const char *path, struct bench_store **store, struct bench_error *error)
{
	return bench_store_open(path, BENCH_STORE_READ, store, error);
}

int bench_app_change_store(const char *path, struct bench_store **store, struct bench_error *error)
{
	return bench_store_open(path, BENCH_STORE_CHANGE, store, error);
}

int bench_app_try_store(const char *path, const char *run, struct bench_store **store,
			struct bench_error *error)
{
	*store = NULL;
	if (bench_app_open_store(path, store, error) == 0 || error->code == BENCH_NOTHING)
		return 0;
	return run && bench_file_is_folder(run) ? 0 : -1;
}

/* "last" or "last~N". */
static bool parse_last(const char *text, unsigned *back)
{
	*back = 0;
	if (strncmp(text, "last", 4) != 0)
		return false;
	if (!text[4])
		return true;
	char *end;
	unsigned long n = strtoul(text + 5, &end, 10);
	*back = (unsigned)n;
	return text[4] == '~' && text[5] >= '0' && text[5] <= '9' && !*end && n < 1000000;
}

int bench_app_find_run(struct bench_store *store, const char *text, struct bench_arena *arena,
		       const char **id, struct bench_error *error)
{
	char last[64];
	unsigned back;
	BENCH_SCOPED_RUN *run = NULL;
	if (parse_last(text, &back)) {
		if (bench_store_last(store, back, last, sizeof(last), error) != 0)
			return -1;
		*id = bench_arena_string(arena, last);
		return 0;
	}
	if (bench_store_load_head(store, text, &run, error) != 0) {
		error->code = error->code == BENCH_NOTHING ? BENCH_USAGE : error->code;
		return -1;
	}
	*id = bench_arena_string(arena, text);
	return 0;
}

int bench_app_find_baseline(struct bench_store *store, const char *name, struct bench_arena *arena,
			    struct bench_baseline_row *row, bool *found, struct bench_error *error)
{
	struct bench_baseline_row *rows;
	size_t count;
	*found = false;
	if (bench_store_baselines(store, arena, &rows, &count, error) != 0)
		return -1;
	for (size_t i = 0; i < count && !*found; i++) {
		*found = strcmp(rows[i].name, name) == 0;
		if (*found)
			*row = rows[i];
	}
	return 0;
}

/* A baseline of one run, or a run, of the history. */
static int load_stored(struct bench_store *store, const char *text, struct bench_run **run,
		       struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_baseline_row baseline;
	bool found;
	if (bench_app_find_baseline(store, text, &arena, &baseline, &found, error) != 0)
		return -1;
	return bench_store_load(store, found && baseline.run_count == 1 ? baseline.runs[0] : text, run,
				error);
}

int bench_app_load_run(struct bench_store *store, const char *runs_dir, const char *text,
		       struct bench_run **run, struct bench_error *error)
{
	char path[4096], id[64];
	unsigned back;
	if (!*text)
		return bench_fail(error, BENCH_USAGE, "an empty name is neither a run nor a baseline");
	if (bench_file_is_folder(text))
		return bench_record_load_folder(text, run, error);
	if (strchr(text, '/'))
		return bench_fail(error, BENCH_USAGE, "there is no run folder '%s'", text);
	if (parse_last(text, &back)) {
		if (!store)
			return bench_fail(
				error, BENCH_NOTHING,
				"there is no history yet, and so no run '%s': 'bench run' makes it, and "
				"'bench ingest' from run folders",
				text);
		if (bench_store_last(store, back, id, sizeof(id), error) != 0)
			return -1;
		return bench_store_load(store, id, run, error);
	}
	if (store) {
		int result = load_stored(store, text, run, error);
		if (result == 0 || error->code != BENCH_NOTHING)
			return result;
	}
	/* A run that never reached the database is still in its folder. */
	if (bench_file_join(path, sizeof(path), runs_dir, text) && bench_file_is_folder(path))
		return bench_record_load_folder(path, run, error);
	if (store)
		error->code = BENCH_USAGE; /* a name that means nothing, where names are kept */
	return store ? -1
		     : bench_fail(error, BENCH_NOTHING,
				  "there is no run '%s': no history, and no folder '%s'", text, path);
}

int bench_app_ingest(struct bench_store *store, const char *folder, enum bench_app_ingested *what,
		     struct bench_error *error)
{
	BENCH_SCOPED_RUN *run = NULL;
	/* Asked first: a run that ends meanwhile is whole in what is read then. */
	const bool live = bench_record_folder_is_live(folder);
	bool added;
	if (bench_record_load_folder(folder, &run, error) != 0) {
		*what = live ? BENCH_APP_LIVE : BENCH_APP_EMPTY;
		return live || error->code == BENCH_NOTHING ? 0 : -1;
	}
	int result = 0;
	/* What the history names its folder by holds from everywhere. */
	char absolute[PATH_MAX];
	if (realpath(folder, absolute))
		run->folder = bench_arena_string(&run->arena, absolute);
	/* Its process may hold on to a run that is over, as a gate does that measures again. */
	if (live && (!run->finished || run->interrupted))
		*what = BENCH_APP_LIVE;
	else if ((result = bench_store_ingest(store, run, &added, error)) == 0)
		*what = added ? BENCH_APP_TAKEN : BENCH_APP_KNOWN;
	return result;
}
