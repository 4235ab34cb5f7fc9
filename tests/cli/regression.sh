# shellcheck shell=bash
# The whole way to a verdict. The planted change is far larger than the noise of a shared machine.

measure()
{
	expect 0 bench run --suite gemm --set n=256 --backend opencl --invocations 8 --budget 8s
}

test_a_slower_kernel_is_found_and_named()
{
	measure
	expect 0 bench baseline set before
	cp -r "$BENCH_SOURCE/kernels" kernels
	sed -i -E 's/^#define WASTE_PERCENT 0/#define WASTE_PERCENT 300/' kernels/*.cl
	BENCH_KERNELS=$PWD/kernels measure
	expect 1 bench compare last --baseline before
	has out 'slower'
	has out 'gemm/opencl:.*n=256.*/time'
	expect 0 bench compare before --baseline last
	has out 'faster'
}
