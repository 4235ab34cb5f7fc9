/* SPDX-License-Identifier: MIT */
/*
 * The memory of a kernel's arguments, on the host and on the device. A case owns what it uses, but candidates
 * of a search share memory that is the same for them: of the same type, shape and contents. One process has
 * one thread that calls these; errors as from the backend.
 *
 * What candidates share, a launch of another one may have changed. So each check of a candidate makes a
 * launch of its own, before which the memory is reset. Inputs are the exception: all launches are looked at
 * together, and only when one has changed an input, it is reset and compared around each further check.
 */
#ifndef SUITES_KERNEL_BUFFERS_H
#define SUITES_KERNEL_BUFFERS_H

#include "suites/kernel/check.h"

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

/* Notes that something is launched whose result is not looked at. */
void bench_kernel_buffers_note(const struct bench_kernel_results *results);
/* Looks for shared inputs that such launches have changed: from here on they are watched. */
int bench_kernel_buffers_look(const struct bench_case *bench_case, const struct bench_kernel_results *results,
			      struct bench_error *error);

#endif
