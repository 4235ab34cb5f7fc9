/* SPDX-License-Identifier: MIT */
#include "backends/check.h"

#include <stdint.h>

int bench_reduction_check(const char *backend, const struct bench_reduction *reduction,
			  bench_buffer_size *bytes, struct bench_error *error)
{
	const size_t real = bench_dtype_bytes(reduction->dtype), count = reduction->count;
	const struct bench_buffer *b = reduction->op == BENCH_REDUCTION_DOT ? reduction->b : reduction->a;
	const size_t value = reduction->op == BENCH_REDUCTION_ARGMAX ? sizeof(uint64_t) : real;
	if (count < 1 || count > bytes(reduction->a) / real || count > bytes(b) / real)
		return bench_fail(error, BENCH_USAGE,
				  "%s: a reduction of %zu elements of %zu bytes does not fit its buffers",
				  backend, count, real);
	if (reduction->to && value > bytes(reduction->to))
		return bench_fail(error, BENCH_USAGE,
				  "%s: a reduction's value does not fit a buffer of %zu bytes", backend,
				  bytes(reduction->to));
	return 0;
}

int bench_random_check(const char *backend, const struct bench_random *random, bench_buffer_size *bytes,
		       struct bench_error *error)
{
	if (random->count >= 1 && random->count <= bytes(random->out) / bench_dtype_bytes(random->dtype))
		return 0;
	return bench_fail(error, BENCH_USAGE, "%s: %zu random numbers do not fit a buffer of %zu bytes",
			  backend, random->count, bytes(random->out));
}

int bench_peak_check(const char *backend, const struct bench_peak *peak, bench_buffer_size *bytes,
		     struct bench_error *error)
{
	const bool reading = peak->what == BENCH_PEAK_READ;
	/* Sums of shorter types are floats. */
	const size_t real = peak->dtype == BENCH_F64 ? sizeof(double) : sizeof(float);
	const size_t multiple = bench_peak_multiple(peak->what);
	const size_t written = reading ? (size_t)BENCH_PEAK_PARTS : peak->count;
	if (peak->count == 0 || peak->count % multiple != 0)
		return bench_fail(error, BENCH_USAGE, "%s: peak of %zu elements: a multiple of %zu is needed",
				  backend, peak->count, multiple);
	if (!bench_peak_holds(peak))
		return bench_fail(error, BENCH_USAGE,
				  "%s: peak of %zu elements over and over: not a power of two", backend,
				  peak->held);
	if (written > bytes(peak->out) / real ||
	    (reading && bench_peak_elements(peak) > bytes(peak->a) / real))
		return bench_fail(error, BENCH_USAGE, "%s: peak of %zu elements does not fit the buffers",
				  backend, peak->count);
	return 0;
}

static int check_blocks(const char *backend, const struct bench_spmv *spmv, struct bench_error *error)
{
	size_t entries = spmv->block_entries, part = spmv->part_entries;
	if (entries < 1 || part < entries || part > BENCH_SPMV_BLOCK_MAX || spmv->block_count < 1 ||
	    spmv->block_count > spmv->rows + spmv->entries / part || spmv->split_count > spmv->entries / part)
		return bench_fail(
			error, BENCH_USAGE,
			"%s: spmv: %zu blocks of up to %zu entries, with %zu rows in parts of %zu, are none "
			"of a matrix of %zu rows and %zu entries",
			backend, spmv->block_count, entries, spmv->split_count, part, spmv->rows,
			spmv->entries);
	return 0;
}

int bench_spmv_check(const char *backend, const struct bench_spmv *spmv, bench_buffer_size *bytes,
		     struct bench_error *error)
{
	const size_t most = INT32_MAX, real = bench_dtype_bytes(spmv->dtype), word = sizeof(uint32_t);
	bool adaptive = spmv->kernel == BENCH_SPMV_ADAPTIVE;
	if (!bench_dtype_is_plain(spmv->dtype))
		return bench_fail(error, BENCH_UNSUPPORTED, "%s: no spmv in f16, bf16 or tf32", backend);
	if (spmv->rows < 1 || spmv->rows > most || spmv->cols < 1 || spmv->cols > most ||
	    spmv->entries > most)
		return bench_fail(error, BENCH_USAGE,
				  "%s: spmv: %zu rows, %zu columns and %zu entries: each is at most %zu, and "
				  "the first two at least 1",
				  backend, spmv->rows, spmv->cols, spmv->entries, most);
	if (spmv->x == spmv->y)
		return bench_fail(error, BENCH_USAGE, "%s: spmv: x and y are one buffer", backend);
	if (adaptive && check_blocks(backend, spmv, error))
		return -1;
	const struct {
		const char *name;
		const struct bench_buffer *buffer;
		size_t need;
	} buffers[] = {
		{"offsets", spmv->offsets, (spmv->rows + 1) * word},
		{"columns", spmv->columns, spmv->entries * word},
		{"values", spmv->values, spmv->entries * real},
		{"x", spmv->x, spmv->cols * real},
		{"y", spmv->y, spmv->rows * real},
		{"blocks", spmv->blocks,
		 adaptive ? (spmv->block_count + 1) * sizeof(struct bench_spmv_place) : 0},
		{"splits", spmv->splits, adaptive ? spmv->split_count * word : 0},
	};
	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) {
		size_t have = buffers[i].buffer ? bytes(buffers[i].buffer) : 0;
		if (buffers[i].need > have)
			return bench_fail(error, BENCH_USAGE,
					  "%s: spmv: %zu bytes do not fit %s, a buffer of %zu bytes", backend,
					  buffers[i].need, buffers[i].name, have);
	}
	return 0;
}

/* A matrix that begins at row `first` of a buffer. */
struct part {
	const char *name;
	const struct bench_buffer *buffer;
	size_t first, rows, columns, element_bytes;
};

static int check(const char *operation, const struct part *parts, size_t count, bench_buffer_size *bytes,
		 struct bench_error *error)
{
	for (size_t i = 0; i < count; i++) {
		const struct part *part = &parts[i];
		if (part->rows < 1 || part->rows > INT32_MAX || part->columns < 1 ||
		    part->columns > INT32_MAX)
			return bench_fail(error, BENCH_USAGE,
					  "%s: %s of %zu x %zu: rows and columns are 1 to 2^31 - 1",
					  operation, part->name, part->rows, part->columns);
		size_t have = bytes(part->buffer), there = have / part->element_bytes / part->columns;
		if (part->first > there || part->rows > there - part->first)
			return bench_fail(
				error, BENCH_USAGE,
				"%s: %s of %zu x %zu from row %zu on exceeds its buffer of %zu bytes",
				operation, part->name, part->rows, part->columns, part->first, have);
	}
	return 0;
}

#define CHECK(operation, parts) check(operation, parts, sizeof(parts) / sizeof((parts)[0]), bytes, error)

int bench_training_check_gather(const struct bench_training_gather *gather, bench_buffer_size *bytes,
				struct bench_error *error)
{
	const struct part parts[] = {
		{"order", gather->order, gather->first, gather->count, 1, sizeof(uint32_t)},
		{"an image", gather->images, 0, 1, gather->pixels, 1},
		{"x", gather->x, 0, gather->count, gather->pixels, sizeof(float)},
		{"the labels of x", gather->x_labels, 0, gather->count, 1, 1},
	};
	return CHECK("gather", parts);
}

int bench_training_check_relu(const struct bench_training_relu *relu, bench_buffer_size *bytes,
			      struct bench_error *error)
{
	const struct part parts[] = {
		{"x", relu->x, 0, relu->rows, relu->columns, sizeof(float)},
		{"bias", relu->bias, 0, 1, relu->columns, sizeof(float)},
	};
	return CHECK("relu", parts);
}

int bench_training_check_softmax(const struct bench_training_softmax *softmax, bench_buffer_size *bytes,
				 struct bench_error *error)
{
	const struct part parts[] = {
		{"x", softmax->x, 0, softmax->rows, softmax->columns, sizeof(float)},
		{"bias", softmax->bias, 0, 1, softmax->columns, sizeof(float)},
		{"labels", softmax->labels, 0, softmax->rows, 1, 1},
	};
	return CHECK("softmax", parts);
}

int bench_training_check_bias(const struct bench_training_bias *bias, bench_buffer_size *bytes,
			      struct bench_error *error)
{
	const struct part parts[] = {
		{"gradient", bias->gradient, 0, bias->rows, bias->columns, sizeof(float)},
		{"bias", bias->bias, 0, 1, bias->columns, sizeof(float)},
		{"activations", bias->activations ? bias->activations : bias->gradient, 0, bias->rows,
		 bias->columns, sizeof(float)},
	};
	return CHECK("bias", parts);
}

int bench_training_check_classify(const struct bench_training_classify *classify, bench_buffer_size *bytes,
				  struct bench_error *error)
{
	const struct part parts[] = {
		{"x", classify->x, 0, classify->rows, classify->columns, sizeof(float)},
		{"bias", classify->bias, 0, 1, classify->columns, sizeof(float)},
		{"classes", classify->classes, classify->first, classify->rows, 1, 1},
	};
	if (classify->columns > UINT8_MAX + 1)
		return bench_fail(error, BENCH_USAGE, "classify: %zu classes: a byte tells 256 apart",
				  classify->columns);
	return CHECK("classify", parts);
}
