#include "cli/extensions.h"

#include <stdint.h>

#include "app/plugin.h"

static int add_texts(const struct cli_args *args, struct bench_error *error)
{
	size_t count;
	const char *const *texts = cli_values(args, "extension", &count);
	for (size_t i = 0; i < count; i++)
		if (bench_app_extend(texts[i], error) != 0)
			return -1;
	return 0;
}

static int add_plugins(const struct cli_args *args, struct bench_error *error)
{
	struct bench_arena *arena = (struct bench_arena *)(uintptr_t)&args->arena;
	size_t count;
	const char *const *paths = cli_values(args, "plugin", &count);
	for (size_t i = 0; i < count; i++) {
		const char *text = bench_app_plugin(paths[i], arena, error);
		if (!text || bench_app_extend(text, error) != 0)
			return -1;
	}
	return 0;
}

int cli_extend(const struct cli_args *args, struct bench_error *error)
{
	return add_texts(args, error) != 0 || cli_exec_extend(args, error) != 0 ||
			       cli_extend_kernels(args, error) != 0 || add_plugins(args, error) != 0
		       ? -1
		       : 0;
}
