/* The activation functions of networks, applied element by element. */
#ifndef BENCH_ACTIVATION_H
#define BENCH_ACTIVATION_H

#ifdef __cplusplus
extern "C" {
#endif

enum bench_activation {
	BENCH_ACTIVATION_NONE,      /* x */
	BENCH_ACTIVATION_RELU,      /* max(x, 0) */
	BENCH_ACTIVATION_GELU,      /* x/2 (1 + erf(x / sqrt(2))) */
	BENCH_ACTIVATION_GELU_TANH, /* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): Hendrycks and Gimpel,
				       2016 */
};

#ifdef __cplusplus
}
#endif
#endif
