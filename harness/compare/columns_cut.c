/* SPDX-License-Identifier: MIT */
/* Runs cut into columns by a key. */
#include <stdlib.h>
#include <string.h>

#include "compare/columns.h"
#include "core/text.h"

struct cutting;

/* A kind of key: the value of a run's result, "" where it has none; in the order in which a name is tried. */
struct key_kind {
	const char *name; /* NULL: any name of which a run has a value */
	bool of_case;     /* it is a part of the case's name */
	const char *(*value)(struct cutting *in, const struct bench_run *run,
			     const struct bench_result *result);
};

struct cutting {
	struct bench_columns *columns;
	struct bench_arena *arena; /* the columns' */
	const struct bench_run *const *runs;
	size_t count;
	const char *key;
	const struct key_kind *kind;
	char **values; /* the columns, in order */
	size_t value_count;
	size_t without; /* results that have no value */
};

/* Does a backend have cases on several devices? */
static bool has_devices(const struct cutting *in, const struct bench_result *result)
{
	for (size_t r = 0; r < in->count; r++)
		for (size_t i = 0; i < in->runs[r]->result_count; i++) {
			const struct bench_result *other = &in->runs[r]->results[i];

			if (strcmp(other->backend, result->backend) == 0 &&
			    strcmp(other->device, result->device) != 0)
				return true;
		}
	return false;
}

static const char *backend_of(struct cutting *in, const struct bench_run *run,
			      const struct bench_result *result)
{
	(void)run;
	return has_devices(in, result)
		       ? bench_arena_format(in->arena, "%s:%s", result->backend, result->device)
		       : result->backend;
}

static const char *device_of(struct cutting *in, const struct bench_run *run,
			     const struct bench_result *result)
{
	(void)in, (void)run;
	return result->device;
}

static const char *branch_of(struct cutting *in, const struct bench_run *run,
			     const struct bench_result *result)
{
	(void)in, (void)result;
	return run->git.branch ? run->git.branch : "";
}

static const char *commit_of(struct cutting *in, const struct bench_run *run,
			     const struct bench_result *result)
{
	(void)result;
	return run->git.commit ? bench_arena_format(in->arena, "%.12s", run->git.commit) : "";
}

static const char *host_of(struct cutting *in, const struct bench_run *run, const struct bench_result *result)
{
	(void)in, (void)result;
	return bench_record_fact(run, "name");
}

static const char *build_of(struct cutting *in, const struct bench_run *run,
			    const struct bench_result *result)
{
	(void)result;
	return *bench_record_fact(run, "build_type")
		       ? bench_arena_format(in->arena, "%s %.12s", bench_record_fact(run, "build_type"),
					    bench_record_fact(run, "build_commit"))
		       : "";
}

static const char *label_of(struct cutting *in, const struct bench_run *run,
			    const struct bench_result *result)
{
	(void)result;
	return bench_record_label(run, in->key);
}

static const char *param_of(struct cutting *in, const struct bench_run *run,
			    const struct bench_result *result)
{
	(void)run;
	return bench_record_param(result, in->key);
}

static const char *fact_of(struct cutting *in, const struct bench_run *run, const struct bench_result *result)
{
	(void)result;
	return bench_record_fact(run, in->key);
}

static const struct key_kind kinds[] = {
	{"backend", true, backend_of}, {"device", true, device_of}, {"branch", false, branch_of},
	{"commit", false, commit_of},  {"host", false, host_of},    {"build", false, build_of},
	{NULL, false, label_of},       {NULL, true, param_of},      {NULL, false, fact_of},
};

static void add_word(struct bench_arena *arena, char ***list, size_t *count, const char *word)
{
	if (!BENCH_FIND(*list, *count, word))
		BENCH_PUSH(arena, *list, *count) = bench_arena_string(arena, word);
}

/* The values of a kind, in the order in which they first appear. */
static void list_values(struct cutting *in, const struct key_kind *kind, char ***values, size_t *count)
{
	for (size_t r = 0; r < in->count; r++)
		for (size_t i = 0; i < in->runs[r]->result_count; i++) {
			const char *value = kind->value(in, in->runs[r], &in->runs[r]->results[i]);

			if (*value)
				add_word(in->arena, values, count, value);
		}
}

/* The names of those that have a value. */
static void add_names(struct bench_arena *arena, const struct bench_attribute *attributes,
		      size_t attribute_count, char ***names, size_t *count)
{
	for (size_t i = 0; i < attribute_count; i++)
		if (*attributes[i].value)
			add_word(arena, names, count, attributes[i].name);
}

static int no_such_key(struct cutting *in, struct bench_error *error)
{
	char **names = NULL;
	size_t count = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && kinds[i].name; i++)
		add_word(in->arena, &names, &count, kinds[i].name);
	for (size_t r = 0; r < in->count; r++) {
		add_names(in->arena, in->runs[r]->labels, in->runs[r]->label_count, &names, &count);
		for (size_t i = 0; i < in->runs[r]->result_count; i++)
			add_names(in->arena, in->runs[r]->results[i].params,
				  in->runs[r]->results[i].param_count, &names, &count);
	}
	return bench_text_no_such(
		"key for --by", in->key, (const char *const *)names, count,
		" of these runs, or a fact of their environment ('bench diff RUN RUN --all')", error);
}

/* Finds the kind of the key, and the values in which there is a column. */
static int choose(struct cutting *in, char *chosen, struct bench_error *error)
{
	char **known = NULL, *word;
	size_t known_count = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && known_count == 0; i++) {
		if (kinds[i].name && strcmp(kinds[i].name, in->key) != 0)
			continue;
		in->kind = &kinds[i];
		list_values(in, in->kind, &known, &known_count);
	}
	if (known_count == 0)
		return no_such_key(in, error);
	while (chosen && (word = bench_text_next(&chosen, ','))) {
		if (!BENCH_FIND(known, known_count, word))
			return bench_text_no_such(bench_arena_format(in->arena, "%s", in->key), word,
						  (const char *const *)known, known_count, " in these runs",
						  error);
		add_word(in->arena, &in->values, &in->value_count, word);
	}
	if (in->value_count == 0) {
		in->values = known;
		in->value_count = known_count;
	}
	if (in->value_count == 1)
		return bench_fail(error, BENCH_NOTHING,
				  "--by %s: there is one column alone, %s=%s; name more runs, or another key",
				  in->key, in->key, in->values[0]);
	if (in->value_count > BENCH_COLUMNS_MOST)
		return bench_fail(error, BENCH_USAGE,
				  "--by %s: %zu columns are too many; choose up to %d, as in --by %s=%s,%s",
				  in->key, in->value_count, BENCH_COLUMNS_MOST, in->key, in->values[0],
				  in->values[1]);
	return 0;
}

/* The key of a case without what the columns differ in: "gemm/openblas:cpu/n=64" by layout. */
static char *rekeyed(struct cutting *in, const struct bench_result *result)
{
	struct bench_text text = {0};
	const char *between = "";

	if (in->kind->value == backend_of)
		return bench_arena_format(in->arena, "%s/*/%s", result->suite, bench_record_point(result));
	if (in->kind->value == device_of)
		return bench_arena_format(in->arena, "%s/%s/%s", result->suite, result->backend,
					  bench_record_point(result));
	bench_text_add(&text, "%s/%s%s%s/", result->suite, result->backend, *result->device ? ":" : "",
		       result->device);
	for (size_t i = 0; i < result->param_count; i++) {
		if (strcmp(result->params[i].name, in->key) == 0)
			continue;
		bench_text_add(&text, "%s%s=%s", between, result->params[i].name, result->params[i].value);
		between = ",";
	}
	return bench_text_keep(&text, in->arena);
}

/* What of a run is in a column; NULL: nothing. */
static const struct bench_run *cut_run(struct cutting *in, const struct bench_run *run, const char *value)
{
	struct bench_run *cut = bench_arena_alloc(in->arena, 1, sizeof(*cut));

	*cut = *run;
	cut->results = bench_arena_alloc(in->arena, run->result_count + 1, sizeof(*cut->results));
	cut->result_count = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];

		if (strcmp(in->kind->value(in, run, result), value) != 0)
			continue;
		cut->results[cut->result_count] = *result;
		if (in->kind->of_case)
			cut->results[cut->result_count].key = rekeyed(in, result);
		cut->result_count++;
	}
	return cut->result_count ? cut : NULL;
}

static void cut_column(struct cutting *in, char *value)
{
	struct bench_columns *columns = in->columns;
	struct bench_column *column =
		bench_arena_push(in->arena, &columns->items, &columns->count, sizeof(*column));

	column->name = value;
	column->runs = bench_arena_alloc(in->arena, in->count + 1, sizeof(struct bench_run *));
	for (size_t r = 0; r < in->count; r++) {
		const struct bench_run *cut = cut_run(in, in->runs[r], value);

		if (cut)
			column->runs[column->run_count++] = cut;
	}
	column->about = column->run_count == 1 ? bench_arena_format(in->arena, "run %s", column->runs[0]->id)
					       : bench_arena_format(in->arena, "%zu runs", column->run_count);
}

static void count_without(struct cutting *in)
{
	for (size_t r = 0; r < in->count; r++)
		for (size_t i = 0; i < in->runs[r]->result_count; i++)
			in->without += !*in->kind->value(in, in->runs[r], &in->runs[r]->results[i]);
	if (in->without)
		bench_compare_columns_note(in->columns,
					   bench_arena_format(in->arena, "%zu case%s without %s %s left out",
							      in->without, bench_text_plural(in->without),
							      in->key, in->without == 1 ? "is" : "are"));
}

/* The keys of a column's cases that are ok or, with `broken`, failed; sorted. */
static const char **keys_of(struct cutting *in, const struct bench_column *column, bool broken, size_t *count)
{
	const char **keys = NULL;

	*count = 0;
	for (size_t r = 0; r < column->run_count; r++)
		for (size_t i = 0; i < column->runs[r]->result_count; i++) {
			const struct bench_result *result = &column->runs[r]->results[i];

			if (result->status == BENCH_STATUS_OK ||
			    (broken && result->status >= BENCH_STATUS_FAILED))
				BENCH_PUSH(in->arena, keys, *count) = result->key;
		}
	if (*count)
		qsort(keys, *count, sizeof(*keys), bench_text_order);
	return keys;
}

/* Can the column be compared with the base? */
static bool share_cases(struct cutting *in, const struct bench_column *base,
			const struct bench_column *column)
{
	size_t base_count, count;
	const char **ours = keys_of(in, base, false, &base_count);
	const char **theirs = keys_of(in, column, true, &count);

	for (size_t i = 0; i < base_count && count; i++)
		if (bsearch(&ours[i], theirs, count, sizeof(*theirs), bench_text_order))
			return true;
	return false;
}

/* Leaves out columns that measured no case of the first that has some in common with another. */
static int drop_strangers(struct cutting *in, struct bench_error *error)
{
	struct bench_columns *columns = in->columns;
	struct bench_column *kept = bench_arena_alloc(in->arena, columns->count, sizeof(*kept));
	size_t first = 0, count = 0;

	for (bool shares = false; first < columns->count && !shares; first += !shares)
		for (size_t c = first + 1; c < columns->count && !shares; c++)
			shares = share_cases(in, &columns->items[first], &columns->items[c]);
	if (first == columns->count)
		return bench_fail(error, BENCH_NOTHING, "--by %s: no two measured cases differ in %s alone",
				  in->key, in->key);
	for (size_t c = 0; c < columns->count; c++) {
		if (c == first || (c > first && share_cases(in, &columns->items[first], &columns->items[c])))
			kept[count++] = columns->items[c];
		else
			bench_compare_columns_note(
				columns, bench_arena_format(
						 in->arena,
						 "%s is left out: it has no measured case in common with %s",
						 columns->items[c].name, columns->items[first].name));
	}
	columns->items = kept;
	columns->count = count;
	return 0;
}

int bench_compare_columns_cut(struct bench_columns *columns, const struct bench_run *const *runs,
			      size_t count, const char *key, struct bench_error *error)
{
	struct cutting in = {.columns = columns, .arena = &columns->arena, .runs = runs, .count = count};
	char *name = bench_arena_string(in.arena, key), *equals = strchr(name, '=');

	if (equals)
		*equals = '\0';
	if (!*name || (equals && !equals[1]))
		return bench_fail(error, BENCH_USAGE, "--by '%s': expected KEY or KEY=VALUE,..", key);
	in.key = columns->by = name;
	if (choose(&in, equals ? equals + 1 : NULL, error) != 0)
		return -1;
	for (size_t i = 0; i < in.value_count; i++)
		cut_column(&in, in.values[i]);
	count_without(&in);
	return drop_strangers(&in, error);
}
