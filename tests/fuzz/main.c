/* SPDX-License-Identifier: MIT */
/*
 * The targets without libFuzzer:
 *
 *   fuzz TARGET FILE|FOLDER..   each file, and each file of a folder: the corpora as regression tests
 *   fuzz TARGET                 standard input; built by afl-clang-fast, as often as AFL++ asks for
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/text.h"
#include "fuzz.h"

#ifdef __AFL_FUZZ_INIT
__AFL_FUZZ_INIT();
#endif

/* From memory of just that size. */
static void run_bytes(fuzz_function *target, const void *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	FUZZ_CHECK(copy);
	memcpy(copy, data, size);
	target(copy, size);
	free(copy);
}

static void run_file(fuzz_function *target, const char *path)
{
	size_t size;
	char *data = fuzz_read(path, &size);
	/* The last line before an abort says which it was. */
	fprintf(stderr, "%s\n", path);
	run_bytes(target, data, size);
	free(data);
}

static unsigned run_folder(fuzz_function *target, const char *path)
{
	struct dirent **entries;
	unsigned ran = 0;
	int count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char file[4096];
		FUZZ_CHECK(bench_file_join(file, sizeof(file), path, entries[i]->d_name));
		if (entries[i]->d_name[0] != '.') {
			run_file(target, file);
			ran++;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return ran;
}

static void run_input(fuzz_function *target)
{
#ifdef __AFL_FUZZ_INIT
	__AFL_INIT();
	const unsigned char *data = __AFL_FUZZ_TESTCASE_BUF;
	while (__AFL_LOOP(10000))
		run_bytes(target, data, (size_t)__AFL_FUZZ_TESTCASE_LEN);
#else
	struct bench_text input = {0};
	char buffer[4096];
	for (size_t got; (got = fread(buffer, 1, sizeof(buffer), stdin)) > 0;)
		bench_text_add_bytes(&input, buffer, got);
	run_bytes(target, input.data ? input.data : "", input.length);
	bench_text_free(&input);
#endif
}

int main(int argc, char **argv)
{
	unsigned ran = 0;
	if (argc < 2) {
		fprintf(stderr, "usage: fuzz TARGET [FILE|FOLDER..]\n");
		return 2;
	}
	fuzz_function *target = fuzz_find(argv[1]);
	for (int i = 2; i < argc; i++) {
		if (bench_file_is_folder(argv[i])) {
			ran += run_folder(target, argv[i]);
		} else {
			run_file(target, argv[i]);
			ran++;
		}
	}
	if (argc == 2)
		run_input(target);
	else if (ran == 0)
		fuzz_fail("no file to run");
	return 0;
}
