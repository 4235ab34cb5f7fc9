/* Samples as they are kept: doubles, little-endian, deflated. */
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
