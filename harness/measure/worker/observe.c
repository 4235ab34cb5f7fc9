/* SPDX-License-Identifier: MIT */
/* What is observed beside the segments of a duel: the worker's end (segments.h has the messages). */
#include <math.h>
#include <time.h>

#include "core/clock.h"
#include "core/text.h"
#include "machine/nvml.h"
#include "machine/profile.h"
#include "measure/worker/internal.h"
#include "measure/worker/segments.h"

#define COMPILED      "registers, spills and instructions of kernels"
#define KERNELS       8    /* that are told by name, at most */
#define KERNEL_BLOCKS 2    /* in which they are: the compiler may take seconds, and they do not vary */
#define FUNCTIONS     6    /* that are told, at most: */
#define LEAST_SHARE   0.03 /* of the samples */
#define LEAST_OWN     0.5  /* of the processor's time, that this process uses itself */

static void read_all(const struct worker_item *item, double values[BENCH_OBSERVED_KINDS])
{
	const struct bench_case *bench_case = &item->active->bench_case;
	struct bench_device_traffic traffic;
	bench_machine_observe_read(&item->worker->observe, values);
	if (!bench_case->device) {
		values[BENCH_OBSERVED_HOST_TIME] = NAN; /* it is what the whole case takes */
		return;
	}
	if (bench_case->backend->device_stats)
		values[BENCH_OBSERVED_LAUNCHES] = (double)worker_device_stats(item->active).launches;
	if (!bench_case->backend->device_traffic)
		return;
	bench_case->backend->device_traffic(bench_case->device, &traffic);
	values[BENCH_OBSERVED_COPIES] = (double)traffic.copies;
	values[BENCH_OBSERVED_COPIED] = (double)traffic.bytes;
}

static void begin(void *context)
{
	struct worker_item *item = context;
	read_all(item, item->active->observed.before);
	item->active->observed.began = bench_clock_seconds();
}

static void end(void *context, uint64_t iterations)
{
	struct worker_item *item = context;
	struct worker_observed *observed = &item->active->observed;
	double now[BENCH_OBSERVED_KINDS];
	observed->seconds += bench_clock_seconds() - observed->began;
	read_all(item, now);
	for (size_t i = 0; i < BENCH_OBSERVED_PER_ITERATION; i++)
		observed->sums[i] += now[i] - observed->before[i];
	observed->iterations += iterations;
}

static void say(int socket, enum bench_observed_kind kind, double value)
{
	if (isfinite(value))
		bench_worker_segments_send(socket, "saw %s %.10g", bench_observed[kind].name, value);
}

static void say_unread(void *context, const char *source, const char *text)
{
	bench_worker_segments_send(*(int *)context, "unread %s: %s", source, text);
}

/* Reports of the kernels that a case launches. */
struct kernels {
	int socket;
	double values[BENCH_OBSERVED_KINDS]; /* over all of them, as core/observed.h says */
	size_t count;
	bool unread;
};

static void take_kernel(void *context, const struct bench_kernel_report *report)
{
	struct kernels *kernels = context;
	const double values[BENCH_OBSERVED_KINDS] = {[BENCH_OBSERVED_OCCUPANCY_LIMIT] = report->occupancy,
						     [BENCH_OBSERVED_SPILLED] = report->spilled,
						     [BENCH_OBSERVED_REGISTERS] = report->registers,
						     [BENCH_OBSERVED_PRIVATE] = report->private_bytes,
						     [BENCH_OBSERVED_LOCAL] = report->local_bytes,
						     [BENCH_OBSERVED_GROUP] = report->group,
						     [BENCH_OBSERVED_GROUP_LIMIT] = report->most_items};
	BENCH_SCOPED_TEXT text = {0};
	for (size_t i = BENCH_OBSERVED_OF_KERNELS; i < BENCH_OBSERVED_OF_GPU; i++) {
		double *most = &kernels->values[i];
		*most = i == BENCH_OBSERVED_OCCUPANCY_LIMIT || i == BENCH_OBSERVED_GROUP_LIMIT
				? fmin(*most, values[i])
				: fmax(*most, values[i]);
		if (isfinite(values[i]))
			bench_text_add(&text, "%s%s %.6g", text.length ? ", " : "", bench_observed[i].title,
				       values[i]);
	}
	bool has_place = kernels->count++ < KERNELS;
	if (text.length && has_place)
		bench_worker_segments_send(kernels->socket, "kernel %s %s", report->name, text.data);
	if (report->mix && *report->mix && has_place)
		bench_worker_segments_send(kernels->socket, "mix %s %s", report->name, report->mix);
	if (report->unread && !kernels->unread)
		say_unread(&kernels->socket, COMPILED, report->unread);
	kernels->unread |= report->unread != NULL;
}

static void say_kernels(const struct bench_case *bench_case, int socket)
{
	struct kernels kernels = {.socket = socket};
	for (size_t i = 0; i < BENCH_OBSERVED_KINDS; i++)
		kernels.values[i] = NAN;
	bench_case->backend->kernel_reports(bench_case->device, take_kernel, &kernels);
	for (size_t i = BENCH_OBSERVED_OF_KERNELS; i < BENCH_OBSERVED_OF_GPU; i++)
		say(socket, i, kernels.values[i]);
	if (kernels.count == 0)
		say_unread(
			&socket, COMPILED,
			"no kernel of bench's own was launched; to see those of a library: ncu --set full, "
			"with bench run behind it");
}

/* By a GPU's counters, while the case runs back to back. */
static int say_counters(struct worker_item *item, int socket, struct bench_error *error)
{
	const struct worker_window_places places = {.library = BENCH_NVML_LIBRARY};
	double values[BENCH_OBSERVED_KINDS];
	struct bench_error unread = {0};
	int result = worker_window_observe(item, &places, values, &unread, error);
	for (size_t i = BENCH_OBSERVED_OF_GPU; result == 0 && i < BENCH_OBSERVED_KINDS; i++)
		say(socket, i, values[i]);
	if (unread.text[0])
		bench_worker_segments_send(
			socket,
			"unread the GPU's counters: %s; to see them: ncu --set full (NVIDIA) or "
			"rocprofv3 --pmc (AMD), with bench run behind it",
			unread.text);
	return result;
}

/* The message has blanks between its words. */
static void without_blanks(char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name <= ' ')
			*name = '_';
}

/* Of this process and of the programs that it has started. */
static double cpu_seconds(const struct worker_item *item)
{
	double values[BENCH_OBSERVED_KINDS];
	bench_machine_observe_read(&item->worker->observe, values);
	return values[BENCH_OBSERVED_USER_TIME] + values[BENCH_OBSERVED_SYSTEM_TIME];
}

static double process_seconds(void)
{
	struct timespec now = {0};
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* In which functions `busy` seconds of an iteration are. */
static int say_functions(struct worker_item *item, uint64_t iterations, double busy, int socket,
			 struct bench_error *error)
{
	struct bench_profile_function functions[FUNCTIONS];
	size_t samples;
	if (!bench_machine_profile_start()) {
		say_unread(
			&socket, "functions",
			"the sampler does not know this processor, or the case has its own (SIGPROF); to see "
			"them: perf record -g -- bench run ...");
		return 0;
	}
	double before = cpu_seconds(item), own = process_seconds();
	int result = worker_item_run(item, iterations, error);
	bench_machine_profile_stop();
	if (process_seconds() - own < LEAST_OWN * (cpu_seconds(item) - before)) {
		say_unread(
			&socket, "functions",
			"the time is spent in programs that the case starts; to see theirs: perf record -g, "
			"with the command behind it");
		return result;
	}
	size_t count = bench_machine_profile_read(functions, FUNCTIONS, &samples);
	for (size_t i = 0; i < count && result == 0; i++) {
		double share = (double)functions[i].count / (double)samples;
		if (share < LEAST_SHARE)
			break;
		without_blanks(functions[i].name);
		bench_worker_segments_send(socket, "function %.10g %s %s", share * busy, functions[i].name,
					   functions[i].file);
	}
	return result;
}

/* Of the device and its kernels: those of one more iteration, where the case may have one. */
static int say_device(struct worker_item *item, uint64_t iterations, int socket, struct bench_error *error)
{
	struct bench_case *bench_case = &item->active->bench_case;
	bool reports = bench_case->backend->kernel_reports && item->worker->job->invocation < KERNEL_BLOCKS;
	if (reports && iterations) {
		bench_case->backend->kernel_reports(bench_case->device, NULL, NULL);
		if ((bench_case->before_call && bench_case->before_call(bench_case, error) != 0) ||
		    worker_item_run(item, 1, error) != 0)
			return -1;
	}
	if (reports)
		say_kernels(bench_case, socket);
	return bench_case->info->kind == BENCH_DEVICE_GPU ? say_counters(item, socket, error) : 0;
}

static int tell(void *context, uint64_t iterations, int socket, struct bench_error *error)
{
	struct worker_item *item = context;
	const struct worker_case *active = item->active;
	const struct bench_case *bench_case = &active->bench_case;
	const struct worker_observed *observed = &active->observed;
	double each[BENCH_OBSERVED_KINDS], resident, huge;
	for (size_t i = 0; i < BENCH_OBSERVED_PER_ITERATION; i++) {
		each[i] = observed->iterations ? observed->sums[i] / (double)observed->iterations : NAN;
		say(socket, i, each[i]);
	}
	double busy = each[BENCH_OBSERVED_USER_TIME] + each[BENCH_OBSERVED_SYSTEM_TIME];
	if (observed->seconds > 0)
		say(socket, BENCH_OBSERVED_PARALLELISM,
		    busy * (double)observed->iterations / observed->seconds);
	bench_machine_observe_memory(&resident, &huge);
	say(socket, BENCH_OBSERVED_RESIDENT, resident);
	say(socket, BENCH_OBSERVED_HUGE, huge);
	say(socket, BENCH_OBSERVED_FIRST_CALL, active->first_seconds);
	if (bench_case->device && bench_case->backend->device_stats)
		say(socket, BENCH_OBSERVED_BUILDS, active->builds);
	bench_machine_observe_unread(&item->worker->observe, say_unread, &socket);
	bool samples = iterations && isfinite(busy) && !bench_case->before_call;
	if (samples && say_functions(item, iterations, busy, socket, error) != 0)
		return -1;
	return bench_case->device ? say_device(item, iterations, socket, error) : 0;
}

const struct bench_segments_observer worker_observer = {.begin = begin, .end = end, .tell = tell};
