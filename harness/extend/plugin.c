/* SPDX-License-Identifier: MIT */
#include "extend/plugin.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/backends.h"
#include "bench/plugin.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "suites/fn/fn.h"
#include "suites/suites.h"

/* The tables that a plug-in may have: BENCH_PLUGIN's, and that of bench/fn.h. */
static const char *const symbols[] = {"bench_plugin", "bench_plugin_functions"};

int bench_extend_plugin_hash(const char *path, char hash[BENCH_EXTEND_HASH_SIZE], struct bench_error *error)
{
	struct bench_error cause;
	char *data;
	size_t length;
	if (bench_file_read(path, BENCH_EXTEND_MOST_PLUGIN, &data, &length, &cause) != 0)
		return bench_fail(error, BENCH_USAGE, "%s", cause.text);
	snprintf(hash, BENCH_EXTEND_HASH_SIZE, "%016" PRIx64,
		 bench_hash_bytes(BENCH_HASH_START, data, length));
	free(data);
	return 0;
}

#define NAME(name) #name,

static int check_abi(const struct bench_plugin *plugin, struct bench_error *error)
{
	static const char *const names[] = {BENCH_PLUGIN_STRUCTS(NAME)};
	static const struct bench_plugin ours = BENCH_PLUGIN_TABLE(NULL, NULL, NULL, NULL);
	/* Under another number nothing else is where it is read. */
	if (plugin->abi != BENCH_PLUGIN_ABI)
		return bench_fail(error, BENCH_USAGE,
				  "it was built for a%s bench, with plug-in ABI %d, and this one has %d: %s",
				  plugin->abi < BENCH_PLUGIN_ABI ? "n older" : " newer", plugin->abi,
				  BENCH_PLUGIN_ABI,
				  plugin->abi < BENCH_PLUGIN_ABI
					  ? "build it again with this bench's headers"
					  : "take a newer bench, or build it with this one's headers");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (plugin->bytes[i] != ours.bytes[i])
			return bench_fail(
				error, BENCH_USAGE,
				"it was built with other headers than this bench: its struct %s has %d "
				"bytes, and not %d; build it again with this bench's headers",
				names[i], plugin->bytes[i], ours.bytes[i]);
	return 0;
}

static int add_function(const struct bench_fn *function, struct bench_error *error)
{
	const struct bench_suite *suite;
	return bench_fn_suite(function, &suite, error) != 0 || bench_suites_add(suite, error) != 0 ? -1 : 0;
}

static int add_table(const struct bench_plugin *plugin, size_t *count, struct bench_error *error)
{
	if (check_abi(plugin, error) != 0)
		return -1;
	for (size_t i = 0; plugin->suites && plugin->suites[i]; i++, ++*count)
		if (bench_suites_add(plugin->suites[i], error) != 0)
			return -1;
	for (size_t i = 0; plugin->backends && plugin->backends[i]; i++, ++*count)
		if (bench_backends_add(plugin->backends[i], error) != 0)
			return -1;
	for (const struct bench_fn *const *at = plugin->functions; at != plugin->functions_end;
	     at++, ++*count)
		if (add_function(*at, error) != 0)
			return -1;
	return 0;
}

/* It stays loaded: its code is called until the process ends. */
static int load(const char *path, struct bench_error *error)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	size_t tables = 0, count = 0;
	if (!handle) {
		const char *cause = dlerror();
		bool ours = strstr(cause, "undefined symbol: bench_") != NULL;
		return bench_fail(error, BENCH_USAGE, "it cannot be loaded: %s%s", cause,
				  ours ? "; was it built for another bench?" : "");
	}
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const struct bench_plugin *plugin = dlsym(handle, symbols[i]);
		tables += plugin != NULL;
		if (plugin && add_table(plugin, &count, error) != 0)
			return -1;
	}
	if (tables == 0)
		return bench_fail(error, BENCH_USAGE,
				  "it is no plug-in of bench: it has no table, which BENCH_PLUGIN "
				  "(bench/plugin.h) or BENCH_FN (bench/fn.h) makes");
	return count > 0 ? 0
			 : bench_fail(error, BENCH_USAGE,
				      "its table is empty: there is no suite, no backend and no function");
}

int bench_extend_plugin_file(const cJSON *extension, const char *what, const char **path,
			     struct bench_error *error)
{
	struct bench_error cause;
	const char *hash;
	char found[BENCH_EXTEND_HASH_SIZE];
	if (bench_json_string(extension, "path", what, path, error) != 0 ||
	    bench_json_string(extension, "hash", what, &hash, error) != 0)
		return -1;
	/* Without a slash dlopen would look elsewhere. */
	if (**path != '/')
		return bench_fail(error, BENCH_USAGE, "%s '%s': its path is not absolute", what, *path);
	if (bench_extend_plugin_hash(*path, found, &cause) != 0)
		return bench_fail(error, cause.code, "%s %s", what, cause.text);
	if (strcmp(hash, found) != 0)
		return bench_fail(error, BENCH_USAGE,
				  "%s '%s' has changed since the run began (its hash was %s, and is %s): "
				  "start a new run",
				  what, *path, hash, found);
	return 0;
}

int bench_extend_plugin_add(const cJSON *extension, struct bench_error *error)
{
	struct bench_error cause;
	const char *path;
	if (bench_extend_plugin_file(extension, "plug-in", &path, error) != 0)
		return -1;
	if (load(path, &cause) != 0)
		return bench_fail(error, cause.code, "plug-in '%s': %s", path, cause.text);
	return 0;
}
