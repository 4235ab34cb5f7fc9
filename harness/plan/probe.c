/* SPDX-License-Identifier: MIT */
#include "plan/probe.h"

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

#define MOST_DEVICES 4096

/* What comes back before the devices. */
struct answer {
	bool found;
	size_t count;
	struct bench_error error;
};

static bool write_all(int to, const void *data, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t n = write(to, (const char *)data + done, bytes - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* The child's part; it does not return, and runs nothing of what drivers leave for the exit. */
static void answer(const struct bench_backend *backend, pid_t parent, int to)
{
	struct bench_arena arena = {0};
	struct bench_device_info *devices = NULL;
	struct answer answer = {.found = false};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	answer.found =
		bench_plan_target_devices(backend, &arena, &devices, &answer.count, &answer.error) == 0;
	_exit(write_all(to, &answer, sizeof(answer)) &&
			      (!answer.found || write_all(to, devices, answer.count * sizeof(*devices)))
		      ? 0
		      : 1);
}

/* How reading an answer ended. */
enum state { WHOLE, CUT, LATE, DAMAGED };

static enum state read_until(int from, void *data, size_t bytes, double end)
{
	for (size_t got = 0; got < bytes;) {
		double left = end - bench_clock_seconds();
		struct pollfd ready = {.fd = from, .events = POLLIN};
		if (left <= 0)
			return LATE;
		if (poll(&ready, 1, (int)(1000 * left) + 1) <= 0)
			continue;
		ssize_t n = read(from, (char *)data + got, bytes - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return CUT;
		got += (size_t)n;
	}
	return WHOLE;
}

/* A driver that writes where it should not may have written here. */
static bool is_sound(const struct bench_device_info *info)
{
	return memchr(info->slug, 0, sizeof(info->slug)) && memchr(info->name, 0, sizeof(info->name)) &&
	       memchr(info->platform, 0, sizeof(info->platform)) &&
	       memchr(info->driver, 0, sizeof(info->driver)) && memchr(info->note, 0, sizeof(info->note)) &&
	       (unsigned)info->kind < BENCH_DEVICE_KINDS;
}

static enum state read_devices(int from, double end, struct bench_arena *arena, const struct answer *answer,
			       struct bench_device_info **devices)
{
	if (answer->count > MOST_DEVICES)
		return DAMAGED;
	*devices = bench_arena_alloc(arena, answer->count, sizeof(**devices));
	enum state state = read_until(from, *devices, answer->count * sizeof(**devices), end);
	for (size_t i = 0; state == WHOLE && i < answer->count; i++)
		if (!is_sound(&(*devices)[i]))
			state = DAMAGED;
	return state;
}

/* Says why there is no answer of a child that ended with `status`. */
static int fail_silent(const struct bench_backend *backend, enum state state, int status,
		       struct bench_error *error)
{
	char what[96];
	if (state == LATE)
		snprintf(what, sizeof(what), "did not answer for %d s", BENCH_PLAN_PROBE_SECONDS);
	else if (state == DAMAGED)
		snprintf(what, sizeof(what), "gave a damaged answer");
	else if (WIFSIGNALED(status))
		snprintf(what, sizeof(what), "crashed: signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(what, sizeof(what), "ended the process, with exit status %d", WEXITSTATUS(status));
	return bench_fail(
		error, BENCH_FAILED,
		"the driver or library of backend %s, asked for its devices, %s; 'bench list devices' "
		"repeats it",
		backend->name, what);
}

/*
 * Two devices of one name must not share a key, be they measured in one run or in two: the first that the
 * backend has keeps the plain slug, the second is "nvidia-h200-2".
 */
static void number_twins(struct bench_device_info *devices, size_t count)
{
	for (size_t i = count; i-- > 1;) {
		unsigned same = 1;
		for (size_t j = 0; j < i; j++)
			same += strcmp(devices[j].slug, devices[i].slug) == 0;
		const size_t length = strlen(devices[i].slug);
		if (same > 1)
			snprintf(devices[i].slug + length, sizeof(devices[i].slug) - length, "-%u", same);
	}
}

int bench_plan_probe(const struct bench_backend *backend, struct bench_arena *arena,
		     struct bench_device_info **devices, size_t *count, struct bench_error *error)
{
	int ends[2], status = 0;
	struct answer said = {.found = false};
	pid_t parent = getpid();
	if (pipe2(ends, O_CLOEXEC) != 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot ask backend %s for its devices: pipe: %s",
				  backend->name, strerror(errno));
	fflush(NULL);
	pid_t child = fork();
	int cause = errno;
	if (child == 0)
		answer(backend, parent, ends[1]);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot ask backend %s for its devices: fork: %s",
				  backend->name, strerror(cause));
	}
	double end = bench_clock_seconds() + BENCH_PLAN_PROBE_SECONDS;
	enum state state = read_until(ends[0], &said, sizeof(said), end);
	if (state == WHOLE && said.found)
		state = read_devices(ends[0], end, arena, &said, devices);
	close(ends[0]);
	kill(child,
	     SIGKILL); /* it has answered, ended or had its time; a driver's threads may not let it end */
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (state != WHOLE)
		return fail_silent(backend, state, status, error);
	if (said.found) {
		*count = said.count;
		number_twins(*devices, said.count);
		return 0;
	}
	said.error.text[sizeof(said.error.text) - 1] = '\0';
	return bench_fail(error, said.error.code, "%s", said.error.text);
}
