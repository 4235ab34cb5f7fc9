/* SPDX-License-Identifier: MIT */
#include "measure/session/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/children.h"
#include "core/clock.h"
#include "core/file.h"
#include "measure/worker/segments.h"

#define KILL_MS    10000
#define STOP_MS    200
#define ASK_MS     20 /* how often it is asked whether a process has ended, where nothing tells */
#define FIRST_FREE 16 /* above the numbers that the worker's descriptors get */

/* Closes it, and leaves errno as it was. */
static void drop(int fd)
{
	int cause = errno;
	close(fd);
	errno = cause;
}

int bench_session_process_duplicate(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);
	if (copy < 0 && errno == EINVAL)
		errno = EMFILE; /* what it means where the limit is below that number */
	return copy;
}

static int move_up(int fd)
{
	int moved = bench_session_process_duplicate(fd);
	drop(fd);
	return moved;
}

/* Makes `data` what the file holds, to be read from its start. */
static int fill(int fd, const char *data, size_t length)
{
	if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	while (length) {
		ssize_t n = write(fd, data, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		length -= (size_t)n;
	}
	return lseek(fd, 0, SEEK_SET) < 0 ? -1 : 0;
}

/* Anonymous memory as a file, holding `data`. */
static int memory_file(const char *name, const char *data, size_t length)
{
	int fd = bench_file_memory(name, data, length);
	return fd < 0 ? -1 : move_up(fd);
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
	atomic_store(&process->heartbeat->parent, (int)getpid());
	return 0;
}

static void release(struct bench_process *process)
{
	if (process->heartbeat)
		munmap(process->heartbeat, sizeof(*process->heartbeat));
	if (process->heartbeat_fd >= 0)
		close(process->heartbeat_fd);
	const int fds[] = {process->pidfd, process->input, process->channel};
	process->channel = -1;
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* The running workers: two in a duel, more in a search. Any other child of this process was left behind by
 * them. */
static pid_t running[32];

static void note_running(pid_t before, pid_t now)
{
	for (size_t i = 0; i < sizeof(running) / sizeof(running[0]); i++)
		if (running[i] == before) {
			running[i] = now;
			return;
		}
}

/* Starts the process. It inherits the setting of its layout from this one, which is then set back. */
static int spawn(struct bench_process *process, const char *executable, const char *const *arguments,
		 const struct bench_process_setup *setup, const posix_spawn_file_actions_t *actions)
{
	int before = setup && setup->fixed_layout ? personality(0xffffffff) : -1;
	if (before >= 0)
		personality((unsigned long)before | ADDR_NO_RANDOMIZE);
	int cause = posix_spawn(&process->pid, executable, actions, NULL, (char *const *)arguments,
				setup && setup->environment ? setup->environment : environ);
	if (before >= 0)
		personality((unsigned long)before);
	return cause;
}

/* What to do about it, where that is known. */
static const char *remedy(int cause)
{
	static const struct {
		int cause;
		const char *remedy;
	} rows[] = {{EAGAIN, "; there are too many processes or threads (ulimit -u, pids.max)"},
		    {EMFILE, "; see ulimit -n"},
		    {ENFILE, "; see fs.file-max"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].cause == cause)
			return rows[i].remedy;
	return "";
}

/* Is it the file that cannot be started, and not the system that cannot start one? */
static bool is_of_file(int cause)
{
	static const int causes[] = {ENOENT, ENOEXEC, EACCES,  EPERM,  ENOTDIR,
				     EISDIR, ELOOP,   ELIBBAD, ETXTBSY};
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (causes[i] == cause)
			return true;
	return false;
}

/* The descriptors that a process gets, above the numbers that they will have there; -1: none. */
struct given {
	int events, log, channel;
};

/* 0, or what went wrong. */
static int open_given(struct bench_process *process, const char *input, int events, int log, bool connected,
		      struct given *given)
{
	int sockets[2];
	*given = (struct given){-1, -1, -1};
	process->input = memory_file("bench-job", input, strlen(input));
	if (process->input < 0)
		return errno;
	if (connected) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
			return errno;
		process->channel = sockets[0];
		given->channel = move_up(sockets[1]);
		if (given->channel < 0)
			return errno;
	}
	given->events = bench_session_process_duplicate(events);
	if (given->events < 0)
		return errno;
	given->log = bench_session_process_duplicate(log);
	if (given->log < 0)
		return errno;
	return make_heartbeat(process) == 0 ? 0 : errno;
}

static void close_given(const struct given *given)
{
	const int all[] = {given->events, given->log, given->channel};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] >= 0)
			close(all[i]);
}

/* 0, or what went wrong. */
static int launch(struct bench_process *process, const char *executable, const char *const *arguments,
		  const struct bench_process_setup *setup, const struct given *given)
{
	posix_spawn_file_actions_t actions;
	int cause = posix_spawn_file_actions_init(&actions);
	if (cause)
		return cause;
	const int places[][2] = {{process->input, STDIN_FILENO},
				 {given->log, STDOUT_FILENO},
				 {given->log, STDERR_FILENO},
				 {given->events, BENCH_WORKER_EVENTS},
				 {process->heartbeat_fd, BENCH_WORKER_HEARTBEAT},
				 {given->channel, BENCH_WORKER_CHANNEL}};
	for (size_t i = 0; !cause && i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i][0] >= 0)
			cause = posix_spawn_file_actions_adddup2(&actions, places[i][0], places[i][1]);
	if (!cause)
		cause = spawn(process, executable, arguments, setup, &actions);
	posix_spawn_file_actions_destroy(&actions);
	if (cause)
		return cause;
	process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	/* Older kernels have no such call, and some containers forbid it: then its end is asked for. */
	if (process->pidfd < 0 && errno != ENOSYS && errno != EPERM) {
		cause = errno;
		kill(process->pid, SIGKILL);
		while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return cause;
}

static off_t log_size(int log)
{
	struct stat about;
	return fstat(log, &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : 0;
}

int bench_session_process_start(struct bench_process *process, const char *executable,
				const char *const *arguments, const struct bench_process_setup *setup,
				const char *input, int events, int log, struct bench_error *error)
{
	struct given given;
	struct sigaction children;
	*process = (struct bench_process){.pidfd = -1,
					  .heartbeat_fd = -1,
					  .input = -1,
					  .channel = -1,
					  .log = log,
					  .log_start = log_size(log)};
	/* Inherited from whoever started this program, it would keep the way in which a worker ended from us.
	 */
	if (sigaction(SIGCHLD, NULL, &children) == 0 && children.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
	bench_children_adopt();
	int cause = open_given(process, input, events, log, setup && setup->connected, &given);
	if (!cause)
		cause = launch(process, executable, arguments, setup, &given);
	close_given(&given);
	if (!cause) {
		note_running(0, process->pid);
		return 0;
	}
	release(process);
	if (cause == ENOENT && strncmp(executable, "/proc/", strlen("/proc/")) == 0)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "cannot start '%s', this program itself: /proc is not mounted", executable);
	return bench_fail(error, is_of_file(cause) ? BENCH_NOTHING : BENCH_ENVIRONMENT,
			  "cannot start the process '%s': %s%s", executable, strerror(cause), remedy(cause));
}

/* Gives a worker that waits its next job. One that has died meanwhile is found by the wait that follows. */
static int give_next(struct bench_process *process, const char *input, int log, struct bench_error *error)
{
	if (fill(process->input, input, strlen(input)) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot give a worker its job: %s",
				  strerror(errno));
	atomic_store(&process->heartbeat->phase, BENCH_PHASE_STARTING);
	process->log = log;
	process->log_start = log_size(log);
	process->waits = false;
	bench_worker_segments_send(process->channel, BENCH_WORKER_NEXT);
	return 0;
}

bool bench_session_worker_takes(const struct bench_session_worker *worker, const struct bench_job *job)
{
	return worker->process.waits && job->stays && worker->invocation == job->invocation;
}

int bench_session_worker_start(struct bench_session_worker *worker, const char *executable,
			       const char *const *arguments, const struct bench_process_setup *setup,
			       const struct bench_job *job, int events, int log, struct bench_error *error)
{
	struct bench_process *process = &worker->process;
	char *input = bench_worker_job_to_json(job);
	if (!input)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for a job");
	worker->reused = bench_session_worker_takes(worker, job);
	worker->invocation = job->invocation;
	int result = worker->reused ? give_next(process, input, log, error)
				    : bench_session_process_start(process, executable, arguments, setup,
								  input, events, log, error);
	worker->started = worker->reused || result == 0;
	process->stays = job->stays;
	free(input);
	return result;
}

/* Without a descriptor that tells. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

static bool is_to_stop(const struct bench_process_limits *limits)
{
	return (limits->stop && *limits->stop) ||
	       (limits->until > 0 && bench_clock_seconds() >= limits->until);
}

enum bench_process_news bench_session_process_listen(const struct bench_process *process, int fd,
						     const struct bench_process_limits *limits)
{
	/* Waking up disturbs the measurement a little, so it is rare unless ticks are asked for. */
	int pause_ms = (int)(1000 * (limits->tick_seconds > 0 ? limits->tick_seconds : 1.0));
	if (fd < 0)
		pause_ms = ASK_MS;
	unsigned long beats = atomic_load(&process->heartbeat->beats);
	double silent_ms = 0;
	for (;;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		bool leaving = atomic_load(&process->heartbeat->phase) == BENCH_PHASE_LEAVING;
		double limit_ms = 1000 * (leaving && limits->leave_seconds > 0
						  ? fmin(limits->leave_seconds, limits->time_seconds)
						  : limits->time_seconds);
		int wait_ms = (int)fmax(1, fmin(pause_ms, ceil(limit_ms / 4)));
		int got = poll(&ready, 1, wait_ms);
		if (is_to_stop(limits))
			return BENCH_NEWS_STOP;
		if (got > 0 || (fd < 0 && has_ended(process->pid)))
			return BENCH_NEWS_READY;
		if (log_size(process->log) - process->log_start > BENCH_SESSION_PRINTED_MOST)
			return BENCH_NEWS_PRINTING;
		unsigned long seen = atomic_load(&process->heartbeat->beats);
		silent_ms = seen != beats ? 0 : silent_ms + (got == 0 ? wait_ms : 0);
		beats = seen;
		if (silent_ms >= limit_ms)
			return BENCH_NEWS_SILENT;
		if (limits->tick && limits->tick_seconds > 0)
			limits->tick(limits->context);
	}
}

/* "crashed in its first call: SIGSEGV (Segmentation fault)" */
static void describe_crash(const struct bench_process *process, int signal_number, char *what, size_t size)
{
	const char *name = sigabbrev_np(signal_number), *where = bench_worker_phase_words(process->phase);
	snprintf(what, size, "crashed%s%s: SIG%s (%s%s); run.log may say more", *where ? " " : "", where,
		 name ? name : "?", strsignal(signal_number),
		 signal_number == SIGKILL ? ", which is sent where memory runs out" : "");
}

static void describe_exit(const struct bench_process *process, char *what, size_t size)
{
	const char *where = bench_worker_phase_words(process->phase);
	bool memory = process->exit_status == BENCH_WORKER_NO_MEMORY;
	snprintf(what, size, "ended its process%s%s, with exit status %d%s; run.log may say more",
		 *where ? " " : "", where, process->exit_status, memory ? " (out of memory)" : "");
}

static void describe_silence(const struct bench_process *process, const struct bench_process_limits *limits,
			     char *what, size_t size)
{
	const char *where = bench_worker_phase_words(process->phase);
	bool leaving = process->phase == BENCH_PHASE_LEAVING && limits->leave_seconds > 0;
	snprintf(what, size, "gave no sign of life for %.3g s%s%s and was ended%s",
		 leaving ? fmin(limits->leave_seconds, limits->time_seconds) : limits->time_seconds,
		 *where ? " " : "", where, leaving ? "" : " (--time-limit)");
}

/* Is it gone soon, now that it is killed? A process that hangs in the kernel, in a driver, is not. */
static bool ends_soon(const struct bench_process *process)
{
	for (int waited_ms = 0; waited_ms < KILL_MS; waited_ms += ASK_MS) {
		struct pollfd ended = {.fd = process->pidfd, .events = POLLIN};
		if (poll(&ended, 1, ASK_MS) > 0 || has_ended(process->pid))
			return true;
	}
	return false;
}

/* Its exit status; false if it is unknown, as where SIGCHLD is ignored and the kernel reaps. */
static bool reap(pid_t pid, int *status)
{
	pid_t got;
	do
		got = waitpid(pid, status, 0);
	while (got < 0 && errno == EINTR);
	return got == pid;
}

/* What asks a worker to end may be asking this process as well: the next moment tells. */
static void wait_for_stop(const struct bench_process_limits *limits, int status)
{
	if (!limits->stop || !WIFSIGNALED(status) ||
	    (WTERMSIG(status) != SIGTERM && WTERMSIG(status) != SIGINT && WTERMSIG(status) != SIGHUP))
		return;
	for (int waited_ms = 0; waited_ms < STOP_MS && !*limits->stop; waited_ms += ASK_MS)
		poll(NULL, 0, ASK_MS);
}

/* A library that writes into descriptors at random may have written into the heartbeat, which
 * then means nothing. Returns whether it has. */
static bool mend(struct bench_process *process)
{
	const bool sound = process->current >= -1 && (unsigned)process->phase < BENCH_PHASES &&
			   (process->unwritten == 0 || strerrorname_np(process->unwritten));
	if (sound)
		return false;
	process->current = -1;
	process->phase = BENCH_PHASE_LEAVING;
	process->unwritten = 0;
	return true;
}

/* The news of its end, or that it waits for another job. */
static enum bench_process_news listen_for_end(struct bench_process *process,
					      const struct bench_process_limits *limits)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	process->waits = false;
	if (process->stays) {
		enum bench_process_news news =
			bench_session_process_listen(process, process->channel, limits);
		process->waits = news == BENCH_NEWS_READY &&
				 bench_worker_segments_receive(process->channel, message) &&
				 strcmp(message, BENCH_WORKER_DONE) == 0;
		if (process->waits || news != BENCH_NEWS_READY)
			return news;
	}
	return bench_session_process_listen(process, process->pidfd, limits);
}

enum bench_process_end bench_session_process_wait(struct bench_process *process,
						  const struct bench_process_limits *limits, char *what,
						  size_t size)
{
	static const enum bench_process_end ends[] = {[BENCH_NEWS_READY] = BENCH_EXITED,
						      [BENCH_NEWS_SILENT] = BENCH_HUNG,
						      [BENCH_NEWS_PRINTING] = BENCH_HUNG,
						      [BENCH_NEWS_STOP] = BENCH_STOPPED};
	int status = 0;
	const enum bench_process_news news = listen_for_end(process, limits);
	enum bench_process_end outcome = ends[news];
	what[0] = '\0';
	process->current = -1;
	process->phase = BENCH_PHASE_LEAVING;
	if (process->waits)
		return BENCH_EXITED;
	if (outcome != BENCH_EXITED)
		kill(process->pid, SIGKILL);
	bool gone = outcome == BENCH_EXITED || ends_soon(process);
	bool known = gone && reap(process->pid, &status);
	if (gone) {
		note_running(process->pid, 0);
		bench_children_end(running, sizeof(running) / sizeof(running[0]));
	}
	if (known && outcome == BENCH_EXITED)
		wait_for_stop(limits, status);
	process->exit_status = known && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	process->current = atomic_load(&process->heartbeat->current);
	process->phase = (enum bench_phase)atomic_load(&process->heartbeat->phase);
	process->unwritten = atomic_load(&process->heartbeat->unwritten);
	const bool scribbled = mend(process);
	if (outcome == BENCH_HUNG) {
		if (news == BENCH_NEWS_PRINTING)
			snprintf(what, size, BENCH_SESSION_PRINTED " and was ended");
		else
			describe_silence(process, limits, what, size);
		if (!gone)
			snprintf(what + strlen(what), size - strlen(what), "; it cannot be ended");
	} else if (outcome == BENCH_STOPPED || (limits->stop && *limits->stop)) {
		outcome = BENCH_STOPPED; /* a Ctrl-C reaches the worker as well */
	} else if (scribbled) {
		outcome = BENCH_CRASHED;
		snprintf(what, size, "wrote into descriptors that are not its own");
	} else if (!known) {
		outcome = BENCH_CRASHED;
		snprintf(what, size, "its process ended, and the system does not tell how");
	} else if (WIFSIGNALED(status)) {
		outcome = BENCH_CRASHED;
		describe_crash(process, WTERMSIG(status), what, size);
	} else {
		outcome = process->exit_status == 0 ? BENCH_EXITED : BENCH_CRASHED;
		describe_exit(process, what, size); /* of use where it ended too early, too */
	}
	release(process);
	return outcome;
}

/* The kill comes before the socket is closed: a worker of a duel would report its cases as ended, and another
 * block may yet measure them. */
void bench_session_worker_send_off(const struct bench_session_worker *worker)
{
	if (worker->process.waits)
		shutdown(worker->process.channel, SHUT_RDWR);
	else if (worker->started)
		kill(worker->process.pid, SIGKILL);
}

enum bench_process_end bench_session_worker_end(struct bench_session_worker *worker,
						const struct bench_process_limits *limits, char *what,
						size_t size)
{
	enum bench_process_end outcome = BENCH_EXITED;
	bench_session_worker_send_off(worker);
	worker->process.stays = false;
	if (worker->started)
		outcome = bench_session_process_wait(&worker->process, limits, what, size);
	if (worker->events >= 0)
		close(worker->events);
	*worker = (struct bench_session_worker){.events = -1};
	return outcome;
}
