#include "extend/library.h"

#include <string.h>

#include "backends/openblas/by_path.h"
#include "core/json.h"
#include "extend/plugin.h"

int bench_extend_library_add(const cJSON *extension, struct bench_error *error)
{
	struct bench_error cause;
	const char *name, *path, *hash;
	char found[BENCH_EXTEND_HASH_SIZE];
	if (bench_json_string(extension, "name", "library", &name, error) != 0 ||
	    bench_json_string(extension, "path", "library", &path, error) != 0 ||
	    bench_json_string(extension, "hash", "library", &hash, error) != 0)
		return -1;
	/* Without a slash dlopen would look elsewhere. */
	if (*path != '/')
		return bench_fail(error, BENCH_USAGE, "library '%s': its path is not absolute", path);
	if (strncmp(name, "openblas+", strlen("openblas+")) != 0)
		return bench_fail(error, BENCH_USAGE, "library '%s': its backend is openblas+NAME, not '%s'",
				  path, name);
	if (bench_extend_plugin_hash(path, found, &cause) != 0)
		return bench_fail(error, cause.code, "library %s", cause.text);
	if (strcmp(hash, found) != 0)
		return bench_fail(error, BENCH_USAGE,
				  "library '%s' has changed since the run began (its hash was %s, and is "
				  "%s): start a new run",
				  path, hash, found);
	return bench_openblas_add_path(name, path, error);
}
