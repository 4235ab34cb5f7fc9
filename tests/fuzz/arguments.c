/* SPDX-License-Identifier: MIT */
/* The command line, an argument a line: options, sweeps, filters and targets, up to the plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "fuzz.h"
#include "suites/suites.h"

#define MOST_ARGUMENTS 64
#define MOST_BYTES     2048
#define MOST_CASES     200 /* that are looked at */

static const struct bench_device_info board[] = {
	{.slug = "slow-cpu", .name = "Slow CPU", .kind = BENCH_DEVICE_CPU, .memory_bytes = UINT64_C(1) << 34},
	{.slug = "big-gpu", .name = "Big GPU", .kind = BENCH_DEVICE_GPU, .memory_bytes = UINT64_C(1) << 36},
	{.slug = "big-gpu", .name = "Big GPU", .kind = BENCH_DEVICE_GPU, .memory_bytes = UINT64_C(1) << 36},
};

static int board_devices(struct bench_device_info *info, size_t capacity, size_t *count,
			 struct bench_error *error)
{
	(void)error;
	*count = sizeof(board) / sizeof(board[0]);
	for (size_t i = 0; i < capacity && i < *count; i++)
		info[i] = board[i];
	return 0;
}

static int no_devices(struct bench_device_info *info, size_t capacity, size_t *count,
		      struct bench_error *error)
{
	(void)info;
	(void)capacity;
	(void)count;
	return bench_fail(error, BENCH_UNSUPPORTED, "no platform: install a driver");
}

static const struct bench_backend board_backend = {.name = "board", .devices = board_devices};
static const struct bench_backend bare_backend = {.name = "bare", .devices = no_devices};
static const struct bench_backend *const backends[] = {&board_backend, &bare_backend, NULL};
/* Without those whose cases read files. */
static const struct bench_suite *const suites[] = {&bench_suite_gemm, &bench_suite_transfer,
						   &bench_suite_null, NULL};

static const struct cli_option options[] = {
	CLI_OPTIONS_MEASURING,
	CLI_OPTIONS_COMPARE_WITH("what to compare with"),
	{0},
};
static const struct cli_verb verb = {.name = "run", .options = options, .max_operands = 2};

/* In place of bench_plan_probe, which forks. */
int __wrap_bench_plan_probe(const struct bench_backend *backend, struct bench_arena *arena,
			    struct bench_device_info **devices, size_t *count, struct bench_error *error);

int __wrap_bench_plan_probe(const struct bench_backend *backend, struct bench_arena *arena,
			    struct bench_device_info **devices, size_t *count, struct bench_error *error)
{
	return bench_plan_target_devices(backend, arena, devices, count, error);
}

/* What a plan accepts, a record and its keys do. */
static void check_plan(const struct bench_plan *plan)
{
	struct bench_run *run = bench_record_new();
	struct bench_error error;
	for (size_t c = 0; c < plan->case_count && c < MOST_CASES; c++) {
		const struct bench_planned *planned = &plan->cases[c];
		const struct bench_target *target = &plan->targets[planned->target];
		const char *backend = planned->suite->host_only ? "host" : target->backend->name;
		const char *device = planned->suite->host_only ? "cpu" : target->info.slug;
		struct bench_attribute values[32];
		FUZZ_CHECK(planned->value_count <= 32);
		for (size_t i = 0; i < planned->value_count; i++)
			values[i] = (struct bench_attribute){
				(char *)(uintptr_t)planned->suite->params[i].name, planned->values[i].text};
		if (!bench_record_add_case(run, planned->suite->name, backend, device, values,
					   planned->value_count, &error))
			fuzz_fail("%s", error.text);
	}
	bench_record_free(run);
}

static void make_plan(const struct bench_app_cases *cases)
{
	const struct bench_app_preset *preset;
	struct bench_plan *plan;
	struct bench_error error = {0};
	struct bench_arena arena = {0};
	const struct bench_suite *const *chosen;
	if (bench_app_preset(cases->preset, &preset, &error) == 0 &&
	    bench_app_suites(cases, &arena, &chosen, &error) == 0) {
		const struct bench_plan_options wanted = {.suites = suites,
							  .backends = backends,
							  .backend_text = cases->backends,
							  .preset = preset->sweeps,
							  .sets = cases->sets,
							  .set_count = cases->set_count,
							  .filter = cases->filter};
		if (bench_plan_make(&wanted, &plan, &error) == 0) {
			check_plan(plan);
			bench_plan_free(plan);
		}
	}
	bench_arena_free(&arena);
}

/* The request's command; NULL where there is no request of these arguments. In `arena`. */
static const char *read_request(int argc, char **argv, struct bench_arena *arena, struct cli_args *args,
				struct bench_app_request *request)
{
	struct bench_compare_options judging;
	struct bench_error error = {0};
	bool taken = cli_parse(&verb, argc, argv, arena, args, &error) == 0 && !args->help &&
		     cli_read_request(args, request, &error) == 0 &&
		     cli_read_comparing(args, NULL, &judging, &error) == 0;
	if (!taken) {
		FUZZ_CHECK(args->help || (error.code == BENCH_USAGE && *error.text));
		return NULL;
	}
	FUZZ_CHECK(judging.alpha > 0 && judging.alpha < 1 && isfinite(judging.threshold));
	FUZZ_CHECK(request->time_limit > 0 && request->precision >= 0 && request->budget_seconds >= 0);
	return request->command;
}

/* The command that a run records asks for the same run. */
static void check_command(const char *command)
{
	struct cli_args args = {0};
	struct bench_arena arena = {0};
	struct bench_app_request request;
	char *words = fuzz_string((const uint8_t *)command, strlen(command)), *rest = words, *word;
	char *argv[2 * MOST_ARGUMENTS + 2];
	int argc = 0;
	bool open = false;
	while ((word = bench_text_next_shell(&rest, &open))) {
		FUZZ_CHECK(!open && argc < 2 * MOST_ARGUMENTS + 2);
		argv[argc++] = word;
	}
	FUZZ_CHECK(argc >= 2);
	const char *again = read_request(argc - 2, argv + 2, &arena, &args, &request);
	if (!again || strcmp(again, command) != 0)
		fuzz_fail("%s\n%s", command, again ? again : "is not taken");
	bench_arena_free(&arena);
	free(words);
}

void fuzz_arguments(const uint8_t *data, size_t size)
{
	struct cli_args args = {0};
	struct bench_arena arena = {0};
	struct bench_app_request request;
	char *argv[MOST_ARGUMENTS], *line;
	int argc = 0;
	if (size > MOST_BYTES)
		return;
	char *text = fuzz_string(data, size), *rest = text;
	while (argc < MOST_ARGUMENTS && (line = strsep(&rest, "\n")))
		argv[argc++] = line;
	const char *command = read_request(argc, argv, &arena, &args, &request);
	if (command) {
		check_command(command);
		make_plan(&request.cases);
	}
	bench_arena_free(&arena);
	free(text);
}
