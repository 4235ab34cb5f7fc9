/* SPDX-License-Identifier: MIT */
/*
 * Measures and checks your own function, in C or C++:
 *
 *     #include <bench/fn.h>
 *     #include "sum.h"
 *
 *     struct sum { size_t n; double *x, found; };              what a case keeps
 *     BENCH_FN(sum, "n=1000,1000000");                         its name, and the values of its parameters
 *     BENCH_FN_SETUP(sum) { s->n = bench_fn_size(fn, "n"); s->x = bench_fn_doubles(fn, s->n); }
 *     BENCH_FN_RUN(sum) { s->found = sum(s->x, s->n); }        timed
 *     BENCH_FN_CHECK(sum, 1e-9) { return bench_fn_off(s->found, slow_sum(s->x, s->n)); }
 *
 *     cc -O2 -fPIC -shared $(pkg-config --cflags bench) sum_bench.c sum.c -o sum.so
 *     bench run --plugin ./sum.so
 *
 * The struct comes first and has the same name as BENCH_FN; then BENCH_FN, then the bodies. In each body `s`
 * points to the case's struct, zeroed before setup. In C++ it is constructed and destroyed, so its members
 * may be vectors. `fn` is the case (bench/function.h). Any number of functions may be in one file, and any
 * number of files in one plug-in. An exception that leaves a body fails the case.
 *
 * A parameter named `variant` chooses between ways to do the same work: its cases are compared, sample
 * against sample.
 */
#ifndef BENCH_FN_H
#define BENCH_FN_H

#include "bench/plugin.h"

#ifdef __cplusplus
#include <exception>
#include <new>
#define BENCH_FN_MAKE(name) return new (std::nothrow) struct name()
#define BENCH_FN_DROP(name) delete static_cast<struct name *>(state)
#else
#include <stdlib.h>
#define BENCH_FN_MAKE(name) return calloc(1, sizeof(struct name))
#define BENCH_FN_DROP(name) free(state)
#endif

#ifdef __cpp_exceptions
#define BENCH_FN_TRY try {
#define BENCH_FN_CATCH                                                                                       \
	}                                                                                                    \
	catch (const std::exception &thrown)                                                                 \
	{                                                                                                    \
		bench_fn_fail(fn, BENCH_FAILED, "exception: %s", thrown.what());                             \
	}                                                                                                    \
	catch (...)                                                                                          \
	{                                                                                                    \
		bench_fn_fail(fn, BENCH_FAILED, "exception of an unknown type");                             \
	}
#else
#define BENCH_FN_TRY   {
#define BENCH_FN_CATCH }
#endif

/* A required hook that is not written is an error of the linker; an optional one puts itself into the row. */
#define BENCH_FN_REQUIRED __attribute__((visibility("hidden")))
#define BENCH_FN_OPTIONAL(name, hook, type)                                                                  \
	static void bench_fn_##hook##_##name(struct bench_fn_case *, type *);                                \
	__attribute__((constructor)) static void bench_fn_set_##hook##_##name(void)                          \
	{                                                                                                    \
		bench_fn_row_##name.hook = bench_fn_##hook##_##name;                                         \
	}
#define BENCH_FN_BODY   static inline __attribute__((always_inline))
#define BENCH_FN_UNUSED __attribute__((unused))

/* The function `name`, with a sweep: "n=1000,1000000 variant=plain,fast" has four cases. */
#define BENCH_FN(name, sweep)                                                                                \
	BENCH_FN_REQUIRED void bench_fn_setup_##name(struct bench_fn_case *, void *);                        \
	BENCH_FN_REQUIRED void bench_fn_run_##name(struct bench_fn_case *, void *, uint64_t);                \
	BENCH_FN_REQUIRED void bench_fn_check_##name(struct bench_fn_case *, void *, struct bench_check *);  \
	static void *bench_fn_make_##name(void)                                                              \
	{                                                                                                    \
		BENCH_FN_MAKE(name);                                                                         \
	}                                                                                                    \
	static void bench_fn_drop_##name(void *state)                                                        \
	{                                                                                                    \
		BENCH_FN_DROP(name);                                                                         \
	}                                                                                                    \
	static struct bench_fn bench_fn_row_##name = {#name,                                                 \
						      __FILE__,                                              \
						      sweep,                                                 \
						      bench_fn_make_##name,                                  \
						      bench_fn_drop_##name,                                  \
						      NULL,                                                  \
						      bench_fn_setup_##name,                                 \
						      NULL,                                                  \
						      bench_fn_run_##name,                                   \
						      bench_fn_check_##name};                                \
	static const struct bench_fn *const bench_fn_entry_##name                                            \
		__attribute__((used, section("bench_functions"))) = &bench_fn_row_##name

/* What follows is a body. Required: makes the inputs, untimed. */
#define BENCH_FN_SETUP(name) BENCH_FN_HOOK(name, setup)

/* Optional: puts back inputs that run changes, and spoils its outputs, so that a run that does nothing is
 * seen. Before the first call, before the samples and at random moments between them: not between the
 * iterations of one. */
#define BENCH_FN_PREPARE(name) BENCH_FN_OPTIONAL(name, prepare, void) BENCH_FN_HOOK(name, prepare)

#define BENCH_FN_HOOK(name, hook)                                                                            \
	BENCH_FN_BODY void bench_fn_##hook##_body_##name(struct bench_fn_case *fn, struct name *s);          \
	void bench_fn_##hook##_##name(struct bench_fn_case *fn, void *state)                                 \
	{                                                                                                    \
		BENCH_FN_TRY bench_fn_##hook##_body_##name(fn, (struct name *)state);                        \
		BENCH_FN_CATCH                                                                               \
	}                                                                                                    \
	void bench_fn_##hook##_body_##name(struct bench_fn_case *fn BENCH_FN_UNUSED,                         \
					   struct name *s BENCH_FN_UNUSED)

/*
 * Required: one iteration. It is timed, as part of a loop that the compiler can neither drop nor merge. Keep
 * its results in *s, or in memory that *s points to: otherwise the compiler may drop the work.
 */
#define BENCH_FN_RUN(name)                                                                                   \
	BENCH_FN_BODY void bench_fn_run_body_##name(struct bench_fn_case *fn, struct name *s);               \
	void bench_fn_run_##name(struct bench_fn_case *fn, void *state, uint64_t iterations)                 \
	{                                                                                                    \
		struct name *s = (struct name *)state;                                                       \
		BENCH_FN_TRY for (uint64_t i = 0; i < iterations; i++)                                       \
		{                                                                                            \
			bench_fn_run_body_##name(fn, s);                                                     \
			__asm__ volatile("" : : "r"(s) : "memory");                                          \
		}                                                                                            \
		BENCH_FN_CATCH                                                                               \
	}                                                                                                    \
	void bench_fn_run_body_##name(struct bench_fn_case *fn BENCH_FN_UNUSED,                              \
				      struct name *s BENCH_FN_UNUSED)

/* Required: returns the error of what the last iteration left, 0 or more; the case is right where it is at
 * most `tolerance`. */
#define BENCH_FN_CHECK(name, tolerance_)                                                                     \
	BENCH_FN_BODY double bench_fn_check_body_##name(struct bench_fn_case *fn, struct name *s);           \
	void bench_fn_check_##name(struct bench_fn_case *fn, void *state, struct bench_check *check)         \
	{                                                                                                    \
		check->tolerance = (tolerance_);                                                             \
		BENCH_FN_TRY check->error = bench_fn_check_body_##name(fn, (struct name *)state);            \
		BENCH_FN_CATCH                                                                               \
	}                                                                                                    \
	double bench_fn_check_body_##name(struct bench_fn_case *fn BENCH_FN_UNUSED,                          \
					  struct name *s BENCH_FN_UNUSED)

/* Optional: sets work->flops, work->bytes or work->items of one iteration, from which rates come. There is no
 * `s` yet. */
#define BENCH_FN_WORK(name)                                                                                  \
	BENCH_FN_OPTIONAL(name, work, struct bench_work)                                                     \
	BENCH_FN_BODY void bench_fn_work_body_##name(struct bench_fn_case *fn, struct bench_work *work);     \
	void bench_fn_work_##name(struct bench_fn_case *fn, struct bench_work *work)                         \
	{                                                                                                    \
		BENCH_FN_TRY bench_fn_work_body_##name(fn, work);                                            \
		BENCH_FN_CATCH                                                                               \
	}                                                                                                    \
	void bench_fn_work_body_##name(struct bench_fn_case *fn BENCH_FN_UNUSED,                             \
				       struct bench_work *work BENCH_FN_UNUSED)

/* How far `found` is from `expected`, as a share of `expected`; of 0, as it is. NaN where one of them is. */
static inline double bench_fn_off(double found, double expected)
{
	double difference = found > expected ? found - expected : expected - found;
	double size = expected < 0 ? -expected : expected;
	return size > 0 ? difference / size : difference;
}

/* The rows of all files of a plug-in, which the linker puts side by side, and their table. */
#ifdef __cplusplus
extern "C" {
#endif
extern const struct bench_fn *const __start_bench_functions[] __attribute__((weak, visibility("hidden")));
extern const struct bench_fn *const __stop_bench_functions[] __attribute__((weak, visibility("hidden")));
extern const struct bench_plugin bench_plugin_functions __attribute__((weak, visibility("default")));
const struct bench_plugin bench_plugin_functions =
	BENCH_PLUGIN_TABLE(NULL, NULL, __start_bench_functions, __stop_bench_functions);
#ifdef __cplusplus
}
#endif

#endif
