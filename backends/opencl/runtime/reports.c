/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/reports.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/runtime/errors.h"
#include "backends/opencl/runtime/program.h"
#include "backends/opencl/runtime/ptx.h"
#include "core/clock.h"
#include "core/text.h"

#define CAPABILITY_MINOR 0x4001 /* CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV of cl_nv_device_attribute_query */

struct telling {
	void (*tell)(void *context, const struct bench_kernel_report *report);
	void *context;
};

/* What NVIDIA's driver gives of a program: malloc'd, NULL where it is not to be had. */
struct texts {
	char *ptx, *log;
};

/* The log of a program that is built with -cl-nv-verbose, malloc'd. NULL: it has no kernel. Releases it. */
static char *take_log(const struct bench_device *device, cl_program built)
{
	char *log = built ? bench_opencl_program_log(device, built) : NULL;
	if (built)
		clReleaseProgram(built);
	if (log && strstr(log, " registers"))
		return log;
	free(log);
	return NULL;
}

static cl_program build_source(const struct bench_device *device, const char *source, const char *options)
{
	cl_int status = CL_SUCCESS;
	cl_program program = clCreateProgramWithSource(device->context, 1, &source, NULL, &status);
	if (bench_opencl_made(program, status) != CL_SUCCESS)
		return NULL;
	if (clBuildProgram(program, 1, &device->id, options, NULL, NULL) == CL_SUCCESS)
		return program;
	clReleaseProgram(program);
	return NULL;
}

/*
 * The driver compiles the program once more, from its PTX or else from its source, and says what came out. It
 * has a cache of its own, whose programs have no log: the time, as a comment and a macro, is new to it.
 */
static char *compile_again(struct bench_device *device, cl_program program, const char *ptx)
{
	BENCH_SCOPED_TEXT again = {0}, options = {0};
	char given[1024] = "";
	size_t bytes = 0;
	uint64_t time = bench_clock_real.now_ns(NULL);
	clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_OPTIONS, sizeof(given) - 1, given, NULL);
	bench_text_add(&options, "%s -cl-nv-verbose", given);
	bench_text_add(&again, "%s\n// %" PRIu64 "\n", ptx, time);
	char *log = take_log(device, bench_opencl_program_load(device, (const unsigned char *)again.data,
							       again.length, options.data));
	if (!log && clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes) == CL_SUCCESS &&
	    bytes > 1) {
		char *source = calloc(bytes + 1, 1);
		bench_text_add(&options, " -DBENCH_AGAIN=%" PRIu64, time);
		if (source && clGetProgramInfo(program, CL_PROGRAM_SOURCE, bytes, source, NULL) == CL_SUCCESS)
			log = take_log(device, build_source(device, source, options.data));
		free(source);
	}
	return log;
}

static struct texts read_texts(struct bench_device *device, cl_program program)
{
	struct texts texts = {0};
	size_t bytes;
	if (!device->nvidia_capability)
		return texts;
	texts.ptx = (char *)bench_opencl_program_binary(program, &bytes);
	if (!texts.ptx)
		return texts;
	texts.ptx[bytes] = '\0';
	if (strstr(texts.ptx, ".entry"))
		texts.log = compile_again(device, program, texts.ptx);
	return texts;
}

static double ask(const struct bench_device *device, const struct bench_opencl_kernel *kernel,
		  cl_kernel_work_group_info what)
{
	cl_ulong bytes = 0;
	return clGetKernelWorkGroupInfo(kernel->handle, device->id, what, sizeof(bytes), &bytes, NULL) ==
			       CL_SUCCESS
		       ? (double)bytes
		       : NAN;
}

static void report(const struct bench_device *device, const struct bench_opencl_kernel *kernel,
		   const struct texts *texts, const struct telling *telling)
{
	struct bench_kernel_report report = {.name = kernel->name,
					     .registers = NAN,
					     .spilled = NAN,
					     .private_bytes = ask(device, kernel, CL_KERNEL_PRIVATE_MEM_SIZE),
					     .local_bytes = ask(device, kernel, CL_KERNEL_LOCAL_MEM_SIZE),
					     .most_items = ask(device, kernel, CL_KERNEL_WORK_GROUP_SIZE),
					     .group = kernel->group ? (double)kernel->group : NAN,
					     .occupancy = NAN};
	struct bench_opencl_ptxas ptxas;
	char mix[BENCH_OPENCL_MIX];
	cl_uint minor = 0;
	if (texts->ptx && bench_opencl_ptx_mix(texts->ptx, kernel->name, mix))
		report.mix = mix;
	if (texts->log && bench_opencl_ptxas_read(texts->log, kernel->name, &ptxas)) {
		report.registers = ptxas.registers;
		report.spilled = ptxas.spilled;
		clGetDeviceInfo(device->id, CAPABILITY_MINOR, sizeof(minor), &minor, NULL);
		report.occupancy = bench_opencl_occupancy(device->nvidia_capability, minor, ptxas.registers,
							  report.group, report.local_bytes);
	}
	if (bench_opencl_is_cpu(device))
		report.unread = "the compiler of a CPU's driver prints none; to see what it made: "
				"POCL_KERNEL_CACHE=1, and objdump -d of its cache";
	else if (!device->nvidia_capability)
		report.unread = "only NVIDIA's compiler is known to print them; to see them, on AMD: "
				"rocprofv3 --kernel-trace, with bench run behind it";
	else if (!report.mix || isnan(report.registers))
		report.unread =
			"the driver gave no PTX, or no log for it; to see them: CUDA_CACHE_DISABLE=1 "
			"BENCH_PROGRAM_CACHE=off BENCH_OPENCL_OPTIONS=-cl-nv-verbose, or ncu --set full, "
			"with bench run behind it";
	telling->tell(telling->context, &report);
}

static void visit(struct bench_device *device, cl_program program, struct bench_opencl_kernel *kernels,
		  void *context)
{
	const struct telling *telling = context;
	struct texts texts = {0};
	bool read = false;
	for (struct bench_opencl_kernel *kernel = kernels; kernel; kernel = kernel->next) {
		if (kernel->recent && telling->tell) {
			if (!read)
				texts = read_texts(device, program);
			read = true;
			report(device, kernel, &texts, telling);
			/* Others of that name are the same kernel with other arguments. */
			for (struct bench_opencl_kernel *other = kernel->next; other; other = other->next)
				other->recent &= strcmp(other->name, kernel->name) != 0;
		}
		kernel->recent = false;
	}
	free(texts.ptx);
	free(texts.log);
}

void bench_opencl_kernel_reports(struct bench_device *device,
				 void (*tell)(void *context, const struct bench_kernel_report *report),
				 void *context)
{
	struct telling telling = {tell, context};
	bench_opencl_programs_each(device, visit, &telling);
	if (device->caller)
		bench_opencl_programs_each(device->caller, visit, &telling);
}
