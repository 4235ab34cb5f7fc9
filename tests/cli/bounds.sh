# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Bounds and known failures of a project file: the how-to page as it stands, and every state of both.

# block KIND N: the n-th block of that kind of the how-to page.
block()
{
	awk -v fence="\`\`\`$1" -v n="$2" '
		{ line = $0; sub(/^ +/, "", line) }
		line == fence { at++; inside = 1; next }
		line == "```" { inside = 0 }
		inside && at == n { sub(/^   /, ""); print }' "$BENCH_SOURCE/docs/how-to/bounds.md"
}

# program NAME SECONDS
program()
{
	printf '#!/bin/sh\nexec sleep %s\n' "$2" >"$1.sh"
	chmod +x "$1.sh"
}

measure()
{
	expect 0 bench run -k 7 --runs 3 --budget 60s --watch no
}

# What was measured is judged by its bounds alone: a busy machine makes nothing ten times as slow.
compare=(bench compare --threshold 900%)

# project MEMBERS: of one command that is named work.
project()
{
	printf '{"exec": ["work: ./work.sh"], %s}\n' "$1" >.bench.json
}

test_the_how_to_page_holds()
{
	program parse 0.02
	program reference 0.001
	block json 1 >.bench.json
	block sh 1 | sed 's/^bench run/& --watch no --runs 3/; s/^bench compare/& --threshold 900%/' >commands
	has commands '^bench compare'
	expect 1 bash -ec "$(cat commands)"
	has out '^OUT OF BOUNDS: 1 of 2\. exec/.*command=parse/time: 0\.[0-9]+x, 9.%.*x\.\..*x; min 1\.3x reference'
	has out '^bounds kept: 1 of 2'
	block json 2 >.bench.json
	block sh 2 | sed 's/^bench compare/& --threshold 900%/' >commands
	expect 0 bash -ec "$(cat commands)"
	has out 'expected until 2099-12-31 \(waits for the new allocator\): 1 metric that matches .* fails'
	sed -i s/2099/2020/ .bench.json
	expect 1 "${compare[@]}"
	has out 'expectation expired on 2020-12-31 \(waits for the new allocator\)'
}

test_a_bound_is_kept_out_or_undecided_in_every_format()
{
	local format
	program work 0.02
	project '"metrics": [{"match": "*/time", "max": "5 s"}]'
	measure
	measure
	expect 0 "${compare[@]}" --format json
	[ "$(json out '[(b["state"], b["side"], b["limit"], b["unit"]) for b in j["bounds"]]')" = "[('kept', 'max', 5, 's')]" ] ||
		fail "$(cat out)"
	project '"metrics": [{"match": "*/time", "max": "1 ms", "owner": "@us"}]'
	expect 1 "${compare[@]}" --format json
	[ "$(json out '[(b["state"], b["owner"], b["value"] > b["limit"]) for b in j["bounds"]]')" = "[('out', '@us', True)]" ] ||
		fail "$(cat out)"
	for format in table markdown comment github junit; do
		expect 1 "${compare[@]}" --format $format
		has out 'max 1 ms; owner: @us'
	done
	has out '<testsuite .*name="bounds" tests="1" failures="1"'
	has out 'type="out of bounds"/>'
	# Few invocations decide nothing.
	expect 0 bench run -k 3 --runs 3 --budget 60s --watch no
	expect 0 "${compare[@]}"
	has out 'bound undecided: .*6 or more'
	expect 6 "${compare[@]}" --strict
	has out 'bound undecided'
}

test_a_gate_judges_bounds()
{
	program work 0.02
	project '"metrics": [{"match": "*/time", "max": "1 ms"}]'
	measure
	expect 1 bench gate --baseline last --threshold 900% -k 7 --runs 3 --budget 60s --watch no
	has out '^OUT OF BOUNDS: 1 of 1'
	has err '^gate: FAIL: 1 out of bounds'
	project '"metrics": [{"match": "*/time", "max": "1 ms"}], "expect": {"match": "*", "until": "2099-01-01", "why": "known"}'
	bench gate --baseline last --threshold 900% -k 7 --runs 3 --budget 60s --watch no --format json >out || [ $? = 6 ]
	[ "$(json out '[(b["state"], b["expected"]["why"]) for b in j["bounds"]]')" = "[('out', 'known')]" ] || fail "$(cat out)"
	[ "$(json out '[(e["state"], e["until"]) for e in j["expectations"]]')" = "[('holds', '2099-01-01')]" ] || fail "$(cat out)"
}

test_a_first_night_judges_bounds()
{
	program work 0.02
	night=(bench gate --threshold 900% -k 7 --runs 3 --budget 60s --watch no --db "$PWD/results.db")
	project '"metrics": [{"match": "*/time", "max": "5 s"}]'
	expect 7 "${night[@]}"
	has out '^FIRST NIGHT: '
	has out '^bounds kept: 1 of 1$'
	forget_history
	project '"metrics": [{"match": "*/time", "max": "1 ms"}]'
	expect 1 "${night[@]}"
	has out '^OUT OF BOUNDS\. FIRST NIGHT: '
	has out '^out of bounds: exec/host:cpu/command=work/time: .*; max 1 ms$'
	has out '^exit status 1: blocks the change$'
	has err '^gate: FAIL: 1 out of bounds$'
	forget_history
	expect 1 "${night[@]}" --format json
	has err '^out of bounds: .*; max 1 ms$'
	forget_history
	project '"metrics": [{"match": "*/time", "max": "1 ms"}], "expect": {"match": "*", "until": "2099-01-01", "why": "known"}'
	expect 7 "${night[@]}" --baseline rolling:3
	has out '^expected until 2099-01-01 \(known\): 1 metric that matches'
}

test_a_missing_case_may_be_expected()
{
	local kept
	printf '{"exec": ["work: ./work.sh", "gone: ./work.sh"]}\n' >.bench.json
	program work 0.01
	measure
	# It fails from now on.
	printf '{"exec": ["work: ./work.sh", "gone: false"]}\n' >.bench.json
	expect 4 bench run -k 7 --runs 3 --budget 60s --watch no
	expect 4 "${compare[@]}"
	kept='{"exec": ["work: ./work.sh", "gone: false"], "expect": [{"match": "exec/*command=gone*", "until": "2099-12-31", "why": "upstream is down"}]}'
	echo "$kept" >.bench.json
	"${compare[@]}" >out || [ $? = 6 ] || fail "$(cat out)"
	has out 'broken'
	has out 'expected until 2099-12-31'
	# What passes again says so.
	printf '%s\n' "${kept/gone: false/gone: .\/work.sh}" >.bench.json
	measure
	expect 0 "${compare[@]}" --baseline last~2
	has out "no longer expected to fail: all that matches 'exec/\*command=gone\*' passes"
}

test_a_bound_that_no_metric_is_held_to_is_undecided()
{
	program work 0.01
	project '"metrics": [{"match": "exec/*/tme", "max": "1 s"}, {"match": "*/time", "max": "1 GB/s"}, {"match": "gemm/*/time", "max": "1 s"},
		{"match": "*/cpu_time", "min": "2x work"}]'
	measure
	measure
	expect 0 "${compare[@]}"
	has out '^bound undecided: exec/\*/tme: max 1 s; no metric of this run matches this$'
	has out '^bound undecided: \*/time: max 1 GB/s; no metric that this matches has the unit B/s$'
	has out '^bound undecided: \*/cpu_time: min 2x work; no metric that this matches is a time$'
	# Of a suite that was not measured.
	has_not out 'gemm'
	expect 6 "${compare[@]}" --strict
}

test_bad_bounds_and_expectations_are_refused()
{
	local text
	refused()
	{
		echo "$2" >.bench.json
		expect 2 bench list cases
		has err "^bench: (\./)?\.bench\.json:[0-9]+:[0-9]+: .*$1"
	}
	for text in '5' '"5"' '"2 parsecs"' '"-1 ms"' '"0 ms"' '"ms"' '""' '"1.3xopenblas"' '"1e400 s"' '"1e308 h"' 'null' '[]'; do
		refused "'min': expected a quantity with its unit such as \"50 GB/s\", or a ratio" \
			"{\"metrics\": [{\"match\": \"*\", \"min\": $text}]}"
	done
	refused "'max': expected a quantity with its unit such as \"2 ms\"" '{"metrics": [{"match": "*", "max": "fast"}]}'
	refused "'max': a ratio says how many times as fast" '{"metrics": [{"match": "*", "max": "1.3x openblas"}]}'
	refused "has 'max' twice" '{"metrics": [{"match": "*", "max": "1 s", "max": "2 s"}]}'
	for text in '1' '"x"' '[1]' '{}' '{"match": "*", "until": "2026-12-31"}' '{"match": "", "until": "2026-12-31", "why": "x"}' \
		'[{"match": "*", "until": 20261231, "why": "x"}]'; do
		refused "'expect': expected" "{\"expect\": $text}"
	done
	for text in tomorrow 2026-13-01 2026-02-30 20261231 2026-12-31T10:00 '2026-12-31 '; do
		refused "'until': expected the last day" "{\"expect\": {\"match\": \"*\", \"until\": \"$text\", \"why\": \"x\"}}"
	done
	refused "an entry of 'expect' has no member 'whom'; did you mean 'who'|an entry of 'expect' has no member 'whom'" '{"expect": {"match": "*", "until": "2026-12-31", "why": "x", "whom": "y"}}'
}
