/* The code that is to be measured, as it is in any project: it knows nothing of bench. */
#ifndef SUM_H
#define SUM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
double sum(const double *x, size_t n);
#ifdef __cplusplus
}
#endif

#endif
