/* SPDX-License-Identifier: MIT */
#include "measure/worker/validator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"

#define LOG_MAX ((size_t)64 << 20)

/* The rest of the line behind `label`, where `text` has one. */
static bool value_of(const char *text, const char *label, char *out, size_t size)
{
	const char *at = strstr(text, label);
	if (!at)
		return false;
	at += strlen(label);
	snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
	return true;
}

/* A finding is a line at the margin; what belongs to it is indented. */
static size_t count_findings(const char *text)
{
	size_t count = 0;
	while (*text) {
		size_t length = strcspn(text, "\n");
		count += length > 0 && text[0] != '\t' && text[0] != ' ';
		text += length + (text[length] == '\n');
	}
	return count;
}

bool bench_worker_validator_found(size_t *seen, char *out, size_t size)
{
	const char *path = getenv("OCLGRIND_LOG");
	struct bench_error error;
	char *data, kernel[96], place[96];
	size_t length;
	if (!path || bench_file_read(path, LOG_MAX, &data, &length, &error) != 0)
		return false;
	size_t from = *seen < length ? *seen : length;
	const char *text = data + from;
	size_t findings = count_findings(text);
	*seen = length;
	if (findings > 0) {
		text += strspn(text, "\n");
		int used = snprintf(out, size, "Oclgrind: %.*s", (int)strcspn(text, "\n"), text);
		if (used > 0 && (size_t)used < size && value_of(text, "Kernel: ", kernel, sizeof(kernel)) &&
		    (value_of(text, "Entity: ", place, sizeof(place)) ||
		     value_of(text, "First entity: ", place, sizeof(place))))
			used += snprintf(out + used, size - (size_t)used, ", kernel %s, %s", kernel, place);
		if (used > 0 && (size_t)used < size && findings > 1)
			snprintf(out + used, size - (size_t)used, " (and %zu more)", findings - 1);
	}
	free(data);
	return findings > 0;
}
