# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the checks are for: a kernel that is fast and wrong.

# Kernels of one's own, read live, changed by a sed command in each .cl file.
plant()
{
	mkdir kernels && cp "$BENCH_SOURCE"/backends/opencl/*/*.cl kernels
	sed -i -E "$1" kernels/*.cl
	! cmp -s <(cat "$BENCH_SOURCE"/backends/opencl/*/*.cl | sort) <(cat kernels/*.cl | sort) ||
		fail "the kernels are as they were; '$1' changes nothing"
	export BENCH_KERNELS=$PWD/kernels
}

# No number of a wrong case anywhere: not on the screen, not in the files, not in the database.
no_number_is_published()
{
	expect 4 bench run --suite gemm --set n=64 --backend opencl,openblas -k 1 --budget 0.2s --format json
	[ "$(json out '[r["status"] for r in j["results"] if r["backend"] == "opencl"]')" = "['incorrect']" ] ||
		fail "the wrong kernel's case is not incorrect"
	[ "$(json out '[len(r["metrics"]) for r in j["results"] if r["backend"] == "opencl"]')" = "[0]" ] ||
		fail "there are numbers for it"
	[ "$(json out '[r["status"] for r in j["results"] if r["backend"] == "openblas"]')" = "['ok']" ] ||
		fail "the other backend was not measured"
	valid runs/*/metrics.json
	expect 0 bench list metrics
	has out '^ *gemm/openblas'
	has_not out 'gemm/opencl'
	expect 0 bench show last --format csv
	has out 'opencl.*incorrect'
}

test_a_kernel_that_is_wrong_by_a_factor_is_incorrect()
{
	plant '/^static inline END finish/{n;s/\{/{ x *= (REAL)1.01;/}'
	no_number_is_published
}

test_a_kernel_that_gives_zeros_is_incorrect()
{
	plant '/^static inline END finish/{n;s/\{/{ x *= 0;/}'
	no_number_is_published
}

test_a_kernel_that_does_not_compile_fails_and_the_others_are_measured()
{
	plant '1i this is no OpenCL'
	expect 4 bench run --suite gemm --set n=64 --backend opencl,openblas -k 1 --budget 0.2s --format json
	[ "$(json out '[r["status"] for r in j["results"] if r["backend"] == "opencl"]')" = "['failed']" ] ||
		fail "the case did not fail"
	[ "$(json out '"CL_BUILD_PROGRAM_FAILURE" in [r for r in j["results"] if r["backend"] == "opencl"][0]["reason"]')" = True ] ||
		fail "the reason does not carry OpenCL's own"
	[ "$(json out '[r["status"] for r in j["results"] if r["backend"] == "openblas"]')" = "['ok']" ] ||
		fail "the other backend was not measured"
}

test_a_wrong_case_is_broken_in_a_comparison()
{
	expect 0 bench run --suite gemm --set n=64 --backend opencl -k 1 --budget 0.2s
	expect 0 bench baseline set good
	plant '/^static inline END finish/{n;s/\{/{ x *= (REAL)1.01;/}'
	expect 4 bench run --suite gemm --set n=64 --backend opencl -k 1 --budget 0.2s
	expect 4 bench compare last --baseline good
	has out 'broken'
	has out 'broken +gemm opencl'
}
