#include <bench/fn.h>

#include "sum.h"

struct example { size_t n; double *x, found; };
BENCH_FN(example, "n=1000,100000");
BENCH_FN_SETUP(example) { s->n = bench_fn_size(fn, "n"); s->x = bench_fn_doubles(fn, s->n); }
BENCH_FN_RUN(example) { s->found = sum(s->x, s->n); }
BENCH_FN_CHECK(example, 1e-9) { double right = 0; for (size_t i = 0; i < s->n; i++) right += s->x[i]; return bench_fn_off(s->found, right); }
