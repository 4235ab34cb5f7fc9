/* SPDX-License-Identifier: MIT */
/* A draft becomes a record: by the events of a measured run, so that it is checked as one. */
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "interchange/internal.h"
#include "record/event.h"

static int apply(struct interchange_draft *draft, struct bench_event *event, struct bench_error *error)
{
	struct bench_error cause = {0};
	if (bench_record_apply(draft->run, event, &cause) == 0)
		return 0;
	return bench_fail(error, cause.code, "'%.200s': %s", draft->cases[event->index].id, cause.text);
}

/* The values that one metric has of one invocation. */
static int apply_samples(struct interchange_draft *draft, size_t index, int invocation,
			 const struct interchange_metric *metric, struct bench_error *error)
{
	for (size_t i = 0; i < metric->count; i++) {
		if (metric->values[i].invocation != invocation)
			continue;
		struct bench_event event = {.kind = BENCH_EVENT_SAMPLE,
					    .index = index,
					    .invocation = invocation,
					    .sample = {.metric = metric->name,
						       .value = metric->values[i].value,
						       .iterations = draft->cases[index].iterations,
						       .unit = metric->unit,
						       .better = bench_record_better_name(metric->better),
						       .disturbed = metric->values[i].disturbed}};
		if (apply(draft, &event, error) != 0)
			return -1;
	}
	return 0;
}

static int by_invocation(const void *a, const void *b)
{
	const struct interchange_value *x = a, *y = b;
	if (x->invocation != y->invocation)
		return x->invocation < y->invocation ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* An invocation of a case, as if it had been measured here. */
static int apply_invocation(struct interchange_draft *draft, size_t index, int invocation,
			    struct interchange_metric *left, struct bench_error *error)
{
	const struct interchange_case *of = &draft->cases[index];
	struct bench_event begin = {.kind = BENCH_EVENT_BEGIN, .index = index, .invocation = invocation};
	struct bench_event end = {.kind = BENCH_EVENT_END,
				  .index = index,
				  .invocation = invocation,
				  .end = {.status = of->status, .reason = of->reason, .stopped = ""}};
	if (apply(draft, &begin, error) != 0)
		return -1;
	for (size_t m = 0; m < of->metric_count; m++) {
		struct interchange_metric part = left[m];
		while (left[m].count > 0 && left[m].values->invocation == invocation) {
			left[m].values++;
			left[m].count--;
		}
		part.count -= left[m].count;
		if (apply_samples(draft, index, invocation, &part, error) != 0)
			return -1;
	}
	return apply(draft, &end, error);
}

static int apply_case(struct interchange_draft *draft, size_t index, struct bench_error *error)
{
	struct interchange_case *of = &draft->cases[index];
	struct interchange_metric left[INTERCHANGE_METRICS] = {{0}};
	const int count = interchange_next_invocation(of);
	for (size_t m = 0; m < of->metric_count; m++) {
		left[m] = of->metrics[m];
		if (left[m].count > 0) /* none, where its first value was refused */
			qsort(left[m].values, left[m].count, sizeof(*left[m].values), by_invocation);
	}
	for (int i = 0; i < count || i == 0; i++)
		if (apply_invocation(draft, index, i, left, error) != 0)
			return -1;
	if ((unsigned)count > draft->run->invocations)
		draft->run->invocations = (unsigned)count;
	return 0;
}

static void add_word(struct bench_arena *arena, char ***words, size_t *count, const char *word)
{
	if (!BENCH_FIND(*words, *count, word))
		BENCH_PUSH(arena, *words, *count) = bench_arena_string(arena, word);
}

static int by_title(const void *a, const void *b)
{
	const struct interchange_case *const *x = a, *const *y = b;
	const int order = strcmp(interchange_name_of(*x), interchange_name_of(*y));
	return order ? order : (*x > *y) - (*x < *y);
}

/* Where parameters stand beside a name, and not in it, several cases have the same: others tell them apart by
 * it.
 */
static void lengthen_title(struct bench_arena *arena, struct interchange_case *of)
{
	struct bench_text title = {0};
	bench_text_add(&title, "%s", interchange_name_of(of));
	for (size_t i = 1; i < of->param_count; i++)
		bench_text_add(&title, "/%s=%s", of->params[i].name, of->params[i].value);
	bench_record_attribute_set(arena, &of->notes, &of->note_count, "name",
				   bench_text_keep(&title, arena));
}

static void tell_apart(struct interchange_draft *draft)
{
	const size_t count = draft->case_count;
	struct bench_arena *arena = &draft->run->arena;
	struct interchange_case **sorted = bench_arena_alloc(arena, count, sizeof(*sorted));
	bool *same = bench_arena_alloc(arena, count, sizeof(*same));
	for (size_t i = 0; i < count; i++)
		sorted[i] = &draft->cases[i];
	qsort(sorted, count, sizeof(struct interchange_case *), by_title);
	for (size_t i = 1; i < count; i++)
		if (!sorted[i]->named && *interchange_name_of(sorted[i]) &&
		    strcmp(interchange_name_of(sorted[i]), interchange_name_of(sorted[i - 1])) == 0)
			same[i] = same[i - 1] = true;
	for (size_t i = 0; i < count; i++)
		if (same[i])
			lengthen_title(arena, sorted[i]);
}

/* A case that no record can hold: it is left out. */
static void leave_out(struct interchange_reader *in, size_t index)
{
	struct interchange_draft *draft = in->draft;
	const char *title = interchange_name_of(&draft->cases[index]);
	draft->entered = NULL;
	interchange_settle(in, *title ? title : draft->cases[index].id, -1);
	memmove(&draft->cases[index], &draft->cases[index + 1],
		(--draft->case_count - index) * sizeof(*draft->cases));
}

static struct bench_result *add_case(struct interchange_reader *in, const struct interchange_case *of)
{
	struct bench_run *run = in->draft->run;
	struct bench_selection *selection = &run->selection;
	struct bench_result *result = bench_record_add_case(run, of->suite, of->backend, of->device,
							    of->params, of->param_count, in->error);
	if (!result)
		return NULL;
	result->work = of->work;
	result->notes = of->notes;
	result->note_count = of->note_count;
	add_word(&run->arena, &selection->suites, &selection->suite_count, of->suite);
	add_word(&run->arena, &selection->targets, &selection->target_count,
		 bench_arena_format(&run->arena, "%s:%s", of->backend, of->device));
	return result;
}

static int check_options(const struct interchange_draft *draft, struct bench_error *error)
{
	const struct bench_interchange_options *options = draft->options;
	if (draft->case_count == 0 && draft->lost > 0)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "none of its results can be read, the first since: %s", draft->why);
	if (draft->case_count == 0)
		return bench_fail(error, BENCH_NOTHING, "there are no results in it");
	if (options->commit && !interchange_is_commit(options->commit))
		return bench_fail(error, BENCH_USAGE, "--commit '%.80s': expected 4 to 64 hexadecimal digits",
				  options->commit);
	if (options->branch && !options->commit && !draft->run->git.present)
		return bench_fail(error, BENCH_USAGE,
				  "--branch: a branch of which --commit? The file has none");
	return 0;
}

static int add_cases(struct interchange_reader *in)
{
	struct interchange_draft *draft = in->draft;
	for (size_t i = 0; i < draft->case_count;) {
		struct interchange_case *of = &draft->cases[i];
		draft->entered = of;
		if (of->status == BENCH_STATUS_OK && of->metric_count == 0 &&
		    (interchange_fail(in, "has no values"), true))
			interchange_settle(in, interchange_name_of(of), -1);
		if (add_case(in, of))
			i++;
		else
			leave_out(in, i);
	}
	for (size_t i = 0; i < draft->case_count; i++)
		if (apply_case(draft, i, in->error) != 0)
			return -1;
	return check_options(draft, in->error);
}

/* What tells hosts apart: what the files say of the machine, or the name alone that the user gives. */
static void add_host(struct interchange_draft *draft)
{
	static const char *const parts[] = {"name", "cpu", "processors"};
	struct bench_run *run = draft->run;
	const char *named = draft->options->host;
	uint64_t hash = BENCH_HASH_START;
	if (named || !*bench_record_fact(run, "name"))
		bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "name",
					   named ? named : "unknown");
	for (size_t i = 0; i < (named ? 1 : sizeof(parts) / sizeof(parts[0])); i++) {
		const char *value = bench_record_fact(run, parts[i]);
		hash = bench_hash_bytes(hash, value, strlen(value) + 1);
	}
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "fingerprint",
				   bench_arena_format(&run->arena, "%016llx", (unsigned long long)hash));
}

static void add_commit(struct interchange_draft *draft)
{
	struct bench_git *git = &draft->run->git;
	const struct bench_interchange_options *options = draft->options;
	if (options->commit) {
		git->present = true;
		git->commit = bench_arena_string(&draft->run->arena, options->commit);
	}
	if (options->branch)
		git->branch = bench_arena_string(&draft->run->arena, options->branch);
}

static int complete(struct interchange_reader *in)
{
	struct interchange_draft *draft = in->draft;
	struct bench_run *run = draft->run;
	if (check_options(draft, in->error) != 0)
		return -1;
	if (run->started == 0)
		run->started = draft->options->started;
	run->finished = run->started;
	run->preset = bench_arena_string(&run->arena, BENCH_RECORD_IMPORTED);
	run->command = bench_arena_string(&run->arena, draft->options->command);
	run->invocations = 1;
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, BENCH_INTERCHANGE_LABEL,
				   in->format);
	add_host(draft);
	add_commit(draft);
	tell_apart(draft);
	if (add_cases(in) != 0)
		return -1;
	bench_record_finalise(run);
	return bench_record_check(run, in->error);
}

int interchange_finish(struct interchange_reader *in)
{
	struct interchange_draft *draft = in->draft;
	struct bench_interchange_runs *runs = draft->runs;
	struct bench_run *run = draft->run;
	const int result = complete(in);
	if (result == 0) {
		BENCH_PUSH(&runs->arena, runs->list, runs->count) = run;
	} else {
		const struct bench_error cause = *in->error;
		bench_fail(in->error, cause.code, "%.300s: %s", in->file->path, cause.text);
		bench_record_free(run);
	}
	draft->run = bench_record_new();
	draft->cases = draft->entered = NULL;
	draft->case_count = 0;
	in->arena = &draft->run->arena;
	return result;
}
