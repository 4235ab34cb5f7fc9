# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016 # the scripts that are written here expand theirs themselves
# Duels. A side that is a script stands for an executable of another kind: what it does with `worker` is
# what such an executable does.

# A side that is bench but for its worker, which does the given shell command.
side()
{
	printf '#!/bin/sh\ncase $1 in worker) %s ;; *) exec "%s" "$@" ;; esac\n' "$2" "$BENCH" >"$1"
	chmod +x "$1"
}

# No process of a duel is left: in a script each job is a process group.
nobody_is_left()
{
	local i
	for ((i = 0; i < 50; i++)); do
		kill -0 -- "-$1" 2>/dev/null || return 0
		sleep 0.1
	done
	fail "processes of the duel are still there"
}

test_the_same_executable_is_not_slower_than_itself()
{
	expect 0 bench duel "$BENCH" "$BENCH" --suite null --set spin=1000 -k 8 --budget 5s --precision 20% --threshold 50%
	has out '^(SAME|UNCLEAR): ' # on a machine that has much to do
	has out "against $BENCH; "
	valid runs/*/metrics.json
	[ "$(json runs/*/metrics.json 'j["run"]["labels"]["aside"]')" = duel ] || fail "the run is not set aside"
	json runs/*/metrics.json 'j["run"]["labels"]["duel_base"]' >label
	has label "$BENCH: bench [0-9]"
	json runs/*/metrics.json 'j["run"]["command"]' >recorded
	has recorded "^bench duel --suite null .*--threshold 50% $BENCH $BENCH\$"
	json runs/*/metrics.json '" ".join(sorted(m["name"] for m in j["results"][0]["metrics"]))' >names
	has names 'base_time .*relative_time time'
	[ "$(json runs/*/metrics.json '[len(m["samples"]) >= 3 for m in j["results"][0]["metrics"] if m["name"] == "relative_time"]')" = "[True]" ] ||
		fail "there are not several invocations"
	expect 0 bench list runs
	has out null
	expect 0 bench show runs/*
	has out 'vs base'
	expect 0 bench ingest runs/*
}

# A worker whose every iteration takes a microsecond, and whose first part of every turn, as if something else had
# run meanwhile, as many milliseconds longer as its argument says. With a second argument it takes rows, of which
# an iteration takes so many microseconds; "gaps": none is one. Few digits would be those of a coarse clock.
write_fake_worker()
{
	cat >worker.py <<-'END'
		import json, socket, sys
		index, invocation = [(j["cases"][0]["index"], j["invocation"]) for j in [json.load(sys.stdin)]][0]
		driver = socket.socket(fileno=5)
		def say(text): driver.send(text.encode())
		def hear(): return driver.recv(4096).decode()
		def tell(event, **more):
		    with open(3, "w", closefd=False) as events:
		        events.write(json.dumps({"event": event, "case": index, "invocation": invocation, **more}) + "\n")
		tell("begin")
		say("bench-turns/5"); assert hear() == "set up"
		say("set up"); assert hear() == "call"
		say("called"); assert hear() == "check"
		tell("check", error=0, tolerance=0, method="none")
		rows = sys.argv[2:]
		say(f"case {index} 0" + (" rows" if rows else "")); say("ready")
		while (order := hear().split())[0] in ("run", "row"):
		    if order[0] == "row":
		        assert rows and 1 <= int(order[2]) <= 64
		        say("gaps" if rows[0] == "gaps" else f"took {float(rows[0]) * 1e-6}")
		        continue
		    parts, iterations = int(order[2]), int(order[3])
		    say("took " + " ".join(str(1.00123e-6 + (float(sys.argv[1]) * 1e-3 / iterations if not i else 0))
		                           for i in range(parts)))
		say("checked"); assert hear() == "leave"
		tell("end", status="ok", reason="", stopped="budget")
	END
}

# What differs from side to side would be the same in every bout, and pass for a difference of their code.
test_both_sides_run_as_often_whatever_disturbs_one_of_them()
{
	write_fake_worker
	side smooth 'exec python3 worker.py 0'
	side disturbed 'exec python3 worker.py 30'
	expect 0 bench duel ./smooth ./disturbed --suite null --set spin=1000 -k 8 --precision 10% --budget 30s
	has out '^SAME: '
	cat runs/*/samples.jsonl | grep '"time"\|"base_time"' | grep -o '"iterations":[0-9]*' | sort -u >iterations
	[ "$(wc -l <iterations)" = 1 ] || fail "the sides run differently often: $(cat iterations)"
}

test_the_devices_time_is_judged_where_both_sides_take_rows()
{
	write_fake_worker
	side base 'exec python3 worker.py 0 0.5'
	side head 'exec python3 worker.py 0 0.55'
	expect 1 bench duel ./base ./head --suite null --set spin=1000 -k 9 --precision 10% --budget 30s --format csv
	has out 'spin=1000/device_time,device_time,slower,'
	has out 'spin=1000/time,time,same,'
	valid runs/*/metrics.json
	json runs/*/metrics.json '{m["name"]: (m["unit"], m["better"]) for m in j["results"][0]["metrics"]}' >metrics
	has metrics "'relative_device_time': \('ratio', 'lower'\)"
	has metrics "'base_device_time': \('s', 'none'\)"
	expect 0 bench ingest runs/*
}

test_a_side_without_rows_is_asked_for_none()
{
	write_fake_worker
	side base 'exec python3 worker.py 0'
	side rows 'exec python3 worker.py 0 0.5'
	side gaps 'exec python3 worker.py 0 gaps'
	expect 0 bench duel ./base ./rows --suite null --set spin=1000 -k 8 --precision 10% --budget 30s
	has out '^device_time: not judged in 1 case: the base cannot time launches in a row$'
	has_not out '/device_time'
	expect 0 bench duel ./rows ./base --suite null --set spin=1000 -k 8 --precision 10% --budget 30s
	has out 'not judged in 1 case: the head cannot'
	expect 0 bench duel ./rows ./gaps --suite null --set spin=1000 -k 8 --precision 10% --budget 30s
	has out 'not judged in 1 case: launches left gaps in the row'
	expect 0 bench duel ./base ./base --suite null --set spin=1000 -k 8 --precision 10% --budget 30s
	has_not out 'device_time'
}

test_the_verdict_is_there_in_other_formats()
{
	expect 0 bench duel "$BENCH" "X=1 $BENCH" --suite null --set spin=1000 -k 6 --budget 5s --precision 20% \
		--threshold 50% --format json --no-store
	[ "$(json out 'j["verdicts"][0]["verdict"] in ("same", "unclear")')" = True ] || fail "$(cat out)"
	[ "$(json out 'j["baseline"]["name"]')" = "$BENCH" ] || fail "$(cat out)"
	[ ! -e results.db ] || fail "--no-store stored"
}

test_a_slower_kernel_is_found_on_the_side_that_has_it()
{
	expect 0 bench list devices --format csv
	grep -Eq '^"?opencl:.*[",]cpu[",]' out || skip "there is no OpenCL device that is a CPU"
	mkdir kernels && cp "$BENCH_SOURCE"/backends/opencl/*/*.cl kernels
	sed -i -E 's/^#define WASTE_PERCENT 0/#define WASTE_PERCENT 100/' kernels/*.cl
	local invocations status slow="BENCH_KERNELS='$PWD/kernels' $BENCH" quick="BENCH_KERNELS=$BENCH_SOURCE/backends/opencl $BENCH"
	# On a machine that has other things to do the verdict may be "unclear", and more invocations are due.
	for invocations in 8 16 32; do
		status=0
		bench duel "$quick" "$slow" --suite gemm --set n=256 --backend opencl:cpu -k $invocations \
			--budget 60s --precision 20% >out || status=$?
		[ $status = 0 ] || break
	done
	[ $status = 1 ] || fail "exit status $status: $(cat out)"
	has out '^SLOWER: gemm '
	has out '^ *slower +gemm '
	expect 0 bench duel "$slow" "$quick" --suite gemm --set n=256 --backend opencl:cpu -k $invocations --budget 60s \
		--precision 20%
	has_not out slower
}

test_a_wrong_result_is_that_of_its_side()
{
	expect 0 bench list devices --format csv
	grep -Eq '^"?opencl:' out || skip "there is no OpenCL device"
	mkdir kernels && cp "$BENCH_SOURCE"/backends/opencl/*/*.cl kernels
	sed -i -E '/^static inline END finish/{n;s/\{/{ x *= (REAL)1.01;/}' kernels/*.cl
	local wrong="BENCH_KERNELS='$PWD/kernels' $BENCH" right="BENCH_KERNELS=$BENCH_SOURCE/backends/opencl $BENCH"
	expect 4 bench duel "$right" "$wrong" --suite gemm --set n=64 --backend opencl,openblas -k 1 --budget 1s
	has out '^ *broken +gemm .*opencl'
	has out 'incorrect: error'
	has out '^ *unclear +gemm .*openblas'
	cat runs/*/run.log >log
	has_not log 'crashed|not understood' # the base has that case ready, and never runs it
	expect 0 bench duel "$wrong" "$right" --suite gemm --set n=64 --backend opencl,openblas -k 1 --budget 1s
	has out '^ *new +gemm .*opencl'
	has out 'in the base: incorrect: error'
	has_not out '^ *(broken|slower)'
	has_not out 'gemm/opencl:.*/time'
}

test_a_side_that_cannot_fight_is_named_before_anything_is_measured()
{
	ln -s /bin/true true
	printf 'not a program\n' >text
	printf '#!/bin/sh\n[ "$1" = --version ] && echo "bench 0.0.1 (none, none)" && exit\nexit 2\n' >old
	chmod +x old
	local bad
	for bad in ./true ./text ./nosuch "$PWD" nosuchprogram; do
		expect 3 bench duel "$bad" "$BENCH" --suite null
		has err "$bad"
		expect 3 bench duel "$BENCH" "$bad" --suite null
		has err "$bad"
	done
	expect 3 bench duel ./old "$BENCH" --suite null
	has err './old.* is bench 0.0.1 .*too old for a duel'
	expect 2 bench duel "A='1 $BENCH" "$BENCH" --suite null
	has err 'a quote is not closed'
	expect 2 bench duel "$BENCH --suite null" "$BENCH"
	expect 2 bench duel "$BENCH"
	has err 'bench duel BASE HEAD'
	expect 2 bench duel -- "$BENCH"
	expect 2 bench duel "$BENCH" "$BENCH" --suite nul
	[ ! -e runs ] || fail "there is a run"
}

# Twenty times as slow, or as fast: on a busy machine eight pairs may not prove that, but their ratio shows it.
test_a_base_with_a_backend_meets_the_head_on_another()
{
	local pairs=(--set n=64 -k 8 --budget 60s --precision 20% --threshold 50%)
	bench duel "$BENCH --backend openblas" "$BENCH" --backend reference --suite gemm "${pairs[@]}" --format csv >out 2>err ||
		[[ $? == 1 ]]
	grep -Eq '^"?gemm/reference:[^/]*/dtype=f32,m=64.*,(slower|unclear),[0-9]{1,3}\.' out || fail "$(cat out)"
	[ "$(wc -l <out)" = 2 ] || fail "there is more than one verdict"
	json runs/*/metrics.json 'j["run"]["labels"]["duel_base"]' >label
	has label "$BENCH --backend openblas: bench [0-9]"
	json runs/*/metrics.json '[m["median"] > 2 for m in j["results"][0]["metrics"] if m["name"] == "relative_time"]' >found
	has found '[[]True]'
	rm -r runs
	expect 0 bench duel "$BENCH --backend=reference" "$BENCH" -b openblas --suite gemm,layout "${pairs[@]}" --set count=1000 \
		--filter 'layout~none|gemm'
	has out '(faster|unclear) +gemm openblas .*-[5-9][0-9]\.[0-9]%'
	has_not out 'missing|new ' # the host's cases are the same on both sides
}

test_a_backend_of_a_side_that_cannot_be_is_refused()
{
	expect 2 bench duel "$BENCH" "$BENCH --backend openblas" --backend reference --suite gemm
	has err 'only the base'
	expect 2 bench duel "$BENCH -b openblas,reference" "$BENCH" --backend reference --suite gemm
	has err 'each side has one device; the base has 2, the head .* 1'
	expect 2 bench duel "$BENCH -b openblas" "$BENCH" --backend openblas,reference --suite gemm
	has err 'the base has 1, the head .* 2'
	expect 2 bench duel "$BENCH --backend openbals" "$BENCH" --backend reference --suite gemm
	has err "no backend 'openbals'.*mean 'openblas'"
	expect 2 bench duel "$BENCH --backend" "$BENCH" --backend reference --suite gemm
	expect 2 bench duel "$BENCH --backend 'openblas" "$BENCH" --backend reference --suite gemm
	has err 'a quote is not closed'
	expect 2 bench gate --base "$BENCH --backend openblas" --backend reference --suite gemm
	has err "only the base of 'bench duel'"
	[ ! -e runs ] || fail "there is a run"
}

# A worker of an earlier version measures by itself and does not greet.
test_a_worker_that_takes_no_turns_is_named()
{
	side base 'exit 0'
	expect 3 bench duel ./base "$BENCH" --suite null
	has err "'./base' .*does not take turns"
	side chatty 'cat'
	expect 3 bench duel "$BENCH" ./chatty --suite null
	has err "'./chatty' .*does not take turns"
}

# As if that side's environment chose among the devices.
test_a_side_that_finds_another_device_is_named()
{
	side other 'sed "s/\"slug\":\"[^\"]*\"/\"slug\":\"other-gpu\"/g" | "$BENCH" "$@"'
	expect 4 bench duel "$BENCH" ./other --suite gemm --set n=64 --backend openblas -k 1 --budget 1s
	has out '^ *broken +gemm '
	has out 'device 0 of openblas is cpu-.* in the worker, and other-gpu where the run was planned'
}

test_cases_of_one_side_alone_are_named()
{
	printf '#!/bin/sh\nif [ "$1" = list ]; then "%s" "$@" | grep -v spin=7; else exec "%s" "$@"; fi\n' "$BENCH" "$BENCH" >less
	chmod +x less
	expect 0 bench duel ./less "$BENCH" --suite null --set spin=7,1000 -k 8 --budget 5s --precision 20% --threshold 50%
	has out '^ *new +null 7$'
	has out 'the base has no such case'
	expect 4 bench duel "$BENCH" ./less --suite null --set spin=7,1000 -k 8 --budget 5s --precision 20% --threshold 50%
	has out '^ *missing +null 7'
	has out 'the base has this case, and the head has not'
}

# A duel that would go on for seconds, in the background, with two of its workers' process ids in `pids`.
start_long_duel()
{
	side one 'echo $$ >>base.pids; exec "$BENCH" worker'
	side two 'echo $$ >>head.pids; exec "$BENCH" worker'
	bench duel ./one ./two --suite null --set spin=1000,2000 -k 1 --budget 2.5s --precision 0.0001% "$@" \
		>duel.out 2>duel.err &
	long_duel=$!
	wait_for '"metric": ?"base_time"' 'runs/*/samples.jsonl'
}

test_a_crash_in_the_head_breaks_its_case_and_no_other()
{
	local status=0
	start_long_duel
	kill -KILL "$(tail -n 1 head.pids)"
	wait "$long_duel" || status=$?
	[ $status = 4 ] || fail "exit status $status: $(cat duel.err)"
	has duel.out '^ *broken +null '
	has duel.out 'failed: crashed .*: SIGKILL'
	has duel.out '^ *unclear +null '
	nobody_is_left "$long_duel"
}

test_a_crash_in_the_base_is_not_the_heads()
{
	local status=0
	start_long_duel
	kill -KILL "$(tail -n 1 base.pids)"
	wait "$long_duel" || status=$?
	[ $status = 0 ] || fail "exit status $status: $(cat duel.err)"
	has duel.out '^ *new +null '
	has duel.out 'in the base: crashed .*: SIGKILL'
	has_not duel.out '^ *(broken|slower)'
	nobody_is_left "$long_duel"
}

test_a_worker_that_hangs_is_ended()
{
	local status=0
	start_long_duel --time-limit 1s
	kill -STOP "$(tail -n 1 head.pids)"
	wait "$long_duel" || status=$?
	[ $status = 4 ] || fail "exit status $status: $(cat duel.err)"
	has duel.out 'gave no sign of life for 1 s while it was sampled'
	nobody_is_left "$long_duel"
}

test_an_interrupted_duel_is_kept_and_leaves_nobody()
{
	local status=0
	start_long_duel
	kill -INT "$long_duel"
	wait "$long_duel" || status=$?
	[ $status = 130 ] || fail "exit status $status: $(cat duel.err)"
	valid runs/*/metrics.json
	[ "$(json runs/*/metrics.json 'j["run"]["interrupted"]')" = True ] || fail "it does not say that it was interrupted"
	nobody_is_left "$long_duel"
}

test_a_killed_duel_leaves_nobody()
{
	start_long_duel
	kill -KILL "$long_duel"
	wait "$long_duel" || true
	nobody_is_left "$long_duel"
	expect 0 bench show runs/*
}

test_help_has_an_example()
{
	expect 0 bench duel --help
	has out '^ +bench duel .*build/bench'
}
