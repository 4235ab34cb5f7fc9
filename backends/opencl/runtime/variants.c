/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/variants.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_opencl_known {
	struct bench_opencl_variant variant;
	struct bench_opencl_kernel *kernel;
	struct bench_opencl_known *next;
};

static struct bench_opencl_known **bucket_of(struct bench_device *device,
					     const struct bench_opencl_variant *variant)
{
	size_t hash = (size_t)(uintptr_t)variant->name;
	for (size_t i = 0; i < BENCH_OPENCL_KEY; i++)
		hash = hash * 31 + variant->key[i];
	return &device->variants[hash % BENCH_OPENCL_VARIANTS];
}

static bool is_same(const struct bench_opencl_variant *a, const struct bench_opencl_variant *b)
{
	return a->file == b->file && a->name == b->name && memcmp(a->key, b->key, sizeof(a->key)) == 0;
}

/* NVIDIA's driver names fewer work-items than it runs, for kernels that are compiled for a group's size. */
static int check_group(const struct bench_device *device, const struct bench_opencl_kernel *kernel,
		       size_t items, struct bench_error *error)
{
	size_t limit = 0;
	if (items == 0 || device->nvidia_capability > 0)
		return 0;
	if (bench_opencl_group_size(device, kernel, items, &limit, error) != 0)
		return -1;
	if (limit < items)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "kernel %s needs work-groups of %zu, device %s runs at most %zu",
				  kernel->name, items, device->info.slug, limit);
	return 0;
}

int bench_opencl_variant(struct bench_device *device, const struct bench_opencl_variant *variant,
			 struct bench_opencl_kernel **kernel, struct bench_error *error, const char *options,
			 ...)
{
	struct bench_opencl_known **bucket = bucket_of(device, variant);
	for (const struct bench_opencl_known *known = *bucket; known; known = known->next)
		if (is_same(&known->variant, variant)) {
			*kernel = known->kernel;
			return 0;
		}
	char text[512];
	va_list arguments;
	va_start(arguments, options);
	int length = vsnprintf(text, sizeof(text), options, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= sizeof(text))
		return bench_fail(error, BENCH_FAILED, "kernel %s of %s has more options than fit: %s",
				  variant->name, variant->file, text);
	if (bench_opencl_kernel(device, variant->file, text, variant->name, kernel, error) != 0 ||
	    check_group(device, *kernel, variant->items, error) != 0)
		return -1;
	struct bench_opencl_known *made = malloc(sizeof(*made));
	if (!made)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for the kernel %s", variant->name);
	*made = (struct bench_opencl_known){*variant, *kernel, *bucket};
	*bucket = made;
	return 0;
}

void bench_opencl_variants_free(struct bench_device *device)
{
	for (size_t i = 0; i < BENCH_OPENCL_VARIANTS; i++)
		while (device->variants[i]) {
			struct bench_opencl_known *known = device->variants[i];
			device->variants[i] = known->next;
			free(known);
		}
}
