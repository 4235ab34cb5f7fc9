# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The files that users name: the log, plots, a matrix, a series. What is there stays what it is.

# run_folders N: run folders r1 to rN, of one measurement.
run_folders()
{
	local i id
	expect 0 bench run --suite null -k 1 --budget 0.1s
	id=$(basename runs/*)
	for ((i = 1; i <= $1; i++)); do
		cp -r "runs/$id" "r$i"
		sed -i "s/$id/$id-$i/" "r$i/metrics.json"
	done
}

test_a_log_stays_a_link_with_its_mode_and_other_names()
{
	run_folders 3
	mkdir notes
	printf '# Mine\n' >notes/log.md
	chmod 640 notes/log.md
	ln -s notes/log.md log.md
	expect 0 bench log r1 --append log.md
	[ -L log.md ] || fail "the link is a file"
	[ "$(stat -c %a notes/log.md)" = 640 ] || fail "the mode is $(stat -c %a notes/log.md)"
	has notes/log.md '^# Mine'
	ln notes/log.md other.md
	expect 0 bench log r2 --append log.md
	cmp notes/log.md other.md || fail "the names hold different files"
	[ "$(grep -c '^## ' other.md)" = 2 ] || fail "not two entries"
	expect 0 bench log --index other.md
	cmp notes/log.md other.md || fail "the names hold different files"
}

test_logs_that_are_appended_to_at_once_keep_all_entries()
{
	local i
	run_folders 16
	for ((i = 1; i <= 16; i++)); do
		bench log "r$i" --append log.md 2>>err &
	done
	wait
	[ "$(grep -c '^## ' log.md)" = 16 ] || fail "$(grep -c '^## ' log.md) of 16 entries: $(cat err)"
	[ "$(grep -c '^  - \[' log.md)" = 16 ] || fail "the index has not all"
}

test_what_a_killed_append_has_left_goes_with_the_next()
{
	run_folders 2
	expect 0 bench log r1 --append log.md
	cp log.md .log.md.bench-abcdef
	expect 0 bench log r2 --append log.md
	[ ! -e .log.md.bench-abcdef ] || fail "it is still there"
	expect 0 bench log --index log.md
}

test_what_is_no_file_is_refused_and_not_waited_for()
{
	local name words
	run_folders 2
	mkfifo pipe.svg
	mkdir folder.svg
	while read -r name words; do
		expect 5 timeout 20 bench log r1 --append "$name"
		has err "$words"
		if command -v gnuplot >/dev/null && [ "$name" != /dev/null ]; then
			expect 5 timeout 20 bench plot trend -o "$name"
			has err "$words"
		fi
	done <<-END
		pipe.svg not a regular file
		/dev/null not a regular file
		folder.svg Is a directory
		none/x.svg No such file
	END
	[ -c /dev/null ] || fail "/dev/null is gone"
	expect 5 timeout 20 bench changepoints pipe.svg
	has err 'not a regular file'
	GITHUB_STEP_SUMMARY=$PWD/pipe.svg expect 0 timeout 20 bench compare r1 --baseline r2 --format github
	has err 'warning: the summary is not in'
}

test_a_run_that_was_killed_at_its_start_is_no_error_for_ever()
{
	run_folders 1
	mkdir runs/20200101-000000 runs/20200101-000001
	: >runs/20200101-000001/samples.jsonl
	expect 0 bench ingest runs/*
	has err 'cut short before anything was written'
	expect 3 bench show runs/20200101-000001
	expect 3 bench run --resume runs/20200101-000001
}

test_files_that_may_not_grow_are_an_error_and_no_end()
{
	run_folders 1
	printf '# Mine\n%3000s\n' . >log.md
	cp log.md before.md
	(
		ulimit -f 2
		expect 5 bench log r1 --append log.md
		has err "cannot write 'log.md': File too large"
		expect 5 bench run --suite null -k 1 --budget 0.1s --no-store
		has err 'File too large|disk is full'
	)
	cmp log.md before.md || fail "the log has changed"
	[ -z "$(find . -name '.*bench-*')" ] || fail "a temporary file is left"
}

test_long_paths_are_shown_with_what_is_wrong()
{
	local part deep
	part=$(printf 'a%.0s' {1..200})
	deep=$part/$part/$part/$part/$part
	mkdir -p "$deep"
	expect 5 bench run --suite null --set spin=0 -k 1 --budget 0.05s --runs-dir "$deep/runs" --db "$deep/results.db"
	has err 'and SQLite takes [0-9]+ at most; give another --db$'
	expect 0 bench run --suite null --set spin=0 -k 1 --budget 0.05s --watch no --runs-dir "$deep/runs"
	expect 0 bench show last
	: >"$deep/file"
	expect 5 bench ingest "$deep/file"
	has err "is not a folder$"
	expect 0 bench runs rm last --runs-dir "$deep/runs"
	[ -z "$(ls -A "$deep/runs")" ] || fail "the folder is there"
}
