# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Known slowdowns, and how often they are found. No test asserts a time: a call that takes ten times as long is found
# on any machine, if need be with more invocations.

# The case of all tests here: a call that is nothing but arithmetic.
one=(--suite null --set spin=1000)

test_a_slowed_run_cannot_pass_for_a_real_one()
{
	export BENCH_SLOWDOWN='50%:null/*spin=1000'
	expect 0 bench run --suite null --set spin=0,1000 -k 3 --budget 0.5s
	has out '^slowed +1 of 2 cases, by 50%, on purpose'
	has out '^aside +slowdown 50%:null/'
	has err 'warning: BENCH_SLOWDOWN is set'
	has runs/*/run.log 'warning: BENCH_SLOWDOWN is set'
	valid runs/*/metrics.json
	[ "$(json runs/*/metrics.json 'j["run"]["labels"]["aside"]')" = 'slowdown 50%:null/*spin=1000' ] ||
		fail "the run has no label"
	[ "$(json runs/*/metrics.json '[r["notes"].get("slowdown") for r in j["results"]]')" = "[None, '50%']" ] ||
		fail "the notes are not on the slowed case, or not on it alone"
	unset BENCH_SLOWDOWN
	expect 0 bench show runs/*
	has out '^slowed +1 of 2 cases'
	expect 0 bench run "${one[@]}" -k 3 --budget 0.5s
	has_not out slowed
	has_not err slowed
}

test_what_is_no_slowdown_is_refused_before_anything_is_run()
{
	local value
	for value in abc 0 -3% 2000% 3%: nan '3%:gemm*'; do
		BENCH_SLOWDOWN=$value expect 2 bench run "${one[@]}" -k 3 --budget 0.5s
		has err 'BENCH_SLOWDOWN'
		[ ! -s out ] || fail "something was shown for '$value'"
		[ ! -e runs ] || fail "something was run for '$value'"
	done
}

test_a_call_that_takes_ten_times_as_long_is_always_found()
{
	local budget
	# On a machine that has other things to do it takes more invocations, and all of them are disturbed.
	for budget in 1 2 4 8; do
		rm -rf runs results.db
		expect 0 bench power "${one[@]}" --slowdowns 900% --trials 2 --watch no --run-budget ${budget}s -k $((6 * budget)) --format json
		[ "$(json out 'j["levels"][1]["cases_slower"]["hits"]')" != 2 ] || break
	done
	[ "$(json out 'j["schema"]')" = bench-power/1 ] || fail "schema: $(cat out)"
	[ "$(json out '[j["levels"][1][k]["hits"] for k in ("runs_slower", "cases_slower")]')" = '[2, 2]' ] ||
		fail "not found always: $(cat out)"
	[ "$(json out '[l["runs_slower"]["trials"] for l in j["levels"]]')" = '[5, 2]' ] || fail "trials: $(cat out)"
	[ "$(json out '(j["cases"][0]["case"], j["cases"][0]["found_95"])')" = "('null/host:cpu/spin=1000', 9)" ] ||
		fail "the case: $(cat out)"
	# All are kept, for what they are.
	expect 0 bench list runs --format json
	[ "$(json out 'len(j)')" = 7 ] || fail "not all runs are in the history"
	local metrics slowed=0
	for metrics in runs/*/metrics.json; do
		[ "$(json "$metrics" 'j["run"]["labels"]["aside"]')" = power ] || fail "$metrics has no label"
		[ "$(json "$metrics" 'j["results"][0]["notes"].get("slowdown")')" != '900%' ] || slowed=$((slowed + 1))
	done
	[ $slowed = 2 ] || fail "$slowed runs are noted as slowed, and not 2"
}

test_an_interrupted_one_counts_what_it_has()
{
	local status=0
	bench power "${one[@]}" --slowdowns 100% --trials 500 --run-budget 0.5s -k 3 --format json >power.out 2>power.err &
	local power=$!
	# The first block is over: three runs of unchanged code and one that was slowed.
	wait_for '^\[4/' power.err
	kill -INT $power
	wait $power || status=$?
	[ $status = 130 ] || fail "exit status $status: $(cat power.err)"
	[ "$(json power.out '[l["runs_slower"]["trials"] >= n for l, n in zip(j["levels"], (3, 1))]')" = '[True, True]' ] ||
		fail "what was measured is not counted: $(cat power.out)"
}

test_the_formats()
{
	local args=("${one[@]}" --slowdowns 100% --trials 2 --baseline-runs 1 --run-budget 0.3s -k 2 --no-store)
	expect 0 bench power "${args[@]}" --budget 60s
	has out '^5 runs of .*each against 1 of unchanged code; threshold 5.0%, alpha 0.01'
	has out '^ +slowdown +runs called slower'
	has out 'null/host:cpu/spin=1000 +[0-9]/3 +[0-9]/2 '
	has err 'the budget held 2 runs at each slowdown'
	[ ! -e results.db ] || fail "--no-store made a history"
	expect 0 bench power "${args[@]}" --format csv
	has out '^what,case,slowdown,hits,trials,rate,lo,hi$'
	has out '^case_slower,"null/host:cpu/spin=1000",1,'
	gnuplot --version >version 2>&1 || skip "gnuplot is not installed"
	expect 0 bench power "${args[@]}" --format markdown -o power.svg
	has out '^# Power'
	has power.svg '<svg'
}

# refused WORDS ARGUMENT...: a usage error before anything is measured.
refused()
{
	local words=$1
	shift
	expect 2 bench power "${one[@]}" "$@"
	has err "$words"
	[ ! -s out ] || fail "something was shown: $*"
	[ ! -e runs ] || fail "something was measured: $*"
}

test_what_cannot_be_is_refused()
{
	refused "slowdowns 'x'" --slowdowns x
	refused "slowdowns '5%,2%'.*ascending" --slowdowns 5%,2%
	refused "slowdowns '0%'" --slowdowns 0%
	refused "slowdowns: none is given|slowdowns ''" --slowdowns ''
	refused "trials '1'" --trials 1
	refused "trials 'many'" --trials many
	refused "baseline-runs '0'" --baseline-runs 0
	refused "threshold 'x'" --threshold x
	refused 'alpha 2: say 2% \(or 0.02\)' --alpha 2
	refused 'slowdowns 5: say 5% \(or 0.05\)' --slowdowns 2%,5
	refused "'p.gif'.*svg" -o p.gif
	refused "run-budget '0'" --run-budget 0
	refused '15 are needed .3 for the baseline.*use --budget 150s, or --run-budget 4s' --run-budget 10s --budget 60s
	refused 'preset full has no budget.*--run-budget' --preset full
	refused "did you mean '--trials'" --trails 3
	BENCH_SLOWDOWN=3% refused 'sets BENCH_SLOWDOWN itself'
	expect 2 bench power --suite nul
	has err "did you mean 'null'"
	expect 0 bench power --help
	has out '^ +bench power --suite'
}
