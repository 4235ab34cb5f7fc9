# shellcheck shell=bash
# bench in a repository of its user's: what it writes, what it records, the project file.

# repository FOLDER: a repository with one commit.
repository()
{
	command -v git >/dev/null || skip "no git"
	git init -q "$1"
	echo '/out' >"$1/.gitignore"
	echo '/err' >>"$1/.gitignore"
	git -C "$1" add .
	git -C "$1" -c user.name=n -c user.email=e commit -q -m first
}

quick=(--suite null --set spin=1000 -k 1 --budget 0.1s)

# git_of FOLDER: what the last run there recorded.
git_of()
{
	json "$(find "$1" -name metrics.json -printf '%T@ %p\n' | sort -n | sed -n '$s/[^ ]* //p')" '(j["git"] or {}).get("commit"), (j["git"] or {}).get("dirty_files")'
}

test_what_bench_writes_makes_no_tree_dirty()
{
	local folder
	for folder in . deep/out; do
		repository "repo-${folder%%/*}"
		cd "repo-${folder%%/*}" || fail "no folder"
		mkdir -p "$folder"
		for _ in 1 2; do
			expect 0 bench run "${quick[@]}" --source . --runs-dir "$folder/runs" --db "$folder/results.db"
			[ "$(git_of "$folder/runs")" = "('$(git rev-parse HEAD)', [])" ] || fail "$(git_of "$folder/runs")"
		done
		cd ..
	done
	# A file beside it is another's, and so is one whose name only begins so.
	cd repo-deep || fail "no folder"
	touch deep/mine runs.c deep/out/results.db.c
	expect 0 bench run "${quick[@]}" --source . --runs-dir deep/out/runs --db deep/out/results.db
	[ "$(git_of deep/out/runs)" = "('$(git rev-parse HEAD)', ['deep/', 'runs.c'])" ] ||
		fail "$(git_of deep/out/runs)"
}

test_the_commit_is_that_of_what_was_measured()
{
	local built
	repository repo
	repository 'the other'
	git -C 'the other' -c user.name=n -c user.email=e commit -q --allow-empty -m second
	touch 'the other/changed'
	built=$(bench --version | sed 's/^[^(]*(\([0-9a-f]*\).*/\1/')
	cd repo || fail "no folder"
	# The suites that bench ships are of bench's commit.
	expect 0 bench run "${quick[@]}" --runs-dir a
	json "$(echo a/*/metrics.json)" '(j["git"] or {"commit": ""})["commit"]' | grep -qx "$built" || fail "$(git_of a), not $built"
	expect 0 bench run "${quick[@]}" --runs-dir b --db b.db --source '../the other'
	[ "$(git_of b)" = "('$(git -C '../the other' rev-parse HEAD)', ['changed'])" ] || fail "$(git_of b)"
	expect 2 bench run "${quick[@]}" --source nowhere
	has err "--source 'nowhere': there is no such folder"
}
