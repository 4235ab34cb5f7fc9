/* SPDX-License-Identifier: MIT */
/* Image and sampler arguments: what a specification says of them, by OpenCL's names. */
#ifndef SUITES_KERNEL_IMAGES_H
#define SUITES_KERNEL_IMAGES_H

#include "suites/kernel/point.h"
#include "suites/kernel/reader.h"

/* Is the text a type of images, such as "image2d_t", or "sampler_t"? */
bool bench_kernel_images_is_type(const char *type);

/* Reads what an argument of such a type has: "format" and how many extents its 'shape' has, or "value". */
int bench_kernel_images_read(const struct bench_kernel_reader *reader, const cJSON *item,
			     struct bench_kernel_spec_argument *argument);

/* May names exchange their images? Buffers may, too. */
bool bench_kernel_images_alike(const struct bench_kernel_spec *spec, const struct bench_kernel_point *point,
			       size_t a, size_t b);

/* An image on the device of a case, with the sizes of its point. BENCH_UNSUPPORTED: the device has none such.
 */
int bench_kernel_images_make(const struct bench_case *bench_case, const struct bench_kernel_point *point,
			     size_t argument, struct bench_buffer **buffer, struct bench_error *error);

#endif
