# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Cases that are renamed: the how-to page as it stands, what follows the new name, and the way back.

old=exec/host:cpu/command=old
new=exec/host:cpu/command=new

# measure NAME TIMES
measure()
{
	local i
	for ((i = 0; i < $2; i++)); do
		bench run --exec "$1: sleep 0.002" -k 3 --budget 1s --watch no >log 2>&1 || fail "$(cat log)"
	done
}

# runs_of PATTERN: how many values the history has of such times.
runs_of()
{
	bench history "$1/time" | grep -cE '^ +20[0-9]{2}-'
}

block()
{
	awk -v n="$1" '$0 == "```sh" { at++; inside = 1; next } $0 == "```" { inside = 0 } inside && at == n' \
		"$BENCH_SOURCE/docs/how-to/rename.md"
}

test_the_how_to_page_holds()
{
	expect 0 bash -ec "$(block 1)"
	has out "^$new/time"
	has_not out "^$old/time"
	[ "$(runs_of "$new")" = 2 ] || fail "$(bench history)"
	expect 0 bash -ec "$(block 2)"
	has out "$old -> $new"
	has err "$old has its old name again"
	[ "$(runs_of "$new") $(runs_of "$old")" = '1 1' ] || fail "$(bench history)"
}

test_a_comparison_judges_the_new_name_against_the_old_runs()
{
	measure old 3
	measure new 1
	expect 4 bench compare --baseline last~1
	expect 0 bench runs rename $old $new
	bench compare --baseline last~1 --format json >out || true
	[ "$(json out '[(c, j["counts"][c]) for c in ("missing", "new", "broken")]')" = "[('missing', 0), ('new', 0), ('broken', 0)]" ] ||
		fail "$(cat out)"
	[ "$(json out '[v["key"] for v in j["verdicts"] if v["metric"] == "time"]')" = "['$new/time']" ] || fail "$(cat out)"
	expect 0 bench list metrics
	has out "$new/time"
	has_not out "$old/"
	expect 0 bench show last~1
	has out '^exec new, host:cpu'
	expect 0 bench db check
	# The way back, by the names alone.
	expect 0 bench runs rename $new $old
	expect 4 bench compare --baseline last~1
	expect 0 bench runs rename
	has err 'no case was renamed'
}

test_backup_and_repair_keep_renames_and_what_was_measured()
{
	[ -z "${BENCH_TEST_SERVER-}" ] || skip "of files"
	measure old 2
	expect 0 bench runs rename $old $new
	expect 0 bench db backup copy.db
	expect 0 bench runs rename --db copy.db
	has out "$old -> $new"
	expect 0 bench db repair
	expect 0 bench runs rename
	has out "$old -> $new"
	[ "$(runs_of "$new")" = 2 ] || fail "$(bench history)"
	expect 0 bench runs rename --undo $old
	[ "$(runs_of "$old")" = 2 ] || fail "$(bench history)"
	# A folder that is ingested again is known, whatever its cases are called.
	expect 0 bench runs rename $old $new
	expect 0 bench ingest runs/*
	[ "$(runs_of "$new")" = 2 ] || fail "$(bench history)"
}

test_names_go_from_one_to_the_next()
{
	measure old 1
	measure new 1
	measure newest 1
	expect 0 bench runs rename $old $new
	expect 0 bench runs rename $new ${new}est
	[ "$(runs_of "${new}est")" = 3 ] || fail "$(bench history)"
	expect 0 bench runs rename --undo $old
	[ "$(runs_of "${new}est")" = 2 ] || fail "$(bench history)"
}

# Alarms of a name, of before the rename and of the new name itself: each has its own name again.
test_alarms_follow_there_and_back()
{
	measure old 1
	measure new 1
	history_sql "insert into alarm (alarm, fingerprint, track, first_bad, last_good, bad_commit, good_commit, since, created, culprit) select run, 'f', 't', id, '', '', '', 5, 5, '' from run"
	history_sql "insert into alarm_metric (alarm, key, unit, state, last_run, nights, closed_run, closed, why) select run, key, 's', 'open', 'r', 1, '', null, '' from metric join metric_key using (metric_key) where metric_key.name = 'time'"
	of_alarms()
	{
		history_sql "select key from alarm_metric where alarm = 1"
		history_sql "select key from alarm_metric where alarm = 2"
	}
	of_alarms >before
	has before "$old/time"
	has before "$new/time"
	expect 0 bench runs rename $old $new
	of_alarms >out
	[ "$(grep -c "$new/time" out)" = 2 ] || fail "$(cat out)"
	# It is no shift that was accepted.
	expect 2 bench baseline unaccept $old
	expect 0 bench runs rename --undo $old
	of_alarms >out
	cmp before out || fail "$(cat before out)"
}

test_bad_names_are_refused()
{
	measure old 1
	expect 2 bench runs rename $old
	has err 'takes the old and the new name of a case'
	expect 2 bench runs rename --undo
	expect 2 bench runs rename --undo $old
	has err "'$old' has not been renamed"
	expect 2 bench runs rename $old/time $new/time
	has err "expected a case"
	expect 2 bench runs rename $old exec/host:cpu/command=a/b
	expect 2 bench runs rename $old $'exec/host:cpu/command=a\nb'
	expect 2 bench runs rename $old $old
	expect 2 bench runs rename $old exec/other:cpu/command=new
	has err 'and not its device'
	expect 3 bench runs rename exec/host:cpu/command=odl $new
	has err "no case 'exec/host:cpu/command=odl'.*$old"
	expect 2 bench runs rename --since 2026-01-01 $old $new
	expect 2 bench runs rm last --undo
	expect 0 bench runs rename $old $new
	expect 2 bench runs rename $old ${new}est
	has err "has been renamed to '$new': undo that first"
}
