# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A gate leaves nothing behind, and what a run takes stays the same: a few cycles of what scripts/soak does thousands of times.

test_nights_leave_nothing_behind_but_their_runs()
{
	local program
	program=$(readlink -f "$(command -v bench)")
	mkdir nights
	expect 0 "$BENCH_SOURCE/tests/soak.py" "$program" nights 6
	[ "$(wc -l <nights/soak.tsv)" = 7 ] || fail "soak.tsv has $(wc -l <nights/soak.tsv) lines"
}

test_what_is_left_behind_is_told()
{
	mkdir -p nights bin
	cat >bin/leaves <<-'SCRIPT'
		#!/bin/sh
		mkdir -p runs/r results.db.anchors
		touch "$TMPDIR/left" results.db
	SCRIPT
	chmod +x bin/leaves
	expect 1 "$BENCH_SOURCE/tests/soak.py" bin/leaves nights 4
	has err 'tmp/left is left'
}
