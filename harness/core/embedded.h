/* SPDX-License-Identifier: MIT */
/* Texts that the build embeds in the program: bench_embed_folder of cmake/BenchEmbed.cmake. */
#ifndef CORE_EMBEDDED_H
#define CORE_EMBEDDED_H

/* A file of a subfolder: "gemm/gemm_cpu.cl". The last entry of a table has the name NULL. */
struct bench_embedded {
	const char *name, *text;
};

extern const struct bench_embedded bench_kernels[]; /* backends/opencl, all .cl */

/* harness/cli/starts/: what `bench new` writes. */
extern const char bench_start_kernel_cl[], bench_start_function_c[], bench_start_suite_c[],
	bench_start_backend_c[];

/* harness/report/html/assets/: what the pages of a report share. */
extern const char bench_html_css[], bench_html_js[];

#endif
