/* SPDX-License-Identifier: MIT */
/* Images of users' kernels. */
#include "backends/opencl/runtime/operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/errors.h"

enum { MOST_FORMATS = 512 };

/* Has the device such images? */
static int check_format(const struct bench_device *device, const struct bench_kernel_image *image,
			cl_mem_flags flags, struct bench_error *error)
{
	cl_image_format formats[MOST_FORMATS];
	cl_bool images = CL_FALSE;
	cl_uint count = 0;
	bool found = false;
	clGetDeviceInfo(device->id, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL);
	if (!images)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "device %s has no images (CL_DEVICE_IMAGE_SUPPORT)", device->info.slug);
	cl_int status = clGetSupportedImageFormats(device->context, flags, image->object, MOST_FORMATS,
						   formats, &count);
	if (status != CL_SUCCESS)
		return bench_opencl_fail(error, device, status, "clGetSupportedImageFormats", image->type);
	for (cl_uint i = 0; i < count && i < MOST_FORMATS; i++)
		found |= formats[i].image_channel_order == image->order &&
			 formats[i].image_channel_data_type == image->channel;
	return found ? 0
		     : bench_fail(error, BENCH_UNSUPPORTED,
				  "device %s has no %s of format %s that kernels can %s", device->info.slug,
				  image->type, image->format, image->read_only ? "read" : "write to");
}

static void CL_CALLBACK free_memory(cl_mem image, void *memory)
{
	(void)image;
	clReleaseMemObject(memory);
}

/* *call: the one that failed. */
static cl_int create(const struct bench_device *device, const struct bench_kernel_image *image,
		     cl_mem_flags flags, cl_mem *made, const char **call)
{
	const size_t *texels = image->extents;
	const cl_image_format format = {image->order, image->channel};
	cl_image_desc desc = {.image_type = image->object,
			      .image_width = texels[0],
			      .image_height = texels[1],
			      .image_depth = texels[2],
			      .image_array_size =
				      image->object == CL_MEM_OBJECT_IMAGE1D_ARRAY ? texels[1] : texels[2]};
	cl_int status = CL_SUCCESS;
	cl_mem memory = NULL;
	if (image->object == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
		*call = "clCreateBuffer";
		memory =
			clCreateBuffer(device->context, flags, texels[0] * image->texel_bytes, NULL, &status);
		if (bench_opencl_made(memory, status) != CL_SUCCESS)
			return bench_opencl_made(memory, status);
		desc.buffer = memory;
	}
	*call = "clCreateImage";
	*made = clCreateImage(device->context, flags, &format, &desc, NULL, &status);
	status = bench_opencl_made(*made, status);
	/* Whether an image keeps its buffer is not said for OpenCL 1.2. */
	if (memory && (status != CL_SUCCESS ||
		       clSetMemObjectDestructorCallback(*made, free_memory, memory) != CL_SUCCESS))
		clReleaseMemObject(memory);
	return status;
}

int bench_opencl_image(struct bench_device *device, const struct bench_kernel_image *image,
		       struct bench_buffer **buffer, struct bench_error *error)
{
	const cl_mem_flags flags = image->read_only ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
	const size_t *texels = image->extents;
	char what[160];
	if (check_format(device, image, flags, error) != 0)
		return -1;
	struct bench_buffer *made = calloc(1, sizeof(*made));
	if (!made)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for an image's record");
	const char *call;
	const cl_int status = create(device, image, flags, &made->memory, &call);
	if (status != CL_SUCCESS) {
		free(made);
		snprintf(what, sizeof(what), "%s of %zu x %zu x %zu texels of format %s", image->type,
			 texels[0], texels[1], texels[2], image->format);
		/* With a known format it is too large; PoCL says CL_INVALID_OPERATION. */
		return status == CL_INVALID_IMAGE_SIZE || status == CL_INVALID_BUFFER_SIZE ||
				       status == CL_INVALID_OPERATION
			       ? bench_fail(error, BENCH_UNSUPPORTED,
					    "device %s has no %s, which is too large", device->info.slug,
					    what)
			       : bench_opencl_fail(error, device, status, call, what);
	}
	memcpy(made->texels, texels, sizeof(made->texels));
	made->bytes = texels[0] * texels[1] * texels[2] * image->texel_bytes;
	*buffer = made;
	return 0;
}
