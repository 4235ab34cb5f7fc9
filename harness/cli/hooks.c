/* SPDX-License-Identifier: MIT */
#include "cli/hooks.h"

#include <stdio.h>

#include "app/alarms.h"
#include "cli/host.h"
#include "cli/say.h"
#include "report/format/alarm_event.h"

int cli_read_hooks(const struct cli_args *args, struct bench_app_hooks *hooks, struct bench_error *error)
{
	struct bench_arena *arena = (struct bench_arena *)(uintptr_t)&args->arena;
	size_t count;
	const char *const *texts = cli_values(args, "on-alarm", &count);
	*hooks = (struct bench_app_hooks){.folder = args->hook_folder};
	for (size_t i = 0; i < count; i++)
		if (bench_app_hooks_add(hooks, texts[i], arena, error) != 0)
			return -1;
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
	struct bench_arena arena = {0};
	const struct bench_alarm_telling telling = {.alarm = alarm,
						    .event = event,
						    .origin =
							    bench_app_alarms_origin(in->store, alarm, &arena),
						    .options = &in->options,
						    .places = cli_same_places(in->args)};
	char *document = bench_format_alarm_event(&telling);
	bench_arena_free(&arena);
	return document;
}

void cli_run_hooks(const struct cli_args *args, const struct bench_app_hooks *hooks,
		   const struct bench_app_hooks_scope *scopes, size_t count)
{
	struct describing in = {.args = args};
	struct bench_error error;
	if (hooks->count == 0)
		return;
	fflush(NULL);
	in.options.rules = cli_rules(args, &in.options.rule_count);
	if (bench_store_open(cli_places(args).db, BENCH_STORE_WRITE, &in.store, &error) != 0) {
		cli_say("warning: no hook is told: %s", error.text);
		return;
	}
	bench_app_hooks_run(in.store, hooks, scopes, count, describe, &in, cli_host());
	bench_store_close(in.store);
}
