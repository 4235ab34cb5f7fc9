# SPDX-License-Identifier: MIT
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

test_init_begins_a_project_that_runs()
{
	repository repo
	cd repo || fail "no folder"
	expect 0 bench init
	has out '^\./\.bench\.json measures:'
	has out '^  the suite null: no kernel, plug-in or program was found$'
	[ "$(cat .gitignore)" = $'/out\n/err\n/runs/\n/results.db*' ] || fail "$(cat .gitignore)"
	expect 2 bench init
	has err '\./\.bench\.json is there already: edit it, or remove it and repeat .bench init.'
	expect 2 bench init nowhere
	has err "'nowhere' is not a folder"
	# From a folder below, runs and history are where the file says.
	mkdir -p a/b
	cd a/b || fail "no folder"
	expect 0 bench run --preset pr --set spin=1000 -k 1 --budget 0.1s
	[ -e ../../results.db ] || fail "runs are elsewhere"
	[ "$(json ../../runs/*/metrics.json '[j["run"]["preset"], j["run"]["project_preset"], j["run"]["selection"]["suites"]]')" = "['quick', 'pr', ['null']]" ] ||
		fail "$(head -n 30 ../../runs/*/metrics.json)"
	expect 0 bench list runs
	has out ' null '
	expect 0 git status --porcelain
	has_not out "runs|results"
}

test_init_below_the_top_builds_from_the_top()
{
	repository repo
	mkdir -p 'repo/my bench'
	touch repo/Makefile
	expect 0 bench init 'repo/my bench'
	has out '^build: make \(there is a Makefile\)$'
	rm 'repo/my bench/.bench.json'
	touch 'repo/my bench/meson.build'
	expect 0 bench init 'repo/my bench'
	has out "^build: cd 'my bench' && .*meson"
}

test_init_finds_kernels_functions_and_programs()
{
	mkdir -p build/lib .hidden src
	cat >src/one.cl <<-'CL'
		/* bench {"global": 8, "args": [{"name": "y", "type": "float", "shape": 8, "access": "out", "check": "i"}]} */
		kernel void a(global float *y) { y[get_global_id(0)] = get_global_id(0); }
	CL
	echo 'kernel void b(void) {}' >src/two.cl
	cp src/one.cl .hidden
	cat >function.c <<-'C'
		#include <bench/fn.h>
		struct counted { int found; };
		BENCH_FN(counted, "");
		BENCH_FN_SETUP(counted) { (void)fn; s->found = 0; }
		BENCH_FN_RUN(counted) { s->found = 1; }
		BENCH_FN_CHECK(counted, 0) { return bench_fn_off(s->found, 1); }
	C
	gcc -fPIC -shared -I "$BENCH_SOURCE/include" function.c -o build/function.so
	echo 'int dot(void) { return 1; } int sum(void) { return 2; }' | gcc -fPIC -shared -x c - -o build/lib/libmath.so.1
	echo 'int main(void) { return 0; }' | gcc -x c - -o build/tool
	# What a binary of Google Benchmark answers.
	cat >google.c <<-'C'
		#include <stdio.h>
		#include <string.h>
		int main(int argc, char **argv)
		{
			if (argc > 1 && strcmp(argv[1], "--benchmark_list_tests") == 0)
				puts("BM_copy/8\nBM_copy/64");
			else
				puts("{\"benchmarks\": [{\"real_time\": 1.5e+01, \"time_unit\": \"ns\"}]}");
			return 0;
		}
	C
	gcc google.c -o build/google
	printf '#!/bin/sh\n' >build/script
	chmod +x build/script
	# Neither what bench keeps beside a history nor a bench is for measuring.
	mkdir -p results.db.anchors/one libs.so.d
	cp build/tool results.db.anchors/one/kept
	cp -L "$BENCH" build/bench
	# Names: a folder makes no library; suites of the same name would be refused.
	cp build/tool libs.so.d/a.b
	cp build/tool libs.so.d/a_b
	cp build/tool build/one
	echo '/* bench {"global": 8, */ kernel void c(void) {}' >src/cut.cl
	echo 'project(x)' >CMakeLists.txt
	expect 0 bench init
	has out '^  kernels: src/one\.cl$'
	has out '^  plug-ins: build/function\.so \(counted\)$'
	has out '^  programs: build/one, build/tool, libs\.so\.d/a\.b, libs\.so\.d/a_b$'
	has out '^  Google Benchmark: build/google \(BM_copy/8, BM_copy/64\)$'
	has out '^not measured: build/lib/libmath\.so\.1: functions dot, sum: .bench new function dot. writes'
	has out '^not measured: build/bench: a bench itself$'
	has out '^not measured: src/cut\.cl: .*src/cut\.cl:1:24: not valid JSON'
	has out '^not measured: src/two\.cl: .* has no specification: .*bench new kernel NAME'
	has out '^build: cmake -S \. -B build .*\(there is a CMakeLists\.txt\)$'
	has_not out 'script|hidden|kept'
	# The file is whole, and says what was found.
	expect 0 bench list cases --format csv
	has out '"google/host:cpu/command=google,name=BM_copy%2F64"'
	has out '"tool/host:cpu'
	has out '"counted/host'
	has out '"a_b/host:cpu/command=a.b"'
	has out '"a_b_[0-9]+/host:cpu/command=a_b"'
	has out '"one/opencl'
	has out '"one_[0-9]+/host:cpu'
	expect 0 bench run --suite google --preset quick -k 1 --budget 0.2s
	expect 0 bench show --format csv
	has out 'name=BM_copy%2F8/real_time",.*1.5e-08'
}

test_the_project_file_says_how_commits_are_built()
{
	project '{"suites": ["null"], "build": "make", "keep": ["lib"], "program": "out/bench"}'
	expect 0 bench list cases
	project '{"suites": ["null"], "keep": 3}'
	expect 2 bench list cases
	has err "\.bench\.json:1:[0-9]+: 'keep': expected a list of texts"
	project '{"suites": ["null"], "build": ["make"]}'
	expect 2 bench list cases
	has err "'build': expected a text or a number"
	project '{"presets": {"x": {"build": "make"}}}'
	expect 2 bench list cases
	has err "no member 'build'|has no 'build'|unknown|'build'"
}

# project JSON
project()
{
	printf '%s\n' "$1" >.bench.json
}

# cases ARGUMENT...: the plan.
cases()
{
	expect 0 bench list cases "$@"
	sed -n '2,$p' out | xargs
}

test_the_command_line_has_the_last_word()
{
	project '{"suites": "null", "set": {"spin": [0, 1000]}, "presets": {"one": {"like": "two", "set": {"spin": 5}}, "two": {"filter": "spin>1"},
		"quick": {"set": {"spin": 7}}}, "labels": {"team": "x", "b": 1}, "preset": "two", "budget": "0.1s", "invocations": 1}'
	[ "$(cases)" = 'null/host:cpu/spin=1000' ] || fail "$(cat out)"
	[ "$(cases --preset one)" = 'null/host:cpu/spin=5' ] || fail "$(cat out)"
	[ "$(cases --preset quick)" = 'null/host:cpu/spin=7' ] || fail "$(cat out)"
	[ "$(cases --filter spin=0)" = 'null/host:cpu/spin=0' ] || fail "$(cat out)"
	# Another suite has other parameters.
	cases --suite gemm --set n=8 --backend reference >names
	has names 'gemm/reference:.*n=8'
	[ "$(cases --project no --suite null | wc -w)" = 3 ] || fail "$(cat out)"
	expect 2 bench list cases --preset ones
	has err "there is no preset 'ones'.*did you mean 'one'"
	expect 0 bench run --label b=2
	[ "$(json runs/*/metrics.json '[j["run"]["labels"], j["run"]["selection"]["sets"], j["run"]["selection"]["filter"]]')" = \
		"[{'team': 'x', 'b': '2'}, ['spin=0,1000'], 'spin>1']" ] || fail "$(head -n 30 runs/*/metrics.json)"
	has runs/*/metrics.json 'bench run --suite null --set spin=0,1000'
	# A run that is taken up is measured as it was begun.
	project '{"suites": "gemm", "runs": "runs"}'
	expect 3 bench run --resume "$(basename runs/*)"
	has err 'nothing to resume'
	mkdir below
	mv .bench.json p.json
	expect 0 bench list cases --project p.json --set n=8 --backend reference
	has out '^ *gemm'
}

test_values_are_what_is_written()
{
	project '{"exec": "echo {v}", "set": {"v": [1.9, 1.10, 1.1, 007, 1e3, 12345678901234567890, "+5", "a b"]}}'
	[ "$(cases | sed 's/[^ ]*v=//g')" = '+5 007 1.1 1.9 1.10 1e3 12345678901234567890 a%20b' ] || fail "$(cat out)"
	project '{"suites": "gemm", "set": {"n": [8, 16]}, "backends": "reference"}'
	cases | grep -q 'n=16' || fail "$(cat out)"
	refused ':1:[0-9]+: .n.: a comma separates values, and .1,2. has one' '{"exec": "echo {n}", "set": {"n": ["1,2", 3]}}'
	refused ':1:[0-9]+: .n. is given twice' '{"exec": "echo {n}", "set": {"n": 1, "n": 2}}'
	refused ':1:[0-9]+: a project has .budget. twice' '{"budget": "1s", "budget": "2s"}'
	project '{"suites": "gemm", "set": {"n": [5.12e2]}, "backends": "reference"}'
	expect 2 bench list cases
	has err "'5.12e2' is no whole number"
}

# refused MESSAGE PROJECT
refused()
{
	project "$2"
	expect 2 bench list cases
	has err "$1"
	[ ! -s out ] || fail "$(cat out)"
}

test_what_is_wrong_in_a_project_is_said_with_its_place()
{
	refused '\.bench\.json:2:2: a project has no member .suite.; did you mean .suites' $'{ // x\n "suite": "null"}'
	refused '\.bench\.json:1:14: not valid JSON' '{"suites": ["]}'
	refused '\.bench\.json:1:1: expected \{\.\.\}' '[]'
	refused ':1:21: .suites.: expected texts' '{"suites": ["null", 5]}'
	refused ":1:41: presets in a circle: 'a' is like 'b' is like 'a'" '{"suites":"null","presets":{"a":{"like":"b"},"b":{"like":"a"}}}'
	refused ":1:25: there is no preset 'x'" '{"presets":{"a":{"like":"x"}}}'
	refused ":1:18: preset 'a' has no member 'sets'; did you mean 'set'" '{"presets":{"a":{"sets":{}}}}'
	refused ":1:14: 'kernels': '/etc/passwd' lies outside of the project; on the command line, --kernel takes it" '{"kernels": ["/etc/passwd"]}'
	refused "'plugins': 'a/../../b.so' lies outside of the project; on the command line, --plugin takes it" '{"plugins": "a/../../b.so"}'
	ln -s /etc etc
	refused "'etc/passwd' lies outside" '{"kernels": "etc/passwd"}'
	refused "'history': '/home/somebody/results.db' belongs to another user; \"~/...\"" '{"history": "/home/somebody/results.db"}'
	refused "'budget': expected a time" '{"budget": "soon"}'
	refused "'threshold': expected a fraction such as" '{"metrics": [{"match": "*", "threshold": 5}]}'
	refused "an entry of 'metrics' has no member 'onwer'.*did you mean 'owner'" '{"metrics": [{"match": "*", "onwer": "x"}]}'
	refused "\.bench\.json:1:20: there is no suite 'gem'; did you mean 'gemm'" '{"suites": ["null","gem"]}'
	refused "\.bench\.json:1:18: there is no parameter 'spn'; did you mean 'spin'" '{"set": {"n": 5, "spn": 1}}'
	refused "'n' has no value" '{"set": {"n": []}}'
	refused "'invocations': expected a whole number" '{"invocations": 1.5}'
	printf '{"suites":\0"null"}' >.bench.json
	expect 2 bench list cases
	has err 'zero byte'
	expect 5 bench list cases --project nowhere.json
	has err nowhere.json
	project '{}'
	chmod o+w .bench.json
	expect 2 bench list cases
	has err "is writable by everybody, and can run commands: 'chmod o-w \.bench\.json'"
	[ "$(id -u)" = 0 ] || return 0
	chmod o-w .bench.json
	chown 12345 .bench.json
	mkdir sub
	cd sub || fail "no folder"
	expect 2 bench list cases --suite null
	has err '^bench: \.\./\.bench\.json belongs to another user \(12345\)'
	expect 0 bench list cases --suite null --project ../.bench.json
	SUDO_UID=12345 expect 0 bench list cases --suite null
}

test_a_run_that_is_compared_with_none_needs_no_threshold()
{
	echo '{"suites": ["null"], "threshold": "7%", "alpha": 0.02, "budget": "0.1s", "invocations": 1}' >.bench.json
	expect 0 bench run --watch no
	expect 0 bench run --watch no --baseline last
	has out '7%'
}

test_metrics_have_thresholds_and_owners_and_some_are_ignored()
{
	project '{"suites": "null", "set": {"spin": [0, 1000]}, "invocations": 2, "budget": "0.1s", "ignore": ["*spin=0/*"],
		"metrics": [{"match": "*spin=1000/*", "threshold": "900%", "owner": "@us/timers"}]}'
	expect 0 bench run
	sleep 1
	expect 0 bench run
	bench compare --format json >verdicts || true
	[ "$(json verdicts '[(v["metric"], v["owner"], v["threshold"] >= 9) for v in j["verdicts"] if v["metric"] == "time"], j["ignored"] > 0')" = \
		"([('time', '@us/timers', True)], True)" ] || fail "$(cat verdicts)"
	bench compare --threshold 3% --format json >verdicts || true
	[ "$(json verdicts '[v["threshold"] < 9 for v in j["verdicts"] if v["metric"] == "time"]')" = '[True]' ] || fail "$(cat verdicts)"
	expect 2 bench power --budget 1s
	has err 'are needed'
	bench compare >out 2>err || true
	has out '[0-9]+ metrics? (is|are) not judged, as the project file says'
}

# A kernel of the repository is measured from wherever one stands in it, and its commit recorded.
test_a_kernel_of_the_project_is_measured()
{
	repository repo
	cd repo || fail "no folder"
	mkdir -p kernels below
	cat >kernels/twice.cl <<-'END'
		/* bench {
		  "params": {"n": 1024},
		  "args": [{"name": "x", "type": "float", "shape": "n"}, {"name": "y", "type": "float", "shape": "n", "access": "out", "check": "2 * x[i]"}],
		  "global": "n"
		} */
		kernel void twice(global const float *x, global float *y)
		{
			size_t i = get_global_id(0);
			y[i] = 2 * x[i];
		}
	END
	project '{"kernels": "kernels/twice.cl", "preset": "quick", "backends": "opencl:cpu", "budget": "0.3s", "invocations": 1}'
	cd below || fail "no folder"
	printf '%s\n' out err >.gitignore
	expect 0 bench list cases
	has out '^ *twice/opencl'
	git add -A ..
	git -c user.name=n -c user.email=e commit -qm kernel
	expect 0 bench run
	[ "$(git_of runs)" = "('$(git rev-parse HEAD)', [])" ] || fail "$(git_of runs)"
	# Who asks for another suite gets that.
	expect 0 bench list cases --suite null
	has_not out twice
}

# block LANGUAGE: the first block of the page in it.
block()
{
	awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; next } inside && substr($0, 1, 3) == substr(begin, 1, 3) { exit } inside' \
		"$BENCH_SOURCE/docs/projects.md"
}

test_the_page_shows_what_works()
{
	block json >p.json
	has p.json night
	HOME=$PWD expect 0 bench list suites --project p.json
	block sh >commands
	has commands 'set help'
	expect 0 bash -e commands
	has out '^ +[0-9]+ to [0-9]+ .default'
	has out 'dtype=f32,m=64,n=64'
	has_not out 'n=128,'
}

# Commands run in the folder of the file, whoever calls from below it.
test_commands_of_the_project_are_measured()
{
	repository repo
	cd repo || fail "no folder"
	printf '#!/bin/sh\necho done\n' >program
	chmod +x program
	project '{"exec": "./program {n}", "set": {"n": "1:4:*2"}, "budget": "0.1s", "invocations": 1}'
	mkdir below
	cd below || fail "no folder"
	[ "$(cases | grep -o 'n=[0-9]*' | xargs)" = 'n=1 n=2 n=4' ] || fail "$(cat out)"
	expect 0 bench run --set n=3 --label a=b
	[ "$(json runs/*/metrics.json '[r["status"] for r in j["results"]]')" = "['ok']" ] || fail "$(cat out)"
	# A work tree of another commit is a base, by its own project file.
	printf '/runs/\n/results.db*\n' >>../.gitignore
	git add ..
	git -c user.name=n -c user.email=e commit -qm program
	git worktree add -q ../../base
	printf '#!/bin/sh\nsleep 0.01\n' >../program
	bench gate --base 'bench --project ../../base/.bench.json' --set n=1 --budget 1s -k 8 >out 2>err || true
	has err 'interleaved with bench --project \.\./\.\./base/\.bench\.json'
	has out '^ *(slower|unclear) +exec .* +[+][0-9]{3}'
	# Another command is the user's, here.
	expect 0 bench list cases --exec 'sh -c true'
	has_not out program
	expect 0 bench list cases --suite null --set spin=1
	has_not out program
}
