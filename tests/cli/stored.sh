# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What earlier programs left behind opens, compares and renders as it did then, byte for byte: run folders and a
# database of real runs in tests/golden/stored (its README.md says which), and in stored/expected what the program of that
# time printed. Of verdicts in JSON and CSV the last digits are left out: they come from the C library's logarithms, which
# differ between processors. gnuplot's pictures differ between its versions: its scripts are compared.
#
# Where the output is meant to change, and only then: STORED_REFRESH=1 tests/cli/run tests/cli/stored.sh

golden=$BENCH_SOURCE/tests/golden/stored
export TZ=UTC

# The runs of the fixture, oldest first; the one of a gate that found slower kernels, and a killed one.
gate=20261123-012308 next=20261123-012315 duel=20261123-012320 killed=20261123-012343

unpack()
{
	local program
	program=$(readlink -f "$(command -v bench)")
	tar -xzf "$golden/history.tar.gz"
	mkdir bin
	ln -s "$program" bin/bench
	# Stands in for gnuplot: the picture is the script.
	printf '#!/bin/sh\nexec cat\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH
	# The database is of an earlier version: the first command that writes brings it to this one.
	bench ingest runs/$gate 2>ingested
}

# did COMMAND...: adds it, its exit status and what it printed to the file transcript.
did()
{
	local status=0
	"$@" >stdout 2>stderr || status=$?
	{
		printf '\n$ %s\n' "$*"
		cat stdout
		sed 's/^/stderr: /' stderr
		[ $status = 0 ] || printf 'status: %d\n' $status
	} >>transcript
}

# rounded: numbers to 10 digits.
rounded()
{
	python3 -c 'import re, sys
sys.stdout.write(re.sub(r"-?\d+\.\d{8,}(e[-+]?\d+)?", lambda n: "%.10g" % float(n[0]), sys.stdin.read()))'
}

# as_before NAME: the transcript is expected/NAME.
as_before()
{
	if [ -n "${STORED_REFRESH-}" ]; then
		mkdir -p "$golden/expected"
		cp transcript "$golden/expected/$1"
	fi
	diff -a "$golden/expected/$1" transcript >&2 || fail "not what it was before: $1"
}

every_run()
{
	bench list runs --format csv | tail -n +2 | cut -d, -f1 | tr -d '"'
}

test_stored_runs_show_as_before()
{
	local run format
	unpack
	for run in $(every_run) "runs/$killed"; do
		did bench show "$run"
	done
	for format in csv markdown; do
		for run in 20261123-012258 $duel last~1 "runs/$killed"; do
			did bench show "$run" --format $format
		done
	done
	did bench show $gate --repeat
	did bench show "$gate" --baseline main
	did bench show "$gate" --baseline main --format markdown
	did bench show last~99
	as_before show
}

# measured FILE: a metrics.json without medians and intervals of what is derived. Earlier programs took the median of
# the rates, this one takes the rate of the median time.
measured()
{
	python3 -c 'import json, sys
def pick(pairs):
    derived = any(k == "derived_from" and v for k, v in pairs)
    return [p for p in pairs if not (derived and p[0] in ("median", "ci"))]
print(json.dumps(json.load(open(sys.argv[1]), object_pairs_hook=pick), indent=1))' "$1"
}

test_stored_runs_give_back_their_files()
{
	local file run
	unpack
	for file in runs/*/metrics.json; do
		run=$(basename "$(dirname "$file")")
		bench show "$run" --format json >of_database
		cmp <(measured "$file") <(measured of_database)
		bench show "runs/$run" --format json >of_folder
		cmp of_database of_folder
		# A copy without its metrics.json is read from its samples.
		cp -r "runs/$run" copy
		rm copy/metrics.json
		bench show copy --format json >of_samples
		cmp of_database of_samples
		rm -r copy
	done
}

test_stored_runs_compare_as_before()
{
	local format
	unpack
	for format in table json csv markdown junit github; do
		did bench compare $gate --baseline main --format $format
		did bench compare $next --baseline $gate --threshold 20% --alpha 0.05 --format $format
	done
	did bench compare $gate --baseline rolling:2
	did bench compare $next --baseline rolling:9 --strict
	did bench compare $next
	did bench compare $next --baseline reference --format github --strict
	did bench compare runs/$gate --baseline 'last~3'
	did bench compare last --baseline main
	did bench compare $duel --baseline main
	did bench compare $gate --baseline none
	rounded <transcript >out
	mv out transcript
	as_before compare
}

test_stored_history_lists_as_before()
{
	local format
	unpack
	did bench list runs
	for format in table json csv markdown; do
		did bench list runs --limit 3 --format $format
		did bench baseline list --format $format
		did bench baseline show main --format $format
		did bench baseline accepted --format $format
		did bench history 'gemm/openblas:*n=32*/time' --format $format
	done
	did bench list metrics 'spmv/*n=1000*'
	did bench list metrics '*/relative_time' --format json
	did bench history 'spmv/opencl*n=1000*'
	as_before lists
}

test_stored_runs_are_logged_as_before()
{
	unpack
	did bench log $gate --baseline main --note 'Kept: it was *right*.'
	did bench log $duel
	did bench log last
	did bench log $gate --append EXPERIMENTS.md
	did bench log $next --note 'After it.' --append EXPERIMENTS.md
	did bench log $gate --rewrite EXPERIMENTS.md --result 'Kept, too.'
	did bench log $next $gate --rewrite EXPERIMENTS.md --baseline main
	did bench log $gate --rewrite EXPERIMENTS.md
	did bench log --list EXPERIMENTS.md
	did cat EXPERIMENTS.md
	as_before log
}

test_stored_runs_are_drawn_as_before()
{
	unpack
	did bench plot trend --metric 'gemm/*n=32*/time'
	did bench plot trend -o rate.svg --metric 'gemm/*n=64*/flop_rate'
	did bench plot scaling $gate -o scaling.svg
	did bench plot scaling 20261123-012259 --suite spmv --over n -o spmv.svg
	did bench plot roofline $next -o roofline.svg
	did bench plot heatmap 20261123-012259 --over n,per_row -o heatmap.svg
	did bench plot distribution $gate --metric 'gemm/openblas:*n=32*/time'
	did bench plot compare $gate --baseline main
	did cat {trend,rate,scaling,spmv,roofline,heatmap,distribution,compare}.svg
	as_before plot
}

test_stored_folders_can_be_taken_into_a_new_database()
{
	local run
	unpack
	expect 0 bench ingest runs/* --db new.db
	expect 0 bench ingest runs/* --db new.db
	for run in $(cd runs && echo *); do
		bench show "$run" --db new.db --format json >new
		bench show "runs/$run" --format json >old
		cmp old new
		[ "$run" = $killed ] || bench show "$run" >old
		bench show "$run" --db new.db >new
		[ "$run" = $killed ] || cmp old new
	done
}

# rows TABLE..: of results.db.
rows()
{
	python3 - "$@" <<-'PYTHON'
		import sqlite3, sys
		database = sqlite3.connect("results.db")
		for table in sys.argv[1:]:
		    print(table, *database.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3"), sep="\n")
	PYTHON
}

test_stored_verdicts_and_tunings_are_kept()
{
	unpack
	did rows verdict tuning accepted
	bench compare $gate --baseline main >out || true
	bench compare $next --baseline rolling:2 >out || true
	did rows verdict
	expect 0 bench baseline set other $next
	expect 0 bench baseline unaccept 'gemm/openblas:*m=32*'
	did rows tuning accepted
	rounded <transcript >out
	mv out transcript
	as_before rows
}

test_stored_databases_of_every_version_migrate_and_are_whole()
{
	local dump version newest
	newest=$(printf '%s\n' "$BENCH_SOURCE"/schema/migrate-*.sql | sed 's/.*-//; s/\.sql//' | sort -n | tail -n 1)
	for dump in "$golden"/schema-*.sql; do
		version=${dump##*-}
		version=${version%.sql}
		rm -f old.db*
		python3 -c 'import sqlite3, sys; sqlite3.connect("old.db").executescript(open(sys.argv[1]).read())' "$dump"
		expect 0 bench db check --db old.db
		if [ "$version" != "$newest" ]; then
			expect 5 bench list runs --db old.db
			has err "version $version and has to become $newest"
		fi
		expect 0 bench baseline set other last --db old.db
		[ "$version" = "$newest" ] || has err "was version $version and is $newest .* is kept in 'old.db.before-schema-"
		expect 0 bench db check --db old.db
		[ "$version" = "$newest" ] || expect 0 bench db check --db old.db.before-schema-*
		bench show last --db old.db --format json >shown
		[ "$version" = 1 ] || cmp shown first
		cp shown first
		expect 0 bench baseline list --db old.db
		has out main
		[ "$version" = 1 ] || { expect 0 bench baseline accepted --db old.db && has out 'spins twice'; }
		[ "$version" -lt 7 ] || { expect 0 bench report --db old.db && grep -q '2 invocations a side cannot show' report/comparisons/* && grep -q "@us/timers" report/comparisons/*; }
		[ "$version" -lt 4 ] || { expect 0 bench alarms --db old.db && has out 'preset=nightly'; }
	done
}
