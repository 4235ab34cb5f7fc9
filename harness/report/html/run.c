/* SPDX-License-Identifier: MIT */
/* runs.html and runs/ID.html: all runs, and one. */
#include <math.h>
#include <string.h>

#include "report/html/lists.h"
#include "report/html/page.h"
#include "report/html/pages.h"
#include "report/render/words.h"

static void add_attributes(const char *title, const struct bench_attribute *pairs, size_t count,
			   struct bench_text *out)
{
	if (count == 0)
		return;
	bench_text_add(out, "<details><summary>%s</summary><dl class=\"facts\">\n", title);
	for (size_t i = 0; i < count; i++)
		html_fact(out, pairs[i].name, pairs[i].value);
	bench_text_add(out, "</dl></details>\n");
}

static void add_head(const struct bench_html_run *run, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	const struct bench_run *head = run->head;
	const struct bench_run_row *row = run->row;
	bench_text_add(out, "<dl class=\"facts\">\n");
	html_fact(out, "started", html_when(&arena, row->started));
	html_fact(out, "took",
		  row->finished ? bench_render_words_quantity(
					  &arena, (double)row->finished - (double)row->started, "s")
				: "it was cut short");
	html_fact(out, "interrupted", row->interrupted ? "yes" : "");
	html_fact(out, "aside", row->aside);
	html_fact(out, "host", html_host(row, row->fingerprint));
	html_fact(out, "commit", bench_render_words_commit(&arena, &head->git));
	bench_text_add(out, "<dt>suites</dt>");
	html_names(out, "dd", row->suites);
	html_fact(out, "preset", row->shown_preset);
	html_fact(
		out, "results",
		bench_arena_format(&arena, "%u, %u of them failed or incorrect", row->results, row->not_ok));
	html_fact(out, "changed since the run before", run->facts);
	for (size_t i = 0; i < head->device_count; i++)
		html_fact(out, "device",
			  bench_arena_format(&arena, "%s:%s, %s, driver %s", head->devices[i].backend,
					     head->devices[i].info.slug, head->devices[i].info.name,
					     head->devices[i].info.driver));
	bench_text_add(out, "</dl>\n");
	html_command(out, head->command);
	add_attributes("Labels", head->labels, head->label_count, out);
	add_attributes("Host and build", head->host, head->host_count, out);
}

static void add_comparisons(const struct bench_html_site *site, const struct bench_html_run *run,
			    struct bench_text *out)
{
	for (size_t i = 0; i < site->comparison_count; i++) {
		const struct html_comparison *comparison = &site->comparisons[i];
		if (comparison->run != run)
			continue;
		bench_text_add(out, "<p>Compared with ");
		html_link(out, true, comparison->page, comparison->kept->baseline);
		bench_text_add(out, ".</p>\n");
	}
}

static void add_moves(const struct bench_html_site *site, const struct bench_html_run *run,
		      struct bench_text *out)
{
	static const char *const titles[] = {"direction", "metric", "#change", "#before", "#after"};
	for (size_t g = 0; g < site->moved_count; g++) {
		const struct html_moved *moved = &site->moved[g];
		if (strcmp(moved->changes[0]->first_run, run->row->id) != 0)
			continue;
		bench_text_add(out, "<h2>Levels that began with this run</h2>\n");
		html_moves(site, out, true, "in all", moved, 1);
		html_list_begin(out, "each metric, the largest shift first", titles, 5);
		for (size_t i = 0; i < moved->count; i++) {
			const struct bench_change *change = moved->changes[i];
			const struct html_series *series =
				html_find_series(site, change->key, change->fingerprint);
			html_row(out, html_change_standing(change));
			html_verdict(out, html_change_standing(change));
			html_key_cell(out, true, series, change->key);
			html_ratio(out, change->ratio.estimate, change->ratio.lo, change->ratio.hi,
				   change->ratio.level);
			html_quantity(out, change->before, change->unit);
			html_quantity(out, change->after, change->unit);
			html_row_end(out);
		}
		html_list_end(out);
	}
}

/* Cases that are not ok, with their reasons; only of runs that were loaded whole. */
static void add_failed(const struct bench_html_site *site, const struct bench_html_run *run,
		       struct bench_text *out)
{
	static const char *const titles[] = {"case", "status", "reason"};
	for (size_t i = 0; i < site->data->whole_count; i++) {
		const struct bench_run *whole = site->data->whole[i];
		bool begun = false;
		for (size_t r = 0; strcmp(whole->id, run->row->id) == 0 && r < whole->result_count; r++) {
			const struct bench_result *result = &whole->results[r];
			if (result->status == BENCH_STATUS_OK)
				continue;
			if (!begun) {
				bench_text_add(out, "<h2>Failed or not measured</h2>\n");
				html_list_begin(out, "each case, with the reason", titles, 3);
			}
			begun = true;
			html_row(out, result->status >= BENCH_STATUS_FAILED ? BENCH_STANDS_BROKEN
									    : BENCH_STANDS_UNJUDGED);
			html_link_cell(out, true, NULL, result->key);
			html_cell(out, bench_record_status_name(result->status));
			html_cell(out, bench_render_words_reason(result));
			html_row_end(out);
		}
		if (begun)
			html_list_end(out);
	}
}

static void add_results(const struct bench_html_site *site, const struct bench_html_run *run,
			struct bench_text *out)
{
	static const char *const titles[] = {"verdict", "metric", "#median", "#+/-", "#since the run before"};
	bench_text_add(out, "<h2>Results</h2>\n");
	html_list_begin(out,
			"metrics that are judged; +/-: the larger half of the interval of the median, of "
			"95% confidence unless it says otherwise",
			titles, 5);
	for (size_t i = 0; i < site->series_count; i++) {
		const struct html_series *series = &site->series[i];
		size_t at =
			series->page ? html_place_of(series, run->row->started, run->row->id) : series->count;
		if (at == series->count)
			continue;
		const struct bench_point *point = &series->points[at];
		html_row(out, series->verdicts[at]);
		html_verdict(out, series->verdicts[at]);
		html_link_cell(out, true, series->page, series->key);
		html_quantity(out, point->median, series->unit);
		html_spread(out, point);
		html_ratio(out, at > 0 ? point->median / series->points[at - 1].median : NAN, NAN, NAN, NAN);
		html_row_end(out);
	}
	html_list_end(out);
}

void html_run(const struct bench_html_site *site, const void *subject, struct bench_text *out)
{
	const struct bench_html_run *run = subject;
	html_begin(out, "run", bench_arena_format(site->scratch, "Run %s", run->row->id), true);
	add_head(run, out);
	add_comparisons(site, run, out);
	add_moves(site, run, out);
	add_failed(site, run, out);
	add_results(site, run, out);
	html_end(site, out);
}

void html_runs(const struct bench_html_site *site, const void *none, struct bench_text *out)
{
	(void)none;
	html_begin(out, "run", "Runs", false);
	html_run_list(site, out, "all runs, newest first", site->data->run_count);
	html_end(site, out);
}
