/* SPDX-License-Identifier: MIT */
/*
 * A record into the tables.
 *
 * Whatever queries select is relational; samples are packed, by the result. Nothing joins on what is known
 * before measuring (the command line, the host, a case's parameters and work). It is stored as the text of
 * its event in samples.jsonl (run.head, head.text), and load.c reads it with the same code as that file. So a
 * new member of the record needs no migration, and the database cannot differ from a run folder. Some columns
 * repeat parts of a head for queries. Texts that runs share are stored once: a case's event, and the key and
 * meaning of a metric.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "record/event.h"
#include "store/pack.h"
#include "store/sql.h"

/* The statements of an ingest, prepared once. What many runs share is looked for first: it mostly is there.
 */
enum {
	PUT_DEVICE,
	FIND_HEAD,
	PUT_HEAD,
	FIND_METHOD,
	PUT_METHOD,
	PUT_RESULT,
	FIND_KEY,
	PUT_KEY,
	PUT_METRIC,
	STATEMENTS
};

static const char *const statements[STATEMENTS] = {
	[PUT_DEVICE] = "INSERT INTO device (backend, slug, name) VALUES (?, ?, ?) ON CONFLICT (backend, "
		       "slug) DO UPDATE SET name = excluded.name RETURNING device",
	[FIND_HEAD] = "SELECT head FROM head WHERE text = ?",
	[PUT_HEAD] = "INSERT INTO head (text, suite, device) VALUES (?, ?, ?) RETURNING head",
	[FIND_METHOD] = "SELECT method FROM method WHERE text = ?",
	[PUT_METHOD] = "INSERT INTO method (text) VALUES (?) RETURNING method",
	[PUT_RESULT] = "INSERT INTO result (run, position, head, status, reason, error, tolerance, method, "
		       "iterations, stopped, samples, watched) VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, "
		       "?, ?, ?)",
	[FIND_KEY] = "SELECT metric_key FROM metric_key WHERE key = ? AND unit = ? AND better = ? AND "
		     "derived_from = ?",
	[PUT_KEY] = "INSERT INTO metric_key (key, unit, better, derived_from, name) VALUES (?, ?, ?, ?, ?) "
		    "RETURNING metric_key",
	[PUT_METRIC] = "INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) "
		       "VALUES (?, ?, ?, ?, ?, ?, ?)",
};

/* An existing row of metric_key or head, by its text. */
struct known {
	const char *text, *unit, *better, *derived_from; /* the last three of a metric_key */
	int64_t id;
};

struct ingest {
	struct bench_store *store;
	const struct bench_run *run;
	struct bench_error *error;
	struct bench_arena arena;
	struct known *keys, *heads; /* by text */
	size_t key_count, head_count;
	const struct bench_result *of_method; /* the result of which `method` is; NULL: none yet */
	int64_t method;
	struct store_statement *statements[STATEMENTS];
	const struct bench_result *of_device; /* the result of which `device` is; NULL: none yet */
	int64_t device;
};

static int compare_known(const void *left, const void *right)
{
	return strcmp(((const struct known *)left)->text, ((const struct known *)right)->text);
}

static struct known *find_known(const struct known *known, size_t count, const char *text)
{
	const struct known wanted = {.text = text};
	return count ? bsearch(&wanted, known, count, sizeof(*known), compare_known) : NULL;
}

static int recall(struct ingest *in, const char *sql, int64_t run, struct known **known, size_t *count)
{
	struct store_statement *row = NULL;
	int state = store_select(in->store, &row, in->error, sql, "i", run);
	for (; state == 1; state = store_next(in->store, row, in->error))
		BENCH_PUSH(&in->arena, *known, *count) =
			(struct known){.id = store_int(row, 0),
				       .text = store_text(&in->arena, row, 1),
				       .unit = store_text(&in->arena, row, 2),
				       .better = store_text(&in->arena, row, 3),
				       .derived_from = store_text(&in->arena, row, 4)};
	store_finish(row);
	if (*count > 1)
		qsort(*known, *count, sizeof(**known), compare_known);
	return state;
}

/*
 * What the newest run of the same suites has, this one mostly has, too: read at once, it need not be asked
 * for one by one.
 */
static int recall_shared(struct ingest *in, const char *suites)
{
	int64_t run;
	int state = store_number(in->store, &run, in->error,
				 "SELECT run FROM (SELECT run, suites FROM run ORDER BY run DESC LIMIT 100) "
				 "AS newest WHERE suites = ? ORDER BY run DESC LIMIT 1",
				 "t", suites);
	if (state != 1)
		return state;
	if (recall(in,
		   "SELECT metric_key, key, unit, better, derived_from FROM metric_key WHERE metric_key IN "
		   "(SELECT metric_key FROM metric WHERE run = ?)",
		   run, &in->keys, &in->key_count) != 0)
		return -1;
	return recall(in,
		      "SELECT head, text, '', '', '' FROM head WHERE head IN (SELECT head FROM result WHERE "
		      "run = ?)",
		      run, &in->heads, &in->head_count);
}

static int put_key(struct ingest *in, const struct bench_result *result, const struct bench_metric *metric,
		   int64_t *id)
{
	char key[BENCH_KEY_MAX];
	const char *better = bench_record_better_name(metric->better);
	if (!bench_record_metric_key(key, sizeof(key), result, metric))
		return bench_fail(in->error, BENCH_ENVIRONMENT, "the key of '%s' of '%.200s' is too long",
				  metric->name, result->key);
	const struct known *known = find_known(in->keys, in->key_count, key);
	if (known && strcmp(known->unit, metric->unit) == 0 && strcmp(known->better, better) == 0 &&
	    strcmp(known->derived_from, metric->derived_from) == 0) {
		*id = known->id;
		return 0;
	}
	int which = FIND_KEY;
	int state = store_start(in->store, in->statements[FIND_KEY], in->error, "tttt", key, metric->unit,
				better, metric->derived_from);
	if (state == 0) {
		which = PUT_KEY;
		state = store_start(in->store, in->statements[PUT_KEY], in->error, "ttttt", key, metric->unit,
				    better, metric->derived_from, metric->name);
	}
	return store_returned(in->store, in->statements[which], state, id, in->error);
}

/* Derived series are not stored: they are computed again when the run is loaded. */
static int put_metric(struct ingest *in, int64_t run, const struct bench_result *result,
		      const struct bench_metric *metric, struct store_packed *samples)
{
	int64_t key = 0;
	const struct bench_summary *summary = &metric->summary;
	if (put_key(in, result, metric, &key) != 0)
		return -1;
	if (!*metric->derived_from)
		store_pack_metric(samples, key, metric->series, metric->series_count);
	return store_start(in->store, in->statements[PUT_METRIC], in->error, "iirrrir", run, key,
			   summary->median, summary->ci_lo, summary->ci_hi,
			   (int64_t)(summary->disturbed > 0 && summary->disturbed >= metric->series_count),
			   summary->ci_level);
}

static const char *device_name(const struct bench_run *run, const struct bench_result *result)
{
	for (size_t i = 0; i < run->device_count; i++) {
		if (strcmp(run->devices[i].backend, result->backend) == 0 &&
		    strcmp(run->devices[i].info.slug, result->device) == 0)
			return run->devices[i].info.name;
	}
	return "";
}

/* Of the results of a device, which mostly follow each other. */
static int put_device(struct ingest *in, const struct bench_result *result)
{
	const struct bench_result *last = in->of_device;
	if (last && strcmp(last->backend, result->backend) == 0 && strcmp(last->device, result->device) == 0)
		return 0;
	int state = store_start(in->store, in->statements[PUT_DEVICE], in->error, "ttt", result->backend,
				result->device, device_name(in->run, result));
	in->of_device = result;
	return store_returned(in->store, in->statements[PUT_DEVICE], state, &in->device, in->error);
}

/* As the first of a run, since its position is not the same in all. */
static int put_head(struct ingest *in, size_t index, int64_t *id)
{
	const struct bench_run alone = {.results = in->run->results + index};
	int which = FIND_HEAD;
	if (put_device(in, alone.results) != 0)
		return -1;
	BENCH_SCOPED_MEMORY char *text = bench_record_event_case_line(&alone, 0);
	const struct known *known = find_known(in->heads, in->head_count, text);
	if (known) {
		*id = known->id;
		return 0;
	}
	int state = store_start(in->store, in->statements[FIND_HEAD], in->error, "t", text);
	if (state == 0) {
		which = PUT_HEAD;
		state = store_start(in->store, in->statements[PUT_HEAD], in->error, "tti", text,
				    alone.results->suite, in->device);
	}
	return store_returned(in->store, in->statements[which], state, id, in->error);
}

/* 0: it was not checked. */
static int put_method(struct ingest *in, const struct bench_result *result, int64_t *id)
{
	const char *text = result->check.method;
	int which = FIND_METHOD;
	*id = 0;
	if (!result->checked)
		return 0;
	if (in->of_method && strcmp(in->of_method->check.method, text) == 0) {
		*id = in->method;
		return 0;
	}
	int state = store_start(in->store, in->statements[FIND_METHOD], in->error, "t", text);
	if (state == 0) {
		which = PUT_METHOD;
		state = store_start(in->store, in->statements[PUT_METHOD], in->error, "t", text);
	}
	if (store_returned(in->store, in->statements[which], state, &in->method, in->error) != 0)
		return -1;
	in->of_method = result;
	*id = in->method;
	return 0;
}

static int put_row(struct ingest *in, int64_t run, size_t index, const struct store_packed *samples,
		   const struct store_packed *watched)
{
	const struct bench_result *result = &in->run->results[index];
	int64_t head, method;
	if (samples->bad || watched->bad)
		return bench_fail(in->error, BENCH_NO_MEMORY,
				  "database '%s': no memory for the samples of '%s'", in->store->path,
				  result->key);
	if (put_head(in, index, &head) != 0 || put_method(in, result, &method) != 0)
		return -1;
	return store_start(in->store, in->statements[PUT_RESULT], in->error, "iiittrriitbb", run,
			   (int64_t)index, head, bench_record_status_name(result->status), result->reason,
			   result->checked ? result->check.error : NAN,
			   result->checked ? result->check.tolerance : NAN, method,
			   (int64_t)result->iterations, result->stopped, samples->data, samples->length,
			   watched->data, watched->length);
}

static int put_result(struct ingest *in, int64_t run, size_t index)
{
	const struct bench_result *result = &in->run->results[index];
	struct store_packed samples = {0}, watched = {0};
	int status = 0;
	for (size_t i = 0; status == 0 && i < result->metric_count; i++)
		status = put_metric(in, run, result, &result->metrics[i], &samples);
	if (result->watched_count > 0)
		store_pack_watched(&watched, result->watched, result->watched_count);
	if (status == 0)
		status = put_row(in, run, index, &samples, &watched);
	store_packed_free(&samples);
	store_packed_free(&watched);
	return status;
}

static int put_host(struct ingest *in, int64_t *id)
{
	const struct bench_run *run = in->run;
	return store_write_new(in->store, id, in->error,
			       "INSERT INTO host (fingerprint, name) VALUES (?, ?) ON CONFLICT "
			       "(fingerprint) DO UPDATE SET name = excluded.name RETURNING host",
			       "tt", bench_record_fact(run, "fingerprint"), bench_record_fact(run, "name"));
}

/* The suites of the results, "gemm,transfer", in `arena`. */
static char *suites_of(const struct bench_run *run, struct bench_arena *arena)
{
	struct bench_text list = {0};
	for (size_t i = 0; i < run->result_count; i++) {
		const char *suite = run->results[i].suite;
		size_t before = i;
		while (before > 0 && strcmp(run->results[before - 1].suite, suite) != 0)
			before--;
		if (before == 0)
			bench_text_add(&list, "%s%s", i ? "," : "", suite);
	}
	return bench_text_keep(&list, arena);
}

/* A row that is there keeps its number, by which baselines refer to it. */
static int put_run(struct ingest *in, const char *suites, int64_t host, int64_t *id)
{
	const struct bench_run *run = in->run;
	int64_t not_ok = 0;
	for (size_t i = 0; i < run->result_count; i++)
		not_ok += run->results[i].status == BENCH_STATUS_FAILED ||
			  run->results[i].status == BENCH_STATUS_INCORRECT;
	BENCH_SCOPED_MEMORY char *head = bench_record_event_run_line(run);
	return store_write_new(
		in->store, id, in->error,
		"INSERT INTO run (id, started, finished, interrupted, preset, commit_hash, branch, dirty, "
		"host, folder, head, aside, anchor, results, not_ok, suites) VALUES (?, ?, nullif(?, 0), ?, "
		"?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET finished = "
		"excluded.finished, interrupted = excluded.interrupted, preset = excluded.preset, "
		"commit_hash = excluded.commit_hash, branch = excluded.branch, dirty = excluded.dirty, "
		"folder = excluded.folder, head = excluded.head, aside = excluded.aside, anchor = "
		"excluded.anchor, results = excluded.results, not_ok = excluded.not_ok, suites = "
		"excluded.suites RETURNING run",
		"tiiitttiittttiit", run->id, run->started, run->finished, (int64_t)run->interrupted,
		run->preset, run->git.commit, run->git.branch, (int64_t)run->git.dirty, host, run->folder,
		head, bench_record_label(run, "aside"), bench_record_label(run, "anchor"),
		(int64_t)run->result_count, not_ok, suites);
}

/* How far a record of a run has come; store.h says which of two is the more complete one. */
struct extent {
	int ended; /* 2: by itself; 1: interrupted; 0: cut short */
	int64_t finished, samples;
};

static struct extent extent_of(const struct bench_run *run)
{
	struct extent extent = {run->finished == 0 ? 0 : run->interrupted ? 1 : 2, run->finished, 0};
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		for (size_t m = 0; m < result->metric_count; m++) {
			const struct bench_metric *metric = &result->metrics[m];
			for (size_t s = 0; !*metric->derived_from && s < metric->series_count; s++)
				extent.samples += (int64_t)metric->series[s].count;
		}
	}
	return extent;
}

static bool is_more(const struct extent *a, const struct extent *b)
{
	if (b->ended == 2 || a->ended != b->ended)
		return b->ended != 2 && a->ended > b->ended;
	return a->finished != b->finished ? a->finished > b->finished : a->samples > b->samples;
}

/* Counts the series that both have; false if one of them is another. */
static bool agree(const struct bench_result *a, const struct bench_result *b, size_t *common)
{
	if (strcmp(a->key, b->key) != 0)
		return false;
	for (size_t m = 0; m < a->metric_count; m++) {
		const struct bench_metric *metric = &a->metrics[m];
		for (size_t i = 0; !*metric->derived_from && i < metric->series_count; i++) {
			const struct bench_series *one = &metric->series[i],
						  *other = bench_record_series(
							  bench_record_metric(b, metric->name),
							  one->invocation);
			if (!other)
				continue;
			if (one->count != other->count ||
			    memcmp(one->values, other->values, one->count * sizeof(*one->values)) != 0)
				return false;
			++*common;
		}
	}
	return true;
}

/* Is one of the two records a part of the other? Later events do not change an invocation. */
static bool is_same_run(const struct bench_run *a, const struct bench_run *b)
{
	size_t common = 0;
	for (size_t i = 0; i < a->result_count && i < b->result_count; i++)
		if (!agree(&a->results[i], &b->results[i], &common))
			return false;
	return common > 0 || strcmp(a->command, b->command) == 0;
}

/*
 * Is the run there already, and as far as this record has come? An id is only a time stamp: if two machines,
 * or two folders of one, measured in the same second, taking the second run for the first would lose it
 * silently.
 */
static int find_same(struct ingest *in, bool *found, bool *whole)
{
	const struct bench_run *run = in->run;
	const char *name = bench_record_fact(run, "fingerprint");
	BENCH_SCOPED_RUN *there = NULL;
	bool known;
	*found = *whole = false;
	if (bench_store_has(in->store, run->id, &known, in->error) != 0)
		return -1;
	if (!known)
		return 0;
	const bool as_written = in->store->as_written;
	in->store->as_written = true; /* to be compared with what was measured */
	const int loaded = bench_store_load(in->store, run->id, &there, in->error);
	in->store->as_written = as_written;
	if (loaded != 0)
		return -1;
	const struct extent mine = extent_of(run), its = extent_of(there);
	bool same = there->started == run->started && is_same_run(there, run) &&
		    strcmp(bench_record_fact(there, "fingerprint"), name) == 0;
	int status = 0;
	*found = true;
	*whole = !is_more(&mine, &its);
	if (!same)
		status =
			bench_fail(in->error, BENCH_ENVIRONMENT,
				   "database '%s': has another run '%s', of host '%s', in '%s'; rename one "
				   "of the two (the folder, and run.id in its metrics.json)",
				   in->store->path, run->id, bench_record_fact(there, "name"), there->folder);
	return status;
}

/* What was measured, and what was judged by it: verdicts on a part of a run are none on the whole. */
static int remove_part(struct ingest *in)
{
	int64_t run;
	if (store_find_run(in->store, in->run->id, &run, in->error) != 0 ||
	    store_write(in->store, in->error, "DELETE FROM result WHERE run = ?", "i", run) != 0 ||
	    store_write(in->store, in->error, "DELETE FROM metric WHERE run = ?", "i", run) != 0 ||
	    store_write(in->store, in->error, "DELETE FROM verdict WHERE run = ?", "i", run) != 0)
		return -1;
	return store_write(in->store, in->error, "DELETE FROM digest WHERE kind = 'verdicts' AND id = ?", "t",
			   in->run->id);
}

static int put_all(struct ingest *in)
{
	int64_t host, run;
	for (int i = 0; i < STATEMENTS; i++) {
		if (store_prepare(in->store, statements[i], &in->statements[i], in->error) != 0)
			return -1;
	}
	const char *suites = suites_of(in->run, &in->arena);
	if (recall_shared(in, suites) != 0 || put_host(in, &host) != 0 ||
	    put_run(in, suites, host, &run) != 0)
		return -1;
	for (size_t i = 0; i < in->run->result_count; i++) {
		if (put_result(in, run, i) != 0)
			return -1;
	}
	if (store_digest_table(in->store, STORE_DIGEST_HOSTS, in->error) != 0 ||
	    store_digest_table(in->store, STORE_DIGEST_DEVICES, in->error) != 0)
		return -1;
	return store_digest_put(in->store, &(struct store_part){STORE_DIGEST_RUN, run, in->run->id, NULL},
				in->error);
}

int bench_store_ingest(struct bench_store *store, const struct bench_run *run, bool *added,
		       struct bench_error *error)
{
	struct ingest in = {.store = store, .run = run, .error = error};
	bool found = false, whole = false;
	*added = false;
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = find_same(&in, &found, &whole);
	if (status == 0 && found && !whole)
		status = remove_part(&in);
	if (status == 0 && !whole)
		status = put_all(&in);
	for (int i = 0; i < STATEMENTS; i++)
		store_finish(in.statements[i]);
	bench_arena_free(&in.arena);
	status = bench_store_end(store, status, error);
	*added = status == 0 && !whole;
	return status;
}
