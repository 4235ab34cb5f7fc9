# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A run beside processes that are busy on every processor says so, wherever it says anything.

burners=()

# Two a processor. Not nproc: it obeys OMP_THREAD_LIMIT, and would leave the run a processor of its own.
burn()
{
	local i
	for ((i = 0; i < 2 * $(getconf _NPROCESSORS_ONLN); i++)); do
		(exec timeout 60 sh -c 'while :; do :; done') &
		burners+=($!)
	done
}

# The kernel decides who runs, and starting up takes a part of the time: longer and longer, until the others had their part.
test_a_disturbed_run_says_so()
{
	local try
	grep -q '^cpu0 ' /proc/stat || skip "/proc/stat does not tell of processors here"
	burn
	trap 'kill "${burners[@]}" 2>/dev/null || true' EXIT
	for ((try = 1; try <= 8; try++)); do
		rm -rf runs
		expect 0 bench run --suite null -k 1 --budget ${try}s --precision 0.0001% --no-store
		! grep -q '^noise: .*other programs used' out || break
	done
	# Said once, where the run is shown.
	has_not err 'disturbed'
	has out '^noise: ([0-9]+% of the|all) measurements were disturbed.*: other programs used [0-9.]+ cores'
	has runs/*/run.log 'disturbed: null .*, invocation 0: other processes used [0-9.]+ cores'
	has runs/*/run.log 'warning: [0-9]+ of [0-9]+ invocations? of groups w(as|ere) disturbed'
	has runs/*/samples.jsonl '"event":"disturbed".*"samples":\{"time":\[[0-9]+,[0-9]+\]'
	has runs/*/metrics.json '"others":'
	expect 0 bench show runs/*
	has out '^noise: '
	# Formats for programs have no such line.
	expect 0 bench run --suite null -k 1 --budget 1s --precision 0.0001% --no-store --format csv
	! grep -q 'warning: .*disturbed' runs/*/run.log ||
		grep -q '^bench: warning: .*disturbed' err || fail "$(cat err)"
	rm -r "$(printf '%s\n' runs/* | tail -n 1)"
	# A killed run has no metrics.json; what it had written tells the same.
	rm runs/*/metrics.json
	expect 0 bench show runs/*
	has out '^noise: '
}
