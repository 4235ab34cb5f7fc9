# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Texts from outside (names, labels, branches, commands) reach a terminal, a log of CI and a spreadsheet as text.

# hostile_run: a run whose texts try to be more than that.
hostile_run()
{
	expect 0 bench run --suite null -k 1 --budget 0.1s --no-store
	mv runs/* run
	rm -r runs
	python3 - run/metrics.json <<-'END'
		import json, sys
		evil = "\n::error title=x::injected\r\n  ::set-output name=a::b\n##[error]c \x1b]0;title\x07 \x9b2J \u202e \x7f"
		with open(sys.argv[1]) as file: run = json.load(file)
		for name in run["host"]:
		    if name not in ("fingerprint", "threads"): run["host"][name] = evil
		run["run"]["id"] = "20200101-000000"
		run["run"]["command"] = evil
		run["run"]["labels"] = {"note": evil}
		run["git"] = {"commit": "\n::error::y\x1b[2J\r##[error]z", "branch": evil, "dirty": True, "dirty_files": [evil, evil]}
		result = run["results"][0]
		result.update(status="failed", reason=evil, metrics=[])
		with open(sys.argv[1], "w") as file: json.dump(run, file)
	END
}

# harmless FILE..: no control byte (the end of a line in a field of CSV may be CR LF), and nothing that a CI runner would take for a command.
harmless()
{
	local file
	for file; do
		! sed 's/\r$//' "$file" | LC_ALL=C grep -aPq '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' || fail "control bytes in $file: $(cat -v "$file")"
		! grep -aPq '^\s*::|##\[' "$file" || fail "a command in $file: $(cat -v "$file")"
	done
}

test_no_format_hands_on_what_is_no_text()
{
	local format
	hostile_run
	for format in table csv json markdown; do
		expect 0 bench show run --format "$format"
		grep -q injected out || fail "$format does not show it at all"
		harmless out err
	done
	bench compare run --baseline run --format junit >out 2>err || true
	harmless out err
	expect 0 bench log run
	harmless out err
	expect 0 bench log run --append log.md
	harmless log.md
	# By value, JSON is the same.
	expect 0 bench show run --format json
	[ "$(json out 'j["run"]["command"] == json.load(open("run/metrics.json"))["run"]["command"]')" = True ] ||
		fail "JSON has another value"
	bench ingest run >out 2>err || true
	bench list runs >out 2>>err || true
	bench list runs --format csv >>out 2>>err || true
	bench history >>out 2>>err || true
	harmless out err
}

test_no_message_hands_on_what_is_no_text()
{
	local evil=$'x\n::error::y\e]0;t\a\x9b\r##[error]z'
	for arguments in "show" "run --suite" "run --filter" "run --set" "compare --baseline" "log --append" "plot" "run --backend" \
		"list" "ingest" "db check --db" "db backup" "changepoints" "run --budget" "history" "baseline show" "run --resume"; do
		# shellcheck disable=SC2086 # two words
		bench $arguments "$evil" >out 2>err </dev/null || true
		harmless out err
		[ "$(grep -vc '^bench: ' err)" = 0 ] || fail "a line of $arguments is not ours: $(cat -v err)"
	done
	expect 2 bench "$evil"
	harmless out err
}

test_names_that_were_imported_go_out_as_text()
{
	local form
	python3 - <<-'END'
		import json
		names = ["##[error]x", "::warning::y", "a\u202eb", "c\u2066d", "tab\tand", "esc\x1b[2J"]
		entries = [{"name": name, "run_name": name, "run_type": "iteration", "iterations": 10, "real_time": 1.0 + i,
		            "cpu_time": 1.0, "time_unit": "ns"} for i, name in enumerate(names)]
		with open("evil.json", "w") as file:
		    json.dump({"context": {"date": "2026-11-20T23:15:03+01:00", "host_name": "::error::h\u202e"}, "benchmarks": entries}, file)
	END
	bench import evil.json >out 2>err || true
	harmless out err
	for form in gbench go bmf csv openmetrics junit; do
		bench export last --to $form >out 2>err || true
		harmless out err
	done
	for form in table csv json markdown; do
		expect 0 bench show last --format $form
		harmless out err
		expect 0 bench history --format $form
		harmless out err
		expect 0 bench list metrics --format $form
		harmless out err
	done
}
