/* SPDX-License-Identifier: MIT */
#include "suites/layout/records.h"

#define MEMBERS                                                                                              \
	uint8_t kind;                                                                                        \
	uint32_t x, y, z, u, v, w, mass, charge

struct flat_record {
	MEMBERS;
};

struct packed_record {
	MEMBERS;
} __attribute__((packed));

struct aligned_record {
	MEMBERS;
} __attribute__((aligned(64)));

struct nested_record {
	uint8_t kind;
	struct {
		struct {
			uint32_t x, y, z;
		} place, speed;
	} motion;
	uint32_t mass, charge;
};

/* Elements from one field's array to the next: count, rounded up to 64 bytes. */
static inline size_t array_stride(size_t count)
{
	return (count + 15) / 16 * 16;
}

size_t bench_records_bytes(enum bench_layout layout, size_t count)
{
	static const size_t sizes[] = {
		[BENCH_LAYOUT_FLAT] = sizeof(struct flat_record),
		[BENCH_LAYOUT_NESTED] = sizeof(struct nested_record),
		[BENCH_LAYOUT_PACKED] = sizeof(struct packed_record),
		[BENCH_LAYOUT_ALIGNED] = sizeof(struct aligned_record),
	};
	size_t bytes = count * sizes[layout];
	if (layout == BENCH_LAYOUT_ARRAYS)
		bytes = array_stride(count) * BENCH_RECORD_FIELDS * sizeof(uint32_t) + count;
	return (bytes + 63) / 64 * 64;
}

/* What a sum adds for record `index` of `count` in `memory`, and how it got there. */
typedef uint32_t value_of(const void *memory, size_t count, size_t index);
typedef void store_in(void *memory, size_t count, size_t index, const uint32_t *fields);

/* Layouts whose structs have the same members. */
#define STRUCTS(layout)                                                                                      \
	static inline uint32_t layout##_one(const void *memory, size_t count, size_t index)                  \
	{                                                                                                    \
		(void)count;                                                                                 \
		return ((const struct layout##_record *)memory)[index].u;                                    \
	}                                                                                                    \
	static inline uint32_t layout##_all(const void *memory, size_t count, size_t index)                  \
	{                                                                                                    \
		(void)count;                                                                                 \
		const struct layout##_record *record = (const struct layout##_record *)memory + index;       \
		return record->x + record->y + record->z + record->u + record->v + record->w +               \
		       record->mass + record->charge;                                                        \
	}                                                                                                    \
	static void layout##_store(void *memory, size_t count, size_t index, const uint32_t *fields)         \
	{                                                                                                    \
		(void)count;                                                                                 \
		((struct layout##_record *)memory)[index] =                                                  \
			(struct layout##_record){(uint8_t)index, fields[0], fields[1], fields[2], fields[3], \
						 fields[4],      fields[5], fields[6], fields[7]};           \
	}
STRUCTS(flat)
STRUCTS(packed)
STRUCTS(aligned)

static inline uint32_t nested_one(const void *memory, size_t count, size_t index)
{
	(void)count;
	return ((const struct nested_record *)memory)[index].motion.speed.x;
}

static inline uint32_t nested_all(const void *memory, size_t count, size_t index)
{
	(void)count;
	const struct nested_record *record = (const struct nested_record *)memory + index;
	return record->motion.place.x + record->motion.place.y + record->motion.place.z +
	       record->motion.speed.x + record->motion.speed.y + record->motion.speed.z + record->mass +
	       record->charge;
}

static void nested_store(void *memory, size_t count, size_t index, const uint32_t *fields)
{
	(void)count;
	((struct nested_record *)memory)[index] = (struct nested_record){
		.kind = (uint8_t)index,
		.motion = {{fields[0], fields[1], fields[2]}, {fields[3], fields[4], fields[5]}},
		.mass = fields[6],
		.charge = fields[7],
	};
}

static inline uint32_t arrays_one(const void *memory, size_t count, size_t index)
{
	return ((const uint32_t *)memory)[BENCH_RECORD_FIELD * array_stride(count) + index];
}

static inline uint32_t arrays_all(const void *memory, size_t count, size_t index)
{
	const uint32_t *fields = memory;
	size_t stride = array_stride(count);
	uint32_t sum = 0;
	for (size_t field = 0; field < BENCH_RECORD_FIELDS; field++)
		sum += fields[field * stride + index];
	return sum;
}

static void arrays_store(void *memory, size_t count, size_t index, const uint32_t *fields)
{
	uint32_t *out = memory;
	size_t stride = array_stride(count);
	for (size_t field = 0; field < BENCH_RECORD_FIELDS; field++)
		out[field * stride + index] = fields[field];
	((uint8_t *)(out + BENCH_RECORD_FIELDS * stride))[index] = (uint8_t)index;
}

/*
 * What is timed, all of it. Inlined into each function below, where `value` is a constant, so that the
 * compiler sees the loop as if it had been written for the layout. The fields are unsigned integers, whose
 * sum is the same in any order: it may vectorize, reorder and unroll as it likes. The empty statement is
 * opaque: the compiler must assume that it reads and changes all memory. So each iteration reads the fields
 * anew. Each sum goes into the result, so the compiler can drop none.
 */
static inline __attribute__((always_inline)) uint64_t repeat(const struct bench_records *records,
							     uint64_t iterations, value_of *value)
{
	uint64_t total = 0;
	for (uint64_t i = 0; i < iterations; i++) {
		const void *memory = records->memory;
		const size_t count = records->count;
		__asm__ volatile("" : : "r"(memory) : "memory");
		uint32_t sum = 0;
		for (size_t index = 0; index < count; index++)
			sum += value(memory, count, index);
		total += sum;
	}
	return total;
}

#define REPEAT(function)                                                                                     \
	static uint64_t repeat_##function(const struct bench_records *records, uint64_t iterations)          \
	{                                                                                                    \
		return repeat(records, iterations, function);                                                \
	}
REPEAT(flat_one)
REPEAT(flat_all)
REPEAT(arrays_one)
REPEAT(arrays_all)
REPEAT(nested_one)
REPEAT(nested_all)
REPEAT(packed_one)
REPEAT(packed_all)
REPEAT(aligned_one)
REPEAT(aligned_all)

static const struct {
	uint64_t (*one)(const struct bench_records *records, uint64_t iterations);
	uint64_t (*all)(const struct bench_records *records, uint64_t iterations);
	store_in *store;
} layouts[] = {
	[BENCH_LAYOUT_FLAT] = {repeat_flat_one, repeat_flat_all, flat_store},
	[BENCH_LAYOUT_ARRAYS] = {repeat_arrays_one, repeat_arrays_all, arrays_store},
	[BENCH_LAYOUT_NESTED] = {repeat_nested_one, repeat_nested_all, nested_store},
	[BENCH_LAYOUT_PACKED] = {repeat_packed_one, repeat_packed_all, packed_store},
	[BENCH_LAYOUT_ALIGNED] = {repeat_aligned_one, repeat_aligned_all, aligned_store},
};

void bench_records_store(const struct bench_records *records, size_t index,
			 const uint32_t fields[BENCH_RECORD_FIELDS])
{
	layouts[records->layout].store(records->memory, records->count, index, fields);
}

uint64_t bench_records_sum(const struct bench_records *records, bool all, uint64_t iterations)
{
	return (all ? layouts[records->layout].all : layouts[records->layout].one)(records, iterations);
}
