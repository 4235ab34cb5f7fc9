/* SPDX-License-Identifier: MIT */
/* samples.jsonl: its lines as events, and the run that they make. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "record/event.h"

static char *read_and_write(const char *line, size_t length, struct bench_error *error)
{
	struct bench_event event;
	if (bench_record_event_read(line, length, "a line", &event, error) != 0)
		return NULL;
	/* The others have more than is in the event. */
	bool all = event.kind != BENCH_EVENT_UNKNOWN && event.kind != BENCH_EVENT_RUN &&
		   event.kind != BENCH_EVENT_CASE;
	char *written = all ? bench_record_event_line(&event) : strdup("");
	FUZZ_CHECK(written);
	bench_record_event_free(&event);
	return written;
}

/* An event that was accepted is written, read and written again to the same. */
static void check_line(const char *line, size_t length)
{
	struct bench_error error;
	char *written = read_and_write(line, length, &error);
	if (written && *written) {
		char *again = read_and_write(written, strlen(written), &error);
		if (!again)
			fuzz_fail("%s\n%s", error.text, written);
		if (strcmp(again, written) != 0)
			fuzz_fail("written, read and written again:\n%s\n%s", written, again);
		free(again);
	}
	free(written);
}

void fuzz_samples(const uint8_t *data, size_t size)
{
	static bool made;
	struct bench_run *run;
	struct bench_error error = {0};
	struct bench_event_resume resume = {0};
	if (!made)
		fuzz_make_folder(fuzz_path("run"));
	made = true;
	char *text = fuzz_string(data, size);
	for (const char *line = text; line < text + size;) {
		const char *end = memchr(line, '\n', (size_t)(text + size - line));
		end = end ? end : text + size;
		check_line(line, (size_t)(end - line));
		line = end + 1;
	}
	bench_record_event_last_resume(text, &resume);
	free(text);
	fuzz_write(fuzz_path("run/samples.jsonl"), data, size);
	if (bench_record_load_folder(fuzz_path("run"), &run, &error) != 0) {
		FUZZ_CHECK((error.code == BENCH_ENVIRONMENT || error.code == BENCH_NOTHING) && *error.text);
		return;
	}
	fuzz_check_run(run);
	bench_record_free(run);
}
