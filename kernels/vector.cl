/* VECTOR: WIDTH elements (1, 2, 4, 8 or 16) as one type. */
#include "real.cl"

#ifndef WIDTH
#define WIDTH 1
#endif
#if WIDTH == 1
#define VECTOR REAL
#else
#define VECTOR PASTE(REAL, WIDTH)
#endif
