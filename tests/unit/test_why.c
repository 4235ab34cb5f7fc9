/* SPDX-License-Identifier: MIT */
/* What explains a change: records with known differences in, known answers out; and what is read for it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/why.h"
#include "app/why_internal.h"
#include "compare/why.h"
#include "machine/observe.h"
#include "machine/profile.h"
#include "machine/symbols.h"
#include "made_run.h"
#include "measure/session/observed.h"
#include "report/render/why.h"

#define INVOCATIONS 16

/* About `middle` in each invocation, off by up to `spread` of it to either side alike. */
static void add(struct bench_run *run, struct bench_result *result, const char *name, double middle,
		double spread)
{
	double values[INVOCATIONS];
	const char *last = strrchr(name, '_');
	size_t turn = last ? strlen(last) : 1; /* both sides of a pair vary together */
	for (size_t i = 0; i < INVOCATIONS; i++)
		values[i] =
			middle *
			(1 + spread * (2 * ((double)((7 * i + turn) % INVOCATIONS) + 0.5) / INVOCATIONS - 1));
	made_metric(run, result, name, BENCH_BETTER_NONE, values, INVOCATIONS);
}

static void add_pair(struct bench_run *run, struct bench_result *result, const char *name, double base,
		     double head, double spread)
{
	char metric[64];
	snprintf(metric, sizeof(metric), BENCH_OBSERVED_BASE "%s", name);
	add(run, result, metric, base, spread);
	snprintf(metric, sizeof(metric), BENCH_OBSERVED_HEAD "%s", name);
	add(run, result, metric, head, spread);
}

static struct bench_result *add_case(struct bench_run *run, unsigned n, double ratio)
{
	struct bench_result *result = made_case(run, n);
	add(run, result, "relative_time", ratio, 0.002);
	add(run, result, "base_time", 1e-4, 0.002);
	add(run, result, "time", 1e-4 * ratio, 0.002);
	bench_record_summarize(result->metrics[1].series, INVOCATIONS, &result->metrics[1].summary);
	bench_record_summarize(result->metrics[2].series, INVOCATIONS, &result->metrics[2].summary);
	return result;
}

static void judge(const struct bench_run *run, struct bench_whys *whys)
{
	struct bench_error error;
	if (bench_compare_why(run, 0.01, 0.01, whys, &error) != 0)
		fail_msg("%s", error.text);
}

static void check_sentence(const struct bench_whys *whys, const char *beginning, const char *end)
{
	struct bench_arena arena = {0};
	const char *text = bench_render_why_sentence(&arena, whys, &whys->cases[0]);
	size_t length = strlen(text);
	if (strncmp(text, beginning, strlen(beginning)) != 0 || length < strlen(end) ||
	    strcmp(text + length - strlen(end), end) != 0)
		fail_msg("'%s' is not '%s...%s'", text, beginning, end);
	bench_arena_free(&arena);
}

static void causes_stand_in_the_order_of_what_they_say(void **state)
{
	struct bench_run *run = made_run("why");
	struct bench_whys whys;
	(void)state;
	struct bench_result *result = add_case(run, 1, 1.5);
	add_pair(run, result, "minor_faults", 2, 80, 0.01);
	add_pair(run, result, "system_time", 1e-5, 4.1e-5, 0.05);
	add_pair(run, result, "user_time", 9e-5, 9e-5, 0.05);
	add_pair(run, result, "launches", 3, 3, 0);
	judge(run, &whys);
	assert_int_equal(whys.count, 1);
	assert_int_equal(whys.cases[0].answer, BENCH_WHY_SLOWER);
	check_sentence(&whys, "slower by 50.0% [", "]: page faults x40, system time x4.1");
	bench_compare_why_free(&whys);
	bench_record_free(run);
}

static void fewer_processors_are_a_reason_if_they_work_no_longer(void **state)
{
	(void)state;
	for (int busy = 0; busy < 2; busy++) {
		struct bench_run *run = made_run("why");
		struct bench_whys whys;
		struct bench_result *result = add_case(run, 1, 2);
		add_pair(run, result, "parallelism", 2, 1.2, 0.01);
		add_pair(run, result, "user_time", 2e-4, busy ? 4.1e-4 : 2e-4, 0.01);
		add_pair(run, result, "system_time", 1e-6, 1e-6, 0.01);
		judge(run, &whys);
		check_sentence(&whys, "slower by 100.0% [",
			       busy ? "]: user time x2.05" : "]: processors in use -40%");
		bench_compare_why_free(&whys);
		bench_record_free(run);
	}
}

static void a_faster_head_has_the_opposite_reasons(void **state)
{
	struct bench_run *run = made_run("why");
	struct bench_whys whys;
	(void)state;
	struct bench_result *result = add_case(run, 1, 0.5);
	add_pair(run, result, "launches", 4, 1, 0);
	add_pair(run, result, "copies", 1, 2, 0); /* more copies made nothing faster */
	judge(run, &whys);
	check_sentence(&whys, "faster by 50.0% [", "]: kernel launches 4 -> 1");
	bench_compare_why_free(&whys);
	bench_record_free(run);
}

static void what_is_too_small_explains_nothing(void **state)
{
	struct bench_run *run = made_run("why");
	struct bench_whys whys;
	(void)state;
	struct bench_result *result = add_case(run, 1, 1.5);
	add_pair(run, result, "copied", 10, 1000, 0);              /* 10 us at most, of 50 */
	add_pair(run, result, "system_time", 1e-6, 2e-6, 0.01);    /* 1 of 50 us */
	add_pair(run, result, "instructions", 1e6, 1.01e6, 0.001); /* 1% beside 50% */
	add_pair(run, result, "preemptions", 1, 3, 0.01);          /* no cause in itself */
	judge(run, &whys);
	for (size_t i = 0; i < whys.cases[0].row_count; i++)
		if (whys.cases[0].rows[i].about != &bench_observed[BENCH_OBSERVED_COPIED])
			assert_false(whys.cases[0].rows[i].explains);
	bench_compare_why_free(&whys);
	bench_record_free(run);
}

static void add_note(struct bench_run *run, struct bench_result *result, const char *name, const char *value)
{
	bench_record_attribute_set(&run->arena, &result->notes, &result->note_count, name, value);
}

/* The sentence of one case with the facts of its kernels. */
static void check_facts(const struct bench_run *run, const char *end)
{
	static const struct bench_duel sides = {0};
	struct bench_whys whys;
	judge(run, &whys);
	bench_app_why_facts(&whys, run, &sides);
	check_sentence(&whys, "slower by 50.0% [", end);
	bench_compare_why_free(&whys);
}

static void kernels_stand_between_work_and_counters(void **state)
{
	struct bench_run *run = made_run("why");
	(void)state;
	struct bench_result *result = add_case(run, 1, 1.5);
	add_pair(run, result, "dram_bytes", 1e8, 1.6e8, 0.001);
	add_pair(run, result, "registers", 128, 168, 0);
	add_pair(run, result, "local_memory", 8192, 8192, 0);
	add_pair(run, result, "occupancy_limit", 0.5, 0.25, 0);
	check_facts(run, "]: occupancy 50% -> 25% (registers 128 -> 168), DRAM bytes +60%");
	add_pair(run, result, "launches", 1, 2, 0);
	check_facts(run,
		    "]: kernel launches x2, occupancy 50% -> 25% (registers 128 -> 168), DRAM bytes +60%");
	bench_record_free(run);
}

static void what_does_not_vary_is_no_test(void **state)
{
	struct bench_run *run = made_run("why");
	struct bench_whys whys;
	(void)state;
	struct bench_result *result = add_case(run, 1, 1.5);
	add_pair(run, result, "spilled", 0, 96, 0);
	judge(run, &whys);
	assert_int_equal(whys.tests, 1); /* the time's */
	assert_true(whys.cases[0].rows[0].change.differs && whys.cases[0].rows[0].explains);
	check_sentence(&whys, "slower by 50.0% [", "]: spilled registers 0 -> 96.00 B");
	bench_compare_why_free(&whys);
	/* Where a kernel varies, it is judged as all else is. */
	add_pair(run, result, "registers", 100, 120, 0.01);
	judge(run, &whys);
	assert_int_equal(whys.tests, 2);
	bench_compare_why_free(&whys);
	bench_record_free(run);
}

static void pipes_and_clocks_explain(void **state)
{
	static const struct {
		const char *name;
		double base, head;
		const char *end;
	} rows[] = {
		{"gpu_clock", 1.98e9, 1.2e9, "]: GPU clock -39%"},
		{"tensor_cycles", 2e5, 0, "]: tensor core cycles 2e+05 -> 0"},
		{"fp32_cycles", 1000, 9e4, "]: FP32 cycles x90"},
		{"fp32_cycles", 1000, 5000,
		 "]: nothing that was observed explains it"}, /* 4 us at most, of 50 */
		{"gpu_clock", 1.2e9, 1.98e9, "]: nothing that was observed explains it"},
		{"tensor_cycles", 1000, 2000, "]: nothing that was observed explains it"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_run *run = made_run("why");
		struct bench_result *result = add_case(run, 1, 1.5);
		add_pair(run, result, rows[i].name, rows[i].base, rows[i].head, 0.001);
		check_facts(run, rows[i].end);
		bench_record_free(run);
	}
}

/* A host that waits for a GPU as busy as before is no reason; one that leaves it idle is. */
static void a_waiting_host_explains_nothing(void **state)
{
	static const struct {
		double base, head;
		const char *end;
	} rows[] = {{0.93, 0.95, "]: nothing that was observed explains it"},
		    {0.93, 0.85, "]: busy multiprocessors 93% -> 85%"},
		    {0.93, 0.4, "]: busy multiprocessors 93% -> 40%, user time +50%"}};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_run *run = made_run("why");
		struct bench_result *result = add_case(run, 1, 1.5);
		add_pair(run, result, "user_time", 1e-4, 1.5e-4, 0.001);
		add_pair(run, result, "sm_activity", rows[i].base, rows[i].head, 0.001);
		check_facts(run, rows[i].end);
		bench_record_free(run);
	}
}

static void instructions_of_kernels_are_compared(void **state)
{
	struct bench_run *run = made_run("why");
	(void)state;
	struct bench_result *result = add_case(run, 1, 1.5);
	add_pair(run, result, "user_time", 1e-4, 1.5e-4, 0.001);
	add_note(run, result, "why_base_mix_mm_1234", "mm ld.global.v4 4, fma.f32 16, other 9");
	add_note(run, result, "why_mix_mm_1234", "mm fma.f32 16, ld.global 16, other 12");
	check_facts(run,
		    "]: PTX of mm ld.global 0 -> 16, ld.global.v4 4 -> 0, other 9 -> 12, user time +50%");
	/* A long list is cut between its items. */
	bench_record_attribute_set(&run->arena, &result->notes, &result->note_count, "why_mix_mm_1234",
				   "mm bar 6, ld.global 16, st.shared 12, st.global 20, mma 64, add.f32 77");
	check_facts(run, "st.global 0 -> 20 ..., user time +50%");
	/* Other names are compared where each side has one kernel. */
	bench_record_attribute_set(&run->arena, &result->notes, &result->note_count, "why_mix_mm_1234",
				   "mm ld.global.v4 4, fma.f32 16, other 12");
	check_facts(run, "]: user time +50%");
	add_note(run, result, "why_mix_copy_5678", "copy other 12");
	add_note(run, result, "why_kernel_copy_5678", "copy registers 12");
	check_facts(run, "]: user time +50%");
	bench_record_free(run);
}

static void lists_of_numbers_are_compared(void **state)
{
	struct bench_arena arena = {0};
	bool telling;
	(void)state;
	assert_string_equal(app_why_compare(&arena, "", "", &telling), "");
	assert_string_equal(app_why_compare(&arena, "a 1, b 2", "b 2, a 1", &telling), "");
	assert_false(telling);
	assert_string_equal(app_why_compare(&arena, "other 1", "other 2", &telling), "other 1 -> 2");
	assert_false(telling);
	assert_string_equal(
		app_why_compare(&arena, " spilled registers 0, x, ,, 7", "spilled registers 96", &telling),
		"spilled registers 0 -> 96");
	assert_true(telling);
	bench_arena_free(&arena);
}

static void without_a_change_nothing_is_claimed(void **state)
{
	struct bench_run *run = made_run("why");
	struct bench_whys whys;
	(void)state;
	struct bench_result *result = add_case(run, 1, 1);
	add_pair(run, result, "launches", 1, 2, 0);
	judge(run, &whys);
	assert_int_equal(whys.cases[0].answer, BENCH_WHY_NONE);
	assert_true(whys.cases[0].rows[0].change.differs);
	assert_false(whys.cases[0].rows[0].explains);
	check_sentence(&whys, "no difference: ", "]");
	bench_compare_why_free(&whys);
	bench_record_free(run);
}

static void a_first_call_is_explained_by_builds(void **state)
{
	struct bench_run *run = made_run("why");
	struct bench_whys whys;
	(void)state;
	struct bench_result *result = add_case(run, 1, 1);
	add_pair(run, result, "first_call", 2e-3, 40e-3, 0.05);
	add_pair(run, result, "builds", 0, 2, 0);
	judge(run, &whys);
	check_sentence(&whys, "the time is not different; first call slower by 1900% [",
		       "]: program builds 0 -> 2");
	bench_compare_why_free(&whys);
	bench_record_free(run);
}

static void functions_of_one_side_count_as_nothing_on_the_other(void **state)
{
	struct bench_run *run = made_run("why");
	struct bench_whys whys;
	(void)state;
	struct bench_result *result = add_case(run, 1, 2);
	add_pair(run, result, "user_time", 1e-4, 2e-4, 0.01);
	add_pair(run, result, "fn_work_1", 1e-4, 1e-4, 0.02);
	add(run, result, BENCH_OBSERVED_HEAD "fn_spin_2", 1e-4, 0.1);
	bench_record_attribute_set(&run->arena, &result->notes, &result->note_count,
				   BENCH_OBSERVED_HEAD "fn_spin_2", "spin /home/me/lib mine.so");
	judge(run, &whys);
	check_sentence(&whys, "slower by 100.0% [",
		       "]: spin in lib mine.so 0% -> 50% of the processor's time, user time x2");
	bench_compare_why_free(&whys);
	bench_record_free(run);
}

static void few_invocations_are_unclear(void **state)
{
	struct bench_run *run = made_run("why");
	struct bench_whys whys;
	struct bench_error error;
	(void)state;
	assert_int_equal(bench_compare_why(run, 0.01, 0.01, &whys, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_compare_why_free(&whys);
	struct bench_result *result = add_case(run, 1, 2);
	result->metrics[0].series_count = 3;
	judge(run, &whys);
	assert_int_equal(whys.cases[0].answer, BENCH_WHY_TOO_FEW);
	check_sentence(&whys, "unclear: 3 invocations are too few for 1 test (", ")");
	bench_compare_why_free(&whys);
	bench_record_free(run);
}

static void messages_become_samples_and_notes(void **state)
{
	struct bench_observed_functions functions = {0};
	struct bench_observed_message told;
	(void)state;
	assert_true(bench_session_observed_read("saw minor_faults 4.5", true, &functions, &told));
	assert_true(told.is_sample && !told.is_note);
	assert_string_equal(told.sample.metric, "why_base_minor_faults");
	assert_string_equal(told.sample.unit, "count");
	assert_true(told.sample.value == 4.5);
	assert_true(bench_session_observed_read("function 1e-6 Sum.constprop.0 /a b/x.so", false, &functions,
						&told));
	assert_true(told.is_sample && told.is_note);
	assert_string_equal(told.note.value, "Sum.constprop.0 /a b/x.so");
	char name[64];
	snprintf(name, sizeof(name), "%s", told.sample.metric);
	/* The same function, as another compiler calls it. */
	assert_true(bench_session_observed_read("function 1e-6 Sum ", false, &functions, &told));
	assert_string_equal(told.sample.metric, name);
	assert_int_equal(functions.count, 1);
	assert_true(bench_session_observed_read("unread huge pages: no such file", true, &functions, &told));
	assert_string_equal(told.note.name, "why_unread_huge_pages");
	assert_true(bench_session_observed_read("kernel mm registers 128, occupancy 0.25", true, &functions,
						&told));
	assert_true(told.is_note && !told.is_sample);
	assert_memory_equal(told.note.name, "why_base_kernel_mm_", 19);
	assert_string_equal(told.note.value, "mm registers 128, occupancy 0.25");
	assert_true(bench_session_observed_read("mix mm ld.global 4", false, &functions, &told));
	assert_memory_equal(told.note.name, "why_mix_mm_", 11);
	assert_false(bench_session_observed_read("kernel mm", false, &functions, &told));
	static const char *const wrong[] = {"",
					    "saw",
					    "saw minor_faults",
					    "saw minor_faults nan",
					    "saw minor_faults 1x",
					    "saw nothing 1",
					    "saw fn_x 1",
					    "function -1 f x",
					    "function 1",
					    "function 1 ",
					    "unread x",
					    "unread : x",
					    "observed"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (bench_session_observed_read(wrong[i], false, &functions, &told))
			fail_msg("'%s' was read", wrong[i]);
	for (int i = 0; i < 2 * BENCH_OBSERVED_FUNCTIONS; i++) {
		char message[64];
		snprintf(message, sizeof(message), "function 1 f%d x", i);
		bench_session_observed_read(message, false, &functions, &told);
	}
	assert_int_equal(functions.count, BENCH_OBSERVED_FUNCTIONS);
}

__attribute__((noinline)) static double burn(int rounds)
{
	volatile double sum = 0;
	for (int i = 0; i < rounds; i++)
		sum += i;
	return sum;
}

static void the_sampler_finds_the_function_that_burns(void **state)
{
	struct bench_profile_function functions[4];
	char name[64] = "", file[256];
	size_t samples = 0, count = 0;
	(void)state;
	bench_machine_symbols_name((uintptr_t)burn, name, sizeof(name), file, sizeof(file));
	assert_string_equal(name, "burn");
	assert_non_null(strstr(file, "test_why"));
	for (int tries = 0; tries < 100 && samples < 5; tries++) {
		if (!bench_machine_profile_start())
			skip();
		burn(20000000);
		bench_machine_profile_stop();
		count = bench_machine_profile_read(functions, 4, &samples);
	}
	assert_true(samples >= 5 && count >= 1);
	assert_string_equal(functions[0].name, "burn");
	assert_true(functions[0].count <= samples);
}

static void names_of_what_is_no_elf_file_are_not_known(void **state)
{
	static const unsigned char data[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
	char name[16] = "as it was";
	(void)state;
	for (size_t length = 0; length <= sizeof(data); length++)
		assert_false(bench_machine_symbols_find(data, length, 0, name, sizeof(name)));
	assert_string_equal(name, "as it was");
}

static void tell_nothing(void *context, const char *source, const char *text)
{
	assert_true(*source && *text);
	(*(size_t *)context)++;
}

static void counters_go_up_and_what_cannot_be_read_is_told(void **state)
{
	struct bench_observe observe;
	double before[BENCH_OBSERVED_KINDS], after[BENCH_OBSERVED_KINDS], resident, huge;
	size_t told = 0, unread = 0;
	(void)state;
	bench_machine_observe_open(&observe);
	bench_machine_observe_read(&observe, before);
	char *memory = malloc(64 << 20);
	memset(memory, 1, 64 << 20);
	__asm__ volatile("" : : "r"(memory) : "memory"); /* it is used */
	bench_machine_observe_read(&observe, after);
	assert_true(after[BENCH_OBSERVED_MINOR_FAULTS] > before[BENCH_OBSERVED_MINOR_FAULTS]);
	if (after[BENCH_OBSERVED_HEAP] > 0) /* AddressSanitizer's heap says nothing of itself */
		assert_true(after[BENCH_OBSERVED_HEAP] - before[BENCH_OBSERVED_HEAP] >= 64 << 20);
	bench_machine_observe_memory(&resident, &huge);
	assert_true(isnan(resident) || resident >= 64 << 20);
	free(memory);
	bench_machine_observe_unread(&observe, tell_nothing, &told);
	unread = (isnan(after[BENCH_OBSERVED_INSTRUCTIONS]) ? 1u : 0) +
		 (isnan(after[BENCH_OBSERVED_MIGRATIONS]) ? 1u : 0);
	assert_true(told >= unread);
	bench_machine_observe_close(&observe);
}

static void instructions_are_vector_or_not(void **state)
{
	struct app_why_mix mix;
	(void)state;
	assert_false(app_why_read_mix("", &mix));
	assert_false(app_why_read_mix("x.so:     file format elf64-x86-64\n\n0000 <f>:\n", &mix));
	assert_true(app_why_read_mix("0000000000001139 <f>:\n"
				     "    1139:\taddps  %xmm1,%xmm0\n"
				     "    113c:\taddss  %xmm1,%xmm0\n"
				     "    1140:\tvfmadd231ps (%rax),%ymm1,%ymm0\n"
				     "    1145:\tpxor   %xmm0,%xmm0\n"
				     "    1149:\tpaddd  %xmm1,%xmm0\n"
				     "    114d:\tret\n",
				     &mix));
	assert_int_equal(mix.instructions, 6);
	assert_int_equal(mix.vector, 3);
	assert_true(app_why_read_mix("     720:\tfadd\tv0.4s, v0.4s, v1.4s\n     724:\tfadd\ts0, s0, s1\n",
				     &mix));
	assert_int_equal(mix.vector, 1);
}

static void a_diff_has_the_lines_that_differ(void **state)
{
	struct bench_arena arena = {0};
	(void)state;
	assert_string_equal(app_why_diff(&arena, "a\nb\nc\n", "a\nb\nc\n"), "");
	assert_string_equal(app_why_diff(&arena, "a\nb\nc\nd", "a\nx\nc\ny\nd"), "-b\n+x\n+y\n");
	assert_string_equal(app_why_diff(&arena, "", "a"), "+a\n");
	assert_string_equal(app_why_diff(&arena, "a\n\nb", "a\nb"), "-\n");
	bench_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(causes_stand_in_the_order_of_what_they_say),
		cmocka_unit_test(fewer_processors_are_a_reason_if_they_work_no_longer),
		cmocka_unit_test(a_faster_head_has_the_opposite_reasons),
		cmocka_unit_test(what_is_too_small_explains_nothing),
		cmocka_unit_test(without_a_change_nothing_is_claimed),
		cmocka_unit_test(kernels_stand_between_work_and_counters),
		cmocka_unit_test(what_does_not_vary_is_no_test),
		cmocka_unit_test(pipes_and_clocks_explain),
		cmocka_unit_test(a_waiting_host_explains_nothing),
		cmocka_unit_test(instructions_of_kernels_are_compared),
		cmocka_unit_test(lists_of_numbers_are_compared),
		cmocka_unit_test(a_first_call_is_explained_by_builds),
		cmocka_unit_test(functions_of_one_side_count_as_nothing_on_the_other),
		cmocka_unit_test(few_invocations_are_unclear),
		cmocka_unit_test(messages_become_samples_and_notes),
		cmocka_unit_test(the_sampler_finds_the_function_that_burns),
		cmocka_unit_test(names_of_what_is_no_elf_file_are_not_known),
		cmocka_unit_test(counters_go_up_and_what_cannot_be_read_is_told),
		cmocka_unit_test(instructions_are_vector_or_not),
		cmocka_unit_test(a_diff_has_the_lines_that_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
