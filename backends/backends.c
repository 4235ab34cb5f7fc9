/* SPDX-License-Identifier: MIT */
#include "backends/backends.h"

#include <string.h>

#define ADDRESS(name) &bench_backend_##name,

static const struct bench_backend *table[BENCH_BACKENDS_MOST + 1] = {BENCH_BACKENDS(ADDRESS) NULL};
const struct bench_backend *const *const bench_backends = (const struct bench_backend *const *)table;

static bool is_legal_name(const char *name)
{
	return name[0] >= 'a' && name[0] <= 'z' &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_+")] == '\0';
}

int bench_backend_check(const struct bench_backend *backend, struct bench_error *error)
{
	/* The ABI first: under another one nothing else is where it is read. */
	if (backend->abi != BENCH_BACKEND_ABI)
		return bench_fail(error, BENCH_USAGE,
				  "a backend has ABI %d and this bench has %d: build it against this bench's "
				  "bench/backend.h",
				  backend->abi, BENCH_BACKEND_ABI);
	if (!backend->name)
		return bench_fail(error, BENCH_USAGE, "a backend has no name");
	if (!is_legal_name(backend->name))
		return bench_fail(
			error, BENCH_USAGE,
			"backend '%s': a name is a lowercase letter, then lowercase letters, digits, "
			"'_' and '+'",
			backend->name);
	const struct {
		const char *name;
		bool present;
	} required[] = {
		{"summary", backend->summary}, {"devices", backend->devices},   {"open", backend->open},
		{"close", backend->close},     {"alloc", backend->alloc},       {"release", backend->release},
		{"upload", backend->upload},   {"download", backend->download}, {"finish", backend->finish},
	};
	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
		if (!required[i].present)
			return bench_fail(error, BENCH_USAGE, "backend '%s' lacks '%s', which is required",
					  backend->name, required[i].name);
	if (!backend->host_alloc != !backend->host_free)
		return bench_fail(error, BENCH_USAGE,
				  "backend '%s' has one of 'host_alloc' and 'host_free': they come together",
				  backend->name);
	if (!backend->time_begin != !backend->time_end)
		return bench_fail(error, BENCH_USAGE,
				  "backend '%s' has one of 'time_begin' and 'time_end': they come together",
				  backend->name);
	bool rows = backend->row_begin && backend->row_end && backend->time_begin && backend->device_stats;
	if ((backend->row_begin || backend->row_end) && !rows)
		return bench_fail(error, BENCH_USAGE,
				  "backend '%s' lacks some of 'row_begin', 'row_end', 'time_begin' and "
				  "'device_stats': they come together",
				  backend->name);
	const struct bench_peer_hooks *peer = backend->peer;
	if (peer && !(peer->open && peer->close && peer->write && peer->read && peer->copy && peer->finish))
		return bench_fail(error, BENCH_USAGE,
				  "backend '%s' lacks some of the hooks of 'peer': they come together",
				  backend->name);
	return 0;
}

int bench_backends_check(const struct bench_backend *const *backends, struct bench_error *error)
{
	for (size_t i = 0; backends[i]; i++) {
		if (bench_backend_check(backends[i], error))
			return -1;
		for (size_t j = 0; j < i; j++)
			if (strcmp(backends[i]->name, backends[j]->name) == 0)
				return bench_fail(error, BENCH_USAGE, "two backends are named '%s'",
						  backends[i]->name);
	}
	return 0;
}

int bench_backends_add(const struct bench_backend *backend, struct bench_error *error)
{
	size_t count = 0;
	if (bench_backend_check(backend, error) != 0)
		return -1;
	for (; table[count]; count++)
		if (strcmp(table[count]->name, backend->name) == 0)
			return bench_fail(error, BENCH_USAGE, "there is a backend '%s' already",
					  backend->name);
	if (count == BENCH_BACKENDS_MOST)
		return bench_fail(error, BENCH_USAGE, "backend '%s': more than %d backends", backend->name,
				  BENCH_BACKENDS_MOST);
	table[count] = backend;
	return 0;
}
