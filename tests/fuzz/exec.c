/* SPDX-License-Identifier: MIT */
/* Descriptions of commands, as --exec and a recorded run have them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_place.h"
#include "core/memory.h"
#include "fuzz.h"
#include "suites/exec/exec.h"
#include "suites/suites.h"

void fuzz_exec(const uint8_t *data, size_t size)
{
	struct bench_arena arena = {0};
	struct bench_error error;
	char *text = fuzz_string(data, size);
	size_t length = strlen(text), lines = 1;
	const cJSON *at = NULL;
	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	cJSON *root = bench_json_place_parse(text, "exec", &error);
	struct bench_exec *exec = bench_memory_alloc(1, sizeof(*exec));
	if (root && bench_exec_read(root, &arena, exec, &at, &error) == 0)
		FUZZ_CHECK(bench_suite_check(&exec->suite, &error) == 0 && exec->command_count > 0);
	if (at) {
		size_t line = 0;
		bench_json_place_fail(text, "exec", root, at, false, 0, &error, "wrong");
		FUZZ_CHECK(sscanf(error.text, "exec:%zu:", &line) == 1 && line >= 1 && line <= lines);
	}
	bench_exec_free(exec);
	free(exec);
	cJSON_Delete(root);
	bench_arena_free(&arena);
	free(text);
}
