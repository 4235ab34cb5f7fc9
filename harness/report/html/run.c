/* runs.html and runs/ID.html: all runs, and one. */
#include <math.h>
#include <string.h>

#include "report/html/page.h"
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
	struct bench_arena arena = {0};
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
	html_fact(out, "suites", row->suites);
	html_fact(out, "preset", row->preset);
	html_fact(
		out, "results",
		bench_arena_format(&arena, "%u, of them %u failed or incorrect", row->results, row->not_ok));
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
	bench_arena_free(&arena);
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
			html_row(out, html_change_kind(change));
			html_verdict(out, html_change_kind(change));
			bench_text_add(out, "<td>");
			html_link(out, true, series ? series->page : NULL, change->key);
			bench_text_add(out, "</td>");
			html_ratio(out, change->ratio.estimate, change->ratio.lo, change->ratio.hi,
				   change->ratio.level);
			html_quantity(out, change->before, change->unit);
			html_quantity(out, change->after, change->unit);
			html_row_end(out);
		}
		html_list_end(out);
	}
}

/* What is not ok, with its reason: of the runs that were loaded whole. */
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
			if (!begun)
				html_list_begin(out, "cases that are not ok", titles, 3);
			begun = true;
			html_row(out, result->status >= BENCH_STATUS_FAILED ? "broken" : "");
			html_cell(out, result->key);
			html_cell(out, bench_record_status_name(result->status));
			html_cell(out, bench_render_words_reason(result));
			html_row_end(out);
		}
		if (begun)
			html_list_end(out);
	}
}

/* The place of the run among the points of a series; count: it is not there. */
static size_t place_of(const struct html_series *series, const struct bench_html_run *run)
{
	size_t low = 0, high = series->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (series->points[middle].started < run->row->started)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < series->count && series->points[low].started == run->row->started; low++)
		if (strcmp(series->points[low].run, run->row->id) == 0)
			return low;
	return series->count;
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
		size_t at = series->page ? place_of(series, run) : series->count;
		if (at == series->count)
			continue;
		const struct bench_point *point = &series->points[at];
		const char *kind = series->verdicts[at]
					   ? bench_compare_verdict_name(
						     (enum bench_verdict_kind)(series->verdicts[at] - 1))
					   : "";
		html_row(out, kind);
		html_verdict(out, kind);
		bench_text_add(out, "<td>");
		html_link(out, true, series->page, series->key);
		bench_text_add(out, "</td>");
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
	struct bench_arena arena = {0};
	html_begin(out, "run", bench_arena_format(&arena, "Run %s", run->row->id), true);
	add_head(run, out);
	add_comparisons(site, run, out);
	add_moves(site, run, out);
	add_failed(site, run, out);
	add_results(site, run, out);
	html_end(site, out);
	bench_arena_free(&arena);
}

static const char *state_of(const struct bench_run_row *row)
{
	return *row->aside ? "aside" : row->interrupted ? "interrupted" : !row->finished ? "cut short" : "";
}

void html_run_list(const struct bench_html_site *site, struct bench_text *out, const char *caption,
		   size_t count)
{
	static const char *const titles[] = {"run",    "#started", "commit",   "branch",  "suites",
					     "preset", "host",     "#results", "#failed", "note"};
	html_list_begin(out, caption, titles, 10);
	for (size_t i = 0; i < count; i++) {
		const struct bench_run_row *row = site->data->runs[i].row;
		html_row(out, row->not_ok > 0 ? "broken" : "");
		bench_text_add(out, "<td>");
		html_run_link(site, out, false, row->id);
		bench_text_add(out, "</td>");
		html_time(out, row->started);
		html_commit(out, row->commit);
		html_cell(out, row->branch);
		html_names(out, row->suites);
		html_cell(out, row->preset);
		html_cell(out, html_host(row, row->fingerprint));
		html_count(out, row->results);
		html_count(out, row->not_ok);
		html_cell(out, state_of(row));
		html_row_end(out);
	}
	html_list_end(out);
}

void html_runs(const struct bench_html_site *site, const void *none, struct bench_text *out)
{
	(void)none;
	html_begin(out, "run", "Runs", false);
	html_run_list(site, out, "all runs, newest first", site->data->run_count);
	html_end(site, out);
}
