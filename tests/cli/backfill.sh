# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench backfill, in small repositories with a plug-in whose loop is three times as long from the fourth commit on. Most
# tests ask which commits were measured, and not for their times; so their repositories and runs are short.

# repository LAST [BROKEN]: commits v1.0 (c0) to c<LAST>, each a day later; slower from c3 on. c<BROKEN> does not build. While
# there is a file $HOLD.<N>, measuring c<N> stops in the set-up, and makes a file $HOLD.<N>.held.
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
	cat >work.c <<-'END'
		#include <bench/fn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		#include "rounds.h"
		static void hold(void)
		{
			char path[4096], held[4096];
			snprintf(path, sizeof(path), "%s.%d", getenv("HOLD"), COMMIT);
			snprintf(held, sizeof(held), "%.4000s.held", path);
			for (; access(path, F_OK) == 0; usleep(20000))
				if (access(held, F_OK) != 0)
					fclose(fopen(held, "w"));
		}
		struct work { double x; };
		BENCH_FN(work, "");
		BENCH_FN_SETUP(work) { (void)fn; s->x = 1; if (getenv("HOLD")) hold(); }
		BENCH_FN_RUN(work) { for (int i = 0; i < ROUNDS; i++) s->x = s->x * 0.999 + 0.5; }
		BENCH_FN_CHECK(work, 1e9) { return s->x; }
	END
	printf '%s\n' build 'runs*' 'results.db*' site trend.svg other more out err '*.out' '*.err' wrong commands 'hold*' own late \
		>.gitignore
	for ((i = 0; i <= $1; i++)); do
		printf '#define ROUNDS %s\n#define COMMIT %s\n' $((i < 3 ? 2000 : 6000)) $i >rounds.h
		[ "$i" != "${2-}" ] || echo '#error no' >>rounds.h
		commit "change $i"
		git tag "c$i"
	done
	git tag v1.0 c0
	make -s
}

# commit SUBJECT: all that there is.
commit()
{
	local number
	number=$(git rev-list --count HEAD 2>/dev/null) || number=0
	git add .
	GIT_COMMITTER_DATE="$((1700000000 + number * 86400)) +0000" \
		git -c user.name=n -c user.email=e commit -q --allow-empty -m "$1"
}

hash_of()
{
	git rev-parse --short=8 "$1"
}

backfill()
{
	local want=$1
	shift
	expect "$want" bench backfill "$1" --build make --plugin build/work.so --run-budget 1s -k 1 "${@:2}"
}

# The commands of the page, as they are printed, but for those that make the repository.
test_the_commands_of_the_page_run()
{
	local command
	repository 6
	# shellcheck disable=SC2016 # a fence is no command
	sed -n '/^ *```sh$/,/^ *```$/{/```/!p}' "$BENCH_SOURCE/docs/how-to/backfill.md" >commands
	[ "$(grep -c . commands)" = 6 ] || fail "the page has other commands: $(cat commands)"
	command -v gnuplot >/dev/null || sed -i '/bench plot/d' commands
	while read -r command; do
		expect 0 bash -c "$command"
		case $command in
		*backfill*)
			has out "$(hash_of c2)\.\.$(hash_of c3) .*\+[1-9][0-9]+\.?[0-9]*%"
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
		# The command can be given again: with its range.
		has "$run/metrics.json" '"command":[[:space:]]*"bench backfill .* v1\.0\.\.main"'
	done
	expect 0 bench db check
}

test_a_commit_that_does_not_build_is_skipped_and_remembered()
{
	repository 2 1
	backfill 0 c0..c2
	has err "skipped: the build ended with exit status 2; its output is in .*/logs/$(git rev-parse c1)"
	has err 'measured 2 of 3 commits against [0-9a-f]{12}; 1 skipped'
	backfill 0 c0..c2
	has_not err 'building'
	has err "skipped $(git rev-parse --short=12 c1): the build ended with exit status 2"
	# Another command may build it; a line that is damaged is of no commit.
	sed -i 's/"build":"make"/"build":"true"/; 1i no json\n{}\n[]\n' runs/backfill/skipped.jsonl
	printf '{"commit":"' >>runs/backfill/skipped.jsonl
	backfill 0 c0..c2
	has err "building $(git rev-parse --short=12 c1)"
	# Later commits continue the series.
	commit later
	backfill 0 c2..main
	has err "anchor $(git rev-parse --short=12 c2)"
	[ "$(grep -c building err)" = 1 ] || fail "$(cat err)"
}

test_a_commit_without_the_cases_is_skipped_for_these_alone()
{
	repository 0
	sed -i 's/(work/(other/; s/struct work/struct other/' work.c
	commit 'another function'
	git tag other
	git checkout -q c0 -- work.c
	commit 'the same as c0'
	make -s
	backfill 0 c0..main
	has err "$(git rev-parse --short=12 other) is skipped: it has none of the cases"
	has err 'measured 2 of 3 commits'
	backfill 0 c0..main
	has_not err building
	backfill 0 other..main --suite null --set spin=1000
	has err 'measured 2 of 2 commits'
	# The anchor is to have some of them.
	backfill 5 c0..main --anchor other
	has err 'the anchor, [0-9a-f]{12}, cannot be measured: it has none of the cases; --anchor names another'
}

# The next commit is held in its measuring, the first of two times by a process that is killed.
test_a_backfill_that_was_killed_goes_on()
{
	local status signal first
	repository 2
	export HOLD=$PWD/hold
	touch hold.0
	for signal in KILL INT; do
		rm -f hold.0.held
		bench backfill c0..c2 --build make --plugin build/work.so --run-budget 1s -k 1 >$signal.out 2>$signal.err &
		first=$!
		until [ -e hold.0.held ]; do
			kill -0 $first || fail "it has ended: $(cat $signal.err)"
			sleep 0.1
		done
		kill -$signal $first
		status=0
		wait $first || status=$?
		[ $status = $((128 + $(kill -l $signal))) ] || fail "exit status $status: $(cat $signal.err)"
	done
	has KILL.err "x the anchor's time"
	has INT.err 'interrupted; the same command continues'
	has_not INT.err 'building the anchor'
	has INT.err 'measured 1 of 3 commits'
	[ "$(git worktree list | wc -l)" = 1 ] || fail "a work tree is left"
	rm hold.0
	backfill 0 c0..c2
	[ "$(grep -c building err)" = 2 ] || fail "measured again: $(cat err)"
	has err 'measured 3 of 3 commits'
	[[ $(history_sql 'SELECT count(*) FROM run') =~ ^\[?3\]?$ ]] || fail "$(history_sql 'SELECT count(*) FROM run')"
}

test_every_steps_missing_and_the_budget_leave_commits_out()
{
	repository 4
	backfill 0 c0..c4 --every 4
	has err 'measured 2 of 5 commits'
	backfill 0 c0..c4 --every 4
	has_not err building
	backfill 0 c0..c4 --steps 3
	has err "building $(git rev-parse --short=12 c2)"
	has err 'measured 3 of 5 commits'
	backfill 0 c0..c4 --steps 2
	has_not err building
	# What an ordinary run has measured is not missing.
	git checkout -q c1
	expect 0 bench run --suite null --set spin=1000 --source . --budget 0.5s -k 3
	git checkout -q main
	backfill 0 c0..c4 --missing
	has err "building $(git rev-parse --short=12 c3)"
	has_not err "building $(git rev-parse --short=12 c1)"
	has err 'measured 4 of 5 commits'
	backfill 0 c0..c4 --budget 0.1s
	has err 'the budget is used up, with 1 commit left'
	# Another anchor begins another series; the usual one is that of most runs.
	backfill 0 c0..c4 --anchor c0 --steps 1
	has err 'measured 1 of 5 commits'
	expect 0 bench history '*/relative_time' --changepoints
	has_not out "$(hash_of c4)"
	backfill 0 c0..c4 --steps 1
	has err "anchor $(git rev-parse --short=12 c4)"
	has_not err building
}

test_what_cannot_be_measured_is_said()
{
	repository 1
	backfill 5 c0..c1 --build 'exit 3' --state other
	has err 'the anchor, [0-9a-f]{12}, cannot be measured: the build ended with exit status 3; .*--anchor names another'
	expect 5 bench backfill c0..c1 --build make --suite null --state more
	has err "the build made no executable 'build/bench' \(--program\)"
	expect 3 bench backfill c1..c0 --build make --plugin build/work.so
	has err 'is not an ancestor of'
	# A build that the budget ends has not failed.
	backfill 6 c0..c1 --build 'sleep 600' --budget 3s --state late
	has err 'the budget is used up, with 2 commits left'
}

test_bad_input_is_refused_before_anything_is_built()
{
	local range
	repository 6
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
	bad 2 "program '..'" c0..c6 --build make --program ..
	bad 2 "keep 'a/..'" c0..c6 --build make --keep a/..
	bad 2 'cache cold: a duel' c0..c6 --build make --cache cold
	bad 2 'counters: a duel' c0..c6 --build make --counters
	# The work tree would be made and removed in it.
	mkdir -p own/tree
	touch own/tree/file
	bad 2 'own. has other files' c0..c6 --build make --plugin build/work.so --state own
	[ -e own/tree/file ] || fail "a file of the user's own is gone"
	bad 2 "no option '--stepz'" c0..c6 --build make --stepz 3
	bad 2 'unexpected|operand|argument' c0..c6 c7 --build make
	bad 2 'nope.so' c0..c6 --build make --plugin nope.so
	bad 5 'not a git repository' c0..c6 --build make --plugin build/work.so --repo /
}
