# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench run --plugin: what a plug-in adds, what is recorded of it, and what is refused.

# build NAME.so [FLAG..]: a plug-in of the C text on standard input.
build()
{
	local out=$1
	shift
	cat >"${out%.so}.c"
	gcc -fPIC -shared -I "$BENCH_SOURCE/include" "$@" "${out%.so}.c" -o "$out"
}

# function NAME [SWEEP [BEFORE]]: the text of a function that adds up the first n whole numbers.
function_text()
{
	cat <<-END
		#include <bench/fn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <pthread.h>
		${3-}
		struct $1 { size_t n, found; };
		BENCH_FN($1, "${2-n=10}");
		BENCH_FN_SETUP($1) { s->n = bench_fn_size(fn, "n"); }
		BENCH_FN_RUN($1) { s->found = 0; for (size_t i = 1; i <= s->n; i++) s->found += i; }
		BENCH_FN_CHECK($1, 0) { return bench_fn_off((double)s->found, (double)(s->n * (s->n + 1) / 2)); }
	END
}

quick=(--preset quick -k 1 --budget 0.2s --no-store --format csv)

test_what_a_plugin_adds_is_measured_and_recorded()
{
	git -c init.defaultBranch=main init -q lib
	git -C lib -c user.name=x -c user.email=x@x commit -q --allow-empty -m x
	{
		function_text up "n=10,2K"
		echo 'BENCH_FN_WORK(up) { work->items = (double)bench_fn_size(fn, "n"); }'
	} | build lib/up.so
	expect 0 bench run --plugin lib/up.so "${quick[@]}"
	has out 'up/host:cpu/n=10/time,.*,ok,'
	has out 'up/host:cpu/n=2000/item_rate,'
	has_not out 'gemm/'
	json runs/2*/metrics.json 'j["run"]["selection"]["extensions"][0]' >text
	has text "\"kind\":\"plugin\",\"path\":\"$PWD/lib/up.so\",\"hash\":\"[0-9a-f]{16}\""
	json runs/2*/metrics.json 'j["host"]["plugin.up.so"]' >fact
	has fact "^[0-9a-f]{16}, commit $(git -C lib rev-parse HEAD)$"
	expect 0 bench list suites --plugin lib/up.so
	has out '^ *up +a function of up.c +n$'
	valid runs/2*/metrics.json
}

test_another_content_is_another_executable_and_another_place_is_not()
{
	function_text one | build one.so
	bench run --plugin one.so "${quick[@]}" --runs-dir a >/dev/null 2>&1
	mkdir elsewhere
	cp one.so elsewhere
	bench run --plugin elsewhere/one.so "${quick[@]}" --runs-dir b >/dev/null 2>&1
	function_text one "n=10" "int other = 1;" | build one.so
	bench run --plugin one.so "${quick[@]}" --runs-dir c >/dev/null 2>&1
	for run in a b c; do
		json $run/2*/metrics.json 'j["host"]["executable"]' >$run/is
	done
	cmp a/is b/is
	! cmp -s a/is c/is || fail "the identity does not depend on the plug-in"
}

test_suites_and_backends_of_the_examples()
{
	for name in suite backend; do
		build $name.so <"$BENCH_SOURCE/examples/$name.c"
	done
	expect 0 bench run --plugin suite.so "${quick[@]}" --set count=1000
	has out '^"example_suite/host:cpu/count=1000,scale=3/time",.*,ok,'
	expect 0 bench run --plugin suite.so --plugin backend.so "${quick[@]}" --suite elementwise \
		--backend example_backend --set count=1000 --set width=1
	has out '^"elementwise/example_backend:host-memory/.*/time",.*,ok,'
	expect 0 bench list devices --plugin backend.so
	has out 'example_backend:0 +host-memory'
}

test_a_duel_of_two_plugins_measures_each_side_with_its_own()
{
	function_text up n=2000 | build fast.so
	function_text up n=2000 | sed 's/{ \(s->found = 0; .*\) }/{ for (int r = 0; r < 3; r++) { \1 } }/' | build slow.so
	# It takes three times as long. On a busy machine eight pairs may leave the verdict open.
	bench duel 'bench --plugin fast.so' bench --plugin slow.so --preset quick -k 8 --budget 2s --no-store >out 2>err || [ $? = 1 ]
	has out '(slower|unclear) +up 2000 .* [+][1-9][0-9][0-9]'
}

test_functions_of_several_files_and_languages_are_one_plugin()
{
	command -v g++ >/dev/null || skip "there is no C++ compiler"
	function_text up | sed 's/bench_fn_size(fn, "n")/3/; s/"n=10"/""/' >up.c
	echo 'BENCH_FN_PREPARE(up) { s->found = 0; }' >>up.c
	cat >throws.cpp <<-'END'
		#include <bench/fn.h>
		#include <stdexcept>
		#include <vector>
		struct throws { std::vector<int> all; };
		BENCH_FN(throws, "n=1,2 x=0.5");
		BENCH_FN_WORK(throws) { work->items = bench_fn_real(fn, "x"); }
		BENCH_FN_SETUP(throws) { if (bench_fn_size(fn, "n") == 2) throw std::runtime_error("no such table"); }
		BENCH_FN_RUN(throws) { s->all.assign(3, 1); }
		BENCH_FN_CHECK(throws, 0) { return s->all.size() == 3 ? 0 : 1; }
	END
	gcc -O2 -fPIC -I "$BENCH_SOURCE/include" -c up.c
	g++ -O2 -fPIC -I "$BENCH_SOURCE/include" -c throws.cpp
	# Linkers differ in what an absent function is: the optional bodies must not depend on that.
	for linker in bfd gold lld; do
		command -v "ld.$linker" >/dev/null || continue
		g++ -shared "-fuse-ld=$linker" up.o throws.o -o $linker.so
		expect 4 bench run --plugin $linker.so "${quick[@]}"
		has out '^up/host:cpu//time,.*,ok,'
		has out 'throws/.*n=1,x=0.5/item_rate.*,ok,'
		has out 'throws/.*n=2,.*failed,throws: exception: no such table'
	done
	expect 0 bench list suites --plugin bfd.so
	has out '^ *up +a function of up.c *$'
}

# refused REGEX FILE [OPTION..]: bench run --plugin FILE is refused with this reason, and nothing is written.
refused()
{
	local what=$1 file=$2
	shift 2
	expect 2 bench run --plugin "$file" "${quick[@]}" "$@"
	has err "^bench: .*$what"
	[ ! -s out ] || fail "it has written to stdout"
	[ ! -e runs ] || fail "there is a run folder"
}

test_what_is_no_plugin_is_refused()
{
	seq 100 >text.so
	: >empty.so
	mkfifo pipe.so
	mkdir folder.so
	echo 'int x;' | build bare.so
	echo '#include <bench/fn.h>' | build none.so
	function_text up | build cut.so
	truncate -s 3000 cut.so
	refused "'missing.so': No such file" missing.so
	refused "text.so.*(invalid ELF header|file too short)" ./text.so
	refused "empty.so.*file too short" empty.so
	refused "pipe.so" pipe.so
	refused "folder.so" folder.so
	refused "bare.so.*no table.*BENCH_FN" bare.so
	refused "none.so.*table is empty" none.so
	refused "cut.so'" cut.so
}

test_older_and_newer_plugins_are_refused_with_the_reason()
{
	for abi in 0 99; do
		printf '#include <bench/plugin.h>\n#undef BENCH_PLUGIN_ABI\n#define BENCH_PLUGIN_ABI %d\n%s\n' $abi \
			'BENCH_PLUGIN(NULL, NULL);' | build abi$abi.so
	done
	refused "an older bench, with plug-in ABI 0.*build it again" abi0.so
	refused "a newer bench, with plug-in ABI 99.*take a newer bench" abi99.so
	build sizes.so <<-'END'
		#include <bench/plugin.h>
		const struct bench_plugin bench_plugin = {BENCH_PLUGIN_ABI, {sizeof(struct bench_plugin), 8}};
	END
	refused "struct bench_suite has 8 bytes, and not" sizes.so
	echo 'void bench_fn_new(void); __attribute__((constructor)) static void f(void) { bench_fn_new(); }' | build new.so
	refused "undefined symbol: bench_fn_new; was it built for another bench" new.so
}

test_tables_that_cannot_be_are_refused_by_name()
{
	function_text gemm | build taken.so
	refused "there is a suite 'gemm' already" taken.so
	function_text Big | build name.so
	refused "suite 'Big': a name is a lowercase letter" name.so
	function_text up "n" | build sweep.so
	refused "function up \(.*sweep.c\): sweep: 'n' is not NAME=VALUE" sweep.so
	function_text up "n=1 n=2" | build twice.so
	refused "two parameters are named 'n'" twice.so
	echo '#include <bench/plugin.h>
		static const struct bench_suite s = {.abi = BENCH_SUITE_ABI, .name = "s", .summary = "s"};
		static const struct bench_suite *const suites[] = {&s, NULL};
		BENCH_PLUGIN(suites, NULL);' | build hooks.so
	refused "suite 's' lacks" hooks.so
	function_text up | build same.so
	cp same.so twin.so
	refused "there is a suite 'up' already" same.so --plugin twin.so
}

# With a sanitizer a signal is a report and an exit status.
crashed='(crashed: SIG|ended the process, with exit status)'

test_code_that_breaks_while_it_is_loaded_or_asked_does_not_break_bench()
{
	load='__attribute__((constructor)) static void load(void)'
	function_text up n=10 "$load { abort(); }" | build crash.so
	refused "being loaded, $crashed" crash.so
	function_text up n=10 "$load { exit(0); }" | build exit.so
	refused "being loaded, ended the process, with exit status 0" exit.so
	function_text up n=10 "$load { puts(\"hello\"); }" | build print.so
	refused "being loaded, writes to standard output, where results go: 'hello'" print.so
	function_text up n=10 "$load { for (;;) puts(\"a gigabyte\"); }" | build flood.so
	refused "writes to standard output" flood.so
	{
		function_text up
		# shellcheck disable=SC2016
		echo 'BENCH_FN_WORK(up) { if (bench_fn_size(fn, "n") == 7) abort(); }'
	} | build work.so
	refused "asked for the work of its cases, $crashed" work.so --set n=7
	{
		function_text up
		echo 'BENCH_FN_WORK(up) { work->items = -1.0 / 0.0; }'
	} | build infinite.so
	refused "suite up: its work is not a number" infinite.so
	expect 0 bench run --plugin work.so "${quick[@]}"
}

test_a_case_that_breaks_costs_its_own_number_alone()
{
	{
		function_text crash "n=1,2"
		echo 'BENCH_FN_PREPARE(crash) { if (s->n == 2) abort(); }'
		function_text wrong "n=1" | sed 's/s->found += i/s->found += i + 1/'
		function_text unknown "m=1"
		function_text large "n=4000000000000" |
			sed 's/{ s->n = .*/{ s->n = (size_t)bench_fn_doubles(fn, bench_fn_size(fn, "n")); }/'
		function_text loud
		echo 'BENCH_FN_PREPARE(loud) { puts("to the log"); fflush(stdout); }'
		function_text left n=3
		echo 'static void *spin(void *none) { for (volatile int i = 1; i;); return none; }
			BENCH_FN_PREPARE(left) { pthread_t t; if (!s->found) pthread_create(&t, NULL, spin, NULL); }'
	} | build bad.so
	expect 4 bench run --plugin bad.so "${quick[@]}" --time-limit 20s
	has out '^"?crash/host:cpu/n=1/time.*,ok,'
	has out 'crash.*n=2.*failed.*(crashed|ended its process).*prepar|crash.*n=2.*failed'
	has out 'wrong.*incorrect'
	has out "unknown.*failed.*asks for the parameter 'n', which its sweep 'm=1' does not have"
	has out 'large.*failed.*asks for .* bytes of memory'
	has out 'loud/host:cpu/n=10/time,.*,ok,'
	has out 'left/host:cpu/n=3/time,.*,ok,'
	has_not out 'to the log'
	has_not out '(wrong|unknown|large).*/time,'
}

test_a_plugin_that_changes_during_a_run_is_refused_by_the_worker()
{
	# Each time it is loaded into a worker it gives its place to another.
	function_text up "n=1,2" '__attribute__((constructor)) static void load(void)
		{ if (getenv("SWAP")) { FILE *f = fopen("count", "a"); fputs("x", f); fclose(f); } }' | build up.so
	function_text up "n=1,2" "int other = 1;" | build other.so
	SWAP=1 bench run --plugin up.so --preset quick -k 60 --budget 60s --precision 0.0001% --no-store >out 2>err &
	wait_for 'xxx' count
	mv other.so up.so
	local status=0
	wait $! || status=$?
	[ $status != 0 ] || fail "the run passed"
	has runs/2*/run.log 'up.so. has changed since the run began'
}

test_resume_runs_no_code_that_the_command_line_does_not_name()
{
	function_text up "n=1,2,3,4" | build up.so
	bench run --plugin up.so --preset quick -k 40 --budget 4s --precision 0.0001% --no-store >out 2>err &
	wait_for '"metric": ?"time"' 'runs/*/samples.jsonl'
	kill -INT $!
	wait $! || true
	local run
	run=$(echo runs/2*)
	expect 2 bench run --resume "$run" --no-store
	has err "the run measures extensions: repeat them.*up.so"
	expect 0 bench run --resume "$run" --plugin up.so --no-store --format csv
	has out 'up/host:cpu/n=4/time,.*,ok,'
}
