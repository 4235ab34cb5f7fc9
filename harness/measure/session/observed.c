/* SPDX-License-Identifier: MIT */
#include "measure/session/observed.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/observed.h"

/* The prefix of a side's metrics. */
static const char *side(bool of_base)
{
	return of_base ? BENCH_OBSERVED_BASE : BENCH_OBSERVED_HEAD;
}

/* A number and the blank behind it; NULL: there is none. */
static const char *read_number(const char *from, double *value)
{
	char *end;
	*value = strtod(from, &end);
	return end != from && isfinite(*value) && (*end == ' ' || *end == '\0') ? end + (*end == ' ') : NULL;
}

static bool read_saw(const char *text, bool of_base, struct bench_observed_message *to)
{
	char name[32];
	int length = 0;
	double value;
	if (sscanf(text, "%31s %n", name, &length) != 1 || !length || !read_number(text + length, &value))
		return false;
	const struct bench_observed *observed = bench_observed_find(name);
	if (!observed || observed->rank == BENCH_RANK_FUNCTION)
		return false;
	snprintf(to->metric, sizeof(to->metric), "%s%s", side(of_base), observed->name);
	to->sample =
		(struct bench_event_sample){.metric = to->metric, .value = value, .unit = observed->unit};
	return to->is_sample = true;
}

/*
 * `head` and the symbol as a metric or a note may be named; a hash keeps those apart that this makes alike.
 * Without the compiler's endings (sum.constprop.0), which one of two builds may lack.
 */
static void name_symbol(const char *head, const char *symbol, size_t length, char *name, size_t size)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	char clean[36];
	size_t at = 0;
	for (size_t i = 1; i < length && symbol[0] != '['; i++)
		if (symbol[i] == '.')
			length = i;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)symbol[i];
		hash = (hash ^ c) * 16777619u;
		if (at < sizeof(clean) - 1)
			clean[at++] = isalnum(c) && c < 128 ? (char)tolower(c) : '_';
	}
	clean[at] = '\0';
	snprintf(name, size, "%s%s_%04x", head, clean, (unsigned)(hash & 0xffff));
}

static bool has_place(struct bench_observed_functions *functions, const char *name)
{
	for (size_t i = 0; i < functions->count; i++)
		if (strcmp(functions->names[i], name) == 0)
			return true;
	if (functions->count == BENCH_OBSERVED_FUNCTIONS)
		return false;
	snprintf(functions->names[functions->count++], sizeof(functions->names[0]), "%s", name);
	return true;
}

static bool read_function(const char *text, bool of_base, struct bench_observed_functions *functions,
			  struct bench_observed_message *to)
{
	char name[48];
	double seconds;
	const char *symbol = read_number(text, &seconds);
	size_t length = symbol ? strcspn(symbol, " ") : 0;
	if (!length || !(seconds >= 0))
		return false;
	name_symbol(BENCH_OBSERVED_FUNCTION, symbol, length, name, sizeof(name));
	if (!has_place(functions, name))
		return false;
	snprintf(to->metric, sizeof(to->metric), "%s%s", side(of_base), name);
	snprintf(to->name, sizeof(to->name), "%s", to->metric);
	snprintf(to->value, sizeof(to->value), "%s", symbol);
	to->sample = (struct bench_event_sample){.metric = to->metric, .value = seconds, .unit = "s"};
	to->note = (struct bench_event_note){to->name, to->value};
	return to->is_sample = to->is_note = true;
}

/* "NAME TEXT" of a kernel: a note, whose name begins with `kind`. */
static bool read_kernel(const char *text, const char *kind, bool of_base, struct bench_observed_message *to)
{
	size_t length = strcspn(text, " ");
	char name[48];
	if (!length || !text[length] || !text[length + 1])
		return false;
	name_symbol(kind, text, length, name, sizeof(name));
	snprintf(to->name, sizeof(to->name), "%s%s", side(of_base), name);
	snprintf(to->value, sizeof(to->value), "%s", text);
	to->note = (struct bench_event_note){to->name, to->value};
	return to->is_note = true;
}

/* "SOURCE: TEXT"; both sides say it. */
static bool read_unread(const char *text, struct bench_observed_message *to)
{
	const char *colon = strstr(text, ": ");
	size_t at = 0;
	if (!colon || colon == text)
		return false;
	at += (size_t)snprintf(to->name, sizeof(to->name), BENCH_OBSERVED_HEAD "unread_");
	for (const char *c = text; c < colon && at < sizeof(to->name) - 1; c++)
		to->name[at++] = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
	to->name[at] = '\0';
	snprintf(to->value, sizeof(to->value), "%s", text);
	to->note = (struct bench_event_note){to->name, to->value};
	return to->is_note = true;
}

bool bench_session_observed_read(const char *message, bool of_base,
				 struct bench_observed_functions *functions,
				 struct bench_observed_message *to)
{
	bool read = false;
	to->is_sample = to->is_note = false;
	if (strncmp(message, "saw ", 4) == 0)
		read = read_saw(message + 4, of_base, to);
	else if (strncmp(message, "function ", 9) == 0)
		read = read_function(message + 9, of_base, functions, to);
	else if (strncmp(message, "kernel ", 7) == 0)
		read = read_kernel(message + 7, BENCH_OBSERVED_KERNEL, of_base, to);
	else if (strncmp(message, "mix ", 4) == 0)
		read = read_kernel(message + 4, BENCH_OBSERVED_MIX, of_base, to);
	else if (strncmp(message, "unread ", 7) == 0)
		read = read_unread(message + 7, to);
	to->sample.iterations = 1;
	to->sample.better = bench_record_better_name(BENCH_BETTER_NONE);
	return read;
}
