/* SPDX-License-Identifier: MIT */
/*
 * Random numbers. OpenBLAS has none. Its users write this: loops over Random123's Philox, which the compiler
 * makes vectors of, logarithms, sines and cosines too (curves.h).
 */
#include <Random123/philox.h>
#include <string.h>

#include "backends/cpu.h"
#include "backends/cpu/curves.h"
#include "backends/cpu/operations.h"
#include "backends/cpu/share.h"

enum { ELEMENTS = BENCH_CPU_PART }; /* that are made together: whole blocks of the generator */

struct loops {
	void (*make_blocks)(const struct bench_random *random, uint64_t first, void *out);
};

#define LOOPS "backends/cpu/random_loops.h"
#include "backends/cpu/wide.h"

static void make(const void *operation, size_t first, size_t count, void *to)
{
	const struct bench_random *random = operation;
	const struct loops *loops = wide_loops(random->dtype);
	size_t of_a_block = random->dtype == BENCH_F64 ? 2 : 4, real = bench_dtype_bytes(random->dtype);
	uint64_t block = random->position + first / of_a_block;
	size_t done = 0;
	for (; done + ELEMENTS <= count; done += ELEMENTS, block += ELEMENTS / of_a_block)
		loops->make_blocks(random, block, (char *)to + done * real);
	if (done < count) {
		double rest[ELEMENTS];
		loops->make_blocks(random, block, rest);
		memcpy((char *)to + done * real, rest, (count - done) * real);
	}
}

int bench_cpu_random(struct bench_device *device, const struct bench_random *random,
		     struct bench_error *error)
{
	if (bench_cpu_check_random("openblas", random, error))
		return -1;
	size_t count = random->count, real = bench_dtype_bytes(random->dtype);
	bench_cpu_make(bench_cpu_threads(device, count),
		       &(struct bench_cpu_vector){make, random, random->out->data, count, real});
	return 0;
}
