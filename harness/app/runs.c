#include "app/runs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"

int bench_app_open_store(const char *path, struct bench_store **store, struct bench_error *error)
{
	if (access(path, F_OK) != 0)
		return bench_fail(error, BENCH_NOTHING,
				  "there is no history yet: no file '%s' ('bench run' makes it)", path);
	return bench_store_open(path, BENCH_STORE_READ, store, error);
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

bool bench_app_find_baseline(struct bench_store *store, const char *name, struct bench_arena *arena,
			     struct bench_baseline_row *found)
{
	struct bench_baseline_row *rows;
	size_t count;
	struct bench_error ignored;
	if (bench_store_baselines(store, arena, &rows, &count, &ignored) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(rows[i].name, name) == 0) {
			*found = rows[i];
			return true;
		}
	}
	return false;
}

int bench_app_load_run(struct bench_store *store, const char *runs_dir, const char *text,
		       struct bench_run **run, struct bench_error *error)
{
	char path[4096], id[64];
	unsigned back;
	if (!*text)
		return bench_fail(error, BENCH_USAGE, "an empty name names no run and no baseline");
	if (bench_file_is_folder(text))
		return bench_record_load_folder(text, run, error);
	if (strchr(text, '/'))
		return bench_fail(error, BENCH_NOTHING, "there is no run folder '%s'", text);
	if (parse_last(text, &back)) {
		if (!store)
			return bench_fail(error, BENCH_NOTHING,
					  "'%s' is looked up in the history, and there is none", text);
		if (bench_store_last(store, back, id, sizeof(id), error) != 0)
			return -1;
		return bench_store_load(store, id, run, error);
	}
	struct bench_arena arena = {0};
	struct bench_baseline_row baseline;
	int result = -1;
	if (store && bench_app_find_baseline(store, text, &arena, &baseline) && baseline.run_count == 1)
		result = bench_store_load(store, baseline.runs[0], run, error);
	else if (store && (result = bench_store_load(store, text, run, error)) == 0)
		result = 0;
	/* A run that never reached the database is still in its folder. */
	else if (bench_file_join(path, sizeof(path), runs_dir, text) && bench_file_is_folder(path))
		result = bench_record_load_folder(path, run, error);
	else if (!store)
		bench_fail(error, BENCH_NOTHING, "there is no run '%s': no history, and no folder '%s'", text,
			   path);
	bench_arena_free(&arena);
	return result;
}
