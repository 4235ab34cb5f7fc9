#include "sum.h"

/* Four sums at a time: an addition need not wait for the one before. */
double sum(const double *x, size_t n)
{
	double part[4] = {0}, rest = 0;
	size_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (size_t j = 0; j < 4; j++)
			part[j] += x[i + j];
	for (; i < n; i++)
		rest += x[i];
	return (part[0] + part[1]) + (part[2] + part[3]) + rest;
}
