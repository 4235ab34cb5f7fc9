/* SPDX-License-Identifier: MIT */
/* metrics.json in every format that runs are shown in. */
#include <cjson/cJSON.h>
#include <string.h>

#include "fuzz.h"
#include "report/format/format.h"

/* Nothing that a terminal takes for an order, nor a CI runner, but where it is meant to. */
static void check_plain(const char *name, const char *text)
{
	bool line = true;
	for (const char *at = text; *at; line = *at++ == '\n') {
		unsigned char c = (unsigned char)*at;
		if ((c < ' ' && !strchr("\t\n\r", c)) || c == 0x7f)
			fuzz_fail("format %s gives a byte of %u:\n%s", name, c, text);
		if (line && strncmp(at, "::", 2) == 0 && strcmp(name, "github") != 0)
			fuzz_fail("format %s gives an order to a CI runner:\n%s", name, text);
	}
}

void fuzz_report(const uint8_t *data, size_t size)
{
	struct bench_run *run;
	if (bench_record_from_json((const char *)data, size, "metrics.json", &run, NULL) != 0)
		return;
	for (size_t i = 0; bench_formats[i]; i++) {
		const struct bench_format *format = bench_formats[i];
		const struct bench_report_options options = {.format = format, .width = 100, .repeat = true};
		struct bench_text out = {0};
		if (!format->run)
			continue;
		format->run(run, NULL, &options, &out);
		FUZZ_CHECK(out.data);
		check_plain(format->name, out.data);
		if (strcmp(format->name, "json") == 0) {
			cJSON *document = cJSON_ParseWithOpts(out.data, NULL, true);
			FUZZ_CHECK(document);
			cJSON_Delete(document);
		}
		bench_text_free(&out);
	}
	bench_record_free(run);
}
