# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench run --validate: what kernels must not do, though their results are right.

test_right_kernels_pass()
{
	needs_oclgrind
	expect 0 bench run --validate
	has out 'oclgrind-simulator'
	has out '^([0-9]+) cases: \1 ok$'
	[ ! -e results.db ] || fail "a validation went into the history"
}

test_the_kernels_for_gpus_pass()
{
	needs_oclgrind
	BENCH_OPENCL_KIND=gpu expect 0 bench run --validate
	has out 'oclgrind-simulator-as-gpu'
	has out '^([0-9]+) cases: \1 ok$'
}

# It reads one element too far, and does nothing with it.
test_a_read_out_of_bounds_is_found()
{
	needs_oclgrind
	mkdir kernels && cp "$BENCH_SOURCE"/backends/opencl/*/*.cl kernels
	sed -i 's/if (first + WIDTH <= count)/if (count \&\& a[count] > 3e38f)\n\t\tc[0] = 0;\n\telse &/' kernels/elementwise.cl
	BENCH_KERNELS=$PWD/kernels expect 4 bench run --validate --set suite=elementwise
	has out 'failed: .*Oclgrind: Invalid read of size 4 at global memory address .*kernel elementwise'
}

test_a_suite_of_ones_choice_is_validated()
{
	needs_oclgrind
	expect 0 bench run --validate --suite elementwise --set count=33 --budget 0.1s
	has out 'elementwise .*count=33'
}

test_without_oclgrind_it_says_what_to_install()
{
	expect 5 env PATH=/nowhere "$BENCH" run --validate
	has err 'package oclgrind'
}
