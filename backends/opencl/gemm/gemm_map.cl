/* SPDX-License-Identifier: MIT */
/*
 * Makes a map of matrices for the tensor memory accelerator of NVIDIA's Hopper: 128 bytes with their address,
 * their size, and the box that a copy moves, into or out of lines of 128 bytes swizzled by 128. The part of a
 * box outside of a matrix is read as zero and not written. How the bytes are laid out is NVIDIA's secret: the
 * instructions tensormap.replace fill in an empty map.
 *
 * Source: NVIDIA, PTX ISA, "tensormap.replace" and "Tensor-map". Lines marked //sm_90a: runtime/retarget.h.
 */
#define MAP_BYTES 128

/* A field of the map at `at` in local memory; the rest is the field's operands in inline assembly. */
#define SET(field, bits, ...)                                                                                        \
	__asm__ volatile("//sm_90a tensormap.replace.tile." field ".shared::cta.b1024.b" bits " [%0], " __VA_ARGS__    \
			 : "memory")

/* bytes: of an element, 2 or 4; ld and stride, from a row and a matrix to the next, in elements */
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void
gemm_map(__global const uchar *matrices, __global uchar *maps, uint number, uint bytes, uint rows, uint columns, uint count,
	 ulong ld, ulong stride, uint box_rows)
{
	__local ulong map[MAP_BYTES / 8] __attribute__((aligned(MAP_BYTES)));
	const uint item = (uint)get_local_id(0), at = (uint)(ulong)map;
	if (item < MAP_BYTES / 8)
		map[item] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item == 0) {
		SET("global_address", "64", "%1;" ::"r"(at), "l"(matrices));
		SET("rank", "32", "2;" ::"r"(at)); /* dimensions less one */
		SET("box_dim", "32", "0, %1;" ::"r"(at), "r"(128 / bytes));
		SET("box_dim", "32", "1, %1;" ::"r"(at), "r"(box_rows));
		SET("box_dim", "32", "2, 1;" ::"r"(at));
		SET("global_dim", "32", "0, %1;" ::"r"(at), "r"(columns));
		SET("global_dim", "32", "1, %1;" ::"r"(at), "r"(rows));
		SET("global_dim", "32", "2, %1;" ::"r"(at), "r"(count));
		SET("global_stride", "64", "0, %1;" ::"r"(at), "l"(ld * bytes));
		SET("global_stride", "64", "1, %1;" ::"r"(at), "l"(stride * bytes));
		SET("element_stride", "32", "0, 1;" ::"r"(at));
		SET("element_stride", "32", "1, 1;" ::"r"(at));
		SET("element_stride", "32", "2, 1;" ::"r"(at));
		if (bytes == 2)
			SET("elemtype", "32", "1;" ::"r"(at)); /* u16 */
		else
			SET("elemtype", "32", "2;" ::"r"(at)); /* u32 */
		SET("interleave_layout", "32", "0;" ::"r"(at));
		SET("swizzle_mode", "32", "3;" ::"r"(at)); /* by 128 bytes */
		SET("fill_mode", "32", "0;" ::"r"(at));
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	__asm__ volatile("//sm_90a tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
			 "[%0], [%1], 128;" ::"l"(maps + number * MAP_BYTES),
			 "r"(at)
			 : "memory");
}
