# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016 # the scripts that are written here expand theirs themselves
# The gate that sets an executable against its base, in turns: silent where nothing changed, and never green
# where something is wrong.

case=(--suite null --set spin=1000 --precision 20%)

test_the_same_executable_passes()
{
	expect_in_time 0 6 bench gate --base "$BENCH" "${case[@]}" --threshold 50%
	has err "^gate: (PASS|UNCLEAR): 1 (same|unclear) \(interleaved with $BENCH; [0-9]+ s\)$"
	has out "against $BENCH; a change of "
	valid runs/*/metrics.json
	[ "$(json runs/*/metrics.json 'j["run"]["labels"]["aside"]')" = gate ] || fail "it is part of a history"
}

test_what_is_slower_is_measured_again_and_confirmed()
{
	local budget status
	# On a machine that has other things to do the verdict may be "unclear", and more time is due.
	for budget in 8s 30s 60s; do
		status=0
		BENCH_SLOWDOWN=100% bench gate --base "BENCH_SLOWDOWN= $BENCH" "${case[@]}" --budget $budget --threshold 20% \
			--format github >out 2>err || status=$?
		[ $status = 0 ] || break
	done
	[ $status = 1 ] || fail "exit status $status: $(cat out err)"
	has err 'measured again, in fresh processes: 1 case that looks slower'
	has out '^::error title=slower.* null/host%3Acpu/spin=1000/time::.*(confirmed|slower) in fresh processes'
	has out '^::error title=bench gate::SLOWER: null 1000: '
	expect 0 bench list runs
	has out 'aside: confirms '
}

test_a_case_that_vanished_is_missing()
{
	printf '#!/bin/sh\n[ "$1" != list ] || printf "\\"null/host:cpu/spin=77\\",\\"\\"\\n"\nexec "%s" "$@"\n' "$BENCH" >larger
	chmod +x larger
	expect 4 bench gate --base ./larger "${case[@]}" -k 1 --budget 2s
	has out '^ *missing +null 77'
	has err '^gate: FAIL: 1 missing; 1 unclear'
}

test_what_is_wrong_is_broken_and_measured_again()
{
	expect 0 bench list devices --format csv
	grep -Eq '^"?opencl:' out || skip "there is no OpenCL device"
	mkdir kernels && cp "$BENCH_SOURCE"/backends/opencl/*/*.cl kernels
	sed -i -E '/^static inline END finish/{n;s/\{/{ x *= (REAL)1.01;/}' kernels/*.cl
	BENCH_KERNELS=$PWD/kernels expect 4 bench gate --base "BENCH_KERNELS=$BENCH_SOURCE/backends/opencl $BENCH" --suite gemm \
		--set n=64 --backend opencl -k 1 --budget 2s
	has out '^ *broken +gemm '
	has out 'incorrect: error.*; incorrect again in fresh processes'
	has err '^gate: FAIL: 1 broken'
}

# older WORD: ./older, a bench that refuses to list cases where an argument matches the word.
older()
{
	printf '#!/bin/bash\n[[ "$1 $2 $* " != "list cases "*%s* ]] || { echo "bench: unknown" >&2; exit 2; }\nexec "%s" "$@"\n' \
		"$1" "$BENCH" >older
	chmod +x older
}

test_a_suite_that_the_base_does_not_know_is_new_and_the_rest_is_judged()
{
	local both=(--suite 'null,elementwise' --set spin=1000 --set count=1000 --filter 'suite!=none' --backend reference)
	older elementwise
	expect_in_time 0 6 bench gate --base ./older "${both[@]}" --precision 20% --threshold 50% --undecided 100%
	has out '^ *new +elementwise '
	has out 'the base has no such case'
	has err '^gate: (PASS|UNCLEAR): 1 (same|unclear), 1 new '
	older count
	expect_in_time 0 6 bench gate --base ./older "${both[@]}" --precision 20% --threshold 50% --undecided 100%
	has err '^gate: (PASS|UNCLEAR): 1 (same|unclear), 1 new '
}

test_where_all_is_new_a_history_has_begun()
{
	older preset
	expect 7 bench gate --base ./older "${case[@]}" --preset quick -k 1 --budget 1s
	has out '^ *new +null 1000'
	has err '^gate: BEGUN: 1 new '
	has out '^FIRST NIGHT: '
	printf '#!/bin/sh\n[ "$1" != list ] || exit 0\nexec "%s" "$@"\n' "$BENCH" >none
	chmod +x none
	expect 7 bench duel ./none "$BENCH" "${case[@]}" -k 1 --budget 1s
	has out '^ *new +null 1000'
}

test_a_base_that_fails_is_no_pass()
{
	printf '#!/bin/sh\n[ "$1" != list ] || exit 5\nexec "%s" "$@"\n' "$BENCH" >broken
	chmod +x broken
	expect 3 bench gate --base ./broken "${case[@]}" -k 1 --budget 1s
	has err 'ended with exit status 5'
	[ ! -e runs ] || fail "there is a run"
}

test_all_is_without_the_harness_itself()
{
	local filter='spin=1000'
	expect 2 bench gate --base "$BENCH" --filter "$filter" --budget 1s
	has err "no suite of this run has a parameter 'spin'"
	expect 0 bench run --suite all --filter "$filter" -k 1 --budget 0.2s --no-store
	expect 3 bench gate --base "$BENCH" --filter suite=null --budget 1s
	has err "no case matches the filter 'suite=null'"
}

test_bad_arguments_are_said_before_anything_is_measured()
{
	local given
	for given in --baseline=rolling:3 --reference=last --allow-env-change; do
		expect 2 bench gate --base "$BENCH" "$given" "${case[@]}"
		has err "--base measures what it compares with.*${given%%=*} does not go with it"
	done
	expect 2 bench gate --base "$BENCH" --cache cold "${case[@]}"
	has err 'cache cold'
	expect 2 bench gate --base "$BENCH" --threshold 0x "${case[@]}"
	expect 2 bench gate --base '' "${case[@]}"
	expect 2 bench gate --base "A='1 $BENCH" "${case[@]}"
	expect 3 bench gate --base ./nosuch "${case[@]}"
	has err './nosuch'
	expect 3 bench gate --base /bin/true "${case[@]}" --format junit
	has out '<failure message='
	[ ! -e runs ] || fail "there is a run"
}

test_an_interrupted_gate_has_no_verdict()
{
	local gate status=0
	bench gate --base "$BENCH" --suite null --set spin=1000 --precision 0.0001% --budget 60s >gate.out 2>gate.err &
	gate=$!
	wait_for 'invocations, into' gate.err
	kill -INT "$gate"
	wait "$gate" || status=$?
	[ "$status" = 130 ] || fail "exit status $status, not 130: $(cat gate.err)"
	has gate.err 'gate: FAIL: interrupted, no verdict'
}
