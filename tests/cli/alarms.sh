# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Alarms: what became slower stays red until it has recovered or is accepted. Times of the null suite are compared with
# a history that is a hundred times faster, which no noise undoes.

case=(--suite null --preset nightly --set spin=1000 -k 6 --budget 20s --precision 50% --watch no)
night=(bench gate "${case[@]}" --threshold 900% --baseline rolling:2)

# Two nights of last week, with the times of one run by FACTOR: 0.001 where a slowdown shall be beyond doubt, which
# begins at 45 times, also on a machine that runs at a third of its speed tonight.
last_week()
{
	expect 0 bench run "${case[@]}"
	python3 - "$1" <<-'END'
		import glob, json, os, sys
		run = json.load(open(glob.glob("runs/*/metrics.json")[0]))
		for result in run["results"]:
		    for metric in result["metrics"]:
		        for series in metric["samples"]:
		            series["values"] = [value * float(sys.argv[1]) for value in series["values"]]
		for day in "12":
		    start = 1767225600 + 86400 * int(day)
		    run["run"].update(id="2026010%s-000000" % day, started=start, finished=start + 60)
		    os.makedirs("week/" + day)
		    json.dump(run, open("week/%s/metrics.json" % day, "w"))
	END
	rm -rf runs
	forget_history
	expect 0 bench ingest week/1 week/2
}

# Every run and alarm so far is a day older.
a_day_passes()
{
	python3 - <<-'END'
		import re, sqlite3
		history = sqlite3.connect("results.db")
		def older(match):
		    return match[1] + str(int(match[2]) - 86400)
		for run, head in history.execute("select run, head from run").fetchall():
		    history.execute("update run set head = ?, started = started - 86400, finished = finished - 86400 where run = ?",
		                    (re.sub(r'("(?:started|finished)":\s*)(\d+)', older, head), run))
		history.execute("update alarm set since = since - 86400")
		history.execute("update alarm_metric set closed = closed - 86400")
		history.commit()
	END
	sleep 1 # runs are told apart by their second
}

test_an_alarm_stays_red_until_it_is_accepted()
{
	local key='null/host:cpu/spin=1000/time'
	last_week 0.001
	expect 0 bench alarms
	has out '^no alarm is open$'
	expect 1 "${night[@]}"
	has out '^ *slower '
	has out '^ *alarm 1, new$'
	has out '^new alarm 1: 1 metric, 1 night, \+'
	has err '^gate: FAIL: 1 slower; 1 new alarm \(1 metric\) \(baseline rolling:2, 2 runs; '
	sleep 1 # runs are told apart by their second
	# The bad night is in the window, and teaches nothing.
	expect 1 "${night[@]}" --format json
	[ "$(json out 'j["verdicts"][0]["alarm"]["state"], j["alarms"][0]["nights"], j["alarms"][0]["metrics"]')" = "('open', 2, 1)" ] ||
		fail "$(cat out)"
	has err '^gate: FAIL: 1 slower; 1 alarm open since [0-9-]+ \(1 metric\)'
	# Looked at again, it is no further night.
	expect 1 bench compare last --baseline rolling:2 --threshold 900%
	has out '^alarm 1, open since [0-9-]+: 1 metric, 2 nights, \+'
	expect 0 bench compare last --baseline rolling:2 --threshold 900% --new-only
	expect 1 bench compare last~1 --baseline rolling:2 --threshold 900% --new-only
	expect 1 bench compare last --baseline rolling:2 --threshold 900% --format junit
	has out 'type="open alarm"'
	expect 1 bench compare last --baseline rolling:2 --threshold 900% --format github
	has out '^::error title=alarm::alarm 1, open since '
	has_not out 'title=slower'
	expect 0 bench alarms list --format csv
	has out '^"1","[^"]*","2","1","1",'
	expect 0 bench alarms show 1
	has out '^ *1 +open '
	has out "^ *$key\$"
	has out '^on .*, by: bench gate --suite null '
	has out "^  bench alarms accept 1 --why '...'\$"
	expect 0 bench alarms show 'null/*' --format json
	[ "$(json out 'j[0]["state"], j[0]["nights"]')" = "('open', 2)" ] || fail "$(cat out)"
	expect 2 bench alarms accept 1
	has err 'needs --why'
	expect 0 bench alarms accept 1 --why 'the price of it'
	has err '1 metric is accepted: runs before [0-9-]+ are no baseline for it any more'
	expect 0 bench alarms
	has out '^no alarm is open$'
	expect 0 bench alarms list --all
	has out '^ *1 '
	expect 0 bench alarms show 1
	has out 'accepted .*the price of it'
	expect 3 bench alarms accept 1 --why again
	has err "no open alarm has the id '1'"
	sleep 1
	"${night[@]}" >out 2>err || [ $? = 7 ] || fail "$(cat out err)" # 7: too noisy a night to tell
	has_not out alarm
}

# What it says it took is what is judged: the level of the day, and a per cent at random. No noise of the machine.
test_a_history_accuses_on_the_second_night()
{
	local night gate=(bench gate --exec work.json -k 6 --budget 2s --watch no --baseline rolling:10)
	[ -z "${BENCH_TEST_SERVER-}" ] || skip "the days of runs on a server are not changed here"
	echo '{"command": ["bash", "work.sh"], "metrics": {"took": {"match": "took ([0-9.]+)", "unit": "ms"}}}' >work.json
	# shellcheck disable=SC2016 # work.sh expands it
	echo 'read -r level <level; echo "took $level$((RANDOM % 10))"' >work.sh
	echo '{"ignore": ["*/time", "*/cpu_time", "*/peak_memory"]}' >.bench.json
	echo 1.0 >level
	for night in 1 2 3 4 5 6; do
		"${gate[@]}" >out 2>err || true
		a_day_passes
	done
	expect 0 "${gate[@]}"
	a_day_passes
	echo 1.3 >level
	expect 6 "${gate[@]}"
	has out '^SUSPECTED: exec '
	has out '^ *suspected +exec '
	has out 'the next one confirms or clears it'
	has err '^gate: SUSPECTED: 1 suspected \(baseline rolling:10, 7 runs; '
	expect 0 bench alarms
	has out '^no alarm is open$'
	sleep 1
	# The same hour once more is no second night.
	expect 6 "${gate[@]}" --format github
	has out '^::warning .*took'
	a_day_passes
	expect 1 "${gate[@]}"
	has out '^ *slower +exec '
	has out '^ *alarm 1, new$'
	has err '^gate: FAIL: 1 slower; 1 new alarm \(1 metric\) \(baseline rolling:10, 9 runs; '
	# It began on the first of these nights.
	expect 0 bench alarms list --format csv
	has out "^\"1\",\"$(date -u -d yesterday +%F)"
	a_day_passes
	echo 1.0 >level
	expect 1 "${gate[@]}"
	has out '^alarm 1, open since '
	a_day_passes
	expect 0 "${gate[@]}"
	has out '^alarm 1, recovered, was open since '
}

# ratio_night FIRST: a gate of `two` against the command FIRST, whose times are judged by nobody.
ratio_night()
{
	bench gate --exec "$1: sleep 0.01" --exec 'two: sleep 0.02' -k 6 --budget 4s --precision 50% --watch no \
		--threshold 900% --baseline rolling:2 --format json
}

test_an_alarm_on_a_ratio_is_about_its_reference()
{
	local key='exec/host:cpu/command=two/relative_time'
	alarm_of_ratio()
	{
		json out "[v.get('alarm', {}).get('id') for v in j['verdicts'] if v['key'] == '$key']"
	}
	case=(--preset nightly --exec 'one: sleep 0.01' --exec 'two: sleep 0.02' -k 6 --budget 4s --precision 50% --watch no)
	last_week 0.001
	ratio_night one >out 2>err || :
	[ "$(alarm_of_ratio)" = '[1]' ] || fail "$(cat out err)"
	sleep 1
	ratio_night zero >out 2>err || :
	[ "$(alarm_of_ratio)" = '[None]' ] || fail "$(cat out err)"
	has out 'it was relative to exec/host:cpu/command=one, and is relative to exec/host:cpu/command=zero now'
	expect 0 bench alarms show 1
	has out "$key"
	sleep 1
	ratio_night one >out 2>err || :
	[ "$(alarm_of_ratio)" = '[1]' ] || fail "$(cat out err)"
}

# one_number VERDICT [ALARM STATE]: what the gate has just said (in the file out) and all other outputs give the verdict on its
# run, and the alarm, one change, one interval and one confidence.
one_number()
{
	local format id=${2-}
	rm -rf said
	mkdir said
	cp out said/gate.table
	for format in table json csv markdown comment junit github; do
		bench compare last --baseline rolling:10 --format $format >said/compare.$format 2>err || true
	done
	for format in table json csv markdown; do
		bench alarms list --all --format $format >said/list.$format
		[ -z "$id" ] || bench alarms show "$id" --format $format >said/show.$format
	done
	bench report --out said/report --baseline rolling:10 2>err
	bench log last --baseline rolling:10 >said/log
	bench plot trend --metric '*/took' -o said/trend.svg 2>err
	python3 - "$@" <<-'END'
		import csv, glob, html, json, re, sys
		verdict, alarm, state = (sys.argv[1:] + ["", ""])[:3]
		def read(name):
		    return open("said/" + name).read()
		def change(ratio):
		    percent = 100 * (ratio - 1)
		    return "%+.1f%%" % (percent if abs(percent) >= 0.05 else 0) # never "-0.0%"
		def level(of):
		    percent = min(100 * of, 99.9)
		    return "%.*f%%" % (percent > 99.05, percent)
		def has(name, text, line=""):
		    for one in html.unescape(re.sub("</?(small|i|wbr)>", "", read(name)).replace("%25", "%").replace("\\", "")).splitlines():
		        if line in one and text in one:
		            return
		    sys.exit("%s: no line with '%s' has '%s':\n%s" % (name, line, text, read(name)[:5000]))
		def words(ratio, lo, hi, of):
		    """As people read it: the change, the interval, both in a sentence."""
		    interval = "%s %s..%s" % (level(of), change(lo)[:-1], change(hi)[:-1])
		    return change(ratio), interval, "%s, %s" % (change(ratio), interval)
		def same(a, b, what):
		    assert all(abs(float(x) - float(y)) < 1e-12 for x, y in zip(a, b)), (what, a, b)

		page = [name[5:] for name in glob.glob("said/report/metrics/*.html") if "/took</title>" in open(name).read()][0]

		# The verdict on this run.
		run = json.loads(read("compare.json"))
		judged = run["verdicts"][0]
		assert judged["verdict"] == verdict, judged
		exact = judged["ratio"], *judged["ci"], judged["ci_level"]
		size, interval, sentence = words(*exact)
		row = next(csv.DictReader(open("said/compare.csv")))
		same(exact, [row[name] for name in ("ratio", "ratio_lo", "ratio_hi", "level")], "csv")
		# A terminal does not list what is the same.
		for name in ["compare.markdown", "compare.comment"] + ["gate.table", "compare.table"] * (verdict != "same"):
		    has(name, size, verdict + " ")
		    # At a terminal the header has the level.
		    of, bounds = interval.split(" ") if name.endswith(".table") else ("", interval)
		    has(name, bounds, verdict + " ")
		    has(name, of and of + " interval")
		has(glob.glob("said/report/comparisons/%s*.html" % run["candidate"])[0][5:], sentence, '"verdict">' + verdict)
		if verdict == "suspected":
		    has("log", "**suspected " + sentence, "took")
		    has("compare.junit", sentence, 'skipped message="suspected: ')
		    has("compare.github", sentence, "::warning title=suspected")
		    has("compare.github", "SUSPECTED: ", "title=bench compare")
		    has("report/index.html", size, 'row suspected')
		    has(page, "suspected, newest change " + sentence)
		if not alarm:
		    sys.exit()

		# The alarm, and this run under it.
		shown = [one for one in json.loads(read("show.json")) if one["metric"].endswith("/took")][0]
		assert shown["state"] == state, shown
		first = shown["change"], *shown["interval"].split(".."), shown["ci_level"]
		last = shown["last"], *shown["last interval"].split(".."), shown["last_ci_level"]
		first, last = [[float(number) for number in numbers] for numbers in (first, last)]
		size, interval, sentence = words(*first)
		now = words(*last)
		line = "alarm %s" % alarm
		listed = [one for one in json.loads(read("list.json")) if str(one["alarm"]) == alarm][0]
		same(first, [listed["worst"], *listed["interval"].split(".."), listed["ci_level"]], "list")
		for group in [one for one in run["alarms"] if str(one["id"]) == alarm] + [judged["alarm"]] * (str(judged["alarm"]["id"]) == alarm):
		    same(first, [group["ratio"], *group["ci"], group["ci_level"]], "json")
		assert any(str(one["id"]) == alarm for one in run["alarms"]), run["alarms"]
		if str(judged["alarm"]["id"]) == alarm:
		    same(first, [row[name] for name in ("alarm_ratio", "alarm_lo", "alarm_hi", "alarm_ci_level")], "csv")
		for name in "list.table", "list.markdown", "show.table", "show.markdown":
		    has(name, size, "%s " % alarm)
		    has(name, interval, "%s " % alarm)
		has("show.table", now[0], state)
		has("show.table", now[1], state)
		told = sentence if now[2] == sentence else "%s, this run %s" % (sentence, now[2])
		for name in "gate.table", "compare.table", "compare.markdown", "compare.comment", "compare.junit", "compare.github", "log":
		    has(name, told, line)
		if state == "open":
		    has("report/index.html", now[2], sentence)
		has(page, "alarm %s: %s, %s" % (alarm, sentence, state))
		has("trend.svg", "alarm %s: %s, %s" % (alarm, sentence, state))
	END
}

test_an_event_has_one_number_in_every_output()
{
	local gate=(bench gate --exec work.json -k 6 --budget 1s --precision 50% --watch no --baseline rolling:10)
	[ -z "${BENCH_TEST_SERVER-}" ] || skip "the days of runs on a server are not changed here"
	command -v gnuplot >/dev/null || skip "gnuplot is not there"
	echo '{"command": ["bash", "work.sh"], "metrics": {"took": {"match": "took ([0-9.]+)", "unit": "ms"}}}' >work.json
	# shellcheck disable=SC2016 # work.sh expands it
	echo 'read -r level <level; read -r n <n; echo $(((n * 7 + 3) % 10)) >n; echo "took $level$n"' >work.sh
	echo '{"ignore": ["*/time", "*/cpu_time", "*/peak_memory"]}' >.bench.json
	echo 0 >n
	git init -q .
	# nights LEVEL COUNT STATUS: so many more, each of a commit of its own; the last one's status, and its day is today.
	nights()
	{
		local i status
		echo "$1" >level
		for ((i = 0; i < $2; i++)); do
			[ ! -e results.db ] || a_day_passes
			git add level work.sh
			git -c user.name=n -c user.email=n@n commit -qm "night" --allow-empty
			status=0
			"${gate[@]}" >out 2>err || status=$?
		done
		[ "$status" = "$3" ] || fail "exit status $status, not $3: $(cat out err)"
	}
	nights 1.0 7 0
	nights 1.3 1 6
	one_number suspected
	nights 1.3 1 1
	one_number slower 1 open
	nights 1.3 2 1
	one_number slower 1 open
	# Another metric joined it with a spike, and is open for a night more: the number stays that of what lasts.
	history_sql "insert into alarm_metric select 1, replace(key, '/took', '/spiked'), unit, 'open', level, 1.9, 1.8, 2.0, last_run, 1.01, 0.99, 1.03, 3, '', null, '', 0.999, 0.9 from alarm_metric where alarm = 1"
	one_number slower 1 open
	history_sql "delete from alarm_metric where key like '%/spiked'"
	nights 1.8 4 1
	one_number slower 1 open
	one_number slower 2 open
	nights 1.0 1 1
	one_number same 2 open
	nights 1.0 1 0
	one_number same 1 recovered
	one_number same 2 recovered
}

test_what_has_recovered_closes_its_alarm_and_says_so()
{
	last_week 1
	expect 0 "${night[@]}"
	# As if last night had been slower, by more than any noise: it began an alarm.
	history_sql "insert into alarm select 1, fingerprint, '', id, '', 'b', 'a', started, 0, '', null, null from run join host using (host) where id not like '202601%' and aside = ''"
	history_sql "insert into alarm_metric select 1, key, 's', 'open', median, 400, 300, 500, first_bad, 400, 300, 500, 1, '', null, '', null, 0.5 from alarm, run join metric using (run) join metric_key using (metric_key) where id = first_bad and key like '%/time'"
	bench show last --format json >run
	history_sql "update alarm set track = 'preset=nightly;suite=null;set=spin=1000;threads=$(json run 'j["host"]["threads"]');pin=$(json run 'j["host"]["pin"]');cache=$(json run 'j["host"]["cache"]');'"
	expect 0 bench alarms show 1
	has out '^  bench bisect --alarm 1$'
	sleep 1
	# One such night may be chance.
	expect 1 "${night[@]}" --format markdown
	has out '^- alarm 1, open since [0-9-]+: 1 metric, 2 nights, \+39900%, \+29900%..\+49900%, this run [-+][0-9.]+%, .*, commits a..b$'
	sleep 1
	expect 0 "${night[@]}" --format markdown
	has out '^- alarm 1, recovered, was open since [0-9-]+: 1 metric, 2 nights, \+39900%, \+29900%..\+49900%, this run [-+][0-9.]+%, .*, commits a..b$'
	has err '; 1 alarm recovered \(1 metric\) \(baseline rolling:2, '
	expect 0 bench alarms
	has out '^no alarm is open$'
	# The next night is one as any other; the bad one still teaches nothing.
	sleep 1
	"${night[@]}" >out 2>err || [ $? = 7 ] || fail "$(cat out err)" # 7: too noisy a night to tell
	has_not out alarm
}

test_baseline_accept_closes_alarms_too()
{
	last_week 0.001
	expect 1 "${night[@]}"
	expect 0 bench baseline accept 'null/*' --why 'as it should be'
	has err 'the alarm on 1 of them is closed'
	expect 0 bench alarms
	has out '^no alarm is open$'
}

test_words_that_do_not_fit_are_refused()
{
	expect 2 bench alarms lst
	has err "did you mean 'list'"
	expect 2 bench alarms show
	has err 'takes the id of an alarm'
	expect 2 bench alarms list --why x
	has err 'has no --why; accept has'
	expect 2 bench alarms accept 1 --all
	has err 'has no --all; list has'
	expect 3 bench alarms
	has err 'no history yet'
}
