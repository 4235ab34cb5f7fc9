/* SPDX-License-Identifier: MIT */
/* CSV and JSON of `bench changepoints`. */
#include <math.h>
#include <string.h>

#include "app/series.h"
#include "fuzz.h"

#define SEARCHED 100 /* values: the search takes time in their square */

void fuzz_series(const uint8_t *data, size_t size)
{
	static const struct bench_app_series_options options = {.least = 0.01, .alpha = 0.01};
	struct bench_arena arena = {0};
	struct bench_app_series_set set = {0};
	struct bench_change *changes;
	struct bench_error error = {0};
	size_t total = 0, linear;
	if (bench_app_series_parse((const char *)data, size, "a file", &arena, &set, &error) != 0) {
		FUZZ_CHECK(*error.text && (error.code == BENCH_ENVIRONMENT || error.code == BENCH_NOTHING));
		bench_arena_free(&arena);
		return;
	}
	FUZZ_CHECK(set.count >= 1 && set.count <= BENCH_APP_SERIES_MOST);
	for (size_t s = 0; s < set.count; s++) {
		const struct bench_app_series *series = &set.items[s];
		FUZZ_CHECK(series->count <= BENCH_APP_SERIES_VALUES && series->lost < series->count);
		FUZZ_CHECK((series->lost > 0) == (*series->lost_where != '\0') && series->unit);
		total += series->count;
		for (size_t i = 0; i < series->count; i++) {
			FUZZ_CHECK(!isinf(series->values[i]));
			FUZZ_CHECK(!series->labels || series->labels[i]);
		}
	}
	if (total <= SEARCHED) {
		size_t found =
			bench_app_series_changes(set.items, set.count, &options, &arena, &changes, &linear);
		for (size_t i = 0; i < found; i++)
			FUZZ_CHECK(changes[i].p >= 0 && changes[i].p <= 1);
	}
	bench_arena_free(&arena);
}
