# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench doctor: the grades it prints and its exit status agree, on whatever machine this is.

# doctor FORMAT: runs it; out, err and $status are what it gave, which is 0 or 1 on any machine.
doctor()
{
	status=0
	bench doctor --format "$1" >out 2>err || status=$?
	[[ $status = [01] ]] || fail "exit status $status: $(cat err)"
	[ ! -s err ] || fail "stderr: $(cat err)"
}

test_json_has_every_check_once_and_the_grades_agree_with_the_status()
{
	expect 0 bench run --suite null -k 1 --budget 0.1s
	doctor json
	[ "$(json out '[f["grade"] for f in j if f["check"] == "history"]')" = "['good']" ] || fail "$(cat out)"
	[ "$(json out 'len(j)')" -ge 20 ] || fail "only $(json out 'len(j)') checks"
	[ "$(json out 'len({f["check"] for f in j}) == len(j)')" = True ] || fail "a check is there twice"
	[ "$(json out '{f["grade"] for f in j} <= {"good", "advice", "bad", "unknown"}')" = True ] ||
		fail "there is another grade"
	[ "$(json out 'all(f["found"] for f in j)')" = True ] || fail "a check found nothing"
	[ "$(json out 'all(f["cost"] and f["change"] for f in j if f["grade"] == "bad")')" = True ] ||
		fail "something is bad, and what to change is not said"
	[ "$(json out 'int(any(f["grade"] == "bad" for f in j))')" = "$status" ] || fail "exit status $status: $(cat out)"
	local name
	for name in governor turbo smt throttling power clock load steal pressure cpus quota isolated numa virtual memory \
		swap huge-pages layout interruptions spread together gpu openblas opencl disk git history; do
		[ "$(json out "[f['check'] for f in j].count('$name')")" = 1 ] || fail "$name is not there once"
	done
}

# "not fit: 2 findings (load, disk); ..." for the names on stdin.
verdict_of()
{
	awk '{ names = names (NR > 1 ? ", " : "") $1 }
		END { printf "not fit: %d finding%s (%s); bench duel still judges here\n", NR, NR == 1 ? "" : "s", names }'
}

# A file in the place of its folder makes sure that something is bad, and what.
test_markdown_ends_with_what_is_bad()
{
	touch runs
	mkfifo pipe
	status=0
	OCL_ICD_VENDORS=/nonexistent bench doctor --db pipe --format markdown >out || status=$?
	[ "$status" = 1 ] || fail "a machine that cannot write runs is fit"
	has out '^\| check \| grade \| found '
	has out '^\| disk \| bad \| '
	has out '^\| history \| bad \| .*pipe.* it is a FIFO'
	has out '^\| opencl \| advice \| no OpenCL platform.*pocl'
	awk -F'|' '$3 == " bad " { print $2 }' out | verdict_of >want
	[ "$(tail -n 1 out)" = "$(cat want)" ] || fail "the last line is '$(tail -n 1 out)', not '$(cat want)'"
}

test_a_narrow_terminal_cuts_nothing_but_wraps()
{
	script -qec true /dev/null >/dev/null 2>&1 || skip "this system gives no pseudo-terminals"
	command -v script >/dev/null || skip "script(1) is not installed"
	touch runs
	script -qec "stty cols 80; bench doctor" /dev/null >raw || true
	sed 's/\x1b\[[0-9;]*m//g; s/\r$//' raw >out
	has out '^  disk +bad +'
	has_not out '\.\.\.$'
	awk '$2 == "bad" { print $1 }' out | verdict_of >want
	[ "$(tail -n 1 out)" = "$(cat want)" ] || fail "the last line is '$(tail -n 1 out)', not '$(cat want)'"
	# No line is longer than the terminal, but for the last, and for commands, which are never broken.
	grep -Ev '^ {27,}[^ ]|^not fit' out | awk 'length > 80' >long
	[ ! -s long ] || fail "longer than the terminal: $(cat long)"
	grep -q $'\033\[31mbad' raw || fail "bad is not red"
}

test_a_damaged_history_is_bad()
{
	expect 0 bench run --suite null -k 1 --budget 0.1s
	# The page of a table that opening the file does not read.
	python3 - <<-'PYTHON'
		import sqlite3
		db = sqlite3.connect("results.db")
		page = db.execute("select rootpage from sqlite_master where name = 'metric'").fetchone()[0]
		size = db.execute("pragma page_size").fetchone()[0]
		db.execute("pragma wal_checkpoint(truncate)")
		db.close()
		with open("results.db", "r+b") as f:
		    f.seek((page - 1) * size)
		    f.write(b"\xff" * 512)
	PYTHON
	rm -f results.db-wal results.db-shm
	expect 0 bench list runs
	doctor csv
	[ "$status" = 1 ] || fail "exit status $status: $(cat out)"
	python3 - <<-'PYTHON' || fail "$(cat out)"
		import csv
		rows = {r["check"]: r for r in csv.DictReader(open("out"))}
		assert len(rows) > 20 and rows["history"]["grade"] == "bad" and "results.db" in rows["history"]["found"]
	PYTHON
}

test_what_it_does_not_understand_is_a_usage_error()
{
	expect 2 bench doctor --format yaml
	has err "no format 'yaml'"
	[ ! -s out ] || fail "$(cat out)"
	expect 2 bench doctor --fromat json
	has err "'--fromat'.*'--format'"
	expect 2 bench doctor now
	has err "'now'"
	expect 2 bench doctor --format
	expect 2 bench docter
	has err "'doctor'"
}

test_help_has_examples()
{
	expect 0 bench doctor --help
	has out '^ +bench doctor --format json'
	has out 'Exit status: 0 fit; 1 not'
}
