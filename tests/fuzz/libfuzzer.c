/* SPDX-License-Identifier: MIT */
/*
 * The targets under libFuzzer: fuzz TARGET [libFuzzer's options] CORPUS. FUZZ_TARGET in the environment
 * names the target of the processes that libFuzzer starts.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static fuzz_function *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");
	if (!name) {
		name = *argc > 1 ? (*argv)[1] : "";
		target = fuzz_find(name);
		setenv("FUZZ_TARGET", name, 1);
		(*argv)[1] = (*argv)[0];
		++*argv;
		--*argc;
	} else {
		target = fuzz_find(name);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	target(data, size);
	return 0;
}
