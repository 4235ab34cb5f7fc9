#include "record/alarm.h"

const char *bench_record_alarm_state_name(enum bench_alarm_state state)
{
	static const char *const names[] = {
		[BENCH_ALARM_OPEN] = "open",
		[BENCH_ALARM_ACCEPTED] = "accepted",
		[BENCH_ALARM_RECOVERED] = "recovered",
	};

	return names[state];
}

bool bench_record_alarm_is_open(const struct bench_alarm *alarm)
{
	for (size_t i = 0; i < alarm->metric_count; i++)
		if (alarm->metrics[i].state == BENCH_ALARM_OPEN)
			return true;
	return false;
}
