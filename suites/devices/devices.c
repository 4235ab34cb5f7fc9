/* SPDX-License-Identifier: MIT */
/*
 * Suite devices: one device alone, and beside all others of its backend that do the same.
 * docs/suites/devices.md says how to read it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "kit/dense.h"
#include "kit/rng.h"
#include "suites/devices/gang.h"
#include "suites/gemm_check.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { WORK, N, NODE, BESIDE };
enum company { ALONE, ALIKE, ALL };
enum { LARGEST = 1 << 15, SAMPLES_MOST = 1000 };

static const struct bench_param params[] = {
	/* In the order of enum bench_station_work. */
	[WORK] = BENCH_CHOICE("work", "gemm", "gemm|upload|download|exchange|peer",
			      "a product; copies to and from the device; from it to the next one, through "
			      "the host's memory (exchange) or by the API's own copy (peer)"),
	[N] = BENCH_INT("n", "2048", 16, LARGEST, "of n x n floats: of each matrix, or of what is copied"),
	[NODE] = BENCH_CHOICE(
		"node", "near", "near|far",
		"the NUMA node of a device's thread on the host, and of its memory there: the one nearest "
		"to the device, or the farthest"),
	/* In the order of enum company. */
	[BESIDE] = BENCH_CHOICE("beside", "none", "none|alike|all",
				"other devices that do the same at the same time: those of the same kind "
				"(CPU, GPU), or all of the backend"),
	{.name = NULL},
};

static const char *const quick[] = {"work=gemm,upload,download,exchange,peer n=1024 beside=none,all",
				    "work=upload,download n=1024 node=far beside=none,all", NULL};
static const char *const nightly[] = {"work=gemm,upload,download,exchange,peer n=1024,4096 beside=none,all",
				      "work=upload,download n=1024,4096 node=far beside=none,all", NULL};

static const struct bench_metric_spec metrics[] = {
	{"all_rate", "item/s", BENCH_BETTER_HIGHER, "iterations of all devices together, a second"},
	{.name = NULL},
};

struct state {
	struct bench_station_job job;
	hwloc_bitmap_t allowed;          /* the processors that the case's thread may use */
	struct bench_device_info *infos; /* by device, of the job, */
	struct bench_place *places;      /* as these */
	float *a, *b;                    /* n x n, of the job */
	struct bench_station own;
	struct bench_gang *gang; /* NULL: none beside */
	uint64_t iterations;     /* of the last run, */
	double seconds;          /* and how long it took */
	double rates[SAMPLES_MOST];
	size_t rate_count;
};

enum { STREAM_A = 1, STREAM_B };

static enum bench_station_work work_of(const struct bench_case *bench_case)
{
	return (enum bench_station_work)bench_case->values[WORK].integer;
}

static enum company company_of(const struct bench_case *bench_case)
{
	return (enum company)bench_case->values[BESIDE].integer;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	uint64_t n = (uint64_t)bench_case->values[N].integer, bytes = n * n * sizeof(float);
	if (n < 1 || n > LARGEST)
		return bench_fail(error, BENCH_USAGE, "devices: n=%" PRIu64 ": it is 1 to %d", n, LARGEST);
	if (work_of(bench_case) == BENCH_STATION_GEMM)
		work->flops = 2.0 * (double)n * (double)n * (double)n;
	else
		work->bytes = (double)bytes * (work_of(bench_case) == BENCH_STATION_EXCHANGE ? 2 : 1);
	work->device_bytes = 3 * bytes;
	work->largest_bytes = bytes;
	work->host_bytes = 4 * bytes + bench_gemm_check_bytes(n, n, n);
	return 0;
}

/* A single device has no peers. */
static bool runs_on(const struct bench_backend *backend)
{
	struct bench_error error;
	size_t count = 0;
	/* The host as a backend has no such hook. */
	return backend->devices && backend->devices(NULL, 0, &count, &error) == 0 && count > 1;
}

static int count_devices(const struct bench_case *bench_case, size_t *count, struct bench_error *error)
{
	const struct bench_backend *backend = bench_case->backend;
	if (backend->devices(NULL, 0, count, error))
		return -1;
	if (*count < 2)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has only one device", backend->name);
	if (*count > BENCH_GANG_MOST)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has %zu devices, more than %d",
				  backend->name, *count, BENCH_GANG_MOST);
	if (work_of(bench_case) == BENCH_STATION_PEER && !backend->peer)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no copies between devices",
				  backend->name);
	return 0;
}

static int make_input(const struct bench_case *bench_case, uint64_t stream, float **input,
		      struct bench_error *error)
{
	size_t count = (size_t)bench_case->values[N].integer * (size_t)bench_case->values[N].integer;
	*input = malloc(count * sizeof(**input));
	if (!*input)
		return bench_fail(error, BENCH_NO_MEMORY, "devices: no host memory for %zu floats", count);
	bench_rng_fill(bench_case->seed, stream, BENCH_F32, *input, count);
	return 0;
}

static double now(void)
{
	return (double)bench_clock_real.now_ns(NULL) * 1e-9;
}

/* Where each device is driven from. */
static int find_places(const struct bench_case *bench_case, struct state *state, struct bench_error *error)
{
	const bool far = strcmp(bench_case->values[NODE].text, "far") == 0;
	int result = bench_place_topology(&state->job.topology, error);
	state->allowed = hwloc_bitmap_alloc();
	state->places = calloc(state->job.devices, sizeof(*state->places));
	state->job.places = state->places;
	if (!result && (!state->allowed || !state->places ||
			hwloc_get_cpubind(state->job.topology, state->allowed, HWLOC_CPUBIND_THREAD) != 0))
		result = bench_fail(error, BENCH_ENVIRONMENT,
				    "devices: hwloc does not tell which processors may be used");
	/* A peer whose node is unknown runs anywhere. */
	for (size_t i = 0; i < state->job.devices && !result; i++)
		result = bench_place_find(state->job.topology, state->allowed, state->infos[i].pci, far,
					  &state->places[i], error) &&
					 (i == bench_case->index || error->code != BENCH_UNSUPPORTED)
				 ? -1
				 : 0;
	return result;
}

/* What the devices are, and is there one that is to work beside this one? */
static int find_company(const struct bench_case *bench_case, struct state *state, struct bench_error *error)
{
	const size_t count = state->job.devices;
	size_t alike = 0, found = count;
	state->infos = calloc(count, sizeof(*state->infos));
	state->job.infos = state->infos;
	if (!state->infos)
		return bench_fail(error, BENCH_NO_MEMORY, "devices: no host memory for %zu devices", count);
	if (bench_case->backend->devices(state->infos, count, &found, error))
		return -1;
	for (size_t i = 0; i < count; i++)
		alike += state->infos[i].kind == bench_case->info->kind;
	if (company_of(bench_case) == ALIKE && alike < 2)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no other device of its kind (%s)",
				  bench_case->backend->name, bench_device_kind_name(bench_case->info->kind));
	return 0;
}

static int open_all(struct bench_case *bench_case, struct state *state, struct bench_error *error)
{
	const size_t own = bench_case->index;
	if (bench_station_bind(&state->job, own, error) ||
	    make_input(bench_case, STREAM_A, &state->a, error) ||
	    make_input(bench_case, STREAM_B, &state->b, error))
		return -1;
	state->job.a = state->a;
	state->job.b = state->b;
	if (bench_station_open(&state->own, &state->job, bench_case->device, own, error))
		return -1;
	return company_of(bench_case) == ALONE
		       ? 0
		       : bench_gang_open(&state->job, own, company_of(bench_case) == ALIKE, &state->gang,
					 error);
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	size_t count = 0;
	if (count_devices(bench_case, &count, error) ||
	    (work_of(bench_case) == BENCH_STATION_GEMM &&
	     bench_operands_supported(bench_case, bench_case->backend->gemm ? NULL : "gemm", BENCH_F32,
				      error)))
		return -1;
	struct state *state = bench_state_make(bench_case, sizeof(*state), "devices", error);
	if (!state)
		return -1;
	bench_case->no_device_time =
		work_of(bench_case) == BENCH_STATION_EXCHANGE || work_of(bench_case) == BENCH_STATION_PEER;
	state->job = (struct bench_station_job){.backend = bench_case->backend,
						.work = work_of(bench_case),
						.n = (size_t)bench_case->values[N].integer,
						.devices = count};
	if (find_company(bench_case, state, error) || find_places(bench_case, state, error))
		return -1;
	int result = open_all(bench_case, state, error);
	/* The next case of this thread is to find what this one found. */
	hwloc_set_cpubind(state->job.topology, state->allowed, HWLOC_CPUBIND_THREAD);
	return result;
}

/* The others begin with this device's first iteration, and begin no other after its last. */
static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	int result = 0;
	if (state->gang)
		bench_gang_start(state->gang);
	double start = now();
	for (uint64_t i = 0; i < iterations && !result; i++)
		result = bench_station_run(&state->own, error);
	if (!result)
		result = bench_station_finish(&state->own, error);
	state->seconds = now() - start;
	state->iterations = iterations;
	if (state->gang)
		bench_gang_stop(state->gang);
	return result;
}

/* What the others are still at would be in the way of the next sample, which may be one of this device alone.
 */
static int observe(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	(void)iterations; /* since prepare: run() knows how many its own were */
	struct state *state = bench_case->state;
	if (state->gang && bench_gang_wait(state->gang, error))
		return -1;
	const double done = (double)state->iterations + (state->gang ? bench_gang_done(state->gang) : 0);
	if (state->rate_count < SAMPLES_MOST && state->seconds > 0)
		state->rates[state->rate_count++] = done / state->seconds;
	return 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	/* Since setup it has been bound to what --pin says. */
	if (state->places[bench_case->index].node >= 0 &&
	    bench_station_bind(&state->job, bench_case->index, error))
		return -1;
	if (state->gang && (bench_gang_wait(state->gang, error) || bench_gang_spoil(state->gang, error)))
		return -1;
	return bench_station_spoil(&state->own, error);
}

/* One device's result: a product as suite gemm checks it, a copy to the last bit. */
static int check_result(const struct bench_case *bench_case, const float *result, struct bench_check *check,
			struct bench_error *error)
{
	const struct state *state = bench_case->state;
	size_t n = state->job.n, wrong = 0;
	if (state->job.work == BENCH_STATION_GEMM)
		return bench_gemm_check_square(
			bench_gemm_matrix(BENCH_F32, n, state->a), bench_gemm_matrix(BENCH_F32, n, state->b),
			bench_gemm_matrix(BENCH_F32, n, result), bench_case->seed, check, error);
	for (size_t i = 0; i < n * n; i++)
		wrong += !(result[i] == state->a[i]); /* NaN is wrong */
	*check = (struct bench_check){.error = (double)wrong,
				      .method = "floats that differ from what was sent"};
	return 0;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration writes the same */
	struct state *state = bench_case->state;
	if (bench_station_fetch(&state->own, error) ||
	    check_result(bench_case, state->own.host, check, error))
		return -1;
	double worst = check->error;
	/* A device beside this one that was too slow to do it once has nothing to show. */
	for (size_t i = 0; state->gang && i < bench_gang_size(state->gang); i++) {
		const float *result;
		if (bench_gang_result(state->gang, i, &result, error) ||
		    (result && check_result(bench_case, result, check, error)))
			return -1;
		worst = bench_dense_worse(worst, result ? check->error : 0);
	}
	check->error = worst;
	return 0;
}

static int report(struct bench_case *bench_case, const struct bench_report *report, struct bench_error *error)
{
	(void)error;
	const struct state *state = bench_case->state;
	const struct bench_station *own = &state->own;
	char place[320];
	for (size_t i = 0; i < state->rate_count; i++)
		report->value(report->context, &metrics[0], state->rates[i]);
	bench_place_describe(state->job.topology, &state->places[bench_case->index],
			     own->source ? own->source : own->host,
			     state->job.n * state->job.n * sizeof(float), place, sizeof(place));
	report->note(report->context, "placement", place);
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	bench_gang_close(state->gang);
	bench_station_close(&state->own);
	for (size_t i = 0; state->places && i < state->job.devices; i++)
		bench_place_free(&state->places[i]);
	free(state->places);
	free(state->infos);
	hwloc_bitmap_free(state->allowed);
	if (state->job.topology)
		hwloc_topology_destroy(state->job.topology);
	free(state->a);
	free(state->b);
	bench_state_free(bench_case);
}

const struct bench_suite bench_suite_devices = {
	.name = "devices",
	.summary = "a device alone, and together with all others of its backend",
	.sweeps = {quick, nightly, NULL},
	.variants = "beside",
	.metrics = metrics,
	.prepare = prepare,
	.observe = observe,
	.report = report,
	.teardown = teardown,
	.runs_on = runs_on,
	BENCH_SUITE_HOOKS,
};
