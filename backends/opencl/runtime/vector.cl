/* SPDX-License-Identifier: MIT */
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

/*
 * PUT(value, p): stored, with PAST beside the caches, which what is larger than them leaves before it is read again; a CPU then
 * does not read a line before it writes it. Where the compiler knows such stores.
 */
#ifndef PAST
#define PAST 0
#endif
#if PAST && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define PUT(value, p) __builtin_nontemporal_store(value, p)
#endif
#endif
#ifndef PUT
#define PUT(value, p) *(p) = (value)
#endif
