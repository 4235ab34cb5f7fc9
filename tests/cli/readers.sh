# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Who may only read a history leaves nothing beside it.

run_once()
{
	bench run --suite null --set spin=0 -k 1 --budget 0.05s --watch no --label "$1" >/dev/null 2>&1
}

nothing_beside()
{
	[ ! -e "$1-wal" ] || fail "a log is left: $(ls -l "$1"*)"
	[ ! -e "$1-shm" ] || fail "an index is left: $(ls -l "$1"*)"
}

test_another_user_leaves_nothing_beside_the_history()
{
	needs_another_user
	run_once n=1
	rm -f results.db-*
	mkdir -m 1777 tmp
	export TMPDIR=$PWD/tmp
	for mode in 1777 755; do
		chmod $mode .
		for verb in "list runs" "show last" history "db check" "alarms list"; do
			# shellcheck disable=SC2086 # words
			expect 0 as_another_user bench $verb
			nothing_beside results.db
		done
	done
	chmod 1777 .
	expect 0 as_another_user bench db backup tmp/kept.db
	nothing_beside results.db
	nothing_beside tmp/kept.db
	[ "$(ls -A tmp)" = kept.db ] || fail "a copy is left: $(ls -A tmp)"
	run_once n=2
	expect 0 as_another_user bench list runs --format csv
	[ "$(wc -l <out)" = 3 ] || fail "$(cat out)"
}

test_another_user_who_asks_to_write_leaves_nothing_either()
{
	needs_another_user
	run_once n=1
	rm -f results.db-*
	chmod 1777 .
	chmod 644 results.db
	for verb in "baseline set a last" "ingest runs/x" "run --suite null --runs-dir theirs" "compare last"; do
		# shellcheck disable=SC2086 # words
		as_another_user bench $verb >out 2>err && fail "$verb wrote"
		nothing_beside results.db
	done
}

test_another_user_sees_what_a_writer_has_written()
{
	needs_another_user
	run_once n=1
	chmod 1777 .
	python3 - <<-'END' &
		import sqlite3, time
		db = sqlite3.connect("results.db", isolation_level=None)
		for i in range(60):
		    db.execute("BEGIN IMMEDIATE")
		    db.execute("UPDATE run SET preset = ?", (f"p{i}",))
		    db.execute("UPDATE host SET name = ?", (f"p{i}",))
		    db.execute("COMMIT")
		    if i % 5 == 0:
		        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
		        db.close()
		        db = sqlite3.connect("results.db", isolation_level=None)
		    time.sleep(0.02)
		db.close()
	END
	local i
	for ((i = 0; i < 10; i++)); do
		expect 0 as_another_user bench list runs --format json
		[ "$(json out 'j[0]["preset"] == j[0]["host"] or not j[0]["preset"].startswith("p")')" = True ] || fail "$(cat out)"
	done
	wait
	# A writer that ended beside a reader has left its log to the next one who may write.
	expect 0 bench baseline set main last
	nothing_beside results.db
}

test_the_owner_leaves_nothing_beside_a_backup()
{
	run_once n=1
	bench db backup kept.db
	for verb in "list runs" "db check"; do
		# shellcheck disable=SC2086 # words
		expect 0 bench $verb --db kept.db
		nothing_beside kept.db
	done
}

test_what_another_has_left_is_named_to_the_owner()
{
	needs_another_user
	run_once n=1
	rm -f results.db-*
	chown 65534 . results.db
	: >results.db-wal
	: >results.db-shm
	chmod 644 results.db-*
	expect 5 as_another_user bench baseline set a last
	has err "results\.db-wal' belongs to user root and cannot be written: remove it once no bench runs"
	expect 0 as_another_user bench list runs
	rm results.db-wal results.db-shm
	expect 0 as_another_user bench baseline set a last
}
