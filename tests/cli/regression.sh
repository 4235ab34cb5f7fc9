# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The whole way to a verdict. The planted change is far larger than the noise of a shared machine, which is therefore not
# watched: where others never rest, all would be marked, and nothing judged.

# Two runs, the second with every step of the inner loop done twice (a setting of the kernel for CPU devices).
measure_before_and_after()
{
	BENCH_KERNELS=$BENCH_SOURCE/backends/opencl measure before "$1"
	BENCH_KERNELS=$PWD/kernels measure after "$1"
}

measure()
{
	expect_in_time 0 "$2" bench run --suite gemm --set n=512 --backend opencl:cpu --invocations "$2" --precision 10% --watch no
	expect 0 bench baseline set "$1"
}

test_a_slower_kernel_is_found_and_named()
{
	local invocations status
	expect 0 bench list devices --format csv
	grep -Eq '^"?opencl:.*[",]cpu[",]' out || skip "there is no OpenCL device that is a CPU"
	mkdir kernels && cp "$BENCH_SOURCE"/backends/opencl/*/*.cl kernels
	sed -i -E 's/^#define WASTE_PERCENT 0/#define WASTE_PERCENT 100/' kernels/*.cl
	# On a machine that has other things to do the verdict may be "unclear", and more invocations are due.
	for invocations in 8 16 32; do
		measure_before_and_after $invocations
		status=0
		bench compare after --baseline before >out || status=$?
		[ $status = 0 ] || break
	done
	[ $status = 1 ] || fail "exit status $status: $(cat out)"
	has out '^ *slower +gemm '
	expect 0 bench compare before --baseline after
	has out '^ *faster +gemm opencl '
	has_not out slower
}

# Both nights read their kernels live: those of the first one are kept with the executable.
test_the_gate_finds_a_slower_kernel_and_confirms_it()
{
	local status k what
	expect 0 bench list devices --format csv
	grep -Eq '^"?opencl:.*[",]cpu[",]' out || skip "there is no OpenCL device that is a CPU"
	# On a machine that has other things to do the verdict may be "unclear", and more invocations are due.
	for k in 12 24 48; do
		# Of both nights outside of any repository, so that they are on one line of history.
		rm -rf kernels
		mkdir kernels && cp "$BENCH_SOURCE"/backends/opencl/*/*.cl kernels
		what=(--suite gemm --set n=256 --backend opencl:cpu -k "$k" --precision 10%)
		rm -rf results.db*
		BENCH_KERNELS=$PWD/kernels expect_in_time 7 "$k" bench gate "${what[@]}"
		sed -i -E 's/^#define WASTE_PERCENT 0/#define WASTE_PERCENT 100/' kernels/*.cl
		status=0
		BENCH_KERNELS=$PWD/kernels bench gate "${what[@]}" --budget "$((2 * k))s" >out || status=$?
		[ $status != 0 ] && [ $status != 6 ] && break
	done
	[ $status = 1 ] || fail "exit status $status: $(cat out)"
	has out '^ *slower +gemm '
	has out '(confirmed|slower) in fresh processes'
}
