# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench run --resume: a run that was killed in the middle is measured to its end.

# A run of many short invocations, killed once two are whole.
killed_run()
{
	bench run --suite gemm --set n=8,16 --backend openblas --budget 60s --precision 50% -k 20 --seed 7 --watch no \
		--label night=1 "$@" >run.out 2>run.err &
	local job=$!
	wait_for '"event": ?"end".*"invocation": ?2' 'runs/*/samples.jsonl'
	kill -KILL "$job"
	wait "$job" 2>/dev/null || true
	run=$(echo runs/*)
	# Its worker ends with it, but not at the same instant, and holds the lock until then.
	flock -w 10 "$run/samples.jsonl" true || fail "the lock of a killed run is still held"
	[ ! -e "$run/metrics.json" ] || fail "the run came to its end before it was killed"
}

# Workers of a killed run end with it, and with them the lock on its folder.
resume()
{
	local i
	for ((i = 0; i < 50; i++)); do
		bench run --resume "$@" >out 2>err && return 0
		grep -q 'right now' err || break
		sleep 0.1
	done
	cat err >&2
	fail "the run cannot be resumed"
}

# Of the 20 that were asked for: those that were disturbed are measured again, under numbers from 20 on.
invocations='{len([s for s in m["samples"] if s["invocation"] < 20]) for r in j["results"] for m in r["metrics"] if m["name"] == "time"}'

test_a_killed_run_is_measured_to_its_end()
{
	killed_run
	before=$(grep -c '"event":"end"' "$run/samples.jsonl")
	resume "${run#runs/}"
	valid "$run/metrics.json"
	[ "$(json "$run/metrics.json" "$invocations")" = '{20}' ] ||
		fail "not all invocations: $(json "$run/metrics.json" "$invocations")"
	[ "$(json "$run/metrics.json" 'j["run"]["labels"]["night"] + j["run"]["seed"]')" = 17 ] ||
		fail "label or seed are not the run's"
	[ "$(json "$run/metrics.json" 'sorted(s["invocation"] for s in j["results"][0]["metrics"][0]["samples"])[:20] == list(range(20))')" = True ] ||
		fail "an invocation is there twice"
	# What was there was not measured again: no case has ended twice in an invocation.
	[ -z "$(grep -o '"event":"end","case":[0-9]*,"invocation":[0-9]*' "$run/samples.jsonl" | sort | uniq -d)" ] ||
		fail "invocations were measured twice"
	[ "$before" -lt 40 ] || fail "nothing was left to measure"
	[ "$(echo runs/*)" = "$run" ] || fail "there is another folder: $(echo runs/*)"
	has "$run/run.log" 'resumed: bench run --suite gemm'
	expect 0 bench list runs --format json
	[ "$(json out 'len(j)')" = 1 ] || fail "the history has not got it once"
	expect 3 bench run --resume "$run"
	has err 'nothing to resume: run .* is complete'
}

test_a_last_line_that_was_cut_is_passed_over()
{
	killed_run
	printf '{"event":"begin","case":0,"invo' >>"$run/samples.jsonl"
	resume "$run" --format json --no-store
	[ "$(json out "$invocations")" = '{20}' ] || fail "not all invocations"
	rm "$run/metrics.json"
	expect 0 bench show "$run"
}

test_settings_are_the_runs_own()
{
	killed_run --pin no --shuffle no --threads 1
	resume "$run" --budget 50s
	[ "$(json "$run/metrics.json" '[j["host"][k] for k in ("pin", "shuffle", "threads")]')" = "['no', 'no', '1']" ] ||
		fail "the host has others"
	[ "$(json "$run/metrics.json" 'j["run"]["budget_seconds"]')" = 60 ] || fail "the record's budget has changed"
	[ "$(json "$run/metrics.json" "$invocations")" = '{20}' ] || fail "not all invocations"
}

test_a_budget_that_is_over_ends_it_with_what_was_there()
{
	killed_run
	resume "$run" --budget 0.001s
	has err 'budget of 60 s was over after [3-9] of 20 invocations|budget of 60 s was over after 1[0-9] of 20'
	# As far as it came, and nothing lost.
	[ "$(json "$run/metrics.json" 'min(len(m["samples"]) for r in j["results"] for m in r["metrics"]) >= 3')" = True ] ||
		fail "what had been measured is gone"
}

test_options_that_the_record_answers_are_refused()
{
	mkdir -p runs/x
	for option in '--seed 1' '--suite gemm' '--set n=8' '--backend openblas' '-k 3' '--preset quick' '--pin no' \
		'--threads 1' '--label a=b' '--dry-run' '--precision 2%' '--filter n=8' '--cache cold' '--baseline last'; do
		# shellcheck disable=SC2086 # two words
		expect 2 bench run --resume x $option
		has err 'does not go with --resume'
	done
	expect 2 bench run --resume
}

test_what_is_no_run_is_said()
{
	expect 2 bench run --resume 20200101-000000
	has err "20200101-000000.*no such run.*'runs'"
	expect 2 bench run --resume ''
	mkdir empty other
	expect 3 bench run --resume empty
	has err "'empty': the run was cut short before anything was written"
	touch other/file
	expect 5 bench run --resume other
	has err "'other' is no run directory"
	expect 0 bench run --suite null -k 1 --budget 0.2s --no-store
	expect 3 bench run --resume runs/*
	has err 'nothing to resume'
}

# The record as another program, machine or suite would have left it.
changed()
{
	cp -r "$run" changed
	sed -i "1s/$1/$2/" changed/samples.jsonl
	expect 5 bench run --resume changed
	rm -r changed
}

test_another_build_host_or_device_is_refused_by_name()
{
	killed_run
	changed '"build_type":"[^"]*"' '"build_type":"Other"'
	has err "build_type was 'Other'"
	changed '"fingerprint":"[^"]*"' '"fingerprint":"0000000000000000"'
	has err "fingerprint was '0000000000000000'"
	changed '"executable":"[^"]*"' '"executable":"0000000000000000"'
	has err "executable was '0000000000000000'"
	changed '"env.OMP_PLACES":"[^"]*"' '"env.OMP_PLACES":"cores"'
	has err "OMP_PLACES was 'cores'"
	changed '"suites":\["gemm"' '"suites":["gemmo"'
	has err "no suite 'gemmo'"
	changed '"driver":"[^"]*"' '"driver":"another"'
	has err "driver was 'another'"
	cp -r "$run" changed
	sed -i '2s/"m":"8"/"m":"9"/' changed/samples.jsonl
	expect 5 bench run --resume changed
	has err "the cases have changed since then.*m=9"
	[ ! -e changed/metrics.json ] || fail "it was measured all the same"
}

test_a_run_that_was_cut_before_its_last_case_was_known_is_no_run()
{
	killed_run
	sed -i '3,$d' "$run/samples.jsonl"
	expect 3 bench run --resume "$run"
	has err 'before its cases were known'
	sed -i '2,$d' "$run/samples.jsonl"
	expect 3 bench run --resume "$run"
	has err 'before its cases were known'
}

test_a_run_that_is_being_measured_is_left_alone()
{
	bench run --suite gemm --set n=8 --backend openblas --budget 60s --precision 0.0001% -k 20 >run.out 2>run.err &
	local job=$!
	wait_for '"event": ?"end"' 'runs/*/samples.jsonl'
	expect 5 bench run --resume runs/*
	has err 'measured right now'
	kill -KILL "$job"
	wait "$job" 2>/dev/null || true
}

test_a_run_that_is_whole_in_the_history_is_not_resumed_from_an_older_copy()
{
	killed_run
	cp -r "$run" copy
	resume "$run"
	expect 3 bench run --resume copy
	has err 'the history has all of run'
}

# All of the budget went into the first cases; nobody waited for nothing.
test_a_run_whose_budget_ended_between_its_cases_is_resumed()
{
	expect 2 bench run --suite null,exec --exec 'sleep 6' --shuffle no --budget 5s --precision 50% -k 1 --watch no
	has err '^bench: --budget 5s is too short: it held 2 of 3 cases; use --budget [0-9]+s, or .bench run --resume 2[0-9-]+. with the same --exec, --kernel or --plugin for the rest$'
	run=$(echo runs/*)
	expect 0 bench show "$run"
	has out ', cut short'
	resume "${run#runs/}" --exec 'sleep 6'
	expect 0 bench show "$run" --format json
	[ "$(json out '[r["status"] for r in j["results"]]')" = "['ok', 'ok', 'ok']" ] || fail "$(cat out)"
}
