/* SPDX-License-Identifier: MIT */
#include "plan/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "plan/probe.h"

int bench_plan_target_devices(const struct bench_backend *backend, struct bench_arena *arena,
			      struct bench_device_info **devices, size_t *count, struct bench_error *error)
{
	size_t there = 0;
	if (backend->devices(NULL, 0, &there, error) != 0)
		return -1;
	if (there == 0)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no device", backend->name);
	*devices = bench_arena_alloc(arena, there, sizeof(**devices));
	size_t capacity = there;
	if (backend->devices(*devices, capacity, &there, error) != 0)
		return -1;
	*count = there < capacity ? there : capacity;
	return 0;
}

static int preference(enum bench_device_kind kind)
{
	return kind == BENCH_DEVICE_GPU ? 0 : kind == BENCH_DEVICE_ACCELERATOR ? 1 : 2;
}

static size_t best_device(const struct bench_device_info *devices, size_t count)
{
	size_t best = 0;
	for (size_t i = 1; i < count; i++)
		if (preference(devices[i].kind) < preference(devices[best].kind))
			best = i;
	return best;
}

static bool contains(const char *text, const char *part)
{
	return strcasestr(text, part) != NULL;
}

/* Does `word` (an index, a kind, or a part of the name or slug) choose device `index`? */
static bool chooses(const char *word, const struct bench_device_info *info, size_t index)
{
	if (strspn(word, "0123456789") == strlen(word))
		return strtoull(word, NULL, 10) == index;
	for (enum bench_device_kind kind = 0; kind < BENCH_DEVICE_KINDS; kind++)
		if (strcasecmp(word, bench_device_kind_name(kind)) == 0)
			return info->kind == kind;
	return contains(info->slug, word) || contains(info->name, word) || contains(info->platform, word);
}

struct resolution {
	struct bench_arena *arena;
	struct bench_target *targets;
	size_t count;
};

static struct bench_target *push(struct resolution *to, const struct bench_backend *backend)
{
	struct bench_target *target = bench_arena_push(to->arena, &to->targets, &to->count, sizeof(*target));
	target->backend = backend;
	return target;
}

static void add(struct resolution *to, const struct bench_backend *backend, size_t index,
		const struct bench_device_info *info)
{
	for (size_t i = 0; i < to->count; i++)
		if (to->targets[i].backend == backend && to->targets[i].index == index)
			return; /* named twice */
	struct bench_target *target = push(to, backend);
	target->index = index;
	target->info = *info;
}

static void add_unavailable(struct resolution *to, const struct bench_backend *backend, const char *reason)
{
	struct bench_target *target = push(to, backend);
	target->unavailable = bench_arena_string(to->arena, reason);
	snprintf(target->info.slug, sizeof(target->info.slug), "none");
}

static int no_such_device(const struct bench_backend *backend, const char *word,
			  const struct bench_device_info *devices, size_t count, struct bench_error *error)
{
	BENCH_SCOPED_TEXT list = {0};
	const char *names[64];
	size_t n = 0;
	for (size_t i = 0; i < count; i++) {
		bench_text_add(&list, "%s%s:%zu (%s, %s)", i ? ", " : "", backend->name, i, devices[i].slug,
			       bench_device_kind_name(devices[i].kind));
		if (n < 64)
			names[n++] = devices[i].slug;
	}
	const char *nearest = bench_text_nearest(word, names, n);
	bench_fail(error, BENCH_USAGE, "backend %s has no device '%s': it has %s%s%s%s", backend->name, word,
		   list.data, BENCH_DID_YOU_MEAN(nearest));
	return -1;
}

static int resolve_one(struct resolution *to, const struct bench_backend *backend, const char *word,
		       struct bench_error *error)
{
	struct bench_device_info *devices;
	size_t count;
	struct bench_error reason;
	if (bench_plan_probe(backend, to->arena, &devices, &count, &reason) != 0) {
		/* What the user has set wrong, or this machine lacks, is no lack of the backend's. */
		if (reason.code == BENCH_USAGE || reason.code == BENCH_ENVIRONMENT) {
			*error = reason;
			return -1;
		}
		add_unavailable(to, backend, reason.text);
		return 0;
	}
	if (!word || !*word) {
		size_t best = best_device(devices, count);
		add(to, backend, best, &devices[best]);
		return 0;
	}
	bool found = false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(word, "all") != 0 && !chooses(word, &devices[i], i))
			continue;
		add(to, backend, i, &devices[i]);
		found = true;
	}
	return found ? 0 : no_such_device(backend, word, devices, count, error);
}

static int no_such_backend(const struct bench_backend *const *backends, const char *name,
			   struct bench_error *error)
{
	const char *names[64];
	size_t count = 0;
	for (; backends[count] && count < 64; count++)
		names[count] = backends[count]->name;
	return bench_text_no_such("backend", name, names, count, "", error);
}

bool bench_plan_target_is(const char *target, const char *device)
{
	size_t length = strlen(device);
	if (strncmp(target, device, length) != 0)
		return false;
	const char *rest = target + length;
	return *rest == '\0' ||
	       (*rest == '-' && rest[1] && strspn(rest + 1, "0123456789") == strlen(rest + 1));
}

/* Is it measured by default? Not the reference, nor a library on another backend ("opencl+clblast"). */
static bool is_default(const struct bench_backend *backend)
{
	return strcmp(backend->name, "reference") != 0 && !strchr(backend->name, '+');
}

int bench_plan_target_resolve(const struct bench_backend *const *backends, const char *text,
			      struct bench_arena *arena, struct bench_target **targets, size_t *count,
			      struct bench_error *error)
{
	struct resolution to = {.arena = arena};
	if (!text) {
		for (size_t b = 0; backends[b]; b++)
			if (is_default(backends[b]) && resolve_one(&to, backends[b], NULL, error) != 0)
				return -1;
	} else {
		char *rest = bench_arena_string(arena, text), *item;
		while ((item = bench_text_next(&rest, ','))) {
			char *word = strchr(item, ':'), *name = item;
			if (word)
				*word++ = '\0';
			const struct bench_backend *backend = NULL;
			for (size_t b = 0; backends[b]; b++)
				if (strcmp(backends[b]->name, name) == 0)
					backend = backends[b];
			if (!backend)
				return no_such_backend(backends, name, error);
			if (resolve_one(&to, backend, word, error) != 0)
				return -1;
		}
	}
	*targets = to.targets;
	*count = to.count;
	return 0;
}
