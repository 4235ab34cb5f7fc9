# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A history on a server, beside what it has in common with a file: lost connections, roles, passwords, copies. Run by
# tests/on_server; without a server (BENCH_TEST_SERVER) all are skipped.

needs_server()
{
	[ -n "${BENCH_TEST_SERVER-}" ] || skip "there is no server: tests/server starts one"
}

measured=(--suite null --set spin=0 -k 1 --budget 0.1s --watch no)

server_sql()
{
	psql -qAtc "$1" "$BENCH_TEST_SERVER"
}

# as ROLE[:PASSWORD]: the address of this test's history for a role.
as()
{
	printf '%s&options=-csearch_path%%3D%s' "${BENCH_TEST_SERVER/bench@/$1@}" "$BENCH_TEST_SCHEMA"
}

# writer ROLE: makes a role that may write the history, which has a run.
writer()
{
	bench run "${measured[@]}" --runs-dir first >/dev/null 2>&1
	server_sql "CREATE ROLE $1 LOGIN"
	expect 0 bench db grant writer "$1"
}

# cut ROLE: ends its sessions.
cut()
{
	server_sql "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '$1'" >/dev/null
}

# A run that takes three seconds, as a role, until its first invocation has ended; its process is in `job`.
live_run()
{
	bench run --suite null --set spin=100 -k 6 --budget 3s --precision 0.01% --watch no --db "$(as "$1")" >run.out 2>run.err &
	job=$!
	wait_for '"event": ?"end"' 'runs/*/samples.jsonl'
}

test_a_connection_that_is_lost_while_measuring_is_made_anew()
{
	needs_server
	writer "w_$BENCH_TEST_SCHEMA"
	live_run "w_$BENCH_TEST_SCHEMA"
	cut "w_$BENCH_TEST_SCHEMA"
	wait "$job" || fail "$(cat run.err)"
	expect 0 bench list runs --format json
	[ "$(json out 'len(j)')" = 2 ] || fail "$(cat out)"
}

test_a_run_whose_server_is_gone_stays_in_its_folder_and_is_taken_in_later()
{
	local status=0
	needs_server
	writer "w_$BENCH_TEST_SCHEMA"
	live_run "w_$BENCH_TEST_SCHEMA"
	server_sql "ALTER ROLE w_$BENCH_TEST_SCHEMA NOLOGIN"
	cut "w_$BENCH_TEST_SCHEMA"
	wait "$job" || status=$?
	[ "$status" = 5 ] || fail "exit status $status: $(cat run.err)"
	has run.err "bench ingest"
	valid runs/*/metrics.json
	expect 5 bench ingest runs/* --db "$(as "w_$BENCH_TEST_SCHEMA")"
	server_sql "ALTER ROLE w_$BENCH_TEST_SCHEMA LOGIN"
	expect 0 bench ingest runs/* --db "$(as "w_$BENCH_TEST_SCHEMA")"
	has err 'taken in'
	expect 0 bench db check
	has err 'is whole: 2 runs'
}

test_a_reader_reads_and_does_not_write()
{
	needs_server
	writer "r_$BENCH_TEST_SCHEMA"
	expect 0 bench db grant reader "r_$BENCH_TEST_SCHEMA"
	expect 0 bench show last --db "$(as "r_$BENCH_TEST_SCHEMA")"
	expect 5 bench run "${measured[@]}" --db "$(as "r_$BENCH_TEST_SCHEMA")"
	has err 'may not write it.*bench db grant writer'
	[ -z "$(ls runs 2>/dev/null)" ] || fail "something was measured"
	expect 0 bench run "${measured[@]}" --no-store --db "$(as "r_$BENCH_TEST_SCHEMA")"
	expect 5 bench db grant writer "r_$BENCH_TEST_SCHEMA" --db "$(as "r_$BENCH_TEST_SCHEMA")"
}

# locked SECONDS TABLE COMMAND...: while another session holds all of a table for so long.
locked()
{
	local locker status=0
	psql -qc "BEGIN; LOCK TABLE $BENCH_TEST_SCHEMA.$2 IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep($1)" "$BENCH_TEST_SERVER" >/dev/null &
	locker=$!
	until [ "$(server_sql "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = '$BENCH_TEST_SCHEMA.$2'::regclass")" = 1 ]; do sleep 0.05; done
	"${@:3}" || status=$?
	kill $locker 2>/dev/null || true
	server_sql "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE query LIKE '%LOCK TABLE $BENCH_TEST_SCHEMA.$2 %' AND pid <> pg_backend_pid()" >/dev/null
	wait $locker 2>/dev/null || true
	return $status
}

# What could not be asked is no damage, and no history is whole that was not looked at.
test_a_check_that_is_broken_off_gives_no_verdict()
{
	local table
	needs_server
	writer "r_$BENCH_TEST_SCHEMA"
	server_sql "ALTER ROLE r_$BENCH_TEST_SCHEMA SET lock_timeout = '100ms'"
	for table in tuning run digest; do
		locked 20 $table expect 5 bench db check --db "$(as "r_$BENCH_TEST_SCHEMA")"
		has err 'canceling statement due to lock timeout; another process is writing'
		has_not err 'damaged|whole'
		has_not out 'damaged|whole'
	done
	server_sql "ALTER ROLE r_$BENCH_TEST_SCHEMA RESET lock_timeout"
	server_sql "ALTER ROLE r_$BENCH_TEST_SCHEMA SET statement_timeout = '100ms'"
	locked 20 metric expect 5 bench db backup copy.db --db "$(as "r_$BENCH_TEST_SCHEMA")"
	has err 'statement_timeout'
	has_not err 'damaged'
	[ ! -e copy.db ] || fail "a copy was left"
	locked 20 metric bench doctor --db "$(as "r_$BENCH_TEST_SCHEMA")" >out 2>err || [ $? -le 5 ] || fail "$(cat err)"
	# A limit of time is none for who waits for other writers.
	locked 1 host expect 0 bench ingest first/* --db "$(as "r_$BENCH_TEST_SCHEMA")"
	expect 0 bench db check
	has err 'is whole: 1 run'
}

test_a_log_without_its_history_is_no_entry()
{
	needs_server
	writer "l_$BENCH_TEST_SCHEMA"
	server_sql "ALTER ROLE l_$BENCH_TEST_SCHEMA SET lock_timeout = '100ms'"
	locked 20 baseline expect 0 bench list runs --db "$(as "l_$BENCH_TEST_SCHEMA")"
	locked 20 accepted expect 5 bench log last --append E.md --db "$(as "l_$BENCH_TEST_SCHEMA")"
	[ ! -s E.md ] || fail "$(cat E.md)"
}

test_grants_are_of_the_history_alone()
{
	needs_server
	local role=g_$BENCH_TEST_SCHEMA
	writer "$role"
	server_sql "CREATE TABLE $BENCH_TEST_SCHEMA.payroll (id int)"
	expect 0 bench db grant writer "$role"
	[ "$(server_sql "SELECT has_table_privilege('$role', '$BENCH_TEST_SCHEMA.payroll', 'SELECT')")" = f ] || fail "it may read others' tables"
	server_sql "GRANT SELECT ON $BENCH_TEST_SCHEMA.payroll TO $role"
	expect 0 bench db grant none "$role"
	[ "$(server_sql "SELECT has_table_privilege('$role', '$BENCH_TEST_SCHEMA.payroll', 'SELECT')")" = t ] || fail "it may not what others had granted"
	[ "$(server_sql "SELECT count(*) FROM pg_class WHERE relnamespace = '$BENCH_TEST_SCHEMA'::regnamespace AND relkind IN ('r', 'v') AND relname <> 'payroll' AND has_table_privilege('$role', oid, 'SELECT, INSERT, UPDATE, DELETE')")" = 0 ] || fail "it may still something"
	expect 0 bench db grant reader "$role"
	[ "$(server_sql "SELECT count(*) FROM pg_class WHERE relnamespace = '$BENCH_TEST_SCHEMA'::regnamespace AND relkind IN ('r', 'v') AND NOT has_table_privilege('$role', oid, 'SELECT')")" = 0 ] || fail "it may not read all"
	expect 2 bench db grant none bench
	has err "'bench' owns its tables"
}

test_a_database_that_cannot_keep_all_texts_is_refused_before_measuring()
{
	needs_server
	server_sql "CREATE DATABASE l_$BENCH_TEST_SCHEMA ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
	expect 5 bench run "${measured[@]}" --db "${BENCH_TEST_SERVER/bench\?/l_$BENCH_TEST_SCHEMA?}"
	has err 'its encoding is LATIN1'
	[ -z "$(ls runs 2>/dev/null)" ] || fail "something was measured"
	server_sql "DROP DATABASE l_$BENCH_TEST_SCHEMA"
}

test_what_looks_like_an_address_is_no_file()
{
	needs_server
	local db
	for db in 'host=localhost password=s3cret' 'dbname=bench' 'Postgresql://u:s3cret@localhost/d' 'postgresql://u@localhost/d?pass%77ord=s3cret' \
		'postgresql://u@localhost/d?sslmode=prefer&pass%77ord=s3cret'; do
		bench list runs --db "$db" >out 2>err && fail "$db"
		has_not err s3cret
		[ ! -e "$db" ] || fail "a file called $db"
	done
}

test_a_password_is_in_no_file_and_no_output()
{
	needs_server
	writer "p_$BENCH_TEST_SCHEMA"
	local db
	db=$(as "p_$BENCH_TEST_SCHEMA:s3cret")
	expect 0 bench run "${measured[@]}" --db "$db"
	cat out err >said
	expect 0 bench show last --db "$db" --format json
	cat out err >>said
	expect 0 bench db check --db "$db"
	cat out err >>said
	bench doctor --db "$db" >>said 2>&1 || true
	expect 5 bench run "${measured[@]}" --db "${db/host=/host=/nowhere}"
	cat out err >>said
	expect 0 bench report --out pages --db "$db"
	cat out err >>said
	grep -rq "p_$BENCH_TEST_SCHEMA:\*\*\*@" runs said || fail "the address is not shown at all"
	! grep -r s3cret runs said pages || fail "the password was written"
	printf '{"history": "%s"}\n' "$db" >bench.json
	expect 2 "$BENCH" list runs --project bench.json
	has err 'do not put a password'
	has_not err s3cret
}

test_a_history_goes_to_the_server_and_back()
{
	needs_server
	bench run "${measured[@]}" --db file.db >/dev/null 2>&1
	bench run "${measured[@]}" --db file.db >/dev/null 2>&1
	bench baseline set main last~1 --db file.db
	expect 0 bench db copy "$(as bench)" --db file.db
	has err 'all rows of'
	expect 2 bench db copy "$(as bench)" --db file.db
	has err 'has a history already'
	expect 0 bench db copy back.db
	expect 2 bench db copy back.db
	expect 0 bench db backup backup.db
	expect 0 bench db backup backup.db --overwrite
	for copy in file back backup; do
		python3 -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).iterdump(), sep="\n")' $copy.db >$copy.sql
	done
	cmp file.sql back.sql
	cmp file.sql backup.sql
	expect 0 bench compare last --baseline main
	expect 2 bench db backup "$(as bench)"
	expect 2 bench db repair
	expect 3 bench db copy other.db --db none.db
	[ ! -e other.db ] || fail "a copy of nothing is there"
	history_sql "UPDATE metric SET median = median * 2" >/dev/null
	expect 5 bench db check
	expect 5 bench db copy other.db
	has err 'is damaged, and not copied: run:'
	[ ! -e other.db ] || fail "a damaged history was copied"
}

test_what_is_no_history_is_said_to_be_none()
{
	needs_server
	expect 3 bench list runs
	has err "no tables in 'postgresql://"
	expect 3 bench db check
	expect 3 bench prune --keep 1
	expect 5 bench list runs --db 'postgresql://localhost:1x/y'
	expect 5 bench list runs --db "${BENCH_TEST_SERVER/\/bench\?/\/nothing?}"
	has err '"nothing" does not exist'
	server_sql "CREATE TABLE $BENCH_TEST_SCHEMA.run (x int)"
	expect 5 bench list runs
	has err 'another program'
	expect 5 bench run "${measured[@]}"
	server_sql "DROP SCHEMA $BENCH_TEST_SCHEMA CASCADE" 2>/dev/null
	expect 5 bench list runs
	has err 'CREATE SCHEMA'
}
