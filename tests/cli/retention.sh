# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Runs that go, and labels that change: bench prune, bench runs.

# runs N: that many runs, of one kind.
runs()
{
	local i
	for ((i = 0; i < $1; i++)); do
		bench run --suite null --set spin=0 -k 1 --budget 0.05s --watch no >/dev/null 2>&1
	done
}

ids()
{
	bench list runs --format csv | sed "1d; s/,.*//; s/\"//g"
}

test_prune_lists_and_removes_with_a_yes()
{
	runs 4
	bench baseline set first last~3
	oldest=$(ids | tail -n 1)
	expect 0 bench prune --keep 1 --format json
	[ "$(json out '[len(j), sum(r["stays"] == "" for r in j)]')" = "[3, 2]" ] || fail "$(cat out)"
	has out "baseline 'first' has it"
	has err '^bench: 2 runs to remove: --yes removes them; 1 of these stays$'
	[ "$(ids | wc -l)" = 4 ] || fail "a list removed something"
	expect 0 bench prune --keep 1 --yes
	has err '^bench: 2 runs removed; 1 of these stays$'
	[ "$(ids | wc -l) $(ids | tail -n 1)" = "2 $oldest" ] || fail "$(ids)"
	[ "$(find runs -mindepth 1 -maxdepth 1 -type d | wc -l)" = 2 ] || fail "$(find runs)"
	expect 0 bench db check
	expect 0 bench compare last --baseline first
	expect 0 bench prune --keep 1 --yes
	has err '^bench: 0 runs removed; 1 of these stays$'
	expect 0 bench prune --keep 5
	has err '^bench: no run to remove$'
	# All of them are of today.
	expect 0 bench prune --older 1
	has err '^bench: no run to remove$'
	expect 0 bench prune --older 0
	has err '^bench: 1 run to remove'
}

test_prune_is_told_what_to_remove()
{
	expect 3 bench prune --keep 1
	has err 'results\.db'
	expect 2 bench prune
	has err '--keep N or --older DAYS'
	expect 2 bench prune --keep -1
	expect 2 bench prune --older 90d
	has err "'90d'"
}

test_rm_removes_what_is_not_needed()
{
	runs 2
	bench baseline set kept last
	last=$(ids | head -n 1) first=$(ids | tail -n 1)
	expect 2 bench runs rm "$first" last
	has err "run $last is needed: baseline 'kept' has it; nothing was removed"
	[ "$(ids | wc -l)" = 2 ] || fail "$(ids)"
	expect 0 bench runs rm "$first" last~1 --keep-folders
	has err 'removed 1 run$'
	[ -d "runs/$first" ] || fail "the folder is gone"
	[ "$(ids)" = "$last" ] || fail "$(ids)"
	expect 2 bench runs rm "$first"
	# It can come back as long as its folder is there.
	expect 0 bench ingest "runs/$first"
	expect 0 bench runs rm "$first"
	[ ! -e "runs/$first" ] || fail "the folder is there"
	bench baseline rm kept
	expect 0 bench runs rm last
	expect 0 bench list metrics
	has out '^none$'
	expect 0 bench db check
}

test_an_id_that_is_a_path_removes_nothing_outside()
{
	runs 1
	mkdir mine
	: >mine/samples.jsonl
	python3 -c 'import sqlite3; c = sqlite3.connect("results.db"); c.execute("update run set id = ?", ("../mine",)); c.commit()'
	expect 0 bench runs rm ../mine
	[ -e mine/samples.jsonl ] || fail "a folder outside is gone"
}

# stay WHY RUN..: these runs are refused, and everything stays as it is, but for what the shell has.
stay()
{
	local why=$1 before
	shift
	before=$(find runs -ls)
	expect 5 bench runs rm "$@"
	has err "$why"
	[ "$(find runs -ls)" = "$before" ] || fail "something was removed: $(find runs)"
	expect 0 bench show "$1"
}

test_a_folder_that_is_not_the_runs_alone_stays()
{
	runs 3
	read -r last middle first <<<"$(ids | tr '\n' ' ')"
	mkdir elsewhere
	echo mine >elsewhere/mine
	echo notes >"runs/$first/notes.txt"
	stay "run $first: the folder 'runs/$first' stays: 'notes\.txt' in it .*; nothing was removed" "$first" "$last"
	expect 0 bench prune --keep 1
	has out "'notes\.txt' in it"
	expect 5 bench prune --keep 1 --yes
	has err '^bench: 1 run removed; 1 of these stays$'
	has err "notes\.txt"
	[ "$(ids)" = "$last"$'\n'"$first" ] || fail "$(ids)"
	[ ! -e "runs/$middle" ] || fail "the other's folder is there"
	rm "runs/$first/notes.txt"
	mkdir "runs/$first/more"
	stay "'more' in it" "$first"
	rmdir "runs/$first/more"
	# Links: a name of the run's own that is none of its files, and the folder itself.
	mv "runs/$first/run.log" elsewhere/run.log
	ln -s ../../elsewhere/run.log "runs/$first/run.log"
	stay "'run\.log' in it" "$first"
	rm "runs/$first/run.log"
	mv "runs/$first" elsewhere/moved
	ln -s ../elsewhere/moved "runs/$first"
	stay 'it is a symbolic link' "$first"
	rm "runs/$first"
	mv elsewhere/moved "runs/$first"
	# Another name of the same file stays, as does everything where folders are to stay.
	ln "runs/$first/metrics.json" elsewhere/metrics.json
	: >"runs/$first/.metrics.json.bench-a1B2c3"
	mkdir -p sub
	expect 0 bench runs rm "$first" --runs-dir sub/../runs
	[ ! -e "runs/$first" ] || fail "$(ls -la "runs/$first")"
	[ -s elsewhere/metrics.json ] || fail "another name of the file is gone"
	[ -s elsewhere/mine ] || fail "something outside is gone"
	: >"runs/$last/notes.txt"
	expect 0 bench runs rm "$last" --keep-folders
	[ -e "runs/$last/notes.txt" ] || fail "the folder is gone"
}

test_a_folder_that_is_mounted_stays()
{
	unshare -m true 2>/dev/null || skip "mounting takes root"
	runs 1
	mkdir elsewhere
	last=$(ids)
	cp "runs/$last"/* elsewhere/
	expect 5 unshare -m sh -c "mount --bind elsewhere 'runs/$last' && exec bench runs rm last"
	has err 'it is a mount point'
	[ -s elsewhere/metrics.json ] || fail "a file outside is gone"
}

test_the_run_of_the_history_is_removed_and_no_other_of_its_id()
{
	mkdir a b
	bench run --suite null --set spin=0 -k 1 --budget 0.05s --watch no --runs-dir a/runs --id night >/dev/null 2>&1
	bench run --suite null --set spin=0 -k 1 --budget 0.05s --watch no --runs-dir b/runs --id night --no-store >/dev/null 2>&1
	cd b || fail 'no folder b'
	expect 5 bench runs rm night --db ../results.db
	has err "run night of the history is in '.*/a/runs/night'"
	[ -s runs/night/metrics.json ] || fail "another run's folder is gone"
	# As where the first's folder was moved away: what is recorded in the folder tells.
	mv ../a ../c
	expect 5 bench runs rm night --db ../results.db
	has err 'it holds another run'
	[ -s runs/night/metrics.json ] || fail "another run's folder is gone"
	expect 0 bench runs rm night --db ../results.db --runs-dir ../c/runs
	[ ! -e ../c/runs/night ] || fail "the folder is there"
	expect 0 bench ingest runs/night --db ../results.db
	expect 0 bench runs rm night --db ../results.db
	[ ! -e runs/night ] || fail "the folder is there"
}

test_a_removal_that_was_cut_short_is_ended_by_the_same_command()
{
	runs 1
	last=$(ids)
	cp -a "runs/$last" whole
	# The states in between: the row goes last.
	for gone in run.log "run.log samples.jsonl" "run.log samples.jsonl metrics.json"; do
		rm -rf "runs/$last"
		cp -a whole "runs/$last"
		(cd "runs/$last" && eval "rm $gone")
		cp results.db before.db
		bench ingest runs/* >/dev/null 2>&1 || true
		[ "$(ids)" = "$last" ] || fail "$(ids)"
		expect 0 bench runs rm "$last"
		[ ! -e "runs/$last" ] || fail "the folder is there: $gone"
		[ -z "$(ids)" ] || fail "$(ids)"
		cp before.db results.db
	done
}

test_a_folder_that_may_not_be_changed_keeps_its_run()
{
	needs_another_user
	runs 2
	chown -R 65534 . runs
	chown 0 "runs/$(ids | tail -n 1)"
	expect 5 as_another_user bench runs rm last last~1
	has err 'Permission denied; nothing was removed'
	[ "$(ids | wc -l)" = 2 ] || fail "$(ids)"
}

test_labels_and_aside()
{
	runs 2
	last=$(ids | head -n 1)
	expect 0 bench runs label last host=quiet ticket=12
	bench show "$last" --format json >run
	[ "$(json run 'sorted(j["run"]["labels"].items())')" = "[('host', 'quiet'), ('ticket', '12')]" ] || fail "$(json run 'j["run"]["labels"]')"
	expect 0 bench runs label "$last" ticket=
	bench show "$last" --format json >run
	[ "$(json run 'j["run"]["labels"]')" = "{'host': 'quiet'}" ] || fail "$(json run 'j["run"]["labels"]')"
	expect 0 bench runs aside "$last" 'the fan was broken'
	expect 0 bench list runs
	has out "$last .*aside: the fan was broken"
	bench show last --format json >run
	[ "$(json run 'j["run"]["id"]')" != "$last" ] || fail "it is still the last"
	expect 0 bench runs label "$last" aside=
	bench show last --format json >run
	[ "$(json run 'j["run"]["id"]')" = "$last" ] || fail "it did not come back"
	expect 0 bench db check
	expect 2 bench runs label last anchor=x
	has err 'anchor'
	expect 2 bench runs label last quiet
	has err "'quiet'.*NAME=VALUE"
	expect 2 bench runs aside last ''
	expect 2 bench runs aside last
	expect 2 bench runs label last a=b --keep-folders
	expect 2 bench runs lable last a=b
	has err "'lable'.*'label'"
	expect 2 bench runs
	has err 'bench list runs'
	expect 2 bench runs aside 20200101-000000 why
	has err 20200101-000000
}

test_runs_of_a_period_are_set_aside_labeled_and_exported()
{
	runs 3
	expect 0 bench export --since 1h --to csv
	[ "$(grep -c '^name,' out)" = 1 ] || fail "not one line of names"
	[ "$(cut -d, -f1 out | sort -u | wc -l)" -gt 1 ] || fail "no samples"
	each=$(for id in $(ids); do bench export "$id" --to go 2>/dev/null; done | grep -c '^Benchmark')
	expect 0 bench export --since 1h --to go
	[ "$(grep -c '^Benchmark' out)" = "$each" ] || fail "not three runs"
	expect 0 bench export --since 1h --samples
	[ "$(grep -c '^run,' out)" = 1 ] || fail "not one line of names of samples"
	[ "$(tail -n +2 out | cut -d, -f1 | sort -u | wc -l)" = 3 ] || fail "not the samples of three runs"
	expect 2 bench export --since 1h --to gbench
	has err 'gbench holds one run'
	expect 2 bench export last --since 1h --to go
	has err 'and not both'
	expect 3 bench export --until 2020-01-01 --to go
	expect 0 bench runs label --since 1h fan=broken
	has err '3 runs have new labels'
	expect 3 bench runs aside --until 2020-01-01 'the fan was broken'
	expect 0 bench runs aside --since 1h 'the fan was broken'
	has err '3 runs are set aside'
	expect 0 bench list runs
	[ "$(grep -c 'aside: the fan was broken' out)" = 3 ] || fail "$(cat out)"
	expect 2 bench runs rm --since 1h
	has err 'bench prune'
	expect 2 bench runs aside --since yesterday why
	has err "'yesterday'"
	expect 2 bench runs aside last why --since 1h
}
