/* SPDX-License-Identifier: MIT */
/* The options of the run that opened an alarm, in place of the command line's own: for bisect and why. */
#ifndef BENCH_CLI_BY_ALARM_H
#define BENCH_CLI_BY_ALARM_H

#include <stdbool.h>
#include <stdint.h>

#include "app/bisect_code.h"
#include "cli/options.h"

/* Did the command line choose cases, or code that brings some? */
bool cli_is_chosen(const struct cli_args *args);

/* The options without those that `leaves` holds for, which come in *left. */
void cli_part(struct cli_args *args, bool (*leaves)(const char *name), struct bench_app_bisect_code *left);

/* Cases and code as the run had them that opened the alarm. As bench_app_bisect_alarm_find. */
int cli_choose_by_alarm(struct cli_args *args, uint64_t alarm, struct bench_error *error);

#endif
