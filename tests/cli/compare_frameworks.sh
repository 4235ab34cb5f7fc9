# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# scripts/compare_frameworks, with frameworks that are made up: an interpreter that answers as they would. None is needed here.

compare=$BENCH_SOURCE/scripts/compare_frameworks

# An interpreter python: called as PYTHON -B -u server.py NAME DEVICE. Each NAME has a fault of its own.
make_frameworks()
{
	cat >python <<'END'
#!/usr/bin/env python3
import json, os, sys, time
name = sys.argv[4]
def say(what):
    print(json.dumps(what), flush=True)
if name == "absent":
    sys.exit(say({"missing": "ImportError: no module of that name"}))
say({"version": "1.0", "device": "cpu"})
for line in sys.stdin:
    count = json.loads(line)["params"].get("count", "")
    if name == "hangs" and count == "2000":
        time.sleep(60)
    if name == "dies":
        os._exit(3)
    if name == "wrong":
        say([{"way": "", "status": "incorrect", "reason": "an error of 7 times what is allowed"}])
        continue
    values = {"time": [1e-9, 1.1e-9, 1e-9], "latency": [2e-9], "first_call": [1e-6]}
    ok = {"status": "ok", "reason": "", "how": "add", "error": 0, "iterations": 9}
    lacks = {"way": "graph", "status": "unsupported", "reason": "no, it has none"}
    say([{"way": "", "samples": values, **ok}, lacks])
END
	chmod +x python
}

compare()
{
	"$compare" --bench "$BENCH" --device cpu --python ./python --backends reference,openblas --invocations 2 --seconds 0.01 "$@"
}

test_frameworks_stand_beside_bench_in_a_table_and_in_the_history()
{
	make_frameworks
	export OPENBLAS_CORETYPE=Haswell
	expect 4 compare --peers good,absent,hangs,dies,wrong --time-limit 4 --out all 'elementwise dtype=f32 count=1000,2000 op=add' 'gemm sizes=3'
	has out '^elementwise f32 add count=1000 +openblas .* (good|hangs) +1 ns +0\.0'
	has out '^missing: absent: ImportError'
	has out "^refused: gemm sizes=3: .*'sizes'"
	has err 'absent is missing'
	has err 'hangs, elementwise f32 add count=2000: failed: no answer within 4'
	has err 'dies, elementwise f32 add count=1000: failed: its process ended'
	has err 'wrong, .*: incorrect: an error of 7 times'
	expect 0 bench show last --format csv
	has out '^.elementwise/good:cpu/dtype=f32,op=add,count=1000,width=0/time.,'
	has out '^.elementwise/openblas:.*/flop_rate.,'
	has out 'elementwise/good\+graph:cpu.*,unsupported,.*no, it has none'
	has out 'elementwise/wrong:cpu.*,incorrect,'
	has out 'elementwise/dies:cpu.*,failed,'
	has_not out 'elementwise/hangs:cpu/.*count=2000.*/time.,'
	expect 0 bench export last --to csv
	[ "$(grep -c 'elementwise,good,cpu,f32,add,1000,[0-9]*,time,' out)" = 6 ] || fail "not three samples of two invocations"
	has_not all/frameworks.log 'OPENBLAS_CORETYPE'
}

test_a_page_takes_the_results_and_keeps_those_of_other_devices()
{
	local results
	make_frameworks
	expect 0 compare --peers good --out measured 'elementwise dtype=f32 count=1000 op=add'
	mkdir -p project/scripts/lib project/docs/images
	cp "$compare" project/scripts/
	cp -r "$BENCH_SOURCE/scripts/lib/frameworks" project/scripts/lib/
	printf '%s\n' before '<!-- results -->' '## A GPU' '' '![ratios](images/comparison-gpu.svg)' '' 'as measured' '' \
		'## An old CPU' '' '![ratios](images/comparison-cpu.svg)' '' 'as it was' '' '<!-- end of results -->' after >project/docs/comparison.md
	for results in 1 2; do
		expect 0 project/scripts/compare_frameworks --bench "$BENCH" --document measured
		cp project/docs/comparison.md page.$results
	done
	cmp page.1 page.2 || fail 'written again, the page is another'
	has page.1 '^as measured$'
	has_not page.1 'as it was'
	has page.1 '^\| elementwise f32 add count=1000 \| openblas '
	[ "$(grep -c '^## ' page.1)" = 2 ] || fail "$(cat page.1)"
	[ "$(head -n 1 page.1) $(tail -n 1 page.1)" = 'before after' ] || fail "$(cat page.1)"
	[ -s project/docs/images/comparison-cpu.svg ] || fail "no picture"
}

test_random_works_are_the_seeds_and_have_a_distribution()
{
	local seed
	make_frameworks
	expect 0 compare --backends opencl:cpu,openblas --peers good,numpy --random 5 --seed 3 --out drawn
	has out '^ratio +ours +works +median +tenth percentile +worst +best$'
	has out '^gemm f(32|64) +opencl +[0-9]+ +0\.00 +0\.00 '
	has out '^no answer: numpy\+graph: no, it has none \([0-9]+ works, gemm '
	json drawn/facts.json 'j["command"]' >same
	has same '--random 5 --seed 3$'
	for seed in 3 3 4; do
		PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BENCH_SOURCE/scripts/lib/frameworks python3 -c \
			'import shapes, sys; print(*shapes.lines("gpu", 300, sys.argv[1]), sep="\n")' $seed >>drawn.$seed
	done
	[ "$(sort -u drawn.3 | wc -l)" = "$(($(wc -l <drawn.3) / 2))" ] || fail 'a seed draws twice alike'
	[ "$(cat drawn.3 drawn.4 | sort -u | wc -l)" -gt 650 ] || fail 'two seeds draw the same'
	mkdir -p project/scripts/lib project/docs/images
	cp "$compare" project/scripts/
	cp -r "$BENCH_SOURCE/scripts/lib/frameworks" project/scripts/lib/
	printf '%s\n' before '<!-- results -->' '<!-- end of results -->' after >project/docs/comparison.md
	expect 0 project/scripts/compare_frameworks --bench "$BENCH" --document drawn
	has project/docs/comparison.md '^## Random works: '
	has project/docs/comparison.md '^\| gemm f(32|64) \| opencl \| [0-9]+ \| '
	has project/docs/comparison.md '^!\[ratios\]\(images/comparison-cpu_random\.svg\)$'
	[ -s project/docs/images/comparison-cpu_random.svg ] || fail "no picture"
	expect 2 "$compare" --random 0
	expect 2 "$compare" --random many
	expect 2 "$compare" --seed 4
	has err '--seed says what --random draws'
}

test_what_cannot_be_run_is_an_error_with_what_to_do()
{
	expect 5 "$compare" --bench ./none --device cpu --python ./none 'elementwise count=1000'
	has err 'none'
	expect 2 "$compare" --device tpu
	expect 2 "$compare" --invocations 0
	expect 2 "$compare" --seconds nan
	expect 2 "$compare" --peers ../etc 'gemm n=64'
	has err 'no framework.*pytorch'
	expect 2 "$compare" 'gemm n'
	has err 'expected a suite and its parameters'
	expect 2 "$compare" "gemm 'n=64"
	expect 5 "$compare" --document none
	has err 'none'
	expect 0 "$compare" --help
	has out 'gemm dtype=f16 n=1024,4096'
	# Nothing is installed for works that there are not.
	XDG_CACHE_HOME=$PWD/cache expect 5 "$compare" --bench "$BENCH" --device cpu --out refused 'gemm n=oops' 'nosuch n=1'
	has err "refuses 'gemm n=oops': "
	has err 'nothing to measure'
	[ ! -e cache/bench/frameworks ] || fail 'something was installed'
	mkdir there full
	touch full/mine
	expect 5 "$compare" --bench "$BENCH" --device cpu --environment full 'elementwise count=1000'
	has err 'full has other things in it'
	[ -e full/mine ] || fail "what was in the folder is gone"
	expect 5 "$compare" --bench "$BENCH" --device cpu --python ./none --out there 'elementwise count=1000'
	has err 'there'
}

test_medians_and_intervals_are_those_of_order_statistics()
{
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BENCH_SOURCE/scripts/lib/frameworks python3 - <<'END'
from sampling import interval, measure, median
assert median([3, 1, 2]) == 2 and median([4, 1, 2, 3]) == 2.5
assert interval([1, 2, 3, 4, 5]) is None
assert interval(range(6)) == (0, 5) and interval(range(9)) == (1, 7)
# Of 100: the 40th and the 61st (David and Nagaraja, Order Statistics); of many, about as the normal distribution says.
assert interval(range(1, 101)) == (40, 61)
low, high = interval(range(10000))
assert abs(low - 4902) < 3 and abs(high - 5097) < 3
# By a clock that only calls move: one takes 0.1 ms.
import sampling
class Clock:
    now = 0.0
    def perf_counter(self):
        return self.now
clock = sampling.time = Clock()
def run(iterations):
    clock.now += iterations * 1e-4
samples, iterations = measure(run, 0.2, [("latency", lambda: 1.0)])
assert 20 <= iterations <= 30 and abs(median(samples["time"]) - 1e-4) < 1e-9
assert len(samples["time"]) == 3 * len(samples["latency"]) and 0.11 <= clock.now < 0.2
END
}
