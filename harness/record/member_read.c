/* SPDX-License-Identifier: MIT */
/* Members read, as a table says: checked and bounded. */
#include "record/member.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/text.h"
#include "record/internal.h"

void record_set_error(const struct reader *in, const char *format, ...)
{
	struct bench_error wrong;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(wrong.text, sizeof(wrong.text), format, arguments);
	va_end(arguments);
	bench_fail(in->error, BENCH_ENVIRONMENT, "%s: %s", in->what, wrong.text);
}

/* A text into *out, at most so long; `name` names it. */
/* Bytes that are not UTF-8, which earlier versions wrote, become '?': as many, and written as they are read.
 */
static void mend(char *text)
{
	for (char *at = text; *at;) {
		uint32_t point;
		size_t length = bench_text_utf8(at, &point);
		if (length == 0)
			*at = '?';
		at += length ? length : 1;
	}
}

static int keep_text(const struct reader *in, char *value, const char *name, size_t max_length, char **out)
{
	if (strlen(value) > max_length)
		return record_fail(in, "'%s' is longer than %zu characters", name, max_length);
	mend(value);
	*out = in->arena ? bench_arena_string(in->arena, value) : value;
	return 0;
}

int record_read_text(const struct reader *in, const cJSON *object, const char *member, size_t max_length,
		     char **out)
{
	const char *value;
	if (bench_json_string(object, member, in->what, &value, in->error) != 0)
		return -1;
	return keep_text(in, cJSON_GetObjectItemCaseSensitive(object, member)->valuestring, member,
			 max_length, out);
}

int record_read_number_or_null(const struct reader *in, const cJSON *object, const char *member, double *out)
{
	if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, member))) {
		*out = NAN;
		return 0;
	}
	return bench_json_number(object, member, in->what, out, in->error);
}

static int read_bool(const struct reader *in, const cJSON *object, const char *member, bool *out)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);
	if (!cJSON_IsBool(item))
		return record_fail(in, "member '%s' %s; expected true or false", member,
				   item ? "has another type" : "is missing");
	*out = cJSON_IsTrue(item);
	return 0;
}

static int read_list(const struct reader *in, const cJSON *object, const struct member *member, char ***items,
		     size_t *count)
{
	const cJSON *list, *item;
	if (bench_json_array(object, member->name, in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsString(item))
			return record_fail(in, "'%s' holds something that is no string", member->name);
		if (*count == RECORD_MAX_LIST)
			return record_fail(in, "'%s' has more than %d entries", member->name,
					   RECORD_MAX_LIST);
		char *text = NULL;
		if (keep_text(in, item->valuestring, member->name, member->limit, &text) != 0)
			return -1;
		BENCH_PUSH(in->arena, *items, *count) = text;
	}
	return 0;
}

static int read_pairs(const struct reader *in, const cJSON *object, const struct member *member,
		      struct bench_attribute **pairs, size_t *count)
{
	const cJSON *list, *item;
	const char *name = member->name;
	if (bench_json_object(object, name, in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsString(item))
			return record_fail(in, "'%s.%.80s' is no string: values are kept as text", name,
					   item->string);
		if (*count == member->limit)
			return record_fail(in, "'%s' has more than %zu entries", name, member->limit);
		mend(item->string);
		if (!*item->string || strlen(item->string) > RECORD_MAX_NAME)
			return record_fail(in, "'%s' has a name that is empty or longer than %d characters",
					   name, RECORD_MAX_NAME);
		if (BENCH_FIND(*pairs, *count, item->string))
			return record_fail(in, "'%s' names '%s' twice", name, item->string);
		char *value = NULL;
		if (keep_text(in, item->valuestring, item->string, RECORD_MAX_TEXT, &value) != 0)
			return -1;
		struct bench_attribute *pair = bench_arena_push(in->arena, pairs, count, sizeof(*pair));
		pair->name = bench_arena_string(in->arena, item->string);
		pair->value = value;
	}
	return 0;
}

bool record_find_word(const struct member_words *words, const char *name, void *value)
{
	for (unsigned i = words->first; i < words->end; i++) {
		if (strcmp(words->names[i], name) == 0) {
			*(unsigned *)value = i;
			return true;
		}
	}
	return false;
}

static int read_word(const struct reader *in, const cJSON *object, const struct member *member, void *value)
{
	char *word;
	if (record_read_text(in, object, member->name, RECORD_MAX_NAME, &word) != 0)
		return -1;
	if (record_find_word(member->words, word, value))
		return 0;
	return record_fail(in, "member '%s' is '%s'; expected %s", member->name, word,
			   member->words->expected);
}

static int read_text(const struct reader *in, const cJSON *object, const struct member *member, char **out)
{
	unsigned ignored;
	if (member->words && read_word(in, object, member, &ignored) != 0)
		return -1;
	return record_read_text(in, object, member->name, member->limit, out);
}

static int read_field(const struct reader *in, const cJSON *object, const struct member *member, char *out)
{
	char *text;
	if (record_read_text(in, object, member->name, member->limit - 1, &text) != 0)
		return -1;
	memcpy(out, text, strlen(text) + 1);
	return 0;
}

static int read_seed(const struct reader *in, const cJSON *object, const struct member *member,
		     uint64_t *seed)
{
	char *text, *end;
	if (record_read_text(in, object, member->name, 20, &text) != 0)
		return -1;
	errno = 0;
	*seed = strtoull(text, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*text))
		return record_fail(in, "member '%s' is '%s'; expected a string of decimal digits",
				   member->name, text);
	return 0;
}

static int read_number(const struct reader *in, const cJSON *object, const struct member *member, double *out)
{
	bool or_null = member->type == MEMBER_QUANTITY_OR_NULL;
	if (member->type == MEMBER_QUANTITY_IF_ANY && !bench_json_member(object, member->name)) {
		*out = 0;
		return 0;
	}
	if (member->type == MEMBER_ANY_NUMBER) {
		*out = bench_json_number_or(object, member->name, NAN);
		return 0;
	}
	if ((or_null ? record_read_number_or_null(in, object, member->name, out)
		     : bench_json_number(object, member->name, in->what, out, in->error)) != 0)
		return -1;
	if (member->type != MEMBER_NUMBER && *out < 0)
		return record_fail(in, "member '%s' is negative (%g)", member->name, *out);
	if (member->type == MEMBER_SHARE && *out > 1)
		return record_fail(in, "member '%s' is %g; expected a share, from 0 to 1", member->name,
				   *out);
	return 0;
}

static int read_integer(const struct reader *in, const cJSON *object, const struct member *member, void *out)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member->name);
	int64_t value = 0;
	bool none = (member->type == MEMBER_TIME_OR_NULL && cJSON_IsNull(item)) ||
		    (member->type == MEMBER_INVOCATION_IF_ANY && !item);
	if (!none && bench_json_integer(object, member->name, in->what, 0,
					record_integers[member->type].largest, &value, in->error) != 0)
		return -1;
	if (record_integers[member->type].bytes == sizeof(uint32_t))
		*(uint32_t *)out = (uint32_t)value;
	else
		*(uint64_t *)out = (uint64_t)value;
	return 0;
}

static int read_member(const struct reader *in, const cJSON *object, const struct member *member, char *into)
{
	void *out = into + member->offset;
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member->name);
	size_t *count = (size_t *)(void *)(into + member->count);
	switch (member->type) {
	case MEMBER_TEXT:
		return read_text(in, object, member, out);
	case MEMBER_TEXT_IF_ANY:
		return item ? read_text(in, object, member, out) : 0;
	case MEMBER_HINT:
		*(const char **)out = cJSON_GetStringValue(item);
		return 0;
	case MEMBER_WORD:
		return read_word(in, object, member, out);
	case MEMBER_FIELD:
		return read_field(in, object, member, out);
	case MEMBER_SEED:
		return read_seed(in, object, member, out);
	case MEMBER_LIST:
		return read_list(in, object, member, out, count);
	case MEMBER_LIST_IF_ANY:
		return item ? read_list(in, object, member, out, count) : 0;
	case MEMBER_ATTRIBUTES:
		return read_pairs(in, object, member, out, count);
	case MEMBER_BOOL:
		return read_bool(in, object, member->name, out);
	case MEMBER_FLAG:
		*(bool *)out = cJSON_IsTrue(item);
		return 0;
	case MEMBER_OBJECT:
		if (bench_json_object(object, member->name, in->what, &item, in->error) != 0)
			return -1;
		return record_read_members(in, item, member->members, out);
	case MEMBER_ALL_OF:
		return record_read_members(in, object, member->members, out);
	case MEMBER_NUMBER:
	case MEMBER_QUANTITY:
	case MEMBER_SHARE:
	case MEMBER_QUANTITY_OR_NULL:
	case MEMBER_ANY_NUMBER:
	case MEMBER_QUANTITY_IF_ANY:
		return read_number(in, object, member, out);
	default:
		return read_integer(in, object, member, out);
	}
}

int record_read_members(const struct reader *in, const cJSON *object, const struct member *table, void *into)
{
	for (; table->name; table++)
		if (read_member(in, object, table, into) != 0)
			return -1;
	return 0;
}
