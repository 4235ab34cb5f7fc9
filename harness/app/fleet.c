/* SPDX-License-Identifier: MIT */
#include "app/fleet.h"

#include <string.h>

/* A run, as its head tells of it. */
struct member {
	const char *id, *job, *node;
	int64_t started;
	size_t group;
};

struct loading {
	struct bench_app_fleet *fleet;
	struct bench_store *store;
	const struct bench_app_line_request *request;
	struct bench_error *error;
	struct member *members;
	size_t count, nights;
	int64_t since; /* jobs from here on do not count as nights: an alarm was open */
	bool lined;    /* the fleet's line is known */
	char **jobs;   /* that were seen */
	size_t job_count;
	const char *before; /* the job before the newest */
};

/* A job's name ends at its last dot; without one, all of it is the name. */
static size_t name_length(const char *job)
{
	const char *dot = strrchr(job, '.');
	return dot ? (size_t)(dot - job) : strlen(job);
}

static bool same_name(const char *a, const char *b)
{
	return name_length(a) == name_length(b) && strncmp(a, b, name_length(a)) == 0;
}

static size_t find(char *const *names, size_t count, const char *name)
{
	size_t at = 0;
	while (at < count && strcmp(names[at], name) != 0)
		at++;
	return at;
}

static size_t number_of(struct bench_arena *arena, char ***names, size_t *count, const char *name)
{
	size_t at = find(*names, *count, name);
	if (at == *count)
		BENCH_PUSH(arena, *names, *count) = bench_arena_string(arena, name);
	return at;
}

static size_t find_group(struct bench_app_fleet *fleet, const struct bench_run *head)
{
	char *about, *class = bench_compare_fleet_class(head, &fleet->arena, &about);
	char *track = bench_compare_track(head, &fleet->arena);
	size_t at = 0;
	while (at < fleet->group_count &&
	       (strcmp(fleet->groups[at].class, class) != 0 || strcmp(fleet->groups[at].track, track) != 0))
		at++;
	if (at == fleet->group_count) {
		struct bench_app_fleet_group *group =
			bench_arena_push(&fleet->arena, &fleet->groups, &fleet->group_count, sizeof(*group));
		*group = (struct bench_app_fleet_group){.class = class, .about = about, .track = track};
		/* The first job is the same for all groups. */
		number_of(&fleet->arena, &group->jobs, &group->job_count, fleet->job);
	}
	return at;
}

/* A node by its name, or one of its devices. */
static char *node_of(const struct bench_run *head, struct bench_arena *arena)
{
	const char *node = bench_record_label(head, BENCH_APP_FLEET_NODE),
		   *gpu = bench_record_label(head, BENCH_APP_FLEET_GPU);
	if (!*node)
		node = bench_record_fact(head, "name");
	return *gpu ? bench_arena_format(arena, "%s/%s", node, gpu) : bench_arena_string(arena, node);
}

static void add_member(struct loading *in, const struct bench_run *head)
{
	struct bench_app_fleet *fleet = in->fleet;
	const char *job = bench_record_label(head, BENCH_APP_FLEET_JOB);
	struct member *member = bench_arena_push(&fleet->arena, &in->members, &in->count, sizeof(*member));
	*member = (struct member){.id = bench_arena_string(&fleet->arena, head->id),
				  .job = bench_arena_string(&fleet->arena, job),
				  .node = node_of(head, &fleet->arena),
				  .started = head->started};
	member->group = find_group(fleet, head);
	if (!in->before && strcmp(job, fleet->job) != 0)
		in->before = member->job;
}

/* Has each group of tonight's job as many nights as are asked for, and one more, so that these are whole? */
static bool is_enough(const struct loading *in)
{
	struct bench_app_fleet *fleet = in->fleet;
	BENCH_SCOPED_ARENA arena = {0};
	bool enough = true;
	for (size_t g = 0; g < fleet->group_count && enough; g++) {
		char **jobs = NULL;
		size_t job_count = 0;
		bool tonight = false;
		for (size_t i = 0; i < in->count; i++) {
			bool own = strcmp(in->members[i].job, fleet->job) == 0;
			tonight |= own && in->members[i].group == g;
			if (!own && in->members[i].group == g && in->members[i].started < in->since)
				number_of(&arena, &jobs, &job_count, in->members[i].job);
		}
		enough = !tonight || job_count > in->nights;
	}
	return enough;
}

/* Is a run of an earlier job on the line of the job's first run to be seen? *on_line: it is. */
static int find_line(struct loading *in, const struct bench_run *head, bool own, bool *on_line)
{
	struct bench_app_fleet *fleet = in->fleet;
	*on_line = true;
	if (!own)
		*on_line =
			bench_app_line_takes(&fleet->line, head->git.commit, head->git.branch, &fleet->tally);
	else if (!in->lined && bench_app_line_of(in->store, in->request, &head->git, &fleet->arena,
						 &fleet->line, in->error) != 0)
		return -1;
	in->lined = true;
	return 0;
}

/* *begins: with this run a job begins that was not seen before. */
static int look_at(struct loading *in, const struct bench_run_row *row, bool *begins)
{
	struct bench_app_fleet *fleet = in->fleet;
	BENCH_SCOPED_RUN *head = NULL;
	if (bench_store_load_head(in->store, row->id, &head, in->error) != 0)
		return -1;
	const char *job = bench_record_label(head, BENCH_APP_FLEET_JOB);
	if (*job && !fleet->job)
		fleet->job = bench_arena_string(&fleet->arena, job);
	bool own = fleet->job && strcmp(job, fleet->job) == 0;
	bool later = *job && fleet->job && !own && in->count == 0 && same_name(job, fleet->job);
	/* A job that began after the one that was named is no night before it. */
	bool older = *job && fleet->job && (own || in->count > 0) && same_name(job, fleet->job);
	if (older && find_line(in, head, own, &older) != 0)
		return -1;
	if (older && (!row->finished || row->interrupted))
		fleet->cut_short += own;
	else if (older)
		add_member(in, head);
	else if (later && row->finished && !row->interrupted) {
		size_t group = find_group(fleet, head); /* which may move them */
		fleet->groups[group].is_past = true;
	}
	size_t seen = in->job_count;
	if (older)
		number_of(&fleet->arena, &in->jobs, &in->job_count, job);
	*begins = in->job_count > seen;
	return 0;
}

/* From when on an alarm of a class is open; without one, for ever. */
static int find_alarms(struct loading *in)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_alarm *alarms;
	size_t count;
	int result = bench_store_alarms(in->store, NULL, NULL, true, &arena, &alarms, &count, in->error);
	in->since = INT64_MAX;
	for (size_t i = 0; result == 0 && i < count; i++)
		if (bench_compare_fleet_is_class(alarms[i].fingerprint) && alarms[i].since < in->since)
			in->since = alarms[i].since;
	return result;
}

/* All runs that are looked at, newest first. */
static int list_members(struct loading *in)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_run_row *rows;
	size_t count;
	int result = bench_store_runs(in->store, 0, &arena, &rows, &count, in->error);
	for (size_t i = 0; result == 0 && i < count; i++) {
		bool begins = false;
		if (*rows[i].aside)
			continue;
		result = look_at(in, &rows[i], &begins);
		if (result == 0 && begins && is_enough(in))
			break;
	}
	if (result == 0 && in->count == 0)
		result = bench_fail(
			in->error, BENCH_NOTHING,
			"no run of %s%s%s is in the history: runs have the label '" BENCH_APP_FLEET_JOB
			"' by --label " BENCH_APP_FLEET_JOB "=JOB or scripts/slurm",
			in->fleet->job ? "job '" : "any job", in->fleet->job ? in->fleet->job : "",
			in->fleet->job ? "'" : "");
	return result;
}

/* Puts a group's members, of the jobs that count, into it. */
static void fill_group(struct loading *in, size_t number)
{
	struct bench_app_fleet *fleet = in->fleet;
	struct bench_app_fleet_group *group = &fleet->groups[number];
	size_t nights = 0;
	for (size_t i = 0; i < in->count; i++) {
		const struct member *member = &in->members[i];
		if (member->group != number)
			continue;
		bool known = find(group->jobs, group->job_count, member->job) < group->job_count;
		if (!known && nights == in->nights)
			continue;
		nights += !known && member->started < in->since;
		size_t job = number_of(&fleet->arena, &group->jobs, &group->job_count, member->job);
		size_t node = number_of(&fleet->arena, &group->nodes, &group->node_count, member->node);
		BENCH_PUSH(&fleet->arena, group->runs, group->run_count) =
			(struct bench_fleet_run){.run = fleet->loaded[i], .job = job, .node = node};
		group->tonight += job == 0;
	}
}

/* The environment that most runs of a job have (Boyer & Moore's vote); NULL: no run. */
static const struct bench_run *usual_run(const struct bench_app_fleet_group *group, size_t job)
{
	BENCH_SCOPED_ARENA arena = {0};
	const struct bench_run *usual = NULL;
	size_t votes = 0;
	for (size_t i = 0; i < group->run_count; i++) {
		if (group->runs[i].job != job)
			continue;
		if (votes == 0)
			usual = group->runs[i].run;
		if (bench_compare_fleet_difference(usual, group->runs[i].run, &arena))
			votes--;
		else
			votes++;
	}
	return usual;
}

static void leave_out_others(struct bench_app_fleet *fleet, struct bench_app_fleet_group *group)
{
	size_t kept = 0;
	const struct bench_run **usual =
		bench_arena_alloc(&fleet->arena, group->job_count, sizeof(const struct bench_run *));
	for (size_t job = 0; job < group->job_count; job++)
		usual[job] = usual_run(group, job);
	for (size_t i = 0; i < group->run_count; i++) {
		const struct bench_fleet_run run = group->runs[i];
		char *difference = bench_compare_fleet_difference(usual[run.job], run.run, &fleet->arena);
		if (!difference) {
			group->runs[kept++] = run;
			continue;
		}
		group->tonight -= run.job == 0;
		BENCH_PUSH(&fleet->arena, group->left_out, group->left_out_count) = bench_arena_format(
			&fleet->arena, "run %s on %s is left out: most of its job differ from it (%s)",
			run.run->id, group->nodes[run.node], difference);
	}
	group->run_count = kept;
}

/* A group that tonight's job lacks counts where the job before it had it. */
static void drop_others(struct loading *in)
{
	struct bench_app_fleet *fleet = in->fleet;
	size_t kept = 0;
	for (size_t g = 0; g < fleet->group_count; g++) {
		const struct bench_app_fleet_group group = fleet->groups[g];
		bool counts = group.tonight > 0 || group.left_out_count > 0;
		for (size_t i = 0; i < in->count; i++)
			counts |= in->members[i].group == g && in->before &&
				  strcmp(in->members[i].job, in->before) == 0;
		if (counts)
			fleet->groups[kept++] = group;
	}
	fleet->group_count = kept;
}

static int load_members(struct loading *in)
{
	struct bench_app_fleet *fleet = in->fleet;
	char **ids = bench_arena_alloc(&fleet->arena, in->count + 1, sizeof(*ids));
	for (size_t i = 0; i < in->count; i++)
		ids[i] = bench_arena_string(&fleet->arena, in->members[i].id);
	fleet->loaded = bench_arena_alloc(&fleet->arena, in->count + 1, sizeof(*fleet->loaded));
	if (bench_store_load_medians(in->store, ids, in->count, &fleet->results, fleet->loaded, in->error) !=
	    0)
		return -1;
	fleet->loaded_count = in->count;
	for (size_t g = 0; g < fleet->group_count; g++) {
		fill_group(in, g);
		leave_out_others(fleet, &fleet->groups[g]);
	}
	drop_others(in);
	return 0;
}

int bench_app_fleet_load(struct bench_store *store, const struct bench_app_line_request *request,
			 const char *job, size_t nights, struct bench_app_fleet *fleet,
			 struct bench_error *error)
{
	struct loading in = {
		.fleet = fleet, .store = store, .request = request, .error = error, .nights = nights};
	*fleet = (struct bench_app_fleet){0};
	if (job)
		fleet->job = bench_arena_string(&fleet->arena, job);
	if (find_alarms(&in) != 0 || list_members(&in) != 0)
		return -1;
	return load_members(&in);
}

void bench_app_fleet_free(struct bench_app_fleet *fleet)
{
	for (size_t i = 0; i < fleet->loaded_count; i++)
		bench_record_free(fleet->loaded[i]);
	bench_arena_free(&fleet->results);
	bench_arena_free(&fleet->arena);
	*fleet = (struct bench_app_fleet){0};
}

struct bench_fleet_group bench_app_fleet_runs(const struct bench_app_fleet_group *group)
{
	return (struct bench_fleet_group){.runs = group->runs,
					  .count = group->run_count,
					  .jobs = group->job_count,
					  .nodes = group->node_count};
}

void bench_app_fleet_odd(struct bench_app_fleet *fleet, const struct bench_compare_options *options,
			 struct bench_fleet_odd **odd, size_t *count)
{
	struct bench_fleet_group *groups =
		bench_arena_alloc(&fleet->arena, fleet->group_count + 1, sizeof(*groups));
	for (size_t g = 0; g < fleet->group_count; g++)
		groups[g] = bench_app_fleet_runs(&fleet->groups[g]);
	bench_compare_fleet_odd(groups, fleet->group_count, options, &fleet->arena, odd, count);
}
