/* SPDX-License-Identifier: MIT */
#include "core/date.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct parts {
	int year, month, day, hour, minute, second;
	int offset; /* seconds east of UTC */
};

/* Exactly `digits` digits. */
static bool take_number(const char **at, int digits, int *value)
{
	*value = 0;
	for (int i = 0; i < digits; i++, ++*at) {
		if (!isdigit((unsigned char)**at))
			return false;
		*value = *value * 10 + (**at - '0');
	}
	return true;
}

static bool take(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

/* One of the words, in any case; its place in the list. */
static bool take_word(const char **at, const char *const *words, int count, int *which)
{
	for (*which = 0; *which < count; ++*which) {
		const size_t length = strlen(words[*which]);
		if (strncasecmp(*at, words[*which], length) == 0) {
			*at += length;
			return true;
		}
	}
	return false;
}

static bool take_month(const char **at, int *month)
{
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
					     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	const bool found = take_word(at, months, 12, month);
	++*month;
	return found;
}

static bool take_weekday(const char **at)
{
	static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
	int which;
	return take_word(at, days, 7, &which);
}

static bool is_leap(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_of(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	return days[month - 1] + (month == 2 && is_leap(year));
}

/* "17:30", "17:30:00", "17:30:00.123", and without colons. */
static bool take_time(const char **at, struct parts *parts)
{
	if (!take_number(at, 2, &parts->hour))
		return false;
	const bool colons = take(at, ':');
	if (!take_number(at, 2, &parts->minute))
		return false;
	if (colons ? !take(at, ':') : !isdigit((unsigned char)**at))
		return true;
	if (!take_number(at, 2, &parts->second))
		return false;
	if (**at == '.' || **at == ',') {
		const size_t digits = strspn(*at + 1, "0123456789");
		*at += 1 + digits;
		return digits > 0;
	}
	return true;
}

/* "Z", "UTC", "+05:30", "+0530", "+05"; nothing is UTC. */
static bool take_offset(const char **at, struct parts *parts)
{
	static const char *const names[] = {"UTC", "GMT", "Z"};
	int hours, minutes = 0, which;
	*at += **at == ' ' && (*at)[1];
	if (!**at || take_word(at, names, 3, &which))
		return true;
	const int sign = **at == '-' ? -1 : 1;
	if ((!take(at, '+') && !take(at, '-')) || !take_number(at, 2, &hours))
		return false;
	if ((take(at, ':') || **at) && !take_number(at, 2, &minutes))
		return false;
	parts->offset = sign * (hours * 3600 + minutes * 60);
	return hours < 24 && minutes < 60;
}

static bool take_iso(const char *at, struct parts *parts)
{
	if (!take_number(&at, 4, &parts->year))
		return false;
	const bool dashes = take(&at, '-');
	if (!take_number(&at, 2, &parts->month) || (dashes && !take(&at, '-')) ||
	    !take_number(&at, 2, &parts->day))
		return false;
	if (!*at)
		return true;
	return (take(&at, 'T') || take(&at, 't') || take(&at, ' ')) && take_time(&at, parts) &&
	       take_offset(&at, parts) && !*at;
}

/* A day of one digit or two, with a blank before it or not. */
static bool take_day(const char **at, int *day)
{
	*at += **at == ' ';
	return take_number(at, isdigit((unsigned char)**at) && isdigit((unsigned char)(*at)[1]) ? 2 : 1, day);
}

/* "Fri Nov 20 17:30:00 2026 +0530" */
static bool take_git(const char *at, struct parts *parts)
{
	return take_weekday(&at) && take(&at, ' ') && take_month(&at, &parts->month) && take(&at, ' ') &&
	       take_day(&at, &parts->day) && take(&at, ' ') && take_time(&at, parts) && take(&at, ' ') &&
	       take_number(&at, 4, &parts->year) && take_offset(&at, parts) && !*at;
}

/* "Fri, 20 Nov 2026 17:30:00 +0530" */
static bool take_rfc(const char *at, struct parts *parts)
{
	return take_weekday(&at) && take(&at, ',') && take(&at, ' ') && take_day(&at, &parts->day) &&
	       take(&at, ' ') && take_month(&at, &parts->month) && take(&at, ' ') &&
	       take_number(&at, 4, &parts->year) && take(&at, ' ') && take_time(&at, parts) &&
	       take_offset(&at, parts) && !*at;
}

static bool take_unix(const char *at, int64_t *seconds)
{
	struct parts parts = {0};
	const size_t digits = strspn(at, "0123456789");
	*seconds = 0;
	for (size_t i = 0; i < digits && digits <= 11; i++)
		*seconds = *seconds * 10 + (at[i] - '0');
	at += digits;
	return digits >= 9 && digits <= 11 && (!*at || (*at == ' ' && take_offset(&at, &parts) && !*at));
}

/* Of days since 1970, by H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil. */
static int64_t days_since_1970(int year, int month, int day)
{
	const int64_t of = month <= 2 ? year - 1 : year, era = of / 400, in_era = of - era * 400;
	const int64_t in_year = (153 * (int64_t)(month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

bool bench_date_parse(const char *text, int64_t *seconds)
{
	static bool (*const forms[])(const char *, struct parts *) = {take_iso, take_git, take_rfc};
	if (take_unix(text, seconds))
		return true;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct parts parts = {0};
		if (!forms[i](text, &parts))
			continue;
		if (parts.year < 1970 || parts.month < 1 || parts.month > 12 || parts.day < 1 ||
		    parts.day > days_of(parts.year, parts.month) || parts.hour > 23 || parts.minute > 59 ||
		    parts.second > 60)
			return false;
		*seconds = days_since_1970(parts.year, parts.month, parts.day) * 86400 +
			   (int64_t)parts.hour * 3600 + (int64_t)parts.minute * 60 + parts.second -
			   parts.offset;
		return true;
	}
	return false;
}
