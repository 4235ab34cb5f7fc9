# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench backfill, in small repositories with a plug-in whose loop is longer from a certain commit on. The steps are so
# large that no load hides them.

# repository [BROKEN]: commits v1.0 (c0) to c6, each a day later; half as slow again from c3 on. c<BROKEN> does not build.
repository()
{
	local i
	for i in git cc make; do
		command -v $i >/dev/null || skip "no $i"
	done
	git init -q -b main repo
	cd repo || fail repo
	printf '%s\n' 'build/work.so: work.c rounds.h' \
		"	mkdir -p build && cc -O1 -fPIC -shared -I$BENCH_SOURCE/include work.c -o build/work.so" >Makefile
	printf '%s\n' '#include <bench/fn.h>' '#include "rounds.h"' 'struct work { double x; };' 'BENCH_FN(work, "");' \
		'BENCH_FN_SETUP(work) { (void)fn; s->x = 1; }' \
		'BENCH_FN_RUN(work) { for (int i = 0; i < ROUNDS; i++) s->x = s->x * 0.999 + 0.5; }' \
		'BENCH_FN_CHECK(work, 1e9) { return s->x; }' >work.c
	printf '%s\n' build 'runs*' 'results.db*' site trend.svg other more out err '*.out' '*.err' wrong commands >.gitignore
	for ((i = 0; i <= 6; i++)); do
		echo "#define ROUNDS $((i < 3 ? 2000 : 3000)) /* $i */" >rounds.h
		[ "$i" != "${1-}" ] || echo '#error no' >>rounds.h
		git add .
		GIT_COMMITTER_DATE="$((1700000000 + i * 86400)) +0000" git -c user.name=n -c user.email=e commit -q -m "change $i"
		git tag "c$i"
	done
	git tag v1.0 c0
	make -s
}

hash_of()
{
	git rev-parse --short=8 "$1"
}

backfill()
{
	local want=$1
	shift
	expect "$want" bench backfill "$1" --build make --plugin build/work.so --run-budget 1s -k 6 "${@:2}"
}

# The commands of the page, as they are printed, but for those that make the repository.
test_the_commands_of_the_page_run()
{
	local command
	repository
	# shellcheck disable=SC2016 # a fence is no command
	sed -n '/^ *```sh$/,/^ *```$/{/```/!p}' "$BENCH_SOURCE/docs/how-to/backfill.md" >commands
	[ "$(grep -c . commands)" = 6 ] || fail "the page has other commands: $(cat commands)"
	command -v gnuplot >/dev/null || sed -i '/bench plot/d' commands
	while read -r command; do
		expect 0 bash -c "$command"
		case $command in
		*backfill*)
			has out "$(hash_of c2)\.\.$(hash_of c3) .*\+[45][0-9]\.[0-9]%"
			has out 'cause: code \(interleaved with the anchor\)'
			has err 'measured 7 of 7 commits'
			;;
		*--changepoints*) has out "$(hash_of c2)\.\.$(hash_of c3) " ;;
		*history*) has out "2023-11-1[4-9].* $(hash_of c3)" ;;
		esac
	done <commands
	[ -e site/index.html ] || fail "there is no report"
	[ "$(git worktree list | wc -l)" = 1 ] || fail "a work tree is left"
	for run in runs/2*; do
		valid "$run/metrics.json"
	done
	expect 0 bench db check
}

test_a_commit_that_does_not_build_is_skipped_and_remembered()
{
	repository 4
	backfill 0 c0..c6
	has err "skipped: the build ended with exit status 2; its output is in .*/logs/$(git rev-parse c4)"
	has err 'measured 6 of 7 commits against [0-9a-f]{12}; 1 skipped'
	backfill 0 c0..c6
	has_not err 'building'
	has err "skipped $(git rev-parse --short=12 c4): the build ended with exit status 2"
	# Another command may build it; a line that is damaged is of no commit.
	sed -i 's/"build":"make"/"build":"true"/; 1i no json\n{}\n[]\n' runs/backfill/skipped.jsonl
	printf '{"commit":"' >>runs/backfill/skipped.jsonl
	backfill 0 c0..c6
	has err 'building '
	# Later commits continue the series.
	git commit -q --allow-empty -m later --author 'n <e>' 2>/dev/null ||
		git -c user.name=n -c user.email=e commit -q --allow-empty -m later
	backfill 0 c5..main
	has err "anchor $(git rev-parse --short=12 c6)"
	[ "$(grep -c building err)" = 1 ] || fail "$(cat err)"
}

test_a_backfill_that_was_killed_goes_on()
{
	local status=0 before
	repository
	bench backfill c0..c6 --build make --plugin build/work.so --run-budget 1s -k 6 >first.out 2>first.err &
	local first=$!
	wait_for "x the anchor's time" first.err
	kill -KILL $first
	wait $first || status=$?
	[ $status = 137 ] || fail "exit status $status: $(cat first.err)"
	before=$(grep -c "x the anchor's time" first.err)
	status=0
	bench backfill c0..c6 --build make --plugin build/work.so --run-budget 1s -k 6 >second.out 2>second.err &
	first=$!
	wait_for "x the anchor's time" second.err
	kill -INT $first
	wait $first || status=$?
	[ $status = 130 ] || fail "exit status $status: $(cat second.err)"
	has second.err 'interrupted; the same command continues'
	has_not second.err 'building the anchor'
	[ "$(git worktree list | wc -l)" = 1 ] || fail "a work tree is left"
	backfill 0 c0..c6
	[ "$(grep -c building err)" -le $((7 - before)) ] || fail "measured again: $(cat err)"
	has err 'measured 7 of 7 commits'
	[ "$(history_sql 'SELECT count(*) FROM run')" = "[7]" ] || [ "$(history_sql 'SELECT count(*) FROM run')" = 7 ] ||
		fail "$(history_sql 'SELECT count(*) FROM run')"
}

test_every_steps_missing_and_the_budget_leave_commits_out()
{
	repository
	backfill 0 c0..c6 --every 3
	has err 'measured 3 of 7 commits'
	backfill 0 c0..c6 --every 3
	has_not err building
	backfill 0 c0..c6 --steps 4
	has err 'measured 4 of 7 commits'
	backfill 0 c0..c6 --steps 2
	has_not err building
	# What an ordinary run has measured is not missing.
	git checkout -q c5
	expect 0 bench run --suite null --set spin=1000 --source . --budget 0.5s -k 3
	git checkout -q main
	backfill 0 c0..c6 --missing
	has_not err "building $(git rev-parse --short=12 c5)"
	has err 'measured 6 of 7 commits'
	backfill 0 c0..c6 --budget 0.1s
	has err 'the budget is used up, with 1 commit left'
	# Another anchor begins another series.
	backfill 0 c0..c6 --anchor c0 --steps 1
	has err 'measured 1 of 7 commits'
	expect 0 bench history '*/relative_time' --changepoints
	has_not out "$(hash_of c6)"
}

test_what_cannot_be_measured_is_said()
{
	repository
	backfill 5 c0..c6 --build 'exit 3' --state other
	has err 'the anchor, [0-9a-f]{12}, cannot be measured: the build ended with exit status 3; .*--anchor names another'
	expect 5 bench backfill c0..c6 --build make --suite null --state more
	has err "the build made no executable 'build/bench' \(--program\)"
	expect 3 bench backfill c6..c0 --build make --plugin build/work.so
	has err 'is not an ancestor of'
}

test_bad_input_is_refused_before_anything_is_built()
{
	local range
	repository
	bad()
	{
		local want=$1 pattern=$2
		shift 2
		expect "$want" bench backfill "$@"
		has err "$pattern"
		[ ! -e runs ] || fail "there is a folder of runs after: $*"
	}
	bad 2 'needs a range of commits'
	for range in c0 c0... c0..c1..c2 ..c6 c0.. .. c0...c6; do
		bad 2 'is no range: expected A..B' "$range" --build make --plugin build/work.so
	done
	bad 2 "'nowhere' is no commit" nowhere..c6 --build make --plugin build/work.so
	bad 2 "'--output=x' is no commit" --build make --plugin build/work.so -- c0..--output=x
	bad 2 'both are the commit' c6..main --build make --plugin build/work.so
	bad 2 "'nowhere' is no commit" c0..c6 --anchor nowhere --build make --plugin build/work.so
	bad 2 'every' c0..c6 --build make --every 0
	bad 2 'every' c0..c6 --build make --every x
	bad 2 'steps' c0..c6 --build make --steps -1
	bad 2 'steps' c0..c6 --build make --steps 99999999999999999999
	bad 2 'run-budget' c0..c6 --build make --run-budget 0.1s
	bad 2 'run-budget' c0..c6 --build make --run-budget soon
	bad 2 'build-limit' c0..c6 --build make --build-limit x
	bad 2 "program '/bin/sh'" c0..c6 --build make --program /bin/sh
	bad 2 "keep '../x'" c0..c6 --build make --keep ../x
	bad 2 "no option '--stepz'" c0..c6 --build make --stepz 3
	bad 2 'unexpected|operand|argument' c0..c6 c7 --build make
	bad 2 'nope.so' c0..c6 --build make --plugin nope.so
	bad 5 'not a git repository' c0..c6 --build make --plugin build/work.so --repo /
}
