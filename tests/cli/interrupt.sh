# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Runs that are cut short.

# A run that would go on for minutes, in the background, past its first finished case.
start_long_run()
{
	bench run --suite gemm --set n=8,16,32,64,128 --backend openblas --budget 120s --precision 0.0001% \
		--invocations 50 >run.out 2>run.err &
	long_run=$!
	wait_for '"event": ?"end"' 'runs/*/samples.jsonl'
}

# Children of a killed run are not left behind, measuring against the next one. (A job has a process group.)
no_worker_is_left()
{
	local i
	for ((i = 0; i < 50; i++)); do
		kill -0 -- "-$long_run" 2>/dev/null || return 0
		sleep 0.1
	done
	fail "processes of the killed run are still there"
}

test_a_killed_run_loses_nothing_that_was_finished()
{
	start_long_run
	kill -KILL "$long_run"
	wait "$long_run" || true
	no_worker_is_left
	[ ! -e "$(echo runs/*/metrics.json)" ] || fail "a killed run has a metrics.json"
	expect 0 bench show runs/*
	has out 'gemm'
	expect 0 bench ingest runs/*
	expect 0 bench list runs
	has out 'gemm'
	expect 0 bench show last --format json
	[ "$(json out 'any(r["status"] == "ok" and r["metrics"] for r in j["results"])')" = True ] ||
		fail "nothing that was finished is in the record"
	expect 0 bench ingest runs/*
	expect 0 bench list runs --format json
	[ "$(json out 'len(j)')" = 1 ] || fail "the run was taken in twice"
}

test_the_database_opens_after_a_kill()
{
	expect 0 bench run --suite null -k 1 --budget 0.2s
	start_long_run
	kill -KILL "$long_run"
	wait "$long_run" || true
	expect 0 bench list runs
	has out 'null'
	expect 0 bench run --suite null -k 1 --budget 0.2s
}

test_an_interrupted_run_is_kept_and_exits_130()
{
	local status=0
	start_long_run
	kill -INT "$long_run"
	wait "$long_run" || status=$?
	[ $status = 130 ] || fail "exit status $status: $(cat run.err)"
	valid runs/*/metrics.json
	[ "$(json runs/*/metrics.json 'j["run"]["interrupted"]')" = True ] || fail "it does not say that it was interrupted"
	expect 0 bench list runs
	has out 'gemm'
	no_worker_is_left
}

test_a_terminated_run_is_kept_too()
{
	local status=0
	start_long_run
	kill -TERM "$long_run"
	wait "$long_run" || status=$?
	[ $status = 130 ] || fail "exit status $status: $(cat run.err)"
	[ -e "$(echo runs/*/metrics.json)" ] || fail "there is no metrics.json"
}
