/* SPDX-License-Identifier: MIT */
#include "app/period.h"

#include <string.h>
#include <time.h>

#include "app/runs.h"
#include "core/date.h"

enum { MOST_TEXT = 64 };

/* A time of day read as UTC is meant as the clocks here show it. */
static int64_t local_time(int64_t utc)
{
	const time_t at = (time_t)utc;
	struct tm parts;
	if (!gmtime_r(&at, &parts))
		return utc;
	parts.tm_isdst = -1;
	return (int64_t)mktime(&parts);
}

/* Is it a date when `tail` follows it? */
static bool read_with(const char *text, const char *tail, int64_t *seconds)
{
	char whole[MOST_TEXT + 16];
	const size_t length = strlen(text);
	if (length > MOST_TEXT)
		return false;
	memcpy(whole, text, length);
	memcpy(whole + length, tail, strlen(tail) + 1);
	return bench_date_parse(whole, seconds);
}

/* The date or time that the text states; `last`: of a day, its last second. */
static bool read_date(const char *text, bool last, int64_t *seconds)
{
	if (read_with(text, last ? "T23:59:59Z" : "T00:00Z", seconds) || read_with(text, "Z", seconds)) {
		*seconds = local_time(*seconds);
		return true;
	}
	return bench_date_parse(text, seconds);
}

static bool read_ago(const char *text, int64_t now, int64_t *seconds)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = {{'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
	const size_t digits = strspn(text, "0123456789");
	int64_t count = 0;
	if (digits == 0 || digits > 6 || !text[digits] || text[digits + 1])
		return false;
	for (size_t i = 0; i < digits; i++)
		count = count * 10 + (text[i] - '0');
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (text[digits] == units[i].unit) {
			*seconds = now - count * units[i].seconds;
			return true;
		}
	return false;
}

/* "20261120-231503", of which a run that began in the same second has more. */
static bool read_id(const char *text, int64_t *seconds)
{
	char date[] = "00000000T000000";
	if (strlen(text) < 15 || text[8] != '-' || (text[15] && text[15] != '-'))
		return false;
	memcpy(date, text, 8);
	memcpy(date + 9, text + 9, 6);
	return read_date(date, false, seconds);
}

/* The start of a stored run. */
static int read_run(struct bench_store *store, const char *text, bool *found, int64_t *seconds,
		    struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_RUN *run = NULL;
	const char *id;
	int result = bench_app_find_run(store, text, &arena, &id, error);
	if (result == 0)
		result = bench_store_load_head(store, id, &run, error);
	*found = result == 0;
	if (run)
		*seconds = run->started;
	return result != 0 && (error->code == BENCH_USAGE || error->code == BENCH_NOTHING) ? 0 : result;
}

static int read_end(const char *option, const char *text, bool last, int64_t now, struct bench_store *store,
		    int64_t *seconds, struct bench_error *error)
{
	bool found = read_ago(text, now, seconds) || read_date(text, last, seconds);
	if (!found && !store)
		found = read_id(text, seconds);
	if (!found && store && read_run(store, text, &found, seconds, error) != 0)
		return -1;
	if (found)
		return 0;
	return bench_fail(error, BENCH_USAGE,
			  "--%s '%s': expected a date (2026-11-20), a date and time (2026-11-20T17:30), a "
			  "time ago (90m, 12h, 7d, 2w) or a run's id ('bench list runs' lists them)",
			  option, text);
}

int bench_app_period_read(const char *since, const char *until, int64_t now, struct bench_store *store,
			  struct bench_app_period *period, struct bench_error *error)
{
	*period = BENCH_APP_PERIOD_OPEN;
	if (since && read_end("since", since, false, now, store, &period->since, error) != 0)
		return -1;
	if (until && read_end("until", until, true, now, store, &period->until, error) != 0)
		return -1;
	if (period->since > period->until)
		return bench_fail(error, BENCH_USAGE, "--since %s is after --until %s: nothing lies between",
				  since, until);
	return 0;
}

bool bench_app_period_holds(const struct bench_app_period *period, int64_t time)
{
	return time >= period->since && time <= period->until;
}

bool bench_app_period_has_date(const struct bench_app_period *period, const char *date)
{
	int64_t first, last;
	return read_date(date, false, &first) && read_date(date, true, &last) && last >= period->since &&
	       first <= period->until;
}

size_t bench_app_period_runs(const struct bench_app_period *period, struct bench_run_row *rows, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (bench_app_period_holds(period, rows[i].started))
			rows[kept++] = rows[i];
	return kept;
}

size_t bench_app_period_points(const struct bench_app_period *period, struct bench_point *points,
			       size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (bench_app_period_holds(period, points[i].started))
			points[kept++] = points[i];
	return kept;
}
