/* SPDX-License-Identifier: MIT */
/* User code, tried in a separate process. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/text.h"
#include "extend/extend.h"

#define MOST_SHOWN 60 /* characters of what it prints */

struct trial {
	const char *what;
	double limit_seconds;
	int (*task)(void *context, struct bench_error *error);
	void *context;
};

struct answer {
	int result;
	struct bench_error error;
};

/* The child's part; it does not return, and runs nothing that the code leaves for the exit. */
static void answer(const struct trial *trial, pid_t parent, const int *ends)
{
	struct answer answer = {0};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (getppid() != parent || dup2(ends[1], STDOUT_FILENO) < 0)
		_exit(1);
	answer.result = trial->task(trial->context, &answer.error);
	fflush(stdout);
	/* Smaller than a pipe's atomic write: it is there whole, or not at all. */
	_exit(write(ends[3], &answer, sizeof(answer)) == sizeof(answer) ? 0 : 1);
}

/* Waits until the child has answered or ended, or has written to its standard output. False: it did neither.
 */
static bool wait_for(const int *ends, double limit_seconds)
{
	double end = bench_clock_seconds() + limit_seconds, left;
	while ((left = end - bench_clock_seconds()) > 0) {
		struct pollfd ready[] = {{.fd = ends[0], .events = POLLIN},
					 {.fd = ends[2], .events = POLLIN}};
		if (poll(ready, 2, (int)(1000 * left) + 1) > 0)
			return true;
	}
	return false;
}

/* What it has written to its standard output, as a line; "" where it has not. */
static const char *printed(int from, char *out, size_t size)
{
	char bytes[MOST_SHOWN + 1];
	struct bench_text line = {0};
	ssize_t got = read(from, bytes, sizeof(bytes) - 1);
	out[0] = '\0';
	if (got > 0) {
		bytes[got] = '\0';
		bytes[strcspn(bytes, "\n")] = '\0';
		bench_text_add_line(&line, bytes);
		snprintf(out, size, "'%s'", line.data ? line.data : "");
		bench_text_free(&line);
	}
	return out;
}

static int fail_silent(const struct trial *trial, bool late, int status, struct bench_error *error)
{
	if (late)
		return bench_fail(error, BENCH_USAGE, "%s did not end within %.3g s", trial->what,
				  trial->limit_seconds);
	if (!WIFSIGNALED(status))
		return bench_fail(error, BENCH_USAGE, "%s ended the process, with exit status %d",
				  trial->what, WEXITSTATUS(status));
	const char *name = sigabbrev_np(WTERMSIG(status));
	return bench_fail(error, BENCH_USAGE, "%s crashed: SIG%s (%s)", trial->what, name ? name : "?",
			  strsignal(WTERMSIG(status)));
}

/* The pipes that `ends` are: of what it prints, and of its answer; -1 where an end is closed. */
static int ask(const struct trial *trial, int *ends, struct bench_error *error)
{
	struct answer said;
	char words[4 * MOST_SHOWN];
	int status = 0;
	pid_t parent = getpid();
	fflush(NULL);
	pid_t child = fork();
	if (child < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "%s cannot be tried: fork: %s", trial->what,
				  strerror(errno));
	if (child == 0)
		answer(trial, parent, ends);
	close(ends[1]);
	close(ends[3]);
	ends[1] = ends[3] = -1;
	bool late = !wait_for(ends, trial->limit_seconds);
	/* It is through, or it is known what is wrong; threads that it has may not let it end. */
	kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (*printed(ends[0], words, sizeof(words)))
		return bench_fail(
			error, BENCH_USAGE,
			"%s writes to standard output, where results go: %s; let it write to stderr",
			trial->what, words);
	if (read(ends[2], &said, sizeof(said)) != sizeof(said))
		return fail_silent(trial, late, status, error);
	said.error.text[sizeof(said.error.text) - 1] = '\0';
	return said.result == 0 ? 0 : bench_fail(error, said.error.code, "%s", said.error.text);
}

int bench_extend_try(const char *what, double limit_seconds,
		     int (*task)(void *context, struct bench_error *error), void *context,
		     struct bench_error *error)
{
	const struct trial trial = {what, limit_seconds, task, context};
	int ends[4] = {-1, -1, -1, -1}, result = -1;
	/* What is read here is there once the child has ended: nothing waits. */
	if (pipe2(ends, O_CLOEXEC) != 0 || pipe2(ends + 2, O_CLOEXEC) != 0 ||
	    fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(ends[2], F_SETFL, O_NONBLOCK) != 0)
		bench_fail(error, BENCH_ENVIRONMENT, "%s cannot be tried: pipe: %s", what, strerror(errno));
	else
		result = ask(&trial, ends, error);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return result;
}
