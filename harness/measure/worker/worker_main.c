/* A worker process, from its start to its exit status. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/text.h"
#include "machine/pin.h"
#include "measure/worker/tuning.h"
#include "measure/worker/worker.h"

int bench_worker_main(const struct bench_suite *const *suites, const struct bench_backend *const *backends)
{
	/* Whoever started this may be killed: a worker that measures for nobody is in everybody's way. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	struct bench_text input = {0};
	struct bench_arena arena = {0};
	struct bench_job job;
	struct bench_error error;
	struct bench_pin pin;
	char buffer[4096];
	ssize_t got;
	bench_pin_release(&pin);
	while ((got = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		bench_text_add_bytes(&input, buffer, (size_t)got);
	struct bench_pulse *pulse =
		mmap(NULL, sizeof(*pulse), PROT_READ | PROT_WRITE, MAP_SHARED, BENCH_WORKER_PULSE, 0);
	int status = 0;
	if (pulse == MAP_FAILED || !input.data) {
		fprintf(stderr, "bench: a worker is started by 'bench run', not by hand\n");
		status = 2;
	} else if (bench_job_from_json(input.data, input.length, suites, backends, &arena, &job, &error) !=
			   0 ||
		   bench_slowdown_read(&job.slowdown, &error) != 0 ||
		   bench_tuning_read(&arena, &job.tuned, &job.tuned_count, &error) != 0) {
		fprintf(stderr, "bench: worker: %s\n", error.text);
		status = 2;
	} else if (bench_worker_run(&job, &pin, BENCH_WORKER_EVENTS, pulse, &error) != 0) {
		fprintf(stderr, "bench: worker: %s\n", error.text);
		status = BENCH_WORKER_DISK_FULL;
	}
	bench_text_free(&input);
	bench_arena_free(&arena);
	return status;
}
