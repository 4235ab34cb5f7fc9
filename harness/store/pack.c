/* Samples as they are kept: doubles, little-endian, deflated; and their flags, as bits. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "store/sql.h"

void *store_pack(const double *values, size_t count, size_t *bytes)
{
	uint64_t *words = malloc(count ? count * sizeof(*words) : 1);
	uLongf packed_bytes = compressBound((uLong)(count * sizeof(*words)));
	void *packed = malloc(packed_bytes);
	if (!words || !packed)
		goto fail;
	memcpy(words, values, count * sizeof(*words));
	for (size_t i = 0; i < count; i++)
		words[i] = htole64(words[i]);
	if (compress(packed, &packed_bytes, (const Bytef *)words, (uLong)(count * sizeof(*words))) != Z_OK)
		goto fail;
	free(words);
	*bytes = packed_bytes;
	return packed;
fail:
	free(words);
	free(packed);
	return NULL;
}

bool store_unpack(const void *data, size_t bytes, double *values, size_t count)
{
	uLongf unpacked_bytes = (uLongf)(count * sizeof(*values));
	const uLongf expected = unpacked_bytes;
	if (uncompress((Bytef *)values, &unpacked_bytes, data, (uLong)bytes) != Z_OK ||
	    unpacked_bytes != expected)
		return false;
	for (size_t i = 0; i < count; i++) {
		uint64_t word;
		memcpy(&word, &values[i], sizeof(word));
		word = le64toh(word);
		memcpy(&values[i], &word, sizeof(word));
	}
	return true;
}

bool store_pack_flags(const bool *flags, size_t count, unsigned char **data, size_t *bytes)
{
	size_t set = 0;
	*data = NULL;
	*bytes = 0;
	for (size_t i = 0; flags && i < count; i++)
		set += flags[i];
	if (set == 0)
		return true;
	*bytes = (count + 7) / 8;
	*data = calloc(*bytes, 1);
	for (size_t i = 0; *data && i < count; i++)
		(*data)[i / 8] |= (unsigned char)((unsigned)flags[i] << i % 8);
	return *data != NULL;
}

bool store_unpack_flags(const unsigned char *data, size_t bytes, bool *flags, size_t count)
{
	if (bytes != (count + 7) / 8)
		return false;
	for (size_t i = 0; i < count; i++)
		flags[i] = (data[i / 8] >> i % 8 & 1) != 0;
	return true;
}
