/* SPDX-License-Identifier: MIT */
/*
 * PREFETCH: what is read soon is fetched into the first-level cache of a CPU. By the compiler's own builtin: OpenCL's
 * prefetch() does nothing in PoCL. Past the end of an array it fetches what is not needed, and faults nowhere.
 */
#ifndef FETCHES_AHEAD /* 0: PREFETCH does nothing */
#define FETCHES_AHEAD 1
#endif
/* Neither Oclgrind's target nor NVIDIA's compiler, on which tests run this, takes it. */
#if FETCHES_AHEAD && defined(__has_builtin) && !defined(__SPIR__) && !defined(__NV_CL_C_VERSION)
#if __has_builtin(__builtin_prefetch)
#define PREFETCH(address) __builtin_prefetch((__global const void *)(address))
#endif
#endif
#ifndef PREFETCH
#define PREFETCH(address)
#endif
