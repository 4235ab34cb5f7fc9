/* SPDX-License-Identifier: MIT */
/* Runs of many machines: their classes, the odd node, and a class as one machine. */
#include "compare/fleet.h"
#include "compare_fixture.h"

enum { NODES = 6, JOBS = 11, MOST = NODES * JOBS };

static const struct bench_compare_options judging = {.threshold = 0.02, .alpha = 0.01};

static struct bench_run *machine(const char *id)
{
	struct bench_run *run = made_run(id);

	made_host(run, "cpu", "EPYC");
	made_host(run, "cores", "64");
	made_host(run, "memory_bytes", "269744050176");
	return run;
}

static void a_class_is_what_the_machine_is_and_not_which(void **state)
{
	struct bench_run *one = machine("one"), *other = machine("other");
	struct bench_arena arena = {0};
	char *about, *class = bench_compare_fleet_class(one, &arena, &about);

	(void)state;
	assert_string_equal(about, "EPYC, 64 cores, 251 GiB");
	made_host(other, "fingerprint", "another");
	made_host(other, "name", "n2");
	made_host(other, "memory_bytes", "269743050176");
	assert_string_equal(bench_compare_fleet_class(other, &arena, &about), class);
	made_host(other, "cpu", "Xeon");
	assert_string_not_equal(bench_compare_fleet_class(other, &arena, &about), class);
	made_host(other, "cpu", "EPYC");
	snprintf(other->devices[0].info.name, sizeof(other->devices[0].info.name), "H200");
	other->devices[0].info.kind = BENCH_DEVICE_GPU;
	assert_string_not_equal(bench_compare_fleet_class(other, &arena, &about), class);
	assert_string_equal(about, "EPYC, 64 cores, 251 GiB, H200");
	/* Of what nobody has described, one host is not like another. */
	made_host(one, "cpu", "");
	class = bench_compare_fleet_class(one, &arena, &about);
	made_host(one, "fingerprint", "another");
	assert_string_not_equal(bench_compare_fleet_class(one, &arena, &about), class);
	bench_arena_free(&arena);
	bench_record_free(one);
	bench_record_free(other);
}

static void another_driver_is_a_difference_and_another_host_is_none(void **state)
{
	struct bench_run *one = machine("one"), *other = machine("other");
	struct bench_arena arena = {0};

	(void)state;
	made_host(other, "fingerprint", "another");
	assert_null(bench_compare_fleet_difference(one, other, &arena));
	snprintf(other->devices[0].info.driver, sizeof(other->devices[0].info.driver), "4.0");
	assert_non_null(strstr(bench_compare_fleet_difference(one, other, &arena), "driver of openblas:cpu"));
	bench_arena_free(&arena);
	bench_record_free(one);
	bench_record_free(other);
}

/* A group of NODES nodes in JOBS jobs, job 0 the newest, each of one invocation: nights and nodes have their
 * own speed. */
struct group {
	struct bench_run *records[MOST];
	struct bench_fleet_run runs[MOST];
	struct bench_fleet_group group;
};

static void make_group(struct group *made, double tonight)
{
	struct bench_rng rng;

	bench_rng_start(&rng, 17, 0);
	*made = (struct group){.group = {.runs = made->runs, .jobs = JOBS, .nodes = NODES}};
	for (size_t job = 0; job < JOBS; job++) {
		double night = exp(0.005 * bench_rng_normal(&rng)) * (job == 0 ? tonight : 1);

		for (size_t node = 0; node < NODES; node++) {
			char id[32];
			size_t at = made->group.count++;

			snprintf(id, sizeof(id), "n.%zu-%zu", JOBS - job, node);
			made->records[at] = machine(id);
			made->records[at]->started = 1000 - 50 * (int64_t)job;
			add_time(made->records[at], 0, 1e-3 * night * (node == 4 ? 1.2 : 1), 1, at);
			made->runs[at] = (struct bench_fleet_run){made->records[at], job, node};
		}
	}
}

static void free_group(struct group *made)
{
	for (size_t i = 0; i < MOST; i++)
		bench_record_free(made->records[i]);
}

static void the_odd_node_is_named_and_no_other(void **state)
{
	static struct group made;
	struct bench_arena arena = {0};
	struct bench_fleet_odd *odd;
	size_t count;

	(void)state;
	make_group(&made, 1);
	bench_compare_fleet_odd(&made.group, 1, &judging, &arena, &odd, &count);
	assert_int_equal(count, NODES);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(odd[i].values, JOBS);
		assert_int_equal(odd[i].others, JOBS * (NODES - 1));
		assert_string_equal(odd[i].key, TIME_0);
		assert_int_equal(odd[i].kind == BENCH_SLOWER, odd[i].node == 4);
		assert_true(odd[i].kind != BENCH_FASTER);
	}
	assert_true(odd[4].lo > 1.15 && odd[4].ratio > 1.18 && odd[4].ratio < 1.22 && odd[4].hi < 1.25);
	bench_arena_free(&arena);
	free_group(&made);
}

static void a_rule_leaves_a_metric_out(void **state)
{
	static struct group made;
	const struct bench_metric_rule rule = {.pattern = "*", .ignored = true};
	struct bench_compare_options options = judging;
	struct bench_arena arena = {0};
	struct bench_fleet_odd *odd;
	size_t count;

	(void)state;
	options.rules = &rule;
	options.rule_count = 1;
	make_group(&made, 1);
	bench_compare_fleet_odd(&made.group, 1, &options, &arena, &odd, &count);
	assert_int_equal(count, 0);
	bench_arena_free(&arena);
	free_group(&made);
}

/* The verdict on tonight; node `missing` has no run then (NODES: none is missing). */
static struct bench_comparison *judge(struct group *made, size_t missing)
{
	struct bench_run *nights[JOBS];
	struct bench_comparison *comparison = NULL;
	struct bench_error error;
	size_t kept = 0;

	for (size_t i = 0; i < made->group.count; i++)
		if (made->runs[i].job != 0 || made->runs[i].node != missing)
			made->runs[kept++] = made->runs[i];
	made->group.count = kept;
	bench_compare_fleet_nights(&made->group, "class:1", nights);
	assert_string_equal(bench_record_attribute_get(nights[0]->host, nights[0]->host_count, "fingerprint"),
			    "class:1");
	if (bench_compare_runs((const struct bench_run *const *)nights + 1, JOBS - 1, "nights", nights[0],
			       &nightly, &comparison, &error) != 0)
		fail_msg("%s", error.text);
	for (size_t job = 0; job < JOBS; job++)
		bench_record_free(nights[job]);
	free_group(made);
	return comparison;
}

static void a_class_is_judged_as_one_machine(void **state)
{
	static struct group made;
	struct bench_comparison *comparison;

	(void)state;
	make_group(&made, 1);
	comparison = judge(&made, NODES);
	assert_kind(comparison, TIME_0, BENCH_SAME);
	assert_int_equal(find(comparison, TIME_0)->candidate_invocations, NODES);
	assert_int_equal(find(comparison, TIME_0)->base_invocations, NODES * (JOBS - 1));
	bench_compare_free(comparison);
	make_group(&made, 1.08);
	comparison = judge(&made, NODES);
	assert_kind(comparison, TIME_0, BENCH_SLOWER);
	bench_compare_free(comparison);
}

/* A node that is 20% off says nothing about the code, neither by its coming nor by its going. */
static void a_node_that_is_missing_moves_nothing(void **state)
{
	static struct group made;
	struct bench_comparison *with, *without;

	(void)state;
	make_group(&made, 1);
	with = judge(&made, NODES);
	make_group(&made, 1);
	without = judge(&made, 4);
	assert_kind(without, TIME_0, BENCH_SAME);
	assert_int_equal(find(without, TIME_0)->candidate_invocations, NODES - 1);
	assert_true(fabs(log(find(with, TIME_0)->ratio / find(without, TIME_0)->ratio)) < 0.01);
	bench_compare_free(with);
	bench_compare_free(without);
}

static void what_fails_on_one_node_is_broken(void **state)
{
	static struct group made;
	struct bench_comparison *comparison;

	(void)state;
	make_group(&made, 1);
	made.records[2]->results[0].status = BENCH_STATUS_INCORRECT;
	made.records[2]->results[0].reason = bench_arena_string(&made.records[2]->arena, "off by 1");
	comparison = judge(&made, NODES);
	assert_int_equal(comparison->counts[BENCH_BROKEN], 1);
	assert_non_null(strstr(comparison->verdicts[0].reason, "in run n.11-2: off by 1"));
	bench_compare_free(comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_class_is_what_the_machine_is_and_not_which),
		cmocka_unit_test(another_driver_is_a_difference_and_another_host_is_none),
		cmocka_unit_test(the_odd_node_is_named_and_no_other),
		cmocka_unit_test(a_rule_leaves_a_metric_out),
		cmocka_unit_test(a_class_is_judged_as_one_machine),
		cmocka_unit_test(a_node_that_is_missing_moves_nothing),
		cmocka_unit_test(what_fails_on_one_node_is_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
