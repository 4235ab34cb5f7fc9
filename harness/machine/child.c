/* SPDX-License-Identifier: MIT */
#include "machine/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/file.h"

#define GRACE_SECONDS 5 /* to clean up, before it is killed */
#define POLL_MS       100

/* Ends a process with all that it has started: politely first, so that make removes what is half done. */
static void end_group(pid_t leader, int pidfd, double grace_seconds)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};
	kill(-leader, SIGTERM);
	poll(&ended, 1, (int)(1000 * (grace_seconds > 0 ? grace_seconds : GRACE_SECONDS)));
	kill(-leader, SIGKILL);
}

/* Waits for its end for so long, and leaves it to be reaped. Some containers know no pidfd_open. */
static bool has_ended(pid_t leader, int pidfd)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};
	siginfo_t info = {0};
	if (poll(&ended, pidfd >= 0, POLL_MS) > 0)
		return true;
	return pidfd < 0 &&
	       (waitid(P_PID, (id_t)leader, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid);
}

static enum bench_child_end await(pid_t leader, const struct bench_child *child)
{
	int pidfd = (int)syscall(SYS_pidfd_open, leader, 0);
	double start = bench_clock_seconds();
	enum bench_child_end end = BENCH_CHILD_ENDED;
	while (end == BENCH_CHILD_ENDED && !has_ended(leader, pidfd)) {
		if (child->stop && *child->stop)
			end = BENCH_CHILD_STOPPED;
		else if (bench_clock_seconds() - start > child->limit_seconds)
			end = BENCH_CHILD_TIMED_OUT;
	}
	if (end != BENCH_CHILD_ENDED)
		end_group(leader, pidfd, child->grace_seconds);
	else if (child->whole_group)
		kill(-leader, SIGKILL); /* the leader is not reaped yet: the number is still its own */
	if (pidfd >= 0)
		close(pidfd);
	return end;
}

/* Its folder and its input: 0, or what went wrong. */
static int add_place(posix_spawn_file_actions_t *actions, const struct bench_child *child)
{
	int cause = child->folder ? posix_spawn_file_actions_addchdir_np(actions, child->folder) : 0;
	if (cause)
		return cause;
	return child->in ? posix_spawn_file_actions_adddup2(actions, child->in, STDIN_FILENO)
			 : posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
}

enum bench_child_end bench_machine_child_run(const struct bench_child *child, int *status)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t blocked;
	pid_t leader;
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attributes, 0);
	/* A Ctrl-Z just before the program leaves this group would stop it, and the matching SIGCONT would
	 * not reach it. Blocked, it stays pending. */
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	sigaddset(&blocked, SIGTSTP);
	posix_spawnattr_setsigmask(&attributes, &blocked);
	/* Each of these asks for memory. */
	if ((*status = add_place(&actions, child)) == 0 &&
	    (*status = posix_spawn_file_actions_adddup2(&actions, child->out, STDOUT_FILENO)) == 0 &&
	    (*status = posix_spawn_file_actions_adddup2(&actions, child->err, STDERR_FILENO)) == 0)
		*status = posix_spawnp(&leader, child->arguments[0], &actions, &attributes,
				       (char *const *)child->arguments,
				       child->environment ? child->environment : environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (*status)
		return BENCH_CHILD_NOT_STARTED;
	enum bench_child_end end = await(leader, child);
	while (waitpid(leader, status, 0) < 0 && errno == EINTR)
		;
	return end;
}

enum bench_child_end bench_machine_child_ask(const char *const *arguments, double limit_seconds, size_t most,
					     struct bench_text *answer, int *status)
{
	const int out = bench_file_memory("bench-answer", "", 0);
	*status = errno;
	if (out < 0)
		return BENCH_CHILD_NOT_STARTED;
	const struct bench_child child = {
		.arguments = arguments, .out = out, .err = out, .limit_seconds = limit_seconds};
	const enum bench_child_end end = bench_machine_child_run(&child, status);
	bench_file_memory_read(out, most, answer);
	close(out);
	return end;
}
