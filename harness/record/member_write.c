/* SPDX-License-Identifier: MIT */
/* Members written, as a table says. */
#include "record/member.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/json.h"
#include "core/text.h"
#include "record/internal.h"

#define YEAR_9999 INT64_C(253402300799)
#define EXACT     (INT64_C(1) << 53) /* up to which a double holds every whole number */

/* File names and command lines may hold any bytes, and any number of them: what is written can be read back.
 */
static cJSON *text_item(const char *value, size_t limit)
{
	BENCH_SCOPED_TEXT clean = {0};
	for (const char *at = value; *at;) {
		uint32_t point;
		size_t length = bench_text_utf8(at, &point), bytes = length ? length : 3;
		if (clean.length + bytes > limit)
			break;
		bench_text_add_bytes(&clean, length ? at : "\xef\xbf\xbd", bytes);
		at += length ? length : 1;
	}
	return cJSON_CreateString(clean.data ? clean.data : "");
}

void record_add_text(cJSON *object, const char *member, const char *value)
{
	cJSON_AddItemToObject(object, member, text_item(value, SIZE_MAX));
}

static void add_list(cJSON *object, const struct member *member, char *const *items, size_t count)
{
	cJSON *list = cJSON_AddArrayToObject(object, member->name);
	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(list, text_item(items[i], member->limit));
}

static void add_pairs(cJSON *object, const char *member, const struct bench_attribute *pairs, size_t count)
{
	cJSON *list = cJSON_AddObjectToObject(object, member);
	for (size_t i = 0; i < count; i++) {
		BENCH_SCOPED_JSON *item = text_item(pairs[i].name, RECORD_MAX_NAME);
		const char *name = cJSON_GetStringValue(item);
		/* Two that differed in what no text can hold: the first one stays. */
		if (!cJSON_GetObjectItemCaseSensitive(list, name))
			cJSON_AddItemToObject(list, name, text_item(pairs[i].value, RECORD_MAX_TEXT));
	}
}

/* What a whole number takes in its struct, and the largest that a file may have. */
const struct record_integer record_integers[] = {
	[MEMBER_SIZE] = {sizeof(uint64_t), EXACT},
	[MEMBER_UNSIGNED] = {sizeof(unsigned), INT32_MAX},
	[MEMBER_INVOCATION] = {sizeof(int), RECORD_MAX_INVOCATION},
	[MEMBER_INVOCATION_IF_ANY] = {sizeof(int), RECORD_MAX_INVOCATION},
	[MEMBER_INDEX] = {sizeof(size_t), RECORD_MAX_RESULTS - 1},
	[MEMBER_TIME] = {sizeof(int64_t), YEAR_9999},
	[MEMBER_TIME_OR_NULL] = {sizeof(int64_t), YEAR_9999},
};

static double integer_of(enum member_type type, const void *value)
{
	uint64_t whole = record_integers[type].bytes == sizeof(uint32_t) ? *(const uint32_t *)value
									 : *(const uint64_t *)value;
	return type == MEMBER_TIME_OR_NULL && !whole ? NAN : fmin((double)whole, (double)EXACT);
}

static void add_member(cJSON *object, const struct member *member, const char *from)
{
	const void *value = from + member->offset;
	const char *name = member->name, *text = NULL;
	char seed[24];
	size_t count = 0;
	switch (member->type) {
	case MEMBER_TEXT:
	case MEMBER_TEXT_IF_ANY:
	case MEMBER_HINT:
		text = *(const char *const *)value;
		if (member->type == MEMBER_TEXT || (text && *text))
			cJSON_AddItemToObject(object, name,
					      text_item(text, member->limit ? member->limit : SIZE_MAX));
		break;
	case MEMBER_WORD:
		record_add_text(object, name, member->words->names[*(const unsigned *)value]);
		break;
	case MEMBER_FIELD:
		cJSON_AddItemToObject(object, name, text_item(value, member->limit - 1));
		break;
	case MEMBER_SEED:
		snprintf(seed, sizeof(seed), "%" PRIu64, *(const uint64_t *)value);
		record_add_text(object, name, seed);
		break;
	case MEMBER_LIST:
	case MEMBER_LIST_IF_ANY:
	case MEMBER_ATTRIBUTES:
		count = *(const size_t *)(const void *)(from + member->count);
		if (member->type == MEMBER_LIST_IF_ANY && count == 0)
			break;
		if (member->type != MEMBER_ATTRIBUTES)
			add_list(object, member, *(char *const *const *)value, count);
		else
			add_pairs(object, name, *(const struct bench_attribute *const *)value, count);
		break;
	case MEMBER_BOOL:
	case MEMBER_FLAG:
		if (member->type == MEMBER_BOOL || *(const bool *)value)
			cJSON_AddBoolToObject(object, name, *(const bool *)value);
		break;
	case MEMBER_QUANTITY_IF_ANY:
		if (*(const double *)value == 0)
			break;
		bench_json_add_number(object, name, *(const double *)value);
		break;
	case MEMBER_NUMBER:
	case MEMBER_QUANTITY:
	case MEMBER_SHARE:
	case MEMBER_QUANTITY_OR_NULL:
	case MEMBER_ANY_NUMBER:
		bench_json_add_number(object, name, *(const double *)value);
		break;
	case MEMBER_OBJECT:
		record_add_members(cJSON_AddObjectToObject(object, name), member->members, value);
		break;
	case MEMBER_ALL_OF:
		record_add_members(object, member->members, value);
		break;
	default:
		bench_json_add_number(object, name, integer_of(member->type, value));
	}
}

void record_add_members(cJSON *object, const struct member *table, const void *from)
{
	for (; table->name; table++)
		add_member(object, table, from);
}
