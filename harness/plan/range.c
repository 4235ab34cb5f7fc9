/* SPDX-License-Identifier: MIT */
#include "plan/range.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

#define NEAR 1e-9 /* relative: how far rounding may have moved a value */

bool bench_plan_range_is(const char *text)
{
	size_t sign = text[0] == '-';
	return (isdigit((unsigned char)text[sign]) || text[sign] == '.') && strchr(text, ':') != NULL;
}

static int read_end(const char *text, const struct bench_param *param, double *end, struct bench_error *error)
{
	struct bench_value value;
	if (param && param->type == BENCH_PARAM_INT) {
		if (bench_value_parse(param, text, &value, error) != 0)
			return -1;
		*end = value.real;
		return 0;
	}
	return bench_text_real(text, end) ? 0 : bench_fail(error, BENCH_USAGE, "'%s' is not a number", text);
}

int bench_plan_range_read(const char *text, const struct bench_param *param, struct bench_range *range,
			  struct bench_error *error)
{
	char copy[128], *rest = copy;
	*range = (struct bench_range){0};
	if (strlen(text) >= sizeof(copy))
		return bench_fail(error, BENCH_USAGE, "'%.40s..' is not a range: it is too long", text);
	snprintf(copy, sizeof(copy), "%s", text);
	const char *from = bench_text_next(&rest, ':'), *to = rest ? bench_text_next(&rest, ':') : "";
	const char *by = rest ? rest : "";
	if (read_end(from, param, &range->from, error) != 0 || read_end(to, param, &range->to, error) != 0)
		return -1;
	bool stepped = *by == '+' && bench_text_real(by + 1, &range->step) && range->step > 0;
	bool scaled =
		*by == '*' && bench_text_real(by + 1, &range->factor) && range->factor > 1 && range->from > 0;
	if (range->from > range->to || (rest && !stepped && !scaled))
		return bench_fail(error, BENCH_USAGE,
				  "'%s' is not a range: expected such as 64:4096, 64:4096:+64 or 64:4096:*2, "
				  "the smaller end first",
				  text);
	return 0;
}

double bench_plan_range_value(const struct bench_range *range, size_t number)
{
	double value = range->factor > 0 ? range->from * pow(range->factor, (double)number)
					 : range->from + (range->step > 0 ? range->step : 1) * (double)number;
	return value <= range->to + NEAR * fabs(range->to) ? value : NAN;
}

bool bench_plan_range_has(const struct bench_range *range, double value)
{
	if (!(value >= range->from && value <= range->to))
		return false;
	if (!(range->step > 0) && !(range->factor > 0))
		return true;
	double number = range->factor > 0 ? log(value / range->from) / log(range->factor)
					  : (value - range->from) / range->step;
	double nearest = bench_plan_range_value(range, (size_t)(number + 0.5));
	/* A parameter that is a whole number has the nearest one. */
	return fabs(value - nearest) <= NEAR * fabs(value) || value == round(nearest);
}
