/* SPDX-License-Identifier: MIT */
/* A backend's first device and buffers on it, for tests of operations. */
#ifndef TESTS_OPERATION_FIXTURE_H
#define TESTS_OPERATION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/backends.h"

static inline void require(int result, const struct bench_backend *backend, const struct bench_error *error)
{
	if (result != 0)
		fail_msg("%s: %s", backend->name, error->text);
}

/* The first device of a backend, NULL where there is none, which is said. */
static inline struct bench_device *open_first(const struct bench_backend *backend,
					      struct bench_device_info *info)
{
	struct bench_error error = {0};
	struct bench_device *device = NULL;
	size_t count = 0;
	if (backend->devices(info, 1, &count, &error) != 0 || count == 0) {
		print_message("skipped: %s: %s\n", backend->name, error.text);
		return NULL;
	}
	require(backend->open(0, &(struct bench_open_options){0}, &device, &error), backend, &error);
	return device;
}

static inline struct bench_buffer *upload_new(const struct bench_backend *backend,
					      struct bench_device *device, const void *host, size_t bytes)
{
	struct bench_error error = {0};
	struct bench_buffer *buffer = NULL;
	require(backend->alloc(device, bytes, &buffer, &error), backend, &error);
	require(backend->upload(device, buffer, host, bytes, &error), backend, &error);
	return buffer;
}

#endif
