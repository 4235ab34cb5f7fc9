/* SPDX-License-Identifier: MIT */
/* Were both sides measured in the same place, with the same build? */
#include <stdio.h>
#include <string.h>

#include "compare/fleet.h"
#include "compare/internal.h"
#include "core/text.h"

/* Facts about host and build that must agree; the commit, of course, may differ. */
static const struct {
	const char *name;
	const char *unsaid; /* the value for a run without the fact */
} facts[] = {{"fingerprint", ""},
	     {"threads", ""},
	     {"pin", "no"},
	     {"cache", "hot"},
	     {"build_type", ""},
	     {"compiler", ""},
	     {"env.BENCH_TUNING", "none"}};

/*
 * Facts that must agree where both sides have them, as earlier versions recorded fewer: what chooses or makes
 * the code that is measured, or the device. "*": all that begin so.
 */
static const char *const decisive[] = {
	"flags",
	"env.OPENBLAS_CORETYPE",
	"env.OPENBLAS_L2_SIZE",
	"env.OPENBLAS_BLOCK_FACTOR",
	"env.ONEDNN_*",
	"env.DNNL_*",
	"env.CLBLAST_*",
	"env.BENCH_OPENCL_*",
	"env.POCL_DEVICES",
	"env.POCL_EXTRA_BUILD_FLAGS",
	"env.POCL_LLVM_*",
	"env.POCL_MAX_WORK_GROUP_SIZE",
	"env.POCL_WILOOPS_*",
	"env.POCL_WORK_GROUP_*",
	"env.OPENCL_LAYERS",
	"env.LD_AUDIT",
	"env.LD_PRELOAD",
	"env.NVIDIA_TF32_OVERRIDE",
};

/* Those that may change times, or may not: a difference is said. So is one of the other variables. */
static const char *const told[] = {"governor", "boost",      "no_turbo",    "microcode",          "kernel",
				   "os",       "huge_pages", "clocksource", "processors_allowed", "cpu_limit",
				   "shuffle",  "watch",      "lib.glibc",   "counters",           "energy"};

/* The fact that names the environment's variables of which "env.NAME" was recorded if they were set. */
#define VARIABLES "env"

static const char *shown(const char *value)
{
	return *value ? value : "not recorded";
}

/* Adds a difference (which is in the arena), unless another baseline run has it too. */
static void add(struct bench_arena *arena, char ***list, size_t *count, char *text)
{
	bench_text_find_or_add(arena, list, count, sizeof(char *), text);
}

/* A difference that is refused. */
static void note(struct bench_comparison *comparison, char *text)
{
	add(&comparison->arena, &comparison->env_changes, &comparison->env_change_count, text);
}

static const char *fact_of(const struct bench_run *run, size_t fact)
{
	const char *value = bench_record_fact(run, facts[fact].name);
	return *value ? value : facts[fact].unsaid;
}

static void compare_fact(struct bench_comparison *comparison, const char *name, const char *then,
			 const char *now)
{
	if (strcmp(then, now) != 0)
		note(comparison, bench_arena_format(&comparison->arena, "%s: %s in the baseline, %s now",
						    name, shown(then), shown(now)));
}

/* Is it that name, or does it begin as a pattern says that ends with '*'? */
static bool is_meant(const char *pattern, size_t length, const char *name)
{
	return length && pattern[length - 1] == '*'
		       ? strncmp(pattern, name, length - 1) == 0
		       : strlen(name) == length && strncmp(pattern, name, length) == 0;
}

static bool is_decisive(const char *name)
{
	for (size_t i = 0; i < sizeof(decisive) / sizeof(decisive[0]); i++)
		if (is_meant(decisive[i], strlen(decisive[i]), name))
			return true;
	return false;
}

/* A fact of which both values are known. */
static void compare_known(struct bench_comparison *comparison, const char *name, const char *then,
			  const char *now)
{
	struct bench_arena *arena = &comparison->arena;
	char *text;

	if (strcmp(then, now) == 0)
		return;
	text = bench_arena_format(arena, "%s: %s in the baseline, %s now", name, then, now);
	if (is_decisive(name))
		note(comparison, text);
	else
		add(arena, &comparison->env_notes, &comparison->env_note_count, text);
}

static void compare_if_known(struct bench_comparison *comparison, const char *name,
			     const struct bench_run *then, const struct bench_run *now)
{
	const char *before = bench_record_fact(then, name), *after = bench_record_fact(now, name);

	if (*before && *after)
		compare_known(comparison, name, before, after);
}

/* Has the run looked at a variable? */
static bool has_looked_at(const struct bench_run *run, const char *name)
{
	const char *at = bench_record_fact(run, VARIABLES);

	while (*at) {
		size_t length = strcspn(at, " ");

		if (is_meant(at, length, name))
			return true;
		at += length;
		at += strspn(at, " ");
	}
	return false;
}

/* The variables that one of the runs has set and both have looked at. */
static void compare_variables(struct bench_comparison *comparison, const struct bench_run *then,
			      const struct bench_run *now)
{
	const struct bench_run *sides[] = {now, then};
	const size_t prefix = sizeof(VARIABLES ".") - 1;

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side]->host_count; i++) {
			const char *fact = sides[side]->host[i].name;
			const char *before = bench_record_fact(then, fact),
				   *after = bench_record_fact(now, fact);

			if (strncmp(fact, VARIABLES ".", prefix) != 0 || (side == 1 && *after) ||
			    !has_looked_at(then, fact + prefix) || !has_looked_at(now, fact + prefix))
				continue;
			compare_known(comparison, fact, *before ? before : "not set",
				      *after ? after : "not set");
		}
}

static bool measures(const struct bench_run *run, const char *suite)
{
	for (size_t i = 0; i < run->result_count; i++)
		if (strcmp(run->results[i].suite, suite) == 0)
			return true;
	return false;
}

/* Where the output of commands went, of those suites of them that both runs measured. */
static void compare_outputs(struct bench_comparison *comparison, const struct bench_run *then,
			    const struct bench_run *now)
{
	static const char prefix[] = "output.";
	const struct bench_run *sides[] = {now, then};

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side]->host_count; i++) {
			const char *fact = sides[side]->host[i].name;

			if (strncmp(fact, prefix, strlen(prefix)) == 0 &&
			    measures(sides[1 - side], fact + strlen(prefix)))
				compare_fact(comparison, fact, bench_record_fact(then, fact),
					     bench_record_fact(now, fact));
		}
}

static void compare_devices(struct bench_comparison *comparison, const struct bench_run *baseline,
			    const struct bench_run *candidate)
{
	for (size_t i = 0; i < baseline->device_count; i++) {
		const struct bench_device_record *then = &baseline->devices[i];
		const struct bench_device_record *now =
			bench_record_device(candidate, then->backend, then->info.slug);
		char name[256];

		if (!now)
			continue;
		snprintf(name, sizeof(name), "name of %s:%s", then->backend, then->info.slug);
		compare_fact(comparison, name, then->info.name, now->info.name);
		snprintf(name, sizeof(name), "platform of %s:%s", then->backend, then->info.slug);
		compare_fact(comparison, name, then->info.platform, now->info.platform);
		snprintf(name, sizeof(name), "driver of %s:%s", then->backend, then->info.slug);
		compare_fact(comparison, name, then->info.driver, now->info.driver);
	}
}

/* Finds devices that the same command measured in the baseline and does not find any more. */
static void find_vanished(struct bench_comparison *comparison, const struct bench_run *baseline,
			  const struct bench_run *candidate)
{
	for (size_t i = 0; i < baseline->result_count; i++) {
		const struct bench_result *result = &baseline->results[i];

		if (result->status != BENCH_STATUS_OK ||
		    !bench_compare_is_selected(candidate, baseline, result) ||
		    bench_compare_has_target(candidate, result->backend, result->device))
			continue;
		note(comparison, bench_arena_format(&comparison->arena,
						    "device %s:%s: measured in the baseline, not there now",
						    result->backend, result->device));
	}
}

/* An interleaved time is the mean of the faster half of its parts: another quantity. */
static const char *in_turns(const struct bench_run *run)
{
	return bench_compare_in_turns(run) ? "yes" : "no";
}

static void compare_runs(struct bench_comparison *comparison, const struct bench_run *then,
			 const struct bench_run *now)
{
	compare_fact(comparison, "measured interleaved", in_turns(then), in_turns(now));
	for (size_t f = 0; f < sizeof(facts) / sizeof(facts[0]); f++)
		compare_fact(comparison, facts[f].name, fact_of(then, f), fact_of(now, f));
	compare_if_known(comparison, "flags", then, now);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		compare_if_known(comparison, told[i], then, now);
	compare_variables(comparison, then, now);
	compare_outputs(comparison, then, now);
	compare_devices(comparison, then, now);
	find_vanished(comparison, then, now);
}

void bench_compare_note_environment(struct bench_comparison *comparison,
				    const struct bench_compare_sides *sides)
{
	for (size_t i = 0; i < sides->baseline_count; i++)
		compare_runs(comparison, sides->baseline[i], sides->candidate);
}

bool bench_compare_same_environment(const struct bench_run *then, const struct bench_run *now)
{
	struct bench_comparison scratch = {0};
	bool alike;

	compare_runs(&scratch, then, now);
	alike = scratch.env_change_count == 0;
	bench_arena_free(&scratch.arena);
	return alike;
}

char *bench_compare_fleet_difference(const struct bench_run *other, const struct bench_run *run,
				     struct bench_arena *arena)
{
	static const char host[] = "fingerprint: ";
	struct bench_comparison scratch = {0};
	char *text = NULL;

	compare_runs(&scratch, other, run);
	for (size_t i = 0; i < scratch.env_change_count && !text; i++)
		if (strncmp(scratch.env_changes[i], host, strlen(host)) != 0)
			text = bench_arena_string(arena, scratch.env_changes[i]);
	bench_arena_free(&scratch.arena);
	return text;
}

int bench_compare_refuse_environment(const struct bench_comparison *comparison, struct bench_error *error)
{
	const char *advice = "Measure a new baseline, or say --allow-env-change to compare all the same";
	struct bench_text list = {0}; /* short enough for the advice to fit after it */
	size_t listed = 0, count = comparison->env_change_count;

	while (listed < count && list.length < 400) {
		bench_text_add(&list, "%s%.300s", listed ? "; " : "", comparison->env_changes[listed]);
		listed++;
	}
	if (listed < count)
		bench_text_add(&list, "; and %zu more", count - listed);
	bench_fail(error, BENCH_NOTHING, "the environment differs from that of baseline '%.60s': %s. %s",
		   comparison->baseline_name, list.data, advice);
	bench_text_free(&list);
	return -1;
}
