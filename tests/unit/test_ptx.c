/* SPDX-License-Identifier: MIT */
/* What NVIDIA's compiler says of kernels, in the forms that its documentation has, and in others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends/opencl/runtime/ptx.h"

static const char log_of_two[] = "ptxas info    : 0 bytes gmem\n"
				 "ptxas info    : Compiling entry function 'scale' for 'sm_90'\n"
				 "ptxas info    : Function properties for scale\n"
				 "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
				 "ptxas info    : Used 12 registers, used 0 barriers, 384 bytes cmem[0]\r\n"
				 "ptxas info    : Compiling entry function 'scale2' for 'sm_90'\n"
				 "ptxas info    : Function properties for scale2\n"
				 "    96 bytes stack frame, 108 bytes spill stores, 116 bytes spill loads\n"
				 "ptxas info    : Used 168 registers, used 1 barriers, 8192 bytes smem, 400 "
				 "bytes cmem[0]\n";

static void each_kernel_has_its_own_lines(void **state)
{
	struct bench_opencl_ptxas found;
	(void)state;
	assert_true(bench_opencl_ptxas_read(log_of_two, "scale", &found));
	assert_true(found.registers == 12 && found.spilled == 0 && found.shared == 0);
	assert_true(bench_opencl_ptxas_read(log_of_two, "scale2", &found));
	assert_true(found.registers == 168 && found.spilled == 224 && found.shared == 8192);
	assert_true(
		bench_opencl_ptxas_read("ptxas info    : Function properties for 'f'\n"
					"ptxas info    : Used 32 registers, 0 bytes spill stores, 4 bytes "
					"spill loads, 384 bytes cmem[0]",
					"f", &found));
	assert_true(found.registers == 32 && found.spilled == 4);
}

static void what_a_log_does_not_say_is_not_known(void **state)
{
	static const char *const logs[] = {
		"",
		"\n\n",
		"ptxas info    : Used 12 registers\n", /* of which kernel? */
		"ptxas info    : Function properties for f",
		"ptxas info    : Function properties for fg\nptxas info    : Used 12 registers\n",
		"ptxas info    : Function properties for f\nptxas info    : Used registers\n",
		"ptxas info    : Function properties for f\n registers\n",
		"Function properties for f\nUsed 99999999999999999999999 registers\n",
		"Compiling entry function '",
	};
	struct bench_opencl_ptxas found;
	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		assert_false(bench_opencl_ptxas_read(logs[i], "f", &found));
		assert_true(isnan(found.registers) && isnan(found.shared));
	}
	assert_true(bench_opencl_ptxas_read("Function properties for f\nUsed 8 registers", "f", &found));
	assert_true(isnan(found.spilled));
}

static const char ptx[] = ".version 8.8\n.target sm_90, texmode_independent\n.address_size 64\n"
			  ".func (.param .b32 r) helper(.param .b32 a)\n{\n\tsin.approx.f32 %f1, %f2;\n}\n"
			  ".entry copy4(\n\t.param .u64 .ptr .global .align 4 copy4_param_0\n)\n"
			  ".reqntid 64, 1, 1\n{\n\t.reg .pred %p<2>;\n\t.reg .f32 %f<9>;\n"
			  "\t// ld.global.f32 in a comment; none\n"
			  "\tld.param.u64 %rd1, [copy4_param_0];\n\tmov.u32 %r1, %tid.x;\n"
			  "\tsetp.lt.s32 %p1, %r1, 4;\n\t@%p1 bra $L__BB0_2;\n"
			  "$L__BB0_1:\n\tld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n"
			  "\tfma.rn.f32 %f1, %f2, %f3, %f4;\n\tfma.rn.f32 %f1, %f2, %f3, %f4;\n"
			  "\t{ /* inline; } */ mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, "
			  "{%r1}, {%r2}, {%f1};\n\t}\n"
			  "\tst.shared.f32 [%r1], %f1;\n\tbar.sync 0;\n\tfma.rn.f16x2 %r1, %r1, %r1, %r1;\n"
			  "\tst.global.f32 [%rd1], %f1;\n\tret;\n$L__BB0_2:\n\tret;\n}\n"
			  ".entry copy(.param .u64 p)\n{\n\tld.global.f32 %f1, [%rd1];\n}\n";

static void instructions_are_counted_by_class(void **state)
{
	char mix[BENCH_OPENCL_MIX];
	(void)state;
	assert_true(bench_opencl_ptx_mix(ptx, "copy4", mix));
	assert_string_equal(mix, ("other 2, bra 1, ld.global.v4 1, fma.f32 2, mma 1, st.shared 1, bar 1, "
				  "fma.f16x2 1, st.global 1"));
	assert_true(bench_opencl_ptx_mix(ptx, "copy", mix));
	assert_string_equal(mix, "ld.global 1");
}

static void what_is_no_ptx_has_no_kernel(void **state)
{
	static const char *const texts[] = {"",
					    ".entry",
					    ".entry f",
					    ".entry fg() { ret; }",
					    "\177ELF",
					    "/* .entry f() { ret; }",
					    "// .entry f() { ret; }"};
	char mix[BENCH_OPENCL_MIX];
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_false(bench_opencl_ptx_mix(texts[i], "f", mix));
		assert_string_equal(mix, "");
	}
	assert_false(bench_opencl_ptx_mix(".entry () { ret; }", "", mix));
	/* It ends too early. */
	assert_true(bench_opencl_ptx_mix(".entry f() { add.f64 %f1", "f", mix));
	assert_string_equal(mix, "add.f64 1");
}

static void a_mix_of_too_many_classes_ends_between_two(void **state)
{
	char text[8192] = ".entry f() {", mix[BENCH_OPENCL_MIX];
	(void)state;
	for (int i = 0; i < 100; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "longname%c%cxyz.bf16x2 a;",
			 'a' + i / 10, 'a' + i % 10);
	assert_true(bench_opencl_ptx_mix(text, "f", mix));
	assert_true(strlen(mix) < BENCH_OPENCL_MIX && strlen(mix) > 800);
	assert_string_equal(mix + strlen(mix) - 2, " 1");
}

/* By hand from the rules of the CUDA programming guide; percent. */
static void occupancy_follows_from_the_published_limits(void **state)
{
	static const struct {
		unsigned major, minor;
		double registers, group, local, percent;
	} known[] = {
		{9, 0, 32, 256, 0, 100},
		{9, 0, 128, 256, 0, 25},
		{6, 0, 88, 64, 0, 34.375},
		{6, 1, 88, 64, 0, 31.25},
		{9, 0, 168, 256, 0, 12.5},
		{9, 0, 255, 128, 0, 12.5},
		{9, 0, 64, 1024, 0, 50},
		{9, 0, 33, 1024, 0, 50},          /* 40 registers: 48 warps */
		{9, 0, 16, 32, 0, 50},            /* 32 groups */
		{9, 0, 32, 256, 48 * 1024, 50},   /* four of 49 KiB in 228 */
		{8, 0, 32, 256, 48 * 1024, 37.5}, /* three in 164 */
		{8, 6, 40, 256, 0, 100},
		{8, 6, 32, 1024, 0, 2.0 / 3 * 100},
		{8, 6, 32, 64, 0, 2.0 / 3 * 100}, /* 16 groups */
		{8, 9, 32, 64, 0, 100},           /* 24 groups */
		{7, 5, 64, 256, 0, 100},
		{7, 5, 32, 256, 32 * 1024, 50},
		{7, 0, 32, 256, 33 * 1024, 25},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		double found = bench_opencl_occupancy(known[i].major, known[i].minor, known[i].registers,
						      known[i].group, known[i].local);
		if (!(fabs(100 * found - known[i].percent) < 1e-9))
			fail_msg("%zu: %g", i, 100 * found);
	}
	assert_true(isnan(bench_opencl_occupancy(9, 9, 32, 256, 0)));
	assert_true(isnan(bench_opencl_occupancy(9, 0, NAN, 256, 0)));
	assert_true(isnan(bench_opencl_occupancy(9, 0, 32, NAN, 0)));
	assert_true(isnan(bench_opencl_occupancy(9, 0, 255, 1024, 0))); /* no group fits */
	assert_true(isnan(bench_opencl_occupancy(9, 0, 32, 256, 1e9)));
	assert_true(isnan(bench_opencl_occupancy(9, 0, 1e12, 1e12, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kernel_has_its_own_lines),
		cmocka_unit_test(what_a_log_does_not_say_is_not_known),
		cmocka_unit_test(instructions_are_counted_by_class),
		cmocka_unit_test(what_is_no_ptx_has_no_kernel),
		cmocka_unit_test(a_mix_of_too_many_classes_ends_between_two),
		cmocka_unit_test(occupancy_follows_from_the_published_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
