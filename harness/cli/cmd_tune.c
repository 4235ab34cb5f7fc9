/* SPDX-License-Identifier: MIT */
/* bench tune: measures which values of a backend's tunables are best on this device, and remembers them. */
#include <stdio.h>

#include "app/kernel.h"
#include "app/runs.h"
#include "app/tune.h"
#include "app/tune_kernel.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/text.h"
#include "measure/worker/tuning.h"

static const struct cli_option options[] = {
	{"backend", 'b', "B[:DEV],..", "backends; DEV is an index, a kind or part of a device's name"},
	{"only", 0, "GLOB", "only tunables whose name matches (*, ?, [...])"},
	{"kernel", 0, "F.cl", "tune your own OpenCL C kernel (docs/user-kernels.md) instead"},
	{"spec", 0, "F.json", "the specification of the kernel"},
	{"seed", 0, "N", "seed of the search of a kernel's tunables"},
	{"budget", 0, "TIME", "total time to measure, e.g. 5m"},
	{"list", 0, NULL, "list the tunables and their known values, and exit"},
	{"forget", 0, NULL, "discard what was measured on this host, and exit"},
	{"restart", 0, NULL, "repeat earlier measurements"},
	CLI_OPTION_WAIT,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_DB,
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	{"budget", NULL, NULL, "no limit"},
	{"budget", "--kernel", "5m", NULL},
	{0},
};

static int check_options(const struct cli_args *args, struct bench_error *error)
{
	static const char *const modes[] = {"list", "forget", "restart"};
	const struct bench_overrides set = cli_overrides();
	const char *const own[][2] = {{BENCH_TUNING_VARIABLE, set.tuning},
				      {BENCH_SLOWDOWN_VARIABLE, set.slowdown}};
	const char *first = NULL;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!cli_given(args, modes[i]))
			continue;
		if (first)
			return bench_fail(error, BENCH_USAGE, "--%s and --%s exclude each other", first,
					  modes[i]);
		first = modes[i];
	}
	size_t kernels;
	cli_values(args, "kernel", &kernels);
	if (kernels > 1)
		return bench_fail(error, BENCH_USAGE, "--kernel: tune one kernel at a time");
	if (kernels && cli_given(args, "only"))
		return bench_fail(error, BENCH_USAGE,
				  "--only is for the tunables of backends; those of a kernel are searched "
				  "together");
	if (!kernels && (cli_given(args, "spec") || cli_given(args, "seed")))
		return bench_fail(error, BENCH_USAGE, "--%s goes with --kernel",
				  cli_given(args, "spec") ? "spec" : "seed");
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (own[i][1] && *own[i][1] && !cli_given(args, "list") && !cli_given(args, "forget"))
			return bench_fail(error, BENCH_USAGE,
					  "%s is set, and would affect every measurement: unset it",
					  own[i][0]);
	}
	return 0;
}

/* A line of the table. */
struct row {
	const struct bench_target *target;
	const char *name, *fallback, *chosen, *candidates, *run, *help;
	const struct bench_tune_ratio *gain;
	size_t measured, left;
};

/* For people: how much less time than the default. "-" where nothing was chosen. */
static void set_gain(struct bench_grid *grid, size_t at, size_t column, const struct row *row)
{
	const struct bench_tune_ratio *gain = row->gain;
	char text[64];
	bool chosen = *row->run;
	snprintf(text, sizeof(text), "%.1f%%", 100 * (1 - gain->ratio));
	bench_render_grid_set(grid, at, column, chosen ? BENCH_TONE_GOOD : BENCH_TONE_PLAIN,
			      chosen ? text : "-");
	snprintf(text, sizeof(text), "%.1f%%..%.1f%%", 100 * (1 - gain->hi), 100 * (1 - gain->lo));
	bench_render_grid_put(grid, at, column + 1, chosen ? text : "");
}

/* For programs: the ratio of times, and its ends. */
static void set_ratio(struct bench_grid *grid, size_t at, size_t column, const struct row *row)
{
	const double values[] = {row->gain->ratio, row->gain->lo, row->gain->hi};
	for (size_t i = 0; i < 3; i++) {
		char text[32];
		snprintf(text, sizeof(text), "%.6g", values[i]);
		bench_render_grid_put(grid, at, column + i, *row->run ? text : "");
	}
}

static void set_whole(struct bench_grid *grid, size_t at, size_t column, uint64_t value)
{
	char text[32];
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	bench_render_grid_put(grid, at, column, text);
}

static void add_row(struct bench_grid *grid, const struct row *row, bool exact)
{
	BENCH_SCOPED_TEXT device = {0};
	size_t at = bench_render_grid_row(grid), column = 4;
	bench_text_add(&device, "%s:%s", row->target->backend->name, row->target->info.slug);
	bench_render_grid_put(grid, at, 0, row->name);
	bench_render_grid_put(grid, at, 1, device.data);
	bench_render_grid_put(grid, at, 2, row->fallback);
	bench_render_grid_put(grid, at, 3, row->chosen);
	(exact ? set_ratio : set_gain)(grid, at, column, row);
	column += exact ? 3 : 2;
	set_whole(grid, at, column++, row->measured);
	set_whole(grid, at, column++, row->left);
	bench_render_grid_put(grid, at, column++, row->candidates);
	bench_render_grid_put(grid, at, column++, row->run);
	bench_render_grid_put(grid, at, column++, row->help);
}

static void add_item(struct bench_grid *grid, struct bench_arena *arena,
		     const struct bench_app_tune_item *item, bool exact)
{
	const struct bench_tunable *tunable = item->tunable;
	struct bench_text candidates = {0};
	uint64_t next;
	for (size_t i = 0; i < tunable->value_count; i++)
		bench_text_add(&candidates, "%s%llu", i ? "," : "", (unsigned long long)tunable->values[i]);
	const struct row row = {
		.target = item->target,
		.name = tunable->name,
		.fallback = bench_arena_format(arena, "%llu", (unsigned long long)tunable->fallback),
		.chosen = bench_arena_format(arena, "%llu", (unsigned long long)item->current),
		.candidates = bench_text_keep(&candidates, arena),
		.run = item->run,
		.help = tunable->help,
		.gain = &item->gain,
		.measured = item->tried_count,
		.left = bench_app_tune_item_left(item, &next)};
	add_row(grid, &row, exact);
}

static void add_kernel(struct bench_grid *grid, struct bench_arena *arena,
		       const struct bench_app_tune_kernel *kernel, bool exact)
{
	const struct bench_kernel_spec *spec = kernel->spec;
	const size_t left = bench_compare_tune_space_left(&kernel->space);
	const struct row row = {
		.target = kernel->target,
		.name = spec->suite.name,
		.fallback = bench_app_tune_kernel_words(spec, 0, true, arena),
		.chosen = bench_app_tune_kernel_words(spec, kernel->current, true, arena),
		.candidates = bench_arena_format(arena, "%zu combinations", kernel->tried + left + 1),
		.run = kernel->run,
		.help = spec->suite.summary,
		.gain = &kernel->gain,
		.measured = kernel->tried,
		.left = left};
	add_row(grid, &row, exact);
}

static int show(struct cli_call *call, struct bench_app_tune *tune, int status)
{
	static const char *const people[] = {"gain", "interval"}, *const programs[] = {"ratio", "lo", "hi"};
	bool exact = call->report.format->exact;
	struct bench_grid *grid = &call->grid;
	bench_render_grid_column(grid, "tunable", false, 0);
	bench_render_grid_column(grid, "device", false, 1);
	bench_render_grid_column(grid, "default", true, 0);
	bench_render_grid_column(grid, "chosen", true, 0);
	for (size_t i = 0; i < (exact ? 3 : 2); i++)
		bench_render_grid_column(grid, exact ? programs[i] : people[i], true, 0);
	bench_render_grid_column(grid, "measured", true, 2);
	bench_render_grid_column(grid, "left", true, 2);
	bench_render_grid_column(grid, "candidates", false, 4);
	bench_render_grid_column(grid, "run", false, 5);
	bench_render_grid_column(grid, "help", false, 3);
	for (size_t i = 0; i < tune->item_count; i++)
		if (tune->items[i].selected)
			add_item(grid, &tune->arena, &tune->items[i], exact);
	for (size_t i = 0; i < tune->kernel_count; i++)
		add_kernel(grid, &tune->arena, &tune->kernels[i], exact);
	return cli_print_grid(call, status);
}

/* What the history has of this host and no row of the table shows. */
static void say_others(const struct bench_app_tune *tune)
{
	size_t shown = 0;
	for (size_t i = 0; i < tune->item_count; i++)
		shown += tune->items[i].tried_count;
	if (tune->rows > shown)
		cli_say("%zu more measurements are of other devices, drivers or tunables",
			tune->rows - shown);
}

/* What is searched: the tunables of backends, or a kernel's. */
static const struct search {
	int (*find)(struct bench_app_tune *, const struct bench_app_tune_request *,
		    const struct bench_app_host *, struct bench_error *);
	int (*recall)(struct bench_app_tune *, struct bench_store *, struct bench_error *);
	int (*restart)(struct bench_app_tune *, struct bench_store *, struct bench_error *);
	int (*measure)(struct bench_app_tune *, struct bench_store *, double, struct bench_error *);
} of_backends = {bench_app_tune_find, bench_app_tune_recall, bench_app_tune_restart, bench_app_tune_measure},
  of_kernel = {bench_app_tune_kernel_find, bench_app_tune_kernel_recall, bench_app_tune_kernel_restart,
	       bench_app_tune_kernel_measure};

static int list(const struct search *search, struct bench_app_tune *tune,
		const struct bench_app_tune_request *request, struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;

	if (search->find(tune, request, cli_host(), error) != 0 ||
	    bench_app_try_store(request->places.db, NULL, &store, error) != 0 ||
	    (store && search->recall(tune, store, error) != 0))
		return -1;
	if (store && !request->kernel)
		say_others(tune);
	return 0;
}

static int forget(struct bench_app_tune *tune, const struct bench_app_tune_request *request,
		  struct bench_error *error)
{
	size_t count;
	if (bench_app_tune_forget(tune, request, cli_host(), &count, error) != 0)
		return -1;
	cli_say("forgot %zu measurement%s", count, bench_text_plural(count));
	return 0;
}

static int measure(const struct cli_args *args, const struct search *search, struct bench_app_tune *tune,
		   const struct bench_app_tune_request *request, struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	double budget;
	if (cli_read_seconds(args, "budget", &budget, error) != 0 ||
	    search->find(tune, request, cli_host(), error) != 0 ||
	    bench_store_open(request->places.db, BENCH_STORE_WRITE, &store, error) != 0)
		return -1;
	int result = cli_given(args, "restart") ? search->restart(tune, store, error) : 0;
	if (result == 0)
		result = search->recall(tune, store, error);
	if (result == 0)
		result = search->measure(tune, store, budget, error);
	return result;
}

static int tune(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	struct bench_app_tune_request request = {.backends = cli_value(args, "backend"),
						 .only = cli_value(args, "only"),
						 .kernel = cli_given(args, "kernel"),
						 .places = cli_places(args)};
	const struct search *search = request.kernel ? &of_kernel : &of_backends;
	struct bench_app_tune tune = {0};
	int status;
	if (check_options(args, error) != 0 || cli_read_wait(args, &request.wait_seconds, error) != 0 ||
	    cli_read_whole(args, "seed", 0, UINT64_MAX, &request.seed, error) != 0 ||
	    (request.kernel &&
	     bench_app_kernel(cli_value(args, "kernel"), cli_value(args, "spec"), true, error) != 0))
		return -1;
	if (cli_given(args, "forget"))
		status = forget(&tune, &request, error);
	else if (cli_given(args, "list"))
		status = list(search, &tune, &request, error);
	else
		status = measure(args, search, &tune, &request, error);
	if (status == 0 && !cli_given(args, "forget"))
		status = show(call, &tune, tune.interrupted ? CLI_INTERRUPTED : CLI_OK);
	bench_app_tune_free(&tune);
	return status;
}

const struct cli_verb cli_tune = {
	.name = "tune",
	.summary = "find the best tunables of a backend or a kernel on this device",
	.usage = "[--backend B[:DEV],..] [--only GLOB] [--budget 5m] [--restart]\n"
		 "--kernel F.cl [--spec F.json] [--backend B[:DEV],..] [--budget 5m] [--seed N] [--restart]\n"
		 "--list\n--forget",
	.about =
		"A tunable is a number that a backend leaves to measurement, such as a slice size. A duel of "
		"this executable with itself ('bench duel --help') compares each candidate with the current "
		"value, over the cases that the tunable names. A candidate wins if it is more than 1% faster "
		"overall, slower in no case, and correct in all. The history keeps the winners, and "
		"everything that measures on this host, device and driver uses them from then on ('bench "
		"run', 'gate', ...): docs/tune.md. Set BENCH_TUNING to an empty string to use the defaults. "
		"Each result is stored at once, so that an interrupted search continues where it stopped.\n"
		"With --kernel it searches the combinations of the tunables that the kernel's specification "
		"names, checks each one's result, and proves the best by a duel with the default.\n"
		"Exit status: 0 done; 2 usage; 3 nothing to tune; 4 a kernel's default fails; 5 storage "
		"failed; 130 if interrupted.",
	.examples = "bench tune --list\n"
		    "bench tune --backend opencl:cpu --budget 10m\n"
		    "bench tune --only 'gemm.*' --restart\n"
		    "bench tune --kernel mm.cl --budget 2m\n"
		    "bench tune --forget --backend opencl:gpu\n"
		    "# what was found, against the defaults\n"
		    "bench duel \"BENCH_TUNING= ./build/bench\" ./build/bench --suite gemm --backend opencl",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.run = tune,
};
