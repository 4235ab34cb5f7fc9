# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016
# The examples of the pages run as they are printed: every line of a block of code that begins with `bench` in README.md
# and docs/, page by page, in a folder with a history that has what the pages name. Runs are planned and not measured:
# `bench run` gets --dry-run.

# Examples that do not run here, as patterns of "PAGE: COMMAND", and why. A pattern that fits none is an error.
left_out='
docs/adding-*: bench *                       | the check guides follows these pages
*: bench gate *                              | a gate takes minutes: cli.gate, cli.gate_anchor, cli.gate_base and cli.ci
docs/how-to/ci.md: bench *                   | cli.ci follows this page
*: bench duel *                              | two executables, minutes: cli.duel
*: bench why *                               | two executables, minutes: cli.why
docs/duel.md: bench show *                   | the run of the output above it: cli.duel
*: bench power *                             | minutes: cli.power
*: bench tune --*                            | minutes, or what they left behind: cli.tune
*: bench bisect *                            | a repository to build: cli.bisect
*: bench backfill *                           | a repository to build: cli.backfill
docs/how-to/backfill.md: bench *              | what was backfilled there: cli.backfill
*: bench fleet *                             | a cluster: cli.fleet
docs/alarms.md: bench alarms * 12*           | the alarm of that page: cli.alarms
*: bench *postgresql://*                     | a server: cli.server
docs/database.md: bench db backup /mnt/*     | a disk: cli.db
docs/database.md: bench db repair            | a damaged file: cli.db
*: bench run --resume *                      | a killed run: cli.resume
*: *bench run --validate*                    | Oclgrind: cli.validate
*: bench * --plugin *                        | a compiler: cli.plugin, the check install
docs/how-to/install.md: bench *              | man and the shells of a user: cli.pages
*: bench run *opencl:gpu*                    | a GPU
docs/suites/devices.md: *opencl:all          | several devices
docs/how-to/experiment-log.md: bench baseline * | the run after it is only planned here: cli.log
docs/interchange.md: bench compare *         | results of other tools: cli.interchange
*: bench run *openblas:/opt/*                | another OpenBLAS: cli.plugin
docs/suites/mnist.md: bench run *data=/data* | the data set: cli.fetch_mnist
docs/suites/peak.md: bench plot roofline *   | the ceilings, minutes: unit.report_plot
*: bench doctor                              | a minute: cli.doctor
docs/how-to/capture.md: bench *              | programs of your own: cli.capture
docs/how-to/kernel-programs.md: bench *      | kernels of others: cli.kernel_programs
docs/how-to/bounds.md: bench *               | its own programs: cli.bounds
docs/how-to/nightly-gate.md: bench log *     | what the gate before it measured: cli.gate_anchor
docs/how-to/nightly-gate.md: bench alarms *  | the alarm of that page: cli.story
docs/how-to/notify.md: bench *               | the alarm of that page: cli.hooks
docs/how-to/rename.md: bench *               | commands measured on that page: cli.rename
'

# The commands of a page, a line each; continued lines are joined.
commands()
{
	awk '
	/^ *```/ { fenced = !fenced; next }
	fenced || /^(    |\t)/ {
		sub(/^[ \t]*(\$ )?/, "")
		if (!open && !/^([A-Z_]+=[^ ]* )*bench /) next
		open = sub(/\\$/, "")
		command = command $0
		if (!open) { print command; command = "" }
	}' "$1"
}

# is_left_out TEXT: and the pattern is used.
is_left_out()
{
	local pattern
	while IFS='|' read -r pattern _; do
		pattern=${pattern%"${pattern##*[! ]}"}
		# shellcheck disable=SC2053 # a pattern
		if [ -n "$pattern" ] && [[ $1 == $pattern ]]; then
			echo "$pattern" >>../used
			return 0
		fi
	done <<<"$left_out"
	return 1
}

# fill PROGRAM: puts into this folder what the pages name: a history with runs of these ids, baselines, and files of other
# tools.
fill()
{
	local program=$1 id file
	cp "$BENCH_SOURCE/EXPERIMENTS.md" .
	awk '/^```opencl/ { inside = 1; next } /^```/ { inside = 0 } inside' "$BENCH_SOURCE/docs/user-kernels.md" >blur.cl
	for id in 20261117-231503 20261118-231503 20261119-231503 20261120-231503 20261122-231503; do
		"$program" run --suite gemm,elementwise,reduction --backend openblas,reference \
			--filter 'suite=gemm,backend=openblas|suite=gemm,n=64|suite!=gemm,backend=reference' --set n=64,1024 \
			--set width=1,2 --set count=1K,16K -k 1 --budget 0.5s --watch no --id $id >/dev/null 2>&1
	done
	"$program" baseline set before 20261117-231503 2>/dev/null
	"$program" baseline set main 20261117-231503 2>/dev/null
	cp results.db nightly.db
	for file in gbench run1 run2 run3; do
		"$program" export last --to gbench 2>/dev/null >$file.json
	done
	echo '{"results": [{"command": "sort", "times": [0.1, 0.11, 0.12]}]}' >hyperfine.json
	{ echo date,ms; for i in $(seq 10 29); do echo "2026-01-$i,$((100 + i % 3 + (i > 19) * 50))"; done; } >nightly.csv
	echo '{"ms": [1, 2, 1, 2, 1, 2, 9, 8, 9, 8, 9, 8]}' >results.json
	echo '{"command": "true"}' >commands.json
	printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n' | gzip >web.mtx.gz
}

prepare()
{
	local program
	program=$(readlink -f "$(command -v bench)")
	mkdir bin start
	{
		printf '#!/bin/bash\n[ "${1-}" != run ] || set -- "$@" --dry-run\nexec %q "$@"\n' "$program"
	} >bin/bench
	printf '#!/bin/sh\nexec cat\n' >bin/gnuplot
	chmod +x bin/*
	(cd start && fill "$program")
	PATH=$PWD/bin:$PATH
}

# run_page PAGE: its commands, one after the other, in this folder. What judges may find something.
run_page()
{
	local page=$1 command status good
	while read -r command; do
		! is_left_out "$page: $command" || continue
		echo "$page: $command" >>../ran
		status=0
		bash -c "$command" >../out 2>../err </dev/null || status=$?
		good=0
		case $command in
		*"bench compare"* | *"bench alarms"*) good='[01467]' ;;
		esac
		# shellcheck disable=SC2053 # a pattern
		[[ $status == $good ]] || echo "$page: $command: exit status $status: $(tail -n 2 ../err)" >>../failed
	done < <(commands "$BENCH_SOURCE/$page")
}

# run_pages LEAST PAGE..: at least so many examples.
run_pages()
{
	local least=$1 page pattern
	shift
	prepare
	touch used ran failed
	for page; do
		rm -rf here
		cp -r start here
		(cd here && run_page "$page")
	done
	[ ! -s failed ] || fail "$(cat failed)"
	[ "$(wc -l <ran)" -ge "$least" ] || fail "only $(wc -l <ran) examples were found"
	while IFS='|' read -r pattern _; do
		pattern=${pattern%"${pattern##*[! ]}"}
		[ -z "$pattern" ] || grep -qxF -- "$pattern" used || [[ ${pattern%%:*} != docs/* ]] || [[ " $* " != *" ${pattern%%:*} "* ]] ||
			fail "no page has an example of '$pattern'"
	done <<<"$left_out"
}

# The pages of a folder; README.md stands with those of docs. Each is a test, since one has four minutes.
pages()
{
	(cd "$BENCH_SOURCE" && ls "$1"/*.md)
	[ "$1" != docs ] || echo README.md
}

test_examples_of_the_suites_run_as_they_are_printed()
{
	# shellcheck disable=SC2046 # words
	run_pages 20 $(pages docs/suites)
}

test_examples_of_the_how_to_pages_run_as_they_are_printed()
{
	# shellcheck disable=SC2046 # words
	run_pages 15 $(pages docs/how-to)
}

test_examples_of_the_other_pages_run_as_they_are_printed()
{
	# shellcheck disable=SC2046 # words
	run_pages 20 $(pages docs)
}

test_the_log_of_the_project_is_listed_shown_and_searched()
{
	cp "$BENCH_SOURCE/EXPERIMENTS.md" .
	expect 0 bench log --list EXPERIMENTS.md
	expect 0 bench log --list EXPERIMENTS.md --grep 'tile|cache'
	has_not out '^none$'
	expect 0 bench log --list EXPERIMENTS.md --since 2026-11-01 --until 2026-11-20
	has out '^ *2026-11-20'
	has_not out '^ *2026-11-2[1-9]'
	expect 0 bench log --show EXPERIMENTS.md
	expect 0 bench log 2026-11-20 --show EXPERIMENTS.md
	has out '^## 2026-11-20'
}
