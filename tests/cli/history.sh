# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which runs others are compared with: rolling windows, runs that are set aside, accepted shifts. One short run
# is measured; the history is made of copies of it.

# measured: the run that the others are copies of.
measured()
{
	bench run --suite null --set spin=0,1000 -k 1 --budget 0.1s --watch no --no-store --runs-dir one >/dev/null 2>&1
}

# copy ID STARTED [CHANGE]: takes in a copy, on which the Python statement CHANGE has been done; `r` is its
# member run, `j` the whole.
copy()
{
	python3 - "$1" "$2" "${3-pass}" <<-'PYTHON'
		import glob, json, os, sys
		j = json.load(open(glob.glob("one/*/metrics.json")[0]))
		r = j["run"]
		r["id"], r["started"], r["finished"] = sys.argv[1], int(sys.argv[2]), int(sys.argv[2]) + 5
		exec(sys.argv[3])
		os.makedirs("runs/" + sys.argv[1])
		json.dump(j, open("runs/" + sys.argv[1] + "/metrics.json", "w"))
	PYTHON
	bench ingest "runs/$1" 2>/dev/null
}

# compared_with ID.. : the last comparison (in out) was with these runs.
compared_with()
{
	local runs
	runs=$(json out '" ".join(j["baseline"]["runs"])')
	[ "$runs" = "$*" ] || fail "compared with $runs, not with $*"
}

test_rolling_takes_runs_that_were_asked_for_the_same()
{
	measured
	copy a 1000
	copy b 2000 'r["selection"]["sets"] = ["spin=0"]'
	copy c 3000 'r["selection"]["filter"] = "spin=0"'
	copy d 4000 'r["selection"]["backends"] = "host"'
	copy e 5000 'r["selection"]["suites"] = ["null", "gemm"]'
	copy f 6000 'r["preset"] = "full"'
	copy g 7000 'j["host"]["fingerprint"] = "of another host"'
	copy h 8000 'r["finished"] = None'
	copy i 8500 'r["interrupted"] = True'
	copy z 9000
	expect 0 bench compare z --baseline rolling:9 --format json
	compared_with a
	expect 0 bench compare z --format json
	compared_with a
	expect 3 bench compare b
	has err "no finished run before b .*the same --set, --filter and --backend"
}

test_order_of_sets_and_suites_does_not_matter()
{
	measured
	copy a 1000 'r["selection"].update(sets=["spin=0", "x=1"], suites=["null", "gemm"])'
	copy b 2000 'r["selection"].update(sets=["x=1", "spin=0"], suites=["gemm", "null"])'
	expect 0 bench compare b --format json
	compared_with a
}

# run_of FACTOR EXECUTABLE: the Python statement that makes a copy eight invocations, at a level of its own.
run_of()
{
	cat <<-PYTHON
		j["host"]["executable"] = "$2"
		for m in [m for x in j["results"] for m in x["metrics"]]:
		    v = m["samples"][0]["values"][0] * $1
		    m["samples"] = [{"invocation": i, "values": [v * (1 + 1e-4 * i)]} for i in range(8)]
	PYTHON
}

# levels EXECUTABLE.. : six runs of these executables in turns, whose levels differ, and two more, 9% apart.
levels()
{
	local factor i=0 executables=("$@")
	rm -rf runs
	forget_history
	for factor in 0.97 1.03 1 1.05 0.96 1.02 1; do
		copy "run$i" "$((1000 + i))" "$(run_of "$factor" "${executables[i % $#]}")"
		i=$((i + 1))
	done
	copy last 2000 "$(run_of 1.15 new)"
}

test_one_run_is_compared_with_what_earlier_runs_teach()
{
	measured
	levels same
	expect 0 bench compare last --format json
	compared_with run6
	[ "$(json out '{v["learned_runs"] for v in j["verdicts"]}')" = "{7}" ] || fail "not learned from seven runs"
	[ "$(json out 'min(v["threshold"] for v in j["verdicts"]) > 0.1')" = True ] || fail "no threshold was learned"
	expect 0 bench compare last --explain
	has out '^7 earlier runs showed how far runs differ, and the intervals allow for it$'
	# What each executable was measured once for may have been its code; and what nobody knows teaches nothing.
	levels a b c d e f g
	expect 0 bench compare last --format json
	[ "$(json out '{v["learned_runs"] for v in j["verdicts"]}')" = "{0}" ] || fail "learned from other code"
	levels ''
	expect 0 bench compare last --explain
	has_not out 'showed how far runs differ'
}

test_runs_set_aside_are_no_history()
{
	measured
	copy a 1000
	copy b 2000 'r["labels"]["aside"] = "slowdown 5%"'
	copy c 3000
	copy d 4000 'r["labels"]["aside"] = "confirms c"'
	# Nor is the default, nor last; what is named by its id is.
	expect 0 bench compare c --baseline rolling:5 --format json
	compared_with a
	expect 0 bench compare --format json
	[ "$(json out 'j["candidate"]')" = c ] || fail "last is not c"
	compared_with a
	expect 0 bench show last~1 --format json
	[ "$(json out 'j["run"]["id"]')" = a ] || fail "last~1 is not a"
	expect 0 bench compare d --format json
	compared_with c
	expect 0 bench compare c --baseline d --format json
	compared_with d
	expect 0 bench list runs
	has out '^ *d .* aside: confirms c'
	has out '^ *b .* aside: slowdown 5%'
	has_not out '^ *c .* aside'
	expect 0 bench history
	has out ' a '
	has_not out ' [bd] '
	expect 0 bench baseline set odd d
	has err 'warning: run d was set aside: confirms c'
}

test_label_sets_a_run_aside()
{
	expect 0 bench run --suite null --set spin=0 -k 1 --budget 0.1s
	expect 0 bench run --suite null --set spin=0 -k 1 --budget 0.1s --label aside=power
	expect 0 bench list runs --format json
	[ "$(json out '[r["note"] for r in j]')" = "['aside: power', '']" ] || fail "$(cat out)"
	expect 3 bench compare
	has err 'nothing to compare with'
}

test_run_without_a_result_is_no_baseline()
{
	measured
	copy a 1000 'j["results"] = [dict(x, status="failed", reason="lost", metrics=[]) for x in j["results"]]'
	copy b 2000 'r["interrupted"] = True'
	expect 3 bench baseline set bad b a
	has err 'run a has no case that is ok'
	expect 0 bench baseline list
	has_not out bad
	expect 0 bench baseline set short b
	has err 'warning: run b was cut short'
	copy c 3000 'r["finished"] = None'
	expect 3 bench baseline set part c
	has err 'an incomplete run cannot be a baseline'
}

test_shift_is_accepted_listed_and_taken_back()
{
	measured
	copy a 1000
	copy b 2000
	copy c 3000 'r["labels"]["aside"] = "confirms b"'
	expect 0 bench baseline accept '*spin=0/time' --why 'spins twice'
	has err 'accepted the new level of 1 metric: baselines for it start with run b'
	expect 0 bench baseline accept 'null/*' --why 'all new' --since last~1 --all-hosts
	expect 0 bench baseline accepted --format json
	[ "$(json out '[(r["metric"], r["since"], r["why"], r["host"] == "all") for r in j]')" = \
		"[('null/*', 'a', 'all new', True), ('*spin=0/time', 'b', 'spins twice', False)]" ] || fail "$(cat out)"
	expect 0 bench history '*/time'
	has out '^null/host:cpu/spin=0/time$'
	has out '^    accepted: spins twice$'
	has out '^    accepted: all new$'
	has_not out 'spin=1000/time .* b .*accepted'
	expect 0 bench history '*spin=0/time' --format csv
	has out '"accepted: spins twice",'
	expect 0 bench baseline unaccept 'null/*'
	expect 0 bench baseline unaccept '*spin=0/time' --since b
	expect 0 bench baseline accepted
	has_not out spin
	expect 0 bench history
	has_not out accepted
}

# night ID STARTED FACTOR: ten invocations, FACTOR ms each but for a thousandth.
night()
{
	copy "$1" "$2" "$(
		cat <<-PYTHON
			for m in (m for x in j["results"] for m in x["metrics"] if not m["derived_from"]):
			    m["samples"] = [dict(invocation=i, values=[1e-3 * $3 * (1 + i % 4 * 1e-3)] * 5) for i in range(10)]
			r["invocations"] = 10
		PYTHON
	)"
}

# verdicts: how often each was given, in the last comparison (in out).
verdicts()
{
	json out '{k: n for k, n in j["counts"].items() if n}'
}

test_accepted_shift_is_no_alarm_again()
{
	measured
	night a 1000 1
	night b 2000 3
	expect 1 bench compare b --baseline rolling:5 --threshold 50% --format json
	[ "$(verdicts)" = "{'slower': 2}" ] || fail "$(verdicts)"
	expect 0 bench baseline accept '*spin=0/time' --why 'spins more' --since b
	night c 3000 3
	night d 4000 60
	# The one is compared with b alone, the other with a: b was its first night. What comes after is seen in both.
	expect 1 bench compare c --baseline rolling:2 --threshold 50% --format json
	[ "$(json out '[v["verdict"] for v in j["verdicts"] if "spin=0/" in v["key"]]')" = "['same']" ] ||
		fail "$(cat out)"
	expect 1 bench compare c --baseline a --threshold 50% --format json
	[ "$(verdicts)" = "{'slower': 1, 'new': 1}" ] || fail "$(verdicts)"
	expect 1 bench compare d --baseline rolling:2 --threshold 50% --format json
	[ "$(verdicts)" = "{'slower': 2}" ] || fail "$(verdicts)"
	expect 0 bench baseline unaccept '*spin=0/time'
	expect 1 bench compare c --baseline a --threshold 50% --format json
	[ "$(verdicts)" = "{'slower': 2}" ] || fail "$(verdicts)"
}

test_what_was_removed_on_purpose_is_missed_once()
{
	measured
	local gone="j['results'] = j['results'][:1]"
	night a 1000 1
	night b 2000 1
	copy c 3000 "$gone"
	expect 4 bench compare c --baseline rolling:2
	has out '^ *missing +null 1000 '
	copy d 4000 "$gone"
	# It is the case that is gone: the other is there, and its shift is another matter.
	expect 0 bench baseline accept '*spin=1000/*' --why 'nobody spins so long'
	has err 'accepted that [0-9]+ metrics are gone since run c$'
	expect 0 bench baseline accepted
	has out 'spin=1000/\* +c +nobody spins so long .* removal$'
	copy e 5000 "$gone"
	for run in c d e; do
		expect 0 bench compare $run --baseline a
		has out '^removed: 1 accepted'
		has_not out missing
	done
	expect 0 bench compare e --baseline a --format json
	[ "$(json out 'j["removed"], j["counts"]["missing"]')" = "(1, 0)" ] || fail "$(cat out)"
	# It comes back, and is missed anew.
	night f 6000 1
	expect 0 bench compare f --baseline a
	has out 'it is back: its removal was accepted'
	copy g 7000 "$gone"
	expect 4 bench compare g --baseline rolling:5
	expect 0 bench baseline unaccept '*spin=1000/*'
	expect 4 bench compare d --baseline a
}

test_a_removal_is_accepted_from_the_run_that_is_named()
{
	measured
	local gone="j['results'] = j['results'][:1]"
	night a 1000 1
	copy b 2000 "$gone"
	copy c 3000 "$gone; r['interrupted'] = True"
	copy d 4000 "$gone"
	expect 3 bench baseline accept '*spin=1000/*' --since c --why 'cut short'
	has err 'run c has no metric that matches'
	expect 0 bench baseline accept '*spin=1000/*' --since d --why 'only now'
	has err 'accepted that [0-9]+ metrics? (is|are) gone since run d$'
	expect 4 bench compare b --baseline a
	expect 0 bench compare d --baseline a
}

test_shift_that_cannot_be_accepted_is_refused_by_name()
{
	measured
	expect 3 bench baseline accept '*' --why x
	has err 'no history yet'
	copy a 1000 'j["host"]["fingerprint"] = "of another host"'
	expect 2 bench baseline accept '*'
	has err '--why'
	expect 2 bench baseline accept '*' --since a --why ' '
	expect 2 bench baseline accept --why x
	expect 2 bench baseline accept '*' '*' --why x
	expect 2 bench baseline acept '*' --why x
	has err "'accept'"
	expect 2 bench baseline set x a --why x
	has err 'no --why'
	expect 3 bench baseline accept 'null/host:cpu/spin=0/tme' --why x
	has err "nearest is 'null/host:cpu/spin=0/time'"
	expect 3 bench baseline accept '*' --why x
	has err 'no run of this host'
	expect 2 bench baseline accept '*' --why x --since b
	has err "no run 'b'"
	expect 0 bench baseline accept '*' --why x --since a
	expect 2 bench baseline unaccept '**'
	has err "'\*'"
	expect 2 bench baseline unaccept '*' --since b
}

# A level of twelve nights, and one of eight that is 10% slower: the time, and the rate that follows from it.
test_a_step_is_found_where_it_is()
{
	local night
	measured
	for night in $(seq 10 29); do
		copy "n$night" $((night * 86400)) "for result in j['results']:
 slow = 1.1 if $night >= 22 and result['case']['spin'] == '1000' else 1
 for metric in result['metrics']:
  for series in metric['samples']:
   series['values'] = [1e-6 * slow * (1 + 0.004 * ($night * 7 % 5 - 2))] * len(series['values'])"
	done
	expect 0 bench history --changepoints
	[ "$(grep -c '^ *null/' out)" = 1 ] || fail "$(cat out)"
	has out '^ *null/host:cpu/spin=1000/time$'
	has out '^ *n22 .* [+](9|10)[.][0-9]% '
	expect 0 bench history 'null/*' --changepoints --format csv
	has out '^metric,started,run,commits,before,after,ratio,lo,hi,together,cause,why,unit'
	has out '"null/host:cpu/spin=1000/item_rate",.*"n22"'
	has out '"machine","the same executable","s"$'
	expect 0 bench history --changepoints --threshold 20%
	has err 'no change of 20% or more in 40 values'
	expect 2 bench history --changepoints --threshold 2000%
}
