/* Members of JSON objects from outside: checked, bounded, copied. */
#include <math.h>
#include <string.h>

#include "core/json.h"
#include "record/internal.h"

static int copy_text(const struct reader *in, const char *value, const char *member, size_t max_length,
		     char **out)
{
	if (strlen(value) > max_length)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: '%s' is longer than %zu characters",
				  in->what, member, max_length);
	*out = bench_arena_string(in->arena, value);
	return 0;
}

int record_read_text(const struct reader *in, const cJSON *object, const char *member, size_t max_length,
		     char **out)
{
	const char *value;
	if (bench_json_string(object, member, in->what, &value, in->error) != 0)
		return -1;
	return copy_text(in, value, member, max_length, out);
}

int record_read_bool(const struct reader *in, const cJSON *object, const char *member, bool *out)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);
	if (!cJSON_IsBool(item))
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: member '%s' %s; expected true or false",
				  in->what, member, item ? "has another type" : "is missing");
	*out = cJSON_IsTrue(item);
	return 0;
}

int record_read_quantity(const struct reader *in, const cJSON *object, const char *member, double *out)
{
	if (bench_json_number(object, member, in->what, out, in->error) != 0)
		return -1;
	if (*out < 0)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: member '%s' is negative (%g)", in->what,
				  member, *out);
	return 0;
}

int record_read_size(const struct reader *in, const cJSON *object, const char *member, uint64_t *out)
{
	int64_t value;
	if (bench_json_integer(object, member, in->what, 0, (int64_t)1 << 53, &value, in->error) != 0)
		return -1;
	*out = (uint64_t)value;
	return 0;
}

int record_read_unsigned(const struct reader *in, const cJSON *object, const char *member, unsigned *out)
{
	int64_t value;
	if (bench_json_integer(object, member, in->what, 0, INT32_MAX, &value, in->error) != 0)
		return -1;
	*out = (unsigned)value;
	return 0;
}

int record_read_number_or_null(const struct reader *in, const cJSON *object, const char *member, double *out)
{
	if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, member))) {
		*out = NAN;
		return 0;
	}
	return bench_json_number(object, member, in->what, out, in->error);
}

int record_read_list(const struct reader *in, const cJSON *object, const char *member, size_t max_length,
		     char ***items, size_t *count)
{
	const cJSON *list, *item;
	if (bench_json_array(object, member, in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsString(item))
			return bench_fail(in->error, BENCH_ENVIRONMENT,
					  "%s: '%s' holds something that is no string", in->what, member);
		if (*count == RECORD_MAX_LIST)
			return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: '%s' has more than %d entries",
					  in->what, member, RECORD_MAX_LIST);
		char *text = NULL;
		if (copy_text(in, item->valuestring, member, max_length, &text) != 0)
			return -1;
		char **slot = bench_arena_push(in->arena, items, count, sizeof(*slot));
		*slot = text;
	}
	return 0;
}

int record_read_pairs(const struct reader *in, const cJSON *object, const char *member, size_t max_count,
		      struct bench_pair **pairs, size_t *count)
{
	const cJSON *list, *item;
	if (bench_json_object(object, member, in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsString(item))
			return bench_fail(in->error, BENCH_ENVIRONMENT,
					  "%s: '%s.%.80s' is no string: values are kept as text", in->what,
					  member, item->string);
		if (*count == max_count)
			return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: '%s' has more than %zu entries",
					  in->what, member, max_count);
		if (!*item->string || strlen(item->string) > RECORD_MAX_NAME)
			return bench_fail(in->error, BENCH_ENVIRONMENT,
					  "%s: '%s' has a name that is empty or longer than %d characters",
					  in->what, member, RECORD_MAX_NAME);
		for (size_t i = 0; i < *count; i++) {
			if (strcmp((*pairs)[i].name, item->string) == 0)
				return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: '%s' names '%s' twice",
						  in->what, member, item->string);
		}
		char *value = NULL;
		if (copy_text(in, item->valuestring, item->string, RECORD_MAX_TEXT, &value) != 0)
			return -1;
		struct bench_pair *pair = bench_arena_push(in->arena, pairs, count, sizeof(*pair));
		pair->name = bench_arena_string(in->arena, item->string);
		pair->value = value;
	}
	return 0;
}

bool record_is_sample(const cJSON *item)
{
	return cJSON_IsNumber(item) && isfinite(item->valuedouble);
}

int record_read_field(const struct reader *in, const cJSON *object, const char *member, char *out,
		      size_t size)
{
	char *text = NULL;
	if (record_read_text(in, object, member, size - 1, &text) != 0)
		return -1;
	memcpy(out, text, strlen(text) + 1);
	return 0;
}
