# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench tune: what it measures, goes on with, keeps and puts in force. No time is asserted, nor who wins.

# The first tunable of the OpenCL device that is a CPU, its default, and a candidate that is not the default.
find_tunable()
{
	bench tune --list --backend opencl:cpu --format json >tunables 2>err || skip "$(cat err)"
	name=$(json tunables 'j[0]["tunable"]')
	fallback=$(json tunables 'j[0]["default"]')
	other=$(json tunables '[v for v in j[0]["candidates"].split(",") if v != str(j[0]["default"])][0]')
	candidates=$(json tunables 'len(j[0]["candidates"].split(","))')
}

# A short run on that device, with the given further options.
short_run()
{
	expect 0 bench run --suite gemm --set n=64 --preset quick --filter dtype=f32,m=64,k=64 --set m=64 --set k=64 \
		--backend opencl:cpu -k 1 --budget 0.3s "$@"
}

# tuned_with RUN: what BENCH_TUNING was in the run; nothing where it was not set.
tuned_with()
{
	json "$1/metrics.json" 'j["host"].get("env.BENCH_TUNING", "")'
}

last_run()
{
	find runs -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2-
}

# Makes the candidate the winner on this host, device and the given driver (the device's own without one).
make_winner()
{
	python3 - "$(last_run)/metrics.json" "$name" "$fallback" "$other" "$@" <<-'EOF'
	import json, sqlite3, sys
	j = json.load(open(sys.argv[1]))
	name, fallback, other = sys.argv[2:5]
	device = j["devices"][0]
	driver = sys.argv[5] if len(sys.argv) > 5 else device["driver"]
	c = sqlite3.connect("results.db")
	c.execute("INSERT INTO tuning (fingerprint, backend, device, driver, name, value, base, step, step_lo, step_hi,"
		" ratio, lo, hi, chosen, run, created) VALUES (?, ?, ?, ?, ?, ?, ?, .8, .79, .81, .8, .79, .81, 1, 'x', 1)",
		(j["host"]["fingerprint"], device["backend"], device["device"], driver, name, int(other), int(fallback)))
	c.commit()
	EOF
}

# measured: how many candidates the history has.
measured()
{
	python3 -c 'import sqlite3; print(sqlite3.connect("results.db").execute("SELECT count(*) FROM tuning").fetchone()[0])'
}

test_list_shows_what_the_tunables_are()
{
	find_tunable
	expect 0 bench tune --list --backend opencl:cpu
	has out '^ *tunable .*default +chosen'
	has out "^ *$name .* $fallback +$fallback "
	[ "$(json tunables 'all(t["help"] and str(t["default"]) in t["candidates"].split(",") for t in j)')" = True ] ||
		fail "a tunable has no help, or a default that is no candidate: $(cat tunables)"
	[ "$(json tunables '[int(t["measured"]) for t in j] == [0] * len(j)')" = True ] || fail "$(cat tunables)"
	[ ! -e results.db ] || fail "a list made a history"
}

test_bad_arguments_are_refused_before_anything_is_measured()
{
	find_tunable
	expect 2 bench tune --only "${name}x" --backend opencl:cpu
	has err "--only '${name}x': no tunable matches: there are .*$name"
	has err "did you mean '$name'"
	expect 2 bench tune --backend nosuch
	has err "there is no backend 'nosuch'"
	expect 2 bench tune --backend opencl:nosuch
	has err "has no device 'nosuch'"
	expect 2 bench tune --budget soon
	has err "--budget 'soon'"
	expect 2 bench tune --list --forget
	has err 'exclude each other'
	expect 2 bench tune --restart --forget
	expect 2 bench tune --format junit
	expect 2 bench tune --restrat
	has err "did you mean '--restart'"
	expect 2 bench tune "$name"
	BENCH_TUNING=$name=$other expect 2 bench tune --backend opencl:cpu
	has err 'BENCH_TUNING is set'
	BENCH_SLOWDOWN=5% expect 2 bench tune --backend opencl:cpu
	has err 'BENCH_SLOWDOWN is set'
	expect 3 bench tune --backend reference
	has err 'nothing to tune'
	OCL_ICD_VENDORS=/nonexistent expect 3 bench tune --backend opencl
	has err 'nothing to tune: .*[Nn]o OpenCL platform'
	expect 3 bench tune --forget
	has err 'no history'
	expect 5 bench tune --backend opencl:cpu --db /proc/x.db
	has err /proc/x.db
	[ ! -e runs ] || fail "there is a run"
}

test_each_candidate_is_measured_once_and_an_interrupted_search_goes_on()
{
	local status=0 first total left=all calls=0 again=0
	find_tunable
	# The one with the fewest candidates: each is measured, and may be a program to compile.
	name=$(json tunables 'min(j, key=lambda t: len(t["candidates"].split(",")))["tunable"]')
	candidates=$(json tunables 'min(len(t["candidates"].split(",")) for t in j)')
	bench tune --backend opencl:cpu --only "$name" --budget "${candidates}s" >tune.out 2>tune.err &
	local tune=$!
	wait_for '(not )?chosen' tune.err
	kill -INT $tune 2>/dev/null || :
	wait $tune || status=$?
	# It may have come to its end meanwhile.
	[ $status = 130 ] || [ $status = 0 ] || fail "exit status $status: $(cat tune.err)"
	has tune.out "^ *$name "
	first=$(measured)
	[ "$first" -ge 1 ] || fail "what was measured is not kept"
	# Where the machine is slow the budget ends first, and another call goes on.
	while [ "$left" != 0 ] && [ $((calls += 1)) -le 6 ]; do
		expect 0 bench tune --backend opencl:cpu --only "$name" --budget "${candidates}s" --format json
		again=$((again + $(grep -c ' against ' err || :)))
		left=$(json out 'j[0]["left"]')
	done
	total=$(measured)
	[ "$again" = $((total - first)) ] || fail "$first, then $total: $(cat err)"
	[ "$(json out '(j[0]["measured"], j[0]["left"])')" = "($total, 0)" ] || fail "$(cat out)"
	[ "$total" -lt "$candidates" ] || fail "$total measured of $candidates, of which one is the default"
	expect 0 bench tune --backend opencl:cpu --only "$name"
	has err 'all candidates were measured before; --restart'
	has_not err ' against '
	expect 0 bench list runs
	has out "aside: tune $name="
	valid "$(last_run)/metrics.json"
	has "$(last_run)/metrics.json" 'bench duel --suite .*BENCH_TUNING='
	expect 0 bench tune --forget --backend opencl:cpu
	has err "forgot $total measurement"
	[ "$(measured)" = 0 ] || fail "not all is forgotten"
}

test_restart_measures_again()
{
	local status=0
	find_tunable
	short_run
	make_winner
	bench tune --backend opencl:cpu --only "$name" --budget 3s --restart >tune.out 2>tune.err &
	local tune=$!
	wait_for " against $fallback," tune.err
	kill -INT $tune
	wait $tune || status=$?
	[ $status = 130 ] || fail "exit status $status: $(cat tune.err)"
	[ "$(measured)" = 0 ] || fail "it did not begin anew, or kept what was interrupted"
}

test_a_winner_is_used_by_what_measures()
{
	local first
	find_tunable
	short_run
	first=$(last_run)
	[ -z "$(tuned_with "$first")" ] || fail "something is tuned without a search"
	make_winner
	expect 0 bench tune --list --backend opencl:cpu
	has out "^ *$name .* $fallback +$other +20.0% +19.0%..21.0%"
	short_run
	[ "$(tuned_with "$(last_run)")" = "$name=$other" ] || fail "$(tuned_with "$(last_run)")"
	has out "^tuned +$name=$other$"
	# Runs with and without it are not compared unasked.
	expect 3 bench compare --baseline "$(basename "$first")"
	has err "env.BENCH_TUNING: none in the baseline, $name=$other now"
	expect 0 bench compare --baseline "$(basename "$first")" --allow-env-change
	short_run --no-store
	[ "$(tuned_with "$(last_run)")" = "$name=$other" ] || fail "--no-store measures otherwise"
	expect 0 bench duel "$BENCH" "$BENCH" --suite gemm --set n=64 --set m=64 --set k=64 --preset quick \
		--filter dtype=f32 --backend opencl:cpu -k 1 --budget 0.5s
	[ "$(tuned_with "$(last_run)")" = "$name=$other" ] || fail "a duel does not inherit it"
	# What the user has set stays, also "".
	BENCH_TUNING='' short_run
	[ -z "$(tuned_with "$(last_run)")" ] || fail "it is set against the user's word"
	BENCH_TUNING=$name=$fallback short_run
	[ "$(tuned_with "$(last_run)")" = "$name=$fallback" ] || fail "$(tuned_with "$(last_run)")"
	expect 0 bench tune --forget --only "$name"
	short_run
	[ -z "$(tuned_with "$(last_run)")" ] || fail "what was forgotten is used"
	expect 3 bench tune --forget --only "$name"
}

test_a_winner_of_another_driver_is_not_used()
{
	find_tunable
	short_run
	make_winner 'another driver'
	short_run
	[ -z "$(tuned_with "$(last_run)")" ] || fail "$(tuned_with "$(last_run)")"
	expect 0 bench tune --list --backend opencl:cpu
	has out "^ *$name .* $fallback +$fallback "
	has err '1 more measurements are of other devices, drivers or tunables'
}

test_a_resumed_run_keeps_the_values_that_it_began_with()
{
	local run status=0
	find_tunable
	short_run
	make_winner
	bench run --suite gemm --set n=64 --set m=64 --set k=64 --preset quick --filter dtype=f32 --backend opencl:cpu -k 20 \
		--budget 60s --precision 0.0001% --no-store --runs-dir late >run.out 2>run.err &
	local job=$!
	wait_for '"event": ?"end"' 'late/*/samples.jsonl'
	kill -KILL $job
	wait $job || status=$?
	run=$(echo late/*)
	expect 0 bench tune --forget
	expect 0 bench run --resume "$run" --budget 1s --no-store
	[ "$(tuned_with "$run")" = "$name=$other" ] || fail "$(tuned_with "$run")"
	valid "$run/metrics.json"
}

test_help_has_an_example()
{
	expect 0 bench tune --help
	has out '^ +bench tune --backend'
}

# A file k.cl of a kernel that copies 4096 numbers, with tunables and a body; the default repeats its work.
write_kernel()
{
	cat >k.cl <<-END
		/* bench {"params": {"n": 4096}, "args": [{"name": "x", "type": "float", "shape": "n"},
		  {"name": "y", "type": "float", "shape": "n", "access": "out", "check": "x[i]"}],
		  "options": "-DT={T} -DR={R}", "global": "n", "local": "T", $1} */
		kernel void k(global const float *x, global float *y)
		{
		  int i = get_global_id(0);
		  float sum = 0;
		  for (int r = 0; r < R * 50; r++)
		    sum = sum * 0.5f + x[i];
		  ${2:-y[i] = x[i] + (sum > 1e30f);}
		}
	END
}

tune_kernel()
{
	expect "$1" bench tune --kernel k.cl --backend opencl:cpu "${@:2}"
}

# One of them is the fastest by far, so that a proven winner has no rival.
combinations='"tune": {"T": [8, 16], "R": [40, 1, 5]}, "constraints": ["T <= n", "T != 16 || R == 40"]'

test_a_kernel_is_tuned_and_its_winner_is_used()
{
	find_tunable
	write_kernel "$combinations"
	tune_kernel 0 --list
	has err '4 of 6 combinations are possible; .*k.cl:3:.*T != 16'
	has out '^ *k .* T=8,R=40 +T=8,R=40 +- .* 0 +3 +4 combinations'
	[ ! -e runs ] || fail "a list measured"
	# Fortyfold work is seen on any machine; how many invocations a busy one makes is not known.
	tune_kernel 0 --budget 20s --format json
	has err 'k: 3 of 3 measured, best T=8,R=1:'
	grep -q 'too few invocations' err && skip "the machine is too busy to prove a winner"
	has err 'k T=8,R=1: .* of the time of T=8,R=40 .*: chosen'
	local chosen run
	chosen=$(json out 'j[0]["chosen"]')
	[[ $chosen = T=*,R=1 ]] || fail "$(cat out)"
	[ "$(json out 'float(j[0]["hi"]) < 0.99 and int(j[0]["left"]) == 0')" = True ] || fail "$(cat out)"
	run=$(json out 'j[0]["run"]')
	valid "runs/$run/metrics.json"
	has "runs/$run/metrics.json" 'bench duel --kernel k.cl .*BENCH_TUNING='
	expect 0 bench run --kernel k.cl --backend opencl:cpu -k 1 --budget 0.2s --watch no
	has out '^tuned +.*k.R=1'
	has_not out 'R=1,'
	[[ $(tuned_with "$(last_run)") = *k.R=1* ]] || fail "$(tuned_with "$(last_run)")"
	expect 0 bench list runs
	has out 'aside: tune k T='
	# All was measured: no duel again.
	tune_kernel 0 --budget 20s
	has err 'k: all combinations were measured before; --restart'
	has_not err ' against '
	# Another source is another kernel.
	sed -i 's/1e30f/2e30f/' k.cl
	expect 0 bench run --kernel k.cl --backend opencl:cpu -k 1 --budget 0.2s --watch no --no-store
	has_not out '^tuned'
	tune_kernel 0 --list
	has out '^ *k .* T=8,R=40 +T=8,R=40 +- '
	sed -i 's/2e30f/1e30f/' k.cl
	tune_kernel 0 --forget
	has err 'forgot [34] measurements' # the default may be a finalist
	tune_kernel 3 --forget
	expect 0 bench run --kernel k.cl --backend opencl:cpu -k 1 --budget 0.2s --watch no --no-store
	has_not out '^tuned'
}

test_candidates_that_fail_are_named_and_never_win()
{
	find_tunable
	write_kernel '"tune": {"T": [8, 16], "R": [40, 1, 2]}' 'y[i] = R == 1 ? 0 : x[i] + (sum > 1e30f);
	#if R == 2
	  no such thing
	#endif'
	tune_kernel 0 --budget 60s
	has err 'k T=8,R=1 is dropped: .*y'
	has err 'k T=16,R=1 is dropped: '
	has err 'k T=8,R=2 is dropped: .*clBuildProgram'
	has_not err 'R=[12]: .*chosen'
	has out '^ *k .* 5 +0 +6 combinations'
}

test_a_default_that_is_wrong_ends_the_search()
{
	find_tunable
	write_kernel '"tune": {"T": [8, 16], "R": [1]}' 'y[i] = T == 8 ? 3 : x[i];'
	tune_kernel 4 --budget 10s
	has err 'T=8,R=1, against which others are measured: error .*y.[0-9]+. is 3'
	[ "$(measured)" = 0 ] || fail "something is kept"
}

test_an_interrupted_search_of_a_kernel_goes_on()
{
	local status=0 first values
	find_tunable
	values=$(seq -s ', ' 1 40)
	write_kernel '"tune": {"T": [8, 16], "R": ['"$values"']}'
	bench tune --kernel k.cl --backend opencl:cpu --budget 300s >tune.out 2>tune.err &
	local tune=$!
	wait_for ' measured, best ' tune.err
	kill -KILL $tune
	wait $tune || status=$?
	[ $status = 137 ] || fail "exit status $status: $(cat tune.err)"
	first=$(measured)
	[ "$first" -ge 8 ] || fail "what was measured is not kept"
	bench tune --kernel k.cl --backend opencl:cpu --budget 300s >tune.out 2>again.err &
	tune=$!
	wait_for ' measured, best ' again.err
	kill -INT $tune
	status=0
	wait $tune || status=$?
	[ $status = 130 ] || fail "exit status $status: $(cat again.err)"
	[ "$(measured)" -gt "$first" ] || fail "the second search measured nothing new"
	has_not again.err '^bench: k: 8 of'
	has tune.out '^ *k '
}

test_bad_arguments_of_a_kernel_are_refused()
{
	write_kernel '"tune": {"T": [8, 16], "R": [1]}, "constraints": ["T > 8"]'
	tune_kernel 2 --list
	has err "k.cl:3:.*constraints: 'T > 8' does not hold for n=4096,T=8,R=1"
	write_kernel '"tune": {"T": [8, 0.5], "R": [1]}'
	tune_kernel 2 --list
	has err 'k.cl:3:[0-9]+: tunable T: expected whole numbers'
	write_kernel "$combinations"
	tune_kernel 2 --only 'k.*'
	has err 'only is for the tunables of backends'
	tune_kernel 2 --kernel k.cl
	has err 'one kernel at a time'
	expect 2 bench tune --seed 3
	has err 'seed goes with --kernel'
	expect 2 bench tune --kernel nothere.cl
	has err nothere.cl
	tune_kernel 3 --backend openblas
	has err 'nothing to tune: no device that is selected runs the kernel'
	BENCH_TUNING=k.R=3 expect 2 bench run --kernel k.cl
	has err "k.R='3': it can be 40, 1, 5"
	BENCH_TUNING=k.S=3 expect 2 bench run --kernel k.cl
	has err "tunable 'k.S'; did you mean 'k"
	# Kernels of a project are not tuned unasked.
	echo '{"kernels": ["k.cl"]}' >.bench.json
	expect 0 bench tune --list --backend opencl:cpu
	has_not out '^ *k '
	rm .bench.json
	sed -i 's/, "tune".*} \*/} */; s/-DT={T} -DR={R}/-DR=1/; s/"local": "T"/"local": 8/' k.cl
	tune_kernel 2
	has err 'leaves nothing to tune'
	[ ! -e runs ] || fail "there is a run"
}
