/* SPDX-License-Identifier: MIT */
/*
 * Samples as they are kept. A time is a whole number of nanoseconds over the iterations of its sample, and
 * those of one process lie close together: kept are these numbers, less their median, in as few bits as they
 * need (Rice codes: R. F. Rice, "Some practical universal noiseless coding techniques", JPL 79-22, 1979).
 * Numbers of other origin are taken by the bits of their doubles, in the same way. Whatever the way, what
 * comes back is compared before it is kept: it is the same double, bit for bit.
 */
#include "store/pack.h"

#include <endian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How whole numbers stand for doubles. */
enum form {
	FORM_BITS,    /* those of the double, ordered as it is, without the `parameter` zeros at their end */
	FORM_DECIMAL, /* over 10 to the power of `parameter` */
	FORM_TICKS,   /* nanoseconds over `parameter` */
	FORMS,        /* none of these: nothing was packed before */
};

enum {
	MOST_DIGITS = 12, /* behind the point */
	MOST_UNARY = 24,  /* ones; a longer number is written in full */
	MOST_SAMPLED = 8, /* values by which the iterations are found */
	MOST_FACTOR = 8,  /* that the nanoseconds of all of these may share with the iterations */
	LITTLE = 64,      /* values that fit on the stack */
};
#define MOST_ITERATIONS 1e9
#define MOST_WHOLE      9e15 /* below 2^53: exact as a double */

static const double powers[MOST_DIGITS + 1] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5, 1e6,
					       1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

void store_packed_free(struct store_packed *packed)
{
	free(packed->data);
	*packed = (struct store_packed){0};
}

static void add_byte(struct store_packed *to, unsigned char byte)
{
	if (to->length == to->room && !to->bad) {
		size_t room = to->room ? 2 * to->room : 512;
		unsigned char *data = realloc(to->data, room);
		to->bad = !data;
		to->data = data ? data : to->data;
		to->room = data ? room : to->room;
	}
	if (!to->bad)
		to->data[to->length++] = byte;
}

/* Seven bits a byte, lowest first; the highest bit is set in every byte before the last. */
static void add_count(struct store_packed *to, uint64_t count)
{
	for (; count >= 0x80; count >>= 7)
		add_byte(to, (unsigned char)(count | 0x80));
	add_byte(to, (unsigned char)count);
}

static unsigned char take_byte(struct store_unpacking *from)
{
	if (from->at < from->end)
		return *from->at++;
	from->bad = true;
	return 0;
}

uint64_t store_unpack_count(struct store_unpacking *from)
{
	uint64_t count = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char byte = take_byte(from);
		count |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return count;
	}
	from->bad = true;
	return 0;
}

/* Small numbers of either sign as small ones without: 0, -1, 1, -2 ... */
static uint64_t fold(uint64_t number)
{
	return number << 1 ^ (number >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold(uint64_t folded)
{
	return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

/* The bits of a double as a number that is larger where the double is; and back, which is the same. */
static uint64_t order(uint64_t bits)
{
	return bits >> 63 ? bits ^ (UINT64_MAX >> 1) : bits;
}

static uint64_t bits_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double from_whole(const struct store_coding *coding, uint64_t whole)
{
	double value;
	if (coding->form == FORM_DECIMAL)
		return (double)(int64_t)whole / powers[coding->parameter];
	if (coding->form == FORM_TICKS)
		return (double)(int64_t)whole * 1e-9 / (double)coding->parameter;
	whole = order(whole << coding->parameter);
	memcpy(&value, &whole, sizeof(value));
	return value;
}

static uint64_t to_whole(const struct store_coding *coding, double value)
{
	double scaled = value * (coding->form == FORM_DECIMAL ? powers[coding->parameter]
							      : 1e9 * (double)coding->parameter);
	if (coding->form == FORM_BITS)
		return (uint64_t)((int64_t)order(bits_of(value)) >> coding->parameter);
	return fabs(scaled) < MOST_WHOLE ? (uint64_t)llround(scaled) : 0;
}

/* Do all values come back as they are? */
static bool suits(const struct store_coding *coding, const double *values, size_t count, uint64_t *whole)
{
	for (size_t i = 0; i < count; i++) {
		whole[i] = to_whole(coding, values[i]);
		if (bits_of(from_whole(coding, whole[i])) != bits_of(values[i]))
			return false;
	}
	return true;
}

/*
 * The denominator of the simplest fraction that equals the value, in nanoseconds, up to rounding: a
 * convergent of its continued fraction. 0: none found.
 */
static double denominator(double value)
{
	double y = fabs(value) * 1e9, rest = y, p = 1, q = 0, p_before = 0, q_before = 1;
	if (!(y > 0) || y > MOST_WHOLE)
		return 0;
	for (int term = 0; term < 32; term++) {
		double whole = floor(rest), p_next = whole * p + p_before, q_next = whole * q + q_before;
		p_before = p;
		q_before = q;
		p = p_next;
		q = q_next;
		if (q > MOST_ITERATIONS || p > MOST_WHOLE)
			return 0;
		if (fabs(y - p / q) <= y * 0x1p-50)
			return q;
		rest = 1 / (rest - whole);
	}
	return 0;
}

static double common_multiple(double a, double b)
{
	double x = a, y = b;
	while (y > 0) {
		double rest = fmod(x, y);
		x = y;
		y = rest;
	}
	return a / x * b;
}

/* Nanoseconds over the iterations of a sample, which no file tells: they are found from the values. */
static bool find_ticks(const double *values, size_t count, uint64_t *whole, struct store_coding *coding)
{
	double iterations = 1;
	for (size_t i = 0; i < count && i < MOST_SAMPLED; i++) {
		double found = denominator(values[i]);
		iterations = found > 0 ? common_multiple(iterations, found) : 0;
		if (!(iterations > 0) || iterations > MOST_ITERATIONS)
			return false;
	}
	for (unsigned factor = 1; factor <= MOST_FACTOR; factor++) {
		*coding =
			(struct store_coding){.form = FORM_TICKS, .parameter = (uint64_t)iterations * factor};
		if (suits(coding, values, count, whole))
			return true;
	}
	return false;
}

static bool find_decimal(const double *values, size_t count, uint64_t *whole, struct store_coding *coding)
{
	for (uint64_t digits = 0; digits <= MOST_DIGITS; digits++) {
		*coding = (struct store_coding){.form = FORM_DECIMAL, .parameter = digits};
		if (suits(coding, values, count, whole))
			return true;
	}
	return false;
}

static void take_bits(const double *values, size_t count, uint64_t *whole, struct store_coding *coding)
{
	uint64_t all = 0;
	for (size_t i = 0; i < count; i++)
		all |= order(bits_of(values[i]));
	*coding = (struct store_coding){.form = FORM_BITS,
					.parameter = all ? (uint64_t)__builtin_ctzll(all) : 63};
	suits(coding, values, count, whole);
}

/* Bits behind each other, the first in the lowest bit of the first byte. */
struct bits {
	struct store_packed *to;
	uint64_t word;
	unsigned count;
};

static void add_bits(struct bits *bits, uint64_t value, unsigned count)
{
	for (; count > 32; count -= 32, value >>= 32)
		add_bits(bits, value & UINT32_MAX, 32);
	bits->word |= value << bits->count;
	for (bits->count += count; bits->count >= 8; bits->count -= 8, bits->word >>= 8)
		add_byte(bits->to, (unsigned char)bits->word);
}

static unsigned length_of(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* The size of the numbers in bits, with `low` low bits each. */
static uint64_t bits_with(const uint64_t *folded, size_t count, unsigned low)
{
	uint64_t used = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t high = folded[i] >> low;
		used += high < MOST_UNARY ? high + 1 + low : MOST_UNARY + 64;
	}
	return used;
}

/* The number of low bits with which they take the least room. */
static unsigned find_low(const uint64_t *folded, size_t count, uint64_t *least)
{
	uint64_t lengths = 0;
	unsigned best = 0;
	for (size_t i = 0; i < count; i++)
		lengths += length_of(folded[i]);
	unsigned mean = (unsigned)(lengths / count), first = mean > 3 ? mean - 3 : 0;
	*least = UINT64_MAX;
	for (unsigned low = first; low < first + 6 && low < 63; low++) {
		uint64_t used = bits_with(folded, count, low);
		if (used < *least) {
			*least = used;
			best = low;
		}
	}
	return best;
}

static void pack_rice(struct store_packed *to, const uint64_t *folded, size_t count, unsigned low)
{
	struct bits bits = {.to = to};
	for (size_t i = 0; i < count; i++) {
		uint64_t high = folded[i] >> low;
		if (high < MOST_UNARY) {
			add_bits(&bits, ((uint64_t)1 << high) - 1, (unsigned)high + 1);
			add_bits(&bits, folded[i] & (((uint64_t)1 << low) - 1), low);
		} else {
			add_bits(&bits, ((uint64_t)1 << MOST_UNARY) - 1, MOST_UNARY);
			add_bits(&bits, folded[i], 64);
		}
	}
	if (bits.count > 0)
		add_byte(to, (unsigned char)bits.word);
}

static int compare_whole(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
	return (a > b) - (a < b);
}

/* The middle of the numbers, by a copy in `scratch`. */
static uint64_t middle(const uint64_t *whole, size_t count, uint64_t *scratch)
{
	memcpy(scratch, whole, count * sizeof(*whole));
	if (count > 32) {
		qsort(scratch, count, sizeof(*scratch), compare_whole);
		return scratch[count / 2];
	}
	for (size_t i = 1; i < count; i++) {
		uint64_t number = scratch[i];
		size_t at = i;
		for (; at > 0 && (int64_t)scratch[at - 1] > (int64_t)number; at--)
			scratch[at] = scratch[at - 1];
		scratch[at] = number;
	}
	return scratch[count / 2];
}

/* Numbers that are about to be packed. */
struct numbers {
	struct store_coding coding;
	bool same; /* coded like the numbers before: only the base is written */
	size_t count;
	uint64_t *folded, little[2 * LITTLE];
};

/* What numbers are coded with, as those before if that is about as short; false: no memory. */
static bool code_numbers(const double *values, size_t count, const struct store_coding *before,
			 struct numbers *numbers)
{
	struct store_coding *coding = &numbers->coding;
	uint64_t *whole = count <= LITTLE ? numbers->little : malloc(2 * count * sizeof(*whole)), least;
	const unsigned told = 16; /* bits that it takes to tell another coding */
	numbers->folded = whole;
	numbers->count = count;
	if (!whole)
		return false;
	*coding = *before;
	if ((before->form != FORM_DECIMAL && before->form != FORM_TICKS) ||
	    !suits(coding, values, count, whole)) {
		if (!find_decimal(values, count, whole, coding) && !find_ticks(values, count, whole, coding))
			take_bits(values, count, whole, coding);
	}
	coding->base = middle(whole, count, whole + count);
	for (size_t i = 0; i < count; i++)
		whole[i] = fold(whole[i] - coding->base);
	coding->low = find_low(whole, count, &least);
	numbers->same = coding->form == before->form && coding->parameter == before->parameter &&
			bits_with(whole, count, before->low) <= least + told;
	if (numbers->same)
		coding->low = before->low;
	return true;
}

/*
 * The middle number, and how the others differ from it; unless they are coded as those before, first a byte
 * with the form and the low bits, and the parameter.
 */
static void pack_numbers(struct store_packed *to, const struct numbers *numbers,
			 const struct store_coding *before)
{
	const struct store_coding *coding = &numbers->coding;
	if (!numbers->same) {
		add_byte(to, (unsigned char)(coding->form << 6 | coding->low));
		add_count(to, coding->parameter);
	}
	add_count(to, fold(coding->base - (numbers->same ? before->base : 0)));
	if (numbers->count > 1)
		pack_rice(to, numbers->folded, numbers->count, coding->low);
}

static void free_numbers(struct numbers *numbers)
{
	if (numbers->folded != numbers->little)
		free(numbers->folded);
}

/* Bits that have been read and not been taken, the next one lowest; what is above `held` of them may be there
 * already. */
struct taken {
	struct store_unpacking *from;
	uint64_t word;
	unsigned held;
};

/* Reads until 56 bits or more are held, or there are no more. */
static void refill(struct taken *bits)
{
	struct store_unpacking *from = bits->from;
	if (from->end - from->at >= 8) {
		const unsigned bytes = (63 - bits->held) / 8;
		uint64_t next;
		memcpy(&next, from->at, sizeof(next));
		bits->word |= le64toh(next) << bits->held;
		from->at += bytes;
		bits->held += 8 * bytes;
		return;
	}
	for (; bits->held < 56 && from->at < from->end; bits->held += 8)
		bits->word |= (uint64_t)*from->at++ << bits->held;
}

static uint64_t take(struct taken *bits, unsigned count)
{
	const uint64_t value = bits->word & (((uint64_t)1 << count) - 1);
	bits->from->bad |= count > bits->held;
	bits->word >>= count;
	bits->held -= bits->from->bad ? 0 : count;
	return value;
}

/* So many that they may have to be read in between. */
static uint64_t take_many(struct taken *bits, unsigned count)
{
	if (count <= 32)
		return take(bits, count);
	const uint64_t low = take(bits, 32);
	refill(bits);
	return low | take(bits, count - 32 < 32 ? count - 32 : 32) << 32;
}

static uint64_t take_folded(struct taken *bits, unsigned low)
{
	refill(bits);
	const unsigned ones = ~bits->word ? (unsigned)__builtin_ctzll(~bits->word) : 64;
	if (ones < MOST_UNARY) {
		take(bits, ones + 1);
		return (uint64_t)ones << low | take_many(bits, low);
	}
	take(bits, MOST_UNARY);
	return take_many(bits, 64);
}

static void read_coding(struct store_unpacking *from, bool same)
{
	struct store_coding *coding = &from->coding;
	if (!same) {
		const unsigned char head = take_byte(from);
		*coding = (struct store_coding){.form = head >> 6, .low = head & 0x3f};
		coding->parameter = store_unpack_count(from);
	}
	coding->base += unfold(store_unpack_count(from));
	from->bad |= coding->form >= FORMS || coding->low == 63 ||
		     (coding->form == FORM_BITS && coding->parameter > 63) ||
		     (coding->form == FORM_DECIMAL && coding->parameter > MOST_DIGITS);
}

static void unpack_numbers(struct store_unpacking *from, bool same, double *values, size_t count)
{
	struct taken bits = {.from = from};
	read_coding(from, same);
	for (size_t i = 0; i < count && !from->bad; i++) {
		const uint64_t folded = count > 1 ? take_folded(&bits, from->coding.low) : 0;
		values[i] = from_whole(&from->coding, from->coding.base + unfold(folded));
	}
	/* Gives back whole bytes that were read ahead. */
	if (!from->bad)
		from->at -= bits.held / 8;
}

/*
 * The median of numbers whose base is their middle one, the upper of two: there are half as many below, the
 * nearest of which is the lower of the two if there are that many.
 */
static double unpack_median(struct store_unpacking *from, bool same, size_t count)
{
	struct taken bits = {.from = from};
	size_t below = 0, above = 0;
	int64_t nearest = INT64_MIN;
	read_coding(from, same);
	for (size_t i = 0; i < count && count > 1 && !from->bad; i++) {
		const int64_t distance = (int64_t)unfold(take_folded(&bits, from->coding.low));
		above += distance > 0;
		below += distance < 0;
		nearest = distance < 0 && distance > nearest ? distance : nearest;
	}
	from->bad |= below > count / 2 || above > (count - 1) / 2;
	if (from->bad)
		return NAN;
	from->at -= bits.held / 8;
	const double upper = from_whole(&from->coding, from->coding.base);
	if (count % 2 || below < count / 2)
		return upper;
	const double lower = from_whole(&from->coding, from->coding.base + (uint64_t)nearest);
	return lower + 0.5 * (upper - lower);
}

static bool has_flags(const struct bench_series *series)
{
	for (size_t i = 0; series->disturbed && i < series->count; i++)
		if (series->disturbed[i])
			return true;
	return false;
}

static void pack_series(struct store_packed *to, const struct bench_series *series, int before,
			struct store_coding *coding)
{
	const bool flags = has_flags(series);
	const int64_t step = (int64_t)series->invocation - before - 1;
	struct numbers numbers;
	if (!code_numbers(series->values, series->count, coding, &numbers)) {
		to->bad = true;
		return;
	}
	add_count(to, fold((uint64_t)step) << 2 | (uint64_t)numbers.same << 1 | flags);
	add_count(to, series->count);
	pack_numbers(to, &numbers, coding);
	for (size_t first = 0; flags && first < series->count; first += 8) {
		unsigned byte = 0;
		for (size_t at = first; at < first + 8 && at < series->count; at++)
			byte |= (unsigned)series->disturbed[at] << (at - first);
		add_byte(to, (unsigned char)byte);
	}
	*coding = numbers.coding;
	free_numbers(&numbers);
}

void store_pack_metric(struct store_packed *to, int64_t id, const struct bench_series *series, size_t count)
{
	struct store_coding coding = {.form = FORMS};
	size_t told = 0;
	int before = -1;
	for (size_t i = 0; i < count; i++)
		told += series[i].count > 0;
	add_count(to, (uint64_t)id);
	add_count(to, told);
	for (size_t i = 0; i < count; i++) {
		if (series[i].count == 0)
			continue;
		pack_series(to, &series[i], before, &coding);
		before = series[i].invocation;
	}
}

void store_unpack_metric(struct store_unpacking *from, int64_t *id, size_t *count)
{
	*id = (int64_t)store_unpack_count(from);
	const uint64_t told = store_unpack_count(from);
	/* A series takes three bytes at least, so that what is left bounds their number, which is untrusted.
	 */
	from->bad |= told > (uint64_t)(from->end - from->at);
	*count = from->bad ? 0 : (size_t)told;
	from->coding = (struct store_coding){.form = FORMS};
}

struct store_series_head store_unpack_series_head(struct store_unpacking *from, int before)
{
	const uint64_t word = store_unpack_count(from), count = store_unpack_count(from);
	const int64_t invocation = (int64_t)before + 1 + (int64_t)unfold(word >> 2);
	/* Equal numbers take a bit each, so that what is left bounds the count, which is untrusted. */
	from->bad |= count < 1 || (count - 1) / 8 > (uint64_t)(from->end - from->at) ||
		     invocation < INT32_MIN || invocation > INT32_MAX;
	return (struct store_series_head){(int)invocation, from->bad ? 0 : (size_t)count, (word & 1) != 0,
					  (word & 2) != 0};
}

void store_unpack_series(struct store_unpacking *from, const struct store_series_head *head, double *values,
			 bool *disturbed)
{
	unpack_numbers(from, head->same_coding, values, head->count);
	for (size_t i = 0, byte = 0; head->has_flags && i < head->count; i++) {
		byte = i % 8 ? byte >> 1 : take_byte(from);
		disturbed[i] = (byte & 1) != 0;
	}
	for (size_t i = 0; i < head->count && !from->bad; i++)
		from->bad = !isfinite(values[i]);
}

double store_unpack_series_median(struct store_unpacking *from, const struct store_series_head *head)
{
	const double median = unpack_median(from, head->same_coding, head->count);
	from->bad |= !isfinite(median);
	return median;
}

/* The numbers that the watch saw. The invocation and the device are written separately. */
static const size_t seen[] = {
	offsetof(struct bench_watched, disturbed),    offsetof(struct bench_watched, canary),
	offsetof(struct bench_watched, canary_worst), offsetof(struct bench_watched, others),
	offsetof(struct bench_watched, steal),        offsetof(struct bench_watched, frequency)};
enum { SEEN_OF_CANARY = 2, SEEN = sizeof(seen) / sizeof(seen[0]) };

void store_pack_watched(struct store_packed *to, const struct bench_watched *watched, size_t count)
{
	double *values = malloc((count + 1) * sizeof(*values));
	const char *device = "";
	bool counted = true, silent = true;
	for (size_t i = 0; i < count; i++) {
		counted &= watched[i].invocation == (int)i;
		silent &= !watched[i].device || !*watched[i].device;
	}
	to->bad |= !values;
	add_count(to, (uint64_t)count << 2 | (uint64_t)counted << 1 | silent);
	for (size_t i = 0; i < count && !counted; i++)
		add_count(to, fold((uint64_t)(int64_t)watched[i].invocation));
	for (size_t s = 0; values && count > 0 && s < SEEN; s++) {
		const struct store_coding none = {.form = FORMS};
		struct numbers numbers;
		for (size_t i = 0; i < count; i++)
			memcpy(&values[i], (const char *)&watched[i] + seen[s], sizeof(*values));
		if (code_numbers(values, count, &none, &numbers))
			pack_numbers(to, &numbers, &none);
		else
			to->bad = true;
		free_numbers(&numbers);
	}
	/* 0 stands for the text before. */
	for (size_t i = 0; i < count && !silent; i++) {
		const char *text = watched[i].device ? watched[i].device : "";
		bool same = strcmp(text, device) == 0;
		size_t length = same ? 0 : strlen(text);
		add_count(to, same ? 0 : length + 1);
		for (size_t at = 0; at < length; at++)
			add_byte(to, (unsigned char)text[at]);
		device = text;
	}
	free(values);
}

static char *unpack_text(struct store_unpacking *from, struct bench_arena *arena, char *before)
{
	const uint64_t told = store_unpack_count(from);
	if (told == 0)
		return before;
	if (told - 1 > (uint64_t)(from->end - from->at)) {
		from->bad = true;
		return before;
	}
	char *text = bench_arena_alloc(arena, (size_t)told, 1);
	memcpy(text, from->at, (size_t)told - 1);
	from->at += told - 1;
	return text;
}

struct bench_watched *store_unpack_watched(struct store_unpacking *from, bool all, struct bench_arena *arena,
					   size_t *count)
{
	static char nothing[] = "";
	const uint64_t word = store_unpack_count(from), told = word >> 2;
	const bool counted = (word & 2) != 0, silent = (word & 1) != 0;
	const size_t asked = all ? SEEN : SEEN_OF_CANARY;
	double little[LITTLE];
	char *device = nothing;
	*count = 0;
	/* Equal numbers take a bit each. */
	from->bad |= told / 8 > (uint64_t)(from->end - from->at);
	if (from->bad || told == 0)
		return NULL;
	struct bench_watched *watched = bench_arena_alloc(arena, (size_t)told, sizeof(*watched));
	double *values = told <= LITTLE ? little : bench_arena_alloc(arena, (size_t)told, sizeof(*values));
	for (size_t i = 0; i < told; i++) {
		const int64_t invocation = counted ? (int64_t)i : (int64_t)unfold(store_unpack_count(from));
		from->bad |= invocation < INT32_MIN || invocation > INT32_MAX;
		watched[i].invocation = from->bad ? 0 : (int)invocation;
		watched[i] = (struct bench_watched){.invocation = watched[i].invocation,
						    .canary_worst = NAN,
						    .others = NAN,
						    .steal = NAN,
						    .frequency = NAN,
						    .device = device};
	}
	for (size_t s = 0; s < asked && !from->bad; s++) {
		unpack_numbers(from, false, values, (size_t)told);
		for (size_t i = 0; i < told; i++)
			memcpy((char *)&watched[i] + seen[s], &values[i], sizeof(*values));
	}
	for (size_t i = 0; all && i < told && !silent && !from->bad; i++)
		watched[i].device = device = unpack_text(from, arena, device);
	*count = from->bad ? 0 : (size_t)told;
	return watched;
}
