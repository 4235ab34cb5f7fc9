/* SPDX-License-Identifier: MIT */
#include "cli/extensions.h"

#include <stdlib.h>
#include <string.h>

#include "app/kernel.h"
#include "app/plugin.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "extend/extend.h"

/* The text itself, or a file with it. */
static int add_text(const char *given, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *text = NULL;
	size_t length;

	if (given[strspn(given, " \t\n")] == '{')
		return bench_app_extend(given, error);
	if (bench_file_read(given, BENCH_EXTENSION_MOST_TEXT, &text, &length, error) != 0)
		return bench_fail(error, BENCH_USAGE, "--extension %s", error->text);
	cJSON *extension = bench_json_parse(text, length, given, NULL);
	if (extension && bench_extend_place(extension, given)) {
		free(text);
		text = bench_json_print(extension, false);
	} else {
		cJSON_Delete(extension);
	}
	return bench_app_extend(text, error) == 0
		       ? 0
		       : bench_fail(error, error->code, "--extension %s: %s", given, error->text);
}

static int add_texts(const struct cli_args *args, struct bench_error *error)
{
	size_t count;
	const char *const *texts = cli_values(args, "extension", &count);
	for (size_t i = 0; i < count; i++)
		if (add_text(texts[i], error) != 0)
			return -1;
	return 0;
}

/* The --spec behind the --kernel that is option `at`, and before another kernel. */
static const char *spec_behind(const struct cli_args *args, size_t at)
{
	for (size_t i = at + 1; i < args->given_count && strcmp(args->given[i]->name, "kernel") != 0; i++)
		if (strcmp(args->given[i]->name, "spec") == 0)
			return args->values[i];
	return NULL;
}

/* As many specifications as kernels belong to them in their order; fewer each to the kernel in front of it.
 */
static int add_kernels(const struct cli_args *args, struct bench_error *error)
{
	size_t kernels, specs, used = 0, number = 0;
	cli_values(args, "kernel", &kernels);
	const char *const *all = cli_values(args, "spec", &specs);
	for (size_t i = 0; i < args->given_count; i++)
		used += strcmp(args->given[i]->name, "kernel") == 0 && spec_behind(args, i);
	if (specs != kernels && specs != used)
		return bench_fail(error, BENCH_USAGE,
				  "--spec follows its --kernel, one for each: --kernel F.cl --spec F.json");
	for (size_t i = 0; i < args->given_count; i++)
		if (strcmp(args->given[i]->name, "kernel") == 0 &&
		    bench_app_kernel(args->values[i], specs == kernels ? all[number++] : spec_behind(args, i),
				     false, error) != 0)
			return -1;
	return 0;
}

static int add_plugins(const struct cli_args *args, struct bench_error *error)
{
	size_t count;
	const char *const *paths = cli_values(args, "plugin", &count);
	for (size_t i = 0; i < count; i++) {
		const char *text = bench_app_plugin(paths[i], args->arena, error);
		if (!text || bench_app_extend(text, error) != 0)
			return -1;
	}
	return 0;
}

int cli_extend(const struct cli_args *args, struct bench_error *error)
{
	return add_texts(args, error) != 0 || cli_exec_extend(args, error) != 0 ||
			       add_kernels(args, error) != 0 || add_plugins(args, error) != 0
		       ? -1
		       : 0;
}
