/* SPDX-License-Identifier: MIT */
#include "extend/library.h"

#include <string.h>

#include "backends/openblas/by_path.h"
#include "core/json.h"
#include "extend/plugin.h"

int bench_extend_library_add(const cJSON *extension, struct bench_error *error)
{
	const char *name, *path;
	if (bench_json_string(extension, "name", "library", &name, error) != 0 ||
	    bench_extend_plugin_file(extension, "library", &path, error) != 0)
		return -1;
	if (strncmp(name, "openblas+", strlen("openblas+")) != 0)
		return bench_fail(error, BENCH_USAGE, "library '%s': its backend is openblas+NAME, not '%s'",
				  path, name);
	return bench_openblas_add_path(name, path, error);
}
