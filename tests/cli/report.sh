# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench report: the folder, and what becomes of the one that is there. What stands on the pages: unit.report_html.

# nights COUNT: a history of copies of one short run, a day apart; from the fourth on 30% slower.
nights()
{
	bench run --suite null --set spin=0,1000 -k 1 --budget 0.1s --watch no --no-store --runs-dir one >/dev/null 2>&1
	python3 - "$1" <<-'PYTHON'
		import copy, glob, json, os, sys
		one = json.load(open(glob.glob("one/*/metrics.json")[0]))
		for night in range(int(sys.argv[1])):
		    j = copy.deepcopy(one)
		    r = j["run"]
		    r["id"], r["started"] = "night-%02d" % night, 1700000000 + 86400 * night
		    r["finished"] = r["started"] + 5
		    for m in [m for x in j["results"] for m in x["metrics"]]:
		        v = m["samples"][0]["values"][0] * (1.3 if night > 3 else 1)
		        m["samples"] = [{"invocation": i, "values": [v * (1 + 1e-4 * i)]} for i in range(8)]
		    os.makedirs("runs/" + r["id"])
		    json.dump(j, open("runs/" + r["id"] + "/metrics.json", "w"))
	PYTHON
	bench ingest runs/* 2>/dev/null
}

# whole FOLDER: all pages are there and complete, and all their links lead to files.
whole()
{
	python3 - "$1" <<-'PYTHON'
		import os, re, sys
		top = sys.argv[1]
		pages = [os.path.join(f, n) for f, _, names in os.walk(top) for n in names if n.endswith(".html")]
		assert os.path.join(top, "index.html") in pages, pages
		for page in pages:
		    text = open(page).read()
		    assert text.endswith("</html>\n"), page
		    for link in re.findall('(?:href|src)="([^"#]*)', text):
		        assert os.path.isfile(os.path.join(os.path.dirname(page), link)), (page, link)
	PYTHON
	[ -s "$1/assets/report.css" ] || fail "$1: no style sheet"
	[ -s "$1/assets/report.js" ] || fail "$1: no script"
}

# alone: nothing but the report was left in the folder.
alone()
{
	[ -z "$(find . -name '.?*.bench-*')" ] || fail "left: $(find . -name '.?*.bench-*')"
}

test_a_history_becomes_pages()
{
	nights 8
	expect 0 bench report
	has err 'wrote [0-9]+ files.*open report/index.html'
	whole report
	alone
	# The step is what moved, for the worse, at its run.
	has report/index.html '<tr class="row slower">.*[+]30[.]0%.*2023-11-1[89]'
	has report/runs/night-04.html 'Levels that began with this run'
	[ "$(find report/runs -name '*.html' | wc -l)" = 8 ]
	# Nothing was judged yet: the report did it, and kept nothing.
	has report/index.html '<strong>[12]</strong> slower'
	cp results.db nightly.db
	expect 0 bench report --out public --db nightly.db --threshold 3%
	whole public
	expect 0 bench report --runs 2
	[ "$(find report/runs -name '*.html' | wc -l)" = 2 ]
	whole report
}

test_a_report_is_limited_to_a_period()
{
	nights 6
	bench compare night-05 --baseline night-00 >/dev/null 2>&1 || true
	expect 0 bench report --since night-02 --until night-04
	whole report
	has report/index.html '3 runs from 2023-11-16'
	[ "$(find report/runs -name '*.html' | wc -l)" = 3 ]
	[ ! -e report/comparisons/night-05.night-00.html ]
}

test_kept_verdicts_are_shown()
{
	nights 6
	bench compare night-05 --baseline night-00 >/dev/null 2>&1 || true
	expect 0 bench report --out a/b/
	whole a/b
	[ -f a/b/comparisons/night-05.night-00.html ] || fail "$(ls a/b/comparisons)"
	has a/b/runs/night-05.html 'comparisons/night-05.night-00.html'
}

test_only_a_report_is_replaced()
{
	nights 3
	expect 0 bench report
	echo mine >report/metrics/mine.txt
	expect 2 bench report
	has err "'metrics/mine.txt'.*not part of a report"
	has report/metrics/mine.txt mine
	rm report/metrics/mine.txt
	echo mine >report/CNAME
	expect 2 bench report
	has report/CNAME mine
	whole report
	rm report/CNAME
	# A report that links lead to is replaced where it is; what a link in it leads to stays.
	mkdir elsewhere && echo mine >elsewhere/x.html
	mv report real && ln -s real report
	ln -s "$PWD/elsewhere" real/metrics/link.html
	expect 0 bench report
	has elsewhere/x.html mine
	[ -L report ] && [ ! -e real/metrics/link.html ]
	whole real
	alone
	# An empty folder is free.
	mkdir empty
	expect 0 bench report -o empty
	whole empty
}

test_a_report_that_fails_leaves_the_old_one()
{
	nights 150
	expect 0 bench report
	cp -r report before
	mv results.db away
	head -c 5000 /dev/urandom >results.db
	expect 5 bench report
	diff -r before report
	alone
	mv away results.db
	# No room for a page; what SQLite writes is smaller.
	(ulimit -f 40 && expect 5 bench report)
	has err 'cannot write .*report.: File too large'
	diff -r before report
	alone
	[ "$(id -u)" != 0 ] || return 0
	chmod a-w .
	status=0
	bench report 2>/dev/null || status=$?
	chmod u+w .
	[ $status = 5 ]
	diff -r before report
}

test_a_report_that_is_killed_leaves_the_old_one_and_the_next_sweeps()
{
	local delay
	nights 6
	expect 0 bench report
	for delay in 0.002 0.01 0.02 0.03 0.05 0.08; do
		{ timeout -s KILL $delay bench report || true; } >/dev/null 2>&1
		whole report
	done
	mkdir .report.bench-Empty1 .report.bench-Killed
	touch .report.bench-Killed/bench-report.txt
	expect 0 bench report
	whole report
	alone
}

test_texts_of_runs_are_no_html()
{
	nights 3
	python3 - <<-'PYTHON'
		import json
		evil = "</title><script>alert(1)</script>\"' onload=x \u202e"
		j = json.load(open("runs/night-02/metrics.json"))
		r = j["run"]
		r["id"], r["started"], r["finished"] = "night-03", r["started"] + 9, r["finished"] + 9
		r["command"] = evil
		r["labels"] = {"note": evil}
		j["git"] = {"commit": evil, "branch": evil, "dirty": True, "dirty_files": [evil]}
		for name in j["host"]:
		    if name not in ("fingerprint", "threads"): j["host"][name] = evil
		j["results"][0].update(status="failed", reason=evil, metrics=[])
		import os
		os.makedirs("runs/night-03")
		json.dump(j, open("runs/night-03/metrics.json", "w"))
	PYTHON
	bench ingest runs/night-03 2>/dev/null
	expect 0 bench report
	whole report
	has report/runs/night-03.html '&lt;script&gt;alert'
	! grep -rlE '<script>|"'"'"' onload|'$'\u202e' report --include=*.html >&2 || fail "a text is HTML"
}

test_what_cannot_be_compared_is_said()
{
	nights 3
	sed -i 's/"threads": *"[0-9]*"/"threads": "7"/' runs/night-02/metrics.json
	rm results.db*
	bench ingest runs/* 2>/dev/null
	expect 0 bench report
	has err 'run night-02 has no verdicts: .*threads'
	has_not report/index.html 'class="tile '
	whole report
	expect 0 bench report --allow-env-change
	has_not err 'no verdicts'
	has report/index.html '<strong>[1-9][0-9]*</strong> (same|unclear)'
}

test_runs_that_are_aside_are_listed_and_no_more()
{
	nights 2
	expect 0 bench runs aside night-00 'it was slowed'
	expect 0 bench runs aside night-01 'it was slowed'
	expect 0 bench report
	has report/index.html ' 0 metrics'
	has report/runs.html 'aside'
	whole report
}
