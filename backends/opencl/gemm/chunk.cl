/* SPDX-License-Identifier: MIT */
/*
 * Sixteen bytes that do not start at a multiple of 16, of elements of 2 or 4 bytes: read as the two chunks that do and
 * hold them, and shifted together. That is two reads where elements are eight.
 */
struct chunks {
	uint4 low, high;
};

/*
 * What the aligned chunk at `from` and the one after it hold. skip: bytes before the wanted ones; bytes: that are
 * wanted, 0 or less: none. No chunk is read that holds none of them.
 */
static inline struct chunks read_chunks(__global const uint4 *from, uint skip, int bytes)
{
	struct chunks chunks;
	chunks.low = bytes > 0 ? from[0] : (uint4)(0);
	chunks.high = (int)skip + min(bytes, 16) > 16 ? from[1] : (uint4)(0);
	return chunks;
}

/* The wanted ones, with zeros after them. */
static inline uint4 join_chunks(struct chunks chunks, uint skip, int bytes)
{
	const uint4 low = chunks.low, high = chunks.high;
	const uint4 a = skip & 8 ? (uint4)(low.zw, high.xy) : low;
	const uint2 b = skip & 8 ? high.zw : high.xy;
	const uint4 c = skip & 4 ? (uint4)(a.yzw, b.x) : a;
	const uint d = skip & 4 ? b.y : b.x;
	uint4 value = skip & 2 ? c >> 16 | (uint4)(c.yzw, d) << 16 : c;
	if (bytes < 16) {
		const int4 left = bytes - (int4)(0, 4, 8, 12);
		value &= select((uint4)(0xffff), (uint4)(0xffffffff), left >= 4) & as_uint4(left > 0);
	}
	return value;
}
