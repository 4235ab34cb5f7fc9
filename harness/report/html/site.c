/* SPDX-License-Identifier: MIT */
#include "report/html/site.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/text.h"

/* Names that may be those of files everywhere. */
static bool is_plain_name(const char *text)
{
	size_t length = strlen(text);
	return length > 0 && length <= 80 && *text != '.' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == length;
}

const char *html_host(const struct bench_run_row *row, const char *fingerprint)
{
	return row && *row->host ? row->host : *fingerprint ? fingerprint : "a host without a name";
}

/* The same name for the same text, another for another. */
static char *file_name(struct bench_arena *arena, const char *text)
{
	char slug[48];
	if (is_plain_name(text))
		return bench_arena_string(arena, text);
	bench_text_slug(slug, sizeof(slug), text);
	return bench_arena_format(arena, "%s-%016llx", slug,
				  (unsigned long long)bench_hash_bytes(BENCH_HASH_START, text, strlen(text)));
}

const char *html_run_page(struct bench_arena *arena, const struct bench_html_run *run)
{
	return run && run->head ? bench_arena_format(arena, "runs/%s.html", file_name(arena, run->row->id))
				: NULL;
}

const char *html_suite_page(struct bench_arena *arena, const char *suite)
{
	return bench_arena_format(arena, "suites/%s.html", file_name(arena, suite));
}

static bool is_worse(const struct bench_change *change)
{
	return (change->ratio.estimate > 1) == (change->better == BENCH_BETTER_LOWER);
}

enum bench_standing html_change_standing(const struct bench_change *change)
{
	return is_worse(change) ? BENCH_STANDS_SLOWER : BENCH_STANDS_FASTER;
}

/* runs */

static int compare_ids(const void *left, const void *right)
{
	const struct bench_html_run *const *a = left, *const *b = right;
	return strcmp((*a)->row->id, (*b)->row->id);
}

static void index_runs(struct bench_html_site *site)
{
	const struct bench_html_data *data = site->data;
	site->by_id = bench_arena_alloc(&site->arena, data->run_count + 1, sizeof(*site->by_id));
	for (size_t i = 0; i < data->run_count; i++)
		site->by_id[i] = &data->runs[i];
	qsort(site->by_id, data->run_count, sizeof(*site->by_id), compare_ids);
}

const struct bench_html_run *html_find_run(const struct bench_html_site *site, const char *id)
{
	const struct bench_run_row row = {.id = (char *)(uintptr_t)id};
	const struct bench_html_run wanted = {.row = &row}, *key = &wanted;
	const struct bench_html_run **found =
		bsearch(&key, site->by_id, site->data->run_count, sizeof(*site->by_id), compare_ids);
	return found ? *found : NULL;
}

/* Is it the newest run of its kind? The runs are sorted, newest first. */
static bool is_newest(const struct bench_html_site *site, const struct bench_html_run *run)
{
	if (*run->row->aside)
		return false;
	for (const struct bench_html_run *newer = site->data->runs; newer < run; newer++)
		if (!*newer->row->aside && bench_store_is_same_kind(newer->row, run->row))
			return false;
	return true;
}

/* series */

static bool is_same_series(const struct bench_point *a, const struct bench_point *b)
{
	return strcmp(a->fingerprint, b->fingerprint) == 0 && strcmp(a->unit, b->unit) == 0;
}

static void add_series(struct bench_html_site *site, const struct bench_point *points, size_t count)
{
	const struct bench_point *last = &points[count - 1];
	const struct bench_html_run *run = html_find_run(site, last->run);
	struct html_series *series =
		bench_arena_push(&site->arena, &site->series, &site->series_count, sizeof(*series));
	*series = (struct html_series){
		.key = last->key,
		.suite = bench_arena_format(&site->arena, "%.*s", (int)strcspn(last->key, "/"), last->key),
		.unit = last->unit,
		.fingerprint = last->fingerprint,
		.host = html_host(run ? run->row : NULL, last->fingerprint),
		.better = last->better,
		.points = points,
		.count = count,
		.verdicts = bench_arena_alloc(&site->arena, count, sizeof(*series->verdicts)),
	};
	if (!last->derived && last->better != BENCH_BETTER_NONE)
		series->page = bench_arena_format(
			&site->arena, "metrics/%016llx.html",
			(unsigned long long)bench_hash_bytes(BENCH_HASH_START, last->key, strlen(last->key)));
}

/* Splits the points of one key by host and unit. */
static void split_key(struct bench_html_site *site, const struct bench_point *points, size_t count)
{
	struct bench_point *rest = bench_arena_alloc(&site->arena, count, sizeof(*rest));
	bool *taken = bench_arena_alloc(&site->arena, count, sizeof(*taken));
	size_t start = 0;
	for (size_t i = 0; i < count; i++) {
		size_t end = start;
		for (size_t j = i; j < count && !taken[i]; j++)
			if (!taken[j] && is_same_series(&points[i], &points[j])) {
				rest[end++] = points[j];
				taken[j] = j > i;
			}
		if (end > start)
			add_series(site, rest + start, end - start);
		start = end;
	}
}

static void make_series(struct bench_html_site *site)
{
	const struct bench_point *points = site->data->points;
	for (size_t first = 0, end; first < site->data->point_count; first = end) {
		bool alone = true;
		for (end = first;
		     end < site->data->point_count && strcmp(points[end].key, points[first].key) == 0; end++)
			alone &= is_same_series(&points[end], &points[first]);
		if (alone)
			add_series(site, points + first, end - first);
		else
			split_key(site, points + first, end - first);
	}
}

const struct html_series *html_find_series(const struct bench_html_site *site, const char *key,
					   const char *fingerprint)
{
	size_t low = 0, high = site->series_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(site->series[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < site->series_count && strcmp(site->series[low].key, key) == 0; low++)
		if (!fingerprint || strcmp(site->series[low].fingerprint, fingerprint) == 0)
			return &site->series[low];
	return NULL;
}

/* verdicts */

bool html_is_of(const struct html_series *series, const struct bench_change *change)
{
	return strcmp(change->key, series->key) == 0 && strcmp(change->fingerprint, series->fingerprint) == 0;
}

size_t html_place_of(const struct html_series *series, int64_t started, const char *run)
{
	size_t low = 0, high = series->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (series->points[middle].started < started)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < series->count && series->points[low].started == started; low++)
		if (strcmp(series->points[low].run, run) == 0)
			return low;
	return series->count;
}

static void take_verdict(struct html_series *series, const struct html_comparison *comparison,
			 const struct bench_verdict_row *row, enum bench_standing standing)
{
	const struct bench_kept_comparison *kept = comparison->kept, *other = series->judged_by;
	size_t at = html_place_of(series, comparison->run->row->started, kept->run);
	if (at < series->count)
		series->verdicts[at] = standing;
	if (!comparison->newest || (other && strcmp(other->run, kept->run) == 0 &&
				    bench_compare_standing_outranks(other->baseline, kept->baseline)))
		return;
	series->verdict = row;
	series->judged_by = kept;
	series->standing = standing;
}

/* A broken case has a row with the key of the case: it applies to all its metrics. */
static void take_case(struct bench_html_site *site, const struct html_comparison *comparison,
		      const struct bench_verdict_row *row, enum bench_standing standing)
{
	size_t length = strlen(row->key);
	for (size_t i = 0; i < site->series_count; i++) {
		struct html_series *series = &site->series[i];
		if (strncmp(series->key, row->key, length) == 0 && series->key[length] == '/' &&
		    strcmp(series->fingerprint, comparison->run->row->fingerprint) == 0)
			take_verdict(series, comparison, row, standing);
	}
}

static void take_comparison(struct bench_html_site *site, const struct html_comparison *comparison)
{
	for (size_t i = 0; comparison->run && i < comparison->kept->count; i++) {
		const struct bench_verdict_row *row = &comparison->kept->rows[i];
		enum bench_standing standing = bench_compare_standing_of(row->verdict);
		if (standing == BENCH_STANDS_UNJUDGED)
			continue;
		const struct html_series *found =
			html_find_series(site, row->key, comparison->run->row->fingerprint);
		if (found)
			take_verdict(&site->series[found - site->series], comparison, row, standing);
		else if (standing == BENCH_STANDS_BROKEN)
			take_case(site, comparison, row, standing);
	}
}

static void take_comparisons(struct bench_html_site *site)
{
	const struct bench_html_data *data = site->data;
	site->comparisons =
		bench_arena_alloc(&site->arena, data->comparison_count + 1, sizeof(*site->comparisons));
	for (size_t i = data->comparison_count; i > 0; i--) {
		const struct bench_kept_comparison *kept = &data->comparisons[i - 1];
		const struct bench_html_run *run = html_find_run(site, kept->run);
		site->comparisons[site->comparison_count++] = (struct html_comparison){
			.kept = kept,
			.run = run,
			.newest = run && is_newest(site, run),
			.page = bench_arena_format(
				&site->arena, "comparisons/%s.html",
				file_name(&site->arena, bench_arena_format(&site->arena, "%s.%s", kept->run,
									   kept->baseline))),
		};
	}
	for (size_t i = site->comparison_count; i > 0; i--)
		take_comparison(site, &site->comparisons[i - 1]);
}

static void take_alarms(struct bench_html_site *site)
{
	for (size_t a = 0; a < site->data->alarm_count; a++) {
		const struct bench_alarm *alarm = &site->data->alarms[a];
		for (size_t m = 0; m < alarm->metric_count; m++) {
			const struct bench_alarm_metric *metric = &alarm->metrics[m];
			const struct html_series *found =
				html_find_series(site, metric->key, alarm->fingerprint);
			if (!found)
				continue;
			struct html_series *series = &site->series[found - site->series];
			series->alarm = alarm;
			series->alarm_metric = metric;
			series->standing = bench_compare_standing_under(
				series->standing, metric, series->points[series->count - 1].run);
		}
	}
}

static int compare_ranked(const void *left, const void *right)
{
	const struct html_series *a = *(const struct html_series *const *)left,
				 *b = *(const struct html_series *const *)right;
	return a->standing != b->standing ? (a->standing < b->standing) - (a->standing > b->standing)
					  : (a > b) - (a < b);
}

static void rank_series(struct bench_html_site *site)
{
	for (size_t i = 0; i < site->series_count; i++)
		if (site->series[i].page)
			BENCH_PUSH(&site->arena, site->ranked, site->ranked_count) = &site->series[i];
	if (site->ranked_count > 0)
		qsort(site->ranked, site->ranked_count, sizeof(*site->ranked), compare_ranked);
}

/* samples */

static void take_samples(struct bench_html_site *site, const struct bench_run *run)
{
	const char *fingerprint = bench_record_fact(run, "fingerprint");
	char key[BENCH_KEY_MAX];
	for (size_t r = 0; r < run->result_count; r++)
		for (size_t m = 0; m < run->results[r].metric_count; m++) {
			const struct bench_metric *metric = &run->results[r].metrics[m];
			if (!bench_record_metric_key(key, sizeof(key), &run->results[r], metric))
				continue;
			const struct html_series *found = html_find_series(site, key, fingerprint);
			if (!found || strcmp(found->unit, metric->unit) != 0)
				continue;
			struct html_series *series = &site->series[found - site->series];
			struct html_samples *samples = series->now.metric ? &series->before : &series->now;
			if (!samples->metric)
				*samples = (struct html_samples){run, &run->results[r], metric};
		}
}

/* changes */

static int compare_changes(const void *left, const void *right)
{
	const struct bench_change *a = *(const struct bench_change *const *)left,
				  *b = *(const struct bench_change *const *)right;
	if (a->started != b->started)
		return (a->started < b->started) - (a->started > b->started);
	int order = strcmp(a->first_run, b->first_run);
	if (order)
		return order;
	double first = fabs(log(a->ratio.estimate)), second = fabs(log(b->ratio.estimate));
	return (first < second) - (first > second);
}

static void group_changes(struct bench_html_site *site)
{
	size_t count = site->data->change_count;
	const struct bench_change **changes = bench_arena_alloc(&site->arena, count + 1, sizeof(*changes));
	struct html_moved *moved = NULL;
	for (size_t i = 0; i < count; i++)
		changes[i] = &site->data->changes[i];
	qsort(changes, count, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < count; i++) {
		if (!moved || strcmp(moved->changes[0]->first_run, changes[i]->first_run) != 0) {
			const struct bench_html_run *run = html_find_run(site, changes[i]->first_run);
			moved = bench_arena_push(&site->arena, &site->moved, &site->moved_count,
						 sizeof(*moved));
			*moved = (struct html_moved){
				.changes = changes + i,
				.host = html_host(run ? run->row : NULL, changes[i]->fingerprint)};
		}
		moved->count++;
		if (is_worse(changes[i]))
			moved->worse++;
		else
			moved->improved++;
	}
}

/* devices and suites */

static void take_device(struct bench_html_site *site, const struct bench_html_run *run,
			const struct bench_device_record *record)
{
	for (size_t i = 0; i < site->device_count; i++) {
		struct html_device *known = &site->devices[i];
		if (strcmp(known->record->backend, record->backend) == 0 &&
		    strcmp(known->record->info.slug, record->info.slug) == 0 &&
		    strcmp(known->fingerprint, run->row->fingerprint) == 0) {
			known->runs++;
			return;
		}
	}
	BENCH_PUSH(&site->arena, site->devices, site->device_count) = (struct html_device){
		.run = run->head,
		.record = record,
		.host = html_host(run->row, run->row->fingerprint),
		.fingerprint = run->row->fingerprint,
		.page = bench_arena_format(
			&site->arena, "devices/%s.html",
			file_name(&site->arena,
				  bench_arena_format(&site->arena, "%s_%s_%s", run->row->fingerprint,
						     record->backend, record->info.slug))),
		.runs = 1,
	};
}

static void find_devices(struct bench_html_site *site)
{
	for (size_t i = 0; i < site->data->run_count; i++) {
		const struct bench_html_run *run = &site->data->runs[i];
		for (size_t d = 0; run->head && d < run->head->device_count; d++)
			take_device(site, run, &run->head->devices[d]);
	}
}

static bool has_one_host(const struct bench_html_site *site)
{
	for (size_t i = 1; i < site->series_count; i++)
		if (strcmp(site->series[i].fingerprint, site->series[0].fingerprint) != 0)
			return false;
	return true;
}

static void find_suites(struct bench_html_site *site)
{
	for (size_t i = 0; i < site->series_count; i++) {
		const char *suite = site->series[i].suite;
		if (site->suite_count == 0 || strcmp(site->suites[site->suite_count - 1], suite) != 0)
			BENCH_PUSH(&site->arena, site->suites, site->suite_count) = suite;
	}
}

const struct bench_alarm *html_find_alarm(const struct bench_html_site *site, const char *first_bad,
					  const char *key, const char *fingerprint)
{
	return bench_record_alarm_opened(site->data->alarms, site->data->alarm_count, first_bad, key,
					 fingerprint);
}

struct bench_html_site *html_arrange(const struct bench_html_data *data)
{
	struct bench_arena arena = {0};
	struct bench_html_site *site = bench_arena_alloc(&arena, 1, sizeof(*site));
	site->arena = arena;
	site->scratch = bench_arena_alloc(&site->arena, 1, sizeof(*site->scratch));
	site->data = data;
	index_runs(site);
	make_series(site);
	take_comparisons(site);
	take_alarms(site);
	rank_series(site);
	for (size_t i = 0; i < data->whole_count; i++)
		take_samples(site, data->whole[i]);
	group_changes(site);
	find_devices(site);
	find_suites(site);
	site->one_host = has_one_host(site);
	return site;
}
