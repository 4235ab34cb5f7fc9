/* SPDX-License-Identifier: MIT */
#include "compare/changes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

#define FACTS_SHOWN 3
#define CAUSE_SHARE 0.5 /* of a change, that its cause makes at least */

const char *bench_compare_cause_name(enum bench_change_cause cause)
{
	static const char *const names[] = {[BENCH_CHANGE_UNKNOWN] = "unknown",
					    [BENCH_CHANGE_CODE] = "code",
					    [BENCH_CHANGE_MACHINE] = "machine"};
	return names[cause];
}

/* What differs from night to night and makes nothing slower, or is the code itself. */
static bool is_idle_fact(const char *name)
{
	static const char *const names[] = {"load_1min", "clock_tick_ns", "clock_cost_ns",
					    "version",   "build_commit",  "executable",
					    "name",      "fingerprint",   "env"};
	return BENCH_FIND(names, sizeof(names) / sizeof(names[0]), name) != NULL;
}

static bool has_same_commit(const struct bench_run *then, const struct bench_run *now)
{
	return then->git.present && now->git.present && !then->git.dirty && !now->git.dirty &&
	       strcmp(then->git.commit, now->git.commit) == 0;
}

/*
 * The commit that a plug-in was built from, as far as the run knows; "": it knows none. "HASH, commit COMMIT"
 * names that of the repository that its file lies in. Of "HASH" alone, as of a file in a folder of builds, it
 * is taken to be the run's own.
 */
static const char *source_of(const char *plugin, const struct bench_run *run)
{
	static const char commit[] = ", commit ", dirty[] = "-dirty";
	const char *at = strstr(plugin, commit);
	size_t length = strlen(plugin);

	if (!at)
		return *plugin && run->git.present && !run->git.dirty ? run->git.commit : "";
	if (length >= strlen(dirty) && strcmp(plugin + length - strlen(dirty), dirty) == 0)
		return "";
	return at + strlen(commit);
}

/*
 * A plug-in is the code that is measured, as the executable is: another build of it changes no environment.
 * One that was built again from the same commit was built by something else, and does.
 */
static bool is_code(const char *name, const struct bench_run *then, const struct bench_run *now)
{
	const char *before = bench_record_fact(then, name);
	const char *after = bench_record_fact(now, name);
	const char *source = source_of(before, then);

	return strncmp(name, "plugin.", 7) == 0 && (!*source || strcmp(source, source_of(after, now)) != 0);
}

struct facts {
	struct bench_text text;
	size_t count;
};

static void add_fact(struct facts *facts, const char *name, const char *then, const char *now)
{
	if (strcmp(then, now) == 0)
		return;
	if (facts->count++ < FACTS_SHOWN)
		bench_text_add(&facts->text, "%s%.60s: %.120s, now %.120s", facts->count > 1 ? "; " : "",
			       name, *then ? then : "not recorded", *now ? now : "not recorded");
}

static void add_host_facts(struct facts *facts, const struct bench_run *then, const struct bench_run *now)
{
	for (size_t i = 0; i < now->host_count; i++) {
		const struct bench_attribute *fact = &now->host[i];
		if (!is_idle_fact(fact->name) && !is_code(fact->name, then, now))
			add_fact(facts, fact->name, bench_record_fact(then, fact->name), fact->value);
	}
	for (size_t i = 0; i < then->host_count; i++) {
		const struct bench_attribute *fact = &then->host[i];
		if (!is_idle_fact(fact->name) && !is_code(fact->name, then, now) &&
		    !*bench_record_fact(now, fact->name))
			add_fact(facts, fact->name, fact->value, "");
	}
}

static void add_device_facts(struct facts *facts, const struct bench_run *then, const struct bench_run *now)
{
	for (size_t t = 0; t < then->device_count; t++)
		for (size_t n = 0; n < now->device_count; n++) {
			const struct bench_device_record *old = &then->devices[t], *fresh = &now->devices[n];
			char name[64];
			if (strcmp(old->backend, fresh->backend) != 0 ||
			    strcmp(old->info.slug, fresh->info.slug) != 0)
				continue;
			snprintf(name, sizeof(name), "driver of %.40s", fresh->backend);
			add_fact(facts, name, old->info.driver, fresh->info.driver);
			snprintf(name, sizeof(name), "platform of %.40s", fresh->backend);
			add_fact(facts, name, old->info.platform, fresh->info.platform);
		}
}

char *bench_compare_changed_facts(const struct bench_run *then, const struct bench_run *now,
				  struct bench_arena *arena)
{
	struct facts facts = {0};
	add_host_facts(&facts, then, now);
	add_device_facts(&facts, then, now);
	if (facts.count > FACTS_SHOWN)
		bench_text_add(&facts.text, "; and %zu more", facts.count - FACTS_SHOWN);
	return bench_text_keep(&facts.text, arena);
}

/* Why the code of the metric cannot have changed between the runs; NULL: it may have. Of a command's the
 * executable, which is this program's, says nothing. */
static const char *same_code(const char *key, const struct bench_run *last, const struct bench_run *first)
{
	const char *then = bench_record_fact(last, "executable");
	const char *now = bench_record_fact(first, "executable");
	if (*then && *now && strncmp(key, "exec/", 5) != 0)
		return strcmp(then, now) == 0 ? "the same executable" : NULL;
	return has_same_commit(last, first) ? "no commit between" : NULL;
}

void bench_compare_change_explain(struct bench_change *change, const struct bench_run *last,
				  const struct bench_run *first, struct bench_arena *arena)
{
	change->cause = BENCH_CHANGE_UNKNOWN;
	change->why = "";
	if (!last || !first)
		return;
	const char *same = same_code(change->key, last, first),
		   *facts = bench_compare_changed_facts(last, first, arena);
	bool most = change->together > 0 && 2 * (change->together + 1) > change->searched;
	if (same || (*facts && most))
		change->cause = BENCH_CHANGE_MACHINE;
	if (same && *facts)
		change->why = bench_arena_format(arena, "%s; %s", same, facts);
	else if (same || *facts)
		change->why = same ? same : facts;
	else if (most)
		change->why = bench_arena_format(arena, "%zu of %zu metrics shifted at this run",
						 change->together + 1, change->searched);
}

/* How much of the change an interval explains: 0 where it cannot be told from none, or is less than half. */
static double explained(const struct bench_change *change, const struct bench_interval *shift)
{
	double size = fabs(change->is_difference ? change->ratio.estimate : log(change->ratio.estimate));
	bool told = shift->lo > 0 || shift->hi < 0;
	return told && fabs(shift->estimate) >= CAUSE_SHARE * size ? fabs(shift->estimate) : 0;
}

void bench_compare_change_attribute(struct bench_change *change, const struct bench_interval *relative,
				    const struct bench_interval *anchor, struct bench_arena *arena)
{
	double code = explained(change, relative), machine = explained(change, anchor);
	change->cause = code == 0 && machine == 0 ? BENCH_CHANGE_UNKNOWN
			: code >= machine         ? BENCH_CHANGE_CODE
						  : BENCH_CHANGE_MACHINE;
	change->why = bench_arena_format(arena, "against the anchor %+.1f%%, the anchor itself %+.1f%%",
					 100 * expm1(relative->estimate), 100 * expm1(anchor->estimate));
}
