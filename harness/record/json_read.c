/* The record from JSON that came from outside: metrics.json, and what events share with it. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "record/internal.h"

/* An id names a folder and a row: letters, digits, '.', '_', '-', the first a letter or digit. */
static bool is_id(const char *text)
{
	size_t length = strlen(text);
	return length && length <= RECORD_MAX_NAME && isalnum((unsigned char)*text) &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == length;
}

int record_read_time(const struct reader *in, const cJSON *object, const char *member, int64_t *out)
{
	/* Until the year 9999. */
	return bench_json_integer(object, member, in->what, 0, 253402300799, out, in->error);
}

static int read_seed(const struct reader *in, const cJSON *object, uint64_t *seed)
{
	char *text, *end;
	if (record_read_text(in, object, "seed", 20, &text) != 0)
		return -1;
	errno = 0;
	*seed = strtoull(text, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*text))
		return bench_fail(in->error, BENCH_ENVIRONMENT,
				  "%s: member 'seed' is '%s'; expected a string of decimal digits", in->what,
				  text);
	return 0;
}

static int read_selection(const struct reader *in, const cJSON *object, struct bench_selection *selection)
{
	const cJSON *item;
	if (bench_json_object(object, "selection", in->what, &item, in->error) != 0 ||
	    record_read_list(in, item, "suites", RECORD_MAX_NAME, &selection->suites,
			     &selection->suite_count) != 0 ||
	    record_read_list(in, item, "targets", 2 * RECORD_MAX_NAME + 1, &selection->targets,
			     &selection->target_count) != 0 ||
	    record_read_text(in, item, "backends", RECORD_MAX_TEXT, &selection->backends) != 0 ||
	    record_read_text(in, item, "filter", RECORD_MAX_TEXT, &selection->filter) != 0 ||
	    record_read_list(in, item, "sets", RECORD_MAX_TEXT, &selection->sets, &selection->set_count) != 0)
		return -1;
	return 0;
}

static int read_run(const struct reader *in, const cJSON *object, struct bench_run *run)
{
	const cJSON *item;
	if (bench_json_object(object, "run", in->what, &item, in->error) != 0 ||
	    record_read_text(in, item, "id", RECORD_MAX_NAME, &run->id) != 0)
		return -1;
	if (!is_id(run->id))
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: '%s' is no run id", in->what, run->id);
	if (record_read_time(in, item, "started", &run->started) != 0)
		return -1;
	if (!cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(item, "finished")) &&
	    record_read_time(in, item, "finished", &run->finished) != 0)
		return -1;
	if (record_read_bool(in, item, "interrupted", &run->interrupted) != 0 ||
	    record_read_text(in, item, "command", RECORD_MAX_COMMAND, &run->command) != 0 ||
	    record_read_text(in, item, "preset", RECORD_MAX_NAME, &run->preset) != 0 ||
	    record_read_pairs(in, item, "labels", RECORD_MAX_PAIRS, &run->labels, &run->label_count) != 0 ||
	    record_read_quantity(in, item, "budget_seconds", &run->budget_seconds) != 0 ||
	    record_read_quantity(in, item, "precision", &run->precision) != 0 ||
	    record_read_unsigned(in, item, "invocations", &run->invocations) != 0 ||
	    read_seed(in, item, &run->seed) != 0)
		return -1;
	return read_selection(in, item, &run->selection);
}

static int read_git(const struct reader *in, const cJSON *object, struct bench_git *git)
{
	const cJSON *item;
	if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, "git")))
		return 0;
	if (bench_json_object(object, "git", in->what, &item, in->error) != 0 ||
	    record_read_text(in, item, "commit", RECORD_MAX_NAME + 1, &git->commit) != 0 ||
	    record_read_text(in, item, "branch", RECORD_MAX_TEXT, &git->branch) != 0 ||
	    record_read_bool(in, item, "dirty", &git->dirty) != 0 ||
	    record_read_list(in, item, "dirty_files", RECORD_MAX_TEXT, &git->dirty_files,
			     &git->dirty_count) != 0)
		return -1;
	git->present = true;
	return 0;
}

static int read_device_kind(const struct reader *in, const cJSON *object, enum bench_device_kind *kind)
{
	char *text;
	if (record_read_text(in, object, "kind", RECORD_MAX_NAME, &text) != 0)
		return -1;
	for (*kind = 0; *kind < BENCH_DEVICE_KINDS; ++*kind)
		if (strcmp(text, bench_device_kind_name(*kind)) == 0)
			return 0;
	return bench_fail(in->error, BENCH_ENVIRONMENT,
			  "%s: member 'kind' is '%s'; expected cpu, gpu or accelerator", in->what, text);
}

/* Absent where nothing was known of them, as in all files of old. */
static int read_ceilings(const struct reader *in, const cJSON *device, struct bench_ceilings *ceilings)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(device, "ceilings");
	if (!item)
		return 0;
	if (record_read_quantity(in, item, "flop_rate_f32", &ceilings->flop_rate_f32) != 0 ||
	    record_read_quantity(in, item, "flop_rate_f64", &ceilings->flop_rate_f64) != 0 ||
	    record_read_quantity(in, item, "bandwidth", &ceilings->bandwidth) != 0)
		return -1;
	return record_read_field(in, item, "run", ceilings->run, sizeof(ceilings->run));
}

static int read_device(const struct reader *in, const cJSON *item, struct bench_device_record *device)
{
	struct bench_device_info *info = &device->info;
	if (record_read_text(in, item, "backend", RECORD_MAX_NAME, &device->backend) != 0 ||
	    record_read_field(in, item, "device", info->slug, sizeof(info->slug)) != 0 ||
	    record_read_field(in, item, "name", info->name, sizeof(info->name)) != 0 ||
	    record_read_field(in, item, "platform", info->platform, sizeof(info->platform)) != 0 ||
	    record_read_field(in, item, "driver", info->driver, sizeof(info->driver)) != 0 ||
	    read_device_kind(in, item, &info->kind) != 0 ||
	    record_read_unsigned(in, item, "compute_units", &info->compute_units) != 0 ||
	    record_read_unsigned(in, item, "clock_mhz", &info->clock_mhz) != 0 ||
	    record_read_size(in, item, "memory_bytes", &info->memory_bytes) != 0 ||
	    record_read_size(in, item, "max_buffer_bytes", &info->max_buffer_bytes) != 0 ||
	    record_read_bool(in, item, "f64", &info->f64) != 0 ||
	    record_read_bool(in, item, "device_time", &info->device_time) != 0 ||
	    record_read_bool(in, item, "pinned", &info->pinned) != 0)
		return -1;
	return read_ceilings(in, item, &device->ceilings);
}

/* The path of an element, as messages name it. */
static void element_name(char *out, size_t size, const char *what, const char *list, size_t index)
{
	snprintf(out, size, "%s: %s[%zu]", what, list, index);
}

static int read_devices(const struct reader *in, const cJSON *object, struct bench_run *run)
{
	const cJSON *list, *item;
	if (bench_json_array(object, "devices", in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		char what[512];
		element_name(what, sizeof(what), in->what, "devices", run->device_count);
		const struct reader inner = {in->arena, what, in->error};
		struct bench_device_record device = {0};
		if (read_device(&inner, item, &device) != 0)
			return -1;
		if (run->device_count == RECORD_MAX_DEVICES)
			return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: more than %d devices", in->what,
					  RECORD_MAX_DEVICES);
		struct bench_device_record *slot =
			bench_arena_push(in->arena, &run->devices, &run->device_count, sizeof(*slot));
		*slot = device;
	}
	return 0;
}

int record_read_head(const struct reader *in, const cJSON *object, struct bench_run *run)
{
	/* A draft, so that an error leaves the run as it was; what the arena has gained by then is not seen.
	 */
	struct bench_run draft = *run;
	if (*run->id)
		return bench_fail(in->error, BENCH_ENVIRONMENT,
				  "%s: a second run begins in what belongs to run '%s'", in->what, run->id);
	if (read_run(in, object, &draft) != 0 || read_git(in, object, &draft.git) != 0 ||
	    record_read_pairs(in, object, "host", RECORD_MAX_PAIRS, &draft.host, &draft.host_count) != 0 ||
	    read_devices(in, object, &draft) != 0)
		return -1;
	draft.arena = run->arena;
	*run = draft;
	return 0;
}

static int read_work(const struct reader *in, const cJSON *object, struct bench_work *work)
{
	const cJSON *item;
	if (bench_json_object(object, "work", in->what, &item, in->error) != 0 ||
	    record_read_quantity(in, item, "flops", &work->flops) != 0 ||
	    record_read_quantity(in, item, "bytes", &work->bytes) != 0 ||
	    record_read_quantity(in, item, "items", &work->items) != 0 ||
	    record_read_size(in, item, "device_bytes", &work->device_bytes) != 0 ||
	    record_read_size(in, item, "largest_bytes", &work->largest_bytes) != 0 ||
	    record_read_size(in, item, "host_bytes", &work->host_bytes) != 0)
		return -1;
	return 0;
}

int record_read_case(const struct reader *in, const cJSON *object, struct bench_run *run)
{
	char *suite, *backend, *device, *repeat, *relative_to = NULL;
	struct bench_pair *params = NULL, *notes = NULL;
	size_t param_count = 0, note_count = 0;
	struct bench_work work = {0};
	if (run->result_count == RECORD_MAX_RESULTS)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: more than %d results", in->what,
				  RECORD_MAX_RESULTS);
	if (record_read_text(in, object, "suite", RECORD_MAX_NAME, &suite) != 0 ||
	    record_read_text(in, object, "backend", RECORD_MAX_NAME, &backend) != 0 ||
	    record_read_text(in, object, "device", RECORD_MAX_NAME, &device) != 0 ||
	    record_read_pairs(in, object, "case", RECORD_MAX_PARAMS, &params, &param_count) != 0 ||
	    read_work(in, object, &work) != 0 ||
	    (cJSON_GetObjectItemCaseSensitive(object, "relative_to") &&
	     record_read_text(in, object, "relative_to", BENCH_KEY_MAX, &relative_to) != 0) ||
	    record_read_text(in, object, "repeat", RECORD_MAX_COMMAND, &repeat) != 0 ||
	    record_read_pairs(in, object, "notes", RECORD_MAX_PAIRS, &notes, &note_count) != 0)
		return -1;
	struct bench_error cause;
	struct bench_result *result =
		bench_record_add_case(run, suite, backend, device, params, param_count, &cause);
	if (!result)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: %s", in->what, cause.text);
	result->work = work;
	result->repeat = repeat;
	if (relative_to)
		result->relative_to = relative_to;
	result->notes = notes;
	result->note_count = note_count;
	return 0;
}

int record_read_check(const struct reader *in, const cJSON *object, struct bench_check *check)
{
	struct bench_check draft;
	if (record_read_number_or_null(in, object, "error", &draft.error) != 0 ||
	    record_read_quantity(in, object, "tolerance", &draft.tolerance) != 0 ||
	    record_read_field(in, object, "method", draft.method, sizeof(draft.method)) != 0)
		return -1;
	if (draft.error < 0)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: member 'error' is negative", in->what);
	*check = draft;
	return 0;
}
