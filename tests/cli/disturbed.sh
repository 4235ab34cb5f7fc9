# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A run beside processes that are busy on every processor says so, wherever it says anything.

burners=()

# Not nproc: it obeys OMP_THREAD_LIMIT, and would leave the run a processor of its own.
burn()
{
	local i
	for ((i = 0; i < $(getconf _NPROCESSORS_ONLN); i++)); do
		(exec timeout 60 sh -c 'while :; do :; done') &
		burners+=($!)
	done
}

# The kernel decides who runs: up to five times, until the others had their part of it.
test_a_disturbed_run_says_so()
{
	local try
	grep -q '^cpu0 ' /proc/stat || skip "/proc/stat does not tell of processors here"
	burn
	trap 'kill "${burners[@]}" 2>/dev/null || true' EXIT
	for ((try = 0; try < 5; try++)); do
		rm -rf runs
		expect 0 bench run --suite null -k 1 --budget 1s --precision 0.0001% --no-store
		! grep -q 'workers were disturbed.*: other processes used' err || break
	done
	has err '^bench: warning: [0-9]+ of [0-9]+ workers were disturbed, [0-9]+% of all visits: other processes used up to'
	has out '^watch   disturbed: [0-9.]+% of the visits \(others [0-9.]+ cores'
	has runs/*/run.log 'disturbed: null .*, invocation 0: other processes used [0-9.]+ cores'
	has runs/*/run.log 'warning: [0-9]+ of [0-9]+ workers were disturbed'
	has runs/*/samples.jsonl '"event":"disturbed".*"samples":\{"time":\[[0-9]+,[0-9]+\]'
	has runs/*/metrics.json '"others":'
	expect 0 bench show runs/*
	has out '^watch   disturbed: '
	# A killed run has no metrics.json; what it had written tells the same.
	rm runs/*/metrics.json
	expect 0 bench show runs/*
	has out '^watch   disturbed: '
}
