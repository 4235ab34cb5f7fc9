#include "measure/worker/marks.h"

#include <string.h>

void bench_marks_visited(struct bench_marks *marks)
{
	if (marks->taken[BENCH_SAMPLE_TIME] > marks->seen)
		marks->open_visits++;
	marks->seen = marks->taken[BENCH_SAMPLE_TIME];
}

bool bench_marks_judge(struct bench_marks *marks, bool disturbed, struct bench_event_disturbed *event)
{
	event->range_count = 0;
	for (enum bench_sample_kind i = 0; disturbed && i < BENCH_SAMPLE_RELATIVE; i++)
		if (marks->taken[i] > marks->judged[i])
			event->ranges[event->range_count++] = (struct bench_event_range){
				bench_sample_name(i), marks->judged[i], marks->taken[i]};
	memcpy(marks->judged, marks->taken, sizeof(marks->judged));
	marks->visits += marks->open_visits;
	marks->disturbed += disturbed ? marks->open_visits : 0;
	marks->open_visits = 0;
	return event->range_count > 0;
}

void bench_marks_summarize(const struct bench_marks *marks, struct bench_watch *watch,
			   struct bench_event_watched *event)
{
	bench_watch_summarize(watch, &event->seen);
	event->seen.disturbed = marks->visits ? (double)marks->disturbed / (double)marks->visits : 0;
	/* Not of the case: what the run's next workers are to be held against. */
	event->canary_fastest = watch->fastest;
}
