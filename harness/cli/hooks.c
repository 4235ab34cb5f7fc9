/* SPDX-License-Identifier: MIT */
#include "cli/hooks.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/alarms.h"
#include "cli/host.h"
#include "cli/say.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"
#include "report/format/alarm_event.h"
#include "suites/exec/process.h"

#define LEAST_WAIT_SECONDS 0.2
#define STOP_SECONDS       3 /* for hooks to end once they are told to */
#define POLL_NS            2000000L

int cli_read_hooks(const struct cli_args *args, struct bench_app_hooks *hooks, struct bench_error *error)
{
	size_t count;
	const char *const *texts = cli_values(args, "on-alarm", &count);
	*hooks = (struct bench_app_hooks){.folder = args->hook_folder};
	for (size_t i = 0; i < count; i++) {
		char path[PATH_MAX];
		if (bench_app_hooks_add(hooks, texts[i], args->arena, error) != 0)
			return -1;
		/* Found out weeks later otherwise, when it is needed. */
		const char *program = hooks->items[i].words[0];
		if (!bench_exec_find(program, hooks->folder, path, sizeof(path)))
			cli_say("warning: hook '%s': there is no program '%s'", texts[i], program);
	}
	return 0;
}

/* What an event is described with. */
struct describing {
	const struct cli_args *args;
	struct bench_store *store;
	struct bench_compare_options options;
};

static char *describe(void *context, const struct bench_alarm *alarm, enum bench_alarm_event event)
{
	const struct describing *in = context;
	BENCH_SCOPED_ARENA arena = {0};
	const struct bench_alarm_telling telling = {.alarm = alarm,
						    .event = event,
						    .origin =
							    bench_app_alarms_origin(in->store, alarm, &arena),
						    .options = &in->options,
						    .places = cli_same_places(in->args)};
	return bench_format_alarm_event(&telling);
}

static void tell(const struct cli_args *args, const struct bench_app_hooks *hooks,
		 const struct bench_app_hooks_scope *scopes, size_t count)
{
	struct describing in = {.args = args};
	struct bench_error error;
	in.options.rules = cli_rules(args, &in.options.rule_count);
	if (bench_store_open(cli_places(args).db, BENCH_STORE_WRITE, &in.store, &error) != 0) {
		cli_say("warning: no hook is told: %s", error.text);
		return;
	}
	bench_app_hooks_run(in.store, hooks, scopes, count, describe, &in, cli_host());
	bench_store_close(in.store);
}

/* Becomes a process that no terminal, pipe or job waits for; what it says goes to the file. */
static void detach(int said)
{
	const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	setsid();
	dup2(nowhere, STDIN_FILENO);
	dup2(nowhere, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
}

/* Has it ended after so many seconds? A signal to this process ends it, too. */
static bool await(pid_t pid, double seconds)
{
	const volatile sig_atomic_t *stop = cli_host()->stop;
	double end = bench_clock_seconds() + seconds;
	bool stopped = false;
	pid_t ended;
	while ((ended = waitpid(pid, NULL, WNOHANG)) != pid && bench_clock_seconds() < end) {
		if (*stop && !stopped) {
			kill(pid, SIGTERM);
			end = bench_clock_seconds() + STOP_SECONDS;
		}
		stopped = *stop;
		nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
	}
	return ended == pid;
}

static void pass_on(int said)
{
	BENCH_SCOPED_TEXT text = {0};

	(void)bench_file_memory_read(said, SIZE_MAX, &text);
	if (text.data)
		fwrite(text.data, 1, text.length, stderr);
}

void cli_run_hooks(const struct cli_args *args, const struct bench_app_hooks *hooks,
		   const struct bench_app_hooks_scope *scopes, size_t count, double wait_seconds)
{
	if (hooks->count == 0)
		return;
	fflush(NULL);
	const int said = wait_seconds < INFINITY ? bench_file_memory("hooks", NULL, 0) : -1;
	const pid_t pid = said >= 0 ? fork() : -1;
	if (pid == 0) {
		detach(said);
		tell(args, hooks, scopes, count);
		fflush(NULL);
		_exit(0);
	}
	if (pid < 0) {
		tell(args, hooks, scopes, count);
	} else {
		const bool ended = await(pid, fmax(wait_seconds, LEAST_WAIT_SECONDS));
		pass_on(said);
		if (!ended)
			cli_say("hooks go on in the background for at most %d s; 'bench alarms show' tells "
				"which events none has taken",
				BENCH_APP_HOOKS_SECONDS_IN_ALL);
	}
	if (said >= 0)
		close(said);
}
