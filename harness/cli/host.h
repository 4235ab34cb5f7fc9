/* SPDX-License-Identifier: MIT */
/*
 * The host of the application's verbs (app/host.h): progress on stderr, a bar with the time left on a
 * terminal, a line a case elsewhere; notes and warnings; and signals, which end what is measured.
 */
#ifndef BENCH_CLI_HOST_H
#define BENCH_CLI_HOST_H

#include "app/host.h"

/* There is one. */
const struct bench_app_host *cli_host(void);

#endif
