/* SPDX-License-Identifier: MIT */
#include "suites/exec/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/children.h"

#define PIPE_BYTES ((size_t)1 << 20) /* what users may have, unless the system says otherwise */
#define LEFT_BYTES PIPE_BYTES        /* read at most of what is left in a pipe when the command has ended */

/* Waits, in a separate process, until nobody holds the pipe any more. Async-signal-safe. */
static _Noreturn void stand_guard(int watched, const volatile pid_t *group)
{
	char unused;
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	setpgid(0, 0);
	/* Above all the pipes of other cases, whose end nobody would see. */
	dup2(watched, STDIN_FILENO);
	close_range(STDOUT_FILENO, ~0U, 0);
	while (read(STDIN_FILENO, &unused, 1) < 0 && errno == EINTR)
		;
	if (*group > 0)
		kill(-*group, SIGKILL);
	_exit(0);
}

static struct bench_exec_guard *guards; /* those that are open */

int bench_exec_guard_open(struct bench_exec_guard *guard, struct bench_error *error)
{
	int ends[2];
	*guard = (struct bench_exec_guard){.alive = -1, .sink = open("/dev/null", O_WRONLY | O_CLOEXEC)};
	if (guard->sink < 0)
		return bench_fail(error, BENCH_FAILED, "exec: /dev/null: %s", strerror(errno));
	bench_children_adopt();
	void *page = mmap(NULL, sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return bench_fail(error, BENCH_NO_MEMORY, "exec: mmap: %s", strerror(errno));
	guard->group = page;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return bench_fail(error, BENCH_FAILED, "exec: pipe: %s", strerror(errno));
	guard->alive = ends[1];
	guard->pid = fork();
	if (guard->pid == 0)
		stand_guard(ends[0], guard->group);
	int cause = errno;
	close(ends[0]);
	if (guard->pid > 0) {
		guard->next = guards;
		guards = guard;
		return 0;
	}
	guard->pid = 0;
	return bench_fail(error, BENCH_FAILED, "exec: fork: %s", strerror(cause));
}

void bench_exec_guard_close(struct bench_exec_guard *guard)
{
	if (!guard->group)
		return;
	close(guard->sink);
	for (struct bench_exec_guard **at = &guards; *at; at = &(*at)->next)
		if (*at == guard) {
			*at = guard->next;
			break;
		}
	if (guard->alive >= 0)
		close(guard->alive);
	while (guard->pid > 0 && waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap((void *)guard->group, sizeof(pid_t));
	*guard = (struct bench_exec_guard){0};
}

void bench_exec_end_left(void)
{
	pid_t known[256];
	size_t count = 0;
	for (const struct bench_exec_guard *guard = guards; guard; guard = guard->next) {
		if (count == sizeof(known) / sizeof(known[0]))
			return;
		known[count++] = guard->pid;
	}
	bench_children_end(known, count);
}

/* The command's ends are of no further use here once it runs. */
struct pipes {
	int output[2], errors[2];
};

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

/* Ours alone does not wait: the command's end does, as any pipe's. A large one lets it write on meanwhile. */
static int open_pipe(int *ends)
{
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[0], F_SETPIPE_SZ, (int)PIPE_BYTES); /* or it stays as it is */
	return 0;
}

static int open_pipes(const struct bench_exec_start *start, struct pipes *pipes)
{
	*pipes = (struct pipes){{-1, -1}, {-1, -1}};
	int cause = open_pipe(pipes->errors);
	return cause || start->output ? cause : open_pipe(pipes->output);
}

static int add_streams(posix_spawn_file_actions_t *actions, const struct bench_exec_start *start,
		       const struct pipes *pipes)
{
	int cause = start->directory ? posix_spawn_file_actions_addchdir_np(actions, start->directory) : 0;
	if (!cause)
		cause = posix_spawn_file_actions_addopen(
			actions, STDIN_FILENO, start->input ? start->input : "/dev/null", O_RDONLY, 0);
	if (!cause && start->output)
		cause = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, start->output,
							 O_WRONLY | O_CREAT | O_TRUNC, 0666);
	else if (!cause)
		cause = posix_spawn_file_actions_adddup2(actions, pipes->output[1], STDOUT_FILENO);
	if (!cause)
		cause = posix_spawn_file_actions_adddup2(actions, pipes->errors[1], STDERR_FILENO);
	return cause ? cause : posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
}

static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t blocked, usual;
	sigemptyset(&blocked);
	sigemptyset(&usual);
	/* A Ctrl-Z just before the command leaves this group would stop it, and the matching SIGCONT would
	 * not reach it. Blocked, it stays pending. */
	sigaddset(&blocked, SIGTSTP);
	/* What this process ignores, or what started it, a command would ignore as well. */
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGXFSZ);
	sigaddset(&usual, SIGINT);
	sigaddset(&usual, SIGCHLD);
	posix_spawnattr_setsigmask(attributes, &blocked);
	posix_spawnattr_setsigdefault(attributes, &usual);
	posix_spawnattr_setpgroup(attributes, 0);
	return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
							    POSIX_SPAWN_SETSIGDEF);
}

/* 0, or what went wrong. */
static int spawn(const struct bench_exec_start *start, const struct pipes *pipes, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int cause = posix_spawn_file_actions_init(&actions);
	if (cause)
		return cause;
	cause = posix_spawnattr_init(&attributes);
	if (!cause) {
		cause = add_streams(&actions, start, pipes);
		if (!cause)
			cause = set_attributes(&attributes);
		if (!cause)
			cause = posix_spawn(pid, start->program, &actions, &attributes, start->words,
					    start->environment);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return cause;
}

/* Has a read or a splice that gave nothing met the end of the pipe? */
static bool has_ended(ssize_t got)
{
	return got == 0 || (errno != EAGAIN && errno != EINTR);
}

/* Drops what there is, `most` bytes of it, without a copy where that can be; false at the end of the pipe. */
static bool drop(int fd, int sink, size_t most)
{
	char buffer[16384];
	ssize_t got = 0;
	for (size_t taken = 0; taken < most; taken += (size_t)got) {
		got = splice(fd, NULL, sink, NULL, most - taken, SPLICE_F_NONBLOCK);
		if (got < 0 && has_ended(got))
			got = read(fd, buffer, sizeof(buffer));
		if (got <= 0)
			return !has_ended(got);
	}
	return true;
}

/* Reads what there is, `most` bytes of it; false at the end of the pipe. */
static bool read_output(int fd, size_t limit, size_t most, struct bench_exec_end *end)
{
	char buffer[16384];
	ssize_t got = 0;
	for (size_t taken = 0; taken < most && !end->flooded; taken += (size_t)got) {
		got = read(fd, buffer, sizeof(buffer));
		if (got <= 0)
			return !has_ended(got);
		end->flooded = end->output.length + (size_t)got > limit;
		if (!end->flooded)
			bench_text_add_bytes(&end->output, buffer, (size_t)got);
	}
	return true;
}

static bool take_output(int fd, const struct bench_exec_start *start, size_t most, struct bench_exec_end *end)
{
	return start->keep_output ? read_output(fd, start->limit, most, end)
				  : drop(fd, start->guard->sink, most);
}

/* The same of its standard error, of which the first line is kept. */
static bool take_errors(int fd, const struct bench_exec_start *start, struct bench_exec_end *end)
{
	size_t length = strlen(end->complaint), room = sizeof(end->complaint) - 1 - length;
	if (room > 0 && !memchr(end->complaint, '\n', length)) {
		ssize_t got = read(fd, end->complaint + length, room);
		if (got <= 0)
			return !has_ended(got);
		end->complaint[length + (size_t)got] = '\0';
	}
	return drop(fd, start->guard->sink, LEFT_BYTES);
}

/* Takes what it prints until it has ended, or prints too much, or, where nothing tells of its end, is silent.
 */
static void listen_to(pid_t pid, const struct pipes *pipes, const struct bench_exec_start *start,
		      struct bench_exec_end *end)
{
	int ended = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd news[] = {{.fd = ended, .events = POLLIN},
				{.fd = pipes->errors[0], .events = POLLIN},
				{.fd = pipes->output[0], .events = POLLIN}};
	while (!end->flooded && !news[0].revents && (ended >= 0 || news[1].fd >= 0 || news[2].fd >= 0)) {
		if (poll(news, 3, -1) < 0)
			continue;
		if (news[1].revents && !take_errors(news[1].fd, start, end))
			news[1].fd = -1;
		if (news[2].revents && !take_output(news[2].fd, start, LEFT_BYTES, end))
			news[2].fd = -1;
	}
	if (end->flooded || ended >= 0)
		kill(-pid, SIGKILL); /* it is not reaped yet: the number is still its own */
	if (news[1].fd >= 0)
		take_errors(news[1].fd, start, end);
	if (news[2].fd >= 0 && !end->flooded)
		take_output(news[2].fd, start, start->limit > LEFT_BYTES ? start->limit + 1 : LEFT_BYTES,
			    end);
	if (ended >= 0)
		close(ended);
}

static void reap(pid_t pid, struct bench_exec_end *end)
{
	struct rusage use = {0};
	while (wait4(pid, &end->status, 0, &use) < 0 && errno == EINTR)
		;
	end->user = (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec;
	end->system = (double)use.ru_stime.tv_sec + 1e-6 * (double)use.ru_stime.tv_usec;
	end->peak_bytes = 1024 * (double)use.ru_maxrss;
}

int bench_exec_run(const struct bench_exec_start *start, struct bench_exec_end *end,
		   struct bench_error *error)
{
	struct pipes pipes;
	pid_t pid = 0;
	struct bench_text output = end->output;
	output.length = 0;
	*end = (struct bench_exec_end){.output = output};
	int cause = open_pipes(start, &pipes);
	if (!cause)
		cause = spawn(start, &pipes, &pid);
	close_end(&pipes.output[1]);
	close_end(&pipes.errors[1]);
	if (!cause) {
		*start->guard->group = pid;
		listen_to(pid, &pipes, start, end);
		reap(pid, end);
		*start->guard->group = 0;
	}
	close_end(&pipes.output[0]);
	close_end(&pipes.errors[0]);
	end->complaint[strcspn(end->complaint, "\n")] = '\0';
	if (!cause)
		return 0;
	return bench_fail(error, BENCH_FAILED, "cannot start '%s'%s%s%s: %s", start->program,
			  start->directory ? " in '" : "", start->directory ? start->directory : "",
			  start->directory ? "'" : "", strerror(cause));
}

static bool is_program(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool bench_exec_find(const char *program, const char *directory, char *path, size_t size)
{
	const char *folders = getenv("PATH");
	if (strchr(program, '/'))
		return snprintf(path, size, "%s%s%s", *program != '/' && directory ? directory : "",
				*program != '/' && directory ? "/" : "", program) < (int)size &&
		       is_program(path);
	while (folders && *folders) {
		size_t length = strcspn(folders, ":");
		if (length > 0 &&
		    snprintf(path, size, "%.*s/%s", (int)length, folders, program) < (int)size &&
		    is_program(path))
			return true;
		folders += length + (folders[length] == ':');
	}
	return false;
}
