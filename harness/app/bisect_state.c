/* SPDX-License-Identifier: MIT */
#include "app/bisect_state.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/metric.h"

#define SCHEMA     "bench-bisect/1"
#define FILE_NAME  "state.jsonl"
#define MOST_BYTES ((size_t)256 << 20)
#define MOST_CASES 100000

/* Appends the event, and frees it. */
static int append(const struct bench_app_bisect *bisect, cJSON *event, struct bench_error *error)
{
	return bench_app_worktree_note(bisect->state, FILE_NAME, bisect->log, event, error);
}

static cJSON *event_of(const char *name)
{
	cJSON *event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "event", name);
	return event;
}

static cJSON *search_event(const struct bench_app_bisect *bisect, const char *measure)
{
	const struct bench_app_bisect_request *request = bisect->request;
	cJSON *event = event_of("search"), *keep;
	cJSON_AddStringToObject(event, "schema", SCHEMA);
	cJSON_AddStringToObject(event, "good", bisect->good);
	cJSON_AddStringToObject(event, "bad", bisect->bad);
	cJSON_AddStringToObject(event, "build", request->build);
	cJSON_AddStringToObject(event, "program", request->program ? request->program : "");
	keep = cJSON_AddArrayToObject(event, "keep");
	for (size_t i = 0; i < request->keep_count; i++)
		cJSON_AddItemToArray(keep, cJSON_CreateString(request->keep[i]));
	cJSON_AddStringToObject(event, "measure", measure);
	bench_json_add_number(event, "threshold", request->threshold);
	cJSON_AddBoolToObject(event, "faster", request->faster);
	return event;
}

int bench_app_bisect_note_built(struct bench_app_bisect *bisect, size_t position, double seconds,
				struct bench_error *error)
{
	cJSON *event = event_of("built");
	cJSON_AddStringToObject(event, "commit", bisect->commits[position].commit.hash);
	bench_json_add_number(event, "seconds", seconds);
	bisect->commits[position].built = true;
	return append(bisect, event, error);
}

static void skip(struct bench_app_bisect *bisect, size_t position, const char *why)
{
	bisect->commits[position].skipped = bench_arena_string(&bisect->arena, why);
	bisect->skipped[position] = true;
}

int bench_app_bisect_note_skipped(struct bench_app_bisect *bisect, size_t position, const char *why,
				  struct bench_error *error)
{
	cJSON *event = event_of("skipped");
	cJSON_AddStringToObject(event, "commit", bisect->commits[position].commit.hash);
	cJSON_AddStringToObject(event, "why", why);
	skip(bisect, position, why);
	return append(bisect, event, error);
}

static void add_case(struct bench_app_bisect *bisect, const char *key, double weight,
		     const struct bench_metric_pair *pair)
{
	BENCH_PUSH(&bisect->arena, bisect->cases, bisect->case_count) =
		(struct bench_bisect_case){bench_arena_string(&bisect->arena, key), weight, pair};
}

int bench_app_bisect_note_cases(struct bench_app_bisect *bisect, const struct bench_bisect_case *cases,
				size_t count, size_t invocations, struct bench_error *error)
{
	cJSON *event = event_of("cases"), *array = cJSON_AddArrayToObject(event, "cases");
	bench_json_add_number(event, "invocations", (double)invocations);
	bisect->invocations = invocations;
	bisect->case_count = 0;
	for (size_t i = 0; i < count; i++) {
		cJSON *one = cJSON_CreateObject();
		cJSON_AddStringToObject(one, "key", cases[i].key);
		bench_json_add_number(one, "weight", cases[i].weight);
		cJSON_AddStringToObject(one, "metric", cases[i].pair->name);
		cJSON_AddItemToArray(array, one);
		add_case(bisect, cases[i].key, cases[i].weight, cases[i].pair);
	}
	return append(bisect, event, error);
}

static void add_look(struct bench_app_bisect *bisect, const struct bench_bisect_look *look)
{
	BENCH_PUSH(&bisect->arena, bisect->looks, bisect->look_count) = *look;
}

int bench_app_bisect_note_duel(struct bench_app_bisect *bisect, const struct bench_bisect_look *look,
			       const char *run, double seconds, struct bench_error *error)
{
	cJSON *event = event_of("duel");
	cJSON_AddStringToObject(event, "base", bisect->commits[look->base].commit.hash);
	cJSON_AddStringToObject(event, "head", bisect->commits[look->head].commit.hash);
	bench_json_add_number(event, "shift", look->shift);
	bench_json_add_number(event, "error", look->error);
	cJSON_AddStringToObject(event, "run", run);
	bench_json_add_number(event, "seconds", seconds);
	add_look(bisect, look);
	return append(bisect, event, error);
}

/* The position of the commit that a member names. */
static int read_commit(const struct bench_app_bisect *bisect, const cJSON *event, const char *member,
		       const char *what, size_t *position, struct bench_error *error)
{
	const char *hash;
	if (bench_json_string(event, member, what, &hash, error) != 0)
		return -1;
	for (size_t i = 0; i < bisect->count; i++) {
		if (strcmp(bisect->commits[i].commit.hash, hash) == 0) {
			*position = i;
			return 0;
		}
	}
	return bench_fail(error, BENCH_ENVIRONMENT, "%s: '%.60s' is no commit of this search", what, hash);
}

static int read_cases(struct bench_app_bisect *bisect, const cJSON *event, const char *what,
		      struct bench_error *error)
{
	const cJSON *array, *one;
	const char *key;
	double weight;
	int64_t invocations;
	if (bench_json_integer(event, "invocations", what, 1, 1000000, &invocations, error) != 0 ||
	    bench_json_array(event, "cases", what, &array, error) != 0)
		return -1;
	bisect->invocations = (size_t)invocations;
	bisect->case_count = 0;
	cJSON_ArrayForEach(one, array)
	{
		if (bench_json_string(one, "key", what, &key, error) != 0 ||
		    bench_json_number(one, "weight", what, &weight, error) != 0)
			return -1;
		if (!(weight > 0 && weight <= 1) || bisect->case_count == MOST_CASES)
			return bench_fail(error, BENCH_ENVIRONMENT, "%s: a weight is not in (0, 1]", what);
		/* Earlier versions wrote no metric: the time decided. */
		const struct bench_metric_pair *pair =
			bench_metric_pair_of(bench_json_string_or(one, "metric", bench_metric_pairs[0].name));
		add_case(bisect, key, weight, pair ? pair : &bench_metric_pairs[0]);
	}
	return 0;
}

static int read_duel(struct bench_app_bisect *bisect, const cJSON *event, const char *what,
		     struct bench_error *error)
{
	struct bench_bisect_look look;
	if (read_commit(bisect, event, "base", what, &look.base, error) != 0 ||
	    read_commit(bisect, event, "head", what, &look.head, error) != 0 ||
	    bench_json_number(event, "shift", what, &look.shift, error) != 0 ||
	    bench_json_number(event, "error", what, &look.error, error) != 0)
		return -1;
	if (look.base >= look.head || !isfinite(look.shift) || !(look.error > 0 && isfinite(look.error)))
		return bench_fail(error, BENCH_ENVIRONMENT, "%s: no duel of this search", what);
	add_look(bisect, &look);
	return 0;
}

static int read_built(struct bench_app_bisect *bisect, const cJSON *event, const char *what,
		      struct bench_error *error)
{
	size_t position = 0;
	if (read_commit(bisect, event, "commit", what, &position, error) != 0)
		return -1;
	bisect->commits[position].built = true;
	return 0;
}

static int read_skipped(struct bench_app_bisect *bisect, const cJSON *event, const char *what,
			struct bench_error *error)
{
	size_t position = 0;
	const char *why;
	if (read_commit(bisect, event, "commit", what, &position, error) != 0 ||
	    bench_json_string(event, "why", what, &why, error) != 0)
		return -1;
	if (position == 0 || position == bisect->count - 1)
		return bench_fail(error, BENCH_ENVIRONMENT, "%s: GOOD and BAD are never skipped", what);
	skip(bisect, position, why);
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct bench_app_bisect *bisect, const cJSON *event, const char *what,
		    struct bench_error *error);
} readers[] = {{"built", read_built}, {"skipped", read_skipped}, {"cases", read_cases}, {"duel", read_duel}};

static int read_event(struct bench_app_bisect *bisect, const cJSON *event, const char *what,
		      struct bench_error *error)
{
	const char *name;
	if (bench_json_string(event, "event", what, &name, error) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (strcmp(readers[i].name, name) == 0)
			return readers[i].read(bisect, event, what, error);
	return bench_fail(error, BENCH_ENVIRONMENT, "%s: there is no event '%.40s'", what, name);
}

/* The search that is asked for, as it reads when it is written. */
static cJSON *read_back(cJSON *event)
{
	BENCH_SCOPED_MEMORY char *text = bench_json_print(event, false);
	return cJSON_Parse(text);
}

/* The first line is the search that is asked for, member by member. */
static int check_search(const struct bench_app_bisect *bisect, const cJSON *event, const char *measure,
			struct bench_error *error)
{
	BENCH_SCOPED_JSON *wanted = read_back(search_event(bisect, measure));
	const cJSON *member;
	const char *other = NULL;
	int result = 0;
	cJSON_ArrayForEach(member, wanted)
	{
		const cJSON *before = cJSON_GetObjectItemCaseSensitive(event, member->string);
		if (!other && !cJSON_Compare(member, before, true))
			other = member->string;
	}
	if (other)
		result = bench_fail(error, BENCH_USAGE,
				    "'%s' has the state of another search ('%s' differs): repeat its "
				    "options, choose another --state, or remove that folder",
				    bisect->state, other);
	return result;
}

/* Reads the lines; *length becomes that of those that are whole. */
static int read_lines(struct bench_app_bisect *bisect, const char *path, const char *measure, char *data,
		      size_t *length, struct bench_error *error)
{
	size_t at = 0;
	int result = 0;
	for (unsigned line = 1; result == 0 && at < *length; line++) {
		char *end = memchr(data + at, '\n', *length - at);
		if (!end)
			break;
		char *what = bench_arena_format(&bisect->arena, "line %u of %s", line, path);
		BENCH_SCOPED_JSON *event =
			bench_json_parse(data + at, (size_t)(end - data) - at, what, error);
		if (!event)
			return -1;
		result = line == 1 ? check_search(bisect, event, measure, error)
				   : read_event(bisect, event, what, error);
		at = (size_t)(end - data) + 1;
	}
	*length = at;
	return result;
}

/* Another search has another folder. */
static char *usual_folder(struct bench_app_bisect *bisect, const char *measure)
{
	BENCH_SCOPED_MEMORY char *text = bench_json_print(search_event(bisect, measure), false);
	uint64_t hash = bench_hash_bytes(BENCH_HASH_START, text, strlen(text));
	return bench_arena_format(&bisect->arena, "%s/bisect/%.12s-%.12s-%08" PRIx32,
				  bisect->request->measure.places.runs_dir, bisect->good, bisect->bad,
				  (uint32_t)(hash ^ hash >> 32));
}

int bench_app_bisect_open(struct bench_app_bisect *bisect, const char *measure, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *data = NULL;
	size_t length = 0;
	const char *named = bisect->request->state ? bisect->request->state : usual_folder(bisect, measure);
	if (bench_app_worktree_state(named, FILE_NAME, "bisect", &bisect->arena, &bisect->state, &bisect->log,
				     error) != 0)
		return -1;
	const char *path = bench_arena_format(&bisect->arena, "%s/" FILE_NAME, bisect->state);
	int result = bench_file_read(path, MOST_BYTES, &data, &length, error);
	if (result == 0)
		result = read_lines(bisect, path, measure, data, &length, error);
	if (result == 0 && ftruncate(bisect->log, (off_t)length) != 0)
		result = bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", path, strerror(errno));
	if (result == 0 && length == 0)
		result = append(bisect, search_event(bisect, measure), error);
	return result;
}
