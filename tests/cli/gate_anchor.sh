# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The gate beside its anchor, the executable of the first night: silent where nothing changed, red until a shift is
# accepted or has gone, and never green without an anchor. What is slower is so by the anchor's level, which the tests
# set: the times are those of one executable.

night=(bench gate --suite null --set spin=1000 -k 12 --precision 10% --budget 30s --threshold 20%)
key=null/host:cpu/spin=1000/time

sql()
{
	python3 -c 'import sqlite3, sys
db = sqlite3.connect("results.db")
print(*db.execute(sys.argv[1]))
db.commit()' "$1"
}

# The level that the newest anchor is judged against: itself a ratio of LOGARITHM slower.
level()
{
	sql "DELETE FROM anchor_level"
	sql "INSERT INTO anchor_level SELECT max(anchor), '$key', $1, 0, 0 FROM anchor"
}

first_night()
{
	expect 7 "${night[@]}"
	has err 'no verdict yet: no gate of this command has run on this host before\. Run [0-9-]+ is kept: the next gate has this executable as its anchor'
}

test_a_gate_measures_in_turns_with_its_first_night()
{
	first_night
	has out '^FIRST NIGHT: '
	[ -x "$(echo results.db.anchors/*/bench)" ] || fail "nothing is kept"
	json results.db.anchors/*/about.json 'j["version"], j["flags"]' >/dev/null
	decided 0 "${night[@]}"
	has err '^gate: PASS: 1 same \(interleaved with anchor [0-9-]+; [0-9]+ s\)$'
	has out 'against the kept build of [0-9]+ [A-Z][a-z]+ [0-9:]+; '
	[ "$(sql 'SELECT count(*) FROM run WHERE aside = ""')" = "(2,)" ] || fail "a night is aside: $(sql 'SELECT aside FROM run')"
	[ "$(sql 'SELECT count(*) FROM anchor')" = "(1,)" ] || fail "the anchor has changed"
	expect 0 bench history '*relative_time' --format csv
	[ "$(wc -l <out)" = 3 ] || fail "not two nights: $(cat out)"
	# Another question is another gate.
	expect 7 "${night[@]}" --filter 'spin>0'
	expect 2 "${night[@]}" --undecided 5
	has err 'say 5%'
}

test_what_is_slower_stays_red_until_it_is_accepted()
{
	first_night
	level 0.4
	sleep 1 # runs are told apart by their second
	decided 1 "${night[@]}"
	has out '^ *slower .*\+[3-5][0-9]\.'
	has out '(confirmed|slower) in fresh processes'
	has out '^new alarm 1: 1 metric, 1 night, \+'
	sleep 1
	decided 1 "${night[@]}"
	has out '^alarm 1, open since [0-9-]+: 1 metric, 2 nights, \+'
	decided 0 "${night[@]}" --new-only
	expect 0 bench alarms accept 1 --why 'as it should be'
	# The accepted run's executable is the anchor from now on.
	[ "$(sql 'SELECT count(*) FROM anchor')" = "(2,)" ] || fail "the anchor is the old one"
	decided 0 "${night[@]}"
	has err '^gate: PASS: 1 same'
	# Accepted by mistake: it is as slow as it was against the old level, by whatever anchor.
	expect 0 bench baseline unaccept "$key"
	has err 'the alarm on 1 metric is open again'
	sleep 1
	decided 1 "${night[@]}"
	has out '^alarm 1, open since [0-9-]+: 1 metric, [2-4] nights, \+[3-5][0-9]'
}

test_an_alarm_begins_after_the_last_night_that_was_decided()
{
	local night=(bench gate --exec work.json -k 12 --precision 10% --budget 30s --threshold 100%) first
	local key=exec/host:cpu/command=work/time
	commit()
	{
		git add work work.json
		git -c user.name=n -c user.email=n@n commit -qm "$1" --allow-empty
		sleep 1
	}
	git init -q .
	echo '{"command": ["./work"]}' >work.json
	echo '{"ignore": ["*_time", "*/peak_memory"]}' >.bench.json
	gcc -x c -o work - <<-'END'
		#include <unistd.h>
		int main(void) { return usleep(20000); }
	END
	commit 1
	first=$(git rev-parse HEAD)
	first_night
	commit 2
	decided 0 "${night[@]}"
	sql "UPDATE verdict SET verdict = 'unclear'" # as if that night had been too noisy to tell
	level 2
	commit 3
	decided 1 "${night[@]}"
	has out "^new alarm 1: .*, commits ${first:0:12}[.][.]$(git rev-parse --short=12 HEAD)$"
}

test_a_second_step_is_an_alarm_of_its_own_and_both_recover()
{
	first_night
	level 0.4
	decided 1 "${night[@]}"
	level 0.8
	sleep 1
	decided 1 "${night[@]}" --new-only
	has out '^ *slower .*\+1[0-9][0-9]\.'
	has out '^new alarm 2: 1 metric, 1 night, \+[3-6][0-9]\.'
	has out '^alarm 1, open since [0-9-]+: 1 metric, 2 nights, \+[3-6][0-9]\.'
	expect 0 bench alarms list --format csv
	[ "$(wc -l <out)" = 3 ] || fail "not two alarms: $(cat out)"
	level 0
	sleep 1
	decided 0 "${night[@]}"
	has out 'recovered'
	expect 0 bench alarms
	has out '^no alarm is open$'
}

test_an_anchor_that_is_lost_or_changed_is_no_pass()
{
	first_night
	# Of another executable than tonight's.
	mv results.db.anchors/* results.db.anchors/0123456789abcdef
	sql "UPDATE anchor SET content = '0123456789abcdef'"
	expect 7 "${night[@]}"
	has err 'the anchor is lost: .* was changed: its content is '
	sql "DELETE FROM anchor WHERE anchor > 1"
	chmod 777 results.db.anchors/0123456789abcdef/bench
	expect 7 "${night[@]}"
	has err 'the anchor is lost: .* may be written by others'
	sql "DELETE FROM anchor WHERE anchor > 1"
	rm -r results.db.anchors
	expect 7 "${night[@]}"
	has err 'the anchor is lost: .* is not there'
	# What is kept of tonight's is mended.
	chmod 777 results.db.anchors/*/bench
	decided 0 "${night[@]}"
}

# A plug-in that takes `n` turns; what it is called in later nights is the same.
plugin()
{
	cat >work.c <<-END
		#include <bench/fn.h>
		struct work { double found; };
		BENCH_FN(work, "");
		BENCH_FN_SETUP(work) { (void)fn; s->found = 0; }
		BENCH_FN_RUN(work) { s->found = 0; for (volatile int i = 0; i < $1; i++) s->found += i; }
		BENCH_FN_CHECK(work, 0) { return bench_fn_off(s->found, $1.0 * ($1 - 1) / 2); }
	END
	gcc -O1 -fPIC -shared -I "$BENCH_SOURCE/include" work.c -o work.so
}

# What users bring is kept with the executable: a change of theirs is seen as one of ours.
test_a_plugin_is_measured_in_turns_with_that_of_the_first_night()
{
	local gate=(bench gate --plugin work.so -k 12 --precision 10% --budget 30s --threshold 20%)
	plugin 1000
	expect 7 "${gate[@]}"
	cmp work.so results.db.anchors/*/extensions/00.so
	decided 0 "${gate[@]}"
	has err '^gate: PASS: 1 same \(interleaved with anchor '
	plugin 2000
	decided 1 "${gate[@]}"
	has out '^ *slower +work .* \+(9|10)[0-9.]+%'
	# Another content is none that was measured.
	for kept in results.db.anchors/*/extensions/00.so; do
		cp work.so "$kept"
		echo >>"$kept"
	done
	expect 7 "${gate[@]}"
	has err 'the anchor is lost: .* was changed'
}

# judged_by WORD COMMAND: a first night of the command has an anchor, or judges by history.
judged_by()
{
	rm -rf runs results.db*
	expect 7 bench gate --exec "$2" -k 1 --budget 1s
	case $1 in
	anchor) has err 'the next gate has this executable as its anchor' ;;
	history) has_not err anchor ;;
	esac
}

test_a_program_is_kept_unless_it_needs_other_files()
{
	mkdir lib
	echo 'int one(void) { return 1; }' | gcc -fPIC -shared -x c - -o lib/libone.so
	echo 'int one(void); int main(void) { return one() - 1; }' >linked.c
	echo 'int main(void) { return 0; }' | gcc -x c - -o alone
	gcc linked.c -Llib -lone -Wl,-rpath,"$PWD/lib" -o by_path
	gcc linked.c lib/libone.so -o by_name
	gcc linked.c "$PWD/lib/libone.so" -o by_whole_name
	echo 1 >data
	judged_by anchor ./alone
	cmp alone results.db.anchors/*/extensions/00-0.program
	judged_by anchor './alone 7 --size=7'
	judged_by history true
	judged_by history ./by_path
	judged_by history ./by_name
	judged_by history ./by_whole_name
	judged_by history './alone data'
	judged_by history './alone --from=data'
	judged_by history "./alone $PWD/data"
	printf '#!/bin/sh\n' >script
	chmod +x script
	judged_by history ./script
	# A library of the repository is one, wherever in it the gate runs.
	git init -q . 2>/dev/null || return 0
	mkdir -p bin here
	mv by_path bin
	cd here || fail "no folder"
	judged_by history ../bin/by_path
}

test_a_kernel_is_kept_with_its_specification()
{
	local gate=(bench gate --kernel copy.cl --spec copy.json -k 2 --budget 0.5s --backend opencl:cpu)
	echo '{"params": {"n": [1000]}, "global": "n", "args": [{"name": "y", "type": "float", "shape": "n", "access": "out", "check": "i"}]}' >copy.json
	echo 'kernel void copy(global float *y) { y[get_global_id(0)] = get_global_id(0); }' >copy.cl
	expect 7 "${gate[@]}"
	json results.db.anchors/*/extensions/00.json 'j["spec"]' >spec
	[ "$(cat spec)" = "$(cat copy.json)" ] || fail "not the specification: $(cat spec)"
	echo '// changed' >>copy.cl
	expect 6 "${gate[@]}"
	has err 'interleaved with anchor '
	[ "$(find results.db.anchors -name 00.json | wc -l)" = 2 ] || fail "not both are kept"
}

test_too_little_decided_is_no_pass()
{
	first_night
	# One invocation shows nothing.
	local few=("${night[@]}" -k 1)
	expect 6 "${few[@]}"
	has err '^gate: UNCLEAR: 1 unclear'
	has out '^UNCLEAR: '
	has out '^  bench '
	expect 6 "${few[@]}" --format github
	has out '^::error title=bench gate::UNCLEAR: '
	expect 6 "${few[@]}" --format junit
	has out 'too little could be decided: 1 of 1 metrics are unclear'
	expect 6 "${few[@]}" --format json
	[ "$(json out 'j["gate"]["passed"]')" = False ] || fail "$(cat out)"
	expect 0 "${few[@]}" --undecided 100%
}
