/* SPDX-License-Identifier: MIT */
/*
 * Convolution on NVIDIA's tensor cores: conv2d_wgmma.cl on Hopper, else conv2d_mma.cl, which say how
 * they work, and conv2d_chunks.cl, which brings the operands into their layout where they are not.
 */
#include "backends/opencl/conv2d/tensor.h"
#include "backends/opencl/conv2d/conv2d.h"
#include "backends/opencl/conv2d/state.h"
#include "backends/opencl/runtime/arguments.h"
#include "backends/opencl/runtime/buffers.h"
#include "backends/opencl/runtime/variants.h"

enum {
	CHUNK_BYTES = 16,
	COPY_TILE = 64,
	COPY_ITEMS = 256,
	TAPS_SIDE = 16,
	GRID_LIMIT = 65535,
	WARP = 32,
	ROUND_CHUNKS = 8
};

#define MMA   "conv2d_mma.cl", "conv2d_mma"
#define WGMMA "conv2d_wgmma.cl", "conv2d_wgmma"
static const struct bench_opencl_conv2d_tile mma_tile = {MMA, 64, 64, 2, 2, 3, 1, 1, 1};
static const struct bench_opencl_conv2d_tile wgmma_tiles[] = {{WGMMA, 64, 64, 4, 1, 4, 3, 242, 179},
							      {WGMMA, 64, 128, 4, 1, 4, 2, 406, 292},
							      {WGMMA, 128, 128, 8, 1, 4, 1, 548, 548}};
enum { WGMMA_TILES = sizeof(wgmma_tiles) / sizeof(wgmma_tiles[0]) };

/* The problem in chunks. */
struct chunks {
	size_t elements; /* of a chunk */
	size_t padded;   /* channels of a group, filled up to whole chunks */
	size_t rows, columns, places;
};

static struct chunks chunks_of(const struct bench_conv2d *conv)
{
	size_t elements = CHUNK_BYTES / bench_dtype_bytes(conv->dtype);
	struct chunks chunks = {.elements = elements,
				.padded = bench_opencl_divide_up(conv->c / conv->groups, elements) * elements,
				.rows = bench_conv2d_extent(conv, conv->h, conv->r),
				.columns = bench_conv2d_extent(conv, conv->w, conv->s)};
	chunks.places = conv->n * chunks.rows * chunks.columns;
	return chunks;
}

bool bench_opencl_conv2d_has_tensor_cores(const struct bench_device *device, const struct bench_conv2d *conv)
{
	struct chunks chunks = chunks_of(conv);
	size_t parts = conv->groups * bench_opencl_divide_up(chunks.padded, COPY_TILE);
	return !bench_dtype_is_plain(conv->dtype) && device->nvidia_capability >= 8 && conv->r <= TAPS_SIDE &&
	       conv->s <= TAPS_SIDE && conv->n <= GRID_LIMIT && parts <= GRID_LIMIT &&
	       conv->n * conv->h * conv->w * conv->groups * chunks.padded <= INT32_MAX &&
	       conv->k * conv->r * conv->s * chunks.padded <= INT32_MAX && chunks.places <= INT32_MAX / 2 &&
	       conv->k * chunks.rows * chunks.columns <= INT32_MAX;
}

/* ns of a round for each of `groups` groups on a compute unit. */
static double round_of(const struct bench_opencl_conv2d_tile *tile, size_t groups)
{
	double busy = (double)groups * tile->busy;
	return groups == 0 || busy > tile->latency ? busy : tile->latency;
}

/*
 * ns beside what all plans take: waves of groups, of which the last may leave room on the compute units; and
 * where groups share a tile, the sums, which all of them write and read, and the last one adds up.
 */
static double cost_of(const struct bench_device *device, const struct bench_opencl_conv2d_plan *plan)
{
	const double wave = 1300, join = 930, join_kib = 8, kib_per_ns = 3.2;
	const struct bench_opencl_conv2d_tile *tile = plan->tile;
	size_t units = device->info.compute_units, groups = plan->tiles * plan->groups;
	size_t full = groups / (units * tile->together), rest = groups % (units * tile->together);
	double cost = (double)plan->rounds_each * ((double)full * round_of(tile, tile->together) +
						   round_of(tile, bench_opencl_divide_up(rest, units))) +
		      (double)(full - (rest == 0)) * wave;
	double kib = (double)(plan->groups * tile->rows * tile->columns * sizeof(float)) / 1024;
	return cost + (plan->groups > 1 ? join + join_kib * kib + (double)plan->tiles * kib / kib_per_ns : 0);
}

struct bench_opencl_conv2d_plan bench_opencl_conv2d_tensor_plan(const struct bench_device *device,
								const struct bench_conv2d *conv)
{
	static const size_t splits[] = {1, 2, 3, 4, 6, 8, 12, 16};
	const struct chunks chunks = chunks_of(conv);
	const bool wgmma = device->nvidia_capability == 9 && !device->no_wgmma;
	const bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	const size_t filters = conv->k / conv->groups;
	const size_t rounds =
		bench_opencl_divide_up(conv->r * conv->s * chunks.padded, chunks.elements * ROUND_CHUNKS);
	struct bench_opencl_conv2d_plan best = {.tile = NULL};
	double least = 0;
	for (size_t i = 0; i < (wgmma ? WGMMA_TILES : 1); i++) {
		const struct bench_opencl_conv2d_tile *tile = wgmma ? &wgmma_tiles[i] : &mma_tile;
		size_t tiles = conv->groups *
			       bench_opencl_divide_up(nhwc ? chunks.places : filters, tile->rows) *
			       bench_opencl_divide_up(nhwc ? filters : chunks.places, tile->columns);
		/* More groups than there is room for at one time gain nothing. */
		size_t most =
			wgmma && device->has_fence ? tile->together * device->info.compute_units / tiles : 1;
		for (size_t s = 0; s < sizeof(splits) / sizeof(splits[0]); s++) {
			if (s > 0 && (splits[s] > most || splits[s] > rounds))
				break;
			size_t each = bench_opencl_divide_up(rounds, splits[s]);
			const struct bench_opencl_conv2d_plan plan = {
				tile, tiles, bench_opencl_divide_up(rounds, each), rounds, each};
			double cost = cost_of(device, &plan);
			if (!best.tile || cost < least) {
				best = plan;
				least = cost;
			}
		}
	}
	return best;
}

static int get_copy(struct bench_device *device, const char *name, const struct bench_conv2d *conv,
		    const struct chunks *chunks, struct bench_opencl_kernel **kernel,
		    struct bench_error *error)
{
	const bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	const struct bench_opencl_variant variant = {
		"conv2d_chunks.cl", name, {bench_dtype_bytes(conv->dtype), nhwc}, 0};
	return bench_opencl_variant(device, &variant, kernel, error, "-DELEMENT=%s -DCHUNK=%zu -DNHWC=%d",
				    bench_dtype_bytes(conv->dtype) == 2 ? "ushort" : "uint", chunks->elements,
				    nhwc);
}

static int copy_in(struct bench_device *device, const struct bench_conv2d *conv, const struct chunks *chunks,
		   struct bench_buffer *copy, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	size_t real = bench_dtype_bytes(conv->dtype), channels_each = conv->c / conv->groups;
	if (bench_opencl_reserve(device, copy,
				 conv->n * conv->h * conv->w * conv->groups * chunks->padded * real,
				 error) != 0 ||
	    get_copy(device, "conv2d_chunks_in", conv, chunks, &kernel, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	size_t pixels = conv->h * conv->w;
	BENCH_OPENCL_MEMORIES(&list, conv->in, copy);
	BENCH_OPENCL_UINTS(&list, pixels, conv->groups, channels_each, chunks->padded);
	return bench_opencl_launch_grid(
		device, kernel, &list, 3,
		(const size_t[]){bench_opencl_divide_up(pixels, COPY_TILE) * COPY_ITEMS,
				 conv->groups * bench_opencl_divide_up(chunks->padded, COPY_TILE), conv->n},
		(const size_t[]){COPY_ITEMS, 1, 1}, error);
}

static int copy_weights(struct bench_device *device, const struct bench_conv2d *conv,
			const struct chunks *chunks, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	struct bench_buffer *copy = &bench_opencl_conv2d_of(device)->packed;
	size_t across = chunks->padded / chunks->elements, all = conv->k * conv->r * conv->s * across;
	if (bench_opencl_reserve(device, copy, all * CHUNK_BYTES, error) != 0 ||
	    get_copy(device, "conv2d_chunks_weights", conv, chunks, &kernel, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, conv->weights, copy);
	BENCH_OPENCL_UINTS(&list, conv->r * conv->s, conv->k / conv->groups, conv->groups,
			   conv->c / conv->groups, across, all);
	return bench_opencl_launch_groups(device, kernel, &list, bench_opencl_divide_up(all, COPY_ITEMS),
					  COPY_ITEMS, error);
}

/* Bytes of a row of `length` elements that can be written at one time, since a row is a multiple of them. */
static size_t piece_of(const struct bench_conv2d *conv, size_t length)
{
	size_t bytes = CHUNK_BYTES;
	while (length * bench_dtype_bytes(conv->dtype) % bytes != 0)
		bytes /= 2;
	return bytes;
}

/* Does the kernel take the weights as they are? wgmma turns them, in types of 2 bytes and whole chunks. */
static bool takes_given(const struct bench_conv2d *conv, const struct chunks *chunks,
			const struct bench_opencl_conv2d_tile *tile)
{
	return tile != &mma_tile && conv->layout == BENCH_CONV2D_NHWC &&
	       bench_dtype_bytes(conv->dtype) == 2 && conv->k / conv->groups % chunks->elements == 0 &&
	       chunks->padded == conv->c / conv->groups;
}

static int multiply(struct bench_device *device, const struct bench_conv2d *conv, const struct chunks *chunks,
		    const struct bench_buffer *in, struct bench_error *error)
{
	struct bench_opencl_kernel *kernel;
	const struct bench_opencl_conv2d_plan plan = bench_opencl_conv2d_tensor_plan(device, conv);
	const struct bench_opencl_conv2d_tile *tile = plan.tile;
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC, split = plan.groups > 1;
	bool given = takes_given(conv, chunks, tile);
	size_t of_group = conv->k / conv->groups, area = chunks->rows * chunks->columns;
	size_t items = WARP * tile->warps_rows * tile->warps_columns;
	size_t piece = piece_of(conv, nhwc ? of_group : area);
	const struct bench_opencl_variant variant = {tile->source,
						     tile->name,
						     {conv->dtype, nhwc, given, split, tile->rows,
						      tile->columns, tile->warps_rows, tile->stages, piece,
						      conv->r, conv->s, chunks->padded / chunks->elements},
						     0};
	if (bench_opencl_variant(
		    device, &variant, &kernel, error,
		    "-DTYPE=%d -DNHWC=%d -DGIVEN=%d -DSPLIT=%d -DTILE_M=%zu -DTILE_N=%zu -DWARPS_M=%zu "
		    "-DWARPS_N=%zu -DSTAGES=%zu -DPIECE=%zu -DR=%zu -DS=%zu -DCHUNKS=%zu",
		    bench_opencl_tensor_type(conv->dtype), nhwc, given, split, tile->rows, tile->columns,
		    tile->warps_rows, tile->warps_columns, tile->stages, piece, conv->r, conv->s,
		    chunks->padded / chunks->elements) != 0) {
		/* A driver that does not build wgmma has the other kernel, which any driver builds. */
		if (device->no_wgmma || tile == &mma_tile || error->code != BENCH_UNSUPPORTED)
			return -1;
		device->no_wgmma = true;
		return multiply(device, conv, chunks, in, error);
	}
	if (!given && copy_weights(device, conv, chunks, error) != 0)
		return -1;
	struct bench_opencl_list list = {.count = 0};
	BENCH_OPENCL_MEMORIES(&list, in, given ? conv->weights : &bench_opencl_conv2d_of(device)->packed,
			      conv->out);
	BENCH_OPENCL_UINTS(&list, of_group, conv->groups, conv->h, conv->w, chunks->rows, chunks->columns,
			   conv->stride, conv->pad, conv->dilation, chunks->places);
	if (split) {
		size_t sums = plan.tiles * plan.groups * tile->rows * tile->columns;
		if (bench_opencl_reserve(device, &device->parts, sums * sizeof(float), error) != 0 ||
		    bench_opencl_counters(device, &device->arrived, plan.tiles, error) != 0)
			return -1;
		BENCH_OPENCL_UINTS(&list, plan.groups, plan.rounds_each);
		BENCH_OPENCL_MEMORIES(&list, &device->parts, &device->arrived);
	}
	return bench_opencl_launch_grid(
		device, kernel, &list, 2,
		(const size_t[]){plan.tiles / conv->groups * plan.groups * items, conv->groups},
		(const size_t[]){items, 1}, error);
}

int bench_opencl_conv2d_tensor(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error)
{
	struct chunks chunks = chunks_of(conv);
	bool as_is = conv->layout == BENCH_CONV2D_NHWC && chunks.padded == conv->c / conv->groups;
	struct bench_buffer *copy = &bench_opencl_conv2d_of(device)->padded;
	if (!as_is && copy_in(device, conv, &chunks, copy, error) != 0)
		return -1;
	return multiply(device, conv, &chunks, as_is ? conv->in : copy, error);
}
