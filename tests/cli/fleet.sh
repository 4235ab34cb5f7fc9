# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Runs of many machines in one history, by their labels; here, of this one under several names.

# measured JOB NIGHT SECONDS NODE..: a run of each node, which took about so many seconds, as another tool might have measured it,
# with the options in `import`.
import=()
measured()
{
	local node
	for node in "${@:4}"; do
		awk -v seed="$2$(printf '%d' "'$node")" -v center="$3" 'BEGIN {
			srand(seed)
			print "name,metric,unit,better,invocation,value"
			for (i = 0; i < 3; i++) printf "work,time,s,lower,%d,%.9f\n", i, center * (1 + 0.01 * rand())
		}' >one.csv
		touch -d "@$((1700000000 + 86400 * $2))" one.csv
		expect 0 bench import one.csv --label "fleet=$1" --label "node=$node" "${import[@]}"
	done
}

# cut_short SIGNAL RUNS/ID OPTION..: a run of 50 invocations that the signal ends once the first is whole.
cut_short()
{
	bench run --suite null -k 50 --budget 60s --watch no --runs-dir "$(dirname "$2")" --id "$(basename "$2")" "${@:3}" >out 2>err &
	local job=$! status=0
	wait_for '"event": ?"end"' "$2/samples.jsonl"
	kill -s "$1" "$job"
	wait "$job" || status=$?
	[ $status = 130 ] || { cat err >&2; fail "exit status $status, not 130"; }
}

test_the_odd_node_is_named()
{
	local night
	expect 3 bench fleet nodes
	bench run --suite null --set spin=1000 -k 1 --budget 0.05s >/dev/null 2>&1
	expect 3 bench fleet nodes
	has err "no run of any job is in the history: runs have the label 'fleet'"
	for night in 1 2 3 4 5; do
		measured "nightly.$night" $night 0.01 a b c d e
		measured "nightly.$night" $night 0.011 f
	done
	expect 1 bench fleet nodes
	has out '^ +f +slower +\+[0-9.]+% .*/time +5 +25 '
	has_not out '^ +[a-e] +slower'
	expect 1 bench fleet nodes --format csv
	has out '^node,verdict,'
	has out '^"f","slower",'
	expect 0 bench fleet nodes --threshold 20%
	expect 3 bench fleet nodes nightly.9
	has err "no run of job 'nightly.9'"
	# Of one machine nothing can be said.
	measured alone.1 9 0.01 a
	expect 3 bench fleet nodes alone.1
	has err 'no class of job alone.1 has two nodes'
}

test_a_gate_by_class_opens_an_alarm_that_stays_until_it_is_accepted()
{
	local night
	measured nightly.1 1 0.01 a b c d
	expect 7 bench fleet gate
	has err 'BEGUN: this is the first night'
	for night in 2 3 4 5 6; do
		measured nightly.$night $night 0.01 a b c d
	done
	# Jobs of another name, and later ones, are no nights before it.
	measured other.1 7 0.05 a b c d
	measured nightly.8 8 0.05 a b c d
	expect 0 bench fleet gate nightly.6
	has err 'PASS: .*1 same.*4 runs on 4 nodes; nights before: 5'
	bench runs rm last last~1 last~2 last~3 >/dev/null 2>&1
	measured nightly.7 7 0.011 a b c d
	expect 1 bench fleet gate
	has out 'slower +csv/imported:host/name=work/time .* 4 +24 +1 '
	has err 'gate: FAIL: job nightly.7, 1 class'
	# What is under an alarm teaches nothing: it is red the next night, too.
	measured nightly.8 8 0.011 a b c d
	expect 1 bench fleet gate
	has err '4 runs on 4 nodes; nights before: 7'
	expect 0 bench alarms
	has out '^ +1 +20[0-9-]+ +2 +1 '
	expect 0 bench alarms accept 1 --why 'it does more'
	measured nightly.9 9 0.011 a b c d
	expect 0 bench fleet gate
	expect 0 bench alarms
	has out 'no alarm is open'
	expect 0 bench db check
}

# A job that is judged late, as after its collection failed, says what it says of itself; alarms follow the newest one.
test_a_past_job_changes_no_alarm()
{
	local night
	for night in 1 2 3 4 5 6 7 8; do
		measured nightly.$night $night 0.01 a b c d
	done
	measured nightly.9 9 0.0115 a b c d
	expect 1 bench fleet gate
	expect 0 bench alarms
	has out '^ +1 +20[0-9-]+ +1 +1 '
	expect 0 bench fleet gate nightly.8
	has err 'PASS: .*1 same'
	has err 'class [0-9a-f]+: a later job has been measured: alarms stay as they are'
	expect 0 bench alarms
	has out '^ +1 +20[0-9-]+ +1 +1 '
	measured nightly.10 10 0.0115 a b c d
	expect 1 bench fleet gate
	has_not err 'later job'
	expect 1 bench fleet gate nightly.9
	has out 'slower .* 1 '
	expect 0 bench alarms
	has out '^ +1 +20[0-9-]+ +2 +1 '
	measured nightly.11 11 0.01 a b c d
	expect 1 bench fleet gate
	measured nightly.12 12 0.01 a b c d
	expect 0 bench fleet gate
	expect 1 bench fleet gate nightly.10
	expect 0 bench alarms
	has out 'no alarm is open'
}

test_jobs_without_a_stamp_are_nights_of_no_other_name()
{
	local night
	for night in 1 2 3; do
		measured alpha.$night $night 0.01 a b c d
	done
	measured beta 4 0.02 a b c d
	expect 7 bench fleet gate
	has err 'BEGUN: this is the first night'
	measured alpha 5 0.01 a b c d
	expect 0 bench fleet gate
	has err 'nights before: 3'
}

# Machines that nobody has described are a class each.
test_what_one_commit_did_to_several_classes_is_one_line()
{
	local night host seconds commit
	local -A nodes=([one]="a b c d" [two]="e f g h" [three]="i j k l")
	for night in 1 2 3 4 5 6 7 8; do
		commit=aaaaaaaaaaaaaaaa
		for host in one two three; do
			seconds=0.01
			if [ $night = 8 ]; then
				commit=bbbbbbbbbbbbbbbb
				[ $host = two ] || seconds=0.013
			fi
			import=(--host "$host" --commit "$commit")
			# shellcheck disable=SC2086 # a list
			measured nightly.$night $night $seconds ${nodes[$host]}
		done
	done
	expect 1 bench fleet gate
	has err 'open alarms (1, 2|2, 1), commits aaaaaaaaaaaa\.\.bbbbbbbbbbbb: 2 metrics of 2 classes$'
	[ "$(grep -c 'open alarm' err)" = 1 ] || fail "$(cat err)"
	has err 'job nightly.8, 3 classes'
	import=()
}

test_what_is_missing_is_never_green()
{
	measured nightly.1 1 0.01 a b c
	# On another device it is another class; the job after it lacks the first one.
	expect 0 bench run --suite null --set spin=1000 -k 1 --budget 0.05s --watch no --label fleet=nightly.2 --label node=g --id nightly.2-g
	expect 4 bench fleet gate nightly.2
	has err 'FAIL: the previous job had runs of this class; this one has none'
	has err 'job nightly.2, 2 classes'
	# A run that did not end says nothing.
	cut_short INT runs/nightly.3-a --label fleet=nightly.3 --label node=a
	expect 3 bench fleet gate nightly.3
}

test_another_environment_is_left_out_by_name()
{
	local node
	for node in a b c; do
		expect 0 bench run --suite null --set spin=1000 -k 1 --budget 0.05s --watch no --id "nightly.1-$node" --label fleet=nightly.1 --label "node=$node"
	done
	BENCH_OPENCL_OPTIONS=-DX expect 0 bench run --suite null --set spin=1000 -k 1 --budget 0.05s --watch no --id nightly.1-d --label fleet=nightly.1 --label node=d
	expect 7 bench fleet gate
	has err 'run nightly.1-d on d is left out: .*env.BENCH_OPENCL_OPTIONS: '
	has err '3 runs on 4 nodes'
	# Threads belong to what was asked for: another group, which is compared with none.
	expect 0 bench run --suite null --set spin=1000 -k 1 --budget 0.05s --watch no --threads 1 --id nightly.1-e --label fleet=nightly.1 --label node=e
	expect 7 bench fleet gate
	has err 'job nightly.1, 2 classes'
}

test_an_id_that_was_chosen_is_taken_once()
{
	local quick=(--suite null --set spin=1000 -k 1 --budget 0.05s --watch no)
	expect 0 bench run "${quick[@]}" --id night.1.7
	[ -e runs/night.1.7/metrics.json ] || fail "$(ls runs)"
	expect 2 bench run "${quick[@]}" --id night.1.7
	has err 'the history has a run of that id'
	expect 2 bench run "${quick[@]}" --id night.1.7 --no-store
	has err "'.*/runs/night.1.7' is there already; --resume"
	for id in '' . ../x a/b -x last 'a b' "$(printf 'x%.0s' {1..61})"; do
		expect 2 bench run "${quick[@]}" "--id=$id"
	done
	expect 2 bench run --resume night.1.7 --id x
}

test_words_and_jobs_that_are_wrong()
{
	expect 2 bench fleet
	has err "takes one of nodes, gate, tasks"
	expect 2 bench fleet node
	has err "did you mean 'nodes'"
	expect 2 bench fleet tasks more
	expect 2 bench fleet nodes a b
	expect 2 bench fleet gate --nights 0
	expect 2 bench fleet nodes --threshold 5
	expect 2 bench fleet nodes --allow-env-change
	expect 3 bench fleet tasks
	has err "its member 'fleet'"
}

test_the_project_file_says_what_a_fleet_measures()
{
	printf '{"suites": "null", "presets": {"n": {}}, "fleet": {"folder": "jobs", "collect": ["--partition=login"], "tasks": [
		{"partition": "cpu"}, {"partition": "gpu", "each": "gpu", "repeat": 2, "preset": "n", "sbatch": ["--account=a,b", "--time=60"]}]}}' >.bench.json
	expect 0 bench fleet tasks --format csv
	has out '^"cpu","node","1","","","jobs","--partition=login"$'
	has out '^"gpu","gpu","2","n","--account=a,b --time=60","jobs","--partition=login"$'
	printf '{"fleet": {"tasks": [{"partition": "cpu", "preset": "ni"}]}}' >.bench.json
	expect 2 bench fleet tasks
	has err "there is no preset 'ni'"
	local wrong
	for wrong in '{"fleet": []}' '{"fleet": {"task": []}}' '{"fleet": {"tasks": {}}}' '{"fleet": {"tasks": [{}]}}' \
		'{"fleet": {"tasks": [{"partition": "a b"}]}}' '{"fleet": {"tasks": [{"partition": "--x"}]}}' \
		'{"fleet": {"tasks": [{"partition": "a", "each": "rack"}]}}' '{"fleet": {"tasks": [{"partition": "a", "repeat": 0}]}}' \
		'{"fleet": {"tasks": [{"partition": "a", "repeat": 1.5}]}}' '{"fleet": {"tasks": [{"partition": "a", "sbatch": "--x"}]}}' \
		'{"fleet": {"tasks": [{"partition": "a", "sbatch": ["x"]}]}}' '{"fleet": {"collect": ["--x;  y"]}}' \
		'{"fleet": {"tasks": [{"partition": "a", "presets": "b"}]}}' '{"fleet": {"folder": 3}}'; do
		printf '%s' "$wrong" >.bench.json
		expect 2 bench fleet tasks
		has err '\.bench\.json:[0-9]+:[0-9]+: '
	done
}

test_a_job_is_planned_where_slurm_is_not()
{
	expect 2 "$BENCH_SOURCE/scripts/slurm"
	has err 'scripts/slurm submit'
	expect 2 "$BENCH_SOURCE/scripts/slurm" submit --bench "$BENCH" --name 'a b'
	expect 2 "$BENCH_SOURCE/scripts/slurm" submit --what
	expect 2 env -u SLURM_ARRAY_TASK_ID "$BENCH_SOURCE/scripts/slurm" task jobs/none 0
	expect 2 "$BENCH_SOURCE/scripts/slurm" collect nowhere
	expect 2 "$BENCH_SOURCE/scripts/slurm" submit --bench nowhere
	expect 3 "$BENCH_SOURCE/scripts/slurm" submit --bench "$BENCH"
	has err "its member 'fleet'"
	mkdir bin
	printf '#!/bin/sh\ncase "$*" in *%%T*) echo "g1 idle"; echo "g2 down*"; echo "g3 mixed";; *g1*) echo "gpu:h200:2(S:0-1),nic:1";; *) echo "gpu:1";; esac\n' >bin/sinfo
	printf '#!/bin/sh\n' >bin/sbatch
	chmod +x bin/sinfo bin/sbatch
	printf '{"fleet": {"tasks": [{"partition": "gpu", "each": "gpu"}, {"partition": "cpu", "each": "partition", "repeat": 2, "preset": "quick"}]}}' >.bench.json
	PATH=$PWD/bin:$PATH expect 0 "$BENCH_SOURCE/scripts/slurm" submit --bench "$BENCH" --dry-run
	[ "$(tr '\t' ' ' <out)" = "$(printf '0 gpu g1 0 -\n1 gpu g1 1 -\n2 gpu g3 0 -\n3 cpu - - quick\n4 cpu - - quick')" ] || fail "$(cat out)"
	has err 'node g2 of partition gpu is down\*: no task for it'
}

# on NODE JOB TASK: what Slurm would start there.
on()
{
	SLURMD_NODENAME=$1 SLURM_ARRAY_TASK_ID=$3 "$BENCH_SOURCE/scripts/slurm" task "$2" 0
}

test_a_task_is_done_once_whoever_else_tries()
{
	local job=jobs/night.1
	printf '{"suites": "null", "set": {"spin": 1000}, "invocations": 1, "budget": "0.05s", "history": "results.db"}' >.bench.json
	mkdir -p $job
	ln -s "$BENCH" $job/bench
	echo "$PWD/.bench.json" >$job/project
	echo >$job/db
	printf '%s\0' --watch no >$job/options
	printf 'p\t-\t-\tquick\np\t-\t-\t-\np\t-\t1\t-\np\t-\t-\tnone\n' >$job/tasks
	: >$job/ids
	expect 0 on n1 $job 0
	[ "$(readlink $job/0/done)" = n1/night.1.0 ] || fail "$(ls -l $job/0)"
	# Requeued after its end, and on a node that was believed dead.
	expect 0 on n1 $job 0
	mv $job/0/done aside
	expect 0 on n1 $job 0
	has err 'is complete'
	mv aside done.0
	expect 0 on n2 $job 0
	[ ! -e $job/0/n2/night.1.0 ] || fail "it was measured twice"
	mv $job/0/done $job/0/hidden
	mkdir -p $job/0/n3
	expect 0 on n3 $job 0
	mv $job/0/n3/night.1.0 $job/0/n3/again
	ln -sfn n1/night.1.0 $job/0/done
	# What was cut short elsewhere goes on there alone; where the environment is another, it begins anew.
	mkdir -p $job/1/n1
	cut_short TERM $job/1/n1/night.1.1 --no-store --label fleet=night.1 --label node=n1
	BENCH_OPENCL_OPTIONS=-DX expect 0 on n1 $job 1
	compgen -G "$job/1/n1/given-up.*" >/dev/null || fail "$(ls $job/1/n1)"
	expect 0 on n2 $job 2
	[ "$(json $job/2/done/metrics.json 'j["run"]["labels"]["gpu"], j["run"]["labels"]["node"], j["run"]["id"]')" = "('1', 'n2', 'night.1.2')" ] || fail "labels"
	expect 2 on n1 $job 3
	has $job/3/failed "n1: exit status 2: .*'none'"
	# The rest is collected; what is missing is said, and collecting again changes nothing.
	for _ in 1 2; do
		expect 7 "$BENCH_SOURCE/scripts/slurm" collect $job
		has err '1 of 4 tasks have no run'
		has err '3 runs of job night.1 are in the history'
		has $job/missing "^3.*exit status 2: .*'none'"
		[ "$(bench list runs --format csv | sed 1d | wc -l)" = 3 ] || fail "$(bench list runs)"
	done
	# A run that is damaged keeps nobody else's out, and is not green.
	rm -f results.db*
	cp $job/2/done/metrics.json whole.json
	head -c 300 whole.json >$job/2/done/metrics.json
	expect 5 "$BENCH_SOURCE/scripts/slurm" collect $job
	has err '1 of 3 runs could not be taken into the history'
	has err '2 runs of job night.1 are in the history'
	has $job/missing '^2.*cannot be taken into the history: .*metrics.json: not valid JSON'
	has $job/gate.said 'gate: BEGUN'
	[ "$(cat $job/status)" = 5 ] || fail "$(cat $job/status)"
	cp whole.json $job/2/done/metrics.json
	expect 7 "$BENCH_SOURCE/scripts/slurm" collect $job
	has err '3 runs of job night.1 are in the history'
	[ -e $job/report/index.html ] || fail "there is no report"
	[ "$(cat $job/status)" = 7 ] || fail "$(cat $job/status)"
	rm -rf $job/[0-9]
	expect 3 "$BENCH_SOURCE/scripts/slurm" collect $job
	has err 'no task of job night.1 has a run'
}
