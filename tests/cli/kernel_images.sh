# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Kernels with images and samplers, and with packed and nested structures.

# run_spec STATUS NAME [OPTION]...: NAME.cl with its own specification.
run_spec()
{
	local want=$1 name=$2
	shift 2
	expect "$want" bench run --kernel "$name.cl" -k 1 --budget 0.2s --no-store --watch no --format csv "$@"
}

# The page's example, whose kernel it also has.
test_the_example_of_the_page_runs()
{
	awk '/^```opencl/ { inside = 1; next } /^```/ { inside = 0 } inside' "$BENCH_SOURCE/docs/user-kernels.md" >blur.cl
	[ -s blur.cl ] || fail "the page has no kernel"
	run_spec 0 blur
	has out '/time.*,ok,'
	# The other border is another result.
	sed -i 's/CLAMP_TO_EDGE/CLAMP/' blur.cl
	run_spec 4 blur
	has out 'incorrect.*out\[[0-9]*, [0-9]*, 2\] is '
}

test_an_image_is_compared_as_a_buffer_is()
{
	cat >transpose.cl <<-'END'
		/* bench {"params": {"h": 24, "w": 40}, "args": [
		 * {"name": "from", "type": "image2d_t", "format": "CL_R CL_UNSIGNED_INT32", "shape": ["h", "w"], "fill": "i"},
		 * {"name": "to", "type": "image2d_t", "format": "CL_R CL_UNSIGNED_INT32", "shape": ["w", "h"], "access": "out",
		 *  "check": "from[i1, i0]"}], "global": ["w", "h"]} */
		kernel void transpose(read_only image2d_t from, write_only image2d_t to)
		{
			int2 at = (int2)(get_global_id(0), get_global_id(1));
			write_imageui(to, at.yx, read_imageui(from, at));
		}
	END
	run_spec 0 transpose --set h=24,30
	has out 'h=30,w=40/time.*,ok,'
	sed 's/at.yx, read_imageui(from, at)/at.yx, read_imageui(from, at + at.x \/ 39)/' transpose.cl >wrong.cl
	run_spec 4 wrong
	has out 'incorrect.*to\['
	sed 's/write_imageui/if (at.x + at.y) write_imageui/' transpose.cl >part.cl
	run_spec 4 part
	has out 'incorrect.*to\[0, 0\] is 4294967295, not 0'
	# A write outside is no error of the kernel: OpenCL ignores it.
	sed 's/write_imageui(to/write_imageui(to, at.yx + 1000, 7); write_imageui(to/' transpose.cl >outside.cl
	run_spec 0 outside
}

test_every_kind_of_image_and_channel()
{
	local kind format shape type read at
	while read -r kind format shape type read at; do
		printf '/* bench {"args": [{"name": "from", "type": "%s", "format": "%s", "shape": %s, "fill": "i %% 50"},
			{"name": "s", "type": "sampler_t", "value": "CLK_ADDRESS_CLAMP"},
			{"name": "y", "type": "%s", "shape": [2, 3, 4], "access": "out", "check": "from[i]"}], "global": [4, 3, 2]} */\n' \
			"$kind" "${format/,/ }" "$shape" "$type" >kind.cl
		printf 'kernel void k(read_only %s from, sampler_t s, global %s *y)
			{ int x = get_global_id(0), r = get_global_id(1), d = get_global_id(2), all = x + 4 * (r + 3 * d);
			  y[all] = %s(from, %s); }\n' "$kind" "$type" "$read" "$at" >>kind.cl
		run_spec 0 kind
		has out '/time.*,ok,'
	done <<-'END'
		image3d_t CL_R,CL_FLOAT [2,3,4] float read_imagef s, (int4)(x, r, d, 0)).x + 0 * (0
		image2d_array_t CL_R,CL_SIGNED_INT16 [2,3,4] int read_imagei s, (int4)(x, r, d, 0)).x + 0 * (0
		image2d_t CL_RGBA,CL_UNSIGNED_INT8 [2,3] uint read_imageui s, (int2)(all / 4 % 3, d))[all % 4] + 0 * (0
		image2d_t CL_RGBA,CL_SIGNED_INT8 [3,2] int read_imagei s, (int2)(all / 4 % 2, all / 8))[all % 4] + 0 * (0
		image2d_t CL_RGBA,CL_UNORM_INT8 [2,3] uchar 255.01f*read_imagef s, (int2)(all / 4 % 3, d))[all % 4] + 0 * (0
		image1d_t CL_R,CL_UNSIGNED_INT32 [24] uint read_imageui s, all).x + 0 * (0
		image1d_array_t CL_R,CL_FLOAT [6,4] float read_imagef s, (int2)(x, all / 4)).x + 0 * (0
		image1d_buffer_t CL_RGBA,CL_FLOAT [6] float read_imagef all / 4)[all % 4] + 0 * (0
	END
}

test_images_take_turns()
{
	cat >turns.cl <<-'END'
		/* bench {"params": {"n": 16, "steps": 3}, "args": [
		 * {"name": "a", "type": "image2d_t", "format": "CL_R CL_FLOAT", "shape": ["n", "n"], "access": "inout", "check": "a[i] + steps"},
		 * {"name": "b", "type": "image2d_t", "format": "CL_R CL_FLOAT", "shape": ["n", "n"], "access": "scratch"}],
		 * "global": ["n", "n"], "launches": [{"to": "steps", "launches": [{"kernel": "add"}, {"swap": ["a", "b"]}]}]} */
		kernel void add(read_only image2d_t a, write_only image2d_t b)
		{ int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagef(b, at, read_imagef(a, at) + 1); }
	END
	run_spec 0 turns
	has out '/device_time_add.*,ok,'
	sed 's/"swap": \["a", "b"\]/"set": "a", "value": 0/' turns.cl >set.cl
	run_spec 2 set
	has err "set.cl:4:[0-9]+: 'a' is an image: it cannot be set"
	sed 's/{"to": "steps", /&"until": "a[0, 0] > 2", /' turns.cl >until.cl
	run_spec 2 until
	has err "until.cl:4:[0-9]+: until: there is no name 'a'"
	sed '0,/CL_FLOAT/s//CL_HALF_FLOAT/' turns.cl >other.cl
	run_spec 2 other
	has err 'a and b cannot be swapped'
}

test_a_device_without_such_images_says_so()
{
	printf '/* bench {"args": [{"name": "y", "type": "image2d_t", "format": "CL_INTENSITY CL_SIGNED_INT8", "shape": [4, 4],
		"access": "out", "check": 1}], "global": 4} */
		kernel void k(write_only image2d_t y) { write_imagei(y, (int2)(0, 0), 1); }\n' >none.cl
	run_spec 3 none
	has out 'unsupported.*has no image2d_t of format CL_INTENSITY CL_SIGNED_INT8 that kernels can write to'
	sed -i 's/CL_INTENSITY CL_SIGNED_INT8/CL_R CL_FLOAT/; s/write_imagei/write_imagef/; s/\[4, 4\]/[1, 4000000]/' none.cl
	run_spec 3 none
	has out 'unsupported.*has no image2d_t of 4000000 x 1 x 1 texels'
}

write_structures()
{
	cat >box.cl <<-'END'
		/* bench {"params": {"n": 8, "scale": 3},
		 * "structs": {"point": {"x": "float", "y": "float"}, "near": {"number": "int", "at": "point", "weights": "float[3]"},
		 *   "box": {"id": "char", "known": "uchar", "home": "point", "count": "int", "near": "near[2]"},
		 *   "tight": {"packed": true, "tag": "uchar", "value": "double", "at": "point"}},
		 * "args": [{"name": "p", "type": "tight", "value": {"tag": 7, "value": "scale", "at.x": 1, "at.y": 2}},
		 * {"name": "boxes", "type": "box", "shape": "n", "fill": {"id": "i", "known": "i % 2", "home.x": "i / 2", "near.number": "10 * i0 + i1"}},
		 * {"name": "sums", "type": "float", "shape": "n", "access": "out",
		 *  "check": "scale * boxes.home.x[i] + boxes.near.weights[i, 5] + boxes.near.at.y[i, 1] + boxes.known[i] + 7 + 2"},
		 * {"name": "out", "type": "tight", "shape": "n", "access": "out", "check": {"tag": "boxes.near.number[i, 1]",
		 *  "value": "boxes.near.number[i, 0] * 3", "at.x": "boxes.home.y[i]", "at.y": "boxes.id[i]"}}], "global": "n"} */
		typedef struct { float x, y; } point;
		struct near { int number; point at; float weights[3]; };
		struct box { char id; bool known; point home; int count; struct near near[2]; };
		typedef struct __attribute__((packed)) { uchar tag; double value; point at; } tight;
		kernel void k(tight p, global const struct box *boxes, global float *sums, global tight *out)
		{
			size_t i = get_global_id(0);
			global const struct box *b = boxes + i;
			sums[i] = p.value * b->home.x + b->near[1].weights[2] + b->near[1].at.y + b->known + p.tag + p.at.y;
			out[i] = (tight){b->near[1].number, 3 * b->near[0].number, {b->home.y, b->id}};
		}
	END
}

test_packed_and_nested_structures()
{
	local line words
	write_structures
	run_spec 0 box
	has out '/time.*,ok,'
	while IFS='|' read -r line words; do
		write_structures
		sed -i "$line" box.cl
		run_spec 2 box
		has out "failed.*$words"
		has_not out '/time'
	done <<-'END'
		s/"packed": true, //|argument 1 ..p.. of kernel k: structure `tight` of the source has `value` at byte 1,.*at byte 8
		s/ __attribute__((packed))//|structure `tight` of the source has `value` at byte 8,.*at byte 1
		s/"packed": true/"packed": true, "aligned": 16/|structure `tight` of the source has 17 bytes.*specification 32
		s/"near\[2\]"/"near[3]"/|structure `struct box` of the source has `near` at byte 16, 48 bytes of another type.*72 bytes of structures
		s/"near\[2\]"/"near"/|has no field `near.number` that is one number
		s/"home": "point"/"home": "float2"/; 1,11s/home\.[xy]/home/g; s/boxes.home\[i\]/boxes.home[i, 0]/g|has no field `home` that is a vector
		s/struct near { int number; point at;/struct near { int number; float at[2];/; s/near\[1\].at.y/near[1].at[1]/|has no field `near\[0\].at.x` that is one number
		s/struct near { int number; point at;/struct near { point at; int number;/|has `near\[0\].number` at byte 24,.*at byte 16
		s/struct { float x, y; }/struct { float y, x; }/|has `at.x` at byte 13,.*at byte 9
	END
	# An element of the inner array that is wrong is named.
	write_structures
	sed -i 's/b->near\[1\].number,/b->near[0].number,/' box.cl
	run_spec 4 box
	has out 'incorrect.*out.tag\[[0-9]\] is '
}

# Each is refused with file, line and column.
test_wrong_specifications_are_answered()
{
	local argument words count=0
	while IFS='|' read -r argument words; do
		printf '/* bench {"params": {"n": 4}, "structs": {"pair": {"a": "int", "b": "float"}},\n"args": [%s,\n{"name": "y", "type": "float", "shape": 8, "access": "out", "check": 1}], "global": 8} */\n' \
			"$argument" >wrong.cl
		printf 'kernel void k(read_only image2d_t a, global float *y) { y[get_global_id(0)] = 1; }\n' >>wrong.cl
		run_spec 2 wrong
		has err "wrong.cl:2:[0-9]+: .*$words"
		count=$((count + 1))
	done <<-'END'
		{"name": "a", "type": "image2d_t"}|an image has a 'format'
		{"name": "a", "type": "image2d_t", "shape": [4, 4]}|an image has a 'format'
		{"name": "a", "type": "image2d_t", "format": 3, "shape": [4, 4]}|an image has a 'format'
		{"name": "a", "type": "image2d_t", "format": "CL_R CL_FLOAT"}|'shape' of an image2d_t is of 2 numbers
		{"name": "a", "type": "image2d_t", "format": "CL_R CL_FLOAT", "shape": 4}|'shape' of an image2d_t is of 2 numbers
		{"name": "a", "type": "image3d_t", "format": "CL_R CL_FLOAT", "shape": [4, 4]}|'shape' of an image3d_t is of 3 numbers
		{"name": "a", "type": "image1d_t", "format": "CL_R CL_FLOAT", "shape": [4, 4]}|'shape' of an image1d_t is of 1 number
		{"name": "a", "type": "image3d_t", "format": "CL_RGBA CL_FLOAT", "shape": [4, 4, 4]}|has one channel here
		{"name": "a", "type": "image2d_t", "format": "CL_RBGA CL_FLOAT", "shape": [4, 4]}|did you mean 'CL_RGBA'
		{"name": "a", "type": "image2d_t", "format": "CL_RGBA CL_FLOT", "shape": [4, 4]}|did you mean 'CL_FLOAT'
		{"name": "a", "type": "image2d_t", "format": "CL_RGBA", "shape": [4, 4]}|say which type of channels: there are CL_SNORM_INT8
		{"name": "a", "type": "image2d_t", "format": "CL_R CL_FLOAT CL_R", "shape": [4, 4]}|'CL_R' behind the format
		{"name": "a", "type": "image2d_t", "format": "CL_R CL_FLOAT", "shape": [4, 4], "access": "local"}|no local memory
		{"name": "a", "type": "image2d_t", "format": "CL_R CL_FLOAT", "shape": [4, 4], "declared": "char"}|'declared' is for
		{"name": "a", "type": "image2d_t", "format": "CL_R CL_FLOAT", "shape": [4, 4], "value": 1}|say 'fill'
		{"name": "a", "type": "image2d_t", "format": "CL_R CL_FLOAT", "shape": [4, 4], "check": 1}|does not write
		{"name": "a", "type": "image2d_t", "format": "CL_R CL_FLOAT", "shape": [4, 4], "access": "out"}|nothing says what a must hold
		{"name": "a", "type": "image2dt", "format": "CL_R CL_FLOAT", "shape": [4, 4]}|'format' is for an image
		{"name": "a", "type": "float", "format": "CL_R CL_FLOAT", "shape": 4}|'format' is for an image
		{"name": "a", "type": "sampler_t"}|a sampler's 'value' is its flags
		{"name": "a", "type": "sampler_t", "value": 3}|a sampler's 'value' is its flags
		{"name": "a", "type": "sampler_t", "value": "CLK_ADDRESS_CLMP"}|did you mean 'CLK_ADDRESS_CLAMP'
		{"name": "a", "type": "sampler_t", "value": "CLK_ADDRESS_CLAMP CLK_ADDRESS_NONE"}|CLK_ADDRESS_NONE beside CLK_ADDRESS_CLAMP
		{"name": "a", "type": "sampler_t", "value": "CLK_ADDRESS_REPEAT"}|needs CLK_NORMALIZED_COORDS_TRUE
		{"name": "a", "type": "sampler_t", "value": "CLK_FILTER_LINEAR", "shape": 3}|'shape' of a sampler
		{"name": "n", "type": "sampler_t", "value": "CLK_FILTER_LINEAR"}|'n' is a parameter, whose value it has
		{"name": "a", "type": "pair", "value": {"a": 1}}|lacks field 'b'
	END
	[ "$count" -ge 25 ] || fail "$count"
	while IFS='|' read -r argument words; do
		printf '/* bench {\n"structs": %s,\n"args": [{"name": "y", "type": "float", "shape": 8, "access": "out", "check": 1}], "global": 8} */\n' \
			"$argument" >wrong.cl
		printf 'kernel void k(global float *y) { y[get_global_id(0)] = 1; }\n' >>wrong.cl
		run_spec 2 wrong
		has err "wrong.cl:2:[0-9]+: .*$words"
	done <<-'END'
		{"a": {"packed": true}}|a structure has a field
		{"a": {"packed": 1, "x": "int"}}|field 'packed': its type in quotes
		{"a": {"aligned": 3, "x": "int"}}|'aligned' is a power of 2
		{"a": {"b": "b"}, "b": {"x": "int"}}|no type 'b'
		{"a": {"a": "a"}}|no type 'a'
		{"a": {"x": "int"}, "b": {"a": "a[0]"}}|no type 'a'
		{"a": {"x": "int"}, "b": {"a": "a[2"}}|no type 'a'
		{"a": {"x": "int"}, "b": {"a": "a[2]"}, "c": {"b": "b[2]"}}|an array of structures with arrays of structures
	END
}

# What the source has and the specification has not, and the other way round.
test_images_are_those_of_the_source()
{
	local argument words
	while IFS='|' read -r argument words; do
		printf '/* bench {"args": [{"name": "a", %s}, {"name": "y", "type": "float", "shape": 8, "access": "out", "check": 1}], "global": 8} */\n' \
			"${argument#*=}" >source.cl
		printf 'kernel void k(%s, global float *y)\n{ y[get_global_id(0)] = 1; }\n' "${argument%%=*}" >>source.cl
		run_spec 2 source
		has out "failed.*source.cl: argument 1 ..a.. of kernel k is .*$words"
		has_not out '/time'
	done <<-'END'
		read_only image2d_t a="type": "float", "shape": 8|and a buffer of float in the specification: its 'type' is ..image2d_t
		read_only image3d_t a="type": "image2d_t", "format": "CL_R CL_FLOAT", "shape": [4, 4]|its 'type' is ..image3d_t
		sampler_t a="type": "int", "value": 1|its 'type' is ..sampler_t
		global float *a="type": "image2d_t", "format": "CL_R CL_FLOAT", "shape": [4, 4]|type image2d_t in the spec.*type that the source has
		int a="type": "sampler_t", "value": "CLK_FILTER_LINEAR"|type that the source has
		local float *a="type": "image1d_t", "format": "CL_R CL_FLOAT", "shape": 4|type that the source has
	END
}
