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
	has err 'password has no place'
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
