# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench run --pin, --cache, --shuffle: what is set, where threads run, what is recorded, what is refused.

# The processors that each thread of the run's worker may use, the first thread's first, into the file masks.
masks()
{
	bench run --suite gemm --set n=512 --backend openblas --budget 60s --precision 0.0001% -k 20 --no-store \
		"$@" >run.out 2>run.err &
	local job=$! worker i
	wait_for '"metric": ?"time"' 'runs/*/samples.jsonl'
	for ((i = 0; i < 50; i++)); do
		worker=$(grep -ls "^PPid:[[:space:]]*$job\$" /proc/[0-9]*/status | head -n 1 | cut -d/ -f3) || true
		: >masks
		[ -z "$worker" ] || cat "/proc/$worker/status" /proc/"$worker"/task/*/status 2>/dev/null |
			awk '/^Pid:/ { pid = $2 } /^Cpus_allowed_list:/ { if (!seen[pid]++) print $2 }' >masks
		# Between two workers there is none, and a new one has not loaded its libraries yet.
		[ "$(wc -l <masks)" -lt 2 ] || [ "$(head -n 1 masks)" != "${want:-}" ] || break
		sleep 0.1
	done
	kill -KILL "$job"
	wait "$job" 2>/dev/null || true
}

all_processors()
{
	awk '/^Cpus_allowed_list:/ { print $2 }' /proc/self/status
}

several_processors_or_skip()
{
	[ "$(nproc)" -gt 1 ] || skip 'one processor: no thread can be confined to less'
	[ -z "${OMP_PROC_BIND-}${OMP_PLACES-}${OMP_NUM_THREADS-}" ] || skip 'OMP_* is set'
}

test_pinned_the_first_thread_has_a_processor_and_openblas_has_all()
{
	several_processors_or_skip
	local want
	want=$(all_processors | sed 's/[-,].*//')
	masks
	[ "$(head -n 1 masks)" = "$want" ] || fail "the first thread is not on $want: $(cat masks)"
	tail -n +2 masks | grep -qx "$(all_processors)" || fail "OpenBLAS's threads are confined: $(cat masks)"
}

test_not_pinned_all_threads_have_all_processors()
{
	several_processors_or_skip
	local want
	want=$(all_processors)
	masks --pin no
	[ "$(sort -u masks)" = "$want" ] || fail "some thread is not on all processors: $(cat masks)"
}

test_on_one_processor_of_several_it_works()
{
	several_processors_or_skip
	local one
	one=$(all_processors | sed 's/.*[-,]//')
	expect 0 taskset -c "$one" bench run --suite gemm --set n=64 --backend openblas,opencl -k 2 --budget 1s --format json
	[ -n "${POCL_AFFINITY-}" ] || [ "$(json out 'j["host"].get("env.POCL_AFFINITY")')" = 0 ] ||
		fail "PoCL would pin its threads to processors that are not ours"
	expect 0 bench run --suite gemm --set n=64 --backend openblas,opencl -k 2 --budget 1s --threads 1
}

test_what_was_set_is_recorded()
{
	unset OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY GOMP_SPINCOUNT OPENBLAS_THREAD_TIMEOUT POCL_AFFINITY
	expect 0 bench run --suite null -k 1 --budget 0.2s --format json
	[ "$(json out '[j["host"].get(k) for k in ("pin", "cache", "shuffle", "env.OMP_PROC_BIND", "env.OMP_PLACES", "env.OPENBLAS_THREAD_TIMEOUT")]')" = \
		"['yes', 'hot', 'yes', 'true', 'threads', '20']" ] || fail "the defaults are not recorded"
	expect 0 env OMP_PLACES=cores bench run --suite null -k 1 --budget 0.2s --pin yes --cache cold --shuffle no --format json
	[ "$(json out '[j["host"].get(k) for k in ("pin", "cache", "shuffle", "env.OMP_PLACES")]')" = \
		"['yes', 'cold', 'no', 'cores']" ] || fail "what was said is not recorded"
	expect 0 bench run --suite null -k 1 --budget 0.2s --pin no --format json
	[ "$(json out '[j["host"].get(k) for k in ("pin", "env.OMP_PROC_BIND", "env.POCL_AFFINITY")]')" = \
		"['no', None, '0']" ] || fail "no pinning is not recorded"
	has out '--pin no'
}

test_pinned_and_not_pinned_are_not_compared()
{
	expect 0 bench run --suite null -k 2 --budget 0.3s
	expect 0 bench run --suite null -k 2 --budget 0.3s --pin no
	expect 3 bench compare
	has err 'pin: yes in the baseline, no now'
	expect 0 bench run --suite null -k 2 --budget 0.3s --pin no --cache cold
	expect 3 bench compare
	has err 'cache: hot in the baseline, cold now'
}

test_a_cold_sample_is_one_iteration()
{
	expect 0 bench run --suite elementwise --set count=1000 --backend openblas -k 1 --budget 1s --cache cold --format json
	[ "$(json out '[r["iterations"] for r in j["results"]]')" = '[1]' ] || fail "more than one iteration"
	has out '--cache cold'
}

test_other_words_are_refused()
{
	expect 2 bench run --suite null --pin maybe
	has err "--pin 'maybe': expected yes or no"
	expect 2 bench run --suite null --pin ''
	expect 2 bench run --suite null --cache warm
	has err "--cache 'warm': expected hot or cold"
	expect 2 bench run --suite null --shuffle=
	has err "--shuffle '': expected yes or no"
	[ ! -e runs ] || fail "something was measured"
}
