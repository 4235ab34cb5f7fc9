/* SPDX-License-Identifier: MIT */
/* A worker process, from its start to its end. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/text.h"
#include "machine/pin.h"
#include "measure/worker/worker.h"
#include "record/folder.h"

/*
 * The parent may have died before this process asked to end with it: loading the libraries takes a while.
 * (Its process may be a zombie, or a shell may stand between the two.)
 */
static bool has_gone(pid_t parent)
{
	struct pollfd ended = {.events = POLLIN};
	if (!parent || parent == getppid())
		return false;
	ended.fd = (int)syscall(SYS_pidfd_open, parent, 0);
	if (ended.fd < 0)
		return errno == ESRCH;
	bool gone = poll(&ended, 1, 0) > 0;
	close(ended.fd);
	return gone;
}

int bench_worker_serve(const struct bench_suite *const *suites, const struct bench_backend *const *backends,
		       const struct bench_overrides *unsaid, struct bench_error *error)
{
	/* If the parent is killed, a worker that went on would only disturb the machine. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	bench_record_folder_claim(BENCH_WORKER_EVENTS);
	/* A file that may not grow further is an error of write(), not a crash of a case. */
	signal(SIGXFSZ, SIG_IGN);
	struct bench_text input = {0};
	struct bench_arena arena = {0};
	struct bench_job job;
	struct bench_error cause;
	struct bench_pin pin;
	char buffer[4096];
	ssize_t got;
	int result = -1;
	bench_machine_pin_release(&pin);
	while ((got = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			bench_text_add_bytes(&input, buffer, (size_t)got);
	struct bench_heartbeat *heartbeat =
		mmap(NULL, sizeof(*heartbeat), PROT_READ | PROT_WRITE, MAP_SHARED, BENCH_WORKER_HEARTBEAT, 0);
	if (heartbeat == MAP_FAILED && errno != EBADF)
		bench_fail(error, BENCH_ENVIRONMENT, "worker: cannot map its heartbeat: %s", strerror(errno));
	else if (heartbeat == MAP_FAILED || !input.data)
		bench_fail(error, BENCH_USAGE, "a worker is started by 'bench run', not by hand");
	else if (has_gone(atomic_load(&heartbeat->parent)))
		bench_fail(error, BENCH_ENVIRONMENT, "worker: what started it has gone");
	else if (bench_worker_job_extend(input.data, input.length, &cause) != 0 ||
		 bench_worker_job_from_json(input.data, input.length, suites, backends, unsaid, &arena, &job,
					    &cause) != 0)
		bench_fail(error, BENCH_USAGE, "worker: %s", cause.text);
	else if (bench_worker_run(&job, &pin, BENCH_WORKER_EVENTS, heartbeat, &cause) != 0)
		bench_fail(error, cause.code, "worker: %s", cause.text);
	else
		result = 0;
	bench_text_free(&input);
	bench_arena_free(&arena);
	return result;
}
