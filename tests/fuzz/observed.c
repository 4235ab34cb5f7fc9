/* SPDX-License-Identifier: MIT */
/* What an observing worker of a duel sends, a line a message. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/observed.h"
#include "fuzz.h"
#include "measure/session/observed.h"

void fuzz_observed(const uint8_t *data, size_t size)
{
	struct bench_observed_functions functions = {0};
	struct bench_observed_message told;
	char *text = fuzz_string(data, size), *rest = text, *line;
	while ((line = strsep(&rest, "\n"))) {
		if (!bench_session_observed_read(line, line[0] == 'f', &functions, &told)) {
			FUZZ_CHECK(!told.is_sample && !told.is_note);
			continue;
		}
		FUZZ_CHECK(told.is_sample || told.is_note);
		FUZZ_CHECK(!told.is_sample ||
			   (isfinite(told.sample.value) && bench_observed_is(told.sample.metric)));
		FUZZ_CHECK(!told.is_note || (*told.note.name && *told.note.value));
		const char *name = told.is_sample ? told.sample.metric : told.note.name;
		FUZZ_CHECK(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name));
		FUZZ_CHECK(functions.count <= BENCH_OBSERVED_FUNCTIONS);
	}
	free(text);
}
