/* SPDX-License-Identifier: MIT */
/* The waiting line of a machine. Each descriptor of the file stands for a process: so do its locks. */
#include "machine/turn.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "scratch.h"

static char path[256];

static int make_line(void **state)
{
	if (make_scratch(state) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s/line", (const char *)*state);
	return 0;
}

static struct bench_turn join(const char *command)
{
	struct bench_turn turn;
	struct bench_error error;

	if (bench_machine_turn_join(path, command, &turn, &error) != 0)
		fail_msg("%s", error.text);
	return turn;
}

static bool begins(struct bench_turn *turn, bool now, struct bench_turn_ahead *ahead)
{
	struct bench_error error;
	const int result = bench_machine_turn_try(turn, now, ahead, &error);

	if (result < 0)
		fail_msg("%s", error.text);
	return result == 1;
}

static void those_who_came_first_go_first(void **state)
{
	struct bench_turn first = join("first"), second = join("second"), third = join("third");
	struct bench_turn_ahead ahead;

	(void)state;
	assert_false(begins(&second, false, &ahead));
	assert_int_equal(ahead.count, 1);
	assert_false(ahead.measures);
	assert_true(begins(&first, false, &ahead));
	assert_false(begins(&third, false, &ahead));
	assert_int_equal(ahead.count, 2);
	assert_true(ahead.measures);
	assert_string_equal(ahead.command, "first");
	assert_int_equal(ahead.pid, getpid());
	bench_machine_turn_leave(&first);
	assert_false(begins(&third, false, &ahead));
	assert_string_equal(ahead.command, "second");
	/* Who comes anew is behind all others, in whatever slot. */
	first = join("again");
	assert_true(begins(&second, false, &ahead));
	bench_machine_turn_leave(&second);
	assert_false(begins(&first, false, &ahead));
	assert_true(begins(&third, false, &ahead));
	bench_machine_turn_leave(&third);
	assert_true(begins(&first, false, &ahead));
	bench_machine_turn_leave(&first);
}

static void who_does_not_wait_is_waited_for(void **state)
{
	struct bench_turn first = join("first"), hasty = join("hasty"), third = join("third");
	struct bench_turn_ahead ahead;

	(void)state;
	assert_true(begins(&first, false, &ahead));
	assert_true(begins(&hasty, true, &ahead));
	assert_int_equal(ahead.count, 1);
	bench_machine_turn_leave(&first);
	assert_false(begins(&third, false, &ahead));
	bench_machine_turn_leave(&hasty);
	assert_true(begins(&third, false, &ahead));
	bench_machine_turn_leave(&third);
}

/* The kernel frees what a killed process had. */
static void who_is_killed_leaves_the_line(void **state)
{
	struct bench_turn mine;
	struct bench_turn_ahead ahead;
	int ready[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	const pid_t child = fork();
	if (child == 0) {
		struct bench_turn turn;
		struct bench_error error;
		if (bench_machine_turn_join(path, "killed", &turn, &error) == 0 &&
		    bench_machine_turn_try(&turn, false, &ahead, &error) == 1 && write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	mine = join("mine");
	assert_false(begins(&mine, false, &ahead));
	assert_int_equal(ahead.pid, child);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(begins(&mine, false, &ahead));
	bench_machine_turn_leave(&mine);
	close(ready[0]);
}

/* Other users may write what they like: it makes nobody overtake, nor does it reach a terminal. */
static void odd_text_in_a_slot_is_a_process_ahead(void **state)
{
	struct bench_turn other = join("other"), mine = join("mine");
	struct bench_turn_ahead ahead;
	static const char *const texts[] = {"", "nonsense", "w", "w x 1 1 a", "\x1b[31m"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char slot[160] = "";
		snprintf(slot, sizeof(slot), "%s", texts[i]);
		assert_int_equal(pwrite(other.fd, slot, sizeof(slot), 160L * other.slot), sizeof(slot));
		assert_false(begins(&mine, false, &ahead));
		assert_int_equal(ahead.pid, 0);
	}
	assert_int_equal(pwrite(other.fd, "w 1 7 5 a\x1b[31mb\n", 17, 160L * other.slot), 17);
	assert_false(begins(&mine, false, &ahead));
	assert_string_equal(ahead.command, "a?[31mb");
	bench_machine_turn_leave(&other);
	bench_machine_turn_leave(&mine);
}

static void a_line_that_cannot_be_is_refused(void **state)
{
	struct bench_turn turn;
	struct bench_error error;
	char odd[300];

	(void)state;
	snprintf(odd, sizeof(odd), "%s.link", path);
	assert_int_equal(symlink("/etc/passwd", odd), 0);
	assert_int_equal(bench_machine_turn_join(odd, "x", &turn, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, odd));
	snprintf(odd, sizeof(odd), "%s.pipe", path);
	assert_int_equal(mkfifo(odd, 0600), 0);
	assert_int_equal(bench_machine_turn_join(odd, "x", &turn, &error), -1);
	assert_int_equal(bench_machine_turn_join("/nowhere/at/all", "x", &turn, &error), -1);
	assert_int_equal(turn.fd, -1);
}

static void a_full_line_is_refused(void **state)
{
	struct bench_turn turns[256], more;
	struct bench_error error;
	size_t count = 0;

	(void)state;
	while (count < 256 && bench_machine_turn_join(path, "x", &turns[count], &error) == 0)
		count++;
	assert_int_equal(count, 128);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	bench_machine_turn_leave(&turns[7]);
	more = join("more");
	assert_int_equal(more.slot, 7);
	bench_machine_turn_leave(&more);
	for (size_t i = 0; i < count; i++)
		bench_machine_turn_leave(&turns[i]);
}

#define on_line(test) cmocka_unit_test_setup_teardown(test, make_line, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_line(those_who_came_first_go_first),    on_line(who_does_not_wait_is_waited_for),
		on_line(who_is_killed_leaves_the_line),    on_line(odd_text_in_a_slot_is_a_process_ahead),
		on_line(a_line_that_cannot_be_is_refused), on_line(a_full_line_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
