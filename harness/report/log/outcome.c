/* SPDX-License-Identifier: MIT */
/* The outcome of a run in a sentence, and the title of an entry that nobody named. */
#include <math.h>
#include <string.h>

#include "report/log/entry.h"
#include "report/render/block.h"
#include "report/render/words.h"

#define TITLE_WORDS 4 /* suites that a title names */
#define SWEPT       3 /* parameters of a suite that it names */
#define VALUES      3 /* of a parameter that it names, if they are no numbers */

/* Kinds of verdicts, the first that there is being the answer. */
static const enum bench_verdict_kind kinds[] = {BENCH_BROKEN, BENCH_MISSING, BENCH_SLOWER, BENCH_SUSPECTED,
						BENCH_FASTER, BENCH_UNCLEAR, BENCH_NEW,    BENCH_SAME};

bool bench_log_moved(const struct bench_verdict *verdict)
{
	return verdict && (verdict->kind == BENCH_SLOWER || verdict->kind == BENCH_SUSPECTED ||
			   verdict->kind == BENCH_FASTER);
}

static size_t total_of(const struct bench_comparison *comparison)
{
	size_t total = 0;
	for (size_t i = 0; i < BENCH_VERDICT_KINDS; i++)
		total += comparison->counts[i];
	return total;
}

/* The case of that verdict as people call it: "gemm m=n=k=512, opencl:pocl". */
static const char *name_of(struct bench_arena *arena, const struct bench_log_run *run,
			   const struct bench_verdict *verdict)
{
	struct bench_block *blocks;
	size_t count;
	bench_render_blocks(arena, run->run, run->comparison, &blocks, &count);
	for (size_t b = 0; b < count; b++)
		for (size_t i = 0; i < blocks[b].row_count; i++) {
			const struct bench_block_row *row = &blocks[b].rows[i];
			const size_t length = strlen(row->result->key);
			if (strncmp(row->result->key, verdict->key, length) != 0 ||
			    (verdict->key[length] && verdict->key[length] != '/'))
				continue;
			const char *label = bench_render_block_label(arena, &blocks[b], row);
			const bool time = !*verdict->metric || strcmp(verdict->metric, "time") == 0;
			return bench_arena_format(arena, "%s%s%s%s%s", blocks[b].suite, *label ? " " : "",
						  label, time ? "" : " ", time ? "" : verdict->metric);
		}
	return verdict->key;
}

/* ": gemm m=n=k=512, opencl:pocl +86.1%", the one that moved most; "" if none of that kind has a size. */
static const char *tell_most(struct bench_arena *arena, const struct bench_log_run *run,
			     enum bench_verdict_kind kind)
{
	const struct bench_verdict *most = NULL;
	for (size_t i = 0; i < run->comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &run->comparison->verdicts[i];
		if (verdict->kind == kind &&
		    (!most || fabs(bench_compare_size(verdict)) > fabs(bench_compare_size(most))))
			most = verdict;
	}
	if (!most || kind == BENCH_SAME || kind == BENCH_UNCLEAR || kind == BENCH_NEW)
		return "";
	const bool sized = bench_compare_has_size(most);
	return bench_arena_format(arena, ": %s%s%s", name_of(arena, run, most), sized ? " " : "",
				  sized ? bench_render_words_size(arena, most) : "");
}

/* The place in `kinds` of the answer. */
static size_t answer_of(const struct bench_comparison *comparison)
{
	size_t k = 0;
	while (k + 1 < sizeof(kinds) / sizeof(kinds[0]) && comparison->counts[kinds[k]] == 0)
		k++;
	return k;
}

/* "2 of 14 slower", "all 14 same"; without a comparison "first run", or "". */
static const char *tell_count(struct bench_arena *arena, const struct bench_log_run *run)
{
	const struct bench_comparison *comparison = run->comparison;
	if (!comparison)
		return run->first ? "first run" : "";
	const size_t total = total_of(comparison), k = answer_of(comparison);
	const size_t count = comparison->counts[kinds[k]];
	const char *name = bench_compare_verdict_name(kinds[k]);
	if (count == total)
		return total == 1 ? name : bench_arena_format(arena, "all %zu %s", total, name);
	return bench_arena_format(arena, "%zu of %zu %s", count, total, name);
}

char *bench_log_outcome(struct bench_arena *arena, const struct bench_log_run *run)
{
	struct bench_text text = {0};
	size_t ok = 0;
	if (run->comparison) {
		bench_text_add(&text, "%s%s", bench_render_words_summary(arena, run->comparison),
			       tell_most(arena, run, kinds[answer_of(run->comparison)]));
		return bench_text_keep(&text, arena);
	}
	for (size_t i = 0; i < run->run->result_count; i++)
		ok += run->run->results[i].status == BENCH_STATUS_OK;
	bench_text_add(&text, "%s: %zu of %zu case%s measured",
		       run->first     ? "first run"
		       : run->why_not ? "not compared"
				      : "no comparison",
		       ok, run->run->result_count, bench_text_plural(run->run->result_count));
	return bench_text_keep(&text, arena);
}

/* Names, each once; `more` of them beyond those that are kept. */
struct names {
	const char *items[TITLE_WORDS];
	size_t count, more;
};

static bool add_name(struct names *names, const char *name)
{
	if (BENCH_FIND(names->items, names->count, name))
		return false;
	if (names->count == TITLE_WORDS) {
		names->more++;
		return false;
	}
	names->items[names->count++] = name;
	return true;
}

/* "64..1024" of numbers, "f32, f64" of words; "" of one value. In the order of the results. */
static char *tell_values(struct bench_arena *arena, const struct bench_block *block, const char *param)
{
	const char *values[VALUES];
	size_t count = 0, found = 0;
	double least = INFINITY, most = -INFINITY;
	const char *first = "", *last = "";
	bool numbers = true;
	for (size_t i = 0; i < block->row_count; i++) {
		const char *value = bench_record_param(block->rows[i].result, param);
		double number;
		numbers = numbers && bench_text_real(value, &number);
		if (numbers && number < least) {
			least = number;
			first = value;
		}
		if (numbers && number > most) {
			most = number;
			last = value;
		}
		if (!BENCH_FIND(values, count, value)) {
			found++;
			if (count < VALUES)
				values[count++] = value;
		}
	}
	if (numbers && least < most)
		return bench_arena_format(arena, "%s..%s", first, last);
	struct bench_text text = {0};
	for (size_t i = 0; i < count && found > 1 && found <= VALUES; i++)
		bench_text_add(&text, "%s%s", i ? "," : "", values[i]);
	return bench_text_keep(&text, arena);
}

/* " m=n=k=64..1024 dtype=f32,f64": what was varied. */
static void add_varied(struct bench_arena *arena, const struct bench_block *block, struct bench_text *out)
{
	size_t told = 0;
	for (size_t i = 0; i < block->varying_count && told < SWEPT; i++) {
		const char *values = tell_values(arena, block, block->varying[i]);
		if (!*values)
			continue;
		told++;
		bench_text_add(out, " %s=", block->titles[i]);
		bench_render_words_add_markdown(out, values);
	}
}

/* "gemm m=n=k=64..1024, spmv: 2 of 14 slower on buildbox" */
void bench_log_add_purpose(const struct bench_log_run *runs, size_t count, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct names suites = {0}, hosts = {0}, answers = {0};
	for (size_t r = 0; r < count; r++) {
		struct bench_block *blocks;
		size_t block_count;
		const char *host = bench_record_fact(runs[r].run, "name");
		const char *answer = tell_count(&arena, &runs[r]);
		bench_render_blocks(&arena, runs[r].run, runs[r].comparison, &blocks, &block_count);
		for (size_t b = 0; b < block_count; b++) {
			if (!add_name(&suites, blocks[b].suite))
				continue;
			bench_render_words_markdown(out, suites.count > 1 ? ", %s" : " %s", blocks[b].suite);
			add_varied(&arena, &blocks[b], out);
		}
		if (*answer)
			add_name(&answers, answer);
		if (*host)
			add_name(&hosts, host);
	}
	bench_text_add(out, "%s", suites.more ? " and more" : "");
	/* Runs with different answers have no answer in common. */
	if (answers.count == 1)
		bench_text_add(out, ": %s", answers.items[0]);
	for (size_t i = 0; i < hosts.count; i++)
		bench_render_words_markdown(out, i ? ", %s" : " on %s", hosts.items[i]);
	bench_text_add(out, "%s", hosts.more ? " and more" : "");
}
