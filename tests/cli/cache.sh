# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The program cache on disk, from outside.

# Fills the binaries of all entries but for their first bytes, by which a driver knows them, and makes the hashes right.
forge()
{
	python3 - "$@" <<'END'
import sys

def fnv(data):
    value = 14695981039346656037
    for byte in data:
        value = (value ^ byte) * 1099511628211 & (1 << 64) - 1
    return value

for path in sys.argv[1:]:
    data = open(path, "rb").read()
    header, rest = data.split(b"\n", 1)
    words = header.split()
    assert len(words) == 5 and words[4] == b"%016x" % fnv(rest), "the layout is not that of backends/opencl/runtime/cache.h"
    key = int(words[2], 16)
    at = key + min(64, (len(rest) - key) // 2)
    rest = rest[:at] + b"\xa5" * (len(rest) - at)
    open(path, "wb").write(b" ".join(words[:4]) + b" %016x\n" % fnv(rest) + rest)
END
}

test_a_binary_that_the_driver_crashes_on_is_tried_once()
{
	local status=0 entry run=(bench run --suite gemm --set n=8 --backend opencl -k 1 --budget 0.1s --no-store)
	export BENCH_CACHE_DIR=$PWD/cache
	bench run --suite gemm --set n=8 --backend opencl -k 1 --budget 0.1s --no-store >out 2>err || status=$?
	! grep -q unsupported out || skip "there is no OpenCL device"
	[ $status = 0 ] || fail "exit status $status of the first run"
	[ "$(stat -c %a cache/programs)" = 700 ] || fail "the cache's folder is open to others"
	forge cache/programs/*.clbin
	for entry in cache/programs/*.clbin; do # each may crash a run
		"${run[@]}" >out 2>err || status=$?
		[ $status = 0 ] || [ $status = 4 ] || fail "exit status $status with a forged $entry"
	done
	expect 0 "${run[@]}"
	expect 0 "${run[@]}"
	! ls cache/programs/*.trying 2>/dev/null || fail "an entry is still being tried"
}

test_entries_that_others_may_have_written_are_not_loaded()
{
	export BENCH_CACHE_DIR=$PWD/cache
	local run=(bench run --suite gemm --set n=8 --backend opencl -k 1 --budget 0.1s --no-store --format json)
	expect 0 "${run[@]}"
	! grep -q unsupported out || skip "there is no OpenCL device"
	expect 0 "${run[@]}"
	has out '"program":[[:space:]]*"cached"'
	forge cache/programs/*.clbin
	chmod 777 cache/programs
	expect 0 "${run[@]}"
	has out '"program":[[:space:]]*"compiled"'
}
