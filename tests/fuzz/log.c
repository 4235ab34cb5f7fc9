/* EXPERIMENTS.md, which people edit. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "report/log/log.h"

static char id[] = "20261120-231503";
static const char entry[] = "<!-- run: 20261120-231503 -->\n## 2026-11-20 23:15:03 gemm on quiet\n\nText.\n";

void fuzz_log(const uint8_t *data, size_t size)
{
	const struct bench_run run = {.id = id};
	const struct bench_log_run part = {.run = &run};
	struct bench_error error = {0};
	size_t length, again_length;
	const char *path = fuzz_path("EXPERIMENTS.md");
	fuzz_write(path, data, size);
	if (bench_log_append(path, &part, 1, entry, &error) != 0) {
		FUZZ_CHECK(error.code == BENCH_USAGE || error.code == BENCH_ENVIRONMENT);
		return;
	}
	char *text = fuzz_read(path, &length);
	FUZZ_CHECK(strstr(text, entry));
	/* It has its entry now, and the index that it should have. */
	FUZZ_CHECK(bench_log_append(path, &part, 1, entry, &error) == -1 && error.code == BENCH_USAGE);
	FUZZ_CHECK(bench_log_index(path, &error) == 0);
	char *again = fuzz_read(path, &again_length);
	if (strcmp(text, again) != 0)
		fuzz_fail("the index made again is another one:\n%s\n%s", text, again);
	free(again);
	free(text);
}
