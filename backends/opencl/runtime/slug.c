/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/slug.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"

#define POCL "Portable Computing Language" /* the platform's name */

/* Removes every `word` from `text`, in place, in any case of letters. */
static void remove_word(char *text, const char *word)
{
	size_t length = strlen(word);
	for (char *at = text; *at;) {
		if (strncasecmp(at, word, length) == 0)
			memmove(at, at + length, strlen(at + length) + 1);
		else
			at++;
	}
}

/* "cpu-skylake-avx512-MODEL" -> "pocl skylake-avx512": PoCL's drivers for CPUs, old names and new. */
static void shorten_pocl(char *out, size_t size, const char *name, const char *cpu_model)
{
	static const char *const drivers[] = {"pthread-", "cpu-minimal-", "cpu-tbb-",
					      "cpu-",     "basic-",       "tbb-"};
	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (strncmp(name, drivers[i], strlen(drivers[i])) == 0) {
			name += strlen(drivers[i]);
			break;
		}
	size_t length = strlen(name), model = strlen(cpu_model);
	if (model && length > model && strcmp(name + length - model, cpu_model) == 0)
		length -= model;
	snprintf(out, size, "pocl-%.*s", (int)length, name);
}

bool bench_opencl_is_pocl(const char *platform_name)
{
	return strstr(platform_name, POCL) != NULL;
}

void bench_opencl_slug(char *out, size_t size, const char *platform_name, const char *device_name,
		       const char *cpu_model)
{
	char name[256];
	if (bench_opencl_is_pocl(platform_name))
		shorten_pocl(name, sizeof(name), device_name, cpu_model);
	else
		snprintf(name, sizeof(name), "%s", device_name);
	remove_word(name, "(R)");
	remove_word(name, "(TM)");
	bench_text_slug(out, size, name);
	if (!*out || strcmp(out, "none") == 0) /* which stands for no device */
		snprintf(out, size, "unnamed");
}
