# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench why: planted causes are named, equal sides are not different, and what cannot be read is said. No test judges
# how long anything takes.

# function_of NAME.so BODY [DECLARATIONS [SETUP [FLAGS..]]]: a plug-in with the function `up`, which finds n.
function_of()
{
	cat >"${1%.so}.c" <<-END
		#include <bench/fn.h>
		#include <string.h>
		#include <sys/mman.h>
		${3-}
		static __attribute__((noinline)) double total(const float *x, size_t n)
		{
			float t = 0;
			for (size_t i = 0; i < n; i++)
				t += x[i];
			return t;
		}
		struct up { size_t n; double found; float *x; };
		BENCH_FN(up, "n=65536");
		BENCH_FN_SETUP(up)
		{
			s->n = bench_fn_size(fn, "n");
			s->x = bench_fn_floats(fn, s->n);
			for (size_t i = 0; i < s->n; i++)
				s->x[i] = 1;
			${4-}
		}
		BENCH_FN_RUN(up) { $2 }
		BENCH_FN_CHECK(up, 0) { return bench_fn_off(s->found, (double)s->n); }
	END
	gcc -O2 -fPIC -shared -I "$BENCH_SOURCE/include" "${@:5}" "${1%.so}.c" -o "$1"
}

plain='s->found = total(s->x, s->n);'

# why STATUS BASE.so HEAD.so [OPTION..]: what is planted changes the time by much more than the precision. What is found by
# samples of where the time goes needs more of them, and sets precision=2%.
why()
{
	expect_in_time "$1" 100 bench why "$BENCH --plugin $2" "$BENCH" --plugin "$3" -k 16 --precision "${precision-20%}" --no-store \
		"${@:4}"
}

test_equal_sides_are_not_different_in_five_cases()
{
	function_of a.so "$plain"
	cp a.so b.so
	expect 0 bench why "$BENCH --plugin a.so" "$BENCH" --plugin b.so -k 18 --precision 2% --budget 300s --no-store \
		--set n=1000,3000,5000,7000,9000 --threshold 5%
	[ "$(grep -c ': no difference: ' out)" = 5 ] || fail "$(cat out)"
	has_not out 'explains|slower|faster'
	has_not out '^plugin'
}

test_extra_allocation_is_named()
{
	function_of a.so "$plain"
	function_of b.so 'float *y = mmap(0, 4 * s->n, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memcpy(y, s->x, 4 * s->n);
		s->found = total(y, s->n); munmap(y, 4 * s->n);'
	why 1 a.so b.so
	has out ': slower by [0-9.]+% \[[0-9., ]+\]: page faults '
	has out '^ *page faults .* explains'
	has out '^plugin:$'
	why 0 b.so a.so
	has out ': faster by [0-9.]+% \[[0-9., ]+\]: page faults '
}

test_a_loop_on_the_host_is_named_with_its_function()
{
	function_of a.so "$plain"
	function_of b.so "waste(); $plain" \
		'static __attribute__((noinline)) void waste(void) { for (volatile int i = 0; i < 100000; i++); }'
	precision=2% why 1 a.so b.so
	has out ': slower by .*\]: waste in b.so 0% -> [0-9]+% of the processor'
}

test_lost_vectors_are_named()
{
	command -v objdump >/dev/null || skip "there is no objdump"
	[ "$(uname -m)" = x86_64 ] || skip "flags are those of x86-64"
	function_of a.so "$plain" "" "" -O3 -ffast-math
	function_of b.so "$plain"
	precision=2% why 1 a.so b.so
	has out ': slower by .*\]: vector instructions [0-9]+% -> 0% of total, total in b.so '
}

test_lost_huge_pages_are_named()
{
	grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null && skip "there are no huge pages"
	[ -e /sys/kernel/mm/transparent_hugepage/enabled ] || skip "there are no huge pages"
	local advice body='s->found = walk() >= 0 ? (double)s->n : 0;'
	for advice in MADV_HUGEPAGE MADV_NOHUGEPAGE; do
		function_of $advice.so "$body" 'static char *big; enum { BIG = 64 << 20 };
			static __attribute__((noinline)) long walk(void)
			{
				long t = 0;
				unsigned k = 1;
				for (int i = 0; i < 50000; i++) { k = k * 1664525u + 1013904223u; t += big[k % BIG]; }
				return t;
			}' 'if (!big) { big = mmap(0, BIG + (2 << 20), 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				madvise(big, BIG + (2 << 20), '$advice'); memset(big, 0, BIG); }' -w
	done
	why 1 MADV_HUGEPAGE.so MADV_NOHUGEPAGE.so
	has out ': slower by .*\]: memory in huge pages [0-9.]+ MiB -> 0'
}

# device_of NAME.so LAUNCHES COPIES: a suite on devices.
device_of()
{
	cat >"${1%.so}.c" <<-END
		#include <bench/backend.h>
		#include <bench/plugin.h>
		#include <stdlib.h>
		enum { BYTES = 1 << 20 };
		struct state { char *host; struct bench_buffer *buffer; };
		static const struct bench_param params[] = {{.name = "n", .type = BENCH_PARAM_INT, .fallback = "1", .min = 1,
			.max = 9, .help = "none"}, {.name = NULL}};
		static const char *const quick[] = {"n=1", NULL};
		static int work(const struct bench_case *c, struct bench_work *w, struct bench_error *e)
		{ (void)c; (void)e; w->items = 1; return 0; }
		static int setup(struct bench_case *c, struct bench_error *e)
		{
			struct state *s = c->state = calloc(1, sizeof(*s));
			s->host = calloc(1, BYTES);
			return c->backend->alloc(c->device, BYTES, &s->buffer, e);
		}
		static int run(struct bench_case *c, uint64_t iterations, struct bench_error *e)
		{
			struct state *s = c->state;
			for (uint64_t i = 0; i < iterations; i++) {
				for (int k = 0; k < $3; k++)
					if (c->backend->upload(c->device, s->buffer, s->host, BYTES, e) != 0)
						return -1;
				for (int k = 0; k < $2; k++)
					if (c->backend->empty(c->device, 0, e) != 0)
						return -1;
			}
			return 0;
		}
		static int check(struct bench_case *c, uint64_t n, struct bench_check *k, struct bench_error *e)
		{ (void)c; (void)n; (void)e; *k = (struct bench_check){.tolerance = 1, .method = "none"}; return 0; }
		static void teardown(struct bench_case *c)
		{
			struct state *s = c->state;
			c->backend->release(c->device, s->buffer);
			free(s->host);
			free(s);
			c->state = NULL;
		}
		static const struct bench_suite of_devices = {.abi = BENCH_SUITE_ABI, .name = "dev", .summary = "launches and copies",
			.params = params, .sweeps = {quick, NULL}, .work = work, .setup = setup, .run = run, .check = check,
			.teardown = teardown};
		static const struct bench_suite *const suites[] = {&of_devices, NULL};
		BENCH_PLUGIN(suites, NULL);
	END
	gcc -O2 -fPIC -shared -I "$BENCH_SOURCE/include" "${1%.so}.c" -o "$1"
}

need_opencl()
{
	expect 0 bench list devices --format csv
	grep -Eq '^"?opencl:.*[",]cpu[",]' out || skip "there is no OpenCL device that is a CPU"
}

test_launches_and_copies_are_counted_and_named()
{
	need_opencl
	device_of a.so 20 0
	device_of b.so 60 0
	why 1 a.so b.so --backend opencl:cpu
	has out ': slower by .*\]: kernel launches x3'
	has err 'not observed: registers, spills and instructions of kernels: the compiler of a CPU'
	device_of a.so 1 1
	device_of b.so 1 4
	why 1 a.so b.so --backend opencl:cpu
	has out ': slower by .*\]: (copies|bytes copied) x4, (copies|bytes copied) x4'
}

test_a_missing_cache_of_programs_is_named()
{
	need_opencl
	device_of a.so 20 0
	# Without PoCL's own cache, too: what is left of a build would not stand out on a busy machine.
	expect_in_time 1 60 bench why "$BENCH --plugin a.so" "BENCH_PROGRAM_CACHE=off POCL_KERNEL_CACHE=0 $BENCH" \
		--plugin a.so -k 16 \
		--threshold 50% --precision 5% --no-store --backend opencl:cpu
	has out 'first call slower by .*\]: program builds 0 -> [1-9]'
	has out '^.none. -> BENCH_PROGRAM_CACHE=off'
}

test_the_source_of_a_kernel_is_compared()
{
	need_opencl
	mkdir old new
	cat >old/twice.cl <<-'END'
		/* bench { "args": [{"name": "n", "type": "int"}, {"name": "x", "type": "float", "shape": "n"},
		   {"name": "y", "type": "float", "shape": "n", "access": "out", "check": "2 * x[i]", "tolerance": 1e-6}],
		   "global": "n", "params": {"n": [4096]} } */
		kernel void twice(int n, global const float *x, global float *y)
		{
			int i = get_global_id(0);
			y[i] = 2 * x[i];
		}
	END
	sed 's/y\[i\] = 2 \* x\[i\];/float w = x[i]; for (int k = 0; k < 8; k++) w = sqrt(w * w + k); y[i] = w == 0.5f ? w : 2 * x[i];/' old/twice.cl >new/twice.cl
	local side
	for side in old new; do # compiled, and in the cache
		bench run --kernel $side/twice.cl -k 1 --budget 0.1s --no-store >/dev/null 2>&1
	done
	expect_in_time 1 200 bench why "$BENCH --kernel old/twice.cl" "$BENCH" --kernel new/twice.cl -k 16 --precision 20% --no-store
	has out 'slower by .*kernel source -1 \+1 lines'
	has out '^- *y\[i\] = 2 \* x\[i\];'
}

# They do not vary: two invocations are enough.
test_groups_and_memory_of_a_kernel_are_compared()
{
	need_opencl
	local side memory=yes
	bench list devices | grep -q 'PoCL 6\.' && memory= # it says 0 bytes of local memory of any kernel
	mkdir old new
	cat >old/turn.cl <<-'END'
		/* bench { "args": [{"name": "x", "type": "float", "shape": "n"},
		   {"name": "y", "type": "float", "shape": "n", "access": "out", "check": "x[i]"}],
		   "global": "n", "local": 64, "options": "-DROOM=64", "params": {"n": [4096]} } */
		kernel void turn(global const float *x, global float *y)
		{
			local float room[ROOM];
			room[get_local_id(0)] = x[get_global_id(0)];
			barrier(CLK_LOCAL_MEM_FENCE);
			y[get_global_id(0)] = room[get_local_id(0)];
		}
	END
	sed 's/"local": 64/"local": 32/; s/ROOM=64/ROOM=256/' old/turn.cl >new/turn.cl
	for side in old new; do
		bench run --kernel $side/turn.cl -k 1 --budget 0.1s --no-store >/dev/null 2>&1
	done
	bench why "$BENCH --kernel old/turn.cl" "$BENCH" --kernel new/turn.cl -k 2 --budget 20s --precision 20% >out 2>err || true
	[ -z "$memory" ] || has out '^ *local memory +256.0 B +1.000 KiB +x4 .* differs'
	has out '^ *work-items of a group +64 +32 +-50% .* differs'
	has_not out '^ *private memory'
	has out '^kernel turn:$'
	has out "^${memory:+local memory 256 -> 1024, }work-items of a group 64 -> 32\$"
	has err 'not observed: registers, spills and instructions of kernels: the compiler of a CPU'
	json "$(printf '%s\n' runs/*/metrics.json | tail -1)" '"; ".join(v for k, v in sorted(j["results"][0]["notes"].items()) if "kernel_turn" in k)' >notes
	has notes "turn .*${memory:+local memory 256, }work-items of a group 64, .*; turn .*${memory:+local memory 1024, }work-items of a group 32"
	bench why "$BENCH --kernel old/turn.cl" "$BENCH" --kernel old/turn.cl -k 2 --budget 20s --precision 20% --no-store >out 2>err || true
	has_not out '^kernel turn|local memory|of a group'
}

test_what_is_observed_is_stored_and_not_judged()
{
	function_of a.so "$plain"
	cp a.so b.so
	expect_in_time 0 20 bench why "$BENCH --plugin a.so" "$BENCH" --plugin b.so -k 14 --precision 5% --threshold 20% --format json
	[ "$(json out 'j[0]["kind"] + " " + j[0]["name"]')" = "no difference time" ] || fail "$(cat out)"
	[ "$(json out '[i["base"] for i in j if i["name"] == "major_faults"]')" = "[0]" ] || fail "$(cat out)"
	valid runs/*/metrics.json
	[ "$(json runs/*/metrics.json 'j["run"]["labels"]["aside"]')" = why ] || fail "the run is not set aside"
	json runs/*/metrics.json '" ".join(sorted(m["name"] for m in j["results"][0]["metrics"] if m["better"] == "none"))' >names
	has names 'why_base_minor_faults .*why_minor_faults .*why_user_time'
	local run
	run=$(basename runs/*)
	expect 0 bench show "$run"
	has_not out why_
	bench run --plugin a.so -k 3 --budget 1s >/dev/null 2>&1
	bench compare last --baseline "$run" --allow-env-change --format csv >out 2>err || true
	has out '/time,time,'
	has_not out why_
}

test_programs_that_a_case_starts_are_observed_without_their_functions()
{
	expect_in_time 1 30 bench why "$BENCH --exec 'w: sleep 0.005'" "$BENCH" --exec 'w: sh -c "sleep 0.005; sleep 0.005"' -k 14 \
		--precision 5% --no-store
	has out ': slower by .*\]: .*exec commands'
	has err 'not observed: functions: the time is spent in programs that the case starts; .*perf record'
}

test_what_cannot_be_asked_is_refused()
{
	expect 2 bench why
	has err 'bench why needs two executables'
	expect 2 bench why "$BENCH"
	expect 2 bench why "$BENCH" "$BENCH" --suite null --threshold x
	has err threshold
	expect 2 bench why "$BENCH" "$BENCH" --suite null --format junit
	has err junit
	expect 2 bench why "$BENCH" "$BENCH" --suite null --counters
	expect 2 bench why "$BENCH" "$BENCH" --suite null --strict
	expect 3 bench why /bin/true "$BENCH" --suite null
}

# A worker of an earlier version takes turns, and does not know that it is to observe.
# shellcheck disable=SC2016 # the script that is written here expands its own
test_a_side_that_cannot_observe_is_named()
{
	printf '#!/bin/sh\ncase $1 in worker) sed "s/\\"observed\\":true,//" | exec "%s" worker ;; *) exec "%s" "$@" ;; esac\n' \
		"$BENCH" "$BENCH" >old
	chmod +x old
	expect 3 bench why ./old "$BENCH" --suite null --set spin=1000 -k 2 --budget 1s --no-store
	has err "'./old' .* needs a version of bench whose duels speak bench-turns/5 observes"
	expect 0 bench duel ./old "$BENCH" --suite null --set spin=1000 -k 2 --budget 1s --no-store
}

test_few_invocations_tell_nothing()
{
	function_of a.so "$plain"
	expect 0 bench why "$BENCH --plugin a.so" "$BENCH" --plugin a.so -k 3 --budget 1s --precision 10% --no-store --all
	has out ': unclear: 3 invocations are too few for [0-9]+ tests '
	has out '^ *user time '
}

# Commands of blocks of `sh` in the how-to page, as they stand.
test_the_how_to_page_does_what_it_says()
{
	local line status
	awk '/^```/ { inside = $0 == "```c" ? "c" : $0 == "```sh" ? "sh" : ""; next } inside == "c"' \
		"$BENCH_SOURCE/docs/how-to/why.md" >mean.c
	awk '/^```/ { inside = $0 == "```sh"; next } inside' "$BENCH_SOURCE/docs/how-to/why.md" >commands
	[ -s mean.c ] || fail "the page has no C"
	[ -s commands ] || fail "the page has no commands"
	export C_INCLUDE_PATH=$BENCH_SOURCE/include
	while read -r line; do
		status=0
		bash -c "$line" >out 2>err </dev/null || status=$?
		case $line:$status in
		*why*:1) has out 'slower by .*\]: page faults ' ;;
		*why*:*) cat err >&2 && fail "exit status $status: $line" ;;
		*:0) ;;
		*) cat err >&2 && fail "exit status $status: $line" ;;
		esac
	done <commands
}

# The gate's anchor is the base; the answer stays with the alarm.
test_an_alarm_gives_its_cases_and_keeps_the_answer()
{
	local gate=(bench gate --plugin work.so -k 12 --precision 10% --budget 30s --threshold 20%)
	function_of work.so "$plain"
	expect 7 "${gate[@]}"
	function_of work.so 'float *y = mmap(0, 4 * s->n, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memcpy(y, s->x, 4 * s->n);
		s->found = total(y, s->n); munmap(y, 4 * s->n);'
	sleep 1 # runs are told apart by their second
	decided 1 "${gate[@]}"
	has out '^new alarm 1: '
	has out '^  bench why --alarm 1$'
	expect 2 bench why --alarm 9 --plugin work.so
	has err '--alarm 9: there is no such alarm; open: 1'
	expect 2 bench why --alarm one --plugin work.so
	expect 2 bench why --alarm 1 bench --plugin work.so
	expect_in_time 1 20 bench why --alarm 1 --plugin work.so -k 16 --precision 2%
	has err '^bench: alarm 1 has the answer now'
	has out ': slower by [0-9.]+% \[[0-9., ]+\]: page faults '
	expect 0 bench alarms show 1
	has out '^why: slower by [0-9.]+% \[[0-9., ]+\]: page faults '
	expect 0 bench alarms --format json
	[ "$(json out '"page faults" in j[0]["cause"]')" = True ] || fail "$(cat out)"
	decided 1 "${gate[@]}"
	has out '^alarm 1, open since .*; why: slower by .*: page faults '
	has_not out '^  bench why --alarm 1$'
	expect 0 bench report --out site
	grep -q 'page faults' site/index.html || fail "the report does not say why"
	# An anchor that is gone, and a cause that is none: nothing is lost by asking.
	rm -r results.db.anchors
	expect 3 bench why --alarm 1 --plugin work.so
	has err "alarm 1 has no executable of the level before it .*'bench bisect --alarm 1' builds both"
	expect_in_time 0 20 bench why "$BENCH --plugin work.so" "$BENCH" --plugin work.so --alarm 1 -k 16 --precision 2%
	has err 'alarm 1 is told nothing: up/.* is not slower here'
	expect 0 bench alarms show 1
	has out '^why: slower by '
}
