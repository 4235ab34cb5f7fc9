/* SPDX-License-Identifier: MIT */
/*
 * What every way to compute a product costs on this GPU, and what was chosen: the regret of the model in
 * backends/opencl/gemm/choice.c. Products are random, m, n and k log-uniform from LEAST to 8192.
 *
 *     measure_gemm PRODUCTS SEED TYPE LOCK LEAST > FILE.csv
 *
 * A line for each way: device time of a product, in ns, as a row of launches takes it, and the time of a
 * call as the host sees it where it was chosen. All ways must agree. LOCK: a file; of several processes that
 * compile at the same time, the one that has it measures. Exit status 1 where a call fails or ways differ.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "backends/backends.h"
#include "backends/opencl/gemm/gpu.h"
#include "backends/opencl/gemm/thin.h"
#include "kit/reference.h"
#include "kit/rng.h"

enum { MOST = 8192, ROWS = 3, MOST_TRIES = 10, LARGEST = 1 << 20 };
static const double most_flops = 4e11, row_ns = 3e5;
static int failed;
static double least_size;
static const struct bench_backend *const cl = &bench_backend_opencl;

struct way {
	struct bench_opencl_gemm_choice choice;
	bool thin, chosen;
};

static void need(int result, const struct bench_error *error)
{
	if (result == 0)
		return;
	fprintf(stderr, "measure_gemm: %s\n", error->text);
	exit(1);
}

static size_t draw(struct bench_rng *rng)
{
	return (size_t)(least_size * pow(MOST / least_size, bench_rng_uniform(rng)));
}

static int once(struct bench_device *device, const struct bench_gemm *gemm, const struct way *way,
		struct bench_error *error)
{
	return way->thin ? bench_opencl_gemm_thin(device, gemm, error)
			 : bench_opencl_gemm_gpu_by(device, gemm, &way->choice, error);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns of the device for one, the least of some rows. */
static double device_ns(struct bench_device *device, const struct bench_gemm *gemm, const struct way *way)
{
	struct bench_error error;
	double best = INFINITY, each = 1e5;
	int tries = 0;
	for (int i = 0; i < ROWS; i++) {
		int launches = each > row_ns / 3 ? 3 : each < row_ns / 40 ? 40 : (int)(row_ns / each);
		struct bench_device_row row;
		need(cl->row_begin(device, &error), &error);
		for (int launch = 0; launch < launches; launch++)
			need(once(device, gemm, way, &error), &error);
		need(cl->row_end(device, &row, &error), &error);
		if (isnan(row.seconds)) { /* the hold was too short; the next one is longer */
			i -= tries++ < MOST_TRIES;
			continue;
		}
		each = fmax(row.seconds * 1e9 / launches, 1);
		best = fmin(best, each);
	}
	return best;
}

static double host_ns(struct bench_device *device, const struct bench_gemm *gemm, const struct way *way)
{
	struct bench_error error;
	double best = INFINITY;
	for (int i = 0; i < ROWS; i++) {
		double start = now();
		for (int launch = 0; launch < 200; launch++)
			need(once(device, gemm, way, &error), &error);
		need(cl->finish(device, &error), &error);
		double each = (now() - start) / 200;
		best = each < best ? each : best;
	}
	return best;
}

/* The result of a way, which writes over what is no number. */
static void get_result(struct bench_device *device, const struct bench_gemm *gemm, const struct way *way,
		       void *result)
{
	struct bench_error error;
	size_t bytes = gemm->m * gemm->ldc * bench_dtype_bytes(gemm->dtype);
	memset(result, 0xff, bytes);
	need(cl->upload(device, gemm->c, result, bytes, &error), &error);
	need(once(device, gemm, way, &error), &error);
	need(cl->download(device, gemm->c, result, bytes, &error), &error);
}

static void compare(const struct bench_gemm *gemm, const struct way *way, const void *first,
		    const void *other)
{
	static const double roundoff[BENCH_DTYPES] = {[BENCH_F32] = 1e-6,
						      [BENCH_F64] = 1e-15,
						      [BENCH_F16] = 5e-4,
						      [BENCH_BF16] = 4e-3,
						      [BENCH_TF32] = 4e-6};
	double allowed = 8 * roundoff[gemm->dtype] * sqrt((double)gemm->k);
	for (size_t i = 0; i < gemm->m; i++)
		for (size_t j = 0; j < gemm->n; j++) {
			double x = bench_reference_element(gemm->dtype, first, i * gemm->ldc + j);
			double y = bench_reference_element(gemm->dtype, other, i * gemm->ldc + j);
			if (fabs(x - y) <= allowed)
				continue;
			fprintf(stderr,
				"measure_gemm: %s %c%c %zu x %zu x %zu, tile %zu x %zu, %zu groups: "
				"C[%zu][%zu] is %g, another way says %g\n",
				way->choice.scheme ? way->choice.scheme->source : "thin",
				gemm->trans_a ? 'T' : 'N', gemm->trans_b ? 'T' : 'N', gemm->m, gemm->n,
				gemm->k, way->choice.scheme ? way->choice.scheme->tile_m : 0,
				way->choice.scheme ? way->choice.scheme->tile_n : 0, way->choice.groups, i, j,
				y, x);
			failed = 1;
			return;
		}
}

static size_t ways_of(const struct bench_device *device, const struct bench_gemm *gemm, struct way *ways)
{
	struct bench_opencl_gemm_choice choices[BENCH_OPENCL_GEMM_CHOICES];
	size_t count = bench_opencl_gemm_choices(device, gemm, false, choices), best = 0;
	for (size_t i = 0; i < count; i++) {
		ways[i] = (struct way){.choice = choices[i]};
		best = choices[i].cost < choices[best].cost ? i : best;
	}
	bool thin = bench_opencl_gemm_is_thin(device, gemm);
	ways[thin ? count : best].chosen = true;
	if (thin) {
		struct bench_opencl_gemm_thin how = bench_opencl_gemm_choose_thin(device, gemm);
		ways[count] = (struct way){.thin = true, .chosen = true};
		ways[count].choice.tiles = how.tiles;
		ways[count].choice.groups = how.groups;
		ways[count++].choice.rounds = how.rounds;
	}
	return count;
}

static struct bench_gemm problem(enum bench_dtype dtype, struct bench_rng *rng)
{
	struct bench_gemm gemm = {.dtype = dtype, .alpha = 1};
	do {
		gemm.m = draw(rng), gemm.n = draw(rng), gemm.k = draw(rng);
	} while (2.0 * (double)gemm.m * (double)gemm.n * (double)gemm.k > most_flops);
	unsigned trans = (unsigned)(3 * bench_rng_uniform(rng));
	gemm.trans_a = trans == 1, gemm.trans_b = trans == 2;
	gemm.lda = gemm.trans_a ? gemm.m : gemm.k;
	gemm.ldb = gemm.trans_b ? gemm.k : gemm.n;
	gemm.ldc = gemm.n;
	if (bench_rng_uniform(rng) < 0.15) { /* as allocators that align rows have them */
		gemm.lda = (gemm.lda + 7) & ~(size_t)7;
		gemm.ldb = (gemm.ldb + 7) & ~(size_t)7;
		gemm.ldc = (gemm.ldc + 7) & ~(size_t)7;
	}
	return gemm;
}

static struct bench_buffer *filled(struct bench_device *device, enum bench_dtype dtype, uint64_t stream)
{
	struct bench_error error;
	struct bench_buffer *buffer;
	size_t count = (size_t)MOST * (MOST + 8);
	void *data = malloc(count * bench_dtype_bytes(dtype));
	if (!data)
		exit(1);
	bench_rng_fill(7, stream, dtype, data, count);
	need(cl->alloc(device, count * bench_dtype_bytes(dtype), &buffer, &error), &error);
	need(cl->upload(device, buffer, data, count * bench_dtype_bytes(dtype), &error), &error);
	free(data);
	return buffer;
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr, "usage: measure_gemm PRODUCTS SEED TYPE LOCK LEAST\n");
		return 2;
	}
	least_size = strtod(argv[5], NULL);
	static struct way ways[BENCH_OPENCL_GEMM_CHOICES + 1];
	struct bench_error error;
	struct bench_device *device;
	enum bench_dtype dtype = BENCH_DTYPES;
	static const char *const names[BENCH_DTYPES] = {[BENCH_F32] = "f32",
							[BENCH_F64] = "f64",
							[BENCH_F16] = "f16",
							[BENCH_BF16] = "bf16",
							[BENCH_TF32] = "tf32"};
	for (int i = 0; i < BENCH_DTYPES; i++)
		if (names[i] && strcmp(names[i], argv[3]) == 0)
			dtype = (enum bench_dtype)i;
	int lock = open(argv[4], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (dtype == BENCH_DTYPES || lock < 0) {
		fprintf(stderr,
			dtype == BENCH_DTYPES ? "measure_gemm: there is no type '%s'\n"
					      : "measure_gemm: '%s' cannot be opened\n",
			argv[dtype == BENCH_DTYPES ? 3 : 4]);
		return 2;
	}
	struct bench_device_info infos[16];
	size_t devices, gpu = 0;
	need(cl->devices(infos, 16, &devices, &error), &error);
	while (gpu < devices && infos[gpu].kind != BENCH_DEVICE_GPU)
		gpu++;
	if (gpu == devices) {
		fprintf(stderr, "measure_gemm: no GPU\n");
		return 1;
	}
	need(cl->open(gpu, &(struct bench_open_options){0}, &device, &error), &error);
	struct bench_buffer *a = filled(device, dtype, 1), *b = filled(device, dtype, 2),
			    *c = filled(device, dtype, 3);
	printf("dtype,trans,m,n,k,aligned,source,size,tile_m,tile_n,tile_k,mapped,copies,fit,tiles,groups,"
	       "rounds,"
	       "cost,ns,host_ns,chosen\n");
	void *first = malloc(LARGEST * sizeof(double)), *other = malloc(LARGEST * sizeof(double));
	if (!first || !other)
		return 1;
	for (int pass = 0; pass < 2; pass++) {
		struct bench_rng rng;
		bench_rng_start(&rng, strtoull(argv[2], NULL, 10), (uint64_t)dtype);
		if (pass == 1 && flock(lock, LOCK_EX) != 0)
			return 1;
		for (long p = 0; p < strtol(argv[1], NULL, 10); p++) {
			struct bench_gemm gemm = problem(dtype, &rng);
			gemm.a = a, gemm.b = b, gemm.c = c;
			size_t count = ways_of(device, &gemm, ways);
			double least = INFINITY;
			for (size_t i = 0; i < count; i++)
				least = ways[i].thin ? least : fmin(least, ways[i].choice.cost);
			for (size_t i = 0; i < count; i++) {
				const struct bench_opencl_gemm_choice *choice = &ways[i].choice;
				if (pass == 0) {
					if (gemm.m * gemm.ldc > LARGEST) {
						need(once(device, &gemm, &ways[i], &error), &error);
						continue;
					}
					get_result(device, &gemm, &ways[i], i == 0 ? first : other);
					if (i > 0)
						compare(&gemm, &ways[i], first, other);
					continue;
				}
				if (choice->cost > 10 * least)
					continue;
				double ns = device_ns(device, &gemm, &ways[i]);
				double host = ways[i].chosen ? host_ns(device, &gemm, &ways[i]) : NAN;
				const struct bench_opencl_gemm_scheme *scheme = choice->scheme;
				printf("%s,%c%c,%zu,%zu,%zu,%d,%s,%d,%zu,%zu,%zu,%d,%d,%d,%zu,%zu,%zu,%.0f,%."
				       "0f,"
				       "%.0f,%d\n",
				       argv[3], gemm.trans_a ? 'T' : 'N', gemm.trans_b ? 'T' : 'N', gemm.m,
				       gemm.n, gemm.k,
				       (gemm.lda | gemm.ldb | gemm.ldc) * bench_dtype_bytes(dtype) % 16 == 0,
				       scheme ? scheme->source : "gemm_thin.cl", (int)choice->size,
				       scheme ? scheme->tile_m : 0, scheme ? scheme->tile_n : 0,
				       scheme ? scheme->tile_k : 0, scheme ? scheme->maps : 0,
				       choice->turn_a + choice->turn_b + choice->pad_a + choice->pad_b,
				       (int)choice->fit, choice->tiles, choice->groups, choice->rounds,
				       choice->cost, ns, host, ways[i].chosen);
			}
			need(cl->finish(device, &error), &error);
		}
	}
	free(first);
	free(other);
	return failed;
}
