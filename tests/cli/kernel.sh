# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Kernels of users: the how-to page as it stands, and what is refused or fails.

# Commands of blocks of `sh` and the file of the block of `opencl` in a page.
block()
{
	awk -v kind="$1" '/^```/ { inside = $0 == "```" kind; next } inside' "$BENCH_SOURCE/docs/how-to/your-kernel.md"
}

test_the_how_to_page_does_what_it_says()
{
	local line status
	block opencl >saxpy.cl
	[ "$(wc -l <saxpy.cl)" -le 20 ] || fail "more than 20 lines"
	block sh >commands
	[ "$(wc -l <commands)" -le 4 ] || fail "more than five commands"
	while read -r line; do
		status=0
		bash -c "$line" >out 2>err </dev/null || status=$?
		case $line:$status in
		*list*:0 | *run*:0) has out saxpy ;;
		*tonight:7) has err 'the next gate has' ;;
		*night:[016]) has out 'against the kept build' ;;
		*) cat err >&2 && fail "exit status $status: $line" ;;
		esac
	done <commands
	expect 0 bench list metrics
	has out 'saxpy/opencl:.*/n=4096/time'
	for line in runs/*/metrics.json; do
		[ "$(json "$line" 'json.loads(j["run"]["selection"]["extensions"][0])["kind"]')" = kernel ] || fail "$line does not hold its kernel"
	done
}

test_a_start_runs_and_is_not_written_over()
{
	expect 0 bench new kernel start
	has out 'bench run --kernel start.cl'
	head -3 start.cl >comment
	has comment 'A template, whatever its name: it computes saxpy'
	for kind in function suite backend; do
		expect 0 bench new $kind a_$kind
		head -3 a_$kind.c >comment
		has comment 'A template, whatever its name: '
	done
	expect 0 bench run --kernel start.cl --set n=1000 -k 1 --budget 0.2s --no-store --watch no --format csv
	has out '^"?start/opencl.*/n=1000/time'
	expect 2 bench new kernel start
	has err 'start.cl exists already'
	expect 2 bench new kernel Start
	expect 2 bench new kernle start
	has err "did you mean 'kernel'"
	expect 2 bench new
}

# A file k.cl that copies, with other specifications and bodies.
write_kernel()
{
	cat >k.cl <<-END
		/* bench {"params": {"n": 64}, "args": [{"name": "x", "type": "float", "shape": "n"},
		 * {"name": "y", "type": "float", "shape": "n", "access": "out", "check": "x[i]"}], $1} */
		kernel void copy(global const float *x, global float *y)
		{ size_t i = get_global_id(0); $2; }
	END
}

run_kernel()
{
	local want=$1
	shift
	expect "$want" bench run --kernel k.cl -k 1 --budget 0.2s --no-store --watch no --format csv "$@"
}

test_each_case_says_how_it_is_repeated()
{
	write_kernel '"global": "n"' 'y[i] = x[i]'
	sed -n 's/.*bench {/{/; 1,2p' k.cl | sed '1s/^[^{]*//; s/^\t* \* //; 2s/ \*\/$//' >'its spec.json'
	sed '1,2d' k.cl >plain.cl
	expect 0 bench run --kernel plain.cl --spec 'its spec.json' --kernel k.cl --suite k -k 1 --budget 0.2s --no-store --watch no --repeat
	sed -n "s/^ *\(bench run .*\)/\1 -k 1 --budget 0.2s --no-store --watch no/p" out >again
	has again "bench run --kernel plain.cl --spec 'its spec.json' --kernel k.cl --suite k --backend opencl:0 --set n=64"
	expect 0 bash again
	has out '1 case: 1 ok'
}

test_an_error_behind_a_thousand_warnings_is_said_first()
{
	write_kernel '"global": "n"' 'y[i] = x[i]'
	{ head -n 2 k.cl; for ((i = 0; i < 1000; i++)); do printf '#warning "%0200d"\n' $i; done; echo '#error this one'; tail -n +3 k.cl; } >long.cl
	mv long.cl k.cl
	run_kernel 4
	has out 'k.cl:1003:2: error: .*this one'
	[ "$(wc -c <out)" -lt 20000 ] || fail "$(wc -c <out) bytes"
}

test_what_a_kernel_does_wrong_is_no_number()
{
	write_kernel '"global": "n"' 'y[i] = i == 7 ? 9 : x[i]'
	run_kernel 4
	has out 'incorrect.*y\[7\] is 9'
	write_kernel '"global": "n"' 'if (i != 7) y[i] = x[i]'
	run_kernel 4
	has out 'incorrect.*y\[7\] was never written'
	write_kernel '"global": "n + 8"' 'y[i] = x[i]'
	run_kernel 4
	has out 'failed.*wrote past the end of y: at y\[64\]'
	write_kernel '"global": "n"' 'y[i] = x[i]; while (y[i] < 2) y[i] = 1'
	run_kernel 4 --time-limit 1s
	has out 'failed.*--time-limit'
	write_kernel '"global": "n"' 'y[i] = z[i]'
	run_kernel 4
	has out 'k.cl:4:39: error'
	has_not out '/time'
	[ ! -e results.db ] || fail "there is a history"
}

test_integers_of_64_bits_are_compared_to_the_last_one()
{
	write() # REFERENCE CHECK DIFFERENCE
	{
		cat >u.cl <<-END
			/* bench {"params": {"n": [8]}, "global": "n", "kernel": "u", $1
			 * "args": [{"name": "x", "type": "ulong", "shape": "n", "fill": 0}, {"name": "y", "type": "ulong", "shape": "n", "access": "out"$2}]} */
			kernel void u(global const ulong *x, global ulong *y) { size_t i = get_global_id(0); y[i] = x[i] + 0x8000000000000000UL + i + (i == 5 ? $3 : 0); }
			kernel void other(global const ulong *x, global ulong *y) { y[get_global_id(0)] = x[get_global_id(0)] + 0x8000000000000000UL + get_global_id(0); }
		END
	}
	run() { expect "$1" bench run --kernel u.cl -k 1 --budget 0.2s --no-store --watch no --format csv; }
	write '"reference": {"kernel": "other"},' '' 0
	run 0
	write '"reference": {"kernel": "other"},' '' 1
	run 4
	has out 'y\[5\] is 9223372036854775814, not 9223372036854775813'
	write '' ', "check": {"file": "y.bin"}' 0
	python3 -c 'import array; array.array("Q", (2**63 + i for i in range(8))).tofile(open("y.bin", "wb"))'
	run 0
	write '' ', "check": {"file": "y.bin"}' 1
	run 4
	has out 'incorrect,"error 1, tolerance 0 .y\[5\] is '
	# An expression has no more than 53 bits, and says so.
	write '' ', "check": "x[i] + 9223372036854775808 + i"' 0
	run 2
	has out 'expressions are exact to 2.53; a file or a reference checks larger integers'
}

test_a_file_says_what_must_come_out()
{
	mkdir sub
	write_kernel '"global": "n"' 'y[i] = i + (n == 8)'
	sed 's/"check": "x\[i\]"/"check": {"file": "y-{n}.bin"}/; s/{ size_t i/{ size_t n = get_global_size(0), i/' k.cl >sub/f.cl
	python3 -c 'import array; [array.array("f", range(n)).tofile(open(f"sub/y-{n}.bin", "wb")) for n in (4, 8)]'
	cp sub/y-4.bin sub/y-5.bin
	expect 4 bench run --kernel sub/f.cl --set n=4,5,6,8 -k 1 --budget 0.2s --no-store --watch no --format csv
	has out 'f/opencl:[^/]*/n=4/time'
	has out 'n=5,.*failed.*y-5.bin has 16 bytes, and y 20'
	has out 'n=6,.*failed.*sub/f.cl:2:[0-9]*: file: .*y-6.bin'
	has out 'n=8,.*incorrect.*y\[0\] is 1, not 0'
}

test_the_simulator_sees_a_read_past_the_end()
{
	needs_oclgrind
	write_kernel '"global": "n"' 'y[i] = x[i + 1] > 100 ? 0 : x[i]'
	expect 4 bench run --kernel k.cl --validate --budget 0.1s --format csv
	has out 'failed.*Invalid read of size 4.*kernel copy'
}

test_what_is_refused_says_where()
{
	write_kernel '"globl": "n"' 'y[i] = x[i]'
	run_kernel 2
	has err "k.cl:2:[0-9]+: the spec has no member 'globl'; did you mean 'global'"
	write_kernel '"global": "n /"' 'y[i] = x[i]'
	run_kernel 2
	has err 'k.cl:2:[0-9]+: global: expected a number'
	expect 2 bench list cases --kernel k.cl
	write_kernel '"global": "n", "params"' 'y[i] = x[i]'
	run_kernel 2
	has err 'k.cl:2:[0-9]+: not valid JSON'
	write_kernel '"global": "n"' 'y[i] = x[i]'
	run_kernel 2 --set n=1000000000000
	has err memory
	run_kernel 2 --set m=3
	run_kernel 3 --backend openblas
	has err 'no backend of this run has cases of k'
	run_kernel 2 --spec nothere.json
	has err 'nothere.json'
	run_kernel 2 --spec k.json --spec k.json
	has err 'follows its --kernel'
	expect 2 bench run --spec k.json --kernel k.cl
	expect 2 bench run --spec k.json --kernel k.cl --kernel k.cl
	has err 'follows its --kernel'
	has err 'follows its --kernel'
	echo '{"args": 3}' >k.json
	run_kernel 2 --spec k.json
	has err "k.json:1:10: .*'args'"
	printf '{"args": "\377"}' >k.json
	run_kernel 2 --spec k.json
	has err 'k.json:1:11: .*UTF-8'
	sed -i '3i #include <other.h>' k.cl
	run_kernel 2
	has err 'k.cl:3:1: .*files of its project'
	printf 'kernel void k(global float *y) { y[0] = 1; }\n' >k.cl
	run_kernel 2
	has err 'no specification'
	printf 'kernel void k\0() {}\n' >k.cl
	run_kernel 2
	has err 'k.cl:1:14: this is no text'
	expect 2 bench run --kernel nothere.cl
	has err nothere.cl
	expect 2 bench run --kernel .
	expect 2 bench duel "$BENCH" "$BENCH" --kernel k.cl
	[ ! -e runs ] || fail "there is a run"
	write_kernel '"name": "gemm", "global": "n"' 'y[i] = x[i]'
	run_kernel 2
	has err "k.cl:2:[0-9]+: name: there is a suite 'gemm' already"
}

test_what_would_pass_unseen_is_refused()
{
	local want spec words
	write() # SPEC-MEMBERS X-MEMBERS Y-MEMBERS
	{
		cat >u.cl <<-END
			/* bench {"params": {"n": [64]}, $1,
			 * "args": [{"name": "x", "type": "float", "shape": "n"$2}, {"name": "y", "type": "uchar", "shape": "n", "access": "out"$3}]} */
			/* kernel void old(global float *x) is gone; "kernel void text(" */
			// kernel void of branches
			int helper(int i) { return i; }
			kernel void u(global const float *x, global uchar *y) { y[helper(get_global_id(0))] = 7; }
		END
	}
	run()
	{
		expect "$1" bench run --kernel u.cl -k 1 --budget 0.2s --no-store --watch no
		cat out err >all
	}
	# The first kernel is that of the code, and not one of a comment.
	write '"global": "n"' '' ', "check": 7'
	run 0
	while IFS='|' read -r want spec words; do
		write "$spec" '' ', "check": 7'
		run "$want"
		has all "$words"
	done <<-'END'
		2|"global": "n", "kernel": "helper"|u.cl, once compiled, has no kernel 'helper': it has u
		2|"global": ["n * 1048576", "n * 1048576", "n * 1048576"]|u.cl:1:[0-9]+: global: more than 2.64 work-items
		2|"global": "n", "name": "all"|u.cl:1:[0-9]+: name: a suite cannot be called 'all'
		2|"global": "n", "launches": [{"to": 2.5, "launches": [{}]}]|u.cl:1:[0-9]+: to: from 0 to 2.5 are no rounds
		2|"global": "n", "launches": [{"to": 2, "until": "0 / 0", "launches": [{}]}]|u.cl:1:[0-9]+: until: it comes to no number
		2|"global": "n", "options": "-DT={T}", "tune": {"T": [0, 1]}, "constraints": ["n % T"]|u.cl:1:[0-9]+: constraints: it comes to no number
		2|"global": "n", "reference": {"kernel": "u"}|u.cl:1:[0-9]+: the reference is the kernel itself
	END
	write '"global": "n"' ', "fill": 1e39' ', "check": 7'
	run 2
	has all 'u.cl:2:[0-9]+: fill: 1e.39 does not fit x.0., of type float'
	write '"global": "n"' '' ', "check": 7, "tolerance": 255'
	run 2
	has all 'a tolerance of 255 accepts anything in y'
	sed 's/"access": "out".*/"access": "out", "check": 7}, {"name": "z", "type": "int", "value": []}]} *\//' u.cl >v.cl
	expect 2 bench run --kernel v.cl -k 1
	has err 'v.cl:2:[0-9]+: an empty list has no value'
	sed -i 's/"value": ..}/"value": 2.5}/; s/global uchar .y)/global uchar *y, int z)/' v.cl
	expect 2 bench run --kernel v.cl -k 1
	cat out err >all
	has all 'v.cl:2:[0-9]+: value: 2.5 does not fit z, of type int: it is no whole number'
}

# Arguments that no specification describes end as a reason, and never as a crash of the process.
test_arguments_are_those_of_the_source()
{
	local argument words
	while IFS='|' read -r argument words; do
		printf '/* bench {"args": [{"name": "a", %s}, {"name": "y", "type": "float", "shape": 8, "access": "out", "check": 1}], "global": 8} */\n' \
			"${argument#*=}" >k.cl
		printf 'struct params { float f; };\nkernel void k(%s, global float *y)\n{ y[get_global_id(0)] = 1; }\n' "${argument%%=*}" >>k.cl
		run_kernel 2
		has out "failed.*k.cl:1:20: args: k.cl: argument 1 ..a.. of kernel k is .*$words"
		has_not out '/time'
	done <<-END
		struct params a="type": "float", "value": 1|its fields in 'structs'
		read_only image2d_t a="type": "float", "shape": 8|type' is ..image2d_t
		sampler_t a="type": "int", "value": 1|type' is ..sampler_t
		float4 a="type": "float", "value": 1|its 'type' is ..float4
		local float *a="type": "float", "shape": 8|'access' is local
		global float *a="type": "float", "value": 1|instead of a 'value'
	END
}

test_variants_are_compared_in_turns_and_a_run_is_taken_up()
{
	write_kernel '"global": "n", "variants": {"first": {}, "second": {"local": 8}}' 'y[i] = x[i]'
	expect 0 bench run --kernel k.cl -k 2 --budget 0.4s --watch no --no-store --format csv
	has out 'variant=second/relative_time'
	# As if it had been killed after the first of its two processes.
	sed -i '0,/"event":"end"/!d' runs/*/samples.jsonl
	rm runs/*/metrics.json
	expect 2 bench run --resume runs/* --no-store --format csv
	expect 0 bench run --kernel k.cl --resume runs/* --no-store --format csv
	has out 'variant=second/relative_time'
}

test_a_source_with_a_byte_order_mark_and_a_latin_comment_is_measured()
{
	write_kernel '"global": "n"' 'y[i] = x[i]'
	printf '\357\273\277// Copyright \251 2012, M\374ller\n' | cat - k.cl >marked.cl
	mv marked.cl k.cl
	run_kernel 0
	has out '/time.*,ok,'
}

test_what_cannot_be_is_answered_by_the_line_that_asks_for_it()
{
	local member line words
	cat >item.cl <<-'END'
		kernel void copy_every_element_of_the_buffer(global const float *x, global float *y)
		{ size_t i = get_global_id(0); y[i] = x[i]; }
		kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global const float *x, global float *y)
		{ size_t i = get_global_id(0); y[i] = x[i]; }
	END
	while IFS='|' read -r line member words; do
		printf '{"args": [\n{"name": "x", "type": "float", "shape": 64},\n{"name": "y", "type": "float", "shape": 64,\n"access": "out", "check": "x[i]"}],\n"global": 64,\n%s}\n' "$member" >item.json
		expect 2 bench run --kernel item.cl --spec item.json -k 1 --budget 0.2s --no-store --watch no
		cat out >>err
		has err "item.json:$line$words"
	done <<-'END'
		6:|"name": "My-Item"|.*name: suite 'My-Item'
		6:|"name": "gemm"|.*there is a suite 'gemm' already; 'name' gives
		6:|"presets": {"quick": "m=3"}|.*presets: .*'m' is no parameter
		6:|"kernel": "eigth"|.*there is no kernel 'eigth': there are copy_every_element_of_the_buffer, eight; did you mean 'eight'
		6:|"kernel": "eight", "local": 4|.*local: item.cl: kernel eight states the size of its groups .*'local' is \[8, 1, 1\]
		6:|"options": "-no-such-option"|.*options: CL_INVALID_BUILD_OPTIONS
		6:|"kernel": "a\u0000b"|.*a text holds the character
	END
	sed -i 's/"x\[i\]"/"x[i + 1]"/; 6d' item.json
	echo '"local": 8}' >>item.json
	expect 2 bench run --kernel item.cl --spec item.json -k 1 --budget 0.2s --no-store --watch no
	has out 'item.json:4:[0-9]+: check of y.63.: x.64. is outside of the array'
	sed -i 's/"x\[i + 1\]"/"x[i]", "tolerance": 1/' item.json
	expect 2 bench run --kernel item.cl --spec item.json -k 1 --budget 0.2s --no-store --watch no
	has err 'item.json:3:1: args: a tolerance of 1 accepts anything in y'
	# What only the device refuses is no mistake of the specification.
	sed -i 's/, "tolerance": 1//; s/64/1048576/g; s/"local": 8/"local": 1048576/' item.json
	expect 3 bench run --kernel item.cl --spec item.json -k 1 --budget 0.2s --no-store --watch no
	has out 'item.json:6:[0-9]+: local: .*in groups of at most [0-9]+ work-items'
}
