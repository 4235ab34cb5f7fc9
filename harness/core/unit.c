/* SPDX-License-Identifier: MIT */
#include "core/unit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"

#define LONGEST 64 /* of a unit's text */

enum kind {
	DURATION,
	DATA,      /* bytes and bits */
	WORK,      /* what is done: more of it a second is better */
	OPERATION, /* likewise; "per op" is left out, as every value is that of one */
	THING,     /* counted, and neither good nor bad */
	PHYSICAL,  /* J, W, Hz */
	NUMBER     /* a ratio, a share, a count */
};

enum prefix_class { SMALL = 1, LARGE = 2, BINARY = 4 };

/* What an amount is of. */
struct base {
	const char *word; /* in the singular */
	enum kind kind;
	bool folded; /* letters may be of either case */
	const char *si;
	double times, over;
	unsigned prefixes; /* the classes that may stand before it */
};

/* clang-format off */
static const struct base bases[] = {
	{"s", DURATION, false, "s", 1, 1, SMALL},
	{"sec", DURATION, true, "s", 1, 1, SMALL},
	{"second", DURATION, true, "s", 1, 1, 0},
	{"millisecond", DURATION, true, "s", 1, 1e3, 0},
	{"milli", DURATION, true, "s", 1, 1e3, 0},
	{"microsecond", DURATION, true, "s", 1, 1e6, 0},
	{"micro", DURATION, true, "s", 1, 1e6, 0},
	{"nanosecond", DURATION, true, "s", 1, 1e9, 0},
	{"nano", DURATION, true, "s", 1, 1e9, 0},
	{"picosecond", DURATION, true, "s", 1, 1e12, 0},
	{"min", DURATION, true, "s", 60, 1, 0},
	{"minute", DURATION, true, "s", 60, 1, 0},
	{"h", DURATION, false, "s", 3600, 1, 0},
	{"hr", DURATION, true, "s", 3600, 1, 0},
	{"hour", DURATION, true, "s", 3600, 1, 0},
	{"day", DURATION, true, "s", 86400, 1, 0},
	{"B", DATA, false, "B", 1, 1, LARGE | BINARY},
	{"byte", DATA, true, "B", 1, 1, LARGE | BINARY},
	{"kilobyte", DATA, true, "B", 1e3, 1, 0},
	{"megabyte", DATA, true, "B", 1e6, 1, 0},
	{"gigabyte", DATA, true, "B", 1e9, 1, 0},
	{"kibibyte", DATA, true, "B", 1024, 1, 0},
	{"mebibyte", DATA, true, "B", 1048576, 1, 0},
	{"gibibyte", DATA, true, "B", 1073741824, 1, 0},
	{"bit", DATA, true, "bit", 1, 1, LARGE | BINARY},
	{"flop", WORK, true, "FLOP", 1, 1, LARGE},
	{"op", OPERATION, true, "item", 1, 1, LARGE},
	{"operation", OPERATION, true, "item", 1, 1, LARGE},
	{"iter", OPERATION, true, "item", 1, 1, LARGE},
	{"iteration", OPERATION, true, "item", 1, 1, LARGE},
	{"call", OPERATION, true, "item", 1, 1, LARGE},
	{"invocation", OPERATION, true, "item", 1, 1, LARGE},
	{"item", WORK, true, "item", 1, 1, LARGE},
	{"elem", WORK, true, "item", 1, 1, LARGE},
	{"element", WORK, true, "item", 1, 1, LARGE},
	{"request", WORK, true, "item", 1, 1, LARGE},
	{"req", WORK, true, "item", 1, 1, LARGE},
	{"query", WORK, true, "item", 1, 1, LARGE},
	{"token", WORK, true, "item", 1, 1, LARGE},
	{"tok", WORK, true, "item", 1, 1, LARGE},
	{"row", WORK, true, "item", 1, 1, LARGE},
	{"record", WORK, true, "item", 1, 1, LARGE},
	{"event", WORK, true, "item", 1, 1, LARGE},
	{"message", WORK, true, "item", 1, 1, LARGE},
	{"msg", WORK, true, "item", 1, 1, LARGE},
	{"packet", WORK, true, "item", 1, 1, LARGE},
	{"frame", WORK, true, "item", 1, 1, LARGE},
	{"image", WORK, true, "item", 1, 1, LARGE},
	{"sample", WORK, true, "item", 1, 1, LARGE},
	{"step", WORK, true, "item", 1, 1, LARGE},
	{"task", WORK, true, "item", 1, 1, LARGE},
	{"job", WORK, true, "item", 1, 1, LARGE},
	{"transaction", WORK, true, "item", 1, 1, LARGE},
	{"txn", WORK, true, "item", 1, 1, LARGE},
	{"tx", WORK, true, "item", 1, 1, LARGE},
	{"key", WORK, true, "item", 1, 1, LARGE},
	{"line", WORK, true, "item", 1, 1, LARGE},
	{"edge", WORK, true, "item", 1, 1, LARGE},
	{"cell", WORK, true, "item", 1, 1, LARGE},
	{"point", WORK, true, "item", 1, 1, LARGE},
	{"pixel", WORK, true, "item", 1, 1, LARGE},
	{"update", WORK, true, "item", 1, 1, LARGE},
	{"lookup", WORK, true, "item", 1, 1, LARGE},
	{"alloc", THING, true, "count", 1, 1, LARGE},
	{"allocation", THING, true, "count", 1, 1, LARGE},
	{"cycle", THING, true, "count", 1, 1, LARGE},
	{"instruction", THING, true, "count", 1, 1, LARGE},
	{"count", NUMBER, true, "count", 1, 1, 0},
	{"#", NUMBER, true, "count", 1, 1, 0},
	{"ratio", NUMBER, true, "ratio", 1, 1, 0},
	{"x", NUMBER, true, "ratio", 1, 1, 0},
	{"share", NUMBER, true, "share", 1, 1, 0},
	{"%", NUMBER, true, "share", 1, 100, 0},
	{"percent", NUMBER, true, "share", 1, 100, 0},
	{"pct", NUMBER, true, "share", 1, 100, 0},
	{"J", PHYSICAL, false, "J", 1, 1, SMALL | LARGE},
	{"joule", PHYSICAL, true, "J", 1, 1, 0},
	{"W", PHYSICAL, false, "W", 1, 1, SMALL | LARGE},
	{"watt", PHYSICAL, true, "W", 1, 1, 0},
	{"Hz", PHYSICAL, true, "Hz", 1, 1, LARGE},
};

/* One byte stands for the micro sign and the Greek mu (take_text). */
static const struct {
	const char *text;
	enum prefix_class class;
	double times, over;
} prefixes[] = {
	{"Ki", BINARY, 0x1p10, 1}, {"Mi", BINARY, 0x1p20, 1}, {"Gi", BINARY, 0x1p30, 1}, {"Ti", BINARY, 0x1p40, 1},
	{"ki", BINARY, 0x1p10, 1},
	{"k", LARGE, 1e3, 1}, {"K", LARGE, 1e3, 1}, {"M", LARGE, 1e6, 1}, {"G", LARGE, 1e9, 1}, {"T", LARGE, 1e12, 1},
	{"P", LARGE, 1e15, 1}, {"E", LARGE, 1e18, 1},
	{"m", SMALL, 1, 1e3}, {"u", SMALL, 1, 1e6}, {"\xb5", SMALL, 1, 1e6}, {"n", SMALL, 1, 1e9}, {"p", SMALL, 1, 1e12},
};

/* Words that stand for an amount a second, with a prefix or without. */
static const struct {
	const char *word, *of;
	bool folded;
} rates[] = {
	{"FLOPS", "flop", false}, {"flops", "flop", false}, {"Flops", "flop", false}, {"FLOPs/s", "flop", false},
	{"bps", "bit", false}, {"Bps", "B", false}, {"fps", "frame", true}, {"qps", "query", true},
	{"rps", "request", true}, {"tps", "transaction", true}, {"iops", "op", true},
};
/* clang-format on */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

struct amount {
	const struct base *base;
	double times, over;
};

static bool is_same(const char *a, const char *b, bool folded)
{
	return (folded ? strcasecmp(a, b) : strcmp(a, b)) == 0;
}

/* The base of that word, in the singular or the plural. `folded`: of a name, whose case says nothing. */
static const struct base *find_base(const char *text, bool folded)
{
	char singular[LONGEST];
	const size_t length = strlen(text);
	const bool plural = length > 2 && tolower((unsigned char)text[length - 1]) == 's';
	snprintf(singular, sizeof(singular), "%s", text);
	for (size_t tries = 0; tries < 2; tries++) {
		for (size_t i = 0; i < COUNT(bases); i++)
			if (is_same(bases[i].word, singular, bases[i].folded || folded))
				return &bases[i];
		if (!plural)
			break;
		if (length > 4 && strcasecmp(text + length - 3, "ies") == 0)
			snprintf(singular + length - 3, 2, "y");
		else
			singular[length - 1] = '\0';
	}
	return NULL;
}

static bool parse_amount(const char *text, bool folded, struct amount *amount)
{
	const struct base *base = find_base(text, folded);
	*amount = (struct amount){base, base ? base->times : 1, base ? base->over : 1};
	for (size_t i = 0; !amount->base && i < COUNT(prefixes); i++) {
		const size_t length = strlen(prefixes[i].text);
		const bool same = strncmp(text, prefixes[i].text, length) == 0;
		if (!same && strncasecmp(text, prefixes[i].text, length) != 0)
			continue;
		base = find_base(text + length + strspn(text + length, " "), folded);
		/* In names, and of FLOP, an m is not milli. A millijoule may be a megajoule there. */
		const bool any_case = base && (folded || strcmp(base->si, "FLOP") == 0) &&
				      !(base->prefixes & SMALL && base->prefixes & LARGE);
		if (base && base->prefixes & prefixes[i].class && (same ? !folded || any_case : any_case))
			*amount = (struct amount){base, base->times * prefixes[i].times,
						  base->over * prefixes[i].over};
	}
	return amount->base != NULL;
}

/* "GFLOPS", "Mbps", "fps" */
static bool parse_rate_word(const char *text, bool folded, struct amount *amount)
{
	const size_t length = strlen(text);
	for (size_t i = 0; i < COUNT(rates); i++) {
		const size_t tail = strlen(rates[i].word);
		char of[LONGEST];
		if (length < tail || !is_same(text + length - tail, rates[i].word, rates[i].folded || folded))
			continue;
		snprintf(of, sizeof(of), "%.*s%s", (int)(length - tail), text, rates[i].of);
		/* In a name it may be bits or bytes. */
		return !(folded && strcmp(rates[i].word, "bps") == 0) && parse_amount(of, folded, amount);
	}
	return false;
}

/* What an amount is called in the name of a quantity. */
static const char *word_of(const struct base *base)
{
	switch (base->kind) {
	case DURATION:
		return "time";
	case DATA:
		return *base->si == 'B' ? "bytes" : "bits";
	case WORK:
	case OPERATION:
	case THING:
		return base->word;
	default:
		return base->si;
	}
}

/* `per`: a duration, an operation or another amount; NULL: none. */
static void describe(const struct amount *of, const struct amount *per, struct bench_unit *unit)
{
	static const struct base second = {.kind = DURATION, .word = "s", .si = "s"};
	const struct base *base = of->base, *by = per && per->base->kind == DURATION ? &second
						  : per                              ? per->base
										     : NULL;
	const enum kind kind = base->kind;
	*unit = (struct bench_unit){.times = of->times * (per ? per->over : 1),
				    .over = of->over * (per ? per->times : 1),
				    .better = BENCH_BETTER_NONE};
	if (by && by->kind == OPERATION)
		by = NULL;
	if (kind == DURATION && by != &second)
		unit->better = BENCH_BETTER_LOWER;
	else if (by == &second && (kind == DATA || kind == WORK || kind == OPERATION))
		unit->better = BENCH_BETTER_HIGHER;
	const char *si = by != &second && strcmp(base->si, "item") == 0 ? "count" : base->si;
	const char *under = !by ? "" : by == &second || by->kind == DATA ? by->si : by->word;
	snprintf(unit->si, sizeof(unit->si), "%s%s%s", si, by ? "/" : "", under);
	snprintf(unit->name, sizeof(unit->name), "%s%s%s", word_of(base), by ? "_per_" : "",
		 by == &second ? "s"
		 : by          ? word_of(by)
			       : "");
}

/* Where the text has its "per", which is ended; NULL: it has none. *rest: what stands behind it. */
static char *find_per(char *text, char **rest)
{
	static const char *const words[] = {" per ", "_per_", "/"};
	for (size_t i = 0; i < COUNT(words); i++)
		for (char *at = text; *at; at++)
			if (strncasecmp(at, words[i], strlen(words[i])) == 0) {
				*at = '\0';
				*rest = at + strlen(words[i]);
				return at;
			}
	return NULL;
}

static char *trim(char *text)
{
	text += strspn(text, " ");
	for (size_t length = strlen(text); length > 0 && text[length - 1] == ' ';)
		text[--length] = '\0';
	return text;
}

/* A text of at most LONGEST - 1 characters, which is taken apart. */
static bool parse(char *text, bool folded, struct bench_unit *unit)
{
	const struct amount second = {&bases[0], 1, 1};
	struct amount of, per;
	char *rest;
	text = trim(text);
	if (find_per(text, &rest)) {
		if (!parse_amount(trim(text), folded, &of) || !parse_amount(trim(rest), folded, &per) ||
		    per.base->kind == NUMBER || per.base->kind == PHYSICAL)
			return false;
		describe(&of, &per, unit);
		return true;
	}
	if (parse_rate_word(text, folded, &of)) {
		describe(&of, &second, unit);
		return true;
	}
	/* "FLOPs" means a count, or a count per second. */
	if (!parse_amount(text, folded, &of) ||
	    (strcmp(of.base->si, "FLOP") == 0 && strchr("sS", text[strlen(text) - 1])))
		return false;
	describe(&of, NULL, unit);
	return true;
}

/* Copies a unit's text, with one byte for the micro sign and the Greek mu; false: it is too long for one. */
static bool take_text(const char *text, size_t length, char out[LONGEST])
{
	size_t to = 0;
	for (size_t at = 0; at < length; at++) {
		const bool micro =
			strncmp(text + at, "\xc2\xb5", 2) == 0 || strncmp(text + at, "\xce\xbc", 2) == 0;
		if (to + 1 >= LONGEST)
			return false;
		out[to++] = micro ? '\xb5' : text[at];
		at += micro;
	}
	out[to] = '\0';
	return true;
}

bool bench_unit_parse(const char *text, struct bench_unit *unit)
{
	char copy[LONGEST];
	const size_t length = strlen(text);
	const char *alias = strstr(text, " ("); /* "nanoseconds (ns)" */
	if (length == 0) {
		*unit = (struct bench_unit){"count", 1, 1, BENCH_BETTER_NONE, "count"};
		return true;
	}
	return take_text(text, alias && text[length - 1] == ')' ? (size_t)(alias - text) : length, copy) &&
	       parse(copy, false, unit);
}

/* "time [ms]", "time (ms)" */
static bool parse_brackets(const char *name, size_t *stem, struct bench_unit *unit)
{
	const size_t length = strlen(name);
	const char *open = strrchr(name, length > 0 && name[length - 1] == ']' ? '[' : '(');
	char text[LONGEST];
	if (length < 3 || !open || !strchr("])", name[length - 1]) || open == name)
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)(name + length - 1 - (open + 1)), open + 1);
	if (!bench_unit_parse(text, unit)) {
		*unit = (struct bench_unit){.times = 1, .over = 1, .better = BENCH_BETTER_NONE};
		snprintf(unit->si, sizeof(unit->si), "%.47s", text);
	}
	*stem = (size_t)(open - name);
	while (*stem > 0 && name[*stem - 1] == ' ')
		--*stem;
	return true;
}

/* The words of a name: "timeMs", "time-ms" and "Time ms" are time and ms. */
struct words {
	char text[2 * 256];
	size_t starts[128], origins[128]; /* of each word in `text`, in the name */
	size_t count;
};

/* Is the word at `at`, up to what separates words, a unit as it is written? "MiB" is one word. */
static bool is_unit_at(const char *at)
{
	char copy[LONGEST];
	struct bench_unit unit;
	return take_text(at, strcspn(at, " _-."), copy) && parse(copy, false, &unit);
}

static bool take_words(const char *name, struct words *words)
{
	size_t to = 0;
	bool whole = false;
	*words = (struct words){.count = 0};
	for (size_t at = 0; name[at]; at++) {
		const char c = name[at], last = at ? name[at - 1] : ' ';
		const bool small = islower((unsigned char)last) || isdigit((unsigned char)last);
		const bool first = strchr(" _-.", last) != NULL;
		if (strchr(" _-.", c))
			continue;
		if (first)
			whole = is_unit_at(name + at);
		if (to + 3 > sizeof(words->text) || words->count == COUNT(words->starts))
			return false;
		if (first || (small && !whole && isupper((unsigned char)c))) {
			if (to > 0)
				words->text[to++] = '_';
			words->starts[words->count] = to;
			words->origins[words->count++] = at;
		}
		words->text[to++] = (char)tolower((unsigned char)c);
	}
	return words->count > 0;
}

/* Does the name's last word say by itself what unit it is? Not "min", which is a minimum, or "second". */
static bool parse_last_word(const struct words *words, const char *name, struct bench_unit *unit)
{
	static const char *const others[] = {"min",   "mins",  "minute", "h", "hour", "day", "days", "second",
					     "milli", "micro", "nano",   "b", "x",    "#",   "bit",  "byte"};
	const size_t last = words->count - 1;
	const char *word = words->text + words->starts[last];
	char copy[LONGEST], before[LONGEST] = "";
	struct amount amount;
	if (BENCH_FIND(others, COUNT(others), word))
		return false;
	/* "GBps" as it is written, else in any case. */
	if (!bench_unit_parse(name + words->origins[last], unit) &&
	    (!take_text(word, strlen(word), copy) || !parse(copy, true, unit)))
		return false;
	if (last > 0)
		snprintf(before, sizeof(before), "%.*s",
			 (int)(words->starts[last] - 1 - words->starts[last - 1]),
			 words->text + words->starts[last - 1]);
	const size_t length = strlen(before);
	/* What is counted before a duration may be a rate: "reads_s", "bytes_ms", "things_per_s". */
	const bool plural = length > 2 && before[length - 1] == 's' && !strchr("sui", before[length - 2]);
	if (unit->better == BENCH_BETTER_LOWER &&
	    (plural || strcmp(before, "per") == 0 ||
	     (parse_amount(before, true, &amount) && amount.base->kind != DURATION)))
		return false;
	/* "n_requests": how many, as likely what was asked for as what was measured. */
	return !take_text(word, strlen(word), copy) || !parse_amount(copy, true, &amount) ||
	       (amount.base->kind != WORK && amount.base->kind != OPERATION && amount.base->kind != THING) ||
	       unit->better != BENCH_BETTER_NONE;
}

/* "tokens_per_s", and "mb_s", which is a rate, as what stands before the second is counted. */
static bool parse_rate_words(const struct words *words, size_t first, struct bench_unit *unit)
{
	static const char *const seconds[] = {"s", "sec", "second", "seconds"};
	const char *text = words->text + words->starts[first];
	char copy[LONGEST];
	if (!strstr(text, "_per_") && !strchr(text, '/')) {
		const size_t last = words->count - 1;
		if (first + 2 != words->count ||
		    !BENCH_FIND(seconds, COUNT(seconds), words->text + words->starts[last]))
			return false;
		snprintf(copy, sizeof(copy), "%.*s/s", (int)(words->starts[last] - 1 - words->starts[first]),
			 text);
	} else if (!take_text(text, strlen(text), copy)) {
		return false;
	}
	return parse(copy, true, unit) &&
	       (strstr(text, "per") || strchr(text, '/') || unit->better == BENCH_BETTER_HIGHER);
}

bool bench_unit_of_name(const char *name, size_t *stem, struct bench_unit *unit)
{
	struct words words;
	struct bench_unit found;
	size_t first = 0;
	if (parse_brackets(name, stem, unit))
		return true;
	if (strchr(name, '/') && bench_unit_parse(name, unit)) { /* "ops/s" as it is */
		*stem = 0;
		return true;
	}
	if (!take_words(name, &words))
		return false;
	while (first < words.count && !parse_rate_words(&words, first, &found))
		first++;
	if (first == words.count && !parse_last_word(&words, name, &found))
		return false;
	if (first == words.count)
		first--;
	*unit = found;
	*stem = words.origins[first];
	while (*stem > 0 && strchr(" _-.", name[*stem - 1]))
		--*stem;
	return true;
}
