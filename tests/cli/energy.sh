# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Energy and a GPU's counters: the how-to page as it stands, and what a machine without any of them says.

# block N: the n-th block of commands of the page.
block()
{
	awk -v n="$1" '$0 == "```sh" { at++; inside = 1; next } $0 == "```" { inside = 0 } inside && at == n' \
		"$BENCH_SOURCE/docs/how-to/energy.md"
}

# run_block N BUDGET: the commands are the page's, the time is not.
run_block()
{
	block "$1" | sed "s/--budget 60s/--budget $2/" >commands
	[ "$(wc -l <commands)" = 1 ] || fail "block $1: $(cat commands)"
	expect 0 bash -ec "$(cat commands)"
}

# has_energy: is it counted here?
has_energy()
{
	python3 -c 'import json, sys; r = json.load(sys.stdin)["results"]; sys.exit(not any(m["name"] == "energy" for x in r for m in x["metrics"]))' <"$1"
}

test_the_how_to_page_holds()
{
	run_block 1 12s
	bench show last --format json >run.json
	if has_energy run.json; then
		has out ' energy '
		has out ' power'
		has out 'FLOP/J|flop_per_joule'
	else
		has out '^energy: [0-9]+ cases: unsupported: .'
		has out '[0-9]+ cases: [0-9]+ ok'
	fi
	# A program of the device has to be compiled first, next to whatever else this machine does.
	run_block 2 40s
	has out '2 ok'
}

test_what_was_asked_for_is_recorded_and_compared()
{
	expect 0 bench run --suite null --set spin=1000 -k 1 --budget 0.3s --energy
	expect 0 bench run --suite null --set spin=1000 -k 1 --budget 0.3s
	expect 0 bench show last~1 --format json
	python3 -c 'import json, sys; assert json.load(sys.stdin)["host"]["energy"] == "yes"' <out
	bench diff last~1 last >out 2>&1 || true
	has out energy
}

# with_joules RUN JOULES: the run again, as a machine would leave it that counts so many for an iteration.
with_joules()
{
	python3 - "runs/$1" "$2" <<-'END'
		import json, pathlib, sys
		folder, joules = pathlib.Path(sys.argv[1]), float(sys.argv[2])
		lines = []
		for line in (folder / "samples.jsonl").read_text().splitlines():
		    event = json.loads(line)
		    if event["event"] == "end" and event["status"] == "ok":
		        at = {"case": event["case"], "invocation": event["invocation"]}
		        for off in 0.99, 1, 1.01, 1 + 0.001 * event["invocation"]:
		            for metric, unit, better, value in ("energy", "J", "lower", joules), ("power", "W", "none", 200 * joules):
		                lines.append(json.dumps({"event": "sample", **at, "metric": metric, "value": value * off,
		                                         "iterations": 4, "at": 1.0, "unit": unit, "better": better}))
		    lines.append(line)
		(folder / "samples.jsonl").write_text("\n".join(lines) + "\n")
		(folder / "metrics.json").unlink()
	END
	expect 0 bench ingest "runs/$1"
}

test_energy_is_judged_unless_it_is_ignored()
{
	local id
	for id in 20260101-000000 20260102-000000; do
		expect 0 bench run --suite null --set spin=1000 -k 8 --budget 60s --precision 50% --watch no --no-store --id $id
	done
	with_joules 20260101-000000 0.5
	with_joules 20260102-000000 0.75
	bench compare 20260102-000000 --baseline 20260101-000000 --format json --all >judged.json || true
	python3 - <<-'END'
		import json
		verdicts = {v["metric"]: v for v in json.load(open("judged.json"))["verdicts"]}
		assert "power" not in verdicts, verdicts
		assert verdicts["energy"]["verdict"] == "slower", verdicts["energy"]
		assert 1.45 < verdicts["energy"]["ratio"] < 1.55
	END
	has judged.json '"metric":.*"energy"'
	echo '{"ignore": ["*/energy"]}' >.bench.json
	bench compare 20260102-000000 --baseline 20260101-000000 --format json --all >ignored.json || true
	has_not ignored.json '"metric":.*"energy"'
	has ignored.json '"metric":.*"time"'
}

test_cold_caches_have_no_energy()
{
	expect 0 bench run --suite null --set spin=1000 -k 1 --budget 0.5s --energy --cache cold
	has out '^energy: 1 case: unsupported: with --cache cold'
}

test_a_gate_with_energy_compares_with_a_history()
{
	expect 7 bench gate --suite null --set spin=1000 -k 2 --budget 2s --energy
	has_not out anchor
}
