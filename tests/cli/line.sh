# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which runs are earlier: those on the line of history of what is judged. One short run is measured; the histories
# are copies of it, of commits of a small repository.

run_number=0

# commit NAME: an empty commit, and a tag of that name.
commit()
{
	git -c user.name=n -c user.email=e commit -q --allow-empty -m "$1"
	git tag "$1"
}

# merge BRANCH NAME: into what is checked out, with a commit of its own.
merge()
{
	git -c user.name=n -c user.email=e merge -q --no-ff -m "$2" "$1"
	git tag "$2"
}

# repository: that is the working directory from now on, with the run that the others are copies of.
repository()
{
	command -v git >/dev/null || skip "no git"
	git init -q repo
	cd repo || fail "no repository"
	git symbolic-ref HEAD refs/heads/main
	bench run --suite null --set spin=0,1000 -k 1 --budget 0.1s --watch no --no-store --runs-dir one >/dev/null 2>&1
	printf 'one\nruns\nresults.db*\nout\nerr\nlist\n' >.git/info/exclude
}

# night REVISION BRANCH FACTOR [TIMES]: runs of a commit (-: of none), one a day, at a level of their own.
night()
{
	local i hash=''
	[ "$1" = - ] || hash=$(git rev-parse "$1^{commit}")
	for ((i = 0; i < ${4-1}; i++)); do
		run_number=$((run_number + 1))
		printf '%s\t%s\t%s\t%s\n' "$run_number" "$hash" "$2" "$3" >>list
	done
}

# take_in: the nights that were listed, as runs n1, n2, ...
take_in()
{
	python3 - <<-'PYTHON'
		import copy, glob, json, os
		one = json.load(open(glob.glob("one/*/metrics.json")[0]))
		for line in open("list"):
		    number, commit, branch, factor = line.rstrip("\n").split("\t")
		    j = copy.deepcopy(one)
		    j["run"].update(id="n" + number, started=86400 * int(number), finished=86400 * int(number) + 5)
		    j["git"] = {"commit": commit, "branch": branch, "dirty": False, "dirty_files": []} if commit else None
		    j["host"]["executable"] = "of " + commit
		    level = float(factor) * (1 + 0.002 * (int(number) * 7 % 5 - 2))
		    for m in [m for x in j["results"] for m in x["metrics"]]:
		        m["samples"] = [{"invocation": i, "values": [level * 1e-6 * (1 + 1e-4 * i)]} for i in range(8)]
		    os.makedirs("runs/n" + number)
		    json.dump(j, open("runs/n" + number + "/metrics.json", "w"))
	PYTHON
	rm list
	bench ingest runs/n* 2>/dev/null
	rm -r runs
}

# compared_with ID..: the last comparison (in out) was with these runs.
compared_with()
{
	local runs
	runs=$(json out '" ".join(j["baseline"]["runs"])')
	[ "$runs" = "$*" ] || fail "compared with $runs, not with $*"
}

# changed_at ID..: the change points of the case that takes longer are at these runs.
changed_at()
{
	local runs
	expect 0 bench history '*spin=1000/time' --changepoints --format json "${options[@]}"
	runs=$(json out '" ".join(row["run"] for row in j)')
	[ "$runs" = "$*" ] || fail "changed at '$runs', not at '$*': $(cat out err)"
}
options=()

# six_and_six FACTOR: six commits of main, a branch with six more at another level, both measured.
six_and_six()
{
	local i
	for i in 1 2 3 4 5 6; do
		commit "m$i"
		night "m$i" main 1
	done
	git checkout -q -b slow
	for i in 1 2 3 4 5 6; do
		commit "s$i"
		night "s$i" slow "$1"
	done
	git checkout -q main
}

test_a_branch_that_is_not_merged_is_no_baseline()
{
	repository
	six_and_six 1.77
	commit m7
	night m7 main 1.1
	take_in
	expect 1 bench compare --baseline rolling:6 --format json
	compared_with n6 n5 n4 n3 n2 n1
	[ "$(json out 'j["counts"]["slower"], j["baseline"]["left_out"]')" = "(2, 6)" ] || fail "$(cat out)"
	expect 1 bench compare --baseline rolling:6
	has out '^line of history: 6 runs off the first-parent line of [0-9a-f]{12} left out \(--branch any takes them\)'
	# The branch itself goes back to main.
	expect 1 bench compare n7 --baseline rolling:6 --format json
	compared_with n6 n5 n4 n3 n2 n1
	# Without a baseline, the run before on that line.
	expect 0 bench compare n13 --format json --threshold 500%
	compared_with n6
}

# Where nothing is named, the run before is better than none, and is said to be of another line.
test_nothing_on_the_line_leaves_the_run_before()
{
	repository
	commit m1
	commit m2
	night m2 main 1 3
	night m1 main 1
	take_in
	expect 0 bench compare --threshold 500%
	has out '^line of history: no run before is on this one'
	has out 'n3'
	expect 3 bench compare --baseline rolling:3
	has err 'no finished run before n4 on this host and its line of history .*3 runs off the first-parent line'
	expect 3 bench compare --branch other
}

test_the_merge_of_a_slow_branch_is_slower()
{
	repository
	six_and_six 1.77
	merge slow m7
	night m7 main 1.77
	take_in
	expect 1 bench compare --baseline rolling:6 --format json
	compared_with n6 n5 n4 n3 n2 n1
	[ "$(json out 'round(j["verdicts"][0]["ratio"], 1)')" = 1.8 ] || fail "$(cat out)"
}

test_the_change_point_of_a_merge_is_the_merge()
{
	local i
	repository
	six_and_six 1.77
	merge slow m7
	night m7 main 1.77
	for i in 8 9 10; do
		commit "m$i"
		night "m$i" main 1.77
	done
	take_in
	changed_at n13
	has err 'line of history: 6 runs off the first-parent line of [0-9a-f]{12} left out'
	options=(--branch any)
	changed_at n7
	options=(--branch main)
	changed_at n13
	has err "6 runs of other branches than 'main' left out"
	options=(--branch slow)
	changed_at
	expect 3 bench history --changepoints --branch slwo
	has err "no run of branch 'slwo'; did you mean 'slow'"
	# Values are listed of all runs, and of a branch where one is named.
	expect 0 bench history '*spin=0/time' --format csv
	[ "$(grep -c spin=0/time out)" = 16 ] || fail "$(cat out)"
	expect 0 bench history '*spin=0/time' --format csv --branch slow
	[ "$(grep -c spin=0/time out)" = 6 ] || fail "$(cat out)"
	# A report's pages have it there, too.
	expect 0 bench report
	has err 'line of history: 6 runs'
	options=()
	git checkout -q slow
	changed_at n7
}

test_a_fast_branch_hides_nothing()
{
	local i
	repository
	six_and_six 0.5
	commit m7
	night m7 main 1
	take_in
	expect 0 bench compare --baseline rolling:6 --format json
	[ "$(json out 'j["counts"]["slower"], j["counts"]["faster"]')" = "(0, 0)" ] || fail "$(cat out)"
	changed_at
	for i in 8 9 10 11; do
		commit "m$i"
		night "m$i" main 1.1
	done
	take_in
	expect 1 bench compare n14 --baseline rolling:6
	changed_at n14
}

# What a rebase leaves behind is still in the repository at first, and then is not.
test_commits_that_a_rebase_left_behind_count_by_their_branch()
{
	local i collected
	for collected in no yes; do
		rm -rf repo
		forget_history
		run_number=0
		repository
		commit base
		six_and_six 1.77
		git branch -q -D slow
		git tag | xargs git tag -d >/dev/null
		git checkout -q --orphan again
		commit other
		git branch -q -M again main
		for i in 7 8 9 10; do
			commit "r$i"
			night "r$i" main 1.1
		done
		take_in
		[ $collected = no ] || {
			git reflog expire --expire=now --all
			git gc -q --prune=now
		}
		expect 1 bench compare n13 --baseline rolling:6 --format json
		compared_with n6 n5 n4 n3 n2 n1
		expect 1 bench compare n13 --baseline rolling:6
		has out "^line of history: 6 runs left out: the repository does not have all commits; .* branch 'main' count"
		changed_at n13
		cd ..
	done
}

test_a_shallow_clone_goes_by_the_branch()
{
	repository
	six_and_six 1.77
	merge slow m7
	night m7 main 1.77
	take_in
	git clone -q --depth 1 "file://$PWD" ../shallow
	cp results.db* ../shallow 2>/dev/null || true
	cd ../shallow || fail "no clone"
	expect 1 bench compare --baseline rolling:6 --format json
	compared_with n6 n5 n4 n3 n2 n1
	expect 1 bench compare --baseline rolling:6
	has out "^line of history: 6 runs left out: the repository is a shallow clone; .* branch 'main' count"
	# Deeper, where commits of the branch are there and the line ends early.
	git fetch -q --depth 3
	expect 1 bench compare --baseline rolling:6 --format json
	compared_with n6 n5 n4 n3 n2 n1
}

test_without_a_repository_the_branch_decides()
{
	repository
	six_and_six 1.77
	merge slow m7
	night m7 main 1.77
	take_in
	mv .git ../elsewhere
	expect 1 bench compare --baseline rolling:6 --format json
	compared_with n6 n5 n4 n3 n2 n1
	expect 1 bench compare --baseline rolling:6
	has out "^line of history: 6 runs left out: no repository here has its commit; .* branch 'main' count"
}

test_runs_without_a_commit_count_by_their_branch()
{
	repository
	commit m1
	night - '' 1 6
	night m1 main 1.5 2
	night - '' 1.1
	take_in
	expect 1 bench compare --baseline rolling:6 --format json
	compared_with n6 n5 n4 n3 n2 n1
}

test_a_detached_head_goes_by_its_commits()
{
	repository
	six_and_six 1.77
	commit m7
	git checkout -q --detach m7
	night m7 '' 1.1 4
	take_in
	expect 1 bench compare n13 --baseline rolling:6 --format json
	compared_with n6 n5 n4 n3 n2 n1
	changed_at n13
}

test_a_branch_can_be_named()
{
	repository
	six_and_six 1.77
	commit m7
	night m7 main 1
	take_in
	expect 0 bench compare --baseline rolling:6 --branch any --format json
	compared_with n12 n11 n10 n9 n8 n7
	expect 0 bench compare --baseline rolling:6 --branch slow --format json
	compared_with n12 n11 n10 n9 n8 n7
	expect 0 bench compare --baseline rolling:2 --branch main --format json
	compared_with n6 n5
	expect 3 bench compare --baseline rolling:2 --branch other
	has err "no finished run before n13 .*12 runs of other branches than 'other' left out"
	expect 2 bench compare --branch
	expect 2 bench run --suite null --branch any
	has err 'needs --baseline'
}

# Old commits that are measured late are old.
test_what_is_measured_late_is_in_its_place()
{
	local i
	repository
	for i in 1 2 3 4 5 6 7 8 9; do
		commit "m$i"
	done
	night m1 main 1 3
	night m8 main 1.1 4
	night m2 main 1
	night m3 main 1
	night m4 main 1
	night m9 main 1.1
	take_in
	expect 0 bench compare --baseline rolling:4 --format json
	compared_with n7 n6 n5 n4
	changed_at n4
}

test_a_named_baseline_has_runs_of_the_line()
{
	repository
	six_and_six 1.77
	commit m7
	night m7 main 1.1
	take_in
	expect 0 bench baseline set mixed n1 n2 n3 n4 n5 n7 n8
	expect 1 bench compare --baseline mixed --format json
	compared_with n1 n2 n3 n4 n5
	# What is named counts where nothing of it is on the line.
	expect 0 bench baseline set release n7 n8 n9 n10 n11
	expect 0 bench compare --baseline release --format json
	compared_with n7 n8 n9 n10 n11
	expect 0 bench compare --baseline n7 --threshold 500% --format json
	compared_with n7
}

test_imported_runs_are_on_the_same_line()
{
	local i
	repository
	for i in 1 2 3 4 5 6; do
		commit "m$i"
	done
	git checkout -q -b slow m3
	commit s1
	for i in m1 m2 m3 s1 m4 m5 m6; do
		run_number=$((run_number + 1))
		printf 'name,value,unit,better,date\nsort,%s,s,lower,2026-01-0%s\n' "$([ $i = s1 ] && echo 2 || echo 1)" $run_number >x.csv
		expect 0 bench import x.csv --from csv --host ci --commit "$(git rev-parse --short=10 $i)" --branch any-name
	done
	git checkout -q main
	expect 0 bench compare --baseline rolling:9 --format json --threshold 500%
	[ "$(json out 'len(j["baseline"]["runs"])')" = 5 ] || fail "$(cat out)"
}

# gated: a gate of what is checked out; its exit status. What it finds is another matter.
gated()
{
	local status=0
	bench gate --suite null --set spin=0 -k 2 --budget 0.2s --watch no --source . "$@" >out 2>err || status=$?
	printf '%s\n' $status
}

test_an_anchor_is_of_its_line()
{
	repository
	commit m1
	git checkout -q -b slow
	commit s1
	[ "$(gated)" = 7 ] || fail "slow has an anchor: $(cat err)"
	git checkout -q main
	commit m2
	[ "$(gated)" = 7 ] || fail "main has slow's anchor: $(cat err)"
	has err 'no gate of this command has an anchor on this line of history, and other lines have 1'
	commit m3
	[ "$(gated)" != 7 ] || fail "main has no anchor: $(cat err)"
	git checkout -q slow
	commit s2
	[ "$(gated)" != 7 ] || fail "slow has lost its anchor: $(cat err)"
	git checkout -q -b other m1
	commit o1
	[ "$(gated --branch any)" != 7 ] || fail "there is no anchor: $(cat err)"
}
