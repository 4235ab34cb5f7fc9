# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The nightly gate: silent where nothing changed, and never green where something is wrong. Times of the null
# suite are compared with a threshold that chance does not reach.

# Other tests at work beside them are no disturbance here.
case=(--suite null --set spin=1000 -k 6 --budget 5s --precision 50% --watch no)
night=(bench gate "${case[@]}" --threshold 900%)
rolling=("${night[@]}" --baseline rolling:10)

first_night()
{
	expect 7 "${rolling[@]}"
}

# How many runs there are.
runs()
{
	find runs -mindepth 1 -maxdepth 1 -type d | wc -l
}

expect_runs()
{
	[ "$(runs)" = "$1" ] || fail "$(runs) runs, not $1"
}

# altered STATEMENT: a copy of the only run, folder `altered`, of which the statement changes the record `j`.
altered()
{
	cp -r runs/* altered
	python3 - "$1" <<-'END'
		import json, sys
		j = json.load(open("altered/metrics.json"))
		def scale(metric, factor):
		    for series in metric["samples"]:
		        series["values"] = [value * factor for value in series["values"]]
		exec(sys.argv[1])
		json.dump(j, open("altered/metrics.json", "w"))
	END
}

every_time="for r in j['results']:
    for m in r['metrics']:
        if m['name'] == 'time': scale(m, "

test_the_first_night_has_no_verdict_and_its_run_is_kept()
{
	first_night
	has err 'no verdict yet: .*no finished run before'
	has err 'Run [0-9-]+ is kept'
	has out '^FIRST NIGHT: '
	has out '^  bench gate --suite null '
	expect_runs 1
	expect 0 "${rolling[@]}"
	has err '^gate: (PASS|UNCLEAR): .*\(baseline rolling:10, 1 run; [0-9]+ s\)$'
	head -n 1 out | grep -Eq '^(SAME|FASTER|UNCLEAR): ' || fail "the answer is not the first line: $(cat out)"
	expect_runs 2
}

test_what_is_slower_is_measured_again_confirmed_and_named()
{
	first_night
	altered "$every_time 0.01)"
	sleep 1 # runs are told apart by their second
	expect 1 "${night[@]}" --baseline altered
	has err 'measured again, in fresh processes: 1 case that looks slower or broken, or is undecided'
	head -n 1 out | grep -q '^SLOWER: null 1000: ' || fail "the answer is not the first line: $(cat out)"
	has out '^ *slower +null 1000 '
	has out '^  bench alarms accept 1 --why '
	has out '(confirmed|slower) in fresh processes \(\+'
	has err '^gate: FAIL: 1 slower; 1 new alarm \(1 metric\) \(baseline altered, 1 run; '
	expect_runs 3
	grep -l '"aside"' runs/*/metrics.json >aside
	[ "$(wc -l <aside)" = 1 ] || fail "not one run is aside: $(cat aside)"
	has "$(cat aside)" '"confirms [0-9-]+"'
	# The second run is no night of its own.
	expect 1 "${rolling[@]}"
	has out "open since"
	has err 'baseline rolling:10, 2 runs'
	# Pasted as they stand, the commands work.
	grep -E '^  bench alarms ' out >pasted
	expect 0 bash -e pasted
	has out '^on .*, by: bench gate --suite null '
	expect 0 bench alarms
	has out '^no alarm is open$'
}

test_drift_is_seen_against_the_reference()
{
	first_night
	altered "$every_time 0.01)"
	expect 1 "${rolling[@]}" --reference altered
	has out 'drift: \+[0-9.]+% against reference [0-9-]+; [+-][0-9.]+% against rolling:10'
	has err '^gate: FAIL: 1 slower; 1 new alarm \(1 metric\) \(baseline rolling:10, 1 run; reference altered; '
}

test_an_accepted_shift_is_no_drift_any_more()
{
	first_night
	altered "$every_time 0.01)"
	sleep 1 # runs are told apart by their second
	expect 1 "${rolling[@]}" --reference altered
	has out 'drift: '
	expect 0 bench baseline accept 'null/*/time' --why 'as it should be'
	expect 0 "${rolling[@]}" --reference altered
	has err "all metrics of reference 'altered' have accepted shifts"
	has err '^gate: (PASS|UNCLEAR): 1 '
}

test_a_reference_that_shares_nothing_is_no_pass()
{
	expect 0 bench run --suite gemm --set n=8 --backend openblas -k 1 --budget 0.2s
	expect 0 bench baseline set reference
	first_night
	expect 3 "${rolling[@]}"
	has out '^NO VERDICT: reference: .*no metric in common'
}

test_the_baseline_named_reference_is_the_reference()
{
	first_night
	expect 0 bench baseline set reference
	expect 0 bench run "${case[@]}"
	expect 0 "${night[@]}" --baseline last
	has out 'reference reference'
	expect 2 "${rolling[@]}" --reference no-such
	has err 'no-such'
}

test_a_vanished_case_is_missing()
{
	first_night
	altered "j['results'][0]['case']['spin'] = '77'"
	expect 4 "${night[@]}" --baseline altered
	has out '^ *missing +null 77 '
	has out "^  bench baseline accept null/host:cpu/spin=77/time --why '...'"
	has err '^gate: FAIL: 1 missing; 1 new'
	expect 4 "${night[@]}" --baseline altered --format json
	[ "$(json out 'j["gate"]["passed"], j["counts"]["missing"]')" = "(False, 1)" ] || fail "$(cat out)"
}

test_a_vanished_metric_is_missing()
{
	first_night
	altered "import copy; r = j['results'][0]; r['metrics'].append(copy.deepcopy(r['metrics'][0])); r['metrics'][-1]['name'] = 'heat'; r['metrics'][-1]['better'] = 'lower'"
	expect 4 "${night[@]}" --baseline altered
	has out '^ *missing +null .*heat '
}

test_what_fails_or_is_wrong_is_broken_in_the_first_night_too()
{
	local gate=(bench gate --suite gemm --set n=8 --backend opencl -k 2 --budget 1s --baseline rolling:10)
	expect 7 "${gate[@]}"
	! grep -q unsupported err || skip "there is no OpenCL device"
	BENCH_KERNELS=/nonexistent expect 4 "${gate[@]}"
	has out '^ *broken +gemm '
	has out 'was ok, now failed: .*; failed again in fresh processes'
	mkdir kernels && cp "$BENCH_SOURCE"/backends/opencl/*/*.cl kernels
	sed -i -E '/^static inline END finish/{n;s/\{/{ x *= (REAL)1.01;/}' kernels/*.cl
	BENCH_KERNELS=$PWD/kernels expect 4 "${gate[@]}"
	has out 'now incorrect: '
	has err '^gate: FAIL: 1 broken'
	forget_history
	BENCH_KERNELS=$PWD/kernels expect 4 "${gate[@]}"
	has err 'no verdict yet'
}

test_a_broken_command_is_repeated_by_the_printed_line()
{
	local gate=(bench gate --exec work.json --invocations 2 --budget 5s --precision 50%)
	echo '{"command": ["bash", "work.sh"]}' >work.json
	echo 'exit 0' >work.sh
	expect 7 "${gate[@]}"
	echo 'exit 3' >work.sh
	expect 4 "${gate[@]}"
	has out '^  bench run .*--exec work.json$'
	local again
	again=$(sed -n '/^to see it fail again:/{n;p}' out)
	expect 4 bash -c "$again --no-store"
	has out 'exit status 3, not 0'
}

test_a_night_after_nights_that_all_failed_is_a_first_one()
{
	local gate=(bench gate --suite null --set spin=100000000 -k 2 --budget 1s --baseline rolling:10)
	expect 4 "${gate[@]}" --time-limit 0.02s
	expect 7 "${gate[@]}"
	has err 'no verdict yet: .* no metric in common'
	"${gate[@]}" --strict >out 2>err || true
	has err 'baseline rolling:10'
}

test_another_environment_is_refused_before_time_is_spent()
{
	[ "$(nproc)" -gt 1 ] || skip "there is one processor: no other thread count"
	expect 7 "${rolling[@]}" --threads 2
	expect 3 "${rolling[@]}" --threads 1
	has err 'threads: 2 in the baseline, 1 now'
	has err 'allow-env-change'
	has_not err 'invocations, into'
	expect_runs 1
	# Allowed once, the baseline is what came since.
	expect 0 "${rolling[@]}" --threads 1 --allow-env-change
	has out 'environment changed, as allowed: threads: 2 in the baseline, 1 now'
	expect 0 "${rolling[@]}" --threads 1
	has err 'the newest 1 of its 2 runs are of this environment'
	expect 3 "${rolling[@]}" --threads 2
	has err 'threads: 1 in the baseline, 2 now'
}

test_another_device_or_none_is_refused_by_name()
{
	local gate=(bench gate --suite gemm --set n=8 --backend opencl -k 2 --budget 1s --baseline rolling:10)
	expect 7 "${gate[@]}"
	! grep -q unsupported err || skip "there is no OpenCL device"
	BENCH_OPENCL_KIND=gpu expect 3 "${gate[@]}"
	has err 'device opencl:.*: measured in the baseline, not there now'
	OCL_ICD_VENDORS=/nonexistent expect 3 "${gate[@]}"
	has err 'device opencl:.*: measured in the baseline, not there now'
	expect_runs 1
	OCL_ICD_VENDORS=/nonexistent expect 4 "${gate[@]}" --allow-env-change
	has out '^ *missing +gemm '
	has out 'its device is not there any more'
}

test_nothing_measured_is_no_pass()
{
	OCL_ICD_VENDORS=/nonexistent expect 3 bench gate --suite gemm --set n=8 --backend opencl -k 1 --budget 1s --baseline rolling:10
	OCL_ICD_VENDORS=/nonexistent expect 3 bench gate --suite gemm --set n=8 --backend opencl -k 1 --budget 1s --baseline rolling:10
	has err 'nothing to compare'
}

test_runs_that_share_nothing_are_no_pass()
{
	expect 0 bench run --suite gemm --set n=8 --backend openblas -k 1 --budget 0.2s
	expect 3 "${night[@]}" --baseline last
	has err 'no metric in common'
}

test_junit_is_xml_with_a_testcase_a_metric()
{
	local check=(python3 "$BENCH_SOURCE/tests/junit_check.py" out)
	expect 7 "${rolling[@]}" --format junit
	has out '<failure message="no verdict yet: '
	"${check[@]}" || fail "$(cat out)"
	altered "j['results'][0]['case']['spin'] = '77'"
	expect 4 "${night[@]}" --baseline altered --format junit
	"${check[@]}" || fail "$(cat out)"
	python3 - <<-'END' || fail "$(cat out)"
		import xml.etree.ElementTree as xml
		root = xml.parse("out").getroot()
		assert [s.get("name") for s in root] == ["null"], root
		assert [f.get("type") for f in root.iter("failure")] == ["missing"]
		assert len(list(root.iter("testcase"))) == 2
	END
	expect 4 bench compare last --baseline altered --format junit
	"${check[@]}" || fail "$(cat out)"
}

test_github_gets_commands_and_a_summary()
{
	first_night
	altered "j['results'][0]['case']['spin'] = '77'"
	echo 'of another step' >summary.md
	GITHUB_STEP_SUMMARY=$PWD/summary.md expect 4 "${night[@]}" --baseline altered --format github
	has out '^::error title=missing%3A null/host%3Acpu/spin=77/time::null/host:cpu/spin=77/time: '
	has out '^::error title=bench gate::MISSING: 1 of 2, 1 new. null 77: '
	has_not out '^[^:]'
	has summary.md '^of another step$'
	has summary.md '^\| missing \|'
}

test_formats_of_verdicts_are_for_verdicts_alone()
{
	expect 2 bench list suites --format junit
	has err 'bench list cannot give junit.* it can give table, json, csv and markdown'
	expect 2 bench run --suite null --format github
	[ ! -e runs ] || fail "something was measured"
}

test_an_interrupted_gate_has_no_verdict()
{
	local gate status=0
	first_night
	bench gate "${case[@]/50%/0.0001%}" --budget 60s --threshold 900% >gate.out 2>gate.err &
	gate=$!
	wait_for 'invocations, into' gate.err
	kill -INT "$gate"
	wait "$gate" || status=$?
	[ "$status" = 130 ] || fail "exit status $status, not 130: $(cat gate.err)"
	has gate.err 'gate: FAIL: interrupted, no verdict; run [0-9-]+ has what was measured'
	[ ! -s gate.out ] || fail "something is on stdout"
}

test_bad_arguments_are_said_before_anything_is_measured()
{
	expect 2 "${night[@]}" --baseline mian
	has err 'mian'
	expect 2 "${night[@]}" --baseline rolling:0
	expect 2 "${night[@]}" --baseline ''
	expect 2 "${rolling[@]}" --alpha 7
	expect 2 "${rolling[@]}" --format junti
	has err "did you mean 'junit'"
	[ "$(runs 2>/dev/null)" = 0 ] || fail "something was measured"
}

test_verdicts_are_kept()
{
	first_night
	expect 0 "${rolling[@]}"
	history_sql 'SELECT count(*) FROM verdict' >kept
	has kept '^1$'
}

test_nightly_exits_as_the_gate_does_and_logs_what_changed()
{
	mkdir scripts
	cp "$BENCH_SOURCE/scripts/nightly" scripts
	ln -s "$BENCH" scripts/bench
	expect 7 scripts/nightly "${case[@]}" --threshold 900%
	expect 0 scripts/nightly "${case[@]}" --threshold 900%
	[ ! -e EXPERIMENTS.md ] || fail "there is an entry where nothing changed"
	rm -rf runs
	expect 0 bench run "${case[@]}"
	altered "$every_time 0.01)"
	expect 1 scripts/nightly "${case[@]}" --threshold 900% --baseline altered
	has EXPERIMENTS.md '^## [0-9: -]{19} gate: FAIL: 1 slower'
	has EXPERIMENTS.md '^> gate: FAIL: 1 slower'
	has EXPERIMENTS.md '\*\*slower \+.*null/host:cpu/spin=1000/time'
	has EXPERIMENTS.md 'threshold 900%'
}
