/* SPDX-License-Identifier: MIT */
/* An ELF file behind eight bytes: the offset whose function is looked up. */
#include <string.h>

#include "fuzz.h"
#include "machine/symbols.h"

void fuzz_symbols(const uint8_t *data, size_t size)
{
	char name[32] = "";
	uint64_t offset;
	if (size < sizeof(offset))
		return;
	memcpy(&offset, data, sizeof(offset));
	bool found = bench_machine_symbols_find(data + sizeof(offset), size - sizeof(offset), offset, name,
						sizeof(name));
	FUZZ_CHECK(found == (*name != '\0') && strlen(name) < sizeof(name));
}
