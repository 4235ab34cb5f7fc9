#include "backends/training.h"

#include <stdint.h>

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
