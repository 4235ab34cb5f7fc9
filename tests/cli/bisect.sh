# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench bisect, in small repositories whose "build" writes a script that is bench, with a slowdown for its workers
# from a certain commit on.

# write_build SLOWDOWN: a build whose executable is so much slower.
write_build()
{
	cat >repo/make.sh <<-END
		mkdir -p build
		cat >build/bench <<'SIDE'
		#!/bin/sh
		[ "\$1" = worker ] || exec "$BENCH" "\$@"
		job=\$(sed 's/"slowdown":""/"slowdown":"$1"/')
		exec "$BENCH" worker <<JOB
		\$job
		JOB
		SIDE
		chmod +x build/bench
	END
}

commit()
{
	echo "$1" >>repo/notes
	git -C repo add .
	git -C repo -c user.name=n -c user.email=e commit -q -m "$1"
	git -C repo tag "$2"
}

# repository FIRST [MUTE]: commits c0 to c8, slower by 20% from that one on; c3 does not build, and the workers of c<MUTE>
# end at once.
repository()
{
	local i
	command -v git >/dev/null || skip "no git"
	git init -q repo
	for ((i = 0; i <= 8; i++)); do
		if [ "$i" -ge "$1" ]; then write_build 20%; else write_build ''; fi
		[ "$i" != "${2-}" ] || sed -i 's/^exec .* worker .*/exit 0 <<JOB/' repo/make.sh
		[ "$i" != 3 ] || echo 'exit 1' >repo/make.sh
		commit "change $i" "c$i"
	done
}

build=(--repo repo --build 'sh make.sh' --suite null --set spin=1000 --precision 5% -k 6 --alpha 0.05)

# bisect STATUS GOOD BAD OPTION...; where a search that should end does not decide, the machine is too busy for the test.
bisect()
{
	local want=$1 status=0
	shift
	bench bisect "$1" "$2" "${build[@]}" --budget 60s "${@:3}" >out 2>err || status=$?
	[ $status != 6 ] || [ "$want" = 6 ] || skip "the machine is too busy to decide"
	[ $status = "$want" ] || { cat out err >&2 && fail "exit status $status, not $want"; }
}

test_the_first_slower_commit_is_found_past_one_that_does_not_build()
{
	repository 6 4
	# What the repository would have run is not run.
	printf '#!/bin/sh\ntouch %s/hooked\n' "$PWD" >repo/.git/hooks/post-checkout
	chmod +x repo/.git/hooks/post-checkout
	bisect 0 c0 c8 --format json
	has err 'is skipped: .*does not take turns as a worker'
	[ "$(json out '[(r["result"], r["subject"]) for r in j]')" = "[('first slower', 'change 6')]" ] || fail "$(cat out err)"
	[ "$(json out 'float(j[0]["probability"]) >= 0.99 and 1.1 < float(j[0]["ratio"]) < 1.3')" = True ] || fail "$(cat out)"
	[ "$(json out 'j[0]["commit"]')" = "$(git -C repo rev-parse c6)" ] || fail "$(cat out)"
	[ ! -e hooked ] || fail "a hook was run"
	[ "$(git -C repo worktree list | wc -l)" = 1 ] || fail "a work tree is left"
	expect 0 bench list runs
	has out 'aside: bisect'
	# The same again is known.
	bisect 0 c0 c8
	has out '^ *first slower +[0-9a-f]{12} +(100|99)\.[0-9]% +\+[12][0-9]\.[0-9]*% .*change 6'
	has err 'continuing with'
	has out '^FOUND: [0-9a-f]{12} made it slower, with a probability of (100|99)'
	has_not err 'building|against'
}

# sql STATEMENT...: of the history, with c5 and c7 as GOOD and BAD.
sql()
{
	python3 - "$@" "$(git -C repo rev-parse c5)" "$(git -C repo rev-parse c7)" <<-'END'
	import sqlite3, sys
	c = sqlite3.connect("results.db")
	for statement in sys.argv[1:-2]:
	    for row in c.execute(statement.replace("GOOD", repr(sys.argv[-2])).replace("BAD", repr(sys.argv[-1]))):
	        print(*row)
	c.commit()
	END
}

# A command that was printed, with few invocations: it measures.
expect_of_why()
{
	local status=0
	bash -c "$1" >out.why 2>err.why || status=$?
	[ "$status" = 0 ] || fail "exit status $status: $1: $(cat err.why)"
	has out.why ': unclear: 2 invocations are too few '
}

test_an_alarm_says_what_to_look_for_and_is_told_the_commit()
{
	repository 6
	expect 3 bench bisect --alarm 1 "${build[@]}"
	has err 'no history'
	bisect 0 c5 c6
	has_not err 'alarm'
	sql "INSERT INTO alarm VALUES (7, 'f', 't', 'r2', 'r1', BAD, GOOD, 1, 1, '', NULL, NULL), (8, 'f', 't', 'r9', '', BAD, '', 2, 2, '', NULL, NULL)" \
		"INSERT INTO alarm_metric VALUES (7, 'null/host:cpu/spin=1000/time', 's', 'open', 1, 1.2, 1.1, 1.3, 'r2', 1.2, 1.1, 1.3, 1, '', NULL, '', NULL, NULL)"
	bisect 0 c5 c6
	has out '^alarm 7 is about these commits; to name the commit in it:$'
	has out '^  bench bisect .* --alarm 7$'
	expect 2 bench bisect --alarm 6 "${build[@]}"
	has err '--alarm 6: there is no such alarm; open: 7'
	expect 3 bench bisect --alarm 8 "${build[@]}"
	has err 'alarm 8 has no commits'
	expect 0 bench bisect --alarm 7 --repo repo --build 'sh make.sh' --precision 5% -k 6 --alpha 0.05 --budget 60s
	has out 'first slower .*change 6'
	has out '^alarm 7 names the commit now; to see it:$'
	# The builds that were kept are still there for the next question.
	local why
	why=$(sed -nE 's/^  (bench why .*commits.*)/\1/p' out)
	expect_of_why "$why -k 2 --budget 1s --precision 5% --no-store"
	[ "$(sql 'SELECT culprit FROM alarm WHERE alarm = 7')" = "$(git -C repo rev-parse c6)" ] || fail "$(sql 'SELECT * FROM alarm')"
	# A search for the rest of its change leaves it that commit.
	sql 'UPDATE alarm SET culprit = GOOD WHERE alarm = 7'
	bisect 0 c5 c6 --alarm 7
	has err "alarm 7 keeps its commit, $(git -C repo rev-parse --short=12 c5), which was not searched"
	has_not out 'names the commit'
	sql 'UPDATE alarm SET culprit = BAD WHERE alarm = 7'
	bisect 0 c5 c6
	has_not err 'alarm'
}

test_what_cannot_be_told_apart_from_a_commit_that_does_not_build_is_a_range()
{
	repository 4
	echo 'chmod -x build/bench' >>repo/make.sh
	bisect 0 c2 c6
	has out 'one of these .*change 3 .*the build ended with exit status 1'
	has out 'one of these .*change 4'
	has_not out 'change [25]'
	has err 'is skipped: the build ended with exit status 1; its output is in .*/logs/'
}

test_a_search_that_was_killed_goes_on()
{
	local status=0 lines
	repository 6
	bench bisect c2 c8 "${build[@]}" --budget 60s >first.out 2>first.err &
	local search=$!
	wait_for ' against ' first.err
	kill -INT $search
	wait $search || status=$?
	[ $status = 130 ] || fail "exit status $status: $(cat first.err)"
	has first.out '^INTERRUPTED: [1-6] commits? (is|are) left'
	has first.out '^to continue, from where it stopped:$'
	[ "$(git -C repo worktree list | wc -l)" = 1 ] || fail "a work tree is left"
	lines=$(grep -c '"duel"' runs/bisect/*/state.jsonl)
	# A kill leaves the work tree, and perhaps half a line.
	status=0
	bench bisect c2 c8 "${build[@]}" --budget 60s >second.out 2>second.err &
	search=$!
	wait_for 'building' second.err
	kill -KILL $search
	wait $search || status=$?
	[ $status = 137 ] || fail "exit status $status: $(cat second.err)"
	printf '{"event":"du' >>"$(echo runs/bisect/*/state.jsonl)"
	bisect 0 c2 c8
	has err "continuing with ($lines|$((lines + 1))|$((lines + 2))) earlier duels?"
	has out 'first slower .*change 6'
	[ "$(git -C repo worktree list | wc -l)" = 1 ] || fail "a work tree is left"
	# A corrected search begins anew, except in a folder that was named.
	bisect 2 c2 c8 --faster --state "$(echo runs/bisect/*)"
	has err "state of another search \('faster' differs\)"
	echo '{"event":"duel","base":"x"}' >>"$(echo runs/bisect/*/state.jsonl)"
	bisect 5 c2 c8
	has err "line [0-9]+ of .*state.jsonl: 'x' is no commit of this search"
	echo 'no json' >"$(echo runs/bisect/*/state.jsonl)"
	bisect 5 c2 c8
	has err 'line 1 of '
}

test_nothing_to_find_is_status_3()
{
	repository 7
	bisect 3 c1 c1
	has err 'the same commit'
	bisect 3 c8 c0
	has err 'is not an ancestor of BAD, .*: it comes after it\. Exchange the two'
	bisect 3 c0 c2
	has err 'no difference between GOOD and BAD: no case is slower by 2%'
	bisect 3 c0 c8 --faster
	has err 'no case is faster by 2%'
	# GOOD has no cases.
	cat >repo/make.sh <<-END
		mkdir -p build
		printf '#!/bin/sh\n[ "\$1" = list ] || exec "$BENCH" "\$@"\n' >build/bench
		chmod +x build/bench
	END
	commit 'no cases' d0
	write_build ''
	commit 'cases' d1
	bisect 3 d0 d1
	has err 'no case was measured on both'
}

test_a_commit_that_made_it_faster_is_found()
{
	command -v git >/dev/null || skip "no git"
	git init -q repo
	write_build 20%
	commit 'slow' a
	write_build ''
	commit 'fast' b
	bisect 0 a b --faster
	has out 'first faster +[0-9a-f]{12} +100.0% +-[0-9]{2}\.[0-9].*fast'
}

test_ends_that_cannot_be_built_are_status_5()
{
	repository 6
	bisect 5 c3 c8
	has err 'GOOD, [0-9a-f]{12}, cannot be measured: the build ended with exit status 1'
	bisect 5 c0 c3
	has err 'BAD, [0-9a-f]{12}, cannot be measured'
	bisect 5 c0 c8 --program build/other
	has err "the build made no executable 'build/other'"
	bisect 5 c0 c8 --state late --build 'sleep 60' --build-limit 0.2s
	has err 'the build took more than 0 s'
	bisect 5 c0 c8 --state none --keep lib
	has err 'did not make all of what is to be kept'
	bisect 5 c0 c8 --state false --program make.sh --build 'chmod +x make.sh'
	has err 'cannot be measured'
}

test_what_an_executable_needs_is_kept_with_it()
{
	repository 2
	bisect 0 c1 c2 --keep notes --build 'sh make.sh && mkdir -p "a b"' --keep 'a b'
	has out 'first slower .*change 2'
	[ "$(find runs/bisect/*/commits -name notes | wc -l)" = 2 ] || fail "$(find runs/bisect)"
	[ "$(find runs/bisect/*/commits -name 'a b' | wc -l)" = 2 ] || fail "$(find runs/bisect)"
}

test_a_budget_that_ends_is_status_6_and_the_next_call_goes_on()
{
	repository 6
	expect 6 bench bisect c4 c8 "${build[@]}" --budget 0.8s
	has out '^UNDECIDED: '
	has out '^the budget is used up$'
	has out '^to continue, from where it stopped:$'
	has out "^  bench bisect c4 c8 --repo repo --build 'sh make.sh' --suite null .*--budget 0.8s$"
	bisect 0 c4 c8
	has out 'first slower .*change 6'
}

test_the_rest_of_a_change_is_found_by_the_printed_command()
{
	local status=0
	command -v git >/dev/null || skip "no git"
	git init -q repo
	write_build ''
	commit 'fast' a
	write_build 30%
	commit 'slower' b
	write_build 70%
	commit 'slower again' c
	bisect 0 a c --state named
	has out '^to find the rest of the change:$'
	sed -n 's/^  bench bisect/bench bisect/p' out >next
	[ "$(wc -l <next)" = 1 ] || fail "$(cat out)"
	has next "^bench bisect [0-9a-f]{12} [0-9a-f]{12} --repo repo --build 'sh make.sh' --suite null"
	has_not next 'named'
	bash next >rest || status=$?
	[ $status != 6 ] || skip "the machine is too busy to decide"
	[ $status = 0 ] || fail "exit status $status: $(cat next)"
	[ "$(cat out rest | grep -o 'first slower .*' | grep -o 'slower\( again\)\?$' | sort)" = $'slower\nslower again' ] || fail "$(cat out rest)"
}

test_bad_arguments_are_refused()
{
	git init -q repo || skip "no git"
	write_build ''
	commit one c0
	expect 2 bench bisect c0
	has err 'bench bisect needs two commits'
	expect 2 bench bisect c0 c0
	has err '--build is missing: .* "build"'
	bisect 2 c0 nosuch
	has err "'nosuch' is no commit of the repository 'repo'"
	bisect 2 c0 --upload-pack=x
	has err '.'
	bisect 2 c0 c0 --error 60%
	has err "--error '60%'"
	bisect 2 c0 c0 --program ../x
	has err "--program '../x': expected a path below the work tree"
	bisect 2 c0 c0 --keep /etc
	has err "--keep '/etc'"
	bisect 2 c0 c0 --keep lib/..
	has err "--keep 'lib/..'"
	expect 5 bench bisect c0 c1 --build true --repo /
	has err 'git rev-parse'
	bisect 2 c0 c0 --format junit
}

# A repository of a function, a kernel and a program, which do 30% more from c3 on; c2 does not build.
own_code()
{
	local i
	command -v git >/dev/null || skip "no git"
	git init -q repo
	cat >repo/work.h <<-'END'
		#include "turns.h"
		static double work(int times)
		{
			double found = 0;
			for (volatile int i = 0; i < times * TURNS; i++)
				found += i;
			return found;
		}
	END
	cat >repo/work.c <<-'END'
		#include <bench/fn.h>
		#include "work.h"
		struct work { double found; };
		BENCH_FN(work, "");
		BENCH_FN_SETUP(work) { (void)fn; s->found = 0; }
		BENCH_FN_RUN(work) { s->found = work(1); }
		BENCH_FN_CHECK(work, 0) { return bench_fn_off(s->found, work(1)); }
	END
	printf '#include "work.h"\nint main(void) { return work(500) < 0; }\n' >repo/program.c
	cat >repo/Makefile <<-END
		all: ; mkdir -p build && \\
		gcc -O1 -fPIC -shared -I $BENCH_SOURCE/include work.c -o build/work.so && \\
		gcc -O1 program.c -o build/program
	END
	printf '/build/\n/runs/\n/results.db*\n' >repo/.gitignore
	for ((i = 0; i <= 4; i++)); do
		echo "#define TURNS $((i < 3 ? 10000 : 13000))" >repo/turns.h
		[ "$i" != 2 ] || echo '#error' >>repo/turns.h
		commit "change $i" "c$i"
	done
	cd repo || fail "no folder"
}

# finds COMMIT OPTION...: the search of the current repository names it.
finds()
{
	local status=0
	bench bisect c0 c4 --precision 5% -k 8 --budget 90s "${@:2}" >out 2>err || status=$?
	[ $status != 6 ] || skip "the machine is too busy to decide"
	[ $status = 0 ] || { cat out err >&2 && fail "exit status $status"; }
	has out "one of these .*change 2 .*the build ended with"
	has out "one of these .*$1"
}

test_a_function_is_searched_by_the_bench_that_runs()
{
	own_code
	# Nothing has been built here, and the repository says how.
	finds 'change 3' --plugin build/work.so
	has err "building with 'make', as there is a Makefile"
	has err 'slower: 1 of 1 case$'
	# A plug-in that the build does not make.
	expect 5 bench bisect c0 c4 --plugin build/other.so
	has err "GOOD, [0-9a-f]{12}, cannot be measured: there is no 'build/other.so' after the build"
	expect 2 bench bisect c0 c4 --plugin /usr/lib/other.so
	has err "--plugin '/usr/lib/other.so' lies outside of the repository"
	# From a folder below, too, the build file is that at the top.
	mkdir below
	cd below || fail "no folder"
	expect 6 bench bisect c0 c4 --plugin ../build/work.so --budget 0.1s
	has err "building with 'make', as there is a Makefile"
	cd ..
	# Corrected, it is another search, of which nothing else is in the way.
	expect 5 bench bisect c0 c4 --plugin build/work.so --build false
	has err 'the build ended with exit status 1'
}

test_a_commit_without_the_function_is_skipped()
{
	local status=0
	own_code
	git checkout -q c0
	sed -i 's/(work)/(other)/; s/(work,/(other,/; s/struct work/struct other/' work.c
	git -c user.name=n -c user.email=e commit -q -a -m 'another function'
	git checkout -q c0 -- work.c
	echo '#define TURNS 30000' >turns.h
	git -c user.name=n -c user.email=e commit -q -a -m slow
	bench bisect c0 HEAD --plugin build/work.so --precision 5% -k 8 --budget 90s >out 2>err || status=$?
	[ $status != 6 ] || skip "the machine is too busy to decide"
	[ $status = 0 ] || { cat out err >&2 && fail "exit status $status"; }
	has out "one of these .*another function .*it has none of the cases"
	has out "one of these .*slow"
}

test_a_program_is_searched_by_the_project_file()
{
	# Somewhere with a name that a shell takes apart.
	mkdir "it's a folder"
	cd "it's a folder" || fail "no folder"
	own_code
	echo '{"exec": ["build/program"], "build": "make", "keep": ["build"]}' >.bench.json
	finds 'change 3'
	has_not err 'building with'
	[ -x "$(echo runs/bisect/*/commits/*/build/program | cut -d' ' -f1)" ] || fail "$(find runs)"
	[ ! -e "$(echo runs/bisect/*/commits/*/Makefile | cut -d' ' -f1)" ] || fail "the whole tree is kept"
}

test_help_has_an_example()
{
	expect 0 bench bisect --help
	has out '^ +bench bisect v1.2 HEAD'
}
