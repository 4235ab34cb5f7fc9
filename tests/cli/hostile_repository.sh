# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A repository whose own settings, hooks and submodules run programs: none of them is run by bench.

# The folder of a test, which tests here leave.
top=$PWD

# mark NAME: the path of a program that leaves the file marks/NAME, and fails.
mark()
{
	mkdir -p "$PWD/programs" "$PWD/marks"
	printf '#!/bin/sh\n: >"%s/marks/%s"\nexit 1\n' "$PWD" "$1" >"programs/$1"
	chmod +x "programs/$1"
	printf '%s/programs/%s' "$PWD" "$1"
}

# A signature that is none, so that git has something to have checked.
commit_signed()
{
	printf '#!/bin/sh\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED " >&2\nprintf -- "-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n"\n' >sign
	chmod +x sign
	git -C repo -c user.name=n -c user.email=e -c gpg.program="$PWD/sign" commit -q -S -m "$1"
	git -C repo tag "$1"
}

# repo: two commits that build, and all that could make git run something else.
hostile_repository()
{
	local hook name
	command -v git >/dev/null || skip "no git"
	git init -q repo
	git init -q repo/inner
	git -C repo/inner -c user.name=n -c user.email=e commit -q --allow-empty -m inner
	cat >repo/make.sh <<-END
		mkdir -p build
		printf '#!/bin/sh\nexec "$BENCH" "\$@"\n' >build/bench
		chmod +x build/bench
	END
	printf '* filter=any diff=any\n*.pipe filter=pipe\n' >repo/.gitattributes
	echo 1 >repo/a.pipe
	git -C repo add . 2>/dev/null
	commit_signed c0
	echo 2 >repo/a.pipe
	git -C repo add .
	commit_signed c1
	for hook in post-checkout post-index-change pre-auto-gc post-rewrite reference-transaction fsmonitor-watchman; do
		cp "$(mark "hook-$hook")" "repo/.git/hooks/$hook"
	done
	for name in fsmonitor sshCommand gitProxy askPass editor pager alternateRefsCommand; do
		git -C repo config "core.$name" "$(mark "$name")"
	done
	git -C repo config extensions.worktreeConfig true
	git -C repo config filter.any.clean "$(mark clean)"
	git -C repo config filter.any.smudge "$(mark smudge)"
	git -C repo config filter.any.required true
	printf '[filter "pipe"]\n\tprocess = %s\n\trequired = true\n' "$(mark process)" >repo/.git/included
	git -C repo config include.path included
	git -C repo config diff.external "$(mark external)"
	git -C repo config diff.any.command "$(mark command)"
	git -C repo config diff.any.textconv "$(mark textconv)"
	git -C repo config gpg.program "$(mark gpg)"
	git -C repo config log.showSignature true
	git -C repo config credential.helper "$(mark credential)"
	git -C repo config status.submoduleSummary true
	git -C repo config submodule.recurse true
	for name in status log rev-parse config checkout worktree; do
		git -C repo config "alias.$name" "!$(mark "alias-$name")"
		git -C repo config "pager.$name" "$(mark "pager-$name")"
	done
	git -C repo config hook.any.event post-checkout
	git -C repo config hook.any.command "$(mark hook-command)"
	git -C repo/inner config core.fsmonitor "$(mark inner)"
	# Git would fetch what is missing, from a host of the repository's choice.
	git -C repo config remote.origin.url ssh://nowhere/x
	git -C repo config remote.origin.promisor true
	git -C repo config remote.origin.uploadpack "$(mark uploadpack)"
	git -C repo config extensions.partialClone origin
	git -C repo config core.repositoryFormatVersion 1
	# The index does not know whether the files are as they were.
	touch -d '2001-01-01' repo/* repo/.gitattributes repo/inner
	rm -rf marks/*
}

nothing_ran()
{
	[ -z "$(ls "$top/marks")" ] || fail "$1 ran: $(ls "$top/marks")"
}

test_settings_of_a_repository_run_nothing()
{
	hostile_repository
	cd repo || fail "no repository"
	expect 0 bench run -n --source . --suite null
	nothing_ran "run -n"
	expect 0 bench run --source . --suite null -k 1 --budget 0.1s
	json runs/*/metrics.json 'j["git"]["commit"]' | grep -q "$(git -C . rev-parse c1)" || fail "no commit"
	bench gate --source . --suite null -k 2 --budget 0.2s >out 2>err || true
	expect 0 bench log --append log.md
	# Two commits, what lies between them, and files whose attributes name programs.
	git rev-parse c0 >../c0
	cp ../c0 .git/HEAD
	expect 0 bench run --source . --suite null -k 1 --budget 0.1s
	expect 0 bench log --append log.md
	has log.md 'and without 1 of the baseline'
	has log.md '^1 file: a.pipe \+1 -1$'
	bench doctor >out 2>err || true
	nothing_ran "bench"
	# Git by itself does run them: the test would see it.
	git status >out 2>&1 || true
	[ -n "$(ls "$top/marks")" ] || fail "git has run nothing"
}

test_settings_of_a_repository_run_nothing_in_a_bisection()
{
	hostile_repository
	bench bisect c0 c1 --repo repo --build 'sh make.sh' --suite null -k 2 --budget 1s >out 2>err || true
	has err 'build|duel|differ|nothing'
	nothing_ran "bench bisect"
}

test_what_is_missing_in_a_repository_is_not_fetched()
{
	local tree
	hostile_repository
	tree=$(git -C repo rev-parse 'c1^{tree}')
	rm -f "repo/.git/objects/${tree:0:2}/${tree:2}"
	rm -rf marks/*
	(cd repo && expect 0 bench run --source . --suite null -k 1 --budget 0.1s)
	nothing_ran "bench run"
	json repo/runs/*/metrics.json 'j["git"]["dirty"]' | grep -q True || fail "what is not known is clean"
}

# As a hook or 'git rebase --exec' sets them.
test_variables_of_another_repository_do_not_count()
{
	command -v git >/dev/null || skip "no git"
	git init -q here
	git -C here -c user.name=n -c user.email=e commit -q --allow-empty -m here
	git init -q there
	git -C there -c user.name=n -c user.email=e commit -q --allow-empty -m there
	cd here || fail "no folder"
	GIT_DIR=$PWD/../there/.git GIT_WORK_TREE=$PWD/../there expect 0 bench run --source . --suite null -k 1 --budget 0.1s
	json runs/*/metrics.json 'j["git"]["commit"]' | grep -q "$(git rev-parse HEAD)" || fail "another commit"
}

test_a_driver_that_cannot_be_switched_off_is_refused()
{
	command -v git >/dev/null || skip "no git"
	git init -q repo
	git -C repo -c user.name=n -c user.email=e commit -q --allow-empty -m m
	printf '[filter "a=b"]\n\tclean = %s\n' "$(mark clean)" >>repo/.git/config
	printf '* filter=a=b\n' >repo/.gitattributes
	(cd repo && expect 0 bench run --source . --suite null -k 1 --budget 0.1s)
	nothing_ran "bench run"
	json repo/runs/*/metrics.json 'j["git"]' | grep -q None || fail "the repository was asked"
}

test_what_has_changed_is_named()
{
	command -v git >/dev/null || skip "no git"
	git init -q repo
	cd repo || fail "no folder"
	seq 100 >old
	seq 50 >'two words'
	touch gone
	git add .
	git -c user.name=n -c user.email=e commit -qm m
	git checkout -q -b a/branch
	git mv old 'new name'
	echo more >>'two words'
	rm gone
	touch 'not known'
	expect 0 bench run --source . --suite null -k 1 --budget 0.1s --runs-dir ../runs --no-store
	[ "$(json ../runs/*/metrics.json 'j["git"]["branch"], j["git"]["dirty_files"]')" = \
		"('a/branch', ['gone', 'new name', 'two words', 'err', 'not known', 'out'])" ] ||
		fail "$(json ../runs/*/metrics.json 'j["git"]')"
}
