# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A cluster of four nodes on this machine, of Slurm's own daemons: scripts/slurm on it, as a user calls it. All that is started
# has this test's SLURM_CONF in its environment, and ends by that, even if the test is killed. slurmdbd is not needed.

nodes=(n1 n2 n3 n4)

# Processes that write a log of this name, as slurmd and what it starts for each task do, which show no environment; then those with
# these assignments in theirs. In this order: the first would tell of the others' end.
processes_of()
{
	{
		find /proc/[0-9]*/fd -lname "$1" 2>/dev/null
		grep -lzsxF -- "$2" /proc/[0-9]*/environ 2>/dev/null | xargs -r grep -lzsxF -- "${3-$2}" 2>/dev/null
	} | cut -d / -f 3 | grep -vx $$ || true
}

kill_all()
{
	local i pids
	for i in 1 2 3; do
		pids=$(processes_of "$@")
		[ -n "$pids" ] || return 0
		# shellcheck disable=SC2086 # a list
		kill -9 $pids 2>/dev/null || true
		sleep 0.1
	done
}

# end_cluster FOLDER
end_cluster()
{
	kill_all "$1/slurmd.*.log" "SLURM_CONF=$1/slurm.conf"
}

free_ports()
{
	local base i
	while :; do
		base=$((20000 + RANDOM % 12000)) # below those that the system gives to others
		for i in 0 1 2 3 4; do
			! (: </dev/tcp/127.0.0.1/$((base + i))) 2>/dev/null || continue 2
		done
		echo $base
		return
	done
}

write_configuration()
{
	local base host i
	base=$(free_ports)
	host=$(hostname -s)
	cat >slurm.conf <<-CONF
		ClusterName=test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$base
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthType=auth/munge
		AuthInfo=socket=$PWD/munge/socket,cred_expire=5
		CredType=cred/munge
		StateSaveLocation=$PWD/state
		SlurmdSpoolDir=$PWD/spool.%n
		SlurmctldPidFile=$PWD/slurmctld.pid
		SlurmdPidFile=$PWD/slurmd.%n.pid
		SlurmctldLogFile=$PWD/slurmctld.log
		SlurmdLogFile=$PWD/slurmd.%n.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SwitchType=switch/none
		MpiDefault=none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
		PreemptType=preempt/partition_prio
		PreemptMode=REQUEUE
		JobRequeue=1
		KillWait=5
		ReturnToService=1
	CONF
	for i in "${!nodes[@]}"; do
		echo "NodeName=${nodes[i]} NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + i + 1)) CPUs=1 RealMemory=100"
	done >>slurm.conf
	# Where no control groups are mounted, as in a chroot, none are looked for.
	[ -e /sys/fs/cgroup/cgroup.procs ] || [ -d /sys/fs/cgroup/freezer ] ||
		printf '%s\n' CgroupPlugin=cgroup/v1 CgroupAutomount=no "CgroupMountpoint=$PWD/cgroup" >cgroup.conf
	printf '%s\n' 'PartitionName=work Nodes=ALL Default=YES PriorityTier=1' \
		'PartitionName=urgent Nodes=ALL PriorityTier=2 PreemptMode=OFF' >>slurm.conf
}

start_node()
{
	slurmd -N "$1" || fail "slurmd of $1 does not start: $(tail -n 5 "slurmd.$1.log")"
}

# A cluster in the folder `cluster`, which is the shared one, too.
start_cluster()
{
	local command node
	for command in slurmctld slurmd sbatch munged; do
		command -v $command >/dev/null || skip "$command is not installed"
	done
	mkdir cluster
	cd cluster || fail "no folder"
	mkdir -m 711 munge
	(umask 077 && head -c 128 /dev/urandom >munge.key)
	mkdir state "${nodes[@]/#/spool.}"
	export SLURM_CONF=$PWD/slurm.conf
	unset "${!SBATCH_@}" "${!SINFO_@}" "${!SQUEUE_@}"
	# The guard, which outlives a test that is killed.
	# shellcheck disable=SC2016 # the inner shell expands these
	env -u SLURM_CONF bash -c 'while kill -0 "$1" 2>/dev/null; do sleep 1; done; . "$2"; end_cluster "$3"; rm -rf "$3"' \
		- $$ "$BENCH_SOURCE/tests/cli/slurm.sh" "$PWD" >/dev/null 2>&1 &
	guard=$!
	trap 'end_cluster "${SLURM_CONF%/*}"; kill -9 -- -$guard' EXIT
	munged --force --key-file="$PWD/munge.key" --socket="$PWD/munge/socket" --pid-file="$PWD/munge/pid" \
		--log-file="$PWD/munge/log" --seed-file="$PWD/munge/seed" --num-threads=2 >munged.log 2>&1 ||
		skip "munged does not start here: $(tail -n 1 munged.log)"
	write_configuration
	slurmctld || fail "slurmctld does not start: $(tail -n 5 slurmctld.log)"
	for node in "${nodes[@]}"; do
		start_node "$node"
	done
	wait_until 20 'every node is idle' all_idle
}

# wait_until SECONDS WHAT COMMAND...
wait_until()
{
	local i seconds=$1 what=$2
	shift 2
	for ((i = 0; i < seconds * 10; i++)); do
		! "$@" || return 0
		sleep 0.1
	done
	squeue >&2 || true
	sinfo -N >&2 || true
	tail -n 20 slurmctld.log >&2 || true
	fail "it did not come to be within $seconds s: $what"
}

all_idle()
{
	[ "$(sinfo -h -N -p work -o %T 2>/dev/null | grep -cx idle)" = 4 ]
}

# What the repository that is measured has: a program that takes so many seconds; what a fleet measures.
write_project()
{
	printf '#!/bin/sh\nsleep %s\n' "$1" >work && chmod +x work
	cat >.bench.json <<-JSON
		{
			"exec": ["./work"], "invocations": 1, "history": "results.db",
			"presets": {"long": {"like": "quick", "budget": "5s", "precision": "0.01%"}, "short": {"like": "quick", "budget": "0.2s"}},
			"fleet": {"folder": "jobs", "tasks": [$2]}
		}
	JSON
}

# The machine has other work, which the watch would see.
submit()
{
	"$BENCH_SOURCE/scripts/slurm" submit --bench "$BENCH" "$@" -- --watch no
}

is_over()
{
	[ -e "jobs/$1/status" ]
}

# "RUNS IDS" of a job in a history.
runs_of()
{
	python3 -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute("select count(*), count(distinct id) from run where json_extract(head, \"$.run.labels.fleet\") = ?", (sys.argv[2],)).fetchone())' "$@"
}

# is_measuring TASK-FOLDER: some of it is measured, and it is not over.
is_measuring()
{
	[ ! -L "$1/done" ] && grep -qs '"sample"' "$1"/*/*/samples.jsonl
}

runs_on()
{
	[ -n "$(squeue -h -t R -w "$1" -o %A)" ]
}

# The whole machine is gone at once, with all that ran on it.
kill_node()
{
	kill_all "$PWD/slurmd.$1.log" "SLURM_CONF=$SLURM_CONF" "SLURMD_NODENAME=$1"
	scontrol update NodeName="$1" State=DOWN Reason='it is dead'
}

verdict_of()
{
	bench fleet gate "$2" --db "$1" --format csv 2>/dev/null | sed 1d | cut -d , -f 1-7
}

test_help_is_no_error_and_a_wrong_word_is()
{
	local slurm=$BENCH_SOURCE/scripts/slurm
	expect 0 "$slurm" --help
	has out '^  scripts/slurm submit '
	expect 0 "$slurm" submit --help
	expect 2 "$slurm"
	expect 2 "$slurm" sbmit
	has err '^  scripts/slurm submit '
	expect 2 "$slurm" submit --nmae x
	has err "no option '--nmae'"
	expect 2 "$slurm" submit --name
	expect 2 "$slurm" submit --name ../x
	has err "expected letters"
	expect 2 "$slurm" collect
	expect 2 "$slurm" task a b
}

test_forty_tasks_with_dead_nodes_and_a_preempted_task()
{
	local log=jobs/nightly.2/log/collect.txt
	start_cluster
	write_project 0.02 '{"partition": "work", "each": "node", "repeat": 4, "preset": "short"}'
	expect 7 submit --stamp 1 --wait
	expect 0 submit --stamp 1
	has err 'job nightly.1 is submitted already: 16 tasks'
	[ "$(runs_of results.db nightly.1)" = '16 16' ] || fail "$(runs_of results.db nightly.1)"

	# The second night is slower. A task is ended by a signal that nobody meant, a node dies in the middle and comes back, a task
	# makes room for an urgent one and goes on after it, and another node dies for good.
	write_project 0.4 '{"partition": "work", "each": "node", "preset": "long"},
		{"partition": "work", "each": "partition", "repeat": 36, "preset": "short"}'
	expect 0 submit --stamp 2
	wait_until 30 'n1 measures' is_measuring jobs/nightly.2/0
	scancel --full --signal=TERM "$(squeue -h -t R -w n1 -o %A)"
	wait_until 30 'n2 measures' is_measuring jobs/nightly.2/1
	wait_until 30 'n3 measures' is_measuring jobs/nightly.2/2
	kill_node n2
	sbatch --partition=urgent --nodelist=n3 --exclusive --output=/dev/null --wrap 'sleep 1' >/dev/null
	wait_until 60 'n4 is free for others' test -L jobs/nightly.2/3/done
	wait_until 30 'n4 has a task' runs_on n4
	kill_node n4
	start_node n2
	scontrol update NodeName=n2 State=RESUME
	wait_until 120 'the second night is over' is_over nightly.2

	[ ! -s jobs/nightly.2/missing ] || fail "$(grep -E 'requeue|Requeu|update_node|respond|complete.*(TERM|EXIT[A-Z]* [1-9])' slurmctld.log; cat jobs/nightly.2/missing)"
	[ "$(cat jobs/nightly.2/status)" = 1 ] || fail "$(cat jobs/nightly.2/gate.said $log)"
	[ "$(runs_of results.db nightly.2)" = '40 40' ] || fail "$(cat $log)"
	grep -q resumed jobs/nightly.2/0/n1/nightly.2.0/run.log || fail "task 0 was not taken up after the signal"
	grep -q resumed jobs/nightly.2/1/n2/nightly.2.1/run.log || fail "task 1 was not taken up on its node"
	grep -q resumed jobs/nightly.2/2/n3/nightly.2.2/run.log || fail "task 2 was not taken up after it had made room"
	has jobs/nightly.2/gate.txt '^ *slower +exec/host:cpu/command=work/time .* 40 +16 '
	expect 0 bench db check
	expect 0 bench alarms
	has out '^ +1 '

	# Collected again, nothing is counted twice; and on one machine the same runs come to the same verdict.
	expect 1 "$BENCH_SOURCE/scripts/slurm" collect jobs/nightly.2
	[ "$(runs_of results.db nightly.2)" = '40 40' ] || fail "twice: $(runs_of results.db nightly.2)"
	find jobs -name 'done' -print0 | xargs -0 -n 1 readlink -f | xargs bench ingest --db one.db 2>/dev/null
	[ "$(verdict_of one.db nightly.2)" = "$(verdict_of results.db nightly.2)" ] ||
		fail "$(verdict_of one.db nightly.2), not $(verdict_of results.db nightly.2)"
	# On a busy machine the processor's time may be slower, too.
	verdict_of one.db nightly.2 >verdicts || true # which has the gate's exit status
	has verdicts '^"slower","exec/host:cpu/command=work/time",'
}
