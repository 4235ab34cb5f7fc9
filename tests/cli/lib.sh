# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Helpers for the tests in tests/cli/*.sh. A test is a function test_*; it runs in a fresh empty folder under
# `set -e`, `bench` is the program under test, and it fails by a helper's or a command's failure.

fail()
{
	printf '%s\n' "$*" >&2
	exit 1
}

# Ends the test as one that could not be run here.
skip()
{
	printf '%s\n' "$*" >&2
	exit 77
}

# expect STATUS COMMAND...: runs it; its output is in the files out and err, and is shown where the status
# is another.
expect()
{
	local want=$1 status=0
	shift
	"$@" >out 2>err || status=$?
	ended "$want" "$status" "$@"
}

# expect_in_time STATUS SECONDS COMMAND...: the same with that --budget, or with the longer one that a busy machine asks for.
expect_in_time()
{
	local want=$1 budget=$2 more=$2 status
	shift 2
	while [ -n "$more" ]; do
		status=0
		"$@" --budget "${budget}s" >out 2>err || status=$?
		more=$(sed -nE 's/.*is too short.*; use --budget ([0-9]+)s.*/\1/p' err)
		budget=$((2 * ${more:-0}))
	done
	ended "$want" "$status" "$@"
}

# decided STATUS COMMAND...: as expect; but the test ends as one that could not be run if a gate stays undecided, as on a
# busy machine.
decided()
{
	local want=$1 status=0
	shift
	"$@" >out 2>err || status=$?
	[ "$status" = "$want" ] || ! grep -Eq '^gate: UNCLEAR|^bench: --budget .* is too short' err || skip "the machine is too busy to decide"
	ended "$want" "$status" "$@"
}

# ended WANTED STATUS COMMAND...: what it printed is in out and err.
ended()
{
	[ "$1" = "$2" ] || {
		sed 's/^/out> /' out >&2
		sed 's/^/err> /' err >&2
		fail "exit status $2, not $1: ${*:3}"
	}
}

# has FILE REGEX: a line of the file matches.
has()
{
	grep -Eq -- "$2" "$1" || {
		sed 's/^/    /' "$1" >&2
		fail "no line of $1 matches: $2"
	}
}

# has_not FILE REGEX: no line of the file matches.
has_not()
{
	! grep -E -- "$2" "$1" >&2 || fail "a line of $1 matches: $2"
}

# wait_for REGEX FILE-PATTERN: waits, at most a minute, until a line of such a file matches.
wait_for()
{
	local i
	for ((i = 0; i < 600; i++)); do
		# shellcheck disable=SC2086 # the pattern is to be expanded
		! grep -Eqs -- "$1" $2 || return 0
		sleep 0.1
	done
	fail "no line of $2 came to match: $1"
}

# forget_history: of all runs, as if none had been measured.
forget_history()
{
	rm -rf results.db*
	[ -z "${BENCH_TEST_SERVER-}" ] ||
		psql -qc "DROP SCHEMA $BENCH_TEST_SCHEMA CASCADE; CREATE SCHEMA $BENCH_TEST_SCHEMA" "$BENCH_TEST_SERVER" 2>/dev/null
}

# history_sql COMMAND: in the history, a file or on a server; the first value of the first row.
history_sql()
{
	if [ -n "${BENCH_TEST_SERVER-}" ]; then
		psql -qAtc "SET search_path = $BENCH_TEST_SCHEMA; $1" "$BENCH_TEST_SERVER"
	else
		python3 -c 'import sqlite3, sys
db = sqlite3.connect("results.db")
print(*[row[0] for row in db.execute(sys.argv[1])][:1])
db.commit()' "$1"
	fi
}

# In a background job of a shell script, SIGINT is ignored unless job control is on.
set -m

# json FILE EXPRESSION: the value of a Python expression in which `j` is the file's content.
json()
{
	python3 -c 'import json, sys; j = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# valid METRICS.JSON: it is as schema/metrics.schema.json says.
valid()
{
	local status=0
	python3 "$BENCH_SOURCE/tests/schema_check.py" "$1" >wrong || status=$?
	[ $status != 77 ] || skip "$(cat wrong)"
	[ $status = 0 ] || fail "$(cat wrong)"
}

# as_another_user COMMAND...: as one who is neither root nor the owner of what root makes.
as_another_user()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

needs_another_user()
{
	if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
		skip "to be another user takes root, and setpriv"
	fi
	chmod 711 ..
	chmod 755 .
	as_another_user bench --version >/dev/null 2>&1 || skip "another user has no way to the program"
	as_another_user test -r . || skip "another user has no way here"
}

needs_oclgrind()
{
	command -v oclgrind >/dev/null || skip "oclgrind is not installed"
	# Sanitizers want to be loaded first, and so does Oclgrind.
	grep -Eqa '__(a|t)san_init' "$BENCH" && skip "no Oclgrind under a sanitizer"
	return 0
}
