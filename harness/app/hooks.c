/* SPDX-License-Identifier: MIT */
#include "app/hooks.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/children.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "machine/child.h"
#include "report/render/words.h"
#include "suites/exec/exec.h"

#define GRACE_SECONDS 1

/* The event before the first '=', *event; NULL: all. *rest: what follows it. A word of another name before it
 * is no program. */
static int read_event(const char *text, const char **event, const char **rest, struct bench_arena *arena,
		      struct bench_error *error)
{
	const size_t length = strcspn(text, "=/ \t\"'");
	char *names[BENCH_ALARM_EVENTS];
	*event = NULL;
	*rest = text;
	if (text[length] != '=')
		return 0;
	for (int e = 0; e < BENCH_ALARM_EVENTS; e++) {
		names[e] =
			bench_arena_string(arena, bench_record_alarm_event_name((enum bench_alarm_event)e));
		if (strlen(names[e]) == length && strncmp(text, names[e], length) == 0)
			*event = names[e];
	}
	if (!*event)
		return bench_fail(error, BENCH_USAGE, "hook '%s': there is no event '%.*s'; there are %s",
				  text, (int)length, text,
				  bench_render_words_list(arena, names, BENCH_ALARM_EVENTS));
	*rest = text + length + 1;
	return 0;
}

int bench_app_hooks_add(struct bench_app_hooks *hooks, const char *text, struct bench_arena *arena,
			struct bench_error *error)
{
	struct bench_app_hook hook = {0};
	size_t count;
	if (read_event(text, &hook.event, &hook.command, arena, error) != 0)
		return -1;
	const char *shell = bench_exec_shell_word(hook.command, arena);
	hook.words = bench_exec_split(hook.command, arena, &count);
	if (shell)
		return bench_fail(error, BENCH_USAGE,
				  "hook '%s': no shell runs it, and '%s' is for one: write a script, or put "
				  "quotes around the word",
				  hook.command, shell);
	if (!hook.words || count == 0)
		return bench_fail(error, BENCH_USAGE, "hook '%s': %s", text,
				  count ? "a quote is not closed" : "expected a command");
	BENCH_PUSH(arena, hooks->items, hooks->count) = hook;
	return 0;
}

/* The first line of what it said on stderr. */
static void read_complaint(int file, char *complaint, size_t size)
{
	const ssize_t got = read(file, complaint, size - 1);
	complaint[got > 0 ? got : 0] = '\0';
	complaint[strcspn(complaint, "\n")] = '\0';
}

static int judge(enum bench_child_end end, int status, const char *complaint, struct bench_error *error)
{
	const char *colon = *complaint ? ": " : "";
	if (end == BENCH_CHILD_NOT_STARTED)
		return bench_fail(error, BENCH_FAILED, "it cannot be started: %s", strerror(status));
	if (end == BENCH_CHILD_TIMED_OUT)
		return bench_fail(error, BENCH_FAILED, "it did not end within %d s%s%s",
				  BENCH_APP_HOOKS_SECONDS, colon, complaint);
	if (end == BENCH_CHILD_STOPPED)
		return bench_fail(error, BENCH_FAILED, "interrupted");
	if (WIFSIGNALED(status))
		return bench_fail(error, BENCH_FAILED, "signal %d ended it%s%s", WTERMSIG(status), colon,
				  complaint);
	return WEXITSTATUS(status) == 0 ? 0
					: bench_fail(error, BENCH_FAILED, "exit status %d%s%s",
						     WEXITSTATUS(status), colon, complaint);
}

/* A hook that runs for an event. */
struct call {
	const struct bench_app_hook *hook;
	const char *folder, *document;
	const volatile sig_atomic_t *stop;
	double seconds;
	pthread_t thread;
	bool has_thread;
	enum bench_child_end end;
	int result;
	struct bench_error error;
};

/* One that fills the pipe of its stderr waits for its end. */
static void *run_hook(void *context)
{
	struct call *call = context;
	char complaint[200] = "";
	int said[2] = {-1, -1}, status = 0;
	const int in = bench_file_memory("alarm", call->document, strlen(call->document)),
		  nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	call->end = BENCH_CHILD_NOT_STARTED;
	if (in < 0 || nowhere < 0 || pipe2(said, O_CLOEXEC) != 0) {
		call->result = bench_fail(&call->error, BENCH_FAILED, "no file for its input and output");
		goto out;
	}
	fcntl(said[0], F_SETFL, O_NONBLOCK);
	const struct bench_child child = {.arguments = (const char *const *)(uintptr_t)call->hook->words,
					  .folder = call->folder,
					  .in = in,
					  .out = nowhere,
					  .err = said[1],
					  .limit_seconds = call->seconds,
					  .grace_seconds = GRACE_SECONDS,
					  .whole_group = true,
					  .stop = call->stop};
	call->end = bench_machine_child_run(&child, &status);
	read_complaint(said[0], complaint, sizeof(complaint));
	call->result = judge(call->end, status, complaint, &call->error);
out:
	for (int i = 0; i < 2; i++)
		if (said[i] >= 0)
			close(said[i]);
	if (nowhere >= 0)
		close(nowhere);
	if (in >= 0)
		close(in);
	return NULL;
}

struct telling {
	struct bench_store *store;
	const struct bench_app_hooks *hooks;
	const struct bench_app_host *host;
	bench_app_hooks_describe *describe;
	void *context;
	struct call *calls; /* one for each hook */
	bool *hung;         /* the hook did not end, and is not run again */
	double deadline;    /* on the clock */
	size_t late;        /* events that a hook was not run for */
};

/* Starts the hook if it is for that event. False: it is, and there is no time for it. */
static bool start_hook(struct telling *in, size_t h, const char *event, const char *document)
{
	const double left = in->deadline - bench_clock_seconds();
	struct call *call = &in->calls[h];
	*call = (struct call){.folder = in->hooks->folder, .document = document, .stop = in->host->stop};
	const struct bench_app_hook *hook = &in->hooks->items[h];
	if (hook->event && strcmp(hook->event, event) != 0)
		return true;
	if (in->hung[h] || left <= 0)
		return false;
	call->hook = hook;
	call->seconds = left < BENCH_APP_HOOKS_SECONDS ? left : BENCH_APP_HOOKS_SECONDS;
	call->has_thread = pthread_create(&call->thread, NULL, run_hook, call) == 0;
	if (!call->has_thread)
		run_hook(call);
	return true;
}

/* All hooks for it run at the same time. Is every one of them done? */
static bool tell_event(struct telling *in, const struct bench_alarm *alarm, enum bench_alarm_event event)
{
	const char *name = bench_record_alarm_event_name(event);
	BENCH_SCOPED_MEMORY char *document = in->describe(in->context, alarm, event);
	bool done = true;
	for (size_t h = 0; h < in->hooks->count; h++)
		done &= start_hook(in, h, name, document);
	in->late += !done;
	for (size_t h = 0; h < in->hooks->count; h++)
		if (in->calls[h].has_thread)
			pthread_join(in->calls[h].thread, NULL);
	bench_children_end(NULL, 0);
	for (size_t h = 0; h < in->hooks->count; h++) {
		const struct call *call = &in->calls[h];
		in->hung[h] |= call->hook && call->end == BENCH_CHILD_TIMED_OUT;
		if (!call->hook || call->result == 0)
			continue;
		done = false;
		bench_app_warn(in->host, "alarm %lld, %s: hook '%s': %s; the next gate runs it again",
			       (long long)alarm->id, name, call->hook->command, call->error.text);
	}
	return done;
}

static void tell_alarm(struct telling *in, const struct bench_alarm *alarm)
{
	enum bench_alarm_event due[BENCH_ALARM_MOST_DUE];
	const size_t count = bench_record_alarm_due(alarm, time(NULL), due);
	struct bench_error error;
	for (size_t i = 0; i < count && tell_event(in, alarm, due[i]); i++)
		if (bench_store_alarm_told(in->store, alarm->id, bench_record_alarm_event_name(due[i]),
					   &error) != 0)
			bench_app_warn(in->host, "alarm %lld: hooks may be told again: %s",
				       (long long)alarm->id, error.text);
}

void bench_app_hooks_run(struct bench_store *store, const struct bench_app_hooks *hooks,
			 const struct bench_app_hooks_scope *scopes, size_t count,
			 bench_app_hooks_describe *describe, void *context, const struct bench_app_host *host)
{
	BENCH_SCOPED_ARENA own = {0};
	struct telling in = {.store = store,
			     .hooks = hooks,
			     .host = host,
			     .describe = describe,
			     .context = context,
			     .calls = bench_arena_alloc(&own, hooks->count, sizeof(*in.calls)),
			     .hung = bench_arena_alloc(&own, hooks->count, sizeof(*in.hung)),
			     .deadline = bench_clock_seconds() + BENCH_APP_HOOKS_SECONDS_IN_ALL};
	bench_children_adopt();
	host->begin(host->context); /* a signal ends a hook, too */
	for (size_t s = 0; s < count; s++) {
		BENCH_SCOPED_ARENA arena = {0};
		struct bench_error error;
		struct bench_alarm *alarms;
		size_t alarm_count;
		if (bench_store_alarms(store, scopes[s].fingerprint, scopes[s].track, false, &arena, &alarms,
				       &alarm_count, &error) != 0)
			bench_app_warn(host, "no hook is told: %s", error.text);
		else
			for (size_t i = 0; i < alarm_count && !*host->stop; i++)
				tell_alarm(&in, &alarms[i]);
	}
	host->end(host->context);
	if (in.late > 0)
		bench_app_warn(host,
			       "%zu more event%s: hooks that did not end in time were not run again; the "
			       "next gate runs them",
			       in.late, bench_text_plural(in.late));
}
