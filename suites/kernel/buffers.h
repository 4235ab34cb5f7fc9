/* SPDX-License-Identifier: MIT */
/*
 * The memory of a kernel's arguments, on the host and on the device. Candidates of a search share what has
 * the same type, shape and contents for all of them. One thread of a process calls these functions; their
 * errors are the backend's.
 *
 * A launch of one candidate can change what another one shares. So each check of a candidate resets the
 * memory and launches the kernel again. Inputs are the exception: one comparison covers all launches so far.
 * Once it finds a changed input, each further check resets and compares that input, too.
 */
#ifndef SUITES_KERNEL_BUFFERS_H
#define SUITES_KERNEL_BUFFERS_H

#include "suites/kernel/check.h"

/* Bytes of a guard zone before an argument on the device, and after it: no kernel can write outside of an
 * image. */
static inline size_t bench_kernel_buffers_guard(const struct bench_kernel_results *results, size_t i)
{
	return results->spec->arguments[i].image ? 0 : results->guard;
}

/* Would two points of a spec have the same contents in an argument that is a buffer? */
bool bench_kernel_buffers_are_same(const struct bench_kernel_spec *spec, size_t i,
				   const struct bench_kernel_point *a, const struct bench_kernel_point *b);

/* Finds or makes the memory of an argument, filled with numbers of results->seed, and uploads it. */
int bench_kernel_buffers_make(const struct bench_case *bench_case, struct bench_kernel_results *results,
			      size_t i, struct bench_error *error);
/* Leaves all of it; what no other case shares is freed. */
void bench_kernel_buffers_free(const struct bench_case *bench_case, struct bench_kernel_results *results);

/* Fills the inputs again, on the host: from results->seed. Not in a search. */
int bench_kernel_buffers_fill(struct bench_kernel_results *results, struct bench_error *error);
int bench_kernel_buffers_upload(const struct bench_case *bench_case,
				const struct bench_kernel_results *results, size_t i,
				struct bench_error *error);
/* Before a launch that is checked: what the kernel reads is as it was, and what it writes is `spoil`ed. */
int bench_kernel_buffers_reset(const struct bench_case *bench_case,
			       const struct bench_kernel_results *results, int spoil,
			       struct bench_error *error);
/* After it: gets what it has left. */
int bench_kernel_buffers_download(const struct bench_case *bench_case,
				  const struct bench_kernel_results *results, struct bench_error *error);

/* Notes a launch after which nobody compares the inputs. */
void bench_kernel_buffers_note(const struct bench_kernel_results *results);
/* Compares the shared inputs after such launches: a changed one is watched from here on. */
int bench_kernel_buffers_look(const struct bench_case *bench_case, const struct bench_kernel_results *results,
			      struct bench_error *error);

#endif
