/* SPDX-License-Identifier: MIT */
/* What workers append to samples.jsonl while their session reads it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "measure/session/journal.h"

static void count(void *context, const struct bench_event *event)
{
	(void)event;
	++*(size_t *)context;
}

/* Where the last whole line ends. */
static size_t whole(const uint8_t *data, size_t size)
{
	while (size > 0 && data[size - 1] != '\n')
		size--;
	return size;
}

void fuzz_journal(const uint8_t *data, size_t size)
{
	static struct bench_folder folder = {.events = -1, .log = -1};
	struct bench_run *run = bench_record_new();
	struct bench_error error;
	size_t seen = 0;
	if (folder.log < 0) {
		snprintf(folder.path, sizeof(folder.path), "%s", fuzz_path("journal"));
		fuzz_make_folder(folder.path);
		folder.log = open("/dev/null", O_WRONLY | O_CLOEXEC);
		folder.events = open(fuzz_path("journal/samples.jsonl"),
				     O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	}
	struct bench_journal journal = {.folder = &folder, .run = run, .seen = count, .context = &seen};
	fuzz_write(fuzz_path("journal/samples.jsonl"), data, size);
	FUZZ_CHECK(bench_session_journal_catch_up(&journal, &error) == 0);
	FUZZ_CHECK((size_t)journal.read_to == whole(data, size));
	FUZZ_CHECK(seen <= size);
	bench_record_finalise(run);
	bench_record_free(run);
}
