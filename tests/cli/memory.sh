# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Memory that runs out: exit status 5 and "out of memory", or all of the output. tests/faults/run tries much more.

shim=${FAULT_SHIM:-$(dirname "$BENCH")/tests/libfault_shim.so}

# without NTH COMMAND...: the n-th allocation of bench, cJSON and SQLite fails.
without()
{
	FAULT_KIND=alloc FAULT_NTH=$1 FAULT_MODE=ENOMEM FAULT_OBJECTS=program:libcjson:libsqlite3 LD_PRELOAD=$shim "${@:2}"
}

# Every 397th of them, until the command passes untouched.
whole_or_refused()
{
	local nth status
	"$@" >whole
	for ((nth = 1; ; nth += 397)); do
		head -c 16 /dev/zero >counter
		status=0
		FAULT_COUNTER=counter without "$nth" "$@" >out 2>err || status=$?
		[ "$(od -An -tu8 -j8 -N8 counter | tr -d ' ')" = 1 ] || break
		if [ $status = 0 ]; then
			cmp out whole
		else
			[ $status = 5 ] || fail "exit status $status at allocation $nth: $*"
			has err 'out of memory|no memory'
		fi
	done
	[ "$nth" -gt 397 ] || fail "nothing was made to fail: $*"
}

test_nothing_is_left_out_for_want_of_memory()
{
	[ -e "$shim" ] || skip "$shim is not there"
	tar -xzf "$BENCH_SOURCE/tests/golden/stored/history.tar.gz"
	expect 0 bench ingest runs/20261123-012308
	whole_or_refused bench show runs/20261123-012308 --format json
	whole_or_refused bench show 20261123-012308
	whole_or_refused bench list runs --format json
	whole_or_refused bench history '*/time' --format csv
}

test_a_worker_without_memory_costs_its_case_alone()
{
	[ -e "$shim" ] || skip "$shim is not there"
	local nth status
	# Where it dies before its first case it costs nothing at all: another is started.
	for ((nth = 120; nth < 1000; nth += 40)); do
		head -c 16 /dev/zero >counter
		status=0
		FAULT_ROLE=worker FAULT_COUNTER=counter without $nth bench run --suite null -k 1 --budget 0.1s --watch no --no-store \
			--format json >out 2>err || status=$?
		[ $status = 0 ] || break
	done
	[ $status = 4 ] || fail "exit status $status: $(cat err)"
	[ "$(json out '[len(r["metrics"]) > 0 for r in j["results"]].count(False)')" = 1 ] || fail "not one case has failed"
	has out '"reason":.*out of memory'
}
