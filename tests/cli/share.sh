# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The waiting line of a machine: the how-to page as it stands, the order, kills, and the end of the time.

# measure SECONDS NAME OPTIONS...: a run that takes about that long.
measure()
{
	local seconds=$1 name=$2
	shift 2
	bench run --exec "work: sleep $seconds" -k 1 --budget 5s --watch no --db "$name.db" --runs-dir "$name" "$@" \
		>"$name.out" 2>"$name.err"
}

# hold: a run in the background that measures until it is killed; its process is $holder.
hold()
{
	bench run --exec 'work: sleep 60' -k 1 --db holder.db --runs-dir holder >holder.out 2>&1 &
	holder=$!
	wait_for 'measuring exec' holder.out
}

end_holder()
{
	kill -KILL -- "-$holder" 2>/dev/null || kill -KILL "$holder"
	wait "$holder" 2>/dev/null || true
}

test_the_how_to_page_holds()
{
	awk '$0 == "```sh" { inside = 1; next } $0 == "```" { inside = 0 } inside' \
		"$BENCH_SOURCE/docs/how-to/share-a-machine.md" >commands
	[ "$(grep -c -- '--wait' commands)" = 3 ] || fail "$(cat commands)"
	expect 0 bash -ec "$(cat commands)"
	[ -f turn ] || fail "BENCH_TURN is not used"
	has_not err waiting
}

test_who_waits_too_long_measures_nothing()
{
	hold
	expect 5 bench run --suite null --set spin=1000 -k 1 --budget 0.1s --wait 300ms
	has err "^bench: waiting for 'bench run --exec 'work: sleep 60'.*' \(pid [0-9]+\), which has measured for [0-9]+ s"
	has err 'waited 0\.[0-9]+ s, and the machine is not free: .*; nothing was measured'
	[ ! -e runs ] || [ -z "$(ls runs)" ] || fail "$(ls runs)"
	# Who does not wait measures, and says so.
	expect 0 bench run --suite null --set spin=1000 -k 1 --budget 0.1s
	has err "warning: another bench measures on this machine: .*; --wait yes waits for it"
	# Nor does what measures nothing.
	expect 0 bench run --suite null --set spin=1000 --dry-run --wait 300ms
	has_not err waiting
	end_holder
}

test_a_killed_bench_leaves_the_line_to_the_next_ones_in_order()
{
	local first second
	hold
	measure 0.01 first --wait yes &
	first=$!
	wait_for 'waiting for' first.err
	measure 0.01 second --wait 4m &
	second=$!
	wait_for 'waiting for .*, and 1 more' second.err
	end_holder
	wait $first
	wait $second
	has first.err '^bench: the machine is free after'
	has second.err '^bench: the machine is free after'
	[ first.out -ot second.out ] || fail "the second came first"
}

test_the_budget_starts_after_the_wait()
{
	local waiting
	hold
	bench gate --suite null --set spin=1000 -k 1 --budget 6s --baseline rolling:5 --wait yes >gate.out 2>gate.err &
	waiting=$!
	wait_for 'waiting for' gate.err
	sleep 7
	end_holder
	wait $waiting || [ $? != 2 ] || fail "$(cat gate.err)"
	has gate.err 'the machine is free after'
	has_not gate.err 'too short'
}

test_every_verb_that_measures_can_wait()
{
	local verb operands
	for verb in run gate duel power tune; do
		operands=()
		[ $verb != duel ] || operands=(a b)
		expect 2 bench $verb "${operands[@]}" --wait soon
		has err "--wait 'soon': expected yes, or a time above 0 such as 30m"
		expect 2 bench $verb --wait 0
	done
	expect 2 bench compare --wait yes
}

test_a_line_that_cannot_be_is_an_error_to_those_alone_who_wait()
{
	mkdir folder
	BENCH_TURN=folder expect 5 bench run --suite null --set spin=1000 -k 1 --budget 0.1s --wait 1s
	has err "the waiting line 'folder'"
	BENCH_TURN=folder expect 0 bench run --suite null --set spin=1000 -k 1 --budget 0.1s
}
