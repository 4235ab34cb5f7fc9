#include "measure/worker/marks.h"

#include <math.h>
#include <string.h>

#include "core/json.h"

static const char *const metrics[] = {[BENCH_SAMPLE_TIME] = "time",
				      [BENCH_SAMPLE_LATENCY] = "latency",
				      [BENCH_SAMPLE_DEVICE_TIME] = "device_time"};

void bench_marks_visited(struct bench_marks *marks)
{
	if (marks->taken[BENCH_SAMPLE_TIME] > marks->seen)
		marks->open_visits++;
	marks->seen = marks->taken[BENCH_SAMPLE_TIME];
}

bool bench_marks_judge(struct bench_marks *marks, bool disturbed, cJSON *event)
{
	cJSON *samples = disturbed ? cJSON_AddObjectToObject(event, "samples") : NULL;
	bool some = false;
	for (size_t i = 0; disturbed && i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		if (marks->taken[i] == marks->judged[i])
			continue;
		cJSON *range = cJSON_AddArrayToObject(samples, metrics[i]);
		cJSON_AddItemToArray(range, bench_json_real((double)marks->judged[i]));
		cJSON_AddItemToArray(range, bench_json_real((double)marks->taken[i]));
		some = true;
	}
	memcpy(marks->judged, marks->taken, sizeof(marks->judged));
	marks->visits += marks->open_visits;
	marks->disturbed += disturbed ? marks->open_visits : 0;
	marks->open_visits = 0;
	return some;
}

void bench_marks_add_watched(const struct bench_marks *marks, struct bench_watch *watch, cJSON *event)
{
	struct bench_watched watched;
	bench_watch_summarize(watch, &watched);
	bench_json_add_number(event, "disturbed",
			      marks->visits ? (double)marks->disturbed / (double)marks->visits : 0);
	bench_json_add_number(event, "canary", watched.canary);
	bench_json_add_number(event, "canary_worst", watched.canary_worst);
	bench_json_add_number(event, "others", watched.others);
	bench_json_add_number(event, "steal", watched.steal);
	bench_json_add_number(event, "frequency", watched.frequency);
	cJSON_AddStringToObject(event, "device", watched.device);
	/* Not of the case: what the run's next workers are to be held against. */
	bench_json_add_number(event, "canary_fastest", watch->fastest);
}
