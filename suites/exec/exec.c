/* SPDX-License-Identifier: MIT */
/* Suites of commands: the hooks. docs/suites/exec.md says what is measured, and how to read it. */
#include "suites/exec/exec.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/file.h"
#include "kit/counters.h"
#include "suites/exec/start.h"
#include "suites/operands.h"

#define STARTUPS     5  /* of the shell, before the first sample */
#define MOST_PRINTED 64 /* outputs that wait to be looked at */
#define CPU_SETS     8  /* of cpu_set_t: masks of 8192 processors */

const struct bench_metric_spec bench_exec_metrics[BENCH_EXEC_METRICS] = {
	[BENCH_EXEC_CPU] = {"cpu_time", "s", BENCH_BETTER_LOWER,
			    "of processors, with what it has waited for"},
	/* Which of both a short time was is the kernel's guess. */
	[BENCH_EXEC_USER] = {"user_time", "s", BENCH_BETTER_NONE, "the part of cpu_time in user space"},
	[BENCH_EXEC_SYSTEM] = {"system_time", "s", BENCH_BETTER_NONE, "the part of cpu_time in the kernel"},
	[BENCH_EXEC_PEAK] = {"peak_memory", "B", BENCH_BETTER_LOWER,
			     "most memory that the largest of its processes held"},
	[BENCH_EXEC_COUNTED + BENCH_COUNTER_INSTRUCTIONS] = {"instructions", "count", BENCH_BETTER_LOWER,
							     "in user space, with what it started"},
	[BENCH_EXEC_COUNTED + BENCH_COUNTER_CYCLES] = {"cycles", "count", BENCH_BETTER_NONE, "likewise"},
	[BENCH_EXEC_COUNTED + BENCH_COUNTER_CACHE_MISSES] = {"cache_misses", "count", BENCH_BETTER_NONE,
							     "of the last level, likewise"},
	[BENCH_EXEC_STARTUP] = {"shell_startup", "s", BENCH_BETTER_NONE, "of the shell, that runs nothing"},
	[BENCH_EXEC_NET] = {"net_time", "s", BENCH_BETTER_LOWER, "time less the median of shell_startup"},
};

struct values {
	double *all;
	size_t count;
};

struct state {
	struct bench_arena arena;
	const struct bench_exec *exec;
	struct bench_exec_guard guard;
	struct bench_exec_start start, empty;     /* the command; the shell that runs nothing */
	struct bench_exec_start prepare, cleanup; /* without words: none */
	struct bench_exec_end end;                /* of the last run */
	bool ended;                               /* there was one since prepare */
	uint64_t runs;                            /* since prepare */
	const char *expected;                     /* what the output must be; NULL: not given so */
	struct bench_counters counters;
	char uncounted[1100]; /* why nothing is counted, or "" */
	double floor_bytes;   /* what a process of this one's begins with: no peak below it shows */
	cpu_set_t processors[CPU_SETS];

	/* Of the last call of run(), per iteration. */
	double seconds, last[BENCH_EXEC_STARTUP];
	uint64_t iterations;
	double picked[BENCH_EXEC_FIGURES]; /* sums over the runs of it whose output has been looked at */
	/* What runs have printed that is not looked at yet, so that none of their time goes to it. */
	struct bench_text printed[MOST_PRINTED];
	size_t printed_count, printed_bytes, printed_before; /* before the last call of run() */
	/* Of the samples; by metric. */
	struct values samples[BENCH_EXEC_METRICS], figures[BENCH_EXEC_FIGURES], times;
	double peak_bytes;
};

static const struct bench_exec_command *command_of(const struct bench_case *bench_case)
{
	return &bench_exec_of(bench_case)->commands[bench_case->values[0].integer];
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	(void)error;
	work->host_bytes = bench_exec_of(bench_case)->output_limit;
	work->samples = bench_exec_of(bench_case)->runs;
	return 0;
}

/* The file as it is seen from the command's directory. */
static int read_expected(const struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	const char *directory = state->exec->directory, *name = state->exec->expected.file;
	char *data;
	size_t length;
	state->expected = state->exec->expected.output;
	if (!name)
		return 0;
	name = bench_exec_fill(bench_case, name, &state->arena);
	const char *path = directory && *name != '/'
				   ? bench_arena_format(&state->arena, "%s/%s", directory, name)
				   : name;
	if (bench_file_read(path, state->exec->output_limit, &data, &length, error) != 0) {
		error->code = BENCH_FAILED;
		return -1;
	}
	state->expected = bench_arena_string(&state->arena, data);
	free(data);
	return 0;
}

/* The harness binds this thread while it measures. The command is not bound: it may run where setup could. */
static int run_anywhere(struct state *state, const struct bench_exec_start *start, struct bench_error *error)
{
	cpu_set_t own[CPU_SETS];
	bool known = sched_getaffinity(0, sizeof(own), own) == 0;
	if (known)
		sched_setaffinity(0, sizeof(state->processors), state->processors);
	int result = bench_exec_run(start, &state->end, error);
	if (known)
		sched_setaffinity(0, sizeof(own), own);
	return result;
}

static int take_startup(struct state *state, struct bench_error *error)
{
	double before = bench_clock_seconds();
	struct bench_exec_end last = state->end;
	state->end = (struct bench_exec_end){0};
	int result = run_anywhere(state, &state->empty, error);
	bench_text_free(&state->end.output);
	state->end = last;
	if (result != 0)
		return -1;
	struct values *values = &state->samples[BENCH_EXEC_STARTUP];
	BENCH_PUSH(&state->arena, values->all, values->count) = bench_clock_seconds() - before;
	return 0;
}

static int open_shell(const struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	char **words = bench_arena_alloc(&state->arena, 4, sizeof(*words));
	memcpy(words, state->start.words, 3 * sizeof(*words));
	words[2] = bench_arena_string(&state->arena, "");
	state->empty = state->start;
	state->empty.words = words;
	state->empty.output = state->start.output ? "/dev/null" : NULL;
	for (int i = 0; i < STARTUPS; i++)
		if (take_startup(state, error) != 0)
			return -1;
	return 0;
}

static int before_call(struct bench_case *bench_case, struct bench_error *error);
static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error);

/* The file that its standard output goes to; NULL: it is read. */
static const char *output_of(const struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	const char *output = bench_exec_of(bench_case)->output;
	if (strcmp(output, BENCH_EXEC_PIPE) == 0)
		return NULL;
	return strcmp(output, BENCH_EXEC_NULL) == 0 ? "/dev/null"
						    : bench_exec_fill(bench_case, output, &state->arena);
}

/* "prepare" and "cleanup", whose output goes nowhere. */
static int make_asides(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	const struct bench_exec *exec = state->exec;
	const struct bench_exec_start usual = {.directory = exec->directory,
					       .output = "/dev/null",
					       .limit = exec->output_limit,
					       .guard = &state->guard};
	state->prepare = state->cleanup = usual;
	bench_case->fresh = true;
	bench_case->before_call = exec->prepare.words ? before_call : NULL;
	if ((exec->prepare.words &&
	     bench_exec_make_start(bench_case, &exec->prepare, &state->arena, &state->prepare, error) != 0) ||
	    (exec->cleanup.words &&
	     bench_exec_make_start(bench_case, &exec->cleanup, &state->arena, &state->cleanup, error) != 0))
		return bench_fail(error, BENCH_FAILED, "%s: %s",
				  state->prepare.words && !state->prepare.program ? "prepare" : "cleanup",
				  error->text);
	return 0;
}

static int warm_up(struct bench_case *bench_case, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	for (size_t i = 0; i < state->exec->warmups; i++)
		if ((bench_case->before_call && bench_case->before_call(bench_case, error) != 0) ||
		    run(bench_case, 1, error) != 0)
			return -1;
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_state_make(bench_case, sizeof(*state), "exec", error);
	struct rusage own;
	struct bench_error cause;
	if (!state)
		return -1;
	state->exec = bench_exec_of(bench_case);
	const struct bench_exec *exec = state->exec;
	state->start = (struct bench_exec_start){
		.directory = exec->directory,
		.input = exec->input ? bench_exec_fill(bench_case, exec->input, &state->arena) : NULL,
		.output = output_of(bench_case),
		.keep_output = exec->looked_at,
		.limit = exec->output_limit,
		.guard = &state->guard};
	sched_getaffinity(0, sizeof(state->processors), state->processors);
	if (bench_exec_make_start(bench_case, command_of(bench_case), &state->arena, &state->start, error) !=
		    0 ||
	    read_expected(bench_case, error) != 0 || bench_exec_guard_open(&state->guard, error) != 0 ||
	    make_asides(bench_case, error) != 0)
		return -1;
	if (bench_counters_open(&state->counters, BENCH_COUNTED_STARTED, bench_counters_cpu,
				BENCH_COUNTERS_CPU, &cause) != 0)
		snprintf(state->uncounted, sizeof(state->uncounted), "unsupported: %s", cause.text);
	if (exec->shell && open_shell(bench_case, error) != 0)
		return -1;
	if (getrusage(RUSAGE_SELF, &own) == 0)
		state->floor_bytes = 1024 * (double)own.ru_maxrss;
	return warm_up(bench_case, error);
}

/*
 * Who asks a command to end may be asking this process as well, as a batch system does with all of a job: the
 * next moment tells, and then it was not the command's doing.
 */
static void wait_for_own_end(int status)
{
	/* If a signal ended its command, a shell exits with 128 plus the signal's number. */
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
	if (number == SIGTERM || number == SIGINT || number == SIGHUP)
		usleep(200000);
}

/* Has it ended as it should? */
static int check_end(const struct state *state, struct bench_error *error)
{
	const struct bench_exec_end *end = &state->end;
	const char *colon = end->complaint[0] ? ": " : "";
	if (end->flooded)
		return bench_fail(
			error, BENCH_FAILED,
			"printed more than %zu bytes, and was ended ('output_limit' says how many it may)",
			state->exec->output_limit);
	if (WIFSIGNALED(end->status) || WEXITSTATUS(end->status) != state->exec->status)
		wait_for_own_end(end->status);
	if (WIFSIGNALED(end->status))
		return bench_fail(error, BENCH_FAILED, "ended by SIG%s (%s)%s%s",
				  sigabbrev_np(WTERMSIG(end->status)) ? sigabbrev_np(WTERMSIG(end->status))
								      : "?",
				  strsignal(WTERMSIG(end->status)), colon, end->complaint);
	if (WEXITSTATUS(end->status) != state->exec->status)
		return bench_fail(error, BENCH_FAILED, "exit status %d, not %d%s%s", WEXITSTATUS(end->status),
				  state->exec->status, colon, end->complaint);
	return 0;
}

/* Runs a command beside the one that is measured. */
static int run_aside(const struct state *state, const struct bench_exec_command *command,
		     const struct bench_exec_start *start, struct bench_error *error)
{
	struct bench_exec_end end = {0};
	struct bench_text line = {0};
	int result = bench_exec_run(start, &end, error);
	if (result == 0 && end.status != 0) {
		for (char *const *word = start->words; *word; word++)
			bench_text_add(&line, "%s%s", word == start->words ? "" : " ", *word);
		const bool ended = WIFSIGNALED(end.status);
		result = bench_fail(error, BENCH_FAILED, "%s: '%.100s': %s %d%s%s", command->name,
				    state->exec->shell ? start->words[2] : line.data,
				    ended ? "ended by signal" : "exit status",
				    ended ? WTERMSIG(end.status) : WEXITSTATUS(end.status),
				    end.complaint[0] ? ": " : "", end.complaint);
		bench_text_free(&line);
	}
	bench_text_free(&end.output);
	return result;
}

static int before_call(struct bench_case *bench_case, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	return run_aside(state, &state->exec->prepare, &state->prepare, error);
}

/* The number in the output that a pattern has its group around. */
static int pick(const struct state *state, const struct bench_text *printed, size_t index, double *value,
		struct bench_error *error)
{
	const struct bench_exec_figure *figure = &state->exec->figures[index];
	const char *name = state->exec->metrics[index].name;
	const char *output = printed->length ? printed->data : "";
	regmatch_t at[2];
	if (regexec(&figure->pattern, output, 2, at, 0) != 0 || at[1].rm_so < 0)
		return bench_fail(error, BENCH_FAILED, "metric %s: the output has nothing that matches '%s'",
				  name, figure->text);
	char text[128];
	int length =
		snprintf(text, sizeof(text), "%.*s", (int)(at[1].rm_eo - at[1].rm_so), output + at[1].rm_so);
	if (length >= (int)sizeof(text) || !bench_text_real(text, value))
		return bench_fail(error, BENCH_FAILED, "metric %s: '%s' in the output is no number", name,
				  text);
	*value = *value * figure->times / figure->over;
	bool time = strcmp(state->exec->metrics[index].unit, "s") == 0;
	if (!isfinite(*value) || (time && !(*value > 0)))
		return bench_fail(error, BENCH_FAILED, "metric %s: '%s' in the output is no %s", name, text,
				  time ? "time, which is above 0" : "number that can be kept");
	return 0;
}

/* Looks at what runs have printed: each has all figures, and the sample's are the mean of its runs'. */
static int settle(struct state *state, struct bench_error *error)
{
	int result = 0;
	for (size_t r = 0; r < state->printed_count; r++) {
		for (size_t i = 0; i < state->exec->figure_count && result == 0; i++) {
			double value;
			result = pick(state, &state->printed[r], i, &value, error);
			if (result == 0 && r >= state->printed_before)
				state->picked[i] += value;
		}
		bench_text_free(&state->printed[r]);
	}
	state->printed_count = state->printed_before = state->printed_bytes = 0;
	return result;
}

/* Keeps what the last run has printed, as the next one's takes its place. */
static int put_by(struct state *state, struct bench_error *error)
{
	struct bench_text *output = &state->end.output;
	if (!state->exec->figure_count || !state->ended)
		return 0;
	state->printed_bytes += output->length;
	state->printed[state->printed_count++] = *output;
	*output = (struct bench_text){0};
	state->ended = false;
	return state->printed_count == MOST_PRINTED || state->printed_bytes > BENCH_EXEC_OUTPUT
		       ? settle(state, error)
		       : 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	bench_exec_end_left();
	if (put_by(state, error) != 0 || settle(state, error) != 0)
		return -1;
	state->end.output.length = 0;
	state->ended = false;
	state->runs = 0;
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	double before[BENCH_COUNTERS_CPU] = {0}, after[BENCH_COUNTERS_CPU] = {0}, user = 0, system = 0;
	memset(state->picked, 0, sizeof(state->picked));
	state->printed_before = SIZE_MAX;
	state->iterations = iterations;
	bench_counters_read(&state->counters, before);
	double start = bench_clock_seconds();
	for (uint64_t i = 0; i < iterations; i++) {
		if (put_by(state, error) != 0)
			return -1;
		if (i == 0)
			state->printed_before = state->printed_count;
		if (run_anywhere(state, &state->start, error) != 0 || check_end(state, error) != 0)
			return -1;
		state->runs++;
		user += state->end.user;
		system += state->end.system;
		state->peak_bytes = fmax(state->peak_bytes, state->end.peak_bytes);
		state->ended = true;
	}
	state->seconds = (bench_clock_seconds() - start) / (double)iterations;
	bench_counters_read(&state->counters, after);
	state->last[BENCH_EXEC_CPU] = (user + system) / (double)iterations;
	state->last[BENCH_EXEC_USER] = user / (double)iterations;
	state->last[BENCH_EXEC_SYSTEM] = system / (double)iterations;
	for (size_t i = 0; i < BENCH_COUNTERS_CPU; i++)
		state->last[BENCH_EXEC_COUNTED + i] = (after[i] - before[i]) / (double)iterations;
	return 0;
}

static void keep(struct state *state, struct values *values, double value)
{
	BENCH_PUSH(&state->arena, values->all, values->count) = value;
}

static int observe(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	double value;
	(void)iterations;
	bench_exec_end_left();
	for (size_t i = 0; i < BENCH_EXEC_STARTUP; i++)
		keep(state, &state->samples[i], state->last[i]);
	keep(state, &state->times, state->seconds);
	if (settle(state, error) != 0)
		return -1;
	for (size_t i = 0; i < state->exec->figure_count; i++) {
		if (pick(state, &state->end.output, i, &value, error) != 0)
			return -1;
		keep(state, &state->figures[i], (state->picked[i] + value) / (double)state->iterations);
	}
	return state->exec->shell ? take_startup(state, error) : 0;
}

/* Counts the line in which they differ; 0: they are the same. */
static size_t differs_in_line(const struct bench_text *output, const char *expected)
{
	size_t line = 1, at = 0, length = strlen(expected);
	for (; at < output->length && at < length && output->data[at] == expected[at]; at++)
		line += expected[at] == '\n';
	return at == output->length && at == length ? 0 : line;
}

static void check_output(const struct state *state, struct bench_check *check)
{
	const struct bench_exec *exec = state->exec;
	const struct bench_text *output = &state->end.output;
	size_t line = state->expected ? differs_in_line(output, state->expected) : 0;
	const char *what = exec->expected.file ? "the file" : "the text";
	if (line > 0)
		snprintf(check->method, sizeof(check->method), "output differs from %s given in line %zu",
			 what, line);
	else if (state->expected)
		snprintf(check->method, sizeof(check->method), "output against %s given", what);
	else if (exec->expected.match)
		snprintf(check->method, sizeof(check->method), "output against a regular expression");
	else
		snprintf(check->method, sizeof(check->method), "exit status %d", exec->status);
	check->error = line > 0 ||
		       (exec->expected.match &&
			regexec(&exec->expected.pattern, output->length ? output->data : "", 0, NULL, 0));
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	struct state *state = bench_case->state;
	double value;
	*check = (struct bench_check){.error = 0};
	if (!state->ended || state->runs != iterations)
		return bench_fail(error, BENCH_FAILED, "%" PRIu64 " runs in place of %" PRIu64, state->runs,
				  iterations);
	if (settle(state, error) != 0)
		return -1;
	check_output(state, check);
	for (size_t i = 0; !(check->error > 0) && i < state->exec->figure_count; i++)
		if (pick(state, &state->end.output, i, &value, error) != 0)
			return -1;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The startup that is taken off, and how much it varies. */
static double median_startup(const struct state *state, double *spread)
{
	const struct values *values = &state->samples[BENCH_EXEC_STARTUP];
	size_t count = values->count;
	qsort(values->all, count, sizeof(double), compare_numbers);
	*spread = values->all[3 * count / 4] - values->all[count / 4];
	return values->all[count / 2];
}

static void report_net(const struct state *state, const struct bench_metric_spec *metric,
		       const struct bench_report *report)
{
	double spread, startup = median_startup(state, &spread);
	bool clear = state->times.count > 0;
	for (size_t i = 0; i < state->times.count; i++)
		clear &= state->times.all[i] - startup > spread;
	if (!clear)
		report->note(report->context, metric->name, "none: the shell's own start takes up the time");
	for (size_t i = 0; clear && i < state->times.count; i++)
		report->value(report->context, metric, state->times.all[i] - startup);
}

static void report_peak(const struct state *state, const struct bench_metric_spec *metric,
			const struct bench_report *report)
{
	char note[128];
	if (state->peak_bytes > state->floor_bytes) {
		report->value(report->context, metric, state->peak_bytes);
		return;
	}
	/* A new process begins as a copy of this one, which counts. */
	snprintf(note, sizeof(note), "none: below %.0f MiB, which the measuring process has itself",
		 ceil(state->floor_bytes / 0x1p20));
	report->note(report->context, metric->name, note);
}

/* All runs have been made, also where they went wrong. */
static int clean_up(struct state *state, struct bench_error *error)
{
	const struct bench_exec_start cleanup = state->cleanup;
	state->cleanup.program = NULL;
	return cleanup.program ? run_aside(state, &state->exec->cleanup, &cleanup, error) : 0;
}

static int report(struct bench_case *bench_case, const struct bench_report *report, struct bench_error *error)
{
	struct state *state = bench_case->state;
	const struct bench_exec *exec = state->exec;
	const struct bench_metric_spec *own = exec->metrics + exec->figure_count;
	if (clean_up(state, error) != 0)
		return -1;
	for (size_t i = 0; i < exec->figure_count; i++)
		for (size_t j = 0; j < state->figures[i].count; j++)
			report->value(report->context, &exec->metrics[i], state->figures[i].all[j]);
	for (size_t i = 0; own[i].name; i++) {
		const struct values *values = &state->samples[i];
		bool counted = i >= BENCH_EXEC_COUNTED && i < BENCH_EXEC_STARTUP;
		if (i == BENCH_EXEC_PEAK)
			report_peak(state, &own[i], report);
		else if (i == BENCH_EXEC_NET)
			report_net(state, &own[i], report);
		else
			for (size_t j = 0; j < values->count && (!counted || state->counters.count); j++)
				if (isfinite(values->all[j]))
					report->value(report->context, &own[i], values->all[j]);
	}
	if (state->uncounted[0])
		report->note(report->context, "counters", state->uncounted);
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	struct bench_error unused; /* the case has failed already, and says why */
	clean_up(state, &unused);
	bench_exec_guard_close(&state->guard);
	bench_counters_close(&state->counters);
	bench_text_free(&state->end.output);
	for (size_t i = 0; i < state->printed_count; i++)
		bench_text_free(&state->printed[i]);
	bench_arena_free(&state->arena);
	bench_state_free(bench_case);
}

const struct bench_suite bench_exec_hooks = {
	.abi = BENCH_SUITE_ABI,
	.summary = "commands, from their start to their end",
	.host_only = true,
	.work = work,
	.setup = setup,
	.run = run,
	.prepare = prepare,
	.check = check,
	.observe = observe,
	.report = report,
	.teardown = teardown,
};
