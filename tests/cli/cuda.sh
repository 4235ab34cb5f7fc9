# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The plug-in of contrib/cuda, built as its README.md says, with libraries and a GPU that are made up.

# Builds the plug-in here, and the libraries in the folder lib.
build()
{
	local command
	command=$(sed -n 's/^    \(cc .*\)/\1/p' "$BENCH_SOURCE/contrib/cuda/README.md")
	[ -n "$command" ] || fail "README.md has no command that builds it"
	(cd "$BENCH_SOURCE" && eval "${command/-o /-Wall -Wextra -Werror -o $OLDPWD/}")
	mkdir lib
	gcc -D_GNU_SOURCE -fPIC -shared -I "$BENCH_SOURCE/include" -I "$BENCH_SOURCE" \
		"$BENCH_SOURCE/tests/unit/fake_cuda.c" "$BENCH_SOURCE/kit/half.c" -o lib/libcuda.so.1 -lm
	ln -s libcuda.so.1 lib/libcublas.so.13
	ln -s libcuda.so.1 lib/libnvrtc.so.13
	export BENCH_CUDA_PATH=$PWD/lib
	run=(bench run --plugin ./libbench_cuda.so --suite gemm --budget 1s --no-store)
}

test_its_products_are_right_and_stand_beside_those_of_another_backend()
{
	build
	expect 0 "${run[@]}" --backend openblas,cuda --set n=24 --set trans=NN,NT,TN,TT -k 6
	has out 'openblas +cuda +openblas vs cuda'
	json runs/2*/metrics.json '{r["status"] for r in j["results"]}' >statuses
	has statuses "^{'ok'}$"
	# One run, interleaved: each invocation gives one ratio.
	json runs/2*/metrics.json '[v["n"] for r in j["results"] for v in r.get("versus", [])]' >ratios
	has ratios '^\[[1-9][0-9]*(, [1-9][0-9]*){3}\]$'
	json runs/2*/metrics.json '{m["name"] for r in j["results"] if r["backend"] == "cuda" for m in r["metrics"]}' >metrics
	has metrics "'device_time'"
}

test_short_types_and_double_precision_are_right()
{
	build
	expect 0 "${run[@]}" --backend cuda --set n=9 --set dtype=f32,f64,f16,bf16,tf32 --set beta=0,0.5 -k 1 --format csv
	[ "$(grep -c '/time",.*,ok,' out)" = 10 ] || fail "not ten results: $(cat out)"
}

test_graphs_are_a_backend_that_is_measured_if_it_is_named()
{
	build
	expect 0 "${run[@]}" --set n=9 -k 1 --format csv
	has out 'gemm/cuda:nvidia-fake-80gb/.*,ok,'
	has_not out 'cuda.graph'
	expect 0 "${run[@]}" --backend cuda,cuda+graph --set n=9 --set beta=0,0.5 -k 1 --format csv
	has out 'gemm/cuda[+]graph:nvidia-fake-80gb/.*,ok,'
}

test_a_device_that_is_not_there_costs_its_own_cases_alone()
{
	local call
	build
	for call in cuInit cuDeviceGetCount; do
		FAKE_CUDA_FAIL=$call:0 expect 0 "${run[@]}" --backend openblas,cuda --set n=9 -k 1 --format csv
		has out 'gemm/openblas:.*,ok,'
		has out "gemm/cuda:.*,unsupported,\"$call: "
	done
	for call in cuDevicePrimaryCtxRetain cublasCreate_v2; do
		FAKE_CUDA_FAIL=$call:0 expect 4 "${run[@]}" --backend openblas,cuda --set n=9 -k 1 --format csv
		has out 'gemm/openblas:.*,ok,'
		has out "gemm/cuda:.*,failed,.*$call: "
	done
	FAKE_CUDA_VERSION=10020 expect 0 "${run[@]}" --backend openblas,cuda --set n=9 -k 1
	has out 'no libcublas.so.11 to .10, which this driver .CUDA 10.2. runs'
}

test_a_call_that_fails_on_the_way_fails_its_case_with_the_device()
{
	build
	FAKE_CUDA_FAIL=cublasGemmEx:3 expect 4 "${run[@]}" --backend openblas,cuda --set n=9 -k 1
	has out 'cublasGemmEx: CUBLAS_STATUS_INTERNAL_ERROR'
	has out 'GPU 0 .NVIDIA Fake 80GB'
}

# The kernel in both languages of the how-to page.
write_kernel()
{
	awk '/^```/ { inside = $0 == "```opencl"; next } inside' "$BENCH_SOURCE/docs/how-to/vendor-library.md" >saxpy.cl
}

test_a_kernel_in_both_languages_is_compared_in_one_run()
{
	build
	write_kernel
	run=(bench run --plugin ./libbench_cuda.so --kernel saxpy.cl --no-store -k 1)
	expect 0 "${run[@]}" --backend opencl:cpu,cuda --budget 2s
	has out 'opencl +cuda'
	json runs/2*/metrics.json '{r["status"] for r in j["results"]}' >statuses
	has statuses "^{'ok'}$"
	# Its errors.
	sed 's/"local": 256, //' saxpy.cl >other.cl
	expect 2 "${run[@]}" --kernel other.cl --suite other --backend cuda --budget 1s
	has out "needs 'local'"
	sed 's/__global__ void saxpy/__global__ void axpy/' saxpy.cl >other.cl
	expect 2 "${run[@]}" --kernel other.cl --suite other --backend cuda --budget 1s
	has out 'there is no kernel saxpy: declare it'
	sed 's/const size_t i = blockIdx.*/#error/' saxpy.cl >other.cl
	expect 4 "${run[@]}" --kernel other.cl --suite other --backend cuda --budget 1s
	has out 'other.cl:3: error: identifier'
	sed 's/"type": "uint"/"type": "ulong"/' saxpy.cl >other.cl
	expect 2 "${run[@]}" --kernel other.cl --suite other --backend cuda --budget 1s
	has out 'parameter 1 .* of kernel saxpy has 4 bytes in the source, and 8 in the spec'
	sed 's/__global__/device/' saxpy.cl >other.cl
	expect 0 "${run[@]}" --kernel other.cl --suite other --backend opencl:cpu,cuda --budget 1s
	has out 'has no __global__ function'
}

test_two_libraries_in_a_duel()
{
	build
	cp -r lib other
	BENCH_CUDA_PATH=other bench duel "BENCH_CUDA_PATH=$PWD/lib bench --plugin ./libbench_cuda.so" bench --plugin ./libbench_cuda.so \
		--suite gemm --backend cuda --set n=9 -k 6 --budget 2s --no-store >out 2>err || [[ $? == [16] ]]
	has out 'gemm cuda.* -> '
}

test_cublas_and_opencl_in_a_duel()
{
	build
	expect 0 bench list devices --format csv
	grep -Eq '^"?opencl:' out || skip "there is no OpenCL device"
	BENCH_CUDA_PATH=$PWD/lib bench duel "bench --plugin ./libbench_cuda.so --backend cuda" bench --plugin ./libbench_cuda.so \
		--suite gemm --backend opencl:cpu --set n=9 -k 6 --budget 2s --no-store >out 2>err || [[ $? == [16] ]]
	has out 'against bench .*--backend cuda'
	has out ' -> |unclear +gemm'
}

test_a_gpus_segment_is_one_wait_after_an_untimed_product()
{
	build
	FAKE_CUDA_PRODUCTS=$PWD/products bench duel "bench --plugin ./libbench_cuda.so" bench --plugin ./libbench_cuda.so \
		--suite gemm --backend cuda --set n=12 -k 6 --budget 2s --no-store >out 2>err || [[ $? == [16] ]]
	# Of the lines that are over 1, how many are a segment of most products, after one alone?
	python3 - <<-'END' || fail "segments are cut, or nothing precedes them"
		import collections
		counts = [int(line) for line in open("products")]
		most = collections.Counter(count for count in counts if count > 1).most_common(1)[0][0]
		after = collections.Counter(before for before, count in zip(counts, counts[1:]) if count == most)
		print(most, after)
		assert most > 4 and after[1] > 0.9 * sum(after.values()) and after[1] > 3
	END
}
