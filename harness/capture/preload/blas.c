/* SPDX-License-Identifier: MIT */
/*
 * Functions of BLAS and CLBlast, which the dynamic linker finds before those of the libraries. Each one calls
 * the function that it stands in for, and counts the call. BLAS has matrices in columns, unless a CBLAS call
 * says rows. The count is of the equal product of matrices in rows: C = A B in columns is C' = B' A' in rows.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/preload/preload.h"

struct bench_capture *preload_memory;
__thread struct bench_capture_count *preload_product;

/* A nested call, such as that of a CBLAS to the Fortran function, is part of the outer one. */
static __thread bool inside;

__attribute__((constructor)) static void open_memory(void)
{
	preload_memory = bench_capture_open();
}

/* The function that code in [start, end) calls. */
struct next {
	const char *start, *end;
	void *function;
};

static void *in_object(const char *path, const char *name, const void *own)
{
	void *object = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	void *function = object ? dlsym(object, name) : NULL;
	if (object)
		dlclose(object);
	return function == own ? NULL : function;
}

struct search {
	const char *name;
	const void *own;
	void *found;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	(void)size;
	search->found = *info->dlpi_name ? in_object(info->dlpi_name, search->name, search->own) : NULL;
	return search->found != NULL;
}

/*
 * Searches in the order of the dynamic linker: global objects first, then those that the caller's object was
 * loaded with, as Python loads its modules. Last come all objects: the caller may use the libraries of
 * another one.
 */
static void find_next(struct next *next, const char *name, const void *own, const void *caller)
{
	struct dl_find_object object = {0};
	struct search search = {name, own, dlsym(RTLD_NEXT, name)};
	if (_dl_find_object((void *)caller, &object) == 0 && !search.found)
		search.found = in_object(object.dlfo_link_map->l_name, name, own);
	if (!search.found)
		dl_iterate_phdr(search_object, &search);
	if (!search.found) {
		fprintf(stderr, "bench capture: no library of this program has %s\n", name);
		abort();
	}
	*next = (struct next){object.dlfo_map_start, object.dlfo_map_end, search.found};
}

#define FIND_NEXT(name)                                                                                      \
	static __thread struct next next;                                                                    \
	const char *caller = __builtin_return_address(0);                                                    \
	if (caller < next.start || caller >= next.end)                                                       \
	find_next(&next, #name, (void *)(name), caller)

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The time; 0: the call is not counted. */
static uint64_t begin(void)
{
	if (!preload_memory || inside)
		return 0;
	inside = true;
	return now();
}

static void end(uint64_t began, const struct bench_capture_call *call)
{
	if (!began)
		return;
	const uint64_t took = now() - began;
	inside = false;
	/* Empty matrices, or sizes that BLAS refuses. */
	for (int i = 0; i < 3; i++)
		if ((int64_t)call->sizes[i] <= 0)
			return;
	struct bench_capture_count *count = bench_capture_find(preload_memory, call);
	if (!count)
		return;
	atomic_fetch_add_explicit(&count->count, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&count->nanoseconds, took, memory_order_relaxed);
}

/* CBLAS, and CLBlast after it, number so; Fortran has letters. */
enum { ROWS = 101, COLUMNS = 102, AS_STORED = 111 };

#define IS_T(letter) (*(letter) != 'N' && *(letter) != 'n')
#define SIZE(x)      ((uint64_t)(x))
#define LENGTH       __attribute__((unused)) size_t

static struct bench_capture_call gemm(int layout, bool ta, bool tb, const char *type, uint64_t m, uint64_t n,
				      uint64_t k, uint64_t lda, uint64_t ldb, uint64_t ldc, bool adds)
{
	struct bench_capture_call call = {.kind = BENCH_CAPTURE_PRODUCT,
					  .detail = adds,
					  .sizes = {m, n, k, lda, ldb, ldc},
					  .name = "gemm"};
	memcpy(call.type, type, 3);
	if (layout == COLUMNS) {
		const uint64_t turned[6] = {n, m, k, ldb, lda, ldc};
		const bool first = tb;
		memcpy(call.sizes, turned, sizeof(turned));
		tb = ta;
		ta = first;
	}
	call.trans[0] = ta ? 'T' : 'N';
	call.trans[1] = tb ? 'T' : 'N';
	return call;
}

/* y = op(A) x with an m x n matrix A: a product with one column. */
static struct bench_capture_call gemv(int layout, bool t, const char *type, uint64_t m, uint64_t n,
				      uint64_t lda, bool adds)
{
	struct bench_capture_call call =
		gemm(ROWS, t != (layout == COLUMNS), false, type, t ? n : m, 1, t ? m : n, lda, 1, 1, adds);
	strcpy(call.name, "gemv");
	return call;
}

/* C = A A', of which BLAS computes half; if A is transposed, C = A' A. */
static struct bench_capture_call syrk(int layout, bool t, const char *type, uint64_t n, uint64_t k,
				      uint64_t lda, uint64_t ldc, bool adds)
{
	const bool first = t != (layout == COLUMNS);
	struct bench_capture_call call = gemm(ROWS, first, !first, type, n, n, k, lda, lda, ldc, adds);
	strcpy(call.name, "syrk");
	return call;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): types, names and lists take no parentheses. */

/* A function that calls its namesake and counts `product`. */
#define DEFINE(name, parameters, arguments, product)                                                         \
	void name parameters                                                                                 \
	{                                                                                                    \
		FIND_NEXT(name);                                                                             \
		const uint64_t began = begin();                                                              \
		((__typeof__(&name))next.function) arguments;                                                \
		const struct bench_capture_call call = product;                                              \
		end(began, &call);                                                                           \
	}

/* clang-format off */
#define DEFINE_CBLAS(GEMM, GEMV, SYRK, type, real, whole) \
	DEFINE(GEMM, (int layout, int ta, int tb, whole m, whole n, whole k, real alpha, const real *a, whole lda, \
		      const real *b, whole ldb, real beta, real *c, whole ldc), \
	       (layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), \
	       gemm(layout, ta != AS_STORED, tb != AS_STORED, type, SIZE(m), SIZE(n), SIZE(k), SIZE(lda), \
		    SIZE(ldb), SIZE(ldc), beta != 0)) \
	DEFINE(GEMV, (int layout, int t, whole m, whole n, real alpha, const real *a, whole lda, const real *x, \
		      whole incx, real beta, real *y, whole incy), \
	       (layout, t, m, n, alpha, a, lda, x, incx, beta, y, incy), \
	       gemv(layout, t != AS_STORED, type, SIZE(m), SIZE(n), SIZE(lda), beta != 0)) \
	DEFINE(SYRK, (int layout, int uplo, int t, whole n, whole k, real alpha, const real *a, whole lda, real beta, \
		      real *c, whole ldc), \
	       (layout, uplo, t, n, k, alpha, a, lda, beta, c, ldc), \
	       syrk(layout, t != AS_STORED, type, SIZE(n), SIZE(k), SIZE(lda), SIZE(ldc), beta != 0))

/* Fortran passes pointers, and at the end the lengths of texts, which callers in C often leave out. */
#define DEFINE_FORTRAN(GEMM, GEMV, SYRK, type, real, whole) \
	DEFINE(GEMM, (const char *ta, const char *tb, const whole *m, const whole *n, const whole *k, \
		      const real *alpha, const real *a, const whole *lda, const real *b, const whole *ldb, \
		      const real *beta, real *c, const whole *ldc, LENGTH la, LENGTH lb), \
	       (ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 1, 1), \
	       gemm(COLUMNS, IS_T(ta), IS_T(tb), type, SIZE(*m), SIZE(*n), SIZE(*k), SIZE(*lda), SIZE(*ldb), \
		    SIZE(*ldc), *beta != 0)) \
	DEFINE(GEMV, (const char *t, const whole *m, const whole *n, const real *alpha, const real *a, \
		      const whole *lda, const real *x, const whole *incx, const real *beta, real *y, \
		      const whole *incy, LENGTH lt), \
	       (t, m, n, alpha, a, lda, x, incx, beta, y, incy, 1), \
	       gemv(COLUMNS, IS_T(t), type, SIZE(*m), SIZE(*n), SIZE(*lda), *beta != 0)) \
	DEFINE(SYRK, (const char *uplo, const char *t, const whole *n, const whole *k, const real *alpha, \
		      const real *a, const whole *lda, const real *beta, real *c, const whole *ldc, LENGTH lu, \
		      LENGTH lt), \
	       (uplo, t, n, k, alpha, a, lda, beta, c, ldc, 1, 1), \
	       syrk(COLUMNS, IS_T(t), type, SIZE(*n), SIZE(*k), SIZE(*lda), SIZE(*ldc), *beta != 0))
/* clang-format on */

/* CLBlast computes on a device: opencl.c adds the times of its launches. */
#define DEFINE_CLBLAST(GEMM, type, real)                                                                     \
	int GEMM(int layout, int ta, int tb, size_t m, size_t n, size_t k, real alpha, void *a,              \
		 size_t a_offset, size_t lda, void *b, size_t b_offset, size_t ldb, real beta, void *c,      \
		 size_t c_offset, size_t ldc, void *queue, void *event)                                      \
	{                                                                                                    \
		FIND_NEXT(GEMM);                                                                             \
		const struct bench_capture_call call = gemm(layout, ta != AS_STORED, tb != AS_STORED, type,  \
							    m, n, k, lda, ldb, ldc, beta != 0);              \
		if (preload_memory && m && n && k)                                                           \
			preload_product = bench_capture_find(preload_memory, &call);                         \
		struct bench_capture_count *const product = preload_product;                                 \
		const int status = ((__typeof__(&GEMM))next.function)(layout, ta, tb, m, n, k, alpha, a,     \
								      a_offset, lda, b, b_offset, ldb, beta, \
								      c, c_offset, ldc, queue, event);       \
		preload_product = NULL;                                                                      \
		if (product && status == 0)                                                                  \
			atomic_fetch_add_explicit(&product->count, 1, memory_order_relaxed);                 \
		return status;                                                                               \
	}

#define DEFINE_BLAS(before, after, whole)                                                                    \
	DEFINE_CBLAS(before##cblas_sgemm##after, before##cblas_sgemv##after, before##cblas_ssyrk##after,     \
		     "f32", float, whole)                                                                    \
	DEFINE_CBLAS(before##cblas_dgemm##after, before##cblas_dgemv##after, before##cblas_dsyrk##after,     \
		     "f64", double, whole)                                                                   \
	DEFINE_FORTRAN(before##sgemm_##after, before##sgemv_##after, before##ssyrk_##after, "f32", float,    \
		       whole)                                                                                \
	DEFINE_FORTRAN(before##dgemm_##after, before##dgemv_##after, before##dsyrk_##after, "f64", double,   \
		       whole)

/* Names as libraries have them: that of BLAS, of its form with sizes of 64 bits, and of those that NumPy's
 * and SciPy's wheels bring. */
DEFINE_BLAS(, , int32_t)
DEFINE_BLAS(, 64_, int64_t)
DEFINE_BLAS(scipy_, , int32_t)
DEFINE_BLAS(scipy_, 64_, int64_t)
DEFINE_CLBLAST(CLBlastSgemm, "f32", float)
DEFINE_CLBLAST(CLBlastDgemm, "f64", double)
DEFINE_CLBLAST(CLBlastHgemm, "f16", uint16_t)

/* NOLINTEND(bugprone-macro-parentheses) */
