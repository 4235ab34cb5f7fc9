/* SPDX-License-Identifier: MIT */
/* Bounds and known failures of a project file: "max" and "min" of an entry of "metrics", and "expect". */
#include <math.h>
#include <string.h>

#include "app/project_internal.h"
#include "compare/bounds.h"
#include "core/date.h"
#include "core/text.h"
#include "core/unit.h"

#define DAY        86400
#define DATE_BYTES 10 /* of "2026-12-31" */

/* The number at the start of a text, which is above zero, and the text behind it and blanks; NULL: none. */
static const char *read_number(const char *text, double *number)
{
	char digits[64];
	const size_t length = strspn(text, "0123456789.eE+-");
	/* "1.3x" and "2 exp": an exponent needs a digit. */
	size_t end = length;
	while (end > 0 && strchr("eE+-", text[end - 1]))
		end--;
	if (end == 0 || end >= sizeof(digits))
		return NULL;
	memcpy(digits, text, end);
	digits[end] = '\0';
	if (!bench_text_real(digits, number) || !(*number > 0))
		return NULL;
	return text + end + strspn(text + end, " ");
}

/* "1.3x openblas": how many times as fast as what. */
static bool read_ratio(struct bench_arena *arena, const char *text, struct bench_bound *bound)
{
	const char *rest = read_number(text, &bound->limit);
	if (!rest || *rest != 'x' || rest[1] != ' ')
		return false;
	rest += 1 + strspn(rest + 1, " ");
	if (!*rest)
		return false; /* a bound of metrics that are ratios */
	bound->versus = bench_arena_string(arena, rest);
	bound->unit = "";
	return true;
}

/* "2 ms" */
static bool read_quantity(struct bench_arena *arena, const char *text, struct bench_bound *bound)
{
	struct bench_unit unit;
	double number;
	const char *rest = read_number(text, &number);
	if (!rest || !*rest || !bench_unit_parse(rest, &unit))
		return false;
	bound->limit = number * unit.times / unit.over;
	bound->unit = bench_arena_string(arena, unit.si);
	return isfinite(bound->limit);
}

int app_project_bound(struct project_reading *in, const cJSON *item, bool least,
		      struct bench_metric_rule *rule)
{
	struct bench_arena *arena = &in->project->arena;
	const char *text = cJSON_IsString(item) ? item->valuestring : "";
	struct bench_bound *bound = bench_arena_alloc(arena, 1, sizeof(*bound));
	*bound = (struct bench_bound){.text = bench_arena_string(arena, text)};
	const bool is_ratio = read_ratio(arena, text, bound);
	if (is_ratio && !least)
		return app_project_refuse(in, item, false,
					  "'max': a ratio says how many times as fast a case is, so that its "
					  "bound is a 'min'");
	if (!is_ratio && !read_quantity(arena, text, bound))
		return app_project_refuse(
			in, item, false, "'%s': expected a quantity with its unit such as %s", item->string,
			least ? "\"50 GB/s\", or a ratio such as \"1.3x openblas\"" : "\"2 ms\"");
	*(least ? &rule->least : &rule->most) = bound;
	return 0;
}

static int read_expected(struct project_reading *in, const cJSON *object)
{
	static const char *const names[] = {"match", "until", "why"};
	struct bench_arena *arena = &in->project->arena;
	struct bench_expected *expected = bench_arena_alloc(arena, 1, sizeof(*expected));
	const char *texts[COUNT(names)];
	int64_t start;
	for (size_t i = 0; i < COUNT(names); i++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, names[i]);
		if (!cJSON_IsString(item) || !*item->valuestring)
			return app_project_refuse(in, item ? item : object, false,
						  "'expect': expected {\"match\": \"PATTERN\", \"until\": "
						  "\"2026-12-31\", \"why\": \"TEXT\"}");
		texts[i] = bench_arena_string(arena, item->valuestring);
	}
	if (app_project_members(in, object, "an entry of 'expect'", names, COUNT(names)) != 0)
		return -1;
	if (strlen(texts[1]) != DATE_BYTES || texts[1][4] != '-' || !bench_date_parse(texts[1], &start))
		return app_project_refuse(in, cJSON_GetObjectItemCaseSensitive(object, names[1]), false,
					  "'until': expected the last day, such as \"2026-12-31\"");
	*expected = (struct bench_expected){.until = texts[1], .end = start + DAY, .why = texts[2]};
	app_project_add_rule(in, texts[0])->expected = expected;
	return 0;
}

int app_project_expect(struct project_reading *in, const char *option, const cJSON *list)
{
	const cJSON *item;
	(void)option;
	if (cJSON_IsObject(list))
		return read_expected(in, list);
	if (!cJSON_IsArray(list))
		return app_project_refuse(in, list, false, "'expect': expected a list");
	cJSON_ArrayForEach(item, list) if (read_expected(in, item) != 0) return -1;
	return 0;
}
