# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What plug-ins and commands do beside what they are asked for: processes that they leave end with the run and do not hold
# its lock; what they write into descriptors of others is not taken for bench's own.

# forking.so: a function whose set-up forks a process that goes on, in a session of its own, and writes its number.
forking_plugin()
{
	cat >forking.c <<-'END'
		#include <bench/fn.h>
		#include <stdio.h>
		#include <unistd.h>
		struct forking { int dummy; };
		BENCH_FN(forking, "n=1");
		BENCH_FN_SETUP(forking)
		{
			(void)fn;
			s->dummy = 1;
			if (fork() == 0) {
				setsid();
				FILE *file = fopen("left", "a");
				fprintf(file, "%d\n", (int)getpid());
				fclose(file);
				sleep(600);
				_exit(0);
			}
		}
		BENCH_FN_RUN(forking) { s->dummy++; }
		BENCH_FN_CHECK(forking, 0) { return bench_fn_off((double)(s->dummy > 1), 1); }
	END
	gcc -fPIC -shared -I "$BENCH_SOURCE/include" forking.c -o forking.so
}

# gone FILE: none of the processes whose numbers it has runs any more.
gone()
{
	local pid i
	[ -s "$1" ] || fail "nothing was left behind in $1"
	while read -r pid; do
		for ((i = 0; i < 100; i++)); do
			grep -qs '^State:	[^Z]' "/proc/$pid/status" || continue 2
			sleep 0.1
		done
		kill -9 "$pid"
		fail "process $pid goes on"
	done <"$1"
}

test_what_a_plugin_forks_ends_with_the_run()
{
	forking_plugin
	expect 0 bench run --plugin ./forking.so -k 2 --budget 0.2s --watch no
	gone left
	expect 0 bench ingest runs/*
	expect 0 bench runs rm last
}

test_what_a_plugin_forks_does_not_hold_the_lock_of_a_run_that_was_killed()
{
	forking_plugin
	bench run --plugin ./forking.so -k 50 --budget 60s --precision 0.0001% --watch no >/dev/null 2>&1 &
	wait_for . left
	kill -9 $!
	wait $! 2>/dev/null || true
	sleep 1
	run=$(ls runs)
	bench ingest "runs/$run" >out 2>err || true
	has_not err 'still being measured'
	while read -r pid; do kill -9 "$pid" 2>/dev/null || true; done <left
}

test_what_commands_leave_in_sessions_of_their_own_ends_too()
{
	cat >leaving <<-'END'
		#!/bin/sh
		setsid sh -c 'echo $$ >>left; exec sleep 600' </dev/null >/dev/null 2>&1 &
		while [ ! -s left ]; do sleep 0.01; done
	END
	chmod +x leaving
	expect 0 bench run --exec ./leaving -k 2 --budget 0.2s --watch no --no-store
	gone left
	# Also of a command that is ended.
	rm left
	echo 'exec sleep 600' >>leaving
	expect 4 bench run --exec ./leaving -k 1 --budget 0.2s --watch no --no-store --time-limit 1s
	gone left
}

test_what_others_have_started_is_left_alone()
{
	# A child of the process that becomes bench, and a grandchild that is left to it.
	# shellcheck disable=SC2016 # the inner shell expands it
	sh -c 'sleep 600 & echo $! >theirs; (sleep 600 & echo $! >>theirs); exec "$@"' - \
		bench run --exec true -k 2 --budget 0.2s --watch no --no-store >out 2>err
	while read -r pid; do
		kill "$pid" || fail "process $pid was ended"
	done <theirs
}

test_what_a_plugin_writes_into_foreign_descriptors_is_no_error_of_the_system()
{
	cat >scribbling.c <<-'END'
		#include <bench/fn.h>
		#include <unistd.h>
		struct scribbling { int dummy; };
		BENCH_FN(scribbling, "n=1");
		BENCH_FN_SETUP(scribbling) { (void)fn; s->dummy = 1; }
		BENCH_FN_RUN(scribbling)
		{
			static const char text[] = "this is \"fake\", and fake, and fake, and fake, and fake, and fake, and fake\n";
			s->dummy++;
			for (int fd = 4; fd < 64; fd++)
				if (pwrite(fd, text, sizeof(text) - 1, 0) < 0)
					continue;
		}
		BENCH_FN_CHECK(scribbling, 0) { return bench_fn_off((double)(s->dummy > 1), 1); }
	END
	gcc -fPIC -shared -I "$BENCH_SOURCE/include" scribbling.c -o scribbling.so
	bench run --plugin ./scribbling.so -k 1 --budget 0.2s --watch no --no-store >out 2>err || true
	has err 'the worker wrote into descriptors that are not its own'
	has_not err 'Unknown error'
}

test_without_proc_it_is_said()
{
	unshare -m true 2>/dev/null || skip "mounting takes root"
	expect 5 unshare -m sh -c 'mount -t tmpfs none /proc && exec bench run --suite null -k 1 --budget 0.1s --no-store'
	has err '/proc is not mounted'
}
