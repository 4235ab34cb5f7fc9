/* SPDX-License-Identifier: MIT */
/*
 * The common part of metrics.json and the first events: the run, its machine and devices, and each case, as
 * known before the measurement.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "record/internal.h"

#define RUN(field)               .offset = offsetof(struct bench_run, field)
#define SELECTED(field)          .offset = offsetof(struct bench_selection, field)
#define GIT(field)               .offset = offsetof(struct bench_git, field)
#define DEVICE(field)            .offset = offsetof(struct bench_device_record, field)
#define CEILING(field)           .offset = offsetof(struct bench_ceilings, field)
#define WORK(field)              .offset = offsetof(struct bench_work, field)
#define RESULT(field)            .offset = offsetof(struct bench_result, field)
#define FIELD_BYTES(type, field) sizeof(((type *)NULL)->field)

static const struct member selection_members[] = {
	{"suites", MEMBER_LIST, SELECTED(suites), RECORD_MAX_NAME,
	 .count = offsetof(struct bench_selection, suite_count)},
	{"targets", MEMBER_LIST, SELECTED(targets), 2 * RECORD_MAX_NAME + 1,
	 .count = offsetof(struct bench_selection, target_count)},
	{"backends", MEMBER_TEXT, SELECTED(backends), RECORD_MAX_TEXT},
	{"filter", MEMBER_TEXT, SELECTED(filter), RECORD_MAX_TEXT},
	{"sets", MEMBER_LIST, SELECTED(sets), RECORD_MAX_TEXT,
	 .count = offsetof(struct bench_selection, set_count)},
	{"extensions", MEMBER_LIST_IF_ANY, SELECTED(extensions), RECORD_MAX_EXTENSION,
	 .count = offsetof(struct bench_selection, extension_count)},
	{0},
};

static const struct member run_members[] = {
	{"id", MEMBER_TEXT, RUN(id), RECORD_MAX_NAME},
	{"project_preset", MEMBER_TEXT_IF_ANY, RUN(project_preset),
	 RECORD_MAX_NAME}, /* early: store/query.c */
	{"started", MEMBER_TIME, RUN(started)},
	{"finished", MEMBER_TIME_OR_NULL, RUN(finished)},
	{"interrupted", MEMBER_BOOL, RUN(interrupted)},
	{"command", MEMBER_TEXT, RUN(command), RECORD_MAX_COMMAND},
	{"preset", MEMBER_TEXT, RUN(preset), RECORD_MAX_NAME},
	{"labels", MEMBER_ATTRIBUTES, RUN(labels), RECORD_MAX_ATTRIBUTES,
	 .count = offsetof(struct bench_run, label_count)},
	{"budget_seconds", MEMBER_QUANTITY, RUN(budget_seconds)},
	{"precision", MEMBER_QUANTITY, RUN(precision)},
	{"invocations", MEMBER_UNSIGNED, RUN(invocations)},
	{"seed", MEMBER_SEED, RUN(seed)},
	{"selection", MEMBER_OBJECT, RUN(selection), .members = selection_members},
	{0},
};

static const struct member git_members[] = {
	{"commit", MEMBER_TEXT, GIT(commit), RECORD_MAX_NAME + 1},
	{"branch", MEMBER_TEXT, GIT(branch), RECORD_MAX_TEXT},
	{"dirty", MEMBER_BOOL, GIT(dirty)},
	{"dirty_files", MEMBER_LIST, GIT(dirty_files), RECORD_MAX_TEXT,
	 .count = offsetof(struct bench_git, dirty_count)},
	{"dirty_changes", MEMBER_LIST_IF_ANY, GIT(dirty_changes), RECORD_MAX_NAME,
	 .count = offsetof(struct bench_git, dirty_change_count)},
	{0},
};

static const struct member host_members[] = {
	{"host", MEMBER_ATTRIBUTES, RUN(host), RECORD_MAX_ATTRIBUTES,
	 .count = offsetof(struct bench_run, host_count)},
	{0},
};

static const char *const device_kinds[] = BENCH_DEVICE_KIND_NAMES;
static const struct member_words device_words = {device_kinds, 0, BENCH_DEVICE_KINDS,
						 "cpu, gpu or accelerator"};

#define DEVICE_TEXT(name, field)                                                                             \
	{                                                                                                    \
		name, MEMBER_FIELD, DEVICE(info.field), FIELD_BYTES(struct bench_device_record, info.field)  \
	}

static const struct member device_members[] = {
	{"backend", MEMBER_TEXT, DEVICE(backend), RECORD_MAX_NAME},
	DEVICE_TEXT("device", slug),
	DEVICE_TEXT("name", name),
	DEVICE_TEXT("platform", platform),
	DEVICE_TEXT("driver", driver),
	{"kind", MEMBER_WORD, DEVICE(info.kind), .words = &device_words},
	{"compute_units", MEMBER_UNSIGNED, DEVICE(info.compute_units)},
	{"clock_mhz", MEMBER_UNSIGNED, DEVICE(info.clock_mhz)},
	{"memory_bytes", MEMBER_SIZE, DEVICE(info.memory_bytes)},
	{"max_buffer_bytes", MEMBER_SIZE, DEVICE(info.max_buffer_bytes)},
	{"f64", MEMBER_BOOL, DEVICE(info.f64)},
	{"device_time", MEMBER_BOOL, DEVICE(info.device_time)},
	{"pinned", MEMBER_BOOL, DEVICE(info.pinned)},
	{0},
};

static const struct member ceiling_members[] = {
	{"flop_rate_f32", MEMBER_QUANTITY, CEILING(flop_rate[BENCH_F32])},
	{"flop_rate_f64", MEMBER_QUANTITY, CEILING(flop_rate[BENCH_F64])},
	{"flop_rate_f16", MEMBER_QUANTITY_IF_ANY, CEILING(flop_rate[BENCH_F16])},
	{"flop_rate_bf16", MEMBER_QUANTITY_IF_ANY, CEILING(flop_rate[BENCH_BF16])},
	{"flop_rate_tf32", MEMBER_QUANTITY_IF_ANY, CEILING(flop_rate[BENCH_TF32])},
	{"bandwidth", MEMBER_QUANTITY, CEILING(bandwidth)},
	{"run", MEMBER_FIELD, CEILING(run), FIELD_BYTES(struct bench_ceilings, run)},
	{0},
};

static const struct member work_members[] = {
	{"flops", MEMBER_QUANTITY, WORK(flops)},
	{"bytes", MEMBER_QUANTITY, WORK(bytes)},
	{"items", MEMBER_QUANTITY, WORK(items)},
	{"device_bytes", MEMBER_SIZE, WORK(device_bytes)},
	{"largest_bytes", MEMBER_SIZE, WORK(largest_bytes)},
	{"host_bytes", MEMBER_SIZE, WORK(host_bytes)},
	{0},
};

static const struct member case_members[] = {
	{"suite", MEMBER_TEXT, RESULT(suite), RECORD_MAX_NAME},
	{"backend", MEMBER_TEXT, RESULT(backend), RECORD_MAX_NAME},
	{"device", MEMBER_TEXT, RESULT(device), RECORD_MAX_NAME},
	{"case", MEMBER_ATTRIBUTES, RESULT(params), RECORD_MAX_PARAMS,
	 .count = offsetof(struct bench_result, param_count)},
	{"work", MEMBER_OBJECT, RESULT(work), .members = work_members},
	{"relative_to", MEMBER_TEXT_IF_ANY, RESULT(relative_to), BENCH_KEY_MAX},
	{"repeat", MEMBER_TEXT, RESULT(repeat), RECORD_MAX_COMMAND},
	{"notes", MEMBER_ATTRIBUTES, RESULT(notes), RECORD_MAX_ATTRIBUTES,
	 .count = offsetof(struct bench_result, note_count)},
	{0},
};

void record_add_head(cJSON *object, const struct bench_run *run)
{
	record_add_members(cJSON_AddObjectToObject(object, "run"), run_members, run);
	if (run->git.present)
		record_add_members(cJSON_AddObjectToObject(object, "git"), git_members, &run->git);
	else
		cJSON_AddNullToObject(object, "git");
	record_add_members(object, host_members, run);
	cJSON *devices = cJSON_AddArrayToObject(object, "devices");
	for (size_t i = 0; i < run->device_count; i++) {
		const struct bench_device_record *device = &run->devices[i];
		cJSON *item = cJSON_CreateObject();
		cJSON_AddItemToArray(devices, item);
		record_add_members(item, device_members, device);
		if (*device->ceilings.run)
			record_add_members(cJSON_AddObjectToObject(item, "ceilings"), ceiling_members,
					   &device->ceilings);
	}
}

/* An id names a folder and a row: letters, digits, '.', '_', '-', the first a letter or digit. */
static bool is_id(const char *text)
{
	return isalnum((unsigned char)*text) &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
		       strlen(text);
}

static int read_git(const struct reader *in, const cJSON *object, struct bench_git *git)
{
	const cJSON *item;
	if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, "git")))
		return 0;
	git->present = true;
	if (bench_json_object(object, "git", in->what, &item, in->error) != 0 ||
	    record_read_members(in, item, git_members, git) != 0)
		return -1;
	if (git->dirty_change_count > 0 && git->dirty_change_count != git->dirty_count)
		return record_fail(in, "'dirty_changes' has %zu entries, 'dirty_files' has %zu",
				   git->dirty_change_count, git->dirty_count);
	return 0;
}

static int read_device(const struct reader *in, const cJSON *item, struct bench_device_record *device)
{
	/* Absent where nothing was known of them, as in all files of old. */
	const cJSON *ceilings = cJSON_GetObjectItemCaseSensitive(item, "ceilings");
	if (record_read_members(in, item, device_members, device) != 0)
		return -1;
	return ceilings ? record_read_members(in, ceilings, ceiling_members, &device->ceilings) : 0;
}

static int read_devices(const struct reader *in, const cJSON *object, struct bench_run *run)
{
	const cJSON *list, *item;
	if (bench_json_array(object, "devices", in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		char what[512];
		snprintf(what, sizeof(what), "%s: devices[%zu]", in->what, run->device_count);
		const struct reader inner = {in->arena, what, in->error};
		struct bench_device_record device = {0};
		if (read_device(&inner, item, &device) != 0)
			return -1;
		if (run->device_count == RECORD_MAX_DEVICES)
			return record_fail(in, "more than %d devices", RECORD_MAX_DEVICES);
		BENCH_PUSH(in->arena, run->devices, run->device_count) = device;
	}
	return 0;
}

int record_read_head(const struct reader *in, const cJSON *object, struct bench_run *run)
{
	/* A draft, so that an error leaves the run as it was; what the arena has gained by then is not seen.
	 */
	struct bench_run draft = *run;
	const cJSON *item;
	if (*run->id)
		return record_fail(in, "a second run begins in what belongs to run '%s'", run->id);
	if (bench_json_object(object, "run", in->what, &item, in->error) != 0 ||
	    record_read_members(in, item, run_members, &draft) != 0)
		return -1;
	if (!is_id(draft.id))
		return record_fail(in, "'%s' is no run id", draft.id);
	if (read_git(in, object, &draft.git) != 0 ||
	    record_read_members(in, object, host_members, &draft) != 0 ||
	    read_devices(in, object, &draft) != 0)
		return -1;
	draft.arena = run->arena;
	*run = draft;
	return 0;
}

void record_add_case(cJSON *object, const struct bench_result *result)
{
	record_add_members(object, case_members, result);
}

int record_read_case(const struct reader *in, const cJSON *object, struct bench_run *run)
{
	struct bench_result draft = {0};
	struct bench_error cause;
	if (run->result_count == RECORD_MAX_RESULTS)
		return record_fail(in, "more than %d results", RECORD_MAX_RESULTS);
	if (record_read_members(in, object, case_members, &draft) != 0)
		return -1;
	struct bench_result *result = bench_record_add_case(run, draft.suite, draft.backend, draft.device,
							    draft.params, draft.param_count, &cause);
	if (!result)
		return record_fail(in, "%s", cause.text);
	result->work = draft.work;
	result->repeat = draft.repeat;
	if (draft.relative_to)
		result->relative_to = draft.relative_to;
	result->notes = draft.notes;
	result->note_count = draft.note_count;
	return 0;
}
