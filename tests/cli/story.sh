# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016
# A year of a repository in a few minutes: three kernels, a function and a program, from no project file to a regression
# that is found, told and fixed. What is typed is what docs/how-to/nightly-gate.md has or what bench has printed.
#
# Seconds of a test: 560
#
# The regression is 10% more work (PLANT: the work after it, in per cent of that before). The function is what shows it:
# its time is that of a loop, and a night of seconds decides it on a busy machine, too. Kernels and the program have to
# wait for other processes, so the project file asks more of a change of theirs.
plant=${PLANT-110}

commit()
{
	echo "$1" >>notes
	git add .
	git -c user.name=n -c user.email=e commit -q -m "$1"
}

turns()
{
	echo "#define TURNS $1" >turns.h
}

kernel()
{
	cat >"$1.cl" <<-OPENCL
		/* bench {
			"params": {"n": [4096]},
			"args": [
				{"name": "x", "type": "float", "shape": "n"},
				{"name": "y", "type": "float", "shape": "n", "access": "out", "check": "$2"}
			],
			"global": "n"
		} */
		kernel void $1(global const float *x, global float *y)
		{
			const size_t i = get_global_id(0);
			y[i] = $2;
		}
	OPENCL
}

# The library, of which the function and the program are made.
repository()
{
	command -v git >/dev/null || skip "no git"
	bench list devices --format csv | grep opencl >/dev/null || skip "no OpenCL device"
	git init -q library
	cd library || fail "no folder"
	kernel twice '2 * x[i]'
	kernel square 'x[i] * x[i]'
	kernel shift 'x[i] + 1'
	cat >work.h <<-'C'
		#include "turns.h"
		static double work(int times)
		{
			double found = 0;
			for (volatile int i = 0; i < times * TURNS; i++)
				found += i;
			return found;
		}
	C
	cat >function.c <<-'C'
		#include <bench/fn.h>
		#include "work.h"
		struct work { double found; };
		BENCH_FN(work, "");
		BENCH_FN_SETUP(work) { (void)fn; s->found = 0; }
		BENCH_FN_RUN(work) { s->found = work(1); }
		BENCH_FN_CHECK(work, 0) { return bench_fn_off(s->found, work(1)); }
	C
	printf '#include "work.h"\nint main(void) { return work(100) < 0; }\n' >program.c
	cat >Makefile <<-END
		all: ; mkdir -p build && \\
		gcc -O1 -fPIC -shared -I $BENCH_SOURCE/include function.c -o build/function.so && \\
		gcc -O1 program.c -o build/program
	END
	printf '/build/\n/out\n/err\n/next\n/issue.md\n' >.gitignore
	turns 10000
	commit 'a library'
}

# block FROM: the commands of the page's block of sh below that heading.
block()
{
	sed -n "/^## $1/,/^## /p" "$BENCH_SOURCE/docs/how-to/nightly-gate.md" | sed 's/^ *//' | sed -n '/^```sh/,/^```/p' | grep -v '^```'
}

# type_in COMMAND: as it stands there; its status in $status.
type_in()
{
	status=0
	timeout -s INT 200 bash -c "$1" >out 2>err </dev/null || status=$?
}

# type_printed REGEX: the command that the last output has below "to ...:", and that matches.
type_printed()
{
	sed -n "s/^  \(bench $1\)/\1/p" out | head -n 1 >next
	[ -s next ] || { cat out err >&2 && fail "no command is printed: $1"; }
	type_in "$(cat next)"
}

night()
{
	[ $SECONDS -lt 420 ] || skip "the machine is too busy: night $1 comes after $SECONDS s"
	while [ -e "runs/$(date +%Y%m%d-%H%M%S)" ]; do sleep 0.2; done
	make -s
	type_in "$(block 'Every night' | grep '^bench gate')"
	! grep -q '^bench: --budget .* is too short' err || skip "the machine is too busy: $(grep 'too short' err)"
	echo "night $1: status $status, $SECONDS s: $(grep '^bench: gate:\|^gate:' err || tail -n 1 err)" >&2
}

# The project file of such a team: a night of seconds, and what a change must reach.
edit_project()
{
	sed -i 's|"like": "nightly", "budget": "10m"|"like": "quick", "invocations": 8, "precision": "50%", "budget": "24s"|
		s|// {"match": "\*", "threshold": "10%".*|{"match": "*", "threshold": "80%"}, {"match": "work/*", "threshold": "5%"}|
		s|"runs": "runs"|"alpha": 0.2, &|' .bench.json
}

test_a_regression_of_a_library_is_found_told_and_fixed()
{
	local day hour guilty='' red='' command
	repository
	make -s
	# Set-up.
	while read -r command; do
		type_in "$command"
		[ "$status" = 0 ] || { cat out err >&2 && fail "status $status: $command"; }
		[ "$command" != 'bench init' ] || {
			has out '^  kernels: shift\.cl, square\.cl, twice\.cl$'
			has out '^  plug-ins: build/function\.so \(work\)$'
			has out '^  programs: build/program$'
			has out '^build: make '
			edit_project
		}
	done < <(block 'Set up' | sed 's/^bench run$/bench run --preset quick --budget 1s/')
	commit 'measure it'
	for day in 1 2 3 4 5 6 7 8; do
		for hour in 1 2 3; do
			[ "$day $hour" != '4 2' ] || turns $((100 * plant))
			[ "$day $hour" != '6 2' ] || turns 10000
			commit "day $day, change $hour"
			[ "$day $hour" != '4 2' ] || guilty=$(git rev-parse HEAD)
		done
		night "$day"
		case $day in
		1) [ "$status" = 7 ] || { cat out err >&2 && fail "the first night: $status"; } ;;
		[2-3]) [ "$status" != 1 ] || { cat out err >&2 && fail "a false alarm"; } ;;
		4 | 5)
			[ -z "$red" ] || continue
			[ "$status" != 6 ] || type_printed gate
			[ "$status" = 1 ] || continue
			red=$day
			has out '^SLOWER: '
			# Look, find the commit, tell it: each command was printed by the one before.
			type_printed 'alarms show'
			[ "$status" = 0 ] || fail "$(cat err)"
			type_printed bisect
			case $status in 6 | 130) skip "the machine is too busy to decide" ;; esac
			[ "$status" = 0 ] || { cat out err >&2 && fail "the bisection: $status"; }
			has out "first slower +${guilty:0:12}"
			has out '^alarm 1 names the commit now; to see it:$'
			type_printed 'alarms show'
			cmp -s next <(block 'When it is red' | grep '^bench alarms show') || fail "the page has another command: $(cat next)"
			has out "${guilty:0:12}"
			cp out issue.md
			;;
		esac
	done
	[ -n "$red" ] || skip "the machine is too busy: no night was red"
	[ "$red" = 4 ] || echo "red on night $red, not 4" >&2
	# The fix: nothing is slower any more.
	[ "$status" != 1 ] || { cat out err >&2 && fail "still red after the fix"; }
	expect 0 bench alarms
	has out '^no alarm is open$'
}
