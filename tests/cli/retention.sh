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
	has out '^none$'
	# All of them are of today.
	expect 0 bench prune --older 1
	has out '^none$'
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
	mkdir "runs/$first/more"
	expect 0 bench runs rm "$first"
	has err "folder 'runs/$first' stays: "
	[ -d "runs/$first/more" ] || fail "what was not of the run is gone"
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
