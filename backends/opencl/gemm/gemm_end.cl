/* SPDX-License-Identifier: MIT */
/*
 * The end of a product, which the kernels of GEMM include: a bias and an activation. REAL is the type that is
 * computed in; END, if it is defined, what is ended at once: a vector of REAL.
 */
#include "real.cl"
#ifndef BIAS /* 1: bias[j] is added to column j */
#define BIAS 0
#endif
#if BIAS
#define TAKES_BIAS(element) , TAKES(const element *restrict, bias)
#define OPEN_BIAS(element) OPEN(const element *restrict, bias)
#else
#define TAKES_BIAS(element)
#define OPEN_BIAS(element)
#endif
#ifndef ACTIVATION /* applied last, by its number in enum bench_activation */
#define ACTIVATION 0
#endif
#ifndef END
#define END REAL
#endif
#ifndef OWN_GELU /* 1: gelu and gelu_tanh of gelu.cl, of END, a vector of LANES, rather than by the device's erf and tanh */
#define OWN_GELU 0
#endif
#if OWN_GELU
#include "gelu.cl"
DEFINE_GELU(LANES)
#endif

/* C + bias, activated. A NaN stays one. */
static inline END finish(END x, END bias)
{
#if BIAS
	x += bias;
#endif
#if ACTIVATION == 1
	x = x < 0 ? (END)0 : x;
#elif ACTIVATION == 2 && OWN_GELU
	x = own_gelu(x);
#elif ACTIVATION == 2
	x *= (REAL)0.5 * (1 + erf(x * (REAL)0.70710678118654752440));
#elif ACTIVATION == 3 && OWN_GELU
	x = own_gelu_tanh(x);
#elif ACTIVATION == 3
	x *= (REAL)0.5 * (1 + tanh((REAL)0.79788456080286535588 * (x + (REAL)0.044715 * x * x * x)));
#endif
	return x;
}
