/* SPDX-License-Identifier: MIT */
/* Suites of commands: what of a description is refused, and where; how processes begin and end; counters. */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/json_place.h"
#include "core/memory.h"
#include "kit/counters.h"
#include "suite_fixture.h"
#include "suites/exec/exec.h"
#include "suites/exec/process.h"

static struct bench_arena arena;

static void what_is_wrong_is_said_with_its_line(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t line;
		const char *part;
	} rows[] = {
		{"[]", 1, "is no object"},
		{"{}", 1, "one of 'command' and 'commands'"},
		{"{\"command\": \"a\",\n\"commands\": [\"b\"]}", 2, "one of"},
		{"{\"command\":\n7}", 2, "a text, or an array"},
		{"{\"command\":\n[\"a\", 7]}", 2, "is no text"},
		{"{\"command\":\n\"\"}", 2, "without a program"},
		{"{\"command\":\n\"A=1 B=2\"}", 2, "without a program"},
		{"{\"command\":\n\"a 'b\"}", 2, "not closed"},
		{"{\"command\":\n\"{a} b\"}", 2, "the program of '{a}' is a placeholder"},
		{"{\"command\": \"a {command}\"}", 1, "{command}"},
		{"{\"command\": [\"a\"],\n\"shell\": \"sh\"}", 1, "with a shell, a command is a text"},
		{"{\"shell\": \"\", \"command\": \"a\"}", 1, "'shell' is no text"},
		{"{\"commands\":\n{}}", 2, "an array of commands"},
		{"{\"commands\": {\"a b\":\n\"c\"}}", 2, "a name has letters"},
		{"{\"commands\": [\"a\",\n\"a\"]}", 2, "two commands are named 'a'"},
		{"{\"commands\": [\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\n\"9\"]}", 2,
		 "more than 8"},
		{"{\"command\": \"a\",\n\"status\": 256}", 2, "from 0 to 255"},
		{"{\"command\": \"a\",\n\"output_limit\": \"1\"}", 2, "'output_limit'"},
		{"{\"command\": \"a\",\n\"output_limit\": 1e300}", 2, "'output_limit'"},
		{"{\"command\": \"a\",\n\"command\": \"b\"}", 2, "'command' twice"},
		{"{\"command\": \"a {n}\",\n\"set\": []}", 2, "'set' is no object"},
		{"{\"command\": \"a {n}\",\n\"set\": {\"m\":\n[1]}}", 3, "no command has a placeholder {m}"},
		{"{\"command\": \"a {n}\", \"set\": {\"n\": 1}}", 1, "are an array"},
		{"{\"command\": \"a {n}\", \"set\": {\"n\": [1,\n\"\"]}}", 2, "'' is no value"},
		{"{\"command\": \"a {n}\", \"set\": {\"n\": [1,\nnull]}}", 2, "is a text or a number"},
		{"{\"command\": \"a {n}\", \"set\": {\"n\": [1],\n\"n\": [2]}}", 2, "'n' twice"},
		{"{\"command\": \"a\", \"check\":\n{}}", 2, "one of 'output', 'file' and 'match'"},
		{"{\"command\": \"a\", \"check\":\n{\"output\": 1}}", 2, "'output' is no text"},
		{"{\"command\": \"a\", \"check\":\n{\"match\": \"(\"}}", 2, "no regular expression"},
		{"{\"command\": \"a\", \"check\":\n{\"match\": \"(((.*){90}){90}){90}\"}}", 2,
		 "more than 2000 elements"},
		{"{\"command\": \"a\", \"check\": {\"match\": \"x\",\n\"mach\": \"x\"}}", 2,
		 "no member 'mach'"},
		{"{\"command\": \"a\", \"metrics\":\n[]}", 2, "an object of a metric"},
		{"{\"command\": \"a\", \"metrics\": {\"x\":\n{\"unit\": \"s\"}}}", 2, "lacks 'match'"},
		{"{\"command\": \"a\", \"metrics\": {\"x\":\n{\"match\": \"1\", \"unit\": \"s\", \"better\": "
		 "\"lower\"}}}",
		 2, "no group"},
		{"{\"command\": \"a\", \"metrics\": {\"x\":\n{\"match\": \"(1)\", \"unit\": \"s\", "
		 "\"better\": "
		 "\"less\"}}}",
		 2, "better 'less'"},
		{"{\"command\": \"a\", \"metrics\": {\"x\":\n{\"match\": \"(1)\", \"unit\": \"s\", "
		 "\"better\": "
		 "\"lower\",\n\"scale\": 0}}}",
		 3, "'scale'"},
		{"{\"command\": \"a\", \"metrics\": {\"peak_memory\":\n{\"match\": \"(1)\", \"unit\": \"B\", "
		 "\"better\": \"lower\"}}}",
		 2, "measured anyway"},
		{"{\"command\": \"a\", \"metrics\": {\"Bad\": {\"match\": \"(1)\", \"unit\": \"B\", "
		 "\"better\": "
		 "\"lower\"}}}",
		 1, "metric 'Bad'"},
		{"{\"command\": \"a\", \"suite\": \"Bad\"}", 1, "suite 'Bad'"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_exec *exec = bench_memory_alloc(1, sizeof(*exec));
		struct bench_error error = {0};
		const cJSON *at = NULL;
		struct bench_error placed = {0};
		size_t line = 0;
		cJSON *root = bench_json_place_parse(rows[i].text, "a", &error);
		assert_non_null(root);
		if (bench_exec_read(root, &arena, exec, &at, &error) == 0)
			fail_msg("accepted: %s", rows[i].text);
		bench_json_place_fail(rows[i].text, "a", root, at, false, 0, &placed, "b");
		assert_int_equal(sscanf(placed.text, "a:%zu:", &line), 1);
		if (error.code != BENCH_USAGE || !strstr(error.text, rows[i].part) || line != rows[i].line)
			fail_msg("%s: %s: %s", rows[i].text, placed.text, error.text);
		bench_exec_free(exec);
		free(exec);
		cJSON_Delete(root);
	}
}

/* A suite of the process, from its description, which lives as long. */
static const struct bench_suite *suite_of(const char *text)
{
	static cJSON *kept[32];
	static size_t kept_count;
	struct bench_error error = {0};
	size_t count = 0;
	cJSON *root = kept[kept_count++] = bench_json_place_parse(text, "a", &error);
	if (!root || bench_exec_add(root, &error) != 0)
		fail_msg("%s: %s", text, error.text);
	while (bench_suites[count + 1])
		count++;
	return bench_suites[count];
}

/* Sets the case up and runs it once. -1: some step failed. */
static int run_case(struct fixture *fixture, const struct bench_suite *suite, const char *settings,
		    struct bench_check *check, struct bench_error *error)
{
	struct bench_error opening;
	assert_true(open_fixture(fixture, suite, NULL, settings, &opening));
	fixture->bench_case.suite = suite;
	return suite->setup(&fixture->bench_case, error) || suite->prepare(&fixture->bench_case, error) ||
			       suite->run(&fixture->bench_case, 2, error) ||
			       suite->check(&fixture->bench_case, 2, check, error)
		       ? -1
		       : 0;
}

static void words_that_are_more_to_a_shell_are_found_unquoted(void **state)
{
	(void)state;
	static const struct {
		const char *line, *word;
	} rows[] = {
		{"a > b", ">"},
		{"a >> b", ">>"},
		{"a < b", "<"},
		{"a | b", "|"},
		{"a || b", "||"},
		{"a && b", "&&"},
		{"a; b", "a;"},
		{"a &", "&"},
		{"a 2> b", "2>"},
		{"a 2>&1", "2>&1"},
		{"a b>c", "b>c"},
		{"a $B", "$B"},
		{"a ${B}c", "${B}c"},
		{"a x$(b)", "x$(b)"},
		{"a $?", "$?"},
		{"a `b`", "`b`"},
		{"A=$B c", "A=$B"},
		{"a *.c", "*.c"},
		{"a b?", "b?"},
		{"a [bc]", "[bc]"},
		{"a ~", "~"},
		{"a ~/b", "~/b"},
		{"a ~b", "~b"},
		{"a # b", "#"},
		{"(a)", "(a)"},
		{"a 'b'*", "'b'*"},
		{"a \">\">", "\">\">"},
		{"a b", NULL},
		{"a '>' '$B' '*'", NULL},
		{"a \">\" \"a b;c\" \"\\\">\"", NULL},
		{"a \\> \\$B \\*", NULL},
		{"a $ b$ $.", NULL},
		{"a [ b", NULL},
		{"a b~ b#", NULL},
		{"a {n} {{n}} n=1 -x --y=z %d @f a:b a,b a^b !", NULL},
		{"a 'b", NULL},
		{"", NULL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *word = bench_exec_shell_word(rows[i].line, &arena);
		if (!word != !rows[i].word || (word && strcmp(word, rows[i].word) != 0))
			fail_msg("%s: %s", rows[i].line, word ? word : "none");
	}
}

static void the_command_gets_what_its_description_says(void **state)
{
	(void)state;
	const struct bench_suite *suite = suite_of(
		"{\"suite\": \"words\", \"directory\": \"tests/unit\", \"input\": \"suite_fixture.h\","
		"\"command\": [\"A=x{n}\", \"sh\", \"-c\", "
		"\"echo $A,$1,{{n}},`pwd | sed s,.*/,,`; head -c 2\", \"sh\", \"{n}{w}\"],"
		"\"set\": {\"n\": [1, 2.50], \"w\": [\"./y\"]},"
		"\"check\": {\"output\": \"x2.50,2.50./y,{n},unit\\n/*\"}}");
	struct fixture fixture;
	struct bench_check check = {.error = (double)NAN};
	struct bench_error error = {0};
	if (run_case(&fixture, suite, "n=2.50 w=./y", &check, &error) != 0)
		fail_msg("%s", error.text);
	assert_string_equal(check.method, "output against the text given");
	assert_true(check.error == 0);
	close_fixture(&fixture);
	/* A run that was asked for and not made. */
	assert_int_equal(run_case(&fixture, suite, "n=1 w=./y", &check, &error), 0);
	assert_true(check.error == 1);
	assert_string_equal(check.method, "output differs from the text given in line 1");
	assert_int_equal(suite->check(&fixture.bench_case, 3, &check, &error), -1);
	close_fixture(&fixture);
}

static void what_cannot_be_run_is_a_failure(void **state)
{
	(void)state;
	static const struct {
		const char *text, *part;
	} rows[] = {
		{"{\"suite\": \"f1\", \"command\": \"nosuchprogram\"}", "no program 'nosuchprogram' in PATH"},
		{"{\"suite\": \"f2\", \"command\": \"./README.md\"}", "no program './README.md'"},
		{"{\"suite\": \"f3\", \"command\": \"./none\", \"directory\": \"docs\"}", "in docs"},
		{"{\"suite\": \"f4\", \"command\": \"true\", \"input\": \"none\"}", "No such file"},
		{"{\"suite\": \"f5\", \"command\": \"true\", \"directory\": \"none\"}", "No such file"},
		{"{\"suite\": \"f6\", \"command\": \"true\", \"check\": {\"file\": \"none\"}}", "none"},
		{"{\"suite\": \"f7\", \"command\": \"true\", \"hashes\": {\"true\": \"00\"}}",
		 "another content"},
		{"{\"suite\": \"f8\", \"command\": \"sh -c 'echo why >&2; exit 3'\"}",
		 "exit status 3, not 0: why"},
		{"{\"suite\": \"f9\", \"command\": \"sh -c 'kill -9 $$'\"}", "ended by SIGKILL"},
		{"{\"suite\": \"f10\", \"command\": \"yes\", \"output_limit\": 9, \"check\": {\"match\": "
		 "\"y\"}}",
		 "more than 9 bytes"},
		{"{\"suite\": \"f11\", \"command\": \"echo\", \"metrics\": {\"x\": {\"match\": \"(x*)\", "
		 "\"unit\": \"s\", \"better\": \"none\"}}}",
		 "is no number"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture fixture;
		struct bench_check check;
		struct bench_error error = {0};
		assert_int_equal(run_case(&fixture, suite_of(rows[i].text), "", &check, &error), -1);
		if (error.code != BENCH_FAILED || !strstr(error.text, rows[i].part))
			fail_msg("%s: %s", rows[i].text, error.text);
		close_fixture(&fixture);
	}
}

/* A Ctrl-Z that reaches a command on its way into its own group would stop it where no SIGCONT finds it. */
static void a_command_is_not_suspended(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_check check;
	struct bench_error error = {0};
	const struct bench_suite *suite =
		suite_of("{\"suite\": \"suspended\", \"command\": \"sh -c 'kill -TSTP $$; echo on'\", "
			 "\"check\": {\"output\": \"on\\n\"}}");
	if (run_case(&fixture, suite, "", &check, &error) != 0)
		fail_msg("%s", error.text);
	assert_true(check.error == 0);
	close_fixture(&fixture);
}

/* A guard whose process has died ends the command that ran, and all that is in its group. */
static void the_guard_ends_what_its_process_has_left(void **state)
{
	(void)state;
	struct bench_exec_guard guard;
	struct bench_error error;
	int status;
	assert_int_equal(bench_exec_guard_open(&guard, &error), 0);
	pid_t left = fork();
	if (left == 0) {
		close(guard.alive);
		setpgid(0, 0);
		for (;;)
			pause();
	}
	while (getpgid(left) != left)
		usleep(1000);
	*guard.group = left;
	bench_exec_guard_close(&guard);
	assert_int_equal(waitpid(left, &status, 0), left);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Memory that no allocator has kept from before. */
static void fault_pages(void)
{
	const size_t bytes = (size_t)8 << 20;
	volatile char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	for (size_t i = 0; i < bytes; i += 4096)
		memory[i] = 1;
	assert_int_equal(munmap((void *)(uintptr_t)memory, bytes), 0);
}

static void counters_count_what_is_started_alone(void **state)
{
	(void)state;
	static const struct bench_counter faults = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
					  none = {PERF_TYPE_MAX + 1000, 0};
	struct bench_counters counters;
	struct bench_error error = {0};
	double before, own, after;
	assert_int_equal(bench_counters_open(&counters, BENCH_COUNTED_STARTED, &none, 1, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	if (bench_counters_open(&counters, BENCH_COUNTED_STARTED, &faults, 1, &error) != 0) {
		print_message("skipped: %s\n", error.text);
		return;
	}
	bench_counters_read(&counters, &before);
	fault_pages();
	bench_counters_read(&counters, &own);
	/* A shell, and what it starts in turn. */
	assert_int_equal(system("/bin/true; /bin/true"), 0);
	bench_counters_read(&counters, &after);
	assert_true(before == 0 && own == 0 && after > 20);
	bench_counters_close(&counters);
	assert_int_equal(counters.count, 0);
	/* And what this thread does itself. */
	assert_int_equal(bench_counters_open(&counters, BENCH_COUNTED_OWN, &faults, 1, &error), 0);
	bench_counters_read(&counters, &before);
	fault_pages();
	bench_counters_read(&counters, &own);
	assert_true(own > before);
	bench_counters_close(&counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_is_said_with_its_line),
		cmocka_unit_test(words_that_are_more_to_a_shell_are_found_unquoted),
		cmocka_unit_test(the_command_gets_what_its_description_says),
		cmocka_unit_test(what_cannot_be_run_is_a_failure),
		cmocka_unit_test(a_command_is_not_suspended),
		cmocka_unit_test(the_guard_ends_what_its_process_has_left),
		cmocka_unit_test(counters_count_what_is_started_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
