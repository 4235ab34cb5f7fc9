/* SPDX-License-Identifier: MIT */
/* Files of other benchmark tools, by their content; what is taken is a run that is written, and read again.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "interchange/interchange.h"

static const struct bench_interchange_options options = {.started = 1700000000, .command = "bench import x"};

static int read_text(const struct bench_interchange_format *format, const char *text, size_t length,
		     struct bench_interchange_runs *runs, struct bench_error *error)
{
	struct bench_interchange_notes notes = {0};
	const struct bench_interchange_file file = {"/nonexistent/x", text, length};
	const int result = bench_interchange_read(format, &file, 1, &options, &notes, runs, error);
	FUZZ_CHECK((result == 0) == (runs->count > 0) || runs->lost > 0);
	bench_arena_free(&notes.arena);
	return result;
}

/* What a format writes it reads, or says of each result why not. */
static void check_written(const struct bench_interchange_format *format, const struct bench_run *run)
{
	struct bench_interchange_notes notes = {0};
	struct bench_text out = {0};
	struct bench_error error = {0};
	struct bench_interchange_runs again = {0};
	bench_text_add(&out, "%s", "");
	format->write(run, &notes, &out);
	FUZZ_CHECK(strlen(out.data) == out.length);
	if (format->read && read_text(format, out.data, out.length, &again, &error) != 0 &&
	    error.code != BENCH_NOTHING && again.lost == 0)
		fuzz_fail("%s does not read what it wrote: %s\n%s", format->name, error.text, out.data);
	bench_interchange_free(&again);
	bench_text_free(&out);
	bench_arena_free(&notes.arena);
}

void fuzz_interchange(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	/* The first byte may say the format, as a user does. */
	const struct bench_interchange_format *told = NULL;
	size_t skipped = 0;
	for (size_t i = 0; bench_interchange_formats[i]; i++)
		if (size > 0 && data[0] == 1 + i && bench_interchange_formats[i]->read) {
			told = bench_interchange_formats[i];
			skipped = 1;
		}
	struct bench_interchange_runs runs = {0};
	struct bench_error error = {0};
	if (read_text(told, text + skipped, size - skipped, &runs, &error) != 0)
		FUZZ_CHECK(*error.text && error.code != BENCH_OK);
	for (size_t r = 0; r < runs.count; r++) {
		struct bench_run *run = runs.list[r];
		FUZZ_CHECK(run->result_count > 0);
		for (size_t i = 0; bench_interchange_formats[i]; i++)
			if (bench_interchange_formats[i]->write)
				check_written(bench_interchange_formats[i], run);
		run->id = bench_arena_string(&run->arena, "20261120-231503");
		fuzz_check_run(run);
	}
	bench_interchange_free(&runs);
	free(text);
}
