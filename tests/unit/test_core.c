/* SPDX-License-Identifier: MIT */
/* Core: errors, memory, files and the clock. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"

static void an_error_is_one_line_and_is_cut_to_fit(void **state)
{
	(void)state;
	struct bench_error error;
	char huge[5000];
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	assert_int_equal(bench_fail(&error, BENCH_FAILED, "build log:\nline 2\r\n%s", huge), -1);
	assert_int_equal(error.code, BENCH_FAILED);
	assert_null(strchr(error.text, '\n'));
	assert_null(strchr(error.text, '\r'));
	assert_in_range(strlen(error.text), sizeof(error.text) - 8, sizeof(error.text) - 1);
	/* What was wrong is said last: the middle goes, and no character is torn. */
	assert_int_equal(bench_fail(&error, BENCH_FAILED, "cannot read '%s': No space left", huge), -1);
	assert_non_null(strstr(error.text, "cannot read 'xxx"));
	assert_non_null(strstr(error.text, "xxx [...] xxx"));
	assert_non_null(strstr(error.text, "xxx': No space left"));
	for (size_t i = 0; i + 1 < sizeof(huge) - 1; i += 2)
		memcpy(huge + i, "\xc3\xa4", 2);
	for (int shift = 0; shift < 2; shift++) {
		bench_fail(&error, BENCH_FAILED, "%s%s", shift ? "x" : "", huge);
		assert_null(bench_text_not_utf8(error.text));
	}
	bench_fail(&error, BENCH_FAILED, "'%.3s' is no word", "ab\xc3\xa4");
	assert_string_equal(error.text, "'ab?' is no word");
	bench_fail(&error, BENCH_FAILED, "no space");
	bench_fail(&error, error.code, "cannot write: %s", error.text);
	assert_string_equal(error.text, "cannot write: no space");
	assert_int_equal(bench_fail(NULL, BENCH_FAILED, "nobody asks"), -1);
}

static void an_arena_array_keeps_its_elements_while_it_grows(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	uint64_t *array = NULL;
	size_t count = 0;
	for (uint64_t i = 0; i < 10000; i++) {
		uint64_t *slot = bench_arena_push(&arena, &array, &count, sizeof(*slot));
		assert_int_equal(*slot, 0);
		*slot = i * i;
	}
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(array[i], i * i);
	char *big = bench_arena_alloc(&arena, 1, 1 << 20);
	assert_int_equal((uintptr_t)big % _Alignof(max_align_t), 0);
	assert_int_equal(big[(1 << 20) - 1], 0);
	assert_string_equal(bench_arena_format(&arena, "%d of %s", 3, "four"), "3 of four");
	assert_null(bench_arena_string(&arena, NULL));
	bench_arena_free(&arena);
}

static void make_scratch(char *path, size_t size)
{
	const char *base = getenv("TMPDIR");
	snprintf(path, size, "%s/bench-core-XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(path));
}

static void a_file_is_written_whole_or_not_at_all(void **state)
{
	(void)state;
	char folder[256], path[300], *data;
	size_t length;
	struct bench_error error;
	make_scratch(folder, sizeof(folder));
	assert_true(bench_file_join(path, sizeof(path), folder, "f"));
	assert_int_equal(bench_file_write(path, "one", 3, &error), 0);
	assert_int_equal(bench_file_write(path, "three", 5, &error), 0);
	assert_int_equal(bench_file_read(path, 100, &data, &length, &error), 0);
	assert_string_equal(data, "three");
	free(data);
	assert_int_equal(bench_file_read(path, 4, &data, &length, &error), -1);
	assert_non_null(strstr(error.text, path));
	assert_int_equal(bench_file_read(folder, 100, &data, &length, &error), -1);
	assert_non_null(strstr(error.text, "not a regular file"));
	struct stat status;
	mode_t mask = umask(0);
	umask(mask);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
	unlink(path);
	/* Nothing but the file itself was left behind. */
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(bench_file_write(path, "x", 1, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
}

static void folders_are_made_with_their_parents(void **state)
{
	(void)state;
	char folder[256], path[300];
	struct bench_error error;
	make_scratch(folder, sizeof(folder));
	snprintf(path, sizeof(path), "%s/a/b/", folder);
	assert_int_equal(bench_file_make_folder(path, &error), 0);
	assert_int_equal(bench_file_make_folder(path, &error), 0);
	assert_true(bench_file_is_folder(path));
	assert_int_equal(bench_file_check_writable(path, &error), 0);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/a/b", folder);
	assert_int_equal(bench_file_write(path, "x", 1, &error), 0);
	assert_int_equal(bench_file_make_folder(path, &error), -1);
	assert_non_null(strstr(error.text, path));
	assert_int_equal(bench_file_make_folder("", &error), -1);
	assert_int_equal(bench_file_make_folder("/proc/nothing", &error), -1);
	assert_int_equal(bench_file_check_writable("/proc", &error), -1);
	unlink(path);
	snprintf(path, sizeof(path), "%s/a", folder);
	rmdir(path);
	rmdir(folder);
}

struct steps {
	uint64_t now, step;
};

static uint64_t stepping_now(void *context)
{
	struct steps *steps = context;
	return steps->now += steps->step;
}

static void a_clock_is_known_by_its_readings(void **state)
{
	(void)state;
	struct steps steps = {.step = 40};
	struct bench_clock clock = {stepping_now, &steps};
	struct bench_clock_quality quality;
	bench_clock_calibrate(&clock, &quality);
	assert_true(quality.tick_ns == 40);
	assert_true(fabs(quality.cost_ns - 40) < 1);
	bench_clock_calibrate(&bench_clock_real, &quality);
	assert_true(quality.tick_ns >= 1 && quality.cost_ns > 0);
}

static void time_is_written_with_its_zone(void **state)
{
	(void)state;
	char text[40];
	setenv("TZ", "CET-1", 1);
	tzset();
	bench_clock_iso(1764000000, text, sizeof(text));
	assert_string_equal(text, "2025-11-24T17:00:00+01:00");
	setenv("TZ", "UTC", 1);
	tzset();
	bench_clock_iso(1764000000, text, sizeof(text));
	assert_string_equal(text, "2025-11-24T16:00:00+00:00");
}

static jmp_buf without_memory;
static char said[128];

static void give_up(const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
	longjmp(without_memory, 1);
}

static void where_memory_runs_out_the_handler_is_called(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	bench_memory_on_exhausted(give_up);
	if (setjmp(without_memory) == 0) {
		bench_arena_alloc(&arena, SIZE_MAX / 2, 3);
		fail_msg("so much memory there is not");
	}
	bench_memory_on_exhausted(NULL);
	assert_non_null(strstr(said, "out of memory: "));
	assert_non_null(strstr(said, " x 3 bytes for a record"));
	bench_arena_free(&arena);
}

static void what_is_asked_for_is_there_or_the_handler_is_called(void **state)
{
	(void)state;
	bench_memory_on_exhausted(give_up);
	if (setjmp(without_memory) == 0) {
		free(bench_memory_alloc(0, 8));
		free(bench_memory_alloc(SIZE_MAX / 2, 3));
		fail_msg("so much memory there is not");
	}
	assert_string_equal(said, "out of memory: 9223372036854775807 x 3 bytes");
	/* cJSON leaves out of a document what it has no memory for. */
	if (setjmp(without_memory) == 0) {
		cJSON_free(cJSON_malloc(SIZE_MAX / 2));
		fail_msg("so much memory there is not");
	}
	assert_string_equal(said, "out of memory: 9223372036854775807 bytes of JSON");
	bench_memory_on_exhausted(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_memory_runs_out_the_handler_is_called),
		cmocka_unit_test(what_is_asked_for_is_there_or_the_handler_is_called),
		cmocka_unit_test(an_error_is_one_line_and_is_cut_to_fit),
		cmocka_unit_test(an_arena_array_keeps_its_elements_while_it_grows),
		cmocka_unit_test(a_file_is_written_whole_or_not_at_all),
		cmocka_unit_test(folders_are_made_with_their_parents),
		cmocka_unit_test(a_clock_is_known_by_its_readings),
		cmocka_unit_test(time_is_written_with_its_zone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
