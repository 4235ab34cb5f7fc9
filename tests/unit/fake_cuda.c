/* SPDX-License-Identifier: MIT */
/*
 * Libraries with the names of NVIDIA's driver and of cuBLAS, and one GPU whose memory is the host's. What is
 * enqueued is done at once, except functions of the host, which run when the stream is waited for.
 *
 * FAKE_CUDA_FAIL=CALL:N: that call fails, once, after N that do not. FAKE_CUDA_VERSION is the driver's.
 * FAKE_CUDA_PRODUCTS=FILE: each wait for the stream adds a line, the number of products since the one before.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contrib/cuda/library.h"
#include "kit/half.h"

/* clang-format off */
#define DECLARE(type, name, arguments) type name arguments;
/* clang-format on */
CUDA_FUNCTIONS(DECLARE)
CUBLAS_FUNCTIONS(DECLARE)
CUDA_KERNEL_FUNCTIONS(DECLARE)
NVRTC_FUNCTIONS(DECLARE)
int fake_cuda_live(void);
int fake_cuda_failed(void);

struct cuda_event {
	struct timespec at;
};

enum { DEVICE = 7, LAUNCH_FAILED = 719, INTERNAL_ERROR = 14 };

static int live, failed, seen, waiting, products;
static void (*waiting_function)(void *context);
static void *waiting_context;
static char memory_of_handles[3];

/* Objects that were made and not freed. */
int fake_cuda_live(void)
{
	return live;
}

/* Has the call failed? The next one begins to count again. */
int fake_cuda_failed(void)
{
	int result = failed;
	failed = seen = 0;
	return result;
}

static int fails(const char *call)
{
	const char *wanted = getenv("FAKE_CUDA_FAIL");
	size_t length = strlen(call);
	if (!wanted || failed || strncmp(wanted, call, length) != 0 || wanted[length] != ':' ||
	    seen++ < atoi(wanted + length + 1))
		return 0;
	failed = 1;
	return strcmp(call, "cuInit") == 0            ? CUDA_NO_DEVICE
	       : strcmp(call, "cuMemAlloc_v2") == 0   ? CUDA_OUT_OF_MEMORY
	       : strcmp(call, "cublasCreate_v2") == 0 ? CUBLAS_NOT_INITIALIZED
	       : strncmp(call, "cublas", 6) == 0      ? INTERNAL_ERROR
						      : LAUNCH_FAILED;
}

#define FAIL()                                                                                               \
	do {                                                                                                 \
		int status = fails(__func__);                                                                \
		if (status)                                                                                  \
			return status;                                                                       \
	} while (0)

int cuInit(unsigned flags)
{
	FAIL();
	return flags == 0 ? 0 : CUDA_INVALID_VALUE;
}

int cuGetErrorName(int status, const char **text)
{
	*text = status == CUDA_NO_DEVICE       ? "CUDA_ERROR_NO_DEVICE"
		: status == CUDA_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
		: status == LAUNCH_FAILED      ? "CUDA_ERROR_LAUNCH_FAILED"
					       : NULL;
	return *text ? 0 : CUDA_INVALID_VALUE;
}

int cuGetErrorString(int status, const char **text)
{
	*text = status == CUDA_NO_DEVICE ? "no CUDA-capable device is detected" : "the fake's own text";
	return 0;
}

int cuDriverGetVersion(int *version)
{
	const char *set = getenv("FAKE_CUDA_VERSION");
	FAIL();
	*version = set ? atoi(set) : 13000;
	return 0;
}

int cuDeviceGetCount(int *count)
{
	FAIL();
	*count = getenv("FAKE_CUDA_EMPTY") ? 0 : 1;
	return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
	FAIL();
	*device = DEVICE;
	return ordinal == 0 ? 0 : CUDA_INVALID_VALUE;
}

int cuDeviceGetName(char *name, int size, int device)
{
	FAIL();
	snprintf(name, (size_t)size, "NVIDIA Fake 80GB");
	return device == DEVICE ? 0 : CUDA_INVALID_VALUE;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	FAIL();
	*value = attribute == CUDA_PCI_BUS            ? 0x3b
		 : attribute == CUDA_CAPABILITY_MAJOR ? 9
		 : attribute == CUDA_CLOCK_KHZ        ? 1980000
		 : attribute == CUDA_MULTIPROCESSORS  ? 132
						      : 0;
	return device == DEVICE ? 0 : CUDA_INVALID_VALUE;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	FAIL();
	*bytes = (size_t)1 << 30;
	return device == DEVICE ? 0 : CUDA_INVALID_VALUE;
}

int cuDevicePrimaryCtxRetain(cuda_context *context, int device)
{
	FAIL();
	*context = (void *)&memory_of_handles[0];
	live++;
	return device == DEVICE ? 0 : CUDA_INVALID_VALUE;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	live--;
	FAIL();
	return device == DEVICE ? 0 : CUDA_INVALID_VALUE;
}

int cuCtxSetCurrent(cuda_context context)
{
	FAIL();
	return (void *)context == &memory_of_handles[0] ? 0 : CUDA_INVALID_VALUE;
}

int cuMemAlloc_v2(cuda_address *address, size_t bytes)
{
	void *data = NULL;
	FAIL();
	if (posix_memalign(&data, 256, bytes) != 0)
		return CUDA_OUT_OF_MEMORY;
	*address = (cuda_address)(uintptr_t)data;
	live++;
	return 0;
}

int cuMemFree_v2(cuda_address address)
{
	live--;
	free((void *)(uintptr_t)address);
	FAIL();
	return 0;
}

static void *registered;

int cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
	FAIL();
	registered = host;
	live++;
	return bytes && flags == 0 ? 0 : CUDA_INVALID_VALUE;
}

int cuMemHostUnregister(void *host)
{
	if (host != registered)
		return CUDA_INVALID_VALUE;
	live--;
	registered = NULL;
	FAIL();
	return 0;
}

static int is_stream(cuda_stream stream)
{
	return (void *)stream == &memory_of_handles[1];
}

int cuMemcpyHtoDAsync_v2(cuda_address to, const void *from, size_t bytes, cuda_stream stream)
{
	FAIL();
	memcpy((void *)(uintptr_t)to, from, bytes);
	return is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}

int cuMemcpyDtoHAsync_v2(void *to, cuda_address from, size_t bytes, cuda_stream stream)
{
	FAIL();
	memcpy(to, (const void *)(uintptr_t)from, bytes);
	return is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}

int cuStreamCreate(cuda_stream *stream, unsigned flags)
{
	FAIL();
	*stream = (void *)&memory_of_handles[1];
	live++;
	return flags == CUDA_STREAM_NON_BLOCKING ? 0 : CUDA_INVALID_VALUE;
}

int cuStreamDestroy_v2(cuda_stream stream)
{
	live--;
	FAIL();
	return is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}

static void write_products(void)
{
	const char *path = getenv("FAKE_CUDA_PRODUCTS");
	FILE *file = path ? fopen(path, "a") : NULL;
	if (file) {
		fprintf(file, "%d\n", products);
		fclose(file);
	}
	products = 0;
}

int cuStreamSynchronize(cuda_stream stream)
{
	write_products();
	for (; waiting; waiting--)
		waiting_function(waiting_context);
	FAIL();
	return is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}

#ifndef OLD_CUDA
int cuLaunchHostFunc(cuda_stream stream, void (*function)(void *context), void *context)
{
	FAIL();
	waiting_function = function;
	waiting_context = context;
	waiting++;
	return is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}
#endif

/* What cublasGemm... is called with; capturing, it is kept and not done. */
struct call {
	int op_a, op_b, m, n, k, type_a, lda, type_b, ldb, type_c, ldc, batch, compute;
	long long stride_a, stride_b, stride_c;
	double alpha, beta;
	const void *a, *b;
	void *c;
};
struct cuda_recording {
	struct call calls[64];
	size_t count;
};
static struct cuda_recording *capturing;

int cuStreamBeginCapture_v2(cuda_stream stream, int mode)
{
	FAIL();
	capturing = calloc(1, sizeof(*capturing));
	live++;
	return is_stream(stream) && mode == CUDA_CAPTURE_RELAXED ? 0 : CUDA_INVALID_VALUE;
}

int cuStreamEndCapture(cuda_stream stream, cuda_recording *graph)
{
	int status = fails(__func__);
	if (status) {
		live--;
		free(capturing);
	} else {
		*graph = capturing;
	}
	capturing = NULL;
	return status ? status : is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}

int cuGraphInstantiateWithFlags(cuda_graph_exec *exec, cuda_recording graph, unsigned long long flags)
{
	FAIL();
	*exec = malloc(sizeof(*graph));
	memcpy(*exec, graph, sizeof(*graph));
	live++;
	return flags == 0 ? 0 : CUDA_INVALID_VALUE;
}

int cuGraphDestroy(cuda_recording graph)
{
	live--;
	free(graph);
	FAIL();
	return 0;
}

int cuGraphExecDestroy(cuda_graph_exec exec)
{
	live--;
	free(exec);
	FAIL();
	return 0;
}

int cuEventCreate(cuda_event *event, unsigned flags)
{
	FAIL();
	*event = calloc(1, sizeof(**event));
	live++;
	return flags == 0 ? 0 : CUDA_INVALID_VALUE;
}

int cuEventDestroy_v2(cuda_event event)
{
	live--;
	free(event);
	FAIL();
	return 0;
}

int cuEventRecord(cuda_event event, cuda_stream stream)
{
	FAIL();
	clock_gettime(CLOCK_MONOTONIC, &event->at);
	return is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}

int cuEventElapsedTime(float *milliseconds, cuda_event from, cuda_event to)
{
	FAIL();
	*milliseconds = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 +
				(double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
	return 0;
}

const char *cublasGetStatusName(int status)
{
	return status == CUBLAS_NOT_INITIALIZED ? "CUBLAS_STATUS_NOT_INITIALIZED"
						: "CUBLAS_STATUS_INTERNAL_ERROR";
}

const char *cublasGetStatusString(int status)
{
	return status ? "the fake's own text" : "success";
}

int cublasGetProperty(int property, int *value)
{
	FAIL();
	*value = property == 0 ? 13 : property;
	return 0;
}

int cublasCreate_v2(cublas *handle)
{
	FAIL();
	*handle = (void *)&memory_of_handles[2];
	live++;
	return 0;
}

static int is_blas(cublas handle)
{
	return (void *)handle == &memory_of_handles[2];
}

int cublasDestroy_v2(cublas handle)
{
	live--;
	FAIL();
	return is_blas(handle) ? 0 : INTERNAL_ERROR;
}

int cublasSetStream_v2(cublas handle, cuda_stream stream)
{
	FAIL();
	return is_blas(handle) && is_stream(stream) ? 0 : INTERNAL_ERROR;
}

int cublasSetWorkspace_v2(cublas handle, void *workspace, size_t bytes)
{
	FAIL();
	return is_blas(handle) && workspace && bytes ? 0 : INTERNAL_ERROR;
}

int cublasSetMathMode(cublas handle, int mode)
{
	FAIL();
	return is_blas(handle) && mode == CUBLAS_NO_REDUCED_PRECISION_REDUCTION ? 0 : INTERNAL_ERROR;
}

/* Programs and modules are their source. The one kernel of all is saxpy(unsigned, float, const float *, float
 * *). */
static const size_t sizes[] = {sizeof(unsigned), sizeof(float), sizeof(void *), sizeof(void *)};
static const char broken[] = "(3): error: identifier \"x\" is undefined\n1 error detected.\n";
static char program_name[200];

const char *nvrtcGetErrorString(int status)
{
	return status ? "NVRTC_ERROR_COMPILATION" : "NVRTC_SUCCESS";
}

int nvrtcCreateProgram(nvrtc_program *program, const char *source, const char *name, int headers,
		       const char *const *texts, const char *const *names)
{
	FAIL();
	*program = (void *)strdup(source);
	live++;
	snprintf(program_name, sizeof(program_name), "%s", name);
	return headers == 0 && !texts && !names ? 0 : INTERNAL_ERROR;
}

int nvrtcCompileProgram(nvrtc_program program, int count, const char *const *options)
{
	FAIL();
	return count < 1 || strcmp(options[0], "--gpu-architecture=sm_90") != 0 ||
			       strstr((char *)program, "#error")
		       ? INTERNAL_ERROR
		       : 0;
}

int nvrtcGetProgramLogSize(nvrtc_program program, size_t *bytes)
{
	FAIL();
	*bytes = program ? strlen(program_name) + sizeof(broken) : 0;
	return 0;
}

int nvrtcGetProgramLog(nvrtc_program program, char *log)
{
	FAIL();
	sprintf(log, "%s%s", program_name, broken);
	return program ? 0 : INTERNAL_ERROR;
}

int nvrtcGetCUBINSize(nvrtc_program program, size_t *bytes)
{
	FAIL();
	*bytes = strlen((char *)program) + 1;
	return 0;
}

int nvrtcGetCUBIN(nvrtc_program program, char *image)
{
	FAIL();
	memcpy(image, program, strlen((char *)program) + 1);
	return 0;
}

int nvrtcDestroyProgram(nvrtc_program *program)
{
	live--;
	free(*program);
	FAIL();
	return 0;
}

int cuModuleLoadData(cuda_module *module, const void *image)
{
	FAIL();
	*module = (void *)strdup(image);
	live++;
	return 0;
}

int cuModuleUnload(cuda_module module)
{
	live--;
	free(module);
	FAIL();
	return 0;
}

int cuModuleGetFunction(cuda_function *function, cuda_module module, const char *name)
{
	char text[64];
	FAIL();
	snprintf(text, sizeof(text), "__global__ void %s(", name);
	*function = (void *)module;
	return strstr((char *)module, text) ? 0 : CUDA_NOT_FOUND;
}

int cuFuncGetParamInfo(cuda_function function, size_t index, size_t *offset, size_t *bytes)
{
	FAIL();
	if (!function || index >= sizeof(sizes) / sizeof(*sizes))
		return CUDA_INVALID_VALUE;
	*offset = 8 * index;
	*bytes = sizes[index];
	return 0;
}

int cuLaunchKernel(cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
		   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
		   cuda_stream stream, void **parameters, void **extra)
{
	unsigned n, all = grid_x * block_x;
	float a, *y;
	const float *x;
	FAIL();
	memcpy(&n, parameters[0], sizeof(n));
	memcpy(&a, parameters[1], sizeof(a));
	memcpy(&x, parameters[2], sizeof(x));
	memcpy(&y, parameters[3], sizeof(y));
	for (unsigned i = 0; i < all && i < n; i++)
		y[i] = a * x[i] + y[i];
	return function && grid_y * grid_z * block_y * block_z == 1 && shared_bytes == 0 &&
			       is_stream(stream) && !extra
		       ? 0
		       : CUDA_INVALID_VALUE;
}

int cuMemsetD8Async(cuda_address to, unsigned char value, size_t count, cuda_stream stream)
{
	FAIL();
	memset((void *)(uintptr_t)to, value, count);
	return is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}

int cuMemsetD16Async(cuda_address to, unsigned short value, size_t count, cuda_stream stream)
{
	FAIL();
	for (size_t i = 0; i < count; i++)
		((unsigned short *)(uintptr_t)to)[i] = value;
	return is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}

int cuMemsetD2D32Async(cuda_address to, size_t pitch, unsigned value, size_t width, size_t height,
		       cuda_stream stream)
{
	FAIL();
	for (size_t i = 0; i < height; i++)
		*(unsigned *)(uintptr_t)(to + i * pitch) = value;
	return width == 1 && is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}

static double get(int type, const void *data, long long i)
{
	if (type == CUBLAS_F16)
		return (double)bench_half_to_float(((const uint16_t *)data)[i]);
	if (type == CUBLAS_BF16)
		return (double)bench_bfloat_to_float(((const uint16_t *)data)[i]);
	return type == CUBLAS_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void set(int type, void *data, long long i, double value)
{
	if (type == CUBLAS_F16)
		((uint16_t *)data)[i] = bench_half_from_double(value);
	else if (type == CUBLAS_BF16)
		((uint16_t *)data)[i] = bench_bfloat_from_double(value);
	else if (type == CUBLAS_F64)
		((double *)data)[i] = value;
	else
		((float *)data)[i] = (float)value;
}

/* By columns, as the library stores matrices. */
static void multiply(const struct call *call, int product)
{
	long long from_a = product * call->stride_a, from_b = product * call->stride_b,
		  from_c = product * call->stride_c, lda = call->lda, ldb = call->ldb;
	for (long long j = 0; j < call->n; j++)
		for (long long i = 0; i < call->m; i++) {
			double sum = 0;
			for (long long s = 0; s < call->k; s++)
				sum += get(call->type_a, call->a,
					   from_a + (call->op_a == CUBLAS_N ? s * lda + i : i * lda + s)) *
				       get(call->type_b, call->b,
					   from_b + (call->op_b == CUBLAS_N ? j * ldb + s : s * ldb + j));
			long long at = from_c + j * call->ldc + i;
			set(call->type_c, call->c, at,
			    call->alpha * sum +
				    (call->beta == 0 ? 0 : call->beta * get(call->type_c, call->c, at)));
		}
}

static int multiply_all(const struct call *call)
{
	int f64 = call->compute == CUBLAS_IN_F64;
	if ((call->type_a == CUBLAS_F64) != f64 || call->type_a != call->type_b ||
	    call->type_a != call->type_c || (call->compute == CUBLAS_IN_TF32 && call->type_a != CUBLAS_F32) ||
	    call->lda < (call->op_a == CUBLAS_N ? call->m : call->k) ||
	    call->ldb < (call->op_b == CUBLAS_N ? call->k : call->n) || call->ldc < call->m)
		return INTERNAL_ERROR;
	if (capturing)
		capturing->calls[capturing->count++] = *call;
	else
		for (int i = 0; i < call->batch; i++, products++)
			multiply(call, i);
	return 0;
}

int cuGraphLaunch(cuda_graph_exec exec, cuda_stream stream)
{
	const struct cuda_recording *recording = (const void *)exec;
	FAIL();
	for (size_t i = 0; i < recording->count; i++)
		multiply_all(&recording->calls[i]);
	return is_stream(stream) ? 0 : CUDA_INVALID_VALUE;
}

static int run(cublas handle, int algorithm, const void *alpha, const void *beta, struct call *call)
{
	int type = call->compute == CUBLAS_IN_F64 ? CUBLAS_F64 : CUBLAS_F32;
	if (!is_blas(handle) || algorithm != CUBLAS_DEFAULT_ALGORITHM)
		return INTERNAL_ERROR;
	call->alpha = get(type, alpha, 0);
	call->beta = get(type, beta, 0);
	return multiply_all(call);
}

int cublasGemmEx(cublas handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
		 int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c,
		 int type_c, int ldc, int compute, int algorithm)
{
	FAIL();
	return run(handle, algorithm, alpha, beta,
		   &(struct call){op_a, op_b, m, n, k, type_a, lda, type_b, ldb, type_c, ldc, 1, compute,
				  .a = a, .b = b, .c = c});
}

int cublasGemmStridedBatchedEx(cublas handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
			       const void *a, int type_a, int lda, long long stride_a, const void *b,
			       int type_b, int ldb, long long stride_b, const void *beta, void *c, int type_c,
			       int ldc, long long stride_c, int batch, int compute, int algorithm)
{
	FAIL();
	return run(handle, algorithm, alpha, beta,
		   &(struct call){op_a, op_b, m, n, k, type_a, lda, type_b, ldb, type_c, ldc, batch, compute,
				  stride_a, stride_b, stride_c, .a = a, .b = b, .c = c});
}
