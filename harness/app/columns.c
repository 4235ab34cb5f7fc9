/* SPDX-License-Identifier: MIT */
#include "app/columns.h"

#include <string.h>

#include "app/compare.h"
#include "app/runs.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"

struct loading {
	const struct bench_app_places *places;
	struct bench_store *store;
	const struct bench_app_columns_request *request;
	const struct bench_compare_options *options;
	struct bench_columns *columns;
	const char *base;   /* the name of the first column, where it may be several runs */
	const char **names; /* of the runs */
	struct bench_run **runs;
	size_t count;
};

/* Has the run the label that `text` says, as LABEL=VALUE? */
static int has_label(struct bench_store *store, const char *id, const char *text, bool *found,
		     struct bench_error *error)
{
	const char *equals = strchr(text, '=');
	BENCH_SCOPED_RUN *run = NULL;
	*found = false;
	if (bench_store_load_head(store, id, &run, error) != 0)
		return -1;
	for (size_t i = 0; i < run->label_count; i++)
		*found |= strlen(run->labels[i].name) == (size_t)(equals - text) &&
			  strncmp(run->labels[i].name, text, (size_t)(equals - text)) == 0 &&
			  strcmp(run->labels[i].value, equals + 1) == 0;
	return 0;
}

static bool is_of(const struct bench_run_row *row, const char *text)
{
	enum { FEWEST_DIGITS = 7 };
	size_t length = strlen(text);
	return strcmp(row->branch, text) == 0 ||
	       (length >= FEWEST_DIGITS && strncmp(row->commit, text, length) == 0);
}

/* The newest finished run of a label, branch or commit; "" where there is none. */
static int newest_of(struct loading *in, const char *text, const char **id, struct bench_error *error)
{
	struct bench_arena *arena = &in->columns->arena;
	struct bench_run_row *rows;
	size_t count;
	*id = "";
	if (bench_store_runs(in->store, 0, arena, &rows, &count, error) != 0)
		return -1;
	for (size_t i = 0; i < count && !**id; i++) {
		bool found = is_of(&rows[i], text);
		if (!rows[i].finished || *rows[i].aside)
			continue;
		if (!found && strchr(text, '=') && has_label(in->store, rows[i].id, text, &found, error) != 0)
			return -1;
		if (found)
			*id = rows[i].id;
	}
	return 0;
}

/* A run by its name, or the newest of what has that name. */
static int load(struct loading *in, const char *text, struct bench_run **run, struct bench_error *error)
{
	const char *id;
	struct bench_error other = {0};
	if (bench_app_load_run(in->store, in->places->runs_dir, text, run, error) == 0)
		return 0;
	if (!in->store || !*text || error->code != BENCH_USAGE)
		return -1;
	if (newest_of(in, text, &id, &other) != 0) {
		*error = other;
		return -1;
	}
	if (*id)
		return bench_store_load(in->store, id, run, error);
	return bench_fail(error, BENCH_USAGE, "%.300s; nor is it a label, branch or commit of a run",
			  error->text);
}

static char *moment(struct bench_arena *arena, int64_t seconds)
{
	char text[40];
	bench_clock_iso(seconds, text, sizeof(text));
	return bench_arena_string(arena, text);
}

/* "run 20261120-231503, main 4af884b1c2d3, 2026-11-20T23:15:03+00:00, on quiet"; without the run where that
 * is the name. */
static char *about(struct bench_arena *arena, const char *name, const struct bench_run *run)
{
	const char *host = bench_record_fact(run, "name");
	struct bench_text text = {0};
	const bool named = strcmp(name, run->id) == 0;
	bench_text_add(&text, "%s%s%s", named ? "" : "run ", named ? "" : run->id, named ? "" : ", ");
	if (run->git.present && *run->git.commit)
		bench_text_add(&text, "%s%s%.12s%s, ", run->git.branch, *run->git.branch ? " " : "",
			       run->git.commit, run->git.dirty ? " with changes" : "");
	bench_text_add(&text, "%s%s%s", moment(arena, run->started), *host ? ", on " : "", host);
	return bench_text_keep(&text, arena);
}

static struct bench_column *add_column(struct bench_columns *columns, const char *name)
{
	struct bench_column *column =
		bench_arena_push(&columns->arena, &columns->items, &columns->count, sizeof(*column));
	column->name = bench_arena_string(&columns->arena, name);
	return column;
}

/* "last~2" says less than the run's id. */
static const char *shown(const char *text, const struct bench_run *run)
{
	return strcmp(text, "last") == 0 || strncmp(text, "last~", 5) == 0 ? run->id : text;
}

static int add_run(struct loading *in, const char *name, struct bench_error *error)
{
	struct bench_arena *arena = &in->columns->arena;
	struct bench_run *run;
	size_t names = in->count;
	if (load(in, name, &run, error) != 0)
		return -1;
	BENCH_PUSH(arena, in->names, names) = name;
	BENCH_PUSH(arena, in->runs, in->count) = run;
	for (size_t i = 0; i + 1 < in->count; i++)
		if (strcmp(in->runs[i]->id, run->id) == 0)
			return bench_fail(
				error, BENCH_USAGE,
				"'%.100s' and '%.100s' are the same run, %.100s; name each run once",
				in->names[i], name, run->id);
	return 0;
}

/* The runs of a baseline of several; none where the name is something else. */
static int runs_of(struct loading *in, const char *name, struct bench_baseline_row *row,
		   struct bench_error *error)
{
	bool found = false;
	if (in->store &&
	    bench_app_find_baseline(in->store, name, &in->columns->arena, row, &found, error) != 0)
		return -1;
	if (!found || row->run_count < 2)
		row->run_count = 0;
	return 0;
}

static int add_named(struct loading *in, const char *name, bool first, struct bench_error *error)
{
	struct bench_baseline_row row;
	int result = runs_of(in, name, &row, error);
	if (result != 0 || row.run_count == 0)
		return result == 0 ? add_run(in, name, error) : -1;
	if (!in->request->by && first) {
		in->base = name;
		return 0;
	}
	if (!in->request->by)
		return bench_fail(error, BENCH_USAGE,
				  "baseline '%.100s' has %zu runs, and only the first column may have "
				  "several; name one of them, or put it first",
				  name, row.run_count);
	for (size_t i = 0; result == 0 && i < row.run_count; i++)
		result = add_run(in, row.runs[i], error);
	return result;
}

static int load_all(struct loading *in, struct bench_error *error)
{
	const struct bench_app_columns_request *request = in->request;
	if (request->count == 0)
		return add_run(in, "last", error);
	for (size_t i = 0; i < request->count; i++)
		if (add_named(in, request->names[i], i == 0 && request->count > 1, error) != 0)
			return -1;
	return 0;
}

/* The first run as others name it, where its own name may mean another one by now. */
static const char *first_name(const struct loading *in)
{
	return bench_file_is_folder(in->names[0]) ? in->names[0] : in->runs[0]->id;
}

/* Is the first column not one of the runs? */
static bool has_base(const struct loading *in)
{
	return in->base || in->count == 1;
}

/* Compares each run with the first column. */
static int compare_all(struct loading *in, bool means, struct bench_error *error)
{
	struct bench_columns *columns = in->columns;
	struct bench_compare_options options = *in->options;
	const bool base = has_base(in);
	const char *with = in->base ? in->base : base ? in->request->baseline : first_name(in);
	if (means) {
		options.mean_of = columns->mean_of;
		options.mean_count = columns->mean_count;
	}
	for (size_t i = base ? 0 : 1; i < in->count; i++) {
		struct bench_column *column = &columns->items[i + base];
		bench_compare_free(column->comparison);
		column->comparison = NULL;
		if (bench_app_compare(in->places, in->store, in->runs[i], with, &options, &column->comparison,
				      error) != 0)
			return -1;
	}
	return 0;
}

static void name_columns(struct loading *in)
{
	struct bench_columns *columns = in->columns;
	if (has_base(in))
		add_column(columns, "baseline");
	for (size_t i = 0; i < in->count; i++) {
		struct bench_column *column = add_column(columns, shown(in->names[i], in->runs[i]));
		column->about = about(&columns->arena, column->name, in->runs[i]);
	}
}

/* The first column, where it is a baseline. */
static void tell_baseline(struct bench_columns *columns)
{
	const struct bench_comparison *comparison = columns->items[1].comparison;
	struct bench_column *base = &columns->items[0];
	const size_t runs = comparison->baseline_count;
	if (base->about)
		return;
	base->name = bench_arena_string(&columns->arena, comparison->baseline_name);
	base->about = runs ? bench_arena_format(&columns->arena, "%zu run%s, the newest %s", runs,
						bench_text_plural(runs), comparison->baseline_ids[0])
			   : bench_arena_string(&columns->arena, "");
}

static int compare_runs(struct loading *in, struct bench_error *error)
{
	struct bench_columns *columns = in->columns;
	name_columns(in);
	if (compare_all(in, false, error) != 0)
		return -1;
	tell_baseline(columns);
	bench_compare_columns_match(columns);
	return columns->mean_count ? compare_all(in, true, error) : 0;
}

int bench_app_columns(const struct bench_app_places *places, struct bench_store *store,
		      const struct bench_app_columns_request *request,
		      const struct bench_compare_options *options, struct bench_columns *columns,
		      struct bench_error *error)
{
	struct loading in = {
		.places = places, .store = store, .request = request, .options = options, .columns = columns};
	*columns = (struct bench_columns){.means = request->means};
	int result = load_all(&in, error);
	if (result == 0 && request->by) {
		result = bench_compare_columns_cut(columns, (const struct bench_run *const *)in.runs,
						   in.count, request->by, error);
		if (result == 0)
			result = bench_compare_columns(columns, options, error);
	} else if (result == 0) {
		result = compare_runs(&in, error);
	}
	for (size_t i = 0; i < in.count; i++)
		bench_record_free(in.runs[i]);
	return result;
}
