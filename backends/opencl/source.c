#include "source.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/text.h"

#define SOURCE_LIMIT ((size_t)4 << 20)
#define DEPTH_LIMIT  4 /* of includes within includes */
#define INCLUDE      "#include \""

/* Made at build by bench_embed from kernels/. */
extern const char bench_kernel_activation_cl[];
extern const char bench_kernel_conv2d_cl[];
extern const char bench_kernel_conv2d_matrix_cl[];
extern const char bench_kernel_conv2d_gpu_cl[];
extern const char bench_kernel_conv2d_winograd_cl[];
extern const char bench_kernel_elementwise_cl[];
extern const char bench_kernel_fused_cl[];
extern const char bench_kernel_gemm_cpu_cl[];
extern const char bench_kernel_gemm_end_cl[];
extern const char bench_kernel_gemm_gpu_cl[];
extern const char bench_kernel_gemm_mma_cl[];
extern const char bench_kernel_gemm_tensor_cl[];
extern const char bench_kernel_gemm_tiles_cl[];
extern const char bench_kernel_gemm_turn_cl[];
extern const char bench_kernel_gemm_wgmma_cl[];
extern const char bench_kernel_launch_cl[];
extern const char bench_kernel_peak_cl[];
extern const char bench_kernel_random_cl[];
extern const char bench_kernel_reduction_cl[];
extern const char bench_kernel_spmv_cpu_cl[];
extern const char bench_kernel_spmv_gpu_cl[];
extern const char bench_kernel_training_cl[];

/* One a line. */
/* clang-format off */
static const struct {
	const char *file;
	const char *source;
} embedded[] = {
	{"activation.cl", bench_kernel_activation_cl},
	{"conv2d.cl", bench_kernel_conv2d_cl},
	{"conv2d_matrix.cl", bench_kernel_conv2d_matrix_cl},
	{"conv2d_gpu.cl", bench_kernel_conv2d_gpu_cl},
	{"conv2d_winograd.cl", bench_kernel_conv2d_winograd_cl},
	{"elementwise.cl", bench_kernel_elementwise_cl},
	{"fused.cl", bench_kernel_fused_cl},
	{"gemm_cpu.cl", bench_kernel_gemm_cpu_cl},
	{"gemm_end.cl", bench_kernel_gemm_end_cl},
	{"gemm_gpu.cl", bench_kernel_gemm_gpu_cl},
	{"gemm_mma.cl", bench_kernel_gemm_mma_cl},
	{"gemm_tensor.cl", bench_kernel_gemm_tensor_cl},
	{"gemm_tiles.cl", bench_kernel_gemm_tiles_cl},
	{"gemm_turn.cl", bench_kernel_gemm_turn_cl},
	{"gemm_wgmma.cl", bench_kernel_gemm_wgmma_cl},
	{"launch.cl", bench_kernel_launch_cl},
	{"peak.cl", bench_kernel_peak_cl},
	{"random.cl", bench_kernel_random_cl},
	{"reduction.cl", bench_kernel_reduction_cl},
	{"spmv_cpu.cl", bench_kernel_spmv_cpu_cl},
	{"spmv_gpu.cl", bench_kernel_spmv_gpu_cl},
	{"training.cl", bench_kernel_training_cl},
};
/* clang-format on */

/* The text of one file, malloc'd. */
static int read_file(const char *file, char **text, struct bench_error *error)
{
	const char *live = getenv("BENCH_KERNELS");
	if (live && *live) {
		char path[PATH_MAX];
		size_t length;
		if (!bench_file_join(path, sizeof(path), live, file))
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "BENCH_KERNELS: the path '%s' is too long", live);
		struct bench_error cause;
		if (bench_file_read(path, SOURCE_LIMIT, text, &length, &cause) != 0)
			return bench_fail(error, BENCH_ENVIRONMENT, "BENCH_KERNELS=%s: %s", live, cause.text);
		return 0;
	}
	for (size_t i = 0; i < sizeof(embedded) / sizeof(*embedded); i++) {
		if (strcmp(embedded[i].file, file) != 0)
			continue;
		*text = strdup(embedded[i].source);
		return *text ? 0 : bench_fail(error, BENCH_NO_MEMORY, "no host memory for %s", file);
	}
	return bench_fail(error, BENCH_FAILED, "no kernel file '%s' was embedded", file);
}

static int add_file(struct bench_text *to, const char *file, unsigned depth, struct bench_error *error)
{
	char *text;
	int result = 0;
	if (depth > DEPTH_LIMIT)
		return bench_fail(
			error, BENCH_FAILED,
			"kernel file %s is included within more than %d others: does it include itself?",
			file, DEPTH_LIMIT);
	if (read_file(file, &text, error) != 0)
		return -1;
	bench_text_add(to, "#line 1 \"%s\"\n", file);
	size_t number = 1;
	for (char *line = text, *end; result == 0 && *line; line = end, number++) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (strncmp(line, INCLUDE, strlen(INCLUDE)) != 0) {
			bench_text_add_bytes(to, line, (size_t)(end - line));
			continue;
		}
		char name[64] = "";
		sscanf(line + strlen(INCLUDE), "%63[^\"\n]", name);
		result = add_file(to, name, depth + 1, error);
		bench_text_add(to, "#line %zu \"%s\"\n", number + 1, file);
	}
	free(text);
	return result;
}

int bench_opencl_source(const char *file, char **source, struct bench_error *error)
{
	struct bench_text text = {0};
	int result = add_file(&text, file, 0, error);
	if (result == 0 && !(*source = strdup(text.data)))
		result = bench_fail(error, BENCH_NO_MEMORY, "no host memory for %s", file);
	bench_text_free(&text);
	return result;
}
