/*
 * A template, whatever its name: the backend below adds and multiplies vectors on the host. Put yours in its
 * place.
 *
 * A backend: a library or API that the suites of bench run on. <bench/backend.h> is the contract.
 * This one has ordinary memory and one operation: sums and products of vectors (suite elementwise).
 */
#include <bench/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_device {
	unsigned threads;
};

struct bench_buffer {
	void *data;
};

/* required. The devices, without opening one. No device: -1, BENCH_UNSUPPORTED, with the reason. */
static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	(void)error;
	*count = 1;
	if (capacity == 0)
		return 0;
	memset(info, 0, sizeof(*info));
	/* Part of the key of all history: what the device is, never its index. */
	snprintf(info->slug, sizeof(info->slug), "host-memory");
	snprintf(info->name, sizeof(info->name), "one thread of the host");
	snprintf(info->platform, sizeof(info->platform), "plain C");
	snprintf(info->driver, sizeof(info->driver), "1.0");
	info->kind = BENCH_DEVICE_CPU;
	info->compute_units = 1;
	info->f64 = true;
	return 0;
}

/* required. */
static int open_device(size_t index, const struct bench_open_options *options, struct bench_device **device,
		       struct bench_error *error)
{
	(void)index;
	*device = calloc(1, sizeof(**device));
	if (!*device)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for a device");
	(*device)->threads = options->threads;
	return 0;
}

/* required. */
static void close_device(struct bench_device *device)
{
	free(device);
}

/* required. Aligned to 64 bytes or more. */
static int alloc(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
		 struct bench_error *error)
{
	(void)device;
	*buffer = calloc(1, sizeof(**buffer));
	if (*buffer && posix_memalign(&(*buffer)->data, 64, bytes) == 0)
		return 0;
	free(*buffer);
	*buffer = NULL;
	return bench_fail(error, BENCH_NO_MEMORY, "no memory for a buffer of %zu bytes", bytes);
}

/* required. NULL is allowed. */
static void release(struct bench_device *device, struct bench_buffer *buffer)
{
	(void)device;
	if (buffer)
		free(buffer->data);
	free(buffer);
}

/* required. */
static int upload(struct bench_device *device, struct bench_buffer *buffer, const void *host, size_t bytes,
		  struct bench_error *error)
{
	(void)device;
	(void)error;
	memcpy(buffer->data, host, bytes);
	return 0;
}

/* required. */
static int download(struct bench_device *device, const struct bench_buffer *buffer, void *host, size_t bytes,
		    struct bench_error *error)
{
	(void)device;
	(void)error;
	memcpy(host, buffer->data, bytes);
	return 0;
}

/* required. Returns when all that was enqueued is done; here it is. */
static int finish(struct bench_device *device, struct bench_error *error)
{
	(void)device;
	(void)error;
	return 0;
}

/* An operation, optional: a suite that needs one that is NULL is unsupported. <bench/op/elementwise.h> */
static int elementwise(struct bench_device *device, const struct bench_elementwise *operation,
		       struct bench_error *error)
{
	(void)device;
	if (operation->dtype != BENCH_F32 || operation->width > 1)
		return bench_fail(error, BENCH_UNSUPPORTED, "f32 with width=1 only");
	const float *a = operation->a->data, *b = operation->b->data;
	float *c = operation->c->data;
	for (size_t i = 0; i < operation->count; i++)
		c[i] = operation->op == BENCH_ELEMENTWISE_MUL ? a[i] * b[i] : a[i] + b[i];
	return 0;
}

static const struct bench_backend this_backend = {
	.abi = BENCH_BACKEND_ABI,
	.name = "example_backend",
	.summary = "sums and products of vectors, on one thread",
	.devices = devices,
	.open = open_device,
	.close = close_device,
	.alloc = alloc,
	.release = release,
	.upload = upload,
	.download = download,
	.finish = finish,
	.elementwise = elementwise,
};

static const struct bench_backend *const backends[] = {&this_backend, NULL};
BENCH_PLUGIN(NULL, backends);
