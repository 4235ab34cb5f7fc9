/* SPDX-License-Identifier: MIT */
/*
 * A worker process, from its start to its end. One that stays (job.h) says after each job that it is done,
 * and waits for the next, which is its standard input once more.
 */
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
#include "measure/worker/segments.h"
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

static void read_input(struct bench_text *input)
{
	char buffer[4096];
	ssize_t got;
	while ((got = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			bench_text_add_bytes(input, buffer, (size_t)got);
}

static bool wait_for_next(struct bench_text *input)
{
	if (!bench_worker_segments_step(BENCH_WORKER_CHANNEL, BENCH_WORKER_DONE, BENCH_WORKER_NEXT))
		return false;
	bench_text_free(input);
	read_input(input);
	return input->data != NULL;
}

int bench_worker_serve(const struct bench_suite *const *suites, const struct bench_backend *const *backends,
		       const struct bench_overrides *unsaid, struct bench_error *error)
{
	/* If the parent is killed, a worker that went on would only disturb the machine. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	bench_record_folder_claim(BENCH_WORKER_EVENTS);
	/* A file that may not grow further is an error of write(), not a crash of a case. */
	signal(SIGXFSZ, SIG_IGN);
	BENCH_SCOPED_TEXT input = {0};
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_worker_devices devices = {0};
	struct bench_job job = {0};
	struct bench_error cause;
	struct bench_pin pin;
	int result = -1;
	bench_machine_pin_release(&pin);
	read_input(&input);
	struct bench_heartbeat *heartbeat =
		mmap(NULL, sizeof(*heartbeat), PROT_READ | PROT_WRITE, MAP_SHARED, BENCH_WORKER_HEARTBEAT, 0);
	if (heartbeat == MAP_FAILED && errno != EBADF)
		bench_fail(error, BENCH_ENVIRONMENT, "worker: cannot map its heartbeat: %s", strerror(errno));
	else if (heartbeat == MAP_FAILED || !input.data)
		bench_fail(error, BENCH_USAGE, "a worker is started by 'bench run', not by hand");
	else if (has_gone(atomic_load(&heartbeat->parent)))
		bench_fail(error, BENCH_ENVIRONMENT, "worker: what started it has gone");
	else if (bench_worker_job_extend(input.data, input.length, &cause) != 0)
		bench_fail(error, BENCH_USAGE, "worker: %s", cause.text);
	else
		do {
			result = -1;
			if (bench_worker_job_from_json(input.data, input.length, suites, backends, unsaid,
						       &arena, &job, &cause) != 0)
				bench_fail(error, BENCH_USAGE, "worker: %s", cause.text);
			else if ((job.folder &&
				  bench_record_folder_enter(job.folder, BENCH_WORKER_EVENTS, &cause) != 0) ||
				 bench_worker_run(&job, &devices, &pin, BENCH_WORKER_EVENTS, heartbeat,
						  &cause) != 0)
				bench_fail(error, cause.code, "worker: %s", cause.text);
			else
				result = 0;
		} while (result == 0 && job.stays && wait_for_next(&input));
	bench_worker_devices_close(&devices);
	return result;
}
