/*
 * A record into the tables.
 *
 * Everything measured is relational: that is what queries ask for, and samples are kept once. Nothing joins
 * on what is known before measuring (the command line, the host, a case's parameters and work). It is kept as
 * the text of its event in samples.jsonl (run.head, result.head), and read back (load.c) by the same code as
 * that file. So a member that is added to the record later is stored without a migration, and the way back
 * cannot differ from that of a run directory. The columns beside a head repeat what queries select by.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "store/sql.h"

/* The statements of an ingest, prepared once. */
enum { PUT_DEVICE, PUT_RESULT, PUT_KEY, PUT_METRIC, PUT_SAMPLE, PUT_WATCHED, STATEMENTS };

static const char *const statements[STATEMENTS] = {
	[PUT_DEVICE] = "INSERT INTO device (backend, slug, name) VALUES (?, ?, ?) ON CONFLICT (backend, "
		       "slug) DO UPDATE SET name = excluded.name RETURNING device",
	[PUT_RESULT] =
		"INSERT INTO result (run, position, suite, device, status, reason, error, tolerance, method, "
		"iterations, stopped, head) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING result",
	[PUT_KEY] = "INSERT INTO metric_key (key) VALUES (?) ON CONFLICT (key) DO UPDATE SET key = "
		    "excluded.key RETURNING metric_key",
	[PUT_METRIC] =
		"INSERT INTO metric (result, metric_key, name, unit, better, derived_from, median, ci_lo, "
		"ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES "
		"(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING metric",
	[PUT_SAMPLE] = "INSERT INTO sample (metric, invocation, n, data, disturbed) VALUES (?, ?, ?, ?, ?) "
		       "RETURNING sample",
	[PUT_WATCHED] = "INSERT INTO watched (result, position, invocation, disturbed, canary, canary_worst, "
			"others, steal, frequency, device) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

struct ingest {
	struct bench_store *store;
	const struct bench_run *run;
	struct bench_error *error;
	sqlite3_stmt *statements[STATEMENTS];
};

/* The id from a statement that ends in RETURNING; `state` is what starting it returned. */
static int returned(struct ingest *in, sqlite3_stmt *statement, int state, int64_t *id)
{
	if (state != 1)
		return -1;
	*id = sqlite3_column_int64(statement, 0);
	return store_next(in->store, statement, in->error) == 0 ? 0 : -1;
}

static int put_series(struct ingest *in, int64_t metric, const struct bench_series *series)
{
	size_t bytes, mark_bytes;
	int64_t id;
	int status;
	unsigned char *flags = NULL;
	void *data = store_pack(series->values, series->count, &bytes);
	if (!data || !store_pack_flags(series->disturbed, series->count, &flags, &mark_bytes)) {
		status = bench_fail(in->error, BENCH_NO_MEMORY, "database '%s': no memory for %zu samples",
				    in->store->path, series->count);
	} else {
		int state = store_start(in->store, in->statements[PUT_SAMPLE], in->error, "iiibb", metric,
					(int64_t)series->invocation, (int64_t)series->count, data, bytes,
					flags, mark_bytes);
		status = returned(in, in->statements[PUT_SAMPLE], state, &id);
	}
	free(flags);
	free(data);
	return status;
}

static int put_metric(struct ingest *in, int64_t result_id, const struct bench_result *result,
		      const struct bench_metric *metric)
{
	char key[BENCH_KEY_MAX];
	int64_t key_id, metric_id;
	const struct bench_summary *summary = &metric->summary;
	if (!bench_record_metric_key(key, sizeof(key), result, metric))
		return bench_fail(in->error, BENCH_ENVIRONMENT, "the key of '%s' of '%.200s' is too long",
				  metric->name, result->key);
	int state = store_start(in->store, in->statements[PUT_KEY], in->error, "t", key);
	if (returned(in, in->statements[PUT_KEY], state, &key_id) != 0)
		return -1;
	state = store_start(in->store, in->statements[PUT_METRIC], in->error, "iittttrrrrtrrrrriii",
			    result_id, key_id, metric->name, metric->unit,
			    bench_record_better_name(metric->better), metric->derived_from, summary->median,
			    summary->ci_lo, summary->ci_hi, summary->ci_level,
			    summary->over_samples ? "samples" : "invocations", summary->min, summary->mean,
			    summary->stddev, summary->p05, summary->p95, (int64_t)summary->count,
			    (int64_t)summary->disturbed, (int64_t)metric->series_count);
	if (returned(in, in->statements[PUT_METRIC], state, &metric_id) != 0)
		return -1;
	/* Derived series are not stored: they are computed again when the run is loaded. */
	for (size_t i = 0; !*metric->derived_from && i < metric->series_count; i++) {
		if (put_series(in, metric_id, &metric->series[i]) != 0)
			return -1;
	}
	return 0;
}

static int put_watched(struct ingest *in, int64_t result_id, const struct bench_result *result)
{
	for (size_t i = 0; i < result->watched_count; i++) {
		const struct bench_watched *watched = &result->watched[i];
		if (store_start(in->store, in->statements[PUT_WATCHED], in->error, "iiirrrrrrt", result_id,
				(int64_t)i, (int64_t)watched->invocation, watched->disturbed, watched->canary,
				watched->canary_worst, watched->others, watched->steal, watched->frequency,
				watched->device ? watched->device : "") != 0)
			return -1;
	}
	return 0;
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

static int put_result(struct ingest *in, int64_t run_id, size_t index)
{
	const struct bench_result *result = &in->run->results[index];
	int64_t device_id, result_id;
	int state = store_start(in->store, in->statements[PUT_DEVICE], in->error, "ttt", result->backend,
				result->device, device_name(in->run, result));
	if (returned(in, in->statements[PUT_DEVICE], state, &device_id) != 0)
		return -1;
	char *head = bench_record_event_case_line(in->run, index);
	state = store_start(
		in->store, in->statements[PUT_RESULT], in->error, "iitittrrtitt", run_id, (int64_t)index,
		result->suite, device_id, bench_record_status_name(result->status), result->reason,
		result->checked ? result->check.error : NAN, result->checked ? result->check.tolerance : NAN,
		result->checked ? result->check.method : NULL, (int64_t)result->iterations, result->stopped,
		head);
	int status = returned(in, in->statements[PUT_RESULT], state, &result_id);
	free(head);
	if (status == 0)
		status = put_watched(in, result_id, result);
	for (size_t i = 0; status == 0 && i < result->metric_count; i++)
		status = put_metric(in, result_id, result, &result->metrics[i]);
	return status;
}

static int put_host(struct ingest *in, int64_t *id)
{
	const struct bench_run *run = in->run;
	sqlite3_stmt *statement = NULL;
	int state = store_select(in->store, &statement, in->error,
				 "INSERT INTO host (fingerprint, name) VALUES (?, ?) ON CONFLICT "
				 "(fingerprint) DO UPDATE SET name = excluded.name RETURNING host",
				 "tt", bench_record_attribute_get(run->host, run->host_count, "fingerprint"),
				 bench_record_attribute_get(run->host, run->host_count, "name"));
	int status = returned(in, statement, state, id);
	sqlite3_finalize(statement);
	return status;
}

/* A row that is there keeps its number, by which baselines refer to it. */
static int put_run(struct ingest *in, int64_t host, int64_t *id)
{
	const struct bench_run *run = in->run;
	sqlite3_stmt *statement = NULL;
	char *head = bench_record_event_run_line(run);
	int state = store_select(
		in->store, &statement, in->error,
		"INSERT INTO run (id, started, finished, interrupted, preset, commit_hash, branch, dirty, "
		"host, folder, head, aside) VALUES (?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?) ON "
		"CONFLICT "
		"(id) DO UPDATE SET finished = excluded.finished, interrupted = excluded.interrupted, preset "
		"= "
		"excluded.preset, commit_hash = excluded.commit_hash, branch = excluded.branch, dirty = "
		"excluded.dirty, folder = excluded.folder, head = excluded.head, aside = excluded.aside "
		"RETURNING run",
		"tiiitttiittt", run->id, run->started, run->finished, (int64_t)run->interrupted, run->preset,
		run->git.commit, run->git.branch, (int64_t)run->git.dirty, host, run->folder, head,
		bench_record_attribute_get(run->labels, run->label_count, "aside"));
	int status = returned(in, statement, state, id);
	sqlite3_finalize(statement);
	free(head);
	return status;
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

static const struct bench_series *find_series(const struct bench_result *result, const char *metric,
					      int invocation)
{
	const struct bench_metric *found = bench_record_metric(result, metric);
	for (size_t i = 0; found && i < found->series_count; i++)
		if (found->series[i].invocation == invocation)
			return &found->series[i];
	return NULL;
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
						  *other = find_series(b, metric->name, one->invocation);
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

/* Is one of the two records a part of the other? What an invocation gave stays as it was. */
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
	const char *name = bench_record_attribute_get(run->host, run->host_count, "fingerprint");
	struct bench_run *there;
	sqlite3_stmt *statement = NULL;
	int state = store_select(in->store, &statement, in->error, "SELECT 1 FROM run WHERE id = ?", "t",
				 run->id);
	sqlite3_finalize(statement);
	*found = *whole = false;
	if (state != 1)
		return state;
	if (bench_store_load_measured(in->store, run->id, &there, in->error) != 0)
		return -1;
	const struct extent mine = extent_of(run), its = extent_of(there);
	bool same =
		there->started == run->started && is_same_run(there, run) &&
		strcmp(bench_record_attribute_get(there->host, there->host_count, "fingerprint"), name) == 0;
	int status = 0;
	*found = true;
	*whole = !is_more(&mine, &its);
	if (!same)
		status = bench_fail(
			in->error, BENCH_ENVIRONMENT,
			"database '%s': has another run '%s', of host '%s', in '%s'; rename one of the two "
			"(the folder, and run.id in its metrics.json)",
			in->store->path, run->id,
			bench_record_attribute_get(there->host, there->host_count, "name"), there->folder);
	bench_record_free(there);
	return status;
}

/* What was measured, and what was judged by it: verdicts on a part of a run are none on the whole. */
static int remove_part(struct ingest *in)
{
	int64_t run;
	if (store_find_run(in->store, in->run->id, &run, in->error) != 0 ||
	    store_write(in->store, in->error, "DELETE FROM result WHERE run = ?", "i", run) != 0 ||
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
	if (put_host(in, &host) != 0 || put_run(in, host, &run) != 0)
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
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = find_same(&in, &found, &whole);
	if (status == 0 && found && !whole)
		status = remove_part(&in);
	if (status == 0 && !whole)
		status = put_all(&in);
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(in.statements[i]);
	status = bench_store_end(store, status, error);
	*added = status == 0 && !whole;
	return status;
}
