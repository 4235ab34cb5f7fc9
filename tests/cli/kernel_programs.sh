# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Programs of several kernels: the specifications of the how-to page with kernels that have the signatures of those that
# it is for, and what chains, structures, includes and unchecked results do wrong.

# The JSON of the page that follows `NAME.json`.
specification()
{
	awk -v name="\`$1.json\`" 'index($0, name) == 1 { found = 1 } /^```/ { if (inside) exit; inside = found && $0 == "```json"; next } inside' \
		"$BENCH_SOURCE/docs/how-to/kernel-programs.md" >"$1.json"
	[ -s "$1.json" ] || fail "the page has no $1.json"
}

# run_program STATUS NAME [OPTION]...: NAME.cl with NAME.json.
run_program()
{
	local want=$1 name=$2
	shift 2
	expect "$want" bench run --kernel "$name.cl" --spec "$name.json" -k 1 --budget 0.2s --no-store --watch no "$@"
}

# passes NAME METRIC.. [OPTION..]: has these metrics.
passes()
{
	local name=$1 metrics=$2 metric
	shift 2
	run_program 0 "$name" --format csv "$@"
	for metric in time $metrics; do
		has out "/$metric\"?,.*,ok,"
	done
}

test_the_specifications_of_the_page_fit_kernels_of_their_signatures()
{
	specification atax
	[ "$(wc -l <atax.json)" -le 25 ] || fail "a chain of two kernels takes more than 25 lines"
	cat >atax.cl <<-'END'
		typedef float real;
		kernel void atax_kernel1(global real *A, global real *x, global real *t, int rows, int columns)
		{ int r = get_global_id(0); if (r < rows) for (int c = columns - 1; c >= 0; c--) t[r] += A[r * columns + c] * x[c]; }
		kernel void atax_kernel2(global real *A, global real *y, global real *t, int rows, int columns)
		{ int c = get_global_id(0); if (c < columns) for (int r = rows - 1; r >= 0; r--) y[c] += A[r * columns + c] * t[r]; }
	END
	passes atax 'device_time_atax_kernel1 device_time_atax_kernel2' --set n=128
	specification jacobi2D
	cat >jacobi2D.cl <<-'END'
		#define INSIDE(k) ((k) > 0 && (k) < n - 1)
		kernel void runJacobi2D_kernel1(global float *a, global float *b, int n)
		{ int c = get_global_id(0), r = get_global_id(1), at = r * n + c;
		  if (INSIDE(r) && INSIDE(c)) b[at] = (a[at - n] + a[at - 1] + a[at] + a[at + 1] + a[at + n]) / 5; }
		kernel void runJacobi2D_kernel2(global float *a, global float *b, int n)
		{ int c = get_global_id(0), r = get_global_id(1), at = r * n + c; if (INSIDE(r) && INSIDE(c)) a[at] = b[at]; }
	END
	passes jacobi2D 'device_time_runjacobi2d_kernel1 device_time_runjacobi2d_kernel2' --set n=60 --set steps=7
	specification gaussian
	cat >gaussian.cl <<-'END'
		kernel void Fan1(global float *m, global float *a, global float *b, const int n, const int t)
		{ int r = get_global_id(0) + t + 1; if (r < n) m[r * n + t] = a[r * n + t] / a[t * n + t]; }
		kernel void Fan2(global float *m, global float *a, global float *b, const int n, const int t)
		{ int r = get_global_id(0) + t + 1, c = get_global_id(1) + t;
		  if (r < n && c < n) a[r * n + c] -= m[r * n + t] * a[t * n + c];
		  if (r < n && c == t) b[r] -= m[r * n + t] * b[t]; }
	END
	passes gaussian 'device_time_fan1 device_time_fan2' --set n=32
	specification bfs
	cat >bfs.cl <<-'END'
		typedef struct { int starting, no_of_edges; } Node;
		kernel void BFS_1(const global Node *nodes, const global int *edges, global char *now, global char *next, global char *seen,
		                  global int *cost, const int n)
		{ int v = get_global_id(0); if (v >= n || !now[v]) return; now[v] = 0;
		  for (int e = 0; e < nodes[v].no_of_edges; e++) { int to = edges[nodes[v].starting + e];
		    if (!seen[to]) { cost[to] = cost[v] + 1; next[to] = 1; } } }
		kernel void BFS_2(global char *now, global char *next, global char *seen, global char *over, const int n)
		{ int v = get_global_id(0); if (v < n && next[v]) { now[v] = seen[v] = *over = 1; next[v] = 0; } }
	END
	passes bfs 'device_time_bfs_1 device_time_bfs_2' --set n=1000
	specification add
	cat >add.cl <<-'END'
		kernel void kernel_add(global char *a, ulong fa, global char *b, ulong fb, global char *d, ulong fd, int ne00, int ne01, int ne02,
			int ne03, ulong nb00, ulong nb01, ulong nb02, ulong nb03, int ne10, int ne11, int ne12, int ne13, ulong nb10, ulong nb11,
			ulong nb12, ulong nb13, int ne0, int ne1, int ne2, int ne3, ulong nb0, ulong nb1, ulong nb2, ulong nb3)
		{ int row = get_group_id(0);
		  for (int k = get_local_id(0); k < ne0; k += get_local_size(0))
		    *(global float *)(d + fd + row * nb1 + k * nb0) = *(global float *)(a + fa + row * nb01 + k * nb00) +
		      *(global float *)(b + fb + row % ne11 * nb11 + k % ne10 * nb10); }
	END
	passes add device_time_kernel_add --set n=100
	specification convert
	cat >convert.cl <<-'END'
		struct block_mxfp4 { uchar e; uchar qs[16]; };
		kernel void kernel_convert_block_mxfp4(global struct block_mxfp4 *from, global uchar *q, global uchar *e)
		{ size_t b = get_global_id(0); e[b] = from[b].e; for (int k = 0; k < 16; k++) q[16 * b + k] = from[b].qs[k]; }
	END
	passes convert '' --set n=100
	specification convolution
	cat >convolution.cl <<-'END'
		kernel void simpleConvolution(global uint *out, global uint *in, global float *mask, const uint2 size, const uint2 width)
		{ int x = get_global_id(0) % size.x, y = get_global_id(0) / size.x; float sum = 0.5f;
		  for (int r = y - 1; r <= y + 1; r++) for (int c = x - 1; c <= x + 1; c++)
		    if (r >= 0 && c >= 0 && r < (int)size.y && c < (int)size.x) sum += in[r * size.x + c] * mask[(r - y + 1) * width.x + c - x + 1];
		  out[get_global_id(0)] = (uint)sum; }
	END
	passes convolution '' --set n=20
	specification blur
	cat >blur.cl <<-'END'
		kernel void blur_box_horizontal(read_only image2d_t in, write_only image2d_t out, int r)
		{ int x = get_global_id(0), y = get_global_id(1), from = max(x - r, 0), to = min(x + r + 1, get_image_width(in));
		  uint4 sum = (to - from) / 2; for (int c = from; c < to; c++) sum += read_imageui(in, (int2)(c, y));
		  write_imageui(out, (int2)(x, y), sum / (uint)(to - from)); }
	END
	passes blur '' --set n=20 --set r=2,4
}

# A chain x -> t -> y whose second kernel has another body.
write_chain()
{
	cat >chain.cl <<-END
		kernel void first(global const float *x, global float *t) { size_t i = get_global_id(0); t[i] = 2 * x[i]; }
		kernel void second(global const float *t, global float *y, int n) { size_t i = get_global_id(0); $1; }
	END
	cat >chain.json <<-END
		{"params": {"n": 64}, "global": "n", "args": [{"name": "x", "type": "float", "shape": "n"},
		 {"name": "t", "type": "float", "shape": "n", "access": "scratch"},
		 {"name": "y", "type": "float", "shape": "n", "access": "out", "check": ${2:-"\"2 * x[i] + 1\""}}],
		 "launches": [{"kernel": "first", "args": ["x", "t"]}, {"kernel": "second", "args": ["t", "y", "(int)n"]}]}
	END
}

test_what_a_launch_of_a_chain_does_wrong_names_it()
{
	write_chain 'y[i] = t[i] + 1'
	passes chain 'device_time_first device_time_second'
	write_chain 'y[i + (i == 63)] = t[i] + 1'
	run_program 4 chain
	has out 'launch 2, kernel second, wrote past the end of y: at y\[64\]'
	write_chain 'y[i] = t[i] + 1; ((global float *)t)[i - 100 * n] = 0'
	run_program 4 chain
	has out 'launch 2, kernel second, wrote in front of t'
	write_chain 'if (i != 9) y[i] = t[i] + 1'
	run_program 4 chain
	has out 'incorrect.*y\[9\] was never written'
	sed -i 's/t\[i\] = 2/if (i) t[i] = 2/' chain.cl
	run_program 4 chain
	has out 'incorrect: .*y\[0\]'
	write_chain 'y[i] = t[i] + 1'
	sed -i 's/t\[i\] = 2 \* x\[i\]/t[i] = 2 * x[i]; ((global float *)x)[5] = 0/' chain.cl
	run_program 4 chain
	has out 'launch 1, kernel first, wrote to x, at x\[5\]: its access is "in"'
	write_chain 'y[i] = t[i] + 1'
	sed -i 's/"launches"/"local": 5, "launches"/' chain.json
	run_program 2 chain
	has err 'chain.json:1:.*64 work-items are no multiple of groups of 5'
}

test_a_chain_runs_in_the_simulator()
{
	needs_oclgrind
	write_chain 'y[i] = t[i] + 1'
	run_program 0 chain --validate --set n=16
	write_chain 'y[i] = t[i + (i == 15)] + 1 > 100 ? 0 : t[i] + 1'
	run_program 4 chain --validate --set n=16
	has out 'Invalid read of size 4.*kernel second'
}

test_a_loop_that_never_stops_fails_at_its_bound()
{
	cat >loop.cl <<-'END'
		kernel void advance(global int *count, int limit, int k) { if (count[0] < limit && count[0] == k) count[0]++; }
	END
	cat >loop.json <<-'END'
		{"params": {"limit": [5, 200]}, "global": 1,
		 "args": [{"name": "count", "type": "int", "shape": 1, "access": "inout", "fill": 0, "check": "limit"}],
		 "launches": [{"for": "k", "to": 100, "until": "count[0] >= 200 || count[0] == 5 && 1",
		  "launches": [{"args": ["count", "(int)limit", "(int)k"]}]}]}
	END
	passes loop '' --set limit=5
	sed -i 's/ || count\[0\] == 5 && 1//' loop.json
	run_program 4 loop --set limit=200
	has out 'failed.*loop.json:3:.*until: it never held: the loop reached its bound'
	sed -i 's/"count\[0\] >= 200"/"count[1] == 0"/' loop.json
	run_program 2 loop
	has out 'failed.*until: count\[1\] is outside of the array'
}

test_swapped_buffers_are_checked_by_their_names()
{
	cat >swap.cl <<-'END'
		kernel void advance(global const float *a, global float *b) { size_t i = get_global_id(0); b[i] = a[i] + 1; }
	END
	cat >swap.json <<-'END'
		{"params": {"steps": [1, 2, 7]}, "global": 8, "args": [
		 {"name": "a", "type": "float", "shape": 8, "access": "inout", "check": "a[i] + steps"},
		 {"name": "b", "type": "float", "shape": 8, "access": "scratch"}],
		 "launches": [{"to": "steps", "launches": [{"args": ["a", "b"]}, {"swap": ["a", "b"]}]}]}
	END
	passes swap ''
	has out 'steps=7/time,.*,ok,'
	sed -i 's/a\[i\] + steps/a[i] + steps + (steps == 7)/' swap.json
	run_program 4 swap --set steps=2,7
	has out '1 ok, 1 incorrect'
}

test_structures_are_compared_with_the_source()
{
	cat >item.cl <<-'END'
		struct pair { int key; float2 at; uchar bits[3]; };
		kernel void k(global const struct pair *in, struct pair one, global struct pair *out)
		{ size_t i = get_global_id(0); out[i].key = in[i].key + one.key; out[i].at = in[i].at * one.at;
		  for (int b = 0; b < 3; b++) out[i].bits[b] = in[i].bits[b]; }
	END
	cat >good.json <<-'END'
		{"structs": {"pair": {"key": "int", "at": "float2", "bits": "uchar[3]"}}, "global": 16, "args": [
		 {"name": "in", "type": "pair", "shape": 16, "fill": {"key": "i"}},
		 {"name": "one", "type": "pair", "value": {"key": 7, "at": [2, 3], "bits": 0}},
		 {"name": "out", "type": "pair", "shape": 16, "access": "out", "check": {"key": "in.key[i] + 7",
		  "at": "in.at[i0, i1] * (2 + i1)", "bits": "in.bits[i]"}}]}
	END
	cp good.json item.json
	passes item ''
	local wrong words
	while IFS='|' read -r wrong words; do
		sed "$wrong" good.json >item.json
		run_program 2 item
		has out "item.json:2:2: args: item.cl: argument 1 ..in.. of kernel k: structure .struct pair. of the source $words"
		has_not out '/time'
	done <<-'END'
		s/"key": "int"/"key": "float"/|has .key. at byte 0, 4 bytes of int, and that of the specification at byte 0, 4 bytes of float
		s/"key": "int"/"key": "long"/|has .key. at byte 0, 4 bytes of int
		s/"uchar\[3\]"/"uchar[5]"/|has .bits. at byte 16, 3 bytes of uchar, .*5 bytes
		s/"key": "int", "at": "float2"/"at": "float2", "key": "int"/|has .at. at byte 8
		s/"key"/"kee"/g; s/[.]key/.kee/|has no field .kee. that is one number
		s/"float2"/"float[2]"/|has .at. at byte 8, .*at byte 4
	END
	sed 's/, "bits": "uchar\[3\]"//; s/, "bits": 0//; s/, "bits": "in.bits\[i\]"//' good.json >item.json
	run_program 2 item
	has out 'structure .struct pair. of the source has 24 bytes, and that of the specification 16'
}

test_bytes_may_hold_structures_and_a_bool_is_one()
{
	cat >b.cl <<-'END'
		/* bench {"structs": {"block": {"scale": "float", "q": "char[4]"}}, "kernel": "b", "global": 8,
		 * "args": [{"name": "x", "type": "block", "declared": "char", "shape": 8, "fill": {"scale": "0.5 + i0", "q": "i1 + 1"}},
		 * {"name": "stop", "type": "uchar", "shape": 1, "access": "out", "check": 1},
		 * {"name": "y", "type": "float", "shape": 8, "access": "out", "check": "x.scale[i] * sum(k, 0, 4, x.q[i, k])"}]} */
		typedef struct { float scale; char q[4]; } block;
		kernel void b(global char *x, global bool *stop, global float *y)
		{
			global block *at = (global block *)x + get_global_id(0);
			stop[0] = true;
			y[get_global_id(0)] = at->scale * (at->q[0] + at->q[1] + at->q[2] + at->q[3]);
		}
	END
	run() { expect "$1" bench run --kernel b.cl -k 1 --budget 0.2s --no-store --watch no --format csv; }
	run 0
	has out 'b/opencl:.*/time,.*,ok,'
	sed -i 's/, "declared": "char"//' b.cl
	run 2
	has out "b.cl:2:13: args: .*a buffer of block in the specification: its 'type' is .*or it is .*declared"
	sed -i 's/"type": "block"/"type": "block", "declared": "char"/; s/"type": "uchar"/"type": "uint"/' b.cl
	run 2
	has out "argument 2 .?.stop.* of kernel b is .global bool .. in the source, .*its 'type' is .*uchar"
}

test_files_of_the_project_travel_with_the_kernel()
{
	mkdir -p project/kernels project/lib outside
	touch project/.bench.json outside/secret.h
	echo '{}' >project/.bench.json
	printf '#pragma once\n#include "types.h"\nreal twice(real x) { return 2 * x; }\n' >project/lib/twice.h
	printf 'typedef float real;\n' >project/lib/types.h
	printf 'kernel void plain(global const float *x, global float *y) { y[get_global_id(0)] = x[get_global_id(0)] * 2; }\n' >project/lib/plain.cl
	cat >project/kernels/k.cl <<-'END'
		/* bench {"args": [{"name": "x", "type": "float", "shape": 8}, {"name": "y", "type": "float", "shape": 8, "access": "out"}],
		 * "kernel": "k", "sources": ["../lib/plain.cl"], "reference": {"kernel": "plain"}, "global": 8} */
		#include "../lib/twice.h"
		# include "../lib/twice.h"
		#if 0
		#include "nowhere.h"
		#endif
		kernel void k(global const real *x, global real *y) { y[get_global_id(0)] = twice(x[get_global_id(0)]); }
	END
	run() { expect "$1" bench run --kernel project/kernels/k.cl -k 1 --budget 0.2s --no-store --watch no --format csv; }
	run 0
	has out 'k/opencl:.*/time,.*,ok,'
	# Some libraries' headers have megabytes.
	head -c 3000000 /dev/zero | tr '\0' '\n' >>project/lib/types.h
	run 0
	has out 'k/opencl:.*/time,.*,ok,'
	head -c 6000000 /dev/zero | tr '\0' '\n' >>project/lib/types.h
	run 2
	has err "types.h': 9000[0-9]* bytes, more than the limit of 8388608"
	echo 'typedef float real;' >project/lib/types.h
	sed -i 's/2 \* x/2 * z/' project/lib/twice.h
	run 4
	has out 'project/kernels/../lib/twice.h:3:33: error'
	sed -i 's/2 \* z/2 * x/' project/lib/twice.h
	sed -i 's/= twice(/= thrice(/' project/kernels/k.cl
	run 4
	has out 'project/kernels/k.cl:8:[0-9]*: error'
	sed -i 's/^#if 0/#if 1/' project/kernels/k.cl
	run 4
	has out 'project/kernels/k.cl:6:2: error: .*there is no file .*nowhere.h'
	sed -i 's/nowhere.h/..\/..\/outside\/secret.h/' project/kernels/k.cl
	run 2
	has err "project/kernels/k.cl:6:1: what a kernel includes lies in the folder of its project"
	ln -s ../../outside/secret.h project/kernels/link.h
	sed -i 's/"..\/..\/outside\/secret.h"/"link.h"/' project/kernels/k.cl
	run 2
	has err 'k.cl:6:1: what a kernel includes lies in the folder'
	sed -i 's/"link.h"/<math.h>/' project/kernels/k.cl
	run 4
	has out 'k.cl:6:2: error: a kernel includes files of its project'
	sed -i '3i #include <math.h>' project/kernels/k.cl
	run 2
	has err 'k.cl:3:1: a kernel includes files of its project'
	sed -i '3s/<math.h>/"nothere.h"/' project/kernels/k.cl
	run 2
	has err 'k.cl:3:1: there is no file "nothere.h"'
	sed -i 3d project/kernels/k.cl
	sed -i 's/<math.h>/"k.cl"/' project/kernels/k.cl
	run 2
	has err 'includes within includes, too many: does a file include itself'
	sed -i 's/plain.cl/plan.cl/; /k.cl"/d' project/kernels/k.cl
	run 2
	has err "k.cl:2:31: there is no file '../lib/plan.cl'"
	sed -i 's/..\/lib\/plan.cl/..\/..\/outside\/secret.h/' project/kernels/k.cl
	run 2
	has err "is outside of the project's folder"
}

test_what_nobody_checks_is_named_wherever_it_is_shown()
{
	write_chain 'y[i] = t[i] + 1' '"none"'
	expect 0 bench run --kernel chain.cl --spec chain.json -k 1 --budget 0.2s --watch no --db h.db
	has out '^unchecked: 1 case .*nothing says what must be in y'
	expect 0 bench show last --format markdown --db h.db
	has out 'unchecked.*nothing says what must be in y'
	expect 0 bench show last --wide --db h.db
	has out 'unchecked.*nothing says what must be in y'
	expect 0 bench show last --format csv --db h.db
	has out '/time,.*,ok,nothing says what must be in y,'
	[ "$(json runs/*/metrics.json 'j["results"][0]["check"]["method"][:4]')" = none ] || fail "the check has another method"
	bench run --kernel chain.cl --spec chain.json -k 1 --budget 0.2s --watch no --db h.db >/dev/null 2>&1
	bench compare last --db h.db --baseline rolling:5 >out 2>err || true
	has out 'unchecked: 1 case, of which "check": "none" accepts any result'
	bench gate --kernel chain.cl --spec chain.json --preset quick --budget 1s --watch no --db g.db >out 2>err || true
	bench gate --kernel chain.cl --spec chain.json --preset quick --budget 1s --watch no --db g.db >out 2>err || true
	has err '^gate: .*; 1 case unchecked'
	has out 'unchecked: 1 case'
}

# A name of any length is a metric, and a condition may look at every element of a buffer.
test_a_loop_ends_when_no_element_is_left()
{
	cat >spread.cl <<-'END'
		kernel void spread_the_mark_to_the_next_element(global int *mark, global int *seen)
		{ int i = get_global_id(0); if (mark[i]) { mark[i] = 0; seen[i] = 1; if (i % 64 < 8) mark[i + 1] = 2; } }
	END
	cat >spread.json <<-'END'
		{"params": {"n": 4096}, "args": [
		 {"name": "mark", "type": "int", "shape": "n + 1", "access": "inout", "fill": "i % 64 == 0 && i < n", "check": 0},
		 {"name": "seen", "type": "int", "shape": "n", "access": "inout", "fill": 0, "check": "i % 64 <= 8"}],
		 "global": "n", "launches": [{"to": 100, "until": "sum(k, 0, n, mark[k] != 0) == 0", "launches": [{}]}]}
	END
	passes spread device_time_spread_the_mark_to_the_next_element
}
