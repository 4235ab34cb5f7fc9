#include "measure/session/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"

/* Moves a descriptor above the numbers that the worker's descriptors get. */
static int move_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, 16);
	close(fd);
	return moved;
}

/* Anonymous memory as a file, holding `data`, to be read from its start. */
static int memory_file(const char *name, const char *data, size_t length)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	while (length) {
		ssize_t n = write(fd, data, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			close(fd);
			return -1;
		}
		data += n;
		length -= (size_t)n;
	}
	lseek(fd, 0, SEEK_SET);
	return move_up(fd);
}

static int make_heartbeat(struct bench_process *process)
{
	struct bench_heartbeat empty;
	memset(&empty, 0, sizeof(empty));
	process->heartbeat_fd = memory_file("bench-pulse", (const char *)&empty, sizeof(empty));
	if (process->heartbeat_fd < 0)
		return -1;
	void *page = mmap(NULL, sizeof(empty), PROT_READ | PROT_WRITE, MAP_SHARED, process->heartbeat_fd, 0);
	if (page == MAP_FAILED)
		return -1;
	process->heartbeat = page;
	atomic_store(&process->heartbeat->current, -1);
	return 0;
}

static void release(struct bench_process *process)
{
	if (process->heartbeat)
		munmap(process->heartbeat, sizeof(*process->heartbeat));
	if (process->heartbeat_fd >= 0)
		close(process->heartbeat_fd);
	if (process->pidfd >= 0)
		close(process->pidfd);
}

/* Starts the process. It inherits the setting of its layout from this one, which is then set back. */
static int spawn(struct bench_process *process, const char *executable, const char *const *arguments,
		 const struct bench_process_setup *setup, const posix_spawn_file_actions_t *actions)
{
	int before = setup && setup->fixed_layout ? personality(0xffffffff) : -1;
	if (before >= 0)
		personality((unsigned long)before | ADDR_NO_RANDOMIZE);
	int cause = posix_spawn(&process->pid, executable, actions, NULL, (char *const *)(uintptr_t)arguments,
				setup ? setup->environment : environ);
	if (before >= 0)
		personality((unsigned long)before);
	return cause;
}

int bench_session_process_start(struct bench_process *process, const char *executable,
				const char *const *arguments, const struct bench_process_setup *setup,
				const char *input, int events, int log, struct bench_error *error)
{
	*process = (struct bench_process){.pidfd = -1, .heartbeat_fd = -1};
	int cause = 0, job = memory_file("bench-job", input, strlen(input));
	int events_up = fcntl(events, F_DUPFD_CLOEXEC, 16), log_up = fcntl(log, F_DUPFD_CLOEXEC, 16);
	if (job < 0 || events_up < 0 || log_up < 0 || make_heartbeat(process) != 0) {
		cause = errno;
	} else {
		posix_spawn_file_actions_t actions;
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_adddup2(&actions, job, STDIN_FILENO);
		posix_spawn_file_actions_adddup2(&actions, log_up, STDOUT_FILENO);
		posix_spawn_file_actions_adddup2(&actions, log_up, STDERR_FILENO);
		posix_spawn_file_actions_adddup2(&actions, events_up, BENCH_WORKER_EVENTS);
		posix_spawn_file_actions_adddup2(&actions, process->heartbeat_fd, BENCH_WORKER_HEARTBEAT);
		if (setup && setup->channel >= 0)
			posix_spawn_file_actions_adddup2(&actions, setup->channel, BENCH_WORKER_CHANNEL);
		cause = spawn(process, executable, arguments, setup, &actions);
		posix_spawn_file_actions_destroy(&actions);
	}
	if (!cause) {
		process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
		if (process->pidfd < 0) {
			cause = errno;
			kill(process->pid, SIGKILL);
			waitpid(process->pid, NULL, 0);
		}
	}
	if (job >= 0)
		close(job);
	if (events_up >= 0)
		close(events_up);
	if (log_up >= 0)
		close(log_up);
	if (!cause)
		return 0;
	release(process);
	return bench_fail(error, BENCH_ENVIRONMENT, "cannot start the worker process '%s': %s", executable,
			  strerror(cause));
}

/* Sleeps until the process has ended, or it is time to end it. */
static enum bench_process_end await_end(struct bench_process *process, double time_limit_seconds,
					double tick_seconds, void (*tick)(void *), void *context,
					const volatile sig_atomic_t *stop)
{
	unsigned long beats = 0;
	double alive = bench_clock_seconds();
	/* Waking up disturbs the measurement a little, so it is rare unless ticks are asked for. */
	int pause_ms = (int)(1000 * (tick_seconds > 0 ? tick_seconds : 1.0));
	for (;;) {
		struct pollfd ended = {.fd = process->pidfd, .events = POLLIN};
		if (poll(&ended, 1, pause_ms) > 0)
			return BENCH_EXITED;
		if (stop && *stop)
			return BENCH_STOPPED;
		unsigned long seen = atomic_load(&process->heartbeat->beats);
		if (seen != beats) {
			beats = seen;
			alive = bench_clock_seconds();
		} else if (bench_clock_seconds() - alive > time_limit_seconds) {
			return BENCH_HUNG;
		}
		if (tick && tick_seconds > 0)
			tick(context);
	}
}

enum bench_process_end bench_session_process_wait(struct bench_process *process, double time_limit_seconds,
						  double tick_seconds, void (*tick)(void *context),
						  void *context, const volatile sig_atomic_t *stop,
						  char *what, size_t size)
{
	int status = 0;
	enum bench_process_end outcome =
		await_end(process, time_limit_seconds, tick_seconds, tick, context, stop);
	what[0] = '\0';
	process->exit_status = -1;
	if (outcome != BENCH_EXITED)
		kill(process->pid, SIGKILL);
	while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status))
		process->exit_status = WEXITSTATUS(status);
	if (outcome == BENCH_HUNG) {
		snprintf(what, size, "gave no sign of life for %.0f s and was ended (--time-limit)",
			 time_limit_seconds);
	} else if (stop && *stop) {
		outcome = BENCH_STOPPED; /* a Ctrl-C reaches the worker as well */
	} else if (WIFSIGNALED(status)) {
		outcome = BENCH_CRASHED;
		snprintf(what, size, "crashed: signal %d (%s); run.log may say more", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	} else if (WEXITSTATUS(status) != 0) {
		outcome = BENCH_CRASHED;
		snprintf(what, size, "its process ended with exit status %d; run.log may say more",
			 WEXITSTATUS(status));
	}
	process->current = atomic_load(&process->heartbeat->current);
	release(process);
	return outcome;
}
