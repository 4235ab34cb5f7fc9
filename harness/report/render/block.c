/* SPDX-License-Identifier: MIT */
#include "report/render/block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/metric.h"
#include "core/observed.h"
#include "core/text.h"
#include "report/render/words.h"

#define THREADS "threads" /* the parameter of cases that were measured with several numbers of them */

const char *bench_render_block_shown(const struct bench_result *result, const char *name)
{
	const char *value = bench_record_param(result, name);
	return *value ? value : "-";
}

bool bench_render_block_same_target(const struct bench_result *a, const struct bench_result *b)
{
	return strcmp(a->backend, b->backend) == 0 && strcmp(a->device, b->device) == 0;
}

char *bench_render_block_target(struct bench_arena *arena, const struct bench_result *result)
{
	return *result->device ? bench_arena_format(arena, "%s:%s", result->backend, result->device)
			       : bench_arena_string(arena, result->backend);
}

/* A row while rows are being put in order. */
struct place {
	struct bench_block_row row;
	size_t index;  /* in the run's order */
	double *ranks; /* of its parameters' values */
	size_t rank_count;
};

static int by_ranks(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	for (size_t i = 0; i < x->rank_count; i++)
		if (x->ranks[i] != y->ranks[i])
			return x->ranks[i] < y->ranks[i] ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* A value of a parameter, and the first row that has it. */
struct seen {
	const char *value;
	size_t row;
};

static int by_value(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	int order = strcmp(x->value, y->value);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

bool bench_render_block_is_number(const struct bench_block *block, const char *name)
{
	double value;
	for (size_t i = 0; i < block->row_count; i++) {
		if (!bench_text_real(bench_record_param(block->rows[i].result, name), &value))
			return false;
	}
	return true;
}

/* Numbers in their order, words in the order in which they first come. */
static void rank(struct bench_arena *arena, const struct bench_block *block, const char *name, size_t at,
		 struct place *places)
{
	if (bench_render_block_is_number(block, name)) {
		for (size_t i = 0; i < block->row_count; i++)
			bench_text_real(bench_record_param(block->rows[i].result, name),
					&places[i].ranks[at]);
		return;
	}
	struct seen *seen = bench_arena_alloc(arena, block->row_count, sizeof(*seen));
	for (size_t i = 0; i < block->row_count; i++)
		seen[i] = (struct seen){bench_record_param(block->rows[i].result, name), i};
	qsort(seen, block->row_count, sizeof(*seen), by_value);
	for (size_t i = 0, first = 0; i < block->row_count; i++) {
		if (strcmp(seen[i].value, seen[first].value) != 0)
			first = i;
		places[seen[i].row].ranks[at] = (double)seen[first].row;
	}
}

/* The parameters of all rows, in the order in which they come: imported cases of a suite may have others than
 * the first one. */
static struct bench_attribute *all_params(struct bench_arena *arena, const struct bench_block *block,
					  size_t *count)
{
	struct bench_attribute *params = NULL;
	*count = 0;
	for (size_t r = 0; r < block->row_count; r++)
		for (size_t i = 0; i < block->rows[r].result->param_count; i++) {
			const struct bench_attribute *pair = &block->rows[r].result->params[i];
			if (!BENCH_FIND(params, *count, pair->name))
				BENCH_PUSH(arena, params, *count) = *pair;
		}
	return params;
}

/* The rows of a suite, in the order of their parameters; those at the same point in that of the run. */
static void gather(struct bench_arena *arena, const struct bench_run *run, struct bench_block *block)
{
	for (size_t i = 0; i < run->result_count; i++) {
		if (strcmp(run->results[i].suite, block->suite) != 0)
			continue;
		struct bench_block_row *row =
			bench_arena_push(arena, &block->rows, &block->row_count, sizeof(*row));
		row->result = &run->results[i];
		row->speed = row->ratio = NAN;
	}
	size_t count;
	const struct bench_attribute *params = all_params(arena, block, &count);
	struct place *places = bench_arena_alloc(arena, block->row_count, sizeof(*places));
	for (size_t i = 0; i < block->row_count; i++)
		places[i] = (struct place){.row = block->rows[i],
					   .index = i,
					   .ranks = bench_arena_alloc(arena, count + 1, sizeof(double)),
					   .rank_count = count};
	for (size_t p = 0; p < count; p++)
		rank(arena, block, params[p].name, p, places);
	qsort(places, block->row_count, sizeof(*places), by_ranks);
	for (size_t i = 0; i < block->row_count; i++)
		block->rows[i] = places[i].row;
}

static bool varies(const struct bench_block *block, const char *name)
{
	for (size_t i = 1; i < block->row_count; i++) {
		if (strcmp(bench_record_param(block->rows[i].result, name),
			   bench_record_param(block->rows[0].result, name)) != 0)
			return true;
	}
	return false;
}

static bool agree(const struct bench_block *block, const char *a, const char *b)
{
	for (size_t i = 0; i < block->row_count; i++) {
		if (strcmp(bench_record_param(block->rows[i].result, a),
			   bench_record_param(block->rows[i].result, b)) != 0)
			return false;
	}
	return true;
}

/* A parameter that varies joins one that it agrees with, or becomes another column. */
static void add_varying(struct bench_arena *arena, struct bench_block *block, const char *name)
{
	for (size_t i = 0; i < block->varying_count; i++) {
		if (agree(block, block->varying[i], name)) {
			block->titles[i] = bench_arena_format(arena, "%s=%s", block->titles[i], name);
			return;
		}
	}
	size_t titles = block->varying_count;
	BENCH_PUSH(arena, block->varying, block->varying_count) = name;
	BENCH_PUSH(arena, block->titles, titles) = bench_arena_string(arena, name);
}

static void find_targets(struct bench_arena *arena, struct bench_block *block)
{
	for (size_t i = 0; i < block->row_count; i++) {
		const struct bench_result *result = block->rows[i].result;
		size_t t = 0;
		while (t < block->target_count && !bench_render_block_same_target(block->targets[t], result))
			t++;
		if (t == block->target_count)
			BENCH_PUSH(arena, block->targets, block->target_count) = result;
	}
}

/* Splits parameters and target into what varies and what is shared. */
static void split(struct bench_arena *arena, struct bench_block *block)
{
	BENCH_SCOPED_TEXT shared = {0};
	const struct bench_result *first = block->rows[0].result;
	size_t count;
	const struct bench_attribute *params = all_params(arena, block, &count);
	bench_text_add(&shared, "%s", "");
	for (size_t i = 0; i < count; i++) {
		const struct bench_attribute *pair = &params[i];
		if (varies(block, pair->name))
			add_varying(arena, block, pair->name);
		else {
			bench_text_add(&shared, "%s%s=%s", shared.length ? " " : "", pair->name, pair->value);
			BENCH_PUSH(arena, block->fixed, block->fixed_count) = *pair;
		}
	}
	find_targets(arena, block);
	block->target_varies = block->target_count > 1;
	if (!block->target_varies)
		bench_text_add(&shared, "%s%s", shared.length ? " " : "",
			       bench_render_block_target(arena, first));
	block->shared = bench_render_words_line(arena, shared.data);
}

bool bench_render_block_is_own(const struct bench_metric *metric)
{
	return bench_metric_has_column(metric->name) && !bench_observed_is(metric->name) &&
	       (!*metric->derived_from || bench_metric_asked(metric->name));
}

const struct bench_metric *bench_render_block_metric(const struct bench_result *result, const char *unit)
{
	for (size_t i = 0; i < result->metric_count; i++) {
		if (strcmp(result->metrics[i].unit, unit) == 0 &&
		    !bench_render_block_is_own(&result->metrics[i]))
			return &result->metrics[i];
	}
	return NULL;
}

/* Does every row move more bytes than it computes? Then the memory is what counts. */
static bool is_streaming(const struct bench_block *block)
{
	for (size_t i = 0; i < block->row_count; i++) {
		const struct bench_work *work = &block->rows[i].result->work;
		if (work->flops >= work->bytes)
			return false;
	}
	return true;
}

/* Time, rate and speed of the rows that are ok. */
static void find_rates(struct bench_block *block)
{
	static const char *const computing[] = {"FLOP/s", "B/s", "item/s"};
	static const char *const streaming[] = {"B/s", "FLOP/s", "item/s"};
	const char *const *units = is_streaming(block) ? streaming : computing;
	block->rate_unit = "";
	for (size_t u = 0; u < 3 && !*block->rate_unit; u++) {
		for (size_t i = 0; i < block->row_count; i++) {
			if (block->rows[i].result->status == BENCH_STATUS_OK &&
			    bench_render_block_metric(block->rows[i].result, units[u]))
				block->rate_unit = units[u];
		}
	}
	for (size_t i = 0; i < block->row_count; i++) {
		struct bench_block_row *row = &block->rows[i];
		if (row->result->status != BENCH_STATUS_OK)
			continue;
		row->time = bench_record_metric(row->result, "time");
		row->rate =
			*block->rate_unit ? bench_render_block_metric(row->result, block->rate_unit) : NULL;
		if (row->rate)
			row->speed = row->rate->summary.median;
		else if (row->time)
			row->speed = 1 / row->time->summary.median;
		if (!isfinite(row->speed) || row->speed <= 0)
			row->speed = NAN;
	}
}

/* The end of the rows that have the same parameters as row `start`. */
static size_t group_end(const struct bench_block *block, size_t start)
{
	size_t end = start + 1;
	for (; end < block->row_count; end++) {
		for (size_t v = 0; v < block->varying_count; v++) {
			if (strcmp(bench_record_param(block->rows[start].result, block->varying[v]),
				   bench_record_param(block->rows[end].result, block->varying[v])) != 0)
				return end;
		}
	}
	return end;
}

static const struct bench_block_row *fastest(const struct bench_block *block, size_t start, size_t end)
{
	const struct bench_block_row *best = NULL;
	for (size_t i = start; i < end; i++) {
		if (!isnan(block->rows[i].speed) && (!best || block->rows[i].speed > best->speed))
			best = &block->rows[i];
	}
	return best;
}

/* The targets with a speed: up to 3, since only one, two and more differ. */
static size_t measured_targets(const struct bench_block *block, const struct bench_result *targets[3])
{
	size_t count = 0;
	for (size_t i = 0; i < block->row_count && count < 3; i++) {
		const struct bench_block_row *row = &block->rows[i];
		size_t t = 0;
		while (t < count && !bench_render_block_same_target(targets[t], row->result))
			t++;
		if (t == count && !isnan(row->speed))
			targets[count++] = row->result;
	}
	return count;
}

/* Of "OpenBLAS 0.3.21, Haswell kernels (below this CPU)" " (Haswell)": a ratio is one to these; "" where none
 * is named. */
static const char *kernels_of(struct bench_arena *arena, const struct bench_run *run,
			      const struct bench_result *result)
{
	const struct bench_device_record *device = bench_record_device(run, result->backend, result->device);
	const char *platform = device ? device->info.platform : "";
	const char *start = strstr(platform, ", "), *end = strstr(platform, " kernels");
	return start && end > start + 2 && strcspn(start + 2, " ") == (size_t)(end - start - 2)
		       ? bench_arena_format(arena, " (%.*s)", (int)(end - start - 2), start + 2)
		       : "";
}

/* Do they agree in all parameters except the number of threads? */
static bool differ_in_threads(const struct bench_block *block, const struct bench_result *a,
			      const struct bench_result *b)
{
	for (size_t v = 0; v < block->varying_count; v++)
		if (strcmp(block->varying[v], THREADS) != 0 &&
		    strcmp(bench_record_param(a, block->varying[v]),
			   bench_record_param(b, block->varying[v])) != 0)
			return false;
	return true;
}

/* The speed-ups of one target: each case against the same with the fewest threads. */
static void relate_threads(struct bench_arena *arena, struct bench_block *block)
{
	double fewest = INFINITY, count;
	for (size_t i = 0; i < block->row_count; i++)
		if (bench_text_real(bench_record_param(block->rows[i].result, THREADS), &count))
			fewest = fmin(fewest, count);
	for (size_t i = 0; i < block->row_count; i++) {
		const struct bench_block_row *base = &block->rows[i];
		if (!bench_text_real(bench_record_param(base->result, THREADS), &count) || count != fewest)
			continue;
		for (size_t j = 0; j < block->row_count; j++) {
			struct bench_block_row *row = &block->rows[j];
			if (row == base || !differ_in_threads(block, row->result, base->result))
				continue;
			row->ratio = row->speed / base->speed;
			bench_record_versus(row->result, base->result, &row->versus);
			block->versus = bench_arena_format(arena, THREADS "=%.0f", fewest);
		}
	}
}

/*
 * Ratios between targets. With two, each case of the one that is less often the fastest is
 * set against the other's; with more, every case against the best of its group.
 */
static void relate(struct bench_arena *arena, const struct bench_run *run, struct bench_block *block)
{
	const struct bench_result *targets[3];
	size_t target_count = measured_targets(block, targets), wins[2] = {0, 0};
	block->versus = bench_arena_string(arena, "");
	if (target_count < 2) {
		relate_threads(arena, block);
		return;
	}
	for (size_t start = 0, end; start < block->row_count; start = end) {
		end = group_end(block, start);
		const struct bench_block_row *best = fastest(block, start, end);
		if (best && end - start > 1)
			wins[!bench_render_block_same_target(best->result, targets[0])]++;
	}
	const struct bench_result *base = target_count > 2 ? NULL : targets[wins[1] > wins[0]];
	for (size_t start = 0, end; start < block->row_count; start = end) {
		end = group_end(block, start);
		const struct bench_block_row *against = base ? NULL : fastest(block, start, end);
		for (size_t i = start; base && i < end; i++) {
			if (bench_render_block_same_target(block->rows[i].result, base))
				against = &block->rows[i];
		}
		for (size_t i = start; against && i < end && end - start > 1; i++) {
			if (base && &block->rows[i] == against)
				continue;
			block->rows[i].ratio = block->rows[i].speed / against->speed;
			if (&block->rows[i] != against)
				bench_record_versus(block->rows[i].result, against->result,
						    &block->rows[i].versus);
		}
	}
	if (!base)
		block->versus = bench_arena_string(arena, "best");
	else if (strcmp(targets[0]->backend, targets[1]->backend) == 0)
		block->versus = bench_render_block_target(arena, base);
	else
		block->versus =
			bench_arena_format(arena, "%s%s", base->backend, kernels_of(arena, run, base));
}

/* In what a base differs from its variant: "layout=contiguous". */
static void find_relative(struct bench_arena *arena, struct bench_block *block)
{
	block->relative = bench_arena_string(arena, "");
	for (size_t i = 0; i < block->row_count; i++) {
		const struct bench_result *result = block->rows[i].result;
		for (size_t j = 0; *result->relative_to && j < block->row_count; j++) {
			const struct bench_result *base = block->rows[j].result;
			if (strcmp(base->key, result->relative_to) != 0)
				continue;
			for (size_t p = 0; p < base->param_count; p++) {
				const struct bench_attribute *pair = &base->params[p];
				if (strcmp(pair->value, bench_record_param(result, pair->name)) != 0) {
					block->relative =
						bench_arena_format(arena, "%s=%s", pair->name, pair->value);
					return;
				}
			}
		}
	}
}

/* The verdicts of a comparison by key: each result asks for several, and there may be thousands. */
struct verdict_index {
	struct verdict_entry {
		const char *key;
		const struct bench_verdict *verdict;
	} * entries;
	size_t count;
};

static struct verdict_index index_verdicts(struct bench_arena *arena,
					   const struct bench_comparison *comparison)
{
	struct verdict_index index = {.count = comparison ? comparison->verdict_count : 0};
	index.entries = bench_arena_alloc(arena, index.count, sizeof(*index.entries));
	for (size_t i = 0; i < index.count; i++)
		index.entries[i] =
			(struct verdict_entry){comparison->verdicts[i].key, &comparison->verdicts[i]};
	qsort(index.entries, index.count, sizeof(*index.entries), bench_text_order);
	return index;
}

/* Verdicts are sorted worst first: of two kinds the first one is kept, of one kind that on time. */
static void take_worse(struct bench_block_row *row, const struct verdict_index *index, const char *key)
{
	const struct verdict_entry *found =
		bsearch(&key, index->entries, index->count, sizeof(*index->entries), bench_text_order);
	if (!found)
		return;
	const struct bench_verdict *verdict = found->verdict;
	bool same_kind = row->verdict && row->verdict->kind == verdict->kind;
	if (!row->verdict || (same_kind ? strcmp(verdict->metric, "time") == 0 : verdict < row->verdict))
		row->verdict = verdict;
}

static void judge(struct bench_block *block, const struct verdict_index *index)
{
	for (size_t i = 0; i < block->row_count; i++) {
		struct bench_block_row *row = &block->rows[i];
		take_worse(row, index, row->result->key);
		for (size_t m = 0; m < row->result->metric_count; m++) {
			char key[BENCH_KEY_MAX];
			if (bench_record_metric_key(key, sizeof(key), row->result, &row->result->metrics[m]))
				take_worse(row, index, key);
		}
	}
}

void bench_render_blocks(struct bench_arena *arena, const struct bench_run *run,
			 const struct bench_comparison *comparison, struct bench_block **blocks,
			 size_t *count)
{
	struct verdict_index index = index_verdicts(arena, comparison);
	*blocks = NULL;
	*count = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		if (BENCH_FIND(*blocks, *count, run->results[i].suite))
			continue;
		struct bench_block *block = bench_arena_push(arena, blocks, count, sizeof(*block));
		block->suite = run->results[i].suite;
		gather(arena, run, block);
		split(arena, block);
		find_rates(block);
		relate(arena, run, block);
		find_relative(arena, block);
		judge(block, &index);
	}
}

char *bench_render_block_label(struct bench_arena *arena, const struct bench_block *block,
			       const struct bench_block_row *row)
{
	struct bench_text text = {0};
	for (size_t v = 0; v < block->varying_count; v++)
		bench_text_add(&text, "%s%s=%s", v ? " " : "", block->titles[v],
			       bench_record_param(row->result, block->varying[v]));
	if (block->target_varies || !text.length)
		bench_text_add(&text, "%s%s", text.length ? ", " : "",
			       bench_render_block_target(arena, row->result));
	return bench_render_words_keep(&text, arena);
}
