/* SPDX-License-Identifier: MIT */
/* A run as its events, and the comparison of two records member by member; for the tests of record and store.
 */
#ifndef BENCH_TESTS_RECORD_FIXTURE_H
#define BENCH_TESTS_RECORD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/event.h"

/* Two arguments: the id and the start in Unix seconds. */
#define FIXTURE_RUN                                                                                          \
	"{\"event\":\"run\",\"schema\":\"bench-samples/1\",\"run\":{\"id\":\"%s\",\"started\":%lld,"         \
	"\"finished\":null,\"interrupted\":false,\"command\":\"bench run --suite gemm --label 'a b=c'\","    \
	"\"preset\":\"quick\",\"labels\":{\"purpose\":\"caf\xc3\xa9 \\\"x\\\"\"},\"budget_seconds\":60,"     \
	"\"precision\":0.01,\"invocations\":2,\"seed\":\"18446744073709551615\",\"selection\":{\"suites\":"  \
	"[\"gemm\"],\"targets\":[\"opencl:pocl-cpu\",\"openblas:some-cpu\"],\"backends\":\"\",\"filter\":"   \
	"\"\","                                                                                              \
	"\"sets\":[\"m=1024\"]}},\"git\":{\"commit\":\"0123456789abcdef0123456789abcdef01234567\","          \
	"\"branch\":\"main\",\"dirty\":true,\"dirty_files\":[\"a.c\",\"b "                                   \
	"c.h\"]},\"host\":{\"name\":\"one\","                                                                \
	"\"fingerprint\":\"f00d\",\"cpu\":\"Some CPU\",\"threads\":\"2\"},\"devices\":[{\"backend\":"        \
	"\"opencl\",\"device\":\"pocl-cpu\",\"name\":\"Some CPU\",\"platform\":\"PoCL 3.1\",\"driver\":"     \
	"\"3.1\",\"kind\":\"cpu\",\"compute_units\":2,\"clock_mhz\":2100,\"memory_bytes\":8589934592,"       \
	"\"max_buffer_bytes\":2147483648,\"f64\":true,\"device_time\":true,\"pinned\":false}]}"

#define FIXTURE_CASE(index, backend, device, m)                                                              \
	"{\"event\":\"case\",\"index\":" #index ",\"suite\":\"gemm\",\"backend\":\"" backend                 \
	"\",\"device\":\"" device "\",\"case\":{\"dtype\":\"f32\",\"m\":\"" m                                \
	"\",\"alpha\":\"0.1\"},\"work\":{\"flops\":2e9,\"bytes\":12582912,\"items\":0,\"device_bytes\":"     \
	"12582912,\"largest_bytes\":4194304,\"host_bytes\":4194304},\"repeat\":\"bench run --suite gemm "    \
	"--set m=" m "\",\"notes\":{}}"

/* The same, as a variant of case `base`. */
#define FIXTURE_VARIANT_KEY "gemm/opencl:pocl-cpu/dtype=f32,m=1024,alpha=0.1"
#define FIXTURE_VARIANT(index, m)                                                                            \
	"{\"event\":\"case\",\"index\":" #index ",\"suite\":\"gemm\",\"backend\":\"opencl\",\"device\":"     \
	"\"pocl-cpu\",\"case\":{\"dtype\":\"f32\",\"m\":\"" m                                                \
	"\",\"alpha\":\"0.2\"},\"work\":{\"flops\":2e9,\"bytes\":0,\"items\":0,\"device_bytes\":0,"          \
	"\"largest_bytes\":0,\"host_bytes\":0},\"relative_to\":\"" FIXTURE_VARIANT_KEY                       \
	"\",\"repeat\":\"bench run\",\"notes\":{}}"

#define FIXTURE_SAMPLE(index, invocation, metric, value)                                                     \
	"{\"event\":\"sample\",\"case\":" #index ",\"invocation\":" #invocation ",\"metric\":\"" metric      \
	"\",\"value\":" #value ",\"iterations\":4,\"at\":0.5}"
#define FIXTURE_BEGIN(index, invocation)                                                                     \
	"{\"event\":\"begin\",\"case\":" #index ",\"invocation\":" #invocation "}"
#define FIXTURE_CHECK(index, invocation, error)                                                              \
	"{\"event\":\"check\",\"case\":" #index ",\"invocation\":" #invocation ",\"error\":" #error          \
	",\"tolerance\":1e-5,\"method\":\"elementwise\"}"
#define FIXTURE_END(index, invocation, status, reason, stopped)                                              \
	"{\"event\":\"end\",\"case\":" #index ",\"invocation\":" #invocation ",\"status\":\"" status         \
	"\",\"reason\":\"" reason "\",\"stopped\":\"" stopped "\"}"
#define FIXTURE_FINISH "{\"event\":\"finish\",\"finished\":1764000060,\"interrupted\":false}"

/*
 * Five cases, the last a variant of the first, with a metric of its suite's own: one ok in two invocations,
 * on opencl and, with one, on openblas; one unsupported; one that no event speaks of. 0.1, 1/3 and the like
 * have no short decimal form.
 */
static const char *const fixture_events[] = {
	FIXTURE_CASE(0, "opencl", "pocl-cpu", "1024"),
	FIXTURE_CASE(1, "openblas", "some-cpu", "1024"),
	FIXTURE_CASE(2, "opencl", "pocl-cpu", "2048"),
	FIXTURE_CASE(3, "openblas", "some-cpu", "2048"),
	FIXTURE_VARIANT(4, "1024"),
	FIXTURE_END(2, 0, "unsupported", "the device has too little memory", ""),
	FIXTURE_BEGIN(0, 0),
	FIXTURE_BEGIN(1, 0),
	FIXTURE_BEGIN(4, 0),
	FIXTURE_SAMPLE(4, 0, "time", 0.125),
	FIXTURE_SAMPLE(4, 0, "relative_time", 1.0009999999999999),
	FIXTURE_SAMPLE(4, 0, "relative_time", 1.002),
	"{\"event\":\"sample\",\"case\":4,\"invocation\":0,\"metric\":\"accuracy\",\"value\":0.97,"
	"\"iterations\":1,\"at\":0.5,\"unit\":\"share\",\"better\":\"higher\"}",
	FIXTURE_SAMPLE(0, 0, "first_call_compile", 1.25),
	"{\"event\":\"note\",\"case\":0,\"invocation\":0,\"name\":\"program\",\"value\":\"compiled\"}",
	FIXTURE_CHECK(0, 0, 1e-7),
	FIXTURE_SAMPLE(0, 0, "time", 0.33333333333333331),
	FIXTURE_SAMPLE(1, 0, "time", 0.0010000000000000002),
	FIXTURE_SAMPLE(0, 0, "time", 0.10000000000000001),
	FIXTURE_SAMPLE(0, 0, "latency", 0.375),
	FIXTURE_SAMPLE(0, 0, "device_time", 0.0625),
	FIXTURE_SAMPLE(0, 0, "time", 0.30000000000000004),
	FIXTURE_CHECK(0, 0, 2e-6),
	FIXTURE_END(0, 0, "ok", "", "precision"),
	FIXTURE_END(1, 0, "ok", "", "precision"),
	FIXTURE_END(4, 0, "ok", "", "precision"),
	FIXTURE_BEGIN(0, 1),
	FIXTURE_CHECK(0, 1, 1e-6),
	FIXTURE_SAMPLE(0, 1, "time", 0.20000000000000001),
	FIXTURE_SAMPLE(0, 1, "latency", 0.25),
	FIXTURE_SAMPLE(0, 1, "device_time", 0.125),
	FIXTURE_END(0, 1, "ok", "", "budget"),
	FIXTURE_FINISH,
};
#define FIXTURE_EVENTS (sizeof(fixture_events) / sizeof(fixture_events[0]))

static inline int fixture_apply(struct bench_run *run, const char *line, struct bench_error *error)
{
	struct bench_event event;
	if (bench_record_event_read(line, strlen(line), "a line", &event, error) != 0)
		return -1;
	int status = bench_record_apply(run, &event, error);
	bench_record_event_free(&event);
	return status;
}

static inline void fixture_must_apply(struct bench_run *run, const char *line)
{
	struct bench_error error = {0};
	if (fixture_apply(run, line, &error) != 0)
		fail_msg("%s\n%s", error.text, line);
}

/* A run of which only its head is known. */
static inline struct bench_run *fixture_head(const char *id, long long started)
{
	char line[4096];
	snprintf(line, sizeof(line), FIXTURE_RUN, id, started);
	struct bench_run *run = bench_record_new();
	fixture_must_apply(run, line);
	return run;
}

/* The whole run, final; bench_record_free frees it. */
static inline struct bench_run *fixture_run(const char *id, long long started)
{
	struct bench_run *run = fixture_head(id, started);
	for (size_t i = 0; i < FIXTURE_EVENTS; i++)
		fixture_must_apply(run, fixture_events[i]);
	bench_record_finalise(run);
	return run;
}

/* Bit for bit, so that a lost last digit shows. */
static inline void assert_same_real(double a, double b)
{
	if (a != a && b != b)
		return;
	assert_memory_equal(&a, &b, sizeof(a));
}

static inline void assert_same_pairs(const struct bench_attribute *a, size_t a_count,
				     const struct bench_attribute *b, size_t b_count)
{
	assert_int_equal(a_count, b_count);
	for (size_t i = 0; i < a_count; i++) {
		assert_string_equal(a[i].name, b[i].name);
		assert_string_equal(a[i].value, b[i].value);
	}
}

static inline void assert_same_list(char *const *a, size_t a_count, char *const *b, size_t b_count)
{
	assert_int_equal(a_count, b_count);
	for (size_t i = 0; i < a_count; i++)
		assert_string_equal(a[i], b[i]);
}

static inline void assert_same_metric(const struct bench_metric *a, const struct bench_metric *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->unit, b->unit);
	assert_int_equal(a->better, b->better);
	assert_string_equal(a->derived_from, b->derived_from);
	assert_int_equal(a->series_count, b->series_count);
	for (size_t i = 0; i < a->series_count; i++) {
		assert_int_equal(a->series[i].invocation, b->series[i].invocation);
		assert_int_equal(a->series[i].count, b->series[i].count);
		for (size_t j = 0; j < a->series[i].count; j++)
			assert_same_real(a->series[i].values[j], b->series[i].values[j]);
		assert_int_equal(a->series[i].disturbed != NULL, b->series[i].disturbed != NULL);
		const bool *marks = a->series[i].disturbed, *other = b->series[i].disturbed;
		for (size_t j = 0; marks && other && j < a->series[i].count; j++)
			assert_int_equal(marks[j], other[j]);
	}
	assert_same_real(a->summary.median, b->summary.median);
	assert_same_real(a->summary.ci_lo, b->summary.ci_lo);
	assert_same_real(a->summary.ci_hi, b->summary.ci_hi);
	assert_same_real(a->summary.ci_level, b->summary.ci_level);
	assert_int_equal(a->summary.over_samples, b->summary.over_samples);
	assert_same_real(a->summary.min, b->summary.min);
	assert_same_real(a->summary.mean, b->summary.mean);
	assert_same_real(a->summary.stddev, b->summary.stddev);
	assert_same_real(a->summary.p05, b->summary.p05);
	assert_same_real(a->summary.p95, b->summary.p95);
	assert_int_equal(a->summary.count, b->summary.count);
	assert_int_equal(a->summary.disturbed, b->summary.disturbed);
}

static inline void assert_same_watched(const struct bench_watched *a, const struct bench_watched *b)
{
	assert_int_equal(a->invocation, b->invocation);
	assert_same_real(a->disturbed, b->disturbed);
	assert_same_real(a->canary, b->canary);
	assert_same_real(a->canary_worst, b->canary_worst);
	assert_same_real(a->others, b->others);
	assert_same_real(a->steal, b->steal);
	assert_same_real(a->frequency, b->frequency);
	assert_string_equal(a->device, b->device);
}

static inline void assert_same_result(const struct bench_result *a, const struct bench_result *b)
{
	assert_string_equal(a->suite, b->suite);
	assert_string_equal(a->backend, b->backend);
	assert_string_equal(a->device, b->device);
	assert_same_pairs(a->params, a->param_count, b->params, b->param_count);
	assert_string_equal(a->key, b->key);
	assert_int_equal(a->status, b->status);
	assert_string_equal(a->reason, b->reason);
	assert_int_equal(a->checked, b->checked);
	assert_same_real(a->check.error, b->check.error);
	assert_same_real(a->check.tolerance, b->check.tolerance);
	assert_string_equal(a->check.method, b->check.method);
	assert_same_real(a->work.flops, b->work.flops);
	assert_same_real(a->work.bytes, b->work.bytes);
	assert_same_real(a->work.items, b->work.items);
	assert_int_equal(a->work.device_bytes, b->work.device_bytes);
	assert_int_equal(a->work.largest_bytes, b->work.largest_bytes);
	assert_int_equal(a->work.host_bytes, b->work.host_bytes);
	assert_int_equal(a->iterations, b->iterations);
	assert_string_equal(a->stopped, b->stopped);
	assert_string_equal(a->relative_to, b->relative_to);
	assert_string_equal(a->repeat, b->repeat);
	assert_same_pairs(a->notes, a->note_count, b->notes, b->note_count);
	assert_int_equal(a->watched_count, b->watched_count);
	for (size_t i = 0; i < a->watched_count; i++)
		assert_same_watched(&a->watched[i], &b->watched[i]);
	assert_int_equal(a->metric_count, b->metric_count);
	for (size_t i = 0; i < a->metric_count; i++)
		assert_same_metric(&a->metrics[i], &b->metrics[i]);
}

static inline void assert_same_device(const struct bench_device_record *a,
				      const struct bench_device_record *b)
{
	assert_string_equal(a->backend, b->backend);
	assert_string_equal(a->info.slug, b->info.slug);
	assert_string_equal(a->info.name, b->info.name);
	assert_string_equal(a->info.platform, b->info.platform);
	assert_string_equal(a->info.driver, b->info.driver);
	assert_int_equal(a->info.kind, b->info.kind);
	assert_int_equal(a->info.compute_units, b->info.compute_units);
	assert_int_equal(a->info.clock_mhz, b->info.clock_mhz);
	assert_int_equal(a->info.memory_bytes, b->info.memory_bytes);
	assert_int_equal(a->info.max_buffer_bytes, b->info.max_buffer_bytes);
	assert_int_equal(a->info.f64, b->info.f64);
	assert_int_equal(a->info.device_time, b->info.device_time);
	assert_int_equal(a->info.pinned, b->info.pinned);
}

/* Everything but the folder. */
static inline void assert_same_run(const struct bench_run *a, const struct bench_run *b)
{
	assert_string_equal(a->id, b->id);
	assert_int_equal(a->started, b->started);
	assert_int_equal(a->finished, b->finished);
	assert_int_equal(a->interrupted, b->interrupted);
	assert_string_equal(a->command, b->command);
	assert_string_equal(a->preset, b->preset);
	assert_same_real(a->budget_seconds, b->budget_seconds);
	assert_same_real(a->precision, b->precision);
	assert_int_equal(a->invocations, b->invocations);
	assert_int_equal(a->seed, b->seed);
	assert_same_list(a->selection.suites, a->selection.suite_count, b->selection.suites,
			 b->selection.suite_count);
	assert_same_list(a->selection.targets, a->selection.target_count, b->selection.targets,
			 b->selection.target_count);
	assert_string_equal(a->selection.backends, b->selection.backends);
	assert_string_equal(a->selection.filter, b->selection.filter);
	assert_same_list(a->selection.sets, a->selection.set_count, b->selection.sets,
			 b->selection.set_count);
	assert_same_pairs(a->labels, a->label_count, b->labels, b->label_count);
	assert_int_equal(a->git.present, b->git.present);
	assert_string_equal(a->git.commit, b->git.commit);
	assert_string_equal(a->git.branch, b->git.branch);
	assert_int_equal(a->git.dirty, b->git.dirty);
	assert_same_list(a->git.dirty_files, a->git.dirty_count, b->git.dirty_files, b->git.dirty_count);
	assert_same_pairs(a->host, a->host_count, b->host, b->host_count);
	assert_int_equal(a->device_count, b->device_count);
	for (size_t i = 0; i < a->device_count; i++)
		assert_same_device(&a->devices[i], &b->devices[i]);
	assert_int_equal(a->result_count, b->result_count);
	for (size_t i = 0; i < a->result_count; i++)
		assert_same_result(&a->results[i], &b->results[i]);
}

#endif
