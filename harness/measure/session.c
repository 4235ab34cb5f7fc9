#include "measure/session.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/file.h"
#include "core/json.h"
#include "core/rng.h"
#include "core/text.h"
#include "measure/process.h"
#include "measure/worker.h"

#define MIN_SLICE_SECONDS       0.05
#define UNLIMITED_SLICE_SECONDS 300.0 /* without a budget: what one group may take to reach the precision */
#define FIRST_OVERHEAD_SECONDS                                                                               \
	0.2                  /* starting, setting up and checking, before any group has shown its own        \
			      */
#define LEAST_INVOCATIONS 3  /* whatever the budget: fewer say next to nothing */
#define MAX_RESTARTS      64 /* of one group in one invocation */
#define WORKER_DISK_FULL  5  /* exit status of a worker that cannot write its events */

struct session {
	struct bench_run *run;
	const struct bench_plan *plan;
	struct bench_folder *folder;
	const struct bench_session_options *options;
	struct bench_rng rng;
	struct bench_arena arena;
	bool *dropped;    /* a case: it has failed, and is not measured again */
	bool *ended;      /* a case: its end event in the present invocation is there */
	double *overhead; /* a group: seconds that its last worker took beside its slice */
	off_t read_to;    /* how far samples.jsonl has been taken into the record */
	double start;
	size_t done, total; /* workers */
	const char *current;
};

static double now(void)
{
	return (double)bench_clock_real.now_ns(bench_clock_real.context) * 1e-9;
}

static bool stopped(const struct session *session)
{
	return session->options->stop && *session->options->stop;
}

/* Seconds left of the budget; a large number where there is none. */
static double budget_left(const struct session *session)
{
	double budget = session->run->budget_seconds;
	return budget > 0 ? budget - (now() - session->start) : 1e9;
}

static void show(struct session *session, const struct bench_result *finished)
{
	const struct bench_session_options *options = session->options;
	if (!options->progress)
		return;
	struct bench_session_progress progress = {.done = session->done,
						  .total = session->total,
						  .elapsed = now() - session->start,
						  .left = -1,
						  .current = session->current,
						  .finished = finished};
	if (session->done)
		progress.left =
			progress.elapsed / (double)session->done * (double)(session->total - session->done);
	options->progress(options->context, &progress);
}

static void on_tick(void *context)
{
	show(context, NULL);
}

/* One event of our own: to the file first, then into the record. */
static int emit(struct session *session, cJSON *event, struct bench_error *error)
{
	char *line = cJSON_PrintUnformatted(event);
	cJSON_Delete(event);
	int result = line ? bench_folder_event(session->folder, line, error)
			  : bench_fail(error, BENCH_NO_MEMORY, "no memory for an event");
	free(line);
	return result;
}

static int emit_end(struct session *session, size_t index, unsigned invocation, enum bench_status status,
		    const char *reason, struct bench_error *error)
{
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "event", "end");
	bench_json_add_number(event, "case", (double)index);
	bench_json_add_number(event, "invocation", invocation);
	cJSON_AddStringToObject(event, "status", bench_status_name(status));
	cJSON_AddStringToObject(event, "reason", reason);
	cJSON_AddStringToObject(event, "stopped", "");
	return emit(session, event, error);
}

/* What a line says of its case: whether it has ended, and whether it is worth another invocation. */
static void note_end(struct session *session, const cJSON *event)
{
	const char *kind = bench_json_string_or(event, "event", "");
	double index = bench_json_number_or(event, "case", -1);
	if (strcmp(kind, "end") != 0 || index < 0 || index >= (double)session->plan->case_count)
		return;
	size_t i = (size_t)index;
	session->ended[i] = true;
	if (strcmp(bench_json_string_or(event, "status", ""), "ok") != 0) {
		session->dropped[i] = true;
		bench_folder_log(session->folder, "%s: %s: %s", session->plan->cases[i].key,
				 bench_json_string_or(event, "status", ""),
				 bench_json_string_or(event, "reason", ""));
	}
}

/* Takes what workers have appended to samples.jsonl into the record. */
static int catch_up(struct session *session, struct bench_error *error)
{
	int result = -1;
	struct stat status;
	char path[PATH_MAX], *data = NULL;
	int fd = -1;
	if (bench_file_join(path, sizeof(path), session->folder->path, "samples.jsonl"))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) != 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s' back", path);
		goto out;
	}
	size_t size = (size_t)(status.st_size - session->read_to);
	data = malloc(size + 1);
	ssize_t got = data ? pread(fd, data, size, session->read_to) : -1;
	if (got < 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "cannot read '%s' back", path);
		goto out;
	}
	data[got] = '\0';
	char *line = data, *end;
	for (; (end = strchr(line, '\n')); line = end + 1) {
		struct bench_error cause;
		cJSON *event = bench_json_parse(line, (size_t)(end - line), "samples.jsonl", &cause);
		if (!event || bench_record_apply(session->run, event, &cause) != 0)
			bench_folder_log(session->folder, "warning: an event was not understood: %s",
					 cause.text);
		else
			note_end(session, event);
		cJSON_Delete(event);
	}
	session->read_to += line - data;
	result = 0;
out:
	free(data);
	if (fd >= 0)
		close(fd);
	return result;
}

static char *repeat_command(struct session *session, const struct bench_planned *planned)
{
	const struct bench_target *target = &session->plan->targets[planned->target];
	struct bench_text text = {0};
	bench_text_add(&text, "bench run --suite %s", planned->suite->name);
	if (!planned->suite->host_only)
		bench_text_add(&text, " --backend %s:%zu", target->backend->name, target->index);
	const struct bench_planned *base =
		planned->base == BENCH_NO_BASE ? planned : &session->plan->cases[planned->base];
	for (size_t i = 0; i < planned->value_count; i++) {
		const struct bench_value *value = &planned->values[i], *first = &base->values[i];
		bench_text_add(&text, " --set %s=", planned->suite->params[i].name);
		bench_text_add_shell(&text, bench_value_given(first));
		if (strcmp(value->text, first->text) != 0) {
			bench_text_add(&text, ",");
			bench_text_add_shell(&text, bench_value_given(value));
		}
	}
	bench_text_add(&text, " --seed %llu", (unsigned long long)session->run->seed);
	if (session->options->threads)
		bench_text_add(&text, " --threads %u", session->options->threads);
	char *command = bench_arena_string(&session->run->arena, text.data);
	bench_text_free(&text);
	return command;
}

static int add_result(struct session *session, const struct bench_planned *planned, struct bench_error *error)
{
	struct bench_run *run = session->run;
	const struct bench_target *target = &session->plan->targets[planned->target];
	struct bench_pair *params = NULL;
	size_t count = 0;
	for (size_t i = 0; i < planned->value_count; i++)
		bench_pair_set(&session->arena, &params, &count, planned->suite->params[i].name,
			       planned->values[i].text);
	struct bench_result *result = bench_record_add_case(run, planned->suite->name, target->backend->name,
							    target->info.slug, params, count, error);
	if (!result)
		return -1;
	result->work = planned->work;
	if (planned->base != BENCH_NO_BASE)
		result->relative_to =
			bench_arena_string(&run->arena, session->plan->cases[planned->base].key);
	if (planned->base_lacks)
		bench_pair_set(&run->arena, &result->notes, &result->note_count, "relative_time",
			       planned->base_lacks);
	result->repeat = repeat_command(session, planned);
	return 0;
}

static int emit_line(struct session *session, char *line, struct bench_error *error)
{
	int result = line ? bench_folder_event(session->folder, line, error)
			  : bench_fail(error, BENCH_NO_MEMORY, "no memory for an event");
	free(line);
	return result;
}

/* The run and its cases, before anything is measured. */
static int introduce(struct session *session, struct bench_error *error)
{
	if (emit_line(session, bench_record_run_event(session->run), error) != 0)
		return -1;
	for (size_t i = 0; i < session->plan->case_count; i++) {
		if (add_result(session, &session->plan->cases[i], error) != 0 ||
		    emit_line(session, bench_record_case_event(session->run, i), error) != 0)
			return -1;
	}
	/* The record has these already; what follows in the file is news to it. */
	session->read_to = lseek(session->folder->events, 0, SEEK_END);
	for (size_t i = 0; i < session->plan->case_count; i++) {
		const char *reason = session->plan->cases[i].unsupported;
		if (reason && emit_end(session, i, 0, BENCH_STATUS_UNSUPPORTED, reason, error) != 0)
			return -1;
	}
	return catch_up(session, error);
}

/* The job of a group in an invocation: the cases that have neither ended nor been dropped. */
static struct bench_job make_job(struct session *session, size_t group, unsigned invocation, double slice)
{
	const struct bench_plan *plan = session->plan;
	struct bench_job job = {.invocation = invocation,
				.seed = session->run->seed,
				.threads = session->options->threads,
				.precision = session->run->precision,
				.slice_seconds = slice};
	for (size_t i = 0; i < plan->case_count; i++) {
		const struct bench_planned *planned = &plan->cases[i];
		if (planned->group != group || session->dropped[i] || session->ended[i])
			continue;
		const struct bench_target *target = &plan->targets[planned->target];
		struct bench_job_case *job_case =
			bench_arena_push(&session->arena, &job.cases, &job.case_count, sizeof(*job_case));
		job_case->index = i;
		job_case->backend = planned->suite->host_only ? NULL : target->backend;
		job_case->device = target->index;
		snprintf(job_case->slug, sizeof(job_case->slug), "%s", target->info.slug);
		job_case->values = planned->values;
		job_case->value_count = planned->value_count;
		job_case->base = BENCH_NO_BASE;
		job.suite = planned->suite;
	}
	for (size_t i = 0; i < job.case_count; i++)
		for (size_t j = 0; j < job.case_count; j++)
			if (plan->cases[job.cases[i].index].base == job.cases[j].index)
				job.cases[i].base = j;
	return job;
}

static const char *describe(struct session *session, const struct bench_job *job)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s", job->suite->name);
	char separator = ' ';
	for (size_t i = 0; i < job->cases[0].value_count; i++) {
		const char *name = job->suite->params[i].name;
		if (job->suite->variants && strcmp(job->suite->variants, name) == 0)
			continue;
		bench_text_add(&text, "%c%s=%s", separator, name, job->cases[0].values[i].text);
		separator = ',';
	}
	char *shown = bench_arena_string(&session->arena, text.data);
	bench_text_free(&text);
	return shown;
}

/* A worker died: the case that it was at has failed. */
static int blame(struct session *session, const struct bench_job *job, long current, const char *what,
		 struct bench_error *error)
{
	size_t index = job->cases[0].index;
	for (size_t i = 0; i < job->case_count; i++)
		if (current == (long)job->cases[i].index && !session->ended[job->cases[i].index])
			index = job->cases[i].index;
	return emit_end(session, index, job->invocation, BENCH_STATUS_FAILED, what, error);
}

/* Runs one worker on what is left of a group. */
static int run_worker(struct session *session, const struct bench_job *job, struct bench_error *error)
{
	struct bench_process process;
	char what[256], *input = bench_job_to_json(job);
	const struct bench_session_options *options = session->options;
	int started =
		bench_process_start(&process, options->executable, options->arguments, input ? input : "",
				    session->folder->events, session->folder->log, error);
	free(input);
	if (started != 0)
		return -1;
	enum bench_outcome outcome =
		bench_process_wait(&process, options->time_limit_seconds, options->tick_seconds, on_tick,
				   session, options->stop, what, sizeof(what));
	if (catch_up(session, error) != 0)
		return -1;
	if (outcome == BENCH_CRASHED && process.exit_status == WORKER_DISK_FULL)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "cannot write '%s/samples.jsonl': is the disk full?",
				  session->folder->path);
	if (outcome == BENCH_CRASHED || outcome == BENCH_HUNG) {
		if (blame(session, job, process.current, what, error) != 0 || catch_up(session, error) != 0)
			return -1;
	}
	return 0;
}

static double slice_for(const struct session *session, size_t tasks_left, double overhead_left)
{
	if (session->run->budget_seconds <= 0)
		return UNLIMITED_SLICE_SECONDS;
	double slice = (budget_left(session) - overhead_left) / (double)tasks_left;
	return slice > MIN_SLICE_SECONDS ? slice : MIN_SLICE_SECONDS;
}

static bool has_case_left(const struct session *session, size_t group)
{
	for (size_t i = 0; i < session->plan->case_count; i++)
		if (session->plan->cases[i].group == group && !session->dropped[i] && !session->ended[i])
			return true;
	return false;
}

/* One group in one invocation: a worker, and another for what is left where one died. */
static int run_group(struct session *session, size_t group, unsigned invocation, double slice,
		     struct bench_error *error)
{
	double start = now();
	for (int restart = 0; restart <= MAX_RESTARTS && has_case_left(session, group) && !stopped(session);
	     restart++) {
		struct bench_job job = make_job(session, group, invocation, slice);
		session->current = describe(session, &job);
		if (session->options->tick_seconds > 0)
			show(session, NULL);
		if (run_worker(session, &job, error) != 0)
			return -1;
	}
	double overhead = now() - start - slice;
	session->overhead[group] = overhead > 0 ? overhead : 0;
	return 0;
}

static void finish_cases(struct session *session, size_t group)
{
	bench_record_settle(session->run);
	for (size_t i = 0; i < session->plan->case_count; i++)
		if (session->plan->cases[i].group == group)
			show(session, &session->run->results[i]);
}

static int run_invocation(struct session *session, unsigned invocation, size_t *order,
			  struct bench_error *error)
{
	const struct bench_plan *plan = session->plan;
	bool last = invocation + 1 == session->run->invocations;
	memset(session->ended, 0, plan->case_count * sizeof(*session->ended));
	bench_rng_shuffle(&session->rng, order, plan->group_count);
	for (size_t g = 0; g < plan->group_count && !stopped(session); g++) {
		double overhead_left = 0;
		for (size_t h = 0; h < plan->group_count; h++)
			overhead_left +=
				session->overhead[h] * (double)(session->run->invocations - invocation - 1);
		for (size_t h = g; h < plan->group_count; h++)
			overhead_left += session->overhead[order[h]];
		if (has_case_left(session, order[g]) &&
		    run_group(session, order[g], invocation,
			      slice_for(session, session->total - session->done, overhead_left), error) != 0)
			return -1;
		session->done++;
		if (last && !stopped(session))
			finish_cases(session, order[g]);
	}
	return 0;
}

/* The budget does not hold another invocation: starting and checking took more than was thought. */
static void end_at_budget(struct session *session, unsigned done)
{
	char text[160];
	snprintf(text, sizeof(text),
		 "the budget of %.0f s was over after %u of %u invocations; --budget %.0fs would hold all",
		 session->run->budget_seconds, done, session->run->invocations,
		 ceil((now() - session->start) / done * session->run->invocations));
	bench_folder_log(session->folder, "warning: %s", text);
	if (session->options->warn)
		session->options->warn(session->options->context, text);
	for (size_t g = 0; g < session->plan->group_count; g++)
		finish_cases(session, g);
}

static int measure(struct session *session, struct bench_error *error)
{
	size_t groups = session->plan->group_count;
	size_t *order = bench_arena_alloc(&session->arena, groups, sizeof(*order));
	for (size_t g = 0; g < groups; g++) {
		order[g] = g;
		session->overhead[g] = FIRST_OVERHEAD_SECONDS;
	}
	session->total = groups * session->run->invocations;
	session->start = now();
	for (unsigned k = 0; k < session->run->invocations && !stopped(session); k++) {
		double before = now();
		if (run_invocation(session, k, order, error) != 0)
			return -1;
		/* Whole invocations only: every case has as many as the others. */
		if (k + 1 >= LEAST_INVOCATIONS && k + 1 < session->run->invocations &&
		    budget_left(session) < now() - before) {
			end_at_budget(session, k + 1);
			break;
		}
	}
	return 0;
}

static int say_finished(struct session *session, struct bench_error *error)
{
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "event", "finish");
	bench_json_add_number(event, "finished", (double)time(NULL));
	cJSON_AddBoolToObject(event, "interrupted", stopped(session));
	if (emit(session, event, error) != 0)
		return -1;
	return catch_up(session, error);
}

/*
 * GCC's OpenMP threads spin for milliseconds between parallel loops, on the cores that OpenBLAS's threads
 * need for a product in between: a layer of both took 4 ms instead of 0.2. With a few microseconds of it
 * loops in a row are as fast as ever. Read when the library is loaded: it must be there before a worker
 * starts.
 */
static void limit_spinning(void)
{
	if (!getenv("OMP_WAIT_POLICY"))
		setenv("GOMP_SPINCOUNT", "2000", 0);
}

int bench_session_run(struct bench_run *run, const struct bench_plan *plan, struct bench_folder *folder,
		      const struct bench_session_options *options, struct bench_error *error)
{
	struct session session = {
		.run = run, .plan = plan, .folder = folder, .options = options, .current = ""};
	session.dropped = bench_arena_alloc(&session.arena, plan->case_count, sizeof(*session.dropped));
	session.ended = bench_arena_alloc(&session.arena, plan->case_count, sizeof(*session.ended));
	session.overhead = bench_arena_alloc(&session.arena, plan->group_count, sizeof(*session.overhead));
	bench_rng_start(&session.rng, run->seed, 1);
	limit_spinning();
	int result = introduce(&session, error);
	if (result == 0)
		result = measure(&session, error);
	if (result == 0)
		result = say_finished(&session, error);
	bench_record_settle(run);
	bench_arena_free(&session.arena);
	return result;
}

int bench_session_worker(const struct bench_suite *const *suites, const struct bench_backend *const *backends)
{
	/* Whoever started this may be killed: a worker that measures for nobody is in everybody's way. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	struct bench_text input = {0};
	struct bench_arena arena = {0};
	struct bench_job job;
	struct bench_error error;
	char buffer[4096];
	ssize_t got;
	while ((got = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		bench_text_add_bytes(&input, buffer, (size_t)got);
	struct bench_pulse *pulse =
		mmap(NULL, sizeof(*pulse), PROT_READ | PROT_WRITE, MAP_SHARED, BENCH_WORKER_PULSE, 0);
	int status = 0;
	if (pulse == MAP_FAILED || !input.data) {
		fprintf(stderr, "bench: a worker is started by 'bench run', not by hand\n");
		status = 2;
	} else if (bench_job_from_json(input.data, input.length, suites, backends, &arena, &job, &error) !=
		   0) {
		fprintf(stderr, "bench: worker: %s\n", error.text);
		status = 2;
	} else if (bench_worker_run(&job, BENCH_WORKER_EVENTS, pulse, &error) != 0) {
		fprintf(stderr, "bench: worker: %s\n", error.text);
		status = WORKER_DISK_FULL;
	}
	bench_text_free(&input);
	bench_arena_free(&arena);
	return status;
}
