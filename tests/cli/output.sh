# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Standard output, and the other descriptors that a caller gives.

run=(bench run --suite null -k 1 --budget 0.1s --watch no)

test_what_could_not_be_printed_is_a_failure_of_every_verb()
{
	local command
	expect 0 "${run[@]}"
	for command in '--help' '--version' 'show --help' 'list suites' 'list runs' 'show' 'show --format json' 'log' 'history' 'baseline list'; do
		# shellcheck disable=SC2086 # words
		expect 5 bash -c 'exec bench "$@" >/dev/full' - $command
		has err '^bench: cannot write to standard output: No space left on device$'
		# shellcheck disable=SC2086 # words
		expect 5 bash -c 'exec bench "$@" >&-' - $command
		has err '^bench: cannot write to standard output: '
	done
}

test_a_reader_that_has_gone_does_not_end_a_run()
{
	# shellcheck disable=SC2016 # the inner shell expands these
	expect 5 bash -c '"$@" | true; exit ${PIPESTATUS[0]}' - "${run[@]}"
	has err 'cannot write to standard output: Broken pipe'
	[ -e "$(echo runs/*/metrics.json)" ] || fail "the run is not there"
	expect 0 bench list runs
	has out null
}

test_closed_descriptors_do_not_become_files_of_the_run()
{
	"${run[@]}" >out 2>&- </dev/null || fail "exit status $?"
	"${run[@]}" >&- 2>err <&- && fail "there was no standard output"
	expect 0 bench list runs --format json
	[ "$(json out 'len(j)')" = 2 ] || fail "not both runs are in the history"
	for samples in runs/*/samples.jsonl; do
		python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$samples" || fail "$samples holds something else"
	done
}
