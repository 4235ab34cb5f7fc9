# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What is written and run elsewhere; functions that are called by name.
# shellcheck disable=SC2016,SC2317
# Hooks: what happens to an alarm is told, at least once, and no hook changes a gate. Times of the null suite are compared
# with a history that is a thousand times faster, which no noise undoes.

case=(--suite null --preset nightly --set spin=1000 -k 6 --budget 4s --precision 50% --watch no)
night=(bench gate "${case[@]}" --threshold 900% --baseline rolling:2)

# Two nights of last week, a thousand times as fast.
last_week()
{
	expect 0 bench run "${case[@]}"
	python3 - <<-'END'
		import glob, json, os
		run = json.load(open(glob.glob("runs/*/metrics.json")[0]))
		for result in run["results"]:
		    for metric in result["metrics"]:
		        for series in metric["samples"]:
		            series["values"] = [value * 0.001 for value in series["values"]]
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

# hook NAME SHELL-LINES: a hook.
hook()
{
	printf '#!/bin/bash\n%s\n' "$2" >"$1"
	chmod +x "$1"
}

# of_events EXPRESSION: a Python expression in which `j` is the list of what was told.
of_events()
{
	[ ! -e events ] || python3 -c 'import json, sys
text, j = open("events").read(), []
while text:
    document, end = json.JSONDecoder().raw_decode(text)
    j.append(document)
    text = text[end:].lstrip()
print(eval(sys.argv[1]))' "$1"
}

# told: the events so far, in a line.
told()
{
	of_events '" ".join(one["event"] for one in j)'
}

# wait_for_told EVENTS: hooks may go on when the gate has ended.
wait_for_told()
{
	local end=$((SECONDS + 15))
	until [ "$(told)" = "$1" ]; do
		[ $SECONDS -lt $end ] || fail "told: '$(told)', not '$1': $(cat err)"
		sleep 0.1
	done
	sleep 0.2 # until that is kept, too
}

# tells STATUS EVENTS [OPTION..]: a night with a hook ends so, and by then these events were told.
tells()
{
	local status=$1 events=$2
	shift 2
	sleep 1 # runs are told apart by their second
	expect "$status" "${night[@]}" "$@"
	wait_for_told "$events"
}

test_each_event_is_told_once_and_in_order()
{
	last_week
	hook record 'cat >>events'
	tells 1 opened --on-alarm ./record
	[ "$(of_events 'j[0]["schema"], [j[0]["alarm"][name] for name in ("id", "state", "nights")]')" = "('bench-alarm-event/1', [1, 'open', 1])" ] ||
		fail "$(cat events)"
	[ "$(of_events '[(m["key"], m["unit"], m["ratio"] > 10, m["ci"][0] < m["ci"][1]) for m in j[0]["alarm"]["metrics"]]')" = \
		"[('null/host:cpu/spin=1000/time', 's', True, True)]" ] || fail "$(cat events)"
	has events '"title":"alarm 1 opened: null/host:cpu/spin=1000/time, \+'
	tells 1 'opened second-night' --on-alarm ./record
	tells 1 'opened second-night' --on-alarm ./record
	history_sql 'update alarm set since = since - 8 * 86400'
	tells 1 'opened second-night week-old' --on-alarm ./record
	tells 1 'opened second-night week-old' --on-alarm ./record
	expect 0 bench alarms accept 1 --why 'it is right' --on-alarm ./record
	[ "$(told)" = 'opened second-night week-old accepted' ] || fail "$(told)"
	[ "$(of_events 'j[-1]["alarm"]["state"], j[-1]["alarm"]["metrics"][0]["why"]')" = "('accepted', 'it is right')" ] || fail "$(cat events)"
	# Withdrawn, it is open anew.
	expect 0 bench baseline unaccept 'null/host:cpu/spin=1000/time'
	tells 1 'opened second-night week-old accepted opened' --on-alarm ./record
	history_sql "update alarm_metric set state = 'recovered', closed = 1, closed_run = 'x'"
	sleep 1
	"${night[@]}" --on-alarm ./record >out 2>err || :
	until [[ "$(told)" = 'opened second-night week-old accepted opened recovered'* ]]; do sleep 0.1; done
}

test_a_hook_is_for_one_event_or_all()
{
	last_week
	hook record 'cat >>events'
	hook old 'cat >>week-events'
	tells 1 'opened opened' --on-alarm ./record --on-alarm week-old=./old --on-alarm opened=./record --on-alarm recovered=./gone
	has err "warning: hook 'recovered=./gone': there is no program './gone'"
	[ ! -e week-events ] || fail "$(cat week-events)"
}

test_alarms_of_before_are_told_from_the_next_night_on()
{
	last_week
	hook record 'cat >>events'
	expect 1 "${night[@]}"
	tells 1 opened --on-alarm ./record
	# One that nobody was told of while it was open is not told of at all.
	history_sql "update alarm set told = null"
	expect 0 bench alarms accept 1 --why 'it is right' --on-alarm ./record
	[ "$(told)" = opened ] || fail "$(told)"
}

test_the_project_file_names_hooks()
{
	last_week
	mkdir -p bin deep
	hook bin/record 'pwd >>where; cat >>events'
	printf '{"hooks": {"opened": "bin/record '"'two words'"'", "all": ["bin/record"]}}\n' >.bench.json
	(cd deep && bench gate "${case[@]}" --threshold 900% --baseline rolling:2 --db ../results.db --runs-dir ../runs >../out 2>../err) && fail "$(cat out err)"
	wait_for_told 'opened opened'
	[ "$(sort -u where)" = "$PWD" ] || fail "$(cat where)"
	# What a run keeps has no hook: its words may be secret.
	! grep -rq record runs || fail "$(grep -r record runs)"
	expect 0 bench alarms accept 1 --why 'it is right'
	[ "$(told)" = 'opened opened accepted' ] || fail "$(told)"
	expect 0 bench alarms
	expect 0 bench list runs
}

test_an_event_outlives_a_kill()
{
	last_week
	hook record 'cat >>events'
	hook kill 'kill -9 $PPID'
	expect 1 "${night[@]}" --on-alarm ./kill
	has out '^new alarm 1: '
	expect 0 bench alarms
	has out "^alarm 1: not all hooks have taken 'opened' yet; the next gate runs them$"
	tells 1 opened --on-alarm ./record
	tells 1 'opened second-night' --on-alarm ./record
	expect 0 bench db check
}

test_a_hook_that_fails_is_a_warning_and_runs_again()
{
	last_week
	hook record 'cat >>events'
	hook fail 'echo "the chat is down" >&2; exit 3'
	expect 1 "${night[@]}" --on-alarm ./fail --on-alarm ./record
	has out '^new alarm 1: '
	has err "^bench: warning: alarm 1, opened: hook './fail': exit status 3: the chat is down; the next gate runs it again$"
	wait_for_told opened
	expect 0 bench alarms show 1
	has out "^alarm 1: not all hooks have taken 'opened' yet; the next gate runs them$"
	sleep 1
	expect 1 "${night[@]}" --on-alarm ./nowhere
	has err "hook './nowhere': it cannot be started: No such file"
	tells 1 'opened opened' --on-alarm ./record
	expect 0 bench alarms show 1
	has_not out "'opened'"
}

# wait_for_none COMMAND OF: within the limit of hooks.
wait_for_none()
{
	local end=$((SECONDS + 30))
	while pgrep -f "$1" >left; do
		[ $SECONDS -lt $end ] || fail "$2 left $(cat left)"
		sleep 0.2
	done
}

# Each is as the gate without a hook, and leaves no process.
test_no_hook_holds_a_gate_up()
{
	local name mark=98$$
	last_week
	hook record 'cat >>events'
	hook silent "exec <&- >&- 2>&-; exit 1"
	hook flood "timeout 2 yes >&2; timeout 1 yes; exit 1"
	hook family "for i in 1 2 3 4 5 6 7 8; do setsid bash -c 'trap \"\" TERM HUP; (sleep $mark & sleep $mark)' & done; exit 0"
	hook hang "trap '' TERM; sleep $mark & while :; do sleep $mark; done"
	for name in silent flood family hang; do
		sleep 1
		history_sql "update alarm set told = ''"
		expect 1 "${night[@]}" --on-alarm ./$name
		has out '^(new )?alarm 1'
		has err '^gate: FAIL: 1 slower; 1 '
		[ $name != hang ] || pgrep -f "sleep $mark" >/dev/null || fail 'the gate waited for the hook'
		wait_for_none "sleep $mark" "$name"
	done
	has err "^bench: hooks go on in the background for at most 60 s; 'bench alarms show' tells"
	# The other hook is told all the same. A person's command waits, and says what failed.
	history_sql "update alarm set told = ''"
	tells 1 opened --on-alarm ./hang --on-alarm ./record
	wait_for_none "sleep $mark" 'the gate'
	expect 0 bench alarms accept 1 --why 'it is right' --on-alarm ./hang --on-alarm ./record
	has err "^bench: warning: alarm 1, opened: hook './hang': it did not end within 10 s"
	[ "$(told)" = 'opened opened' ] || fail "$(told)"
	! pgrep -f "sleep $mark" >left || fail "left: $(cat left)"
}

test_hooks_that_cannot_run_are_refused()
{
	expect 2 bench gate --suite null --on-alarm ''
	has err "hook '': expected a command"
	expect 2 bench gate --suite null --on-alarm 'opened='
	has err 'expected a command'
	expect 2 bench gate --suite null --on-alarm 'opned=./x'
	has err "hook 'opned=./x': there is no event 'opned'; there are opened, "
	expect 2 bench gate --suite null --on-alarm "mail 'me"
	has err 'a quote is not closed'
	expect 2 bench gate --suite null --on-alarm 'cat >events'
	has err "no shell runs it, and '>events' is for one"
	expect 2 bench alarms list --on-alarm ./x
	has err 'bench alarms list has no --on-alarm; accept has it'
	expect 2 bench fleet nodes --on-alarm ./x
	has err 'gate has it'
	printf '{\n\t"hooks": {"open": "x"}\n}\n' >.bench.json
	expect 2 bench gate --suite null
	has err '\.bench\.json:2:12: .*open'
	printf '{\n\t"hooks": {"opened": "x | y"}\n}\n' >.bench.json
	expect 2 bench gate --suite null
	has err "\.bench\.json:2:[0-9]+: hook 'x . y': no shell runs it"
	printf '{\n\t"hooks": "x"\n}\n' >.bench.json
	expect 2 bench gate --suite null
	has err "'hooks': expected \{\"EVENT\": COMMANDS"
}

test_what_became_of_alarms_is_counted()
{
	expect 0 bench run --suite null --set spin=1000 -k 2 --budget 0.5s --watch no
	expect 0 bench alarms --stats
	has out '^0 alarms: 0 accepted, 0 recovered, 0 still open$'
	# Open for 1, 3, 10 and at least 4 days.
	history_sql "insert into alarm (alarm, fingerprint, track, first_bad, last_good, bad_commit, good_commit, since, created, culprit) values (1, 'f', 't', 'a', '', '', '', 1000000, 0, ''), (2, 'f', 't', 'b', '', '', '', 2000000, 0, ''), (3, 'f', 't', 'c', '', '', '', 3000000, 0, ''), (4, 'f', 't', 'd', '', '', '', $(date +%s) - 4 * 86400, 0, '')"
	alarm_metric()
	{
		history_sql "insert into alarm_metric (alarm, key, unit, state, last_run, nights, closed_run, closed, why) values ($1, '$2', 's', '$3', 'r', 1, 'r', $4, '')"
	}
	alarm_metric 1 gemm/x/n=1/time recovered 1086400
	alarm_metric 2 gemm/x/n=1/time accepted 2259200
	alarm_metric 2 spmv/x/n=1/time recovered 2086400
	alarm_metric 3 spmv/x/n=1/time recovered 3864000
	alarm_metric 4 spmv/x/n=1/time open null
	alarm_metric 4 gemm/x/n=1/time accepted 5
	printf '{"metrics": [{"match": "gemm/*", "owner": "@us/gemm"}]}\n' >.bench.json
	expect 0 bench alarms --stats
	has out '^4 alarms: 1 accepted, 2 recovered, 1 still open$'
	has out '^ +all +4 +1 +2 +1 +3\.5 +10\.0$'
	has out '^ +suite +gemm +3 +2 +1 +0 +1\.0 +3\.0$'
	has out '^ +suite +spmv +3 +0 +2 +1 +4\.0 +10\.0$'
	has out '^ +owner +@us/gemm +3 +2 +1 +0 +1\.0 +3\.0$'
	expect 0 bench alarms list --stats --format json
	[ "$(json out '[(r["by"], r["name"], r["opened"], r["accepted"], r["recovered"], r["open"], r["longest days"]) for r in j][:2]')" = \
		"[('all', '', 4, 1, 2, 1, 10), ('suite', 'gemm', 3, 2, 1, 0, 3)]" ] || fail "$(cat out)"
	expect 0 bench alarms --stats --format csv
	has out '^by,name,opened,accepted,recovered,open,median days,longest days$'
	has out '^"suite","gemm","3","2","1","0","1","3"$'
	expect 2 bench alarms show 1 --stats
	has err 'bench alarms show has no --stats; list has it'
}

# The services of the recipes: GitHub's issues, and a chat. What is asked is in the file asked, the issues in the file issues.
serve()
{
	cat >server.py <<-'END'
		import http.server, json, os
		issues = []
		class Service(http.server.BaseHTTPRequestHandler):
		    def answer(self, status, value):
		        self.send_response(status)
		        self.end_headers()
		        self.wfile.write(json.dumps(value).encode())
		    def work(self):
		        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
		        with open("asked", "a") as asked:
		            print(self.command, self.path, body.decode(), file=asked)
		        path = self.path.split("?")[0].split("/")[1:]
		        if path == ["chat"]:
		            return self.answer(200 if "text" in json.loads(body) else 400, {})
		        if self.headers.get("Authorization") != "Bearer secret" or path[:4] != ["repos", "owner", "repository", "issues"]:
		            return self.answer(404, {})
		        given = json.loads(body) if body else {}
		        if self.command == "GET":
		            return self.answer(200, issues[::-1])
		        if len(path) == 4:
		            issues.append(dict(given, number=len(issues) + 1, state="open", comments=[]))
		            issue = issues[-1]
		        else:
		            issue = issues[int(path[4]) - 1]
		            issue["comments"].append(given["body"]) if path[5:] == ["comments"] else issue.update(given)
		        json.dump(issues, open("issues.new", "w"))
		        os.rename("issues.new", "issues")
		        self.answer(200, issue)
		    do_GET = do_POST = do_PATCH = work
		    def log_message(self, *_):
		        pass
		server = http.server.HTTPServer(("127.0.0.1", 0), Service)
		open("port.new", "w").write(str(server.server_port))
		os.rename("port.new", "port")
		server.serve_forever()
	END
	python3 server.py 2>server.err &
	trap 'kill %1 2>/dev/null' EXIT
	wait_for . port
	GITHUB_API_URL=http://127.0.0.1:$(cat port)
	CHAT_URL=$GITHUB_API_URL/chat
	export GITHUB_API_URL CHAT_URL GH_TOKEN=secret
	printf '#!/bin/sh\n{ echo "$@"; cat; } >>"%s/mail"\n' "$PWD" >mail-program
	mkdir -p bin
	mv mail-program bin/mail
	chmod +x bin/mail
	export PATH=$PWD/bin:$PATH
}

# The commands of the how-to's n-th block.
block()
{
	awk -v n="$1" '/^```sh$/ { at++; inside = 1; next } /^```$/ { inside = 0 } inside && at == n' "$BENCH_SOURCE/docs/how-to/notify.md"
}

test_the_how_to_with_its_recipes()
{
	local n status
	if ! command -v curl >/dev/null || ! command -v jq >/dev/null; then
		skip "curl and jq are not there"
	fi
	serve
	mkdir home repository
	ln -s "$BENCH_SOURCE" home/bench
	export HOME=$PWD/home GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
	cd repository || return
	git init -q -b main .
	mkdir bench
	printf '#!/bin/sh\nawk "BEGIN { for (i = 0; i < 20000; i++) s += i; print s }"\n' >app
	chmod +x app
	printf '{"suite": "app", "commands": {"sum": "./app"}, "directory": "..", "metrics": {}}\n' >bench/app.json
	printf 'runs/\nresults.db*\n' >.gitignore
	git add -A && git commit -q -m 'a program'
	for n in 1 2 3 4 5; do
		bench gate --exec bench/app.json --budget 2s -k 6 >out 2>err || true
	done
	sed -i s/20000/2000000/ app && git commit -q -a -m 'add more'
	for n in 1 2 3 4 5 6; do
		block $n >"../$n.sh"
	done
	expect 0 bash -e ../1.sh
	bash ../2.sh >out 2>err
	grep -q '^new alarm 1' out || skip "the machine is too busy to decide: $(cat out err)"
	has out '^alarm 1 opened: '
	expect 0 bash -e ../3.sh
	expect 1 bash -e ../4.sh
	has_not err 'warning: alarm'
	wait_for_none 'hooks/alarm-[icm]' 'the gate' # hooks may go on without it
	[ "$(json ../issues '[(i["state"], i["labels"], len(i["comments"])) for i in j]')" = "[('open', ['bench-alarm'], 0)]" ] || fail "$(cat ../issues)"
	expect 0 bash -e ../5.sh
	[ "$(json ../issues '[(i["state"], len(i["comments"])) for i in j]')" = "[('closed', 1)]" ] || fail "$(cat ../issues)"
	expect 0 bash -e ../6.sh
	has out '^1 alarm: 1 accepted, 0 recovered, 0 still open$'
	# A second attempt makes no second issue.
	expect 0 hooks/alarm-issue owner/repository <events.json
	[ "$(json ../issues '[(i["state"], i["title"].split(":")[0]) for i in j]')" = "[('open', 'alarm 1 is open for a second night')]" ] || fail "$(cat ../issues)"
	expect 0 hooks/alarm-chat <events.json
	has ../asked '^POST /chat .*"text":.*alarm 1 opened: '
	expect 0 hooks/alarm-mail team@example.org <events.json
	has ../mail '^-s alarm 1 opened: .* team@example\.org$'
	has ../mail '^  bench alarms show 1$'
	# What the service refuses is a failure.
	GH_TOKEN=wrong expect 22 hooks/alarm-issue owner/repository <events.json
	CHAT_URL=$GITHUB_API_URL/nowhere expect 22 hooks/alarm-chat <events.json
}
