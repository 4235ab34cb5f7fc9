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
