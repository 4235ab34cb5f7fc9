/* SPDX-License-Identifier: MIT */
/*
 * The CUDA driver and cuBLAS, loaded when they are first used: nothing of NVIDIA is needed to build this.
 *
 * The declarations are written from the "CUDA Driver API" and "cuBLAS" references of CUDA 13, for the symbols
 * that the libraries export since CUDA 11.5. All functions return 0 for success.
 */
#ifndef CUDA_LIBRARY_H
#define CUDA_LIBRARY_H

#include <stddef.h>

#include "bench/error.h"

/* A folder that has the libraries; it comes before the loader's path and /usr/local/cuda/lib64. */
#define CUDA_PATH "BENCH_CUDA_PATH"

typedef unsigned long long cuda_address;
typedef struct cuda_context *cuda_context;
typedef struct cuda_stream *cuda_stream;
typedef struct cuda_event *cuda_event;
typedef struct cuda_recording *cuda_recording;
typedef struct cuda_graph_exec *cuda_graph_exec;
typedef struct cuda_module *cuda_module;
typedef struct cuda_function *cuda_function;
typedef struct cublas *cublas;
typedef struct nvrtc_program *nvrtc_program;

enum cuda_status {
	CUDA_INVALID_VALUE = 1,
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_NO_DEVICE = 100,
	CUDA_NOT_FOUND = 500,
	CUDA_OLD_DRIVER = 803, /* CUDA_ERROR_SYSTEM_DRIVER_MISMATCH */
};

enum cuda_attribute {
	CUDA_CLOCK_KHZ = 13,
	CUDA_MULTIPROCESSORS = 16,
	CUDA_PCI_BUS = 33,
	CUDA_PCI_DEVICE = 34,
	CUDA_PCI_DOMAIN = 50,
	CUDA_CAPABILITY_MAJOR = 75,
	CUDA_CAPABILITY_MINOR = 76,
};

enum { CUDA_STREAM_NON_BLOCKING = 1, CUDA_CAPTURE_RELAXED = 2 };

enum cublas_status { CUBLAS_NOT_INITIALIZED = 1, CUBLAS_ALLOC_FAILED = 3 };
enum cublas_operation { CUBLAS_N, CUBLAS_T };
enum cublas_type { CUBLAS_F32 = 0, CUBLAS_F64 = 1, CUBLAS_F16 = 2, CUBLAS_BF16 = 14 };
enum cublas_compute { CUBLAS_IN_F32 = 68, CUBLAS_IN_F64 = 70, CUBLAS_IN_TF32 = 77 };
enum { CUBLAS_DEFAULT_ALGORITHM = -1, CUBLAS_NO_REDUCED_PRECISION_REDUCTION = 16 };

/* clang-format off */
#define CUDA_FUNCTIONS(DO) \
	DO(int, cuInit, (unsigned flags)) \
	DO(int, cuGetErrorName, (int status, const char **text)) \
	DO(int, cuGetErrorString, (int status, const char **text)) \
	DO(int, cuDriverGetVersion, (int *version)) \
	DO(int, cuDeviceGetCount, (int *count)) \
	DO(int, cuDeviceGet, (int *device, int ordinal)) \
	DO(int, cuDeviceGetName, (char *name, int size, int device)) \
	DO(int, cuDeviceGetAttribute, (int *value, int attribute, int device)) \
	DO(int, cuDeviceTotalMem_v2, (size_t *bytes, int device)) \
	DO(int, cuDevicePrimaryCtxRetain, (cuda_context *context, int device)) \
	DO(int, cuDevicePrimaryCtxRelease_v2, (int device)) \
	DO(int, cuCtxSetCurrent, (cuda_context context)) \
	DO(int, cuMemAlloc_v2, (cuda_address *address, size_t bytes)) \
	DO(int, cuMemFree_v2, (cuda_address address)) \
	DO(int, cuMemHostRegister_v2, (void *host, size_t bytes, unsigned flags)) \
	DO(int, cuMemHostUnregister, (void *host)) \
	DO(int, cuMemcpyHtoDAsync_v2, (cuda_address to, const void *from, size_t bytes, cuda_stream stream)) \
	DO(int, cuMemcpyDtoHAsync_v2, (void *to, cuda_address from, size_t bytes, cuda_stream stream)) \
	DO(int, cuStreamCreate, (cuda_stream *stream, unsigned flags)) \
	DO(int, cuStreamDestroy_v2, (cuda_stream stream)) \
	DO(int, cuStreamSynchronize, (cuda_stream stream)) \
	DO(int, cuLaunchHostFunc, (cuda_stream stream, void (*function)(void *context), void *context)) \
	DO(int, cuStreamBeginCapture_v2, (cuda_stream stream, int mode)) \
	DO(int, cuStreamEndCapture, (cuda_stream stream, cuda_recording *graph)) \
	DO(int, cuGraphInstantiateWithFlags, (cuda_graph_exec *exec, cuda_recording graph, unsigned long long flags)) \
	DO(int, cuGraphLaunch, (cuda_graph_exec exec, cuda_stream stream)) \
	DO(int, cuGraphDestroy, (cuda_recording graph)) \
	DO(int, cuGraphExecDestroy, (cuda_graph_exec exec)) \
	DO(int, cuEventCreate, (cuda_event *event, unsigned flags)) \
	DO(int, cuEventDestroy_v2, (cuda_event event)) \
	DO(int, cuEventRecord, (cuda_event event, cuda_stream stream)) \
	DO(int, cuEventElapsedTime, (float *milliseconds, cuda_event from, cuda_event to))

#define CUBLAS_FUNCTIONS(DO) \
	DO(const char *, cublasGetStatusName, (int status)) \
	DO(const char *, cublasGetStatusString, (int status)) \
	DO(int, cublasGetProperty, (int property, int *value)) \
	DO(int, cublasCreate_v2, (cublas *handle)) \
	DO(int, cublasDestroy_v2, (cublas handle)) \
	DO(int, cublasSetStream_v2, (cublas handle, cuda_stream stream)) \
	DO(int, cublasSetWorkspace_v2, (cublas handle, void *workspace, size_t bytes)) \
	DO(int, cublasSetMathMode, (cublas handle, int mode)) \
	DO(int, cublasGemmEx, (cublas handle, int op_a, int op_b, int m, int n, int k, const void *alpha, \
		const void *a, int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c, \
		int type_c, int ldc, int compute, int algorithm)) \
	DO(int, cublasGemmStridedBatchedEx, (cublas handle, int op_a, int op_b, int m, int n, int k, \
		const void *alpha, const void *a, int type_a, int lda, long long stride_a, const void *b, int type_b, \
		int ldb, long long stride_b, const void *beta, void *c, int type_c, int ldc, long long stride_c, \
		int batch, int compute, int algorithm))

#define CUDA_KERNEL_FUNCTIONS(DO) \
	DO(int, cuModuleLoadData, (cuda_module *module, const void *image)) \
	DO(int, cuModuleUnload, (cuda_module module)) \
	DO(int, cuModuleGetFunction, (cuda_function *function, cuda_module module, const char *name)) \
	DO(int, cuFuncGetParamInfo, (cuda_function function, size_t index, size_t *offset, size_t *bytes)) \
	DO(int, cuLaunchKernel, (cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
		unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, cuda_stream stream, \
		void **parameters, void **extra)) \
	DO(int, cuMemsetD8Async, (cuda_address to, unsigned char value, size_t count, cuda_stream stream)) \
	DO(int, cuMemsetD16Async, (cuda_address to, unsigned short value, size_t count, cuda_stream stream)) \
	DO(int, cuMemsetD2D32Async, (cuda_address to, size_t pitch, unsigned value, size_t width, size_t height, \
		cuda_stream stream))

#define NVRTC_FUNCTIONS(DO) \
	DO(const char *, nvrtcGetErrorString, (int status)) \
	DO(int, nvrtcCreateProgram, (nvrtc_program *program, const char *source, const char *name, int headers, \
		const char *const *texts, const char *const *names)) \
	DO(int, nvrtcCompileProgram, (nvrtc_program program, int count, const char *const *options)) \
	DO(int, nvrtcGetProgramLogSize, (nvrtc_program program, size_t *bytes)) \
	DO(int, nvrtcGetProgramLog, (nvrtc_program program, char *log)) \
	DO(int, nvrtcGetCUBINSize, (nvrtc_program program, size_t *bytes)) \
	DO(int, nvrtcGetCUBIN, (nvrtc_program program, char *image)) \
	DO(int, nvrtcDestroyProgram, (nvrtc_program *program))

#define CUDA_POINTER(type, name, arguments) type (*name) arguments;
/* clang-format on */

/* Filled by cuda_load, and by cuda_load_compiler. */
extern struct cuda {
	CUDA_FUNCTIONS(CUDA_POINTER)
	CUBLAS_FUNCTIONS(CUDA_POINTER)
	CUDA_KERNEL_FUNCTIONS(CUDA_POINTER)
	NVRTC_FUNCTIONS(CUDA_POINTER)
	int version;       /* of CUDA, that the driver is for: 13000 */
	char versions[64]; /* "CUDA 13.0, cuBLAS 13.1.0" */
} cuda;

/*
 * Loads both libraries and starts the driver, once for all threads. BENCH_UNSUPPORTED where a library, a
 * function or a GPU is missing, or where the driver is too old; a later call tries again.
 */
int cuda_load(struct bench_error *error);

/* After cuda_load: the same for NVRTC, and what kernels need of a driver for CUDA 12.4 or newer. */
int cuda_load_compiler(struct bench_error *error);

/*
 * -1 unless `status`, of `call`, is 0. The error has the call, the library's own name and text for it,
 * `where` (a device; NULL: it came before all devices, which is BENCH_UNSUPPORTED) and the remedy.
 */
int cuda_check(int status, const char *call, const char *where, struct bench_error *error);
int cublas_check(int status, const char *call, const char *where, struct bench_error *error);
int nvrtc_check(int status, const char *call, const char *where, struct bench_error *error);

/* A call that is checked. */
#define CUDA_CALL(name, where, error, ...)   cuda_check(cuda.name(__VA_ARGS__), #name, where, error)
#define CUBLAS_CALL(name, where, error, ...) cublas_check(cuda.name(__VA_ARGS__), #name, where, error)
#define NVRTC_CALL(name, where, error, ...)  nvrtc_check(cuda.name(__VA_ARGS__), #name, where, error)

#endif
