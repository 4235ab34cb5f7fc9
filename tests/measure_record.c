/* SPDX-License-Identifier: MIT */
/*
 * What the record costs a long run: measures a suite of tiny cases in real worker processes, and prints at
 * every tenth of the run the memory of this process and the time that it spent on the record, beside all of
 * its own processor time. A program to look at, not a test of time:
 *
 *     measure_record [CASES [INVOCATIONS]]     CASES a multiple of 4; 724 and 10 take some minutes
 *
 * It is linked so that the calls of the record go through the functions here (--wrap).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/text.h"
#include "measure/session/journal.h"
#include "measure/session/session.h"
#include "measure/worker/worker.h"

#define SAMPLES 20
#define SPIN_NS 100000
#define PARTS   4

static const struct bench_param params[] = {
	{"n", BENCH_PARAM_INT, "1", NULL, 1, 1000000, "tells the cases apart"},
	{"part", BENCH_PARAM_INT, "1", NULL, 1, PARTS, "so does this: a parameter has at most 256 values"},
	{0},
};
static const char *const quick[] = {"n=1", NULL};

static int tiny_work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	(void)bench_case;
	(void)error;
	/* All rates are derived. */
	*work = (struct bench_work){.flops = 1e3, .bytes = 1e3, .items = 1, .samples = SAMPLES};
	return 0;
}

static int tiny_setup(struct bench_case *bench_case, struct bench_error *error)
{
	(void)bench_case;
	(void)error;
	return 0;
}

static int tiny_run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	(void)bench_case;
	(void)error;
	uint64_t until = bench_clock_real.now_ns(bench_clock_real.context) + SPIN_NS * iterations;
	while (bench_clock_real.now_ns(bench_clock_real.context) < until)
		;
	return 0;
}

static int tiny_check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		      struct bench_error *error)
{
	(void)bench_case;
	(void)iterations;
	(void)error;
	*check = (struct bench_check){.tolerance = 1, .method = "none"};
	return 0;
}

static void tiny_teardown(struct bench_case *bench_case)
{
	(void)bench_case;
}

static const struct bench_suite tiny_suite = {.abi = BENCH_SUITE_ABI,
					      .name = "tiny",
					      .summary = "a spin",
					      .params = params,
					      .sweeps = {quick, NULL, NULL},
					      .host_only = true,
					      .work = tiny_work,
					      .setup = tiny_setup,
					      .run = tiny_run,
					      .check = tiny_check,
					      .teardown = tiny_teardown};
static const struct bench_suite *const suites[] = {&tiny_suite, NULL};
static const struct bench_backend *const backends[] = {NULL};

static double seconds_now(void)
{
	return (double)bench_clock_real.now_ns(bench_clock_real.context) * 1e-9;
}

static double record_seconds;

int __real_bench_session_journal_catch_up(struct bench_journal *journal, struct bench_error *error);
int __wrap_bench_session_journal_catch_up(struct bench_journal *journal, struct bench_error *error);
void __real_bench_record_finalise(struct bench_run *run);
void __wrap_bench_record_finalise(struct bench_run *run);

int __wrap_bench_session_journal_catch_up(struct bench_journal *journal, struct bench_error *error)
{
	double start = seconds_now();
	int result = __real_bench_session_journal_catch_up(journal, error);
	record_seconds += seconds_now() - start;
	return result;
}

void __wrap_bench_record_finalise(struct bench_run *run)
{
	double start = seconds_now();
	__real_bench_record_finalise(run);
	record_seconds += seconds_now() - start;
}

struct watching {
	const struct bench_run *run;
	size_t shown; /* tenths */
};

static long resident_kib(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");
	if (file && fscanf(file, "%*d %ld", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void show(const struct watching *watching, size_t done, double elapsed)
{
	struct rusage own;
	getrusage(RUSAGE_SELF, &own);
	double cpu = (double)own.ru_utime.tv_sec + 1e-6 * (double)own.ru_utime.tv_usec +
		     (double)own.ru_stime.tv_sec + 1e-6 * (double)own.ru_stime.tv_usec;
	printf("%8zu %9.1f %12ld %13zu %9.3f %6.2f %9.3f %6.2f\n", done, elapsed, resident_kib(),
	       bench_arena_bytes(&watching->run->arena) / 1024, record_seconds,
	       100 * record_seconds / elapsed, cpu, 100 * cpu / elapsed);
	fflush(stdout);
}

static void on_progress(void *context, const struct bench_session_progress *progress)
{
	struct watching *watching = context;
	if (progress->done * 10 < (watching->shown + 1) * progress->total)
		return;
	watching->shown = progress->done * 10 / progress->total;
	show(watching, progress->done, progress->elapsed);
}

static int measure(size_t cases, unsigned invocations, const char *folder_path, struct bench_error *error)
{
	struct bench_text set = {0};
	for (size_t i = 1; i <= cases / PARTS; i++)
		bench_text_add(&set, "%s%zu", i == 1 ? "n=" : ",", i);
	const char *const sets[] = {set.data, "part=1,2,3,4"};
	const struct bench_plan_options options = {
		.suites = suites, .backends = backends, .sets = sets, .set_count = 2};
	struct bench_run *run = bench_record_new();
	struct watching watching = {.run = run};
	const char *const arguments[] = {"measure_record", "worker", NULL};
	const struct bench_session_options session = {.executable = "/proc/self/exe",
						      .arguments = arguments,
						      .time_limit_seconds = 60,
						      .tick_seconds = 1,
						      .progress = on_progress,
						      .context = &watching};
	struct bench_plan *plan = NULL;
	struct bench_folder folder = {.events = -1, .log = -1};
	run->started = 1767225600;
	run->invocations = invocations;
	run->precision = 0.01;
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "watch", "no");
	double start = seconds_now();
	int result = bench_plan_make(&options, &plan, error);
	if (result == 0)
		result = bench_record_folder_create(&folder, folder_path, run, NULL, NULL, error);
	printf(" workers   seconds  resident/KiB  record/KiB  record/s      %%     own/s      %%\n");
	if (result == 0)
		result = bench_session_run(run, plan, &folder, &session, error);
	if (result == 0)
		result = bench_record_folder_finish(&folder, run, error);
	if (result == 0) {
		printf("with metrics.json written:\n");
		show(&watching, cases * invocations, seconds_now() - start);
	}
	bench_record_folder_close(&folder);
	bench_plan_free(plan);
	bench_record_free(run);
	bench_text_free(&set);
	return result;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return bench_worker_serve(suites, backends, NULL, &(struct bench_error){0}) != 0;
	size_t cases = argc > 1 ? strtoul(argv[1], NULL, 10) : 724;
	unsigned invocations = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 10;
	struct bench_error error;
	char scratch[256], command[300];
	const char *folder = getenv("TMPDIR");
	snprintf(scratch, sizeof(scratch), "%s/bench-record-XXXXXX", folder ? folder : "/tmp");
	if (cases < PARTS || !invocations || !mkdtemp(scratch)) {
		fprintf(stderr, "usage: measure_record [CASES [INVOCATIONS]]\n");
		return 2;
	}
	int result = measure(cases, invocations, scratch, &error);
	if (result != 0)
		fprintf(stderr, "measure_record: %s\n", error.text);
	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	return system(command) == 0 && result == 0 ? 0 : 1;
}
