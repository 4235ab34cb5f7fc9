/* SPDX-License-Identifier: MIT */
/*
 * A plug-in: a shared object with your suites, backends or functions, which `--plugin F.so` adds to those of
 * bench.
 *
 *     static const struct bench_suite *const suites[] = {&my_suite, NULL};
 *     BENCH_PLUGIN(suites, NULL);
 *
 * A plug-in may call bench_fail, bench_value_parse, and the functions of bench/function.h: bench exports
 * them.
 *
 * A plug-in works with the bench whose headers it was compiled with. Each change to a struct or to the
 * meaning of a hook that a plug-in may see increments BENCH_PLUGIN_ABI. bench refuses any other number, older
 * or newer, and names it. The sizes detect headers that differ but have the same number.
 */
#ifndef BENCH_PLUGIN_H
#define BENCH_PLUGIN_H

#include "bench/backend.h"
#include "bench/case.h"
#include "bench/function.h"
#include "bench/suite.h"

#define BENCH_PLUGIN_ABI 8

#ifdef __cplusplus
#define BENCH_PLUGIN_EXTERN extern "C"
#else
#define BENCH_PLUGIN_EXTERN extern
#endif

/* The structs that plug-ins see and fill in. */
/* clang-format off */
#define BENCH_PLUGIN_STRUCTS(DO) \
	DO(bench_plugin) \
	DO(bench_suite) \
	DO(bench_param) \
	DO(bench_value) \
	DO(bench_case) \
	DO(bench_work) \
	DO(bench_check) \
	DO(bench_metric_spec) \
	DO(bench_backend) \
	DO(bench_device_info) \
	DO(bench_open_options) \
	DO(bench_fn)
/* clang-format on */
#define BENCH_PLUGIN_PLACE(name) BENCH_PLUGIN_##name,
#define BENCH_PLUGIN_BYTES(name) (int)sizeof(struct name),
enum bench_plugin_place { BENCH_PLUGIN_STRUCTS(BENCH_PLUGIN_PLACE) BENCH_PLUGIN_PLACES };

struct bench_plugin {
	int abi;                                     /* BENCH_PLUGIN_ABI */
	int bytes[BENCH_PLUGIN_PLACES];              /* their sizes, as the plug-in was compiled */
	const struct bench_suite *const *suites;     /* optional: ends with NULL */
	const struct bench_backend *const *backends; /* optional: ends with NULL */
	const struct bench_fn *const *functions;     /* optional: up to functions_end */
	const struct bench_fn *const *functions_end;
};

#define BENCH_PLUGIN_TABLE(suites, backends, functions, functions_end)                                       \
	{                                                                                                    \
		BENCH_PLUGIN_ABI, {BENCH_PLUGIN_STRUCTS(BENCH_PLUGIN_BYTES)}, suites, backends, functions,   \
			functions_end                                                                        \
	}

/* The table of a plug-in: each NULL, or an array that ends with NULL. Once, at file scope. */
#define BENCH_PLUGIN(suites, backends)                                                                       \
	BENCH_PLUGIN_EXTERN __attribute__((visibility("default"))) const struct bench_plugin bench_plugin;   \
	const struct bench_plugin bench_plugin = BENCH_PLUGIN_TABLE(suites, backends, NULL, NULL)

#endif
