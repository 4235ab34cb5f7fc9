/* SPDX-License-Identifier: MIT */
/* Files of shapes: captures and lists. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "suites/shapes_file.h"
#include "suites/suites.h"

/* Each word of a sweep is a parameter of the suite, with one value that it takes. */
static void check_sweep(const struct bench_suite *suite, const char *sweep)
{
	char *words = strdup(sweep), *rest = words, *word;
	FUZZ_CHECK(*sweep);
	while ((word = strsep(&rest, " "))) {
		struct bench_value value;
		struct bench_error error;
		char *text = strchr(word, '=');
		FUZZ_CHECK(text);
		*text++ = '\0';
		const struct bench_param *param = suite->params;
		while (param->name && strcmp(param->name, word) != 0)
			param++;
		FUZZ_CHECK(param->name && bench_value_parse(param, text, &value, &error) == 0);
	}
	free(words);
}

void fuzz_shapes(const uint8_t *data, size_t size)
{
	static const struct bench_suite *const suites[] = {&bench_suite_gemm, &bench_suite_conv2d};
	for (size_t s = 0; s < sizeof(suites) / sizeof(suites[0]); s++) {
		char *text = fuzz_string(data, size);
		struct bench_arena arena = {0};
		struct bench_shapes_file file;
		struct bench_error error = {0};
		if (bench_shapes_file_parse(text, "f", suites[s], &arena, &file, &error) == 0) {
			FUZZ_CHECK(file.count > 0);
			for (size_t i = 0; i < file.count; i++) {
				FUZZ_CHECK(file.shapes[i].uses >= 1 && file.shapes[i].seconds >= 0);
				check_sweep(suites[s], file.shapes[i].sweep);
			}
		} else {
			FUZZ_CHECK(error.code == BENCH_USAGE && strncmp(error.text, "f:", 2) == 0);
		}
		bench_arena_free(&arena);
		free(text);
	}
}
