/* SPDX-License-Identifier: MIT */
/*
 * A vector, or two, to one value. `reduce` leaves a part for each work-group. With LAST the last group to be
 * done makes the whole of the parts, else `join_parts`, of one group, or the host. Parts are joined in their
 * order, whichever group was last, so that the value is the same every time.
 *
 * Work-items take vectors of LANES elements in turn. On a GPU (ACROSS) those of all groups do, so that the
 * device reads one place of memory at a time; else those of a group, of a contiguous span: on a CPU, with one
 * work-item to a group, each thread streams through separate memory. An item keeps UNROLL accumulators, so that
 * it need not wait for one addition before the next. At the end the accumulators are joined, then their lanes,
 * then the items of the group, as a tree in local memory. Elements that fill no vector go to the last group.
 */
#define SUM 0
#define MAX 1
#define ARGMAX 2
#define DOT 3

#ifndef OP
#define OP SUM
#endif
#include "buffer.cl"
#include "real.cl"
#ifndef INT /* of REAL's size */
#define INT int
#endif
#ifndef LANES /* 2, 4, 8 or 16 */
#define LANES 4
#endif
#ifndef UNROLL
#define UNROLL 4
#endif

#ifndef LAST /* 1: the last group makes the whole; of more than one, on a device with a fence */
#define LAST 0
#endif
#if LAST
#include "last.cl"
#endif

#ifndef ACROSS
#define ACROSS 0
#endif

/* Vectors ahead that a CPU fetches: one thread has 4 KiB on their way from the last cache. */
#define AHEAD 64
#ifndef FETCHES_AHEAD
#define FETCHES_AHEAD (!ACROSS)
#endif
#include "prefetch.cl"

#define VECTOR PASTE(REAL, LANES)
#define INTEGERS PASTE(INT, LANES)
#define STORE PASTE(vstore, LANES)

/* What is known of some of the elements. The host reads it: the value is at 0, the index at 8 bytes. */
struct part {
	REAL value;
	ulong index; /* ARGMAX: of value; ULONG_MAX where there was no element. Else 0. */
};

#if OP == ARGMAX
#define RESULT ulong
#define RESULT_OF(part) (part).index
#else
#define RESULT REAL
#define RESULT_OF(part) (part).value
#endif

#if OP == SUM || OP == DOT
#define NOTHING ((REAL)0)
#else
#define NOTHING ((REAL)(-INFINITY))
#endif

struct part nothing(void)
{
	struct part part;
	part.value = NOTHING;
	part.index = OP == ARGMAX ? ULONG_MAX : 0;
	return part;
}

struct part join(struct part a, struct part b)
{
#if OP == SUM || OP == DOT
	a.value += b.value;
	return a;
#elif OP == MAX
	return b.value > a.value || isnan(b.value) ? b : a;
#else
	const bool same = b.value == a.value || (isnan(a.value) && isnan(b.value));
	const bool above = b.value > a.value || (isnan(b.value) && !isnan(a.value));
	return above || (same && b.index < a.index) ? b : a;
#endif
}

/* Lane by lane, of the vectors that were taken. */
struct accumulator {
	VECTOR value;
#if OP == ARGMAX
	INTEGERS number; /* of the vector that value is from, after `begin`; negative: of none */
#endif
};

/* Takes the vector in, which is number `number` after `begin`. */
void take(struct accumulator *into, VECTOR a, VECTOR b, INT number)
{
#if OP == SUM
	into->value += a;
#elif OP == DOT
	into->value += a * b;
#elif OP == MAX
	into->value = select(into->value, a, (a > into->value) | (a != a));
#else /* the numbers rise: what is equal comes too late */
	const INTEGERS better = (a > into->value) | ((a != a) & (into->value == into->value));
	into->value = select(into->value, a, better);
	into->number = select(into->number, (INTEGERS)(number), better);
#endif
}

/*
 * Joins the parts of all items; the result counts in item 0. The size of the group is a power of two. No step
 * writes what the step before reads. The caller puts a barrier between two calls.
 */
struct part join_items(struct part part, __local struct part *shared)
{
	const size_t item = get_local_id(0);
	for (size_t distance = get_local_size(0) / 2; distance > 0; distance /= 2) {
		if (item >= distance && item < 2 * distance)
			shared[item] = part;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (item < distance)
			part = join(part, shared[item + distance]);
	}
	return part;
}

/* By one group, of the parts of all. */
struct part join_groups(__global const struct part *parts, ulong count, __local struct part *shared)
{
	struct part whole = nothing();
	for (ulong i = get_local_id(0); i < count; i += get_local_size(0))
		whole = join(whole, parts[i]);
	return join_items(whole, shared);
}

/*
 * a, b: b is read by DOT alone. span: vectors of a group, unless ACROSS. shared: one part for each item.
 * arrived: a counter that is 0, and so again.
 */
__kernel void reduce(TAKES(const REAL *, a), TAKES(const REAL *, b), ulong count, ulong span,
		     TAKES(struct part *, parts), __local struct part *shared
#if LAST
		     , TAKES(RESULT *, result), TAKES(volatile uint *, arrived)
#endif
)
{
	OPEN(const REAL *, a);
	OPEN(const REAL *, b);
	OPEN(struct part *, parts);
#if LAST
	OPEN(RESULT *, result);
	OPEN(volatile uint *, arrived);
#endif
	__global const VECTOR *const as = (__global const VECTOR *)a, *const bs = (__global const VECTOR *)b;
	const ulong vectors = count / LANES;
#if ACROSS
	const ulong begin = 0, end = vectors, step = get_global_size(0);
	ulong at = get_global_id(0);
#else
	const ulong begin = get_group_id(0) * span, end = min(begin + span, vectors), step = get_local_size(0);
	ulong at = begin + get_local_id(0);
#endif
	struct accumulator sums[UNROLL];
#pragma unroll
	for (int i = 0; i < UNROLL; i++) {
		sums[i].value = NOTHING;
#if OP == ARGMAX /* starts with its first vector, for the elements may all be -infinity */
		const ulong first = at + i * step;
		sums[i].number = first < end ? (INT)(first - begin) : -1;
		if (first < end)
			sums[i].value = as[first];
#endif
	}
	for (; at + (UNROLL - 1) * step < end; at += UNROLL * step)
#pragma unroll /* or the accumulators are memory */
		for (int i = 0; i < UNROLL; i++) {
			take(&sums[i], as[at + i * step], bs[at + i * step], (INT)(at + i * step - begin));
			PREFETCH(as + at + i * step + AHEAD);
#if OP == DOT
			PREFETCH(bs + at + i * step + AHEAD);
#endif
		}
	for (; at < end; at += step)
		take(&sums[0], as[at], bs[at], (INT)(at - begin));

	struct part whole = nothing();
#pragma unroll
	for (int i = 0; i < UNROLL; i++) {
		struct part part = nothing();
		REAL values[LANES];
		STORE(sums[i].value, 0, values);
#if OP == ARGMAX
		INT numbers[LANES];
		STORE(sums[i].number, 0, numbers);
#endif
		for (int lane = 0; lane < LANES; lane++) {
			part.value = values[lane];
#if OP == ARGMAX
			part.index = numbers[lane] < 0 ? ULONG_MAX : (begin + numbers[lane]) * LANES + lane;
#endif
			whole = join(whole, part);
		}
	}
	if (get_group_id(0) == get_num_groups(0) - 1 && get_local_id(0) == 0)
		for (ulong i = vectors * LANES; i < count; i++) {
			struct part part;
			part.value = OP == DOT ? a[i] * b[i] : a[i];
			part.index = OP == ARGMAX ? i : 0;
			whole = join(whole, part);
		}
	whole = join_items(whole, shared);
	if (get_local_id(0) == 0)
		parts[get_group_id(0)] = whole;
#if LAST
	__local bool last;
	LAST_GOES_ON(arrived, get_num_groups(0), get_local_id(0), last);
	whole = join_groups(parts, get_num_groups(0), shared);
	if (get_local_id(0) == 0)
		result[0] = RESULT_OF(whole);
#endif
}

/* One group. */
__kernel void join_parts(__global const struct part *parts, ulong count, __local struct part *shared,
			 __global RESULT *result)
{
	const struct part whole = join_groups(parts, count, shared);
	if (get_local_id(0) == 0)
		result[0] = RESULT_OF(whole);
}
