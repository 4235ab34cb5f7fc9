# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154 # sourced by tests/cli/run
# Imported runs are runs like any other: compared, listed, plotted, exported, and read by the tools themselves where these
# are installed.

# nights COUNT SLOW: a file of Google Benchmark a night, of which the last is slower by that factor in one case.
nights()
{
	python3 - "$1" "$2" <<'END'
import json, random, sys
random.seed(1)
count, slow = int(sys.argv[1]), float(sys.argv[2])
for night in range(count):
    rows = []
    for n in (64, 128, 256):
        factor = slow if night == count - 1 and n == 128 else 1
        for r in range(5):
            time = n * factor * (1 + random.gauss(0, 0.01))
            rows.append({"name": f"BM_x/n:{n}", "run_name": f"BM_x/n:{n}", "run_type": "iteration", "repetitions": 5,
                         "repetition_index": r, "iterations": 100, "real_time": time, "cpu_time": time, "time_unit": "ns"})
    context = {"date": f"2026-11-{night + 1:02}T10:00:00+00:00", "host_name": "ci", "num_cpus": 8, "commit": f"{night + 1:040x}"}
    json.dump({"context": context, "benchmarks": rows}, open(f"night{night}.json", "w"))
END
}

test_imported_runs_are_compared()
{
	nights 11 1.3
	expect 0 bench import night*.json
	# One value may be a spike. The same on the next night is none.
	expect 6 bench compare --baseline rolling:10
	has out '^ +suspected +gbench/imported:host/name=BM_x,n=128/time'
	has out 'the next one confirms or clears it'
	sed 's/2026-11-11/2026-11-12/' night10.json >night12.json
	expect 0 bench import night12.json
	expect 1 bench compare --baseline rolling:10
	has out '^ +slower +gbench/imported:host/name=BM_x,n=128/time'
	has_not out '(slower|suspected) .*n=64'
	expect 0 bench history 'gbench/*n=128*/time' --format csv
	has out '2026-11-11.*0{39}b'
	expect 0 bench list metrics 'gbench/*/time'
	[ "$(wc -l <out)" -ge 3 ] || fail "not three metrics"
	valid runs/20261111-*/metrics.json
	if command -v gnuplot >/dev/null; then
		expect 0 bench plot trend --metric 'gbench/*/time' -o trend.svg
		expect 0 bench plot scaling --suite gbench --over n -o scaling.svg
		# Of cases that differ in their parameters, those that have it.
		expect 0 bench import "$BENCH_SOURCE/tests/data/interchange/gbench.json"
		expect 0 bench plot scaling --suite gbench -o mixed.svg
		has mixed.svg '>size<'
	fi
}

# The commands of docs/interchange.md, in its order.
test_the_commands_of_the_page_work()
{
	local data=$BENCH_SOURCE/tests/data/interchange i
	cp "$data/gbench.json" "$data/hyperfine.json" .
	for i in 1 2 3; do
		sed "s/\"times\": \[/&0.001$i,/" hyperfine.json >run$i.json
	done
	awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$BENCH_SOURCE/docs/interchange.md" >commands
	[ "$(wc -l <commands)" = 6 ] || fail "not six commands"
	# Both runs are of hyperfine: the commit's, and three files together, of a host that is not known.
	sed -i 's/^bench compare .*/& || [ $? -le 1 ]/' commands
	expect 0 bash -euo pipefail commands
	has after.json '"name":.*seq 1000'
	has bench.prom '^bench_time_seconds'
}

test_help_names_every_format()
{
	local format
	for format in $(
		bench import x --from zzzzzz 2>&1 | grep -o 'there are .*' | tr -d ',;' | cut -d' ' -f3-
		bench export x --to zzzzzz 2>&1 | grep -o 'there are .*' | tr -d ',;' | cut -d' ' -f3-
	); do
		bench import --help | grep -qw -- "$format" || bench export --help | grep -qw -- "$format" || fail "no $format"
		grep -q "\`$format\`" "$BENCH_SOURCE/docs/interchange.md" || fail "the page has no $format"
	done
	[ "$format" = openmetrics ] || fail "the last format is not the last one"
}

test_a_projects_suites_are_not_the_importeds()
{
	echo '{"suites": ["null"], "labels": {"team": "a"}, "history": "p.db"}' >.bench.json
	expect 0 bench import "$BENCH_SOURCE/tests/data/interchange/go.txt"
	[ -f p.db ] || fail "not in the project's history"
	expect 0 bench show --format json
	[ "$(json out "j['results'][0]['suite'] + j['run']['labels']['team']")" = goa ] || fail "another suite or label"
}

test_another_host_is_refused()
{
	nights 2 1
	expect 0 bench import night0.json
	expect 0 bench import night1.json --host other
	expect 3 bench compare --baseline last~1
	has err 'fingerprint'
}

test_a_benchmark_that_vanished_is_missing()
{
	nights 2 1
	sed -i 's/n:256/n:512/g' night1.json
	expect 0 bench import night0.json night1.json
	expect 4 bench compare --baseline last~1
	has out 'missing +gbench/imported:host/name=BM_x,n=256'
}

test_a_full_disk_leaves_no_run_in_the_history()
{
	[ -w /dev/full ] || skip "no /dev/full"
	nights 1 1
	mkdir -p here
	ln -s /dev/full here/runs
	expect 5 bench import night0.json --runs-dir here/runs/x
	expect 0 bench list runs --format csv
	[ "$(wc -l <out)" = 1 ] || fail "there is a run"
}

test_google_benchmarks_compare_reads_ours()
{
	[ -f /usr/share/benchmark/compare.py ] || skip "Google Benchmark's tools are not installed"
	/usr/bin/python3 -c 'import scipy' 2>/dev/null || skip "Google Benchmark's compare.py needs scipy"
	nights 2 1.3
	expect 0 bench import night0.json night1.json
	bench export last~1 --to gbench >before.json
	bench export last --to gbench >after.json
	expect 0 /usr/bin/python3 /usr/share/benchmark/compare.py --no-color benchmarks before.json after.json
	has out '^BM_x/n:128 .*\+0\.(2|3)'
	has out '^BM_x/n:128_pvalue'
}

test_hyperfine_writes_what_is_read()
{
	command -v hyperfine >/dev/null || skip "hyperfine is not installed"
	hyperfine -N -r 3 -L n 1,2 'seq {n}' --export-json h.json >/dev/null 2>&1
	expect 0 bench import h.json
	has err '2 cases, read as hyperfine'
	bench export --to csv >ours.csv
	[ "$(grep -c ',n,.*,time,\|,time,' ours.csv)" = 6 ] || fail "other times"
}

test_pytest_benchmark_writes_what_is_read()
{
	local python=/usr/bin/python3
	$python -c 'import pytest_benchmark' 2>/dev/null || skip "pytest-benchmark is not installed"
	printf 'def test_a(benchmark):\n    benchmark.pedantic(sorted, args=([2, 1],), rounds=5)\n' >test_a.py
	$python -m pytest -q -p no:cacheprovider --benchmark-json=p.json --benchmark-save-data test_a.py >/dev/null 2>&1
	expect 0 bench import p.json
	has err '1 case, read as pytest'
}

test_go_writes_what_is_read()
{
	command -v go >/dev/null || skip "go is not installed"
	printf 'module a\ngo 1.19\n' >go.mod
	# shellcheck disable=SC2016
	printf 'package a\nimport "testing"\nfunc BenchmarkA(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n' >a_test.go
	GOCACHE=${XDG_CACHE_HOME:-$PWD}/go GOFLAGS=-mod=mod timeout 200 go test -bench . -count 2 -benchtime 100x >a.txt
	expect 0 bench import a.txt
	has err '1 case, read as go'
	bench export --to go >ours.txt
	[ "$(grep -c '^BenchmarkA' ours.txt)" = 2 ] || fail "other lines"
	if command -v benchstat >/dev/null; then
		expect 0 benchstat ours.txt
	fi
}

# values FILE DAY UNIT BETTER VALUE...: a file with one metric of a run, an invocation each.
values()
{
	local file=$1 day=$2 unit=$3 better=$4 value at=0
	shift 4
	echo 'name,metric,unit,better,invocation,value,date,host' >"$file"
	for value; do
		echo "load,amount,$unit,$better,$((at++)),$value,2026-11-0${day}T10:00:00+00:00,ci" >>"$file"
	done
}

# verdict STATUS VERDICT SHOWN UNIT BETTER BASE NOW: what the comparison of two runs comes to. No ratio is shown.
verdict()
{
	local status=$1 kind=$2 shown=$3 unit=$4 better=$5 format
	rm -rf runs results.db site
	# shellcheck disable=SC2086 # lists of values
	values base.csv 1 "$unit" "$better" $6
	# shellcheck disable=SC2086
	values now.csv 2 "$unit" "$better" $7
	expect 0 bench import base.csv
	expect 0 bench import now.csv
	expect "$status" bench compare --all
	has out "^ +$kind +csv/imported:host/name=load/amount"
	grep -qF -- "$shown" out || fail "no $shown"
	for format in table json csv markdown junit github comment; do
		expect "$status" bench compare --all --format "$format"
		has_not out '(inf|nan)[ %,]|Infinity|NaN|[0-9]%.*amount'
	done
	expect "$status" bench compare --format json
	has out '"ratio":.*null'
	has out '"difference":'
	expect 0 bench report -o site
	has_not site/index.html 'inf%|nan%'
	expect 0 bench log
	has_not out 'inf%|nan%'
}

test_zero_and_negative_values_are_judged_by_difference()
{
	verdict 0 same '0 errors' errors lower '0 0 0 0 0' '0 0 0 0 0'
	verdict 1 slower '+999 errors' errors lower '0 0 0 0 0' '999 999 999 999 999'
	verdict 1 slower '-100 dB' dB higher '100 101 102 100 99' '0 0 0 0 0'
	verdict 0 faster '-18 dB' dB lower '-2 -2 -2 -2 -2' '-20 -20 -20 -20 -20'
	verdict 1 slower '-18 dB' dB higher '-2 -2 -2 -2 -2' '-20 -20 -20 -20 -20'
	verdict 1 slower '+10 dB' dB lower '-1 0 1 -1 0' '9 10 11 9 10'
	verdict 0 unclear '0 errors' errors lower '0 0 0 0 0' '0 0 0 0 1'
	verdict 0 unclear '+999 errors' errors lower 0 999
	expect 6 bench compare --strict
	expect 3 bench plot compare
	has err 'has a ratio'
}

test_a_failure_stays_one()
{
	local base now
	for base in ok failed; do
		for now in failed incorrect; do
			rm -rf runs results.db
			values base.csv 1 s lower 1 1 1
			values now.csv 2 s lower 0 0 0
			sed -i "1s/$/,status,reason/; 2,\$s/$/,$base,x/" base.csv
			sed -i "1s/$/,status,reason/; 2,\$s/$/,$now,x/" now.csv
			expect 0 bench import base.csv
			bench import now.csv >/dev/null 2>&1
			expect 4 bench compare
			has out '^ +broken '
		done
	done
	values last.csv 3 s lower 1 1 1
	expect 0 bench import last.csv
	expect 3 bench compare
	has err 'no metric in common'
}

# +10% of 5 ns is less than a nanosecond.
test_a_floor_is_asked_for()
{
	values base.csv 1 ns lower 5.01 5.02 5.03 5.04 5.05 5.06
	values now.csv 2 ns lower 5.51 5.52 5.53 5.54 5.55 5.56
	expect 0 bench import base.csv
	expect 0 bench import now.csv
	bench compare --threshold 1% --format json >plain 2>&1
	expect 0 bench compare --threshold 1% --floor 1ns --format json
	grep -q 'floor of 1 ns\|less than the 1 ns' out || fail "the floor is not named"
	grep -q 'floor' plain && fail "a floor that nobody asked for"
	expect 0 bench compare --threshold 1% --floor 0
	has_not out floor
	expect 2 bench compare --floor 1
	has err "--floor '1': expected a time such as 1ns, 0.5us or 0"
	expect 2 bench run --floor 1ns --suite null
	has err 'needs --baseline'
}
