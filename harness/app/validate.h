/* SPDX-License-Identifier: MIT */
/* A verb under Oclgrind, which simulates a device and sees what kernels must not do. */
#ifndef BENCH_APP_VALIDATE_H
#define BENCH_APP_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"

/*
 * Starts this program again under Oclgrind with these arguments (what follows its name), and waits for its
 * end. *status: its exit status. BENCH_ENVIRONMENT where Oclgrind is not there, or did not end by itself.
 */
int bench_app_validate(const char *const *arguments, size_t count, int *status, struct bench_error *error);

/* Does this program run under Oclgrind already? */
bool bench_app_validating(void);

#endif
