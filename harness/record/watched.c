/* What was disturbed, from outside: marks on samples, and how the machine was. */
#include <math.h>
#include <string.h>

#include "core/json.h"
#include "record/internal.h"

static int read_quantity_or_null(const struct reader *in, const cJSON *object, const char *member,
				 double *out)
{
	if (record_read_number_or_null(in, object, member, out) != 0)
		return -1;
	if (*out < 0)
		return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: member '%s' is negative (%g)", in->what,
				  member, *out);
	return 0;
}

int record_read_watched(const struct reader *in, const cJSON *object, struct bench_watched *watched)
{
	int64_t invocation;
	if (bench_json_integer(object, "invocation", in->what, 0, RECORD_MAX_INVOCATION, &invocation,
			       in->error) != 0 ||
	    record_read_quantity(in, object, "disturbed", &watched->disturbed) != 0 ||
	    read_quantity_or_null(in, object, "canary", &watched->canary) != 0 ||
	    read_quantity_or_null(in, object, "canary_worst", &watched->canary_worst) != 0 ||
	    read_quantity_or_null(in, object, "others", &watched->others) != 0 ||
	    read_quantity_or_null(in, object, "steal", &watched->steal) != 0 ||
	    read_quantity_or_null(in, object, "frequency", &watched->frequency) != 0 ||
	    record_read_text(in, object, "device", RECORD_MAX_TEXT, &watched->device) != 0)
		return -1;
	if (watched->disturbed > 1)
		return bench_fail(in->error, BENCH_ENVIRONMENT,
				  "%s: member 'disturbed' is %g; expected a share, from 0 to 1", in->what,
				  watched->disturbed);
	watched->invocation = (int)invocation;
	return 0;
}

int record_keep_watched(const struct reader *in, const struct bench_watched *watched,
			struct bench_result *result)
{
	for (size_t i = 0; i < result->watched_count; i++)
		if (result->watched[i].invocation == watched->invocation)
			return bench_fail(in->error, BENCH_ENVIRONMENT, "%s: invocation %d is watched twice",
					  in->what, watched->invocation);
	struct bench_watched *slot =
		bench_arena_push(in->arena, &result->watched, &result->watched_count, sizeof(*slot));
	*slot = *watched;
	return 0;
}

int record_read_all_watched(const struct reader *in, const cJSON *object, struct bench_result *result)
{
	const cJSON *list, *item;
	struct bench_watched watched;
	/* Files of before it was watched have none. */
	if (!cJSON_GetObjectItemCaseSensitive(object, "watched"))
		return 0;
	if (bench_json_array(object, "watched", in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		if (record_read_watched(in, item, &watched) != 0 ||
		    record_keep_watched(in, &watched, result) != 0)
			return -1;
	}
	return 0;
}

int record_read_marks(const struct reader *in, const cJSON *object, struct bench_series *series)
{
	const cJSON *list, *item;
	double next = 0;
	if (!cJSON_GetObjectItemCaseSensitive(object, "disturbed"))
		return 0;
	if (bench_json_array(object, "disturbed", in->what, &list, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, list)
	{
		double index = cJSON_IsNumber(item) ? item->valuedouble : NAN;
		if (!(index >= next && index < (double)series->count) || index != floor(index))
			return bench_fail(in->error, BENCH_ENVIRONMENT,
					  "%s: 'disturbed' of invocation %d holds something that is no index "
					  "of its %zu samples, or not in order",
					  in->what, series->invocation, series->count);
		record_mark(in->arena, series, (size_t)index, (size_t)index + 1);
		next = index + 1;
	}
	return 0;
}

void record_mark(struct bench_arena *arena, struct bench_series *series, size_t first, size_t end)
{
	if (!series->disturbed)
		series->disturbed = bench_arena_alloc(arena, series->count, sizeof(*series->disturbed));
	for (size_t i = first; i < end; i++)
		series->disturbed[i] = true;
}
