/* SPDX-License-Identifier: MIT */
/* comparisons/RUN.BASELINE.html: the verdicts of a run against a baseline. */
#include <math.h>
#include <string.h>

#include "report/html/lists.h"
#include "report/html/page.h"
#include "report/html/pages.h"
#include "report/render/words.h"

/* The value in the run, and that of the baseline. A baseline of several runs has no value but what the ratio
 * says of it. */
static void add_values(const struct html_comparison *comparison, const struct html_series *series,
		       const struct bench_verdict_row *row, struct bench_text *out)
{
	const struct bench_kept_comparison *kept = comparison->kept;
	double was = NAN, now = NAN;
	for (size_t i = 0; series && i < series->count; i++) {
		if (strcmp(series->points[i].run, kept->run) == 0)
			now = series->points[i].median;
		if (strcmp(series->points[i].run, kept->baseline) == 0)
			was = series->points[i].median;
	}
	html_quantity(out, isfinite(was) ? was : now / row->ratio, series ? series->unit : "");
	html_quantity(out, now, series ? series->unit : "");
}

static void add_row(const struct bench_html_site *site, const struct html_comparison *comparison,
		    const struct bench_verdict_row *row, bool owned, struct bench_text *out)
{
	enum bench_standing standing = bench_compare_standing_of(row->verdict);
	const struct html_series *series =
		html_find_series(site, row->key, comparison->run ? comparison->run->row->fingerprint : NULL);
	const char *unit = !bench_store_verdict_is_difference(row) ? NULL : series ? series->unit : "";
	bool told = !*row->reason && isfinite(row->mde) && standing <= BENCH_STANDS_UNCLEAR;
	html_row(out, standing);
	html_verdict(out, standing);
	html_key_cell(out, true, series, row->key);
	add_values(comparison, series, row, out);
	html_kept(out, row->ratio, row->lo, row->hi, row->ci_level, unit);
	/* What is missing or broken has no change to need. */
	html_number(out, standing < BENCH_STANDS_MISSING ? row->threshold : NAN,
		    bench_render_words_amount(site->scratch, row->threshold, unit));
	html_cell(out, told ? bench_arena_format(site->scratch, "a change of %s would have been seen",
						 bench_render_words_amount(site->scratch, row->mde, unit))
			    : row->reason);
	if (owned)
		html_cell(out, row->owner);
	html_row_end(out);
}

/* The worst first; an old comparison lists only what changed. */
static void add_rows(const struct bench_html_site *site, const struct html_comparison *comparison,
		     const size_t counts[BENCH_STANDINGS], struct bench_text *out)
{
	static const char *const titles[] = {"verdict", "metric",  "#was", "#now",
					     "#change", "#needed", "why",  "owner"};
	const int least = comparison->newest ? BENCH_STANDS_SAME : BENCH_STANDS_NEW;
	bool owned = false;
	for (size_t i = 0; i < comparison->kept->count; i++)
		owned |= *comparison->kept->rows[i].owner != 0;
	html_list_begin(out,
			"most urgent first; below a change: its interval, after its confidence; needed: the "
			"smallest change that counts",
			titles, owned ? 8 : 7);
	for (int s = BENCH_STANDS_BROKEN; s >= least; s--)
		for (size_t i = 0; counts[s] > 0 && i < comparison->kept->count; i++)
			if ((int)bench_compare_standing_of(comparison->kept->rows[i].verdict) == s)
				add_row(site, comparison, &comparison->kept->rows[i], owned, out);
	html_list_end(out);
	if (!comparison->newest && counts[BENCH_STANDS_UNCLEAR] + counts[BENCH_STANDS_SAME] > 0)
		bench_text_add(out, "<p>Not listed: %zu unclear, %zu the same.</p>\n",
			       counts[BENCH_STANDS_UNCLEAR], counts[BENCH_STANDS_SAME]);
}

void html_comparison(const struct bench_html_site *site, const void *subject, struct bench_text *out)
{
	const struct html_comparison *comparison = subject;
	size_t counts[BENCH_STANDINGS] = {0};
	for (size_t i = 0; i < comparison->kept->count; i++)
		counts[bench_compare_standing_of(comparison->kept->rows[i].verdict)]++;
	html_begin(out, "comparison",
		   bench_arena_format(site->scratch, "Run %s against %s", comparison->kept->run,
				      comparison->kept->baseline),
		   true);
	bench_text_add(out, "<p>Run ");
	html_run_link(site, out, true, comparison->kept->run);
	bench_text_add(out, "</p>\n");
	html_tiles(out, counts);
	add_rows(site, comparison, counts, out);
	html_end(site, out);
}
