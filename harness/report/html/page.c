/* SPDX-License-Identifier: MIT */
#include "report/html/page.h"

#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "report/render/words.h"

static void add_escaped(struct bench_text *out, const char *line)
{
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	for (;;) {
		size_t plain = strcspn(line, special);
		bench_text_add_bytes(out, line, plain);
		line += plain;
		if (!*line)
			return;
		bench_text_add(out, "%s", entities[strchr(special, *line++) - special]);
	}
}

void html_add(struct bench_text *out, const char *text)
{
	BENCH_SCOPED_TEXT line = {0};
	bench_text_add_line(&line, text ? text : "");
	add_escaped(out, line.data);
}

void html_format(struct bench_text *out, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	bench_text_add_by(out, html_add, format, arguments);
	va_end(arguments);
}

/* A name, or several; what is long is broken behind its parts. */
static void add_name(struct bench_text *out, const char *text)
{
	BENCH_SCOPED_ARENA arena = {0};
	while (*text) {
		size_t part = strcspn(text, "/,") + 1;
		if (part > strlen(text))
			part = strlen(text);
		html_add(out, bench_arena_format(&arena, "%.*s", (int)part, text));
		text += part;
		bench_text_add(out, *text ? "<wbr>" : "");
	}
}

void html_begin(struct bench_text *out, const char *kind, const char *title, bool below)
{
	const char *up = below ? "../" : "";
	bench_text_add(out,
		       "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
		       "'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'\">\n"
		       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		       "<meta name=\"referrer\" content=\"no-referrer\">\n");
	html_format(
		out,
		"<title>%s</title>\n<link rel=\"stylesheet\" href=\"%sassets/report.css\">\n"
		"<script src=\"%sassets/report.js\"></script>\n</head>\n"
		"<body data-page=\"%s\">\n<header>\n<nav aria-label=\"report\">"
		"<a href=\"%sindex.html\">Overview</a> <a href=\"%sindex.html#suites\">Suites</a> "
		"<a href=\"%sruns.html\">Runs</a> <a href=\"%sdevices.html\">Devices</a></nav>\n"
		"<input type=\"search\" id=\"filter\" placeholder=\"filter (/)\" aria-label=\"show rows with "
		"all of these words\">\n<button id=\"theme\" type=\"button\">light or dark</button>\n"
		"</header>\n<main>\n<h1>",
		title, up, up, kind, up, up, up, up);
	add_name(out, title);
	bench_text_add(out, "</h1>\n");
}

void html_end(const struct bench_html_site *site, struct bench_text *out)
{
	bench_text_add(out,
		       "</main>\n<footer>Written by bench report at %s, from %zu run%s.</footer>\n</body>\n"
		       "</html>\n",
		       html_when(site->scratch, site->data->now), site->data->run_count,
		       site->data->run_count == 1 ? "" : "s");
}

void html_link(struct bench_text *out, bool below, const char *page, const char *text)
{
	if (page)
		bench_text_add(out, "<a href=\"%s%s\">", below ? "../" : "", page);
	add_name(out, text);
	if (page)
		bench_text_add(out, "</a>");
}

void html_link_cell(struct bench_text *out, bool below, const char *page, const char *text)
{
	bench_text_add(out, "<td>");
	html_link(out, below, page, text);
	bench_text_add(out, "</td>");
}

void html_key_cell(struct bench_text *out, bool below, const struct html_series *series, const char *key)
{
	html_link_cell(out, below, series ? series->page : NULL, key);
}

void html_run_cell(const struct bench_html_site *site, struct bench_text *out, bool below, const char *id)
{
	html_link_cell(out, below, html_run_page(site->scratch, html_find_run(site, id)), id);
}

void html_run_link(const struct bench_html_site *site, struct bench_text *out, bool below, const char *id)
{
	html_link(out, below, html_run_page(site->scratch, html_find_run(site, id)), id);
}

void html_list_begin(struct bench_text *out, const char *caption, const char *const *titles, size_t count)
{
	html_format(out, "<div class=\"scroll\"><table class=\"list\">\n<caption>%s</caption>\n<thead><tr>",
		    caption);
	for (size_t i = 0; i < count; i++) {
		bool number = *titles[i] == '#';
		bench_text_add(out, "<th scope=\"col\" data-sort=\"%s\">%s</th>", number ? "number" : "text",
			       titles[i] + number);
	}
	bench_text_add(out, "</tr></thead>\n<tbody>\n");
}

void html_list_end(struct bench_text *out)
{
	bench_text_add(out, "</tbody></table></div>\n");
}

void html_row(struct bench_text *out, enum bench_standing standing)
{
	const char *kind = bench_compare_standing_name(standing);
	bench_text_add(out, "<tr class=\"row%s%s\">", *kind ? " " : "", kind);
}

void html_row_end(struct bench_text *out)
{
	bench_text_add(out, "</tr>\n");
}

void html_cell(struct bench_text *out, const char *text)
{
	/* What is long needs width, so that its row is not high. */
	html_format(out, text && strlen(text) > 80 ? "<td class=\"text\">%s</td>" : "<td>%s</td>", text);
}

void html_names(struct bench_text *out, const char *element, const char *text)
{
	bench_text_add(out, "<%s>", element);
	add_name(out, text);
	bench_text_add(out, "</%s>", element);
}

void html_number_and(struct bench_text *out, double number, const char *text, const char *more)
{
	size_t between = more ? strspn(more, ", ") : 0;
	bench_text_add(out, "<td data-value=\"%.10g\">", number);
	html_add(out, text);
	if (more && *more) {
		/* Where it stands below, what separates the two is left out. */
		bench_text_add(out, "<i>%.*s</i>", (int)between, more);
		html_format(out, "<small>%s</small>", more + between);
	}
	bench_text_add(out, "</td>");
}

void html_number(struct bench_text *out, double number, const char *text)
{
	if (isfinite(number))
		html_number_and(out, number, text, NULL);
	else
		bench_text_add(out, "<td></td>");
}

void html_quantity(struct bench_text *out, double value, const char *unit)
{
	char text[96];
	bench_text_quantity(text, sizeof(text), value, unit);
	html_number(out, value, text);
}

void html_ratio(struct bench_text *out, double ratio, double lo, double hi, double level)
{
	html_kept(out, ratio, isfinite(ratio) ? lo : NAN, hi, level, NULL);
}

void html_kept(struct bench_text *out, double ratio, double lo, double hi, double level, const char *unit)
{
	BENCH_SCOPED_ARENA arena = {0};
	const char *change = bench_render_words_kept(&arena, ratio, lo, hi, unit);
	const char *measured = bench_render_words_measured(&arena, ratio, lo, hi, level, unit);
	double number = isfinite(ratio) ? ratio - 1 : 0.5 * (lo + hi);
	size_t length = strlen(change);
	if (isfinite(number) && strncmp(measured, change, length) == 0)
		html_number_and(out, number, change, measured + length);
	else
		html_number(out, number, measured);
}

void html_count(struct bench_text *out, size_t count)
{
	bench_text_add(out, "<td data-value=\"%zu\">%zu</td>", count, count);
}

char *html_when(struct bench_arena *arena, int64_t seconds)
{
	char minute[40];
	if (seconds == 0)
		return bench_arena_string(arena, "");
	bench_clock_minute(seconds, minute, sizeof(minute));
	return bench_arena_string(arena, minute);
}

void html_time(struct bench_text *out, int64_t seconds)
{
	BENCH_SCOPED_ARENA arena = {0};
	html_number_and(out, (double)seconds, html_when(&arena, seconds), NULL);
}

void html_spread(struct bench_text *out, const struct bench_point *point)
{
	BENCH_SCOPED_ARENA arena = {0};
	/* That of one value has no confidence; how many there are is not kept. */
	const struct bench_summary summary = {.median = point->median,
					      .ci_lo = point->ci_lo,
					      .ci_hi = point->ci_hi,
					      .ci_level = point->ci_level,
					      .count = point->ci_level == 0 ? 1 : 2};
	html_number(out, bench_render_words_half(&summary), bench_render_words_spread(&arena, &summary));
}

void html_code(struct bench_text *out, const char *text)
{
	html_format(out, "<td><code>%s</code></td>", text);
}

void html_commit(struct bench_text *out, const char *commit)
{
	BENCH_SCOPED_ARENA arena = {0};
	html_code(out, bench_arena_format(&arena, "%.12s", commit));
}

void html_verdict(struct bench_text *out, enum bench_standing standing)
{
	const char *kind = bench_compare_standing_name(standing);
	bench_text_add(out, *kind ? "<td><span class=\"verdict\">%s</span></td>" : "<td></td>", kind);
}

void html_fact(struct bench_text *out, const char *term, const char *text)
{
	if (text && *text)
		html_format(out, "<dt>%s</dt><dd>%s</dd>\n", term, text);
}

void html_command(struct bench_text *out, const char *command)
{
	html_format(out, "<pre class=\"command\"><code>%s</code></pre>\n", command);
}

char *html_alarm(struct bench_arena *arena, const struct bench_alarm *alarm, const char *key)
{
	const struct bench_alarm_metric *largest = bench_record_alarm_largest(alarm),
					*metric = bench_record_alarm_metric(alarm, key);
	char *text =
		bench_arena_format(arena, "%lld: %s, %s", (long long)alarm->id,
				   bench_render_words_measured(arena, largest->ratio, largest->lo,
							       largest->hi, largest->ci_level, largest->unit),
				   bench_record_alarm_state_name(metric->state));
	if (metric == largest)
		return text;
	return bench_arena_format(arena, "%s, this metric %s", text,
				  bench_render_words_measured(arena, metric->ratio, metric->lo, metric->hi,
							      metric->ci_level, metric->unit));
}
