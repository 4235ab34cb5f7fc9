/* SPDX-License-Identifier: MIT */
#include "measure/worker/flags.h"

#include <string.h>

void bench_worker_flags_visited(struct bench_disturbance_flags *flags)
{
	if (flags->taken[BENCH_SAMPLE_TIME] > flags->seen)
		flags->open_visits++;
	flags->seen = flags->taken[BENCH_SAMPLE_TIME];
}

bool bench_worker_flags_judge(struct bench_disturbance_flags *flags, enum bench_visits visits,
			      struct bench_event_disturbed *event)
{
	bool disturbed = visits != BENCH_VISITS_FINE;
	event->range_count = 0;
	for (enum bench_sample_kind i = 0; disturbed && i < BENCH_SAMPLE_RELATIVE; i++)
		if (flags->taken[i] > flags->judged[i] &&
		    (visits == BENCH_VISITS_DISTURBED || i != BENCH_SAMPLE_DEVICE_TIME))
			event->ranges[event->range_count++] = (struct bench_event_range){
				bench_record_sample_name(i), flags->judged[i], flags->taken[i]};
	memcpy(flags->judged, flags->taken, sizeof(flags->judged));
	flags->visits += flags->open_visits;
	flags->disturbed += disturbed ? flags->open_visits : 0;
	flags->open_visits = 0;
	return event->range_count > 0;
}

void bench_worker_flags_summarize(const struct bench_disturbance_flags *flags, struct bench_watch *watch,
				  struct bench_event_watched *event)
{
	bench_worker_watch_summarize(watch, &event->seen);
	event->seen.disturbed = flags->visits ? (double)flags->disturbed / (double)flags->visits : 0;
	/* Not the case's: the run's next workers compare their canaries with it. */
	event->canary_fastest = watch->fastest;
}
