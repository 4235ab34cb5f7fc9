/* SPDX-License-Identifier: MIT */
/*
 * An OpenCL driver that fails on purpose: it loads a real one and changes the table of functions that the
 * real one's objects begin with (struct _cl_icd_dispatch, cl_khr_icd), so that each call of a program passes
 * here.
 *
 *   SHIM_DRIVER  the real driver's library
 *   SHIM_FAULT   FUNCTION:N:KIND[=NUMBER]: call N (from 1; 0: each) of the function, counted in each process,
 *                goes wrong in this way; FUNCTION may be FUNCTION/PARAMETER, the number of a property:
 *                calls that ask for another are not counted
 *   SHIM_ONCE    a file that the first process to come to the fault makes; others then have none
 *   SHIM_STRUCK  a file that is made when a fault strikes
 *   SHIM_COUNTS  a folder where each process leaves a file, "FUNCTION CALLS" a line, when it exits
 *
 * Kinds, for every function: error (returns NUMBER), crash, abort, hang, exit (status NUMBER), done (returns
 * CL_SUCCESS and has done nothing). For those that make objects: null (CL_SUCCESS and NULL), silent (NULL,
 * and no status is written). For enqueues: noevent (the event is not written). For those that tell something,
 * what they tell is: zero, ones (all bits), number (NUMBER, in 8 bytes), later (NUMBER ns are added), text
 * (control bytes, quotes, no UTF-8), endless (letters, no NUL), empty, count (the number of things is
 * NUMBER), size (the size needed is NUMBER).
 */
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Those that give a status: DO(name, parameters, arguments). */
/* clang-format off */
#define OF_STATUS(DO) \
	DO(clGetDeviceIDs, (cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count), (platform, type, room, ids, count)) \
	DO(clReleaseDevice, (cl_device_id device), (device)) \
	DO(clReleaseContext, (cl_context context), (context)) \
	DO(clReleaseCommandQueue, (cl_command_queue queue), (queue)) \
	DO(clReleaseMemObject, (cl_mem memory), (memory)) \
	DO(clSetMemObjectDestructorCallback, (cl_mem memory, void (CL_CALLBACK *notify)(cl_mem, void *), void *data), (memory, notify, data)) \
	DO(clReleaseProgram, (cl_program program), (program)) \
	DO(clBuildProgram, (cl_program program, cl_uint count, const cl_device_id *devices, const char *options, void (CL_CALLBACK *notify)(cl_program, void *), void *data), (program, count, devices, options, notify, data)) \
	DO(clReleaseKernel, (cl_kernel kernel), (kernel)) \
	DO(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value), (kernel, index, size, value)) \
	DO(clWaitForEvents, (cl_uint count, const cl_event *events), (count, events)) \
	DO(clReleaseEvent, (cl_event event), (event)) \
	DO(clFlush, (cl_command_queue queue), (queue)) \
	DO(clFinish, (cl_command_queue queue), (queue)) \
	DO(clCreateSubDevices, (cl_device_id device, const cl_device_partition_property *properties, cl_uint room, cl_device_id *ids, cl_uint *count), (device, properties, room, ids, count))
/* Those that tell of an object. */
#define OF_INFO(DO) \
	DO(clGetPlatformInfo, cl_platform_id, cl_platform_info) \
	DO(clGetDeviceInfo, cl_device_id, cl_device_info) \
	DO(clGetProgramInfo, cl_program, cl_program_info) \
	DO(clGetEventInfo, cl_event, cl_event_info) \
	DO(clGetEventProfilingInfo, cl_event, cl_profiling_info)
/* The same for an object on a device. */
#define OF_INFO_ON_DEVICE(DO) \
	DO(clGetProgramBuildInfo, cl_program, cl_program_build_info) \
	DO(clGetKernelWorkGroupInfo, cl_kernel, cl_kernel_work_group_info)
/* Those that give an object: DO(name, its type, parameters before the status, arguments). */
#define OF_OBJECT(DO) \
	DO(clCreateContext, cl_context, (const cl_context_properties *properties, cl_uint count, const cl_device_id *devices, void (CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *status), (properties, count, devices, notify, data, status)) \
	DO(clCreateCommandQueue, cl_command_queue, (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *status), (context, device, properties, status)) \
	DO(clCreateBuffer, cl_mem, (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *status), (context, flags, size, host, status)) \
	DO(clCreateProgramWithSource, cl_program, (cl_context context, cl_uint count, const char **strings, const size_t *lengths, cl_int *status), (context, count, strings, lengths, status)) \
	DO(clCreateProgramWithBinary, cl_program, (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths, const unsigned char **binaries, cl_int *states, cl_int *status), (context, count, devices, lengths, binaries, states, status)) \
	DO(clCreateKernel, cl_kernel, (cl_program program, const char *name, cl_int *status), (program, name, status)) \
	DO(clEnqueueMapBuffer, void *, (cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags, size_t offset, size_t size, cl_uint count, const cl_event *events, cl_event *event, cl_int *status), (queue, memory, blocking, flags, offset, size, count, events, event, status))
/* Those that enqueue. */
#define OF_ENQUEUE(DO) \
	DO(clEnqueueReadBuffer, (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size, void *to, cl_uint count, const cl_event *events, cl_event *event), (queue, memory, blocking, offset, size, to, count, events, event)) \
	DO(clEnqueueWriteBuffer, (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size, const void *from, cl_uint count, const cl_event *events, cl_event *event), (queue, memory, blocking, offset, size, from, count, events, event)) \
	DO(clEnqueueCopyBuffer, (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size, cl_uint count, const cl_event *events, cl_event *event), (queue, from, to, from_offset, to_offset, size, count, events, event)) \
	DO(clEnqueueFillBuffer, (cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_size, size_t offset, size_t size, cl_uint count, const cl_event *events, cl_event *event), (queue, memory, pattern, pattern_size, offset, size, count, events, event)) \
	DO(clEnqueueUnmapMemObject, (cl_command_queue queue, cl_mem memory, void *mapped, cl_uint count, const cl_event *events, cl_event *event), (queue, memory, mapped, count, events, event)) \
	DO(clEnqueueNDRangeKernel, (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local, cl_uint count, const cl_event *events, cl_event *event), (queue, kernel, dimensions, offset, global, local, count, events, event))

#define NUMBER(name, ...) OF_##name,
enum function { OF_STATUS(NUMBER) OF_INFO(NUMBER) OF_INFO_ON_DEVICE(NUMBER) OF_OBJECT(NUMBER) OF_ENQUEUE(NUMBER) NUMBER(clIcdGetPlatformIDsKHR) FUNCTIONS };
#define NAME(name, ...) #name,
static const char *const names[FUNCTIONS] = { OF_STATUS(NAME) OF_INFO(NAME) OF_INFO_ON_DEVICE(NAME) OF_OBJECT(NAME) OF_ENQUEUE(NAME) NAME(clIcdGetPlatformIDsKHR) };
/* clang-format on */

static struct {
	char function[64], kind[32];
	long parameter; /* -1: any */
	unsigned long call;
	long long number;
	const char *once, *struck;
} fault;
static atomic_ulong calls[FUNCTIONS];
static cl_icd_dispatch real;
static cl_int (*real_platforms)(cl_uint, cl_platform_id *, cl_uint *);
static void *(*real_address)(const char *);

static void read_fault(void)
{
	const char *text = getenv("SHIM_FAULT");
	char *end;
	fault.parameter = -1;
	fault.once = getenv("SHIM_ONCE");
	fault.struck = getenv("SHIM_STRUCK");
	if (!text || sscanf(text, "%63[^:]:%lu:%31[^=]=%lld", fault.function, &fault.call, fault.kind,
			    &fault.number) < 3)
		return;
	char *slash = strchr(fault.function, '/');
	if (slash) {
		*slash = '\0';
		fault.parameter = strtol(slash + 1, &end, 0);
	}
}

static bool is(const char *kind)
{
	return strcmp(fault.kind, kind) == 0;
}

static bool make_file(const char *path, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Counts a call. Is it the one that goes wrong? What ends or stops the process happens here. */
static bool goes_wrong(enum function function, long parameter)
{
	bool meant = strcmp(fault.function, names[function]) == 0;
	if (meant && fault.parameter >= 0 && fault.parameter != parameter)
		return false;
	unsigned long call = atomic_fetch_add(&calls[function], 1) + 1;
	if (!meant || (fault.call && fault.call != call))
		return false;
	if (fault.once && !make_file(fault.once, O_EXCL))
		return false;
	if (fault.struck)
		make_file(fault.struck, 0);
	if (is("crash"))
		raise(SIGSEGV);
	if (is("abort"))
		abort();
	if (is("exit"))
		_exit((int)fault.number);
	while (is("hang"))
		pause();
	return true;
}

/* Changes what was told: `told` of `size` bytes, and the size that is needed. */
static void spoil(void *told, size_t size, size_t *needed)
{
	static const char text[] = "\x1b[31mred\x07\n::error::\"<b>'\xff\xfe, | ` $(x) \r\\";
	if (needed && is("size"))
		*needed = (size_t)fault.number;
	if (!told || !size)
		return;
	if (is("zero") || is("empty"))
		memset(told, 0, size);
	if (is("ones"))
		memset(told, 0xff, size < 8 ? size : 8);
	if (is("number"))
		memcpy(told, &fault.number, size < 8 ? size : 8);
	if (is("later") && size >= 8)
		*(cl_ulong *)told += (cl_ulong)fault.number;
	if (is("text"))
		snprintf(told, size, "%s", text);
	if (is("endless"))
		memset(told, 'A', size);
}

#define STATUS(name, parameters, arguments)                                                                  \
	static cl_int CL_API_CALL name##_shim parameters                                                     \
	{                                                                                                    \
		if (!goes_wrong(OF_##name, -1))                                                              \
			return real.name arguments;                                                          \
		return is("error") ? (cl_int)fault.number : CL_SUCCESS;                                      \
	}
#define INFO(name, object, property)                                                                         \
	static cl_int CL_API_CALL name##_shim(object of, property what, size_t size, void *told,             \
					      size_t *needed)                                                \
	{                                                                                                    \
		bool wrong = goes_wrong(OF_##name, (long)what);                                              \
		if (wrong && (is("error") || is("done")))                                                    \
			return is("error") ? (cl_int)fault.number : CL_SUCCESS;                              \
		cl_int status = real.name(of, what, size, told, needed);                                     \
		if (wrong)                                                                                   \
			spoil(told, size, needed);                                                           \
		return status;                                                                               \
	}
#define INFO_ON_DEVICE(name, object, property)                                                               \
	static cl_int CL_API_CALL name##_shim(object of, cl_device_id device, property what, size_t size,    \
					      void *told, size_t *needed)                                    \
	{                                                                                                    \
		bool wrong = goes_wrong(OF_##name, (long)what);                                              \
		if (wrong && (is("error") || is("done")))                                                    \
			return is("error") ? (cl_int)fault.number : CL_SUCCESS;                              \
		cl_int state = real.name(of, device, what, size, told, needed);                              \
		if (wrong)                                                                                   \
			spoil(told, size, needed);                                                           \
		return state;                                                                                \
	}
#define OBJECT(name, type, parameters, arguments)                                                            \
	static type CL_API_CALL name##_shim parameters                                                       \
	{                                                                                                    \
		if (!goes_wrong(OF_##name, -1))                                                              \
			return real.name arguments;                                                          \
		if (status && !is("silent"))                                                                 \
			*status = is("error") ? (cl_int)fault.number : CL_SUCCESS;                           \
		return NULL;                                                                                 \
	}
#define ENQUEUE(name, parameters, arguments)                                                                 \
	static cl_int CL_API_CALL name##_shim parameters                                                     \
	{                                                                                                    \
		if (!goes_wrong(OF_##name, -1))                                                              \
			return real.name arguments;                                                          \
		if (is("noevent")) {                                                                         \
			event = NULL;                                                                        \
			return real.name arguments;                                                          \
		}                                                                                            \
		return is("error") ? (cl_int)fault.number : CL_SUCCESS;                                      \
	}
OF_INFO(INFO)
OF_INFO_ON_DEVICE(INFO_ON_DEVICE)
OF_OBJECT(OBJECT)
OF_ENQUEUE(ENQUEUE)
OF_STATUS(STATUS)

/* With the number of devices that it says. */
static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
				     cl_device_id *ids, cl_uint *count)
{
	if (!is("count"))
		return clGetDeviceIDs_shim(platform, type, room, ids, count);
	cl_int status = real.clGetDeviceIDs(platform, type, room, ids, count);
	if (goes_wrong(OF_clGetDeviceIDs, -1) && count)
		*count = (cl_uint)fault.number;
	return status;
}

/* Puts our functions into the table of a platform, and so of all objects that come from it. */
static void take_over(cl_platform_id platform)
{
	cl_icd_dispatch *table = *(cl_icd_dispatch **)(void *)platform;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)table & ~(page - 1);
	if (table->clFinish == clFinish_shim)
		return;
	mprotect((void *)start, (uintptr_t)(table + 1) - start, PROT_READ | PROT_WRITE);
	real = *table;
#define REPLACE(name, ...) table->name = name##_shim;
	OF_STATUS(REPLACE)
	OF_INFO(REPLACE)
	OF_INFO_ON_DEVICE(REPLACE)
	OF_OBJECT(REPLACE)
	OF_ENQUEUE(REPLACE)
	table->clGetDeviceIDs = device_ids;
}

static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void)
{
	const char *driver = getenv("SHIM_DRIVER");
	void *library = driver ? dlopen(driver, RTLD_NOW | RTLD_LOCAL) : NULL;
	read_fault();
	if (!library) {
		fprintf(stderr, "opencl_shim: no driver SHIM_DRIVER=%s: %s\n", driver ? driver : "",
			driver ? dlerror() : "not set");
		return;
	}
	*(void **)&real_address = dlsym(library, "clGetExtensionFunctionAddress");
	if (real_address)
		*(void **)&real_platforms = real_address("clIcdGetPlatformIDsKHR");
}

static cl_int CL_API_CALL platform_ids(cl_uint room, cl_platform_id *ids, cl_uint *count)
{
	static cl_platform_id platforms[16];
	cl_uint there = 0;
	bool wrong = goes_wrong(OF_clIcdGetPlatformIDsKHR, -1);
	if (wrong && (is("error") || is("done")))
		return is("error") ? (cl_int)fault.number : CL_SUCCESS;
	cl_int status = real_platforms ? real_platforms(16, platforms, &there) : CL_DEVICE_NOT_FOUND;
	for (cl_uint i = 0; status == CL_SUCCESS && i < there && i < 16; i++)
		take_over(platforms[i]);
	if (status == CL_SUCCESS)
		status = real_platforms(room, ids, count);
	if (wrong && is("count") && count)
		*count = (cl_uint)fault.number;
	return status;
}

/* What the loader asks for. */
__attribute__((visibility("default"))) void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	cl_int (*platforms)(cl_uint, cl_platform_id *, cl_uint *) = platform_ids;
	cl_int (*info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *) = clGetPlatformInfo_shim;
	void *address = NULL;
	pthread_once(&loaded, load);
	if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
		memcpy(&address, &platforms, sizeof(address));
	else if (strcmp(name, "clGetPlatformInfo") == 0)
		memcpy(&address, &info, sizeof(address));
	else if (real_address)
		address = real_address(name);
	return address;
}

__attribute__((destructor)) static void write_counts(void)
{
	char path[4096];
	const char *folder = getenv("SHIM_COUNTS");
	if (!folder || snprintf(path, sizeof(path), "%s/%d", folder, (int)getpid()) >= (int)sizeof(path))
		return;
	FILE *file = fopen(path, "we");
	for (size_t i = 0; file && i < FUNCTIONS; i++)
		fprintf(file, "%s %lu\n", names[i], atomic_load(&calls[i]));
	if (file)
		fclose(file);
}
