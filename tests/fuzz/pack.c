/* Samples as results.db keeps them. The first two bytes are how many. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "store/sql.h"

static void check_samples(const uint8_t *data, size_t size, size_t count)
{
	double *values = calloc(count + 1, sizeof(*values)), *again = calloc(count + 1, sizeof(*again));
	size_t bytes;
	FUZZ_CHECK(values && again);
	if (store_unpack(data, size, values, count)) {
		void *packed = store_pack(values, count, &bytes);
		FUZZ_CHECK(packed && store_unpack(packed, bytes, again, count));
		FUZZ_CHECK(memcmp(values, again, count * sizeof(*values)) == 0);
		free(packed);
	}
	free(values);
	free(again);
}

static void check_flags(const uint8_t *data, size_t size, size_t count)
{
	bool *flags = calloc(count + 1, sizeof(*flags)), *again = calloc(count + 1, sizeof(*again));
	unsigned char *packed;
	size_t bytes;
	FUZZ_CHECK(flags && again);
	if (store_unpack_flags(data, size, flags, count)) {
		FUZZ_CHECK(store_pack_flags(flags, count, &packed, &bytes));
		if (packed)
			FUZZ_CHECK(store_unpack_flags(packed, bytes, again, count));
		FUZZ_CHECK(memcmp(flags, again, count) == 0);
		free(packed);
	}
	free(flags);
	free(again);
}

void fuzz_pack(const uint8_t *data, size_t size)
{
	if (size < 2)
		return;
	size_t count = (size_t)(data[0] | data[1] << 8);
	check_samples(data + 2, size - 2, count);
	check_flags(data + 2, size - 2, count);
}
