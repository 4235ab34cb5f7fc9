# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How many processes measure: one an invocation on a GPU, which a CPU stands for here, else one a group.

export BENCH_OPENCL_KIND=gpu
suite=(--suite elementwise --backend opencl --set "count=1000,2000,3000" --watch no)

# bench "$@", which ends with status 0; or there is no OpenCL device.
measure()
{
	BENCH_OPENCL_KIND='' bench list devices >listed 2>&1 || true
	grep -q opencl: listed || skip "there is no OpenCL device"
	expect 0 bench "$@"
}

test_a_gpu_has_one_process_an_invocation()
{
	measure run "${suite[@]}" -k 2 --budget 1s
	has runs/*/run.log ' 2 worker processes for 6 groups in all invocations'
	has runs/*/samples.jsonl '"program","value":"in memory"'
	valid runs/*/metrics.json
}

test_a_cpu_has_one_process_a_group()
{
	BENCH_OPENCL_KIND=cpu measure run "${suite[@]}" -k 2 --budget 1s
	has runs/*/run.log ' 6 worker processes for 6 groups in all invocations'
	has_not runs/*/samples.jsonl '"program","value":"in memory"'
}

test_a_cold_sample_on_a_gpu_is_as_many_launches_as_have_data_of_their_own()
{
	local launches
	measure run --suite elementwise --backend opencl --set count=1000 --watch no -k 1 --budget 3s --cache cold
	launches=$(sed -nE 's/.*"cold":[[:space:]]*"([0-9]+) launch(es, each on its own data,)? behind each flush".*/\1/p' \
		runs/*/metrics.json)
	has runs/*/samples.jsonl "\"metric\":\"time\",\"value\":[^,]*,\"iterations\":$launches\\b"
	has_not out 'not cold'
	[ "$(grep -c '"event":"check"' runs/*/samples.jsonl)" = 3 ] || fail "no copy of the case is checked"
	rm -r runs
	BENCH_OPENCL_KIND=cpu measure run --suite elementwise --backend opencl --set count=1000 --watch no -k 1 \
		--budget 3s --cache cold
	has runs/*/samples.jsonl '"metric":"time","value":[^,]*,"iterations":1\b'
	has_not runs/*/metrics.json 'behind each flush'
}

test_each_number_of_threads_has_its_processes_and_a_row()
{
	[ "$(env -u OMP_NUM_THREADS nproc)" -gt 1 ] || skip "there is one processor"
	expect 0 bench run --suite gemm,null --set n=64 --threads 1,2 --backend openblas -k 2 --budget 0.5s --repeat
	has out 'vs threads=1'
	has out '^ *1 .*s '
	has out '^ *2 .*s '
	has out '--set threads=2'
	has runs/*/run.log ' 8 worker processes for 8 groups in all invocations'
	expect 0 bench compare last --by threads
	has out 'case +1 +2'
}

# Threads that were made before the counters would not be counted.
test_counters_need_a_process_of_their_own()
{
	measure run "${suite[@]}" -k 2 --budget 1s --counters
	has runs/*/run.log ' 6 worker processes for 6 groups in all invocations'
}

test_both_sides_of_a_duel_keep_theirs()
{
	local bench
	bench=$(command -v bench)
	BENCH_OPENCL_KIND='' bench list devices >listed 2>&1 || true
	grep -q opencl: listed || skip "there is no OpenCL device"
	bench duel "$bench" "$bench" "${suite[@]}" -k 2 --budget 2s >out 2>err || true
	has runs/*/run.log ' 4 worker processes for 6 groups in all invocations'
}

test_an_interrupt_leaves_no_process_and_the_run_can_go_on()
{
	local job i
	measure run "${suite[@]}" -k 1 --budget 0.5s
	rm -r runs
	bench run "${suite[@]}" -k 20 --budget 60s >run.out 2>run.err &
	job=$!
	wait_for '"event": ?"end".*"invocation": ?1' 'runs/*/samples.jsonl'
	kill -INT "$job"
	wait "$job" || true
	for ((i = 0; i < 50; i++)); do
		kill -0 -- "-$job" 2>/dev/null || break
		sleep 0.1
	done
	[ "$i" -lt 50 ] || fail "processes of the interrupted run are still there"
	expect 0 bench run --resume runs/* --budget 3s
	has runs/*/run.log 'resumed: '
	[ -z "$(grep -o '"event":"end","case":[0-9]*,"invocation":[0-9]*' runs/*/samples.jsonl | sort | uniq -d)" ] ||
		fail "invocations were measured twice"
}
