# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The history as a file: what is taken in while it is measured, damage told by name, copies, what is saved of a damaged one,
# and that no verb takes a database that it cannot read for none.

sql()
{
	python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2])' "${2-results.db}" "$1"
}

# value SQL: a single one.
value()
{
	python3 -c 'import sqlite3, sys; print(sqlite3.connect("results.db").execute(sys.argv[1]).fetchone()[0])' "$1"
}

# samples: of the last run, as the history has it.
samples()
{
	bench show last --format json >shown
	json shown 'sum(len(s["values"]) for r in j["results"] for m in r["metrics"] for s in m["samples"])'
}

measured()
{
	bench run --suite null --set spin=0 -k 1 --budget 0.1s --watch no >/dev/null 2>&1
}

# A history of two runs, a baseline, a shift.
history()
{
	measured
	measured
	bench baseline set main last~1
	bench baseline accept '*spin=0/time' --why 'so' 2>/dev/null
	bench compare --baseline main >/dev/null 2>&1 || true
	# shellcheck disable=SC2012 # stamps
	first=$(ls runs | head -n 1) second=$(ls runs | tail -n 1)
}

# A run that takes long, until its first invocation has ended; its process is in `job`.
live_run()
{
	bench run --suite gemm --set n=8 --backend openblas --budget 60s --precision 0.0001% -k 40 --watch no >run.out 2>run.err &
	job=$!
	wait_for '"event": ?"end"' 'runs/*/samples.jsonl'
	run=$(echo runs/*)
}

test_a_live_run_is_left_alone_and_the_others_are_taken_in()
{
	bench run --suite null --set spin=0 -k 1 --budget 0.1s --watch no --no-store --runs-dir other >/dev/null 2>&1
	sleep 1 # an id is a second
	live_run
	expect 3 bench ingest "$run" other/*
	has err "$run: is still being measured"
	has err 'other/.*: taken in'
	[ "$(value 'SELECT count(*) FROM run')" = 1 ] || fail "the live run is in the history"
	kill -INT "$job"
	wait "$job" 2>/dev/null || true
	# It came in by itself, as far as it was measured.
	[ "$(value 'SELECT count(*) FROM run')" = 2 ] || fail "the run is not in the history: $(cat run.err)"
	expect 0 bench ingest "$run" other/*
	has err "$run: is in the history already"
	expect 0 bench db check
}

test_a_killed_run_is_replaced_when_it_was_resumed()
{
	live_run
	kill -KILL "$job"
	wait "$job" 2>/dev/null || true
	flock -w 10 "$run/samples.jsonl" true || fail "the lock of a killed run is still held"
	expect 0 bench ingest "$run"
	has err 'taken in'
	part=$(samples)
	expect 0 bench list runs
	has out 'cut short: no baseline'
	expect 3 bench baseline set main last
	has err 'an incomplete run cannot be a baseline'
	expect 0 bench run --resume "$run" --budget 1s
	[ "$(value 'SELECT finished > 0 FROM run')" = 1 ] || fail "the part has stayed"
	[ "$(samples)" -gt "$part" ] || fail "no samples were added"
	[ "$(value 'SELECT count(*) FROM run')" = 1 ] || fail "it is there twice"
	expect 0 bench baseline set main last
	expect 0 bench ingest "$run"
	has err 'in the history already'
	expect 0 bench db check
}

test_runs_of_one_second_in_two_folders_are_told_apart()
{
	measured
	cp -r runs other
	run=$(cd runs && echo *)
	python3 - "other/$run/metrics.json" <<-'PYTHON'
		import json, sys
		j = json.load(open(sys.argv[1]))
		j["results"][0]["metrics"][0]["samples"][0]["values"][0] *= 2
		json.dump(j, open(sys.argv[1], "w"))
	PYTHON
	expect 5 bench ingest "other/$run"
	has err "has another run '$run'.*rename one of the two"
	expect 0 bench ingest "runs/$run"
}

test_runs_of_one_second_in_two_folders_are_both_kept()
{
	measured
	mv runs other
	measured
	measured
	[ "$(value 'SELECT count(*) FROM run')" = 3 ] || fail "not all three are in the history"
	[ "$(printf '%s\n' runs/* other/* | sed 's|.*/||' | sort -u | wc -l)" = 3 ] || fail "$(ls runs other)"
}

test_a_folder_in_which_nothing_was_written_stops_nothing()
{
	measured
	mkdir runs/20200101-000000
	: >runs/20200101-000000/samples.jsonl
	expect 0 bench ingest runs/*
	has err '20200101-000000: holds nothing'
	expect 3 bench ingest runs/20200101-000000
}

# Every verb that reads the history, each with arguments that need it.
verbs=('show' 'show last' 'show 20200101-000000' 'log' 'log last' 'plot trend' 'plot scaling' 'plot roofline last' 'list runs' 'list metrics' \
	'history' 'compare' 'compare last' 'baseline list' 'baseline show main' 'baseline set x' 'baseline rm main' 'baseline accepted' \
	'baseline accept * --why x' 'baseline unaccept *' 'alarms' 'alarms show 1' 'alarms accept 1 --why x' 'ingest runs/x' \
	'run --suite null --set spin=0 -k 1 --budget 0.1s' 'gate --suite null --set spin=0 -k 1 --budget 0.1s' 'db check' 'db backup copy.db' \
	'show runs/x --baseline last' 'log runs/x --baseline main')

# each_verb DATABASE REGEX: all of them end with 5, at once, and say why.
each_verb()
{
	local verb
	for verb in "${verbs[@]}"; do
		set -f
		# shellcheck disable=SC2086 # words
		expect 5 timeout 20 bench $verb --db "$1"
		set +f
		cat out err >said
		has said "$2"
		[ ! -e copy.db ] || fail "there is a copy: $verb"
	done
}

one_folder()
{
	bench run --suite null --set spin=0 -k 1 --budget 0.1s --watch no --no-store --runs-dir kept >/dev/null 2>&1
	mkdir -p runs
	cp -r kept/* runs/x
}

test_no_verb_takes_what_cannot_be_read_for_none()
{
	one_folder
	bench ingest runs/x --db newer.db 2>/dev/null
	cp newer.db damaged.db
	cp newer.db negative.db
	sql 'PRAGMA user_version = 9999' newer.db
	sql 'PRAGMA user_version = -1' negative.db
	dd if=/dev/urandom of=damaged.db bs=1 seek=20 count=4000 conv=notrunc status=none
	each_verb newer.db 9999
	each_verb negative.db 'version -1'
	each_verb damaged.db 'damaged.db'
}

test_no_verb_waits_on_a_pipe_or_takes_an_address_for_a_file()
{
	one_folder
	mkfifo pipe
	ln -s circle circle
	each_verb pipe 'it is a FIFO'
	each_verb . 'it is a folder'
	each_verb /dev/null 'it is a device'
	each_verb circle 'symbolic links'
	each_verb runs/x/metrics.json/results.db 'Not a directory'
	each_verb file:x.db 'no file name'
	each_verb :memory: 'no file name'
	each_verb '' 'no file name'
	[ ! -e x.db ] || fail "an address was taken for a file"
}

test_a_folder_is_shown_whatever_the_history_is()
{
	one_folder
	mkfifo pipe
	expect 0 bench show runs/x --db pipe
	expect 0 bench log runs/x --db pipe
	expect 0 bench show runs/x --db none.db
	expect 3 bench show last --db none.db
	has err "no file 'none.db'"
}

test_a_whole_history_is_said_to_be_whole()
{
	history
	expect 0 bench db check
	has err 'is whole: 2 runs'
	expect 0 bench db check --format json
	[ "$(json out 'j')" = '[]' ] || fail "$(cat out)"
	expect 3 bench db check --db none.db
}

test_damage_is_told_by_name()
{
	history
	sql "UPDATE metric SET median = median * 2 WHERE run = 1 AND metric_key = 1; UPDATE accepted SET pattern = 'x'"
	expect 5 bench db check --format json
	[ "$(json out 'sorted(r["what"] for r in j)')" = "['accepted', 'run:$first']" ] || fail "$(cat out)"
	has err 'is damaged'
	expect 5 bench db backup copy.db
	has err 'accepted|run:'
	[ ! -e copy.db ] || fail "a damaged history was copied"
}

test_backup_is_a_history()
{
	history
	chmod 640 results.db
	expect 0 bench db backup copy.db
	[ "$(stat -c %a copy.db)" = 640 ] || fail "others may read the copy"
	expect 0 bench db check --db copy.db
	expect 2 bench db backup copy.db
	has err 'overwrite'
	expect 0 bench db backup copy.db --overwrite
	expect 5 bench db backup no/copy.db
	has err 'no/copy.db'
	[ -z "$(find . -name '*tmp*')" ] || fail "something was left behind: $(ls)"
	bench show last --format json >old
	bench show last --format json --db copy.db >new
	cmp old new
}

test_repair_saves_what_is_right_and_says_what_is_not()
{
	history
	bench show "$first" --format json >before
	sql "UPDATE result SET samples = zeroblob(9) WHERE result = 1"
	cp results.db damaged
	expect 0 bench db repair --format json
	[ "$(json out '[r["from"].endswith("runs/'"$first"'") for r in j if r["what"] == "run:'"$first"'"]')" = '[True]' ] || fail "$(cat out)"
	[ "$(json out '[r["from"] for r in j if r["what"] == "run:'"$second"'"]')" = "['database']" ] || fail "$(cat out)"
	bench show "$first" --format json >after
	cmp before after
	expect 0 bench db check
	expect 0 bench baseline show main
	has out "$first"
	expect 0 bench baseline accepted
	has out 'so'
	cmp damaged results.db.damaged-*
	[ ! -e results.db-wal ] || [ ! -s results.db-wal ] || fail "an old log is beside the new file"
}

test_repair_says_what_is_lost()
{
	history
	mv "runs/$first" away
	sql "UPDATE result SET samples = zeroblob(9) WHERE result = 1"
	expect 5 bench db repair
	has out "run:$first +LOST"
	has out "run:$second +database"
	has out 'runs of baselines +LOST'
	expect 0 bench db check
	expect 0 bench ingest away
}

test_repair_of_what_is_no_database_any_more()
{
	history
	head -c 5000 /dev/urandom >results.db
	rm -f results.db-*
	expect 5 bench db repair
	has out 'database +LOST'
	expect 0 bench list runs --format json
	[ "$(json out 'len(j)')" = 2 ] || fail "$(cat out)"
	expect 0 bench db check
}

test_repair_leaves_alone_what_is_not_ours()
{
	python3 -c 'import sqlite3; c = sqlite3.connect("n.db"); c.execute("create table x(y)"); c.commit()'
	cp n.db was.db
	expect 5 bench db repair --db n.db
	has err 'another program'
	cmp n.db was.db
	expect 3 bench db repair --db none.db
	# shellcheck disable=SC2012
	[ "$(ls)" = "$(printf 'err\nn.db\nout\nwas.db')" ] || fail "something was left behind: $(ls)"
}

test_repair_waits_for_nobody()
{
	live_run
	expect 5 bench db repair
	has err 'another process has it open'
	kill -KILL "$job"
	wait "$job" 2>/dev/null || true
}

test_an_index_that_names_no_row_is_damage()
{
	history
	python3 - <<-'END'
		import sqlite3, struct
		c = sqlite3.connect("results.db")
		c.execute("PRAGMA wal_checkpoint(TRUNCATE)")
		size = c.execute("PRAGMA page_size").fetchone()[0]
		root = c.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'run'").fetchone()[0]
		c.close()
		with open("results.db", "r+b") as file:
		    while True:
		        page = (root - 1) * size
		        file.seek(page)
		        kind, _, cells, _, _, last = struct.unpack(">BHHHBI", file.read(12))
		        if kind != 5:  # a table of more than a page: the last run is in the last of them
		            break
		        root = last
		    assert kind == 13 and cells > 0, (kind, cells)  # a leaf of a table
		    file.seek(page + 8 + 2 * (cells - 1))
		    at = page + struct.unpack(">H", file.read(2))[0]
		    file.seek(at)
		    while file.read(1)[0] & 0x80:  # the length of the row
		        at += 1
		    assert file.read(1) == b"\x02"
		    file.seek(at + 1)
		    file.write(b"\x03")  # the row's number
	END
	for command in "compare $first --baseline $second" "show $second" "compare $second --baseline main"; do
		# shellcheck disable=SC2086 # words
		expect 5 bench $command
		has err 'damaged'
	done
	expect 5 bench db check
}
