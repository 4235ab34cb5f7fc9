/* SPDX-License-Identifier: MIT */
/*
 * The CPU's ceilings (include/bench/peak.h) in C, on all threads: the same loops as
 * peak.cl. The program is built for any CPU of its architecture; these loops are built
 * for the wide vectors as well that this one may have. CMakeLists.txt lets the compiler join
 * x * m + c into one operation here, which without it would be two.
 */
#include "backends/check.h"
#include "backends/cpu.h"
#include "backends/cpu/operations.h"

#define BLOCK 256 /* lanes of one call: what struct bench_peak's count is a multiple of */

/*
 * fma_NAME: the lanes first..first + BLOCK - 1. read_NAME: the sum of `count` elements.
 * `bytes`: of a vector; `chains`: of them, in flight; their lanes divide BLOCK.
 */
/* NOLINTBEGIN(bugprone-macro-parentheses): types and attributes take none */
#define DEFINE_LOOPS(name, attributes, real, bytes, chains)                                                  \
	typedef real vector_##name __attribute__((vector_size(bytes)));                                      \
	attributes static void fma_##name(void *out, size_t first, unsigned rounds)                          \
	{                                                                                                    \
		enum { LANES = (bytes) / sizeof(real) };                                                     \
		for (size_t at = first; at < first + BLOCK; at += (size_t)LANES * (chains)) {                \
			vector_##name x[chains];                                                             \
			for (size_t i = 0; i < (chains); i++)                                                \
				for (size_t j = 0; j < LANES; j++)                                           \
					x[i][j] = (real)((at + i * LANES + j) % BENCH_PEAK_STARTS) /         \
						  BENCH_PEAK_STARTS;                                         \
			for (unsigned round = 0; round < rounds; round++)                                    \
				for (size_t i = 0; i < (chains); i++)                                        \
					x[i] = x[i] * (real)BENCH_PEAK_FACTOR + (real)BENCH_PEAK_ADDEND;     \
			for (size_t i = 0; i < (chains); i++)                                                \
				*(vector_##name *)((real *)out + at + i * LANES) = x[i];                     \
		}                                                                                            \
	}                                                                                                    \
	attributes static double read_##name(const void *data, size_t count)                                 \
	{                                                                                                    \
		const vector_##name *a = data;                                                               \
		vector_##name sum[4] = {{0}, {0}, {0}, {0}};                                                 \
		enum { LANES = (bytes) / sizeof(real) };                                                     \
		for (size_t i = 0; i < count / LANES; i += 4)                                                \
			for (size_t j = 0; j < 4; j++)                                                       \
				sum[j] += a[i + j];                                                          \
		vector_##name all = (sum[0] + sum[1]) + (sum[2] + sum[3]);                                   \
		real total = 0;                                                                              \
		for (size_t j = 0; j < LANES; j++)                                                           \
			total += all[j];                                                                     \
		return (double)total;                                                                        \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

DEFINE_LOOPS(f32, , float, 16, 8)
DEFINE_LOOPS(f64, , double, 16, 8)
#if defined(__x86_64__)
DEFINE_LOOPS(f32_avx2, __attribute__((target("avx2,fma"))), float, 32, 8)
DEFINE_LOOPS(f64_avx2, __attribute__((target("avx2,fma"))), double, 32, 8)
DEFINE_LOOPS(f32_avx512, __attribute__((target("avx512f"))), float, 64, 16)
DEFINE_LOOPS(f64_avx512, __attribute__((target("avx512f"))), double, 64, 16)
#endif

struct loops {
	void (*fma)(void *out, size_t first, unsigned rounds);
	double (*read)(const void *data, size_t count);
};

static struct loops choose(enum bench_dtype dtype)
{
	bool wide = dtype == BENCH_F64;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		return wide ? (struct loops){fma_f64_avx512, read_f64_avx512}
			    : (struct loops){fma_f32_avx512, read_f32_avx512};
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return wide ? (struct loops){fma_f64_avx2, read_f64_avx2}
			    : (struct loops){fma_f32_avx2, read_f32_avx2};
#endif
	return wide ? (struct loops){fma_f64, read_f64} : (struct loops){fma_f32, read_f32};
}

int bench_cpu_peak(struct bench_device *device, const struct bench_peak *peak, struct bench_error *error)
{
	if (peak->what == BENCH_PEAK_TENSOR)
		return bench_fail(error, BENCH_UNSUPPORTED, "openblas: no tensor cores");
	if (bench_cpu_check_dtype("openblas", "peak", peak->dtype, error) ||
	    bench_peak_check("openblas", peak, bench_cpu_bytes, error))
		return -1;
	struct loops loops = choose(peak->dtype);
	unsigned threads = bench_cpu_threads(device, peak->count);
	if (peak->what == BENCH_PEAK_FMA) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
		for (size_t i = 0; i < peak->count; i += BLOCK)
			loops.fma(peak->out->data, i, peak->rounds);
		return 0;
	}
	size_t count = peak->count / BENCH_PEAK_PARTS;
	size_t bytes = count * bench_dtype_bytes(peak->dtype);
	size_t held = bench_peak_elements(peak) * bench_dtype_bytes(peak->dtype);
#pragma omp parallel for num_threads(threads) if (threads > 1)
	for (size_t part = 0; part < BENCH_PEAK_PARTS; part++) {
		double sum = loops.read((const char *)peak->a->data + part * bytes % held, count);
		if (peak->dtype == BENCH_F64)
			((double *)peak->out->data)[part] = sum;
		else
			((float *)peak->out->data)[part] = (float)sum;
	}
	return 0;
}
