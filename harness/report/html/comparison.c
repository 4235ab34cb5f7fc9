/* comparisons/RUN.BASELINE.html: what a run came to against a baseline. */
#include <math.h>
#include <string.h>

#include "report/html/page.h"
#include "report/render/words.h"

static int kind_of(const struct bench_verdict_row *row)
{
	int kind = 0;
	while (kind < BENCH_VERDICT_KINDS &&
	       strcmp(bench_compare_verdict_name((enum bench_verdict_kind)kind), row->verdict) != 0)
		kind++;
	return kind;
}

static void add_row(const struct bench_html_site *site, const struct html_comparison *comparison,
		    const struct bench_verdict_row *row, bool owned, struct bench_text *out)
{
	struct bench_arena arena = {0};
	int kind = kind_of(row);
	const char *name =
		kind < BENCH_VERDICT_KINDS ? bench_compare_verdict_name((enum bench_verdict_kind)kind) : "";
	const struct html_series *series =
		html_find_series(site, row->key, comparison->run ? comparison->run->row->fingerprint : NULL);
	const char *unit = !bench_store_verdict_is_difference(row) ? NULL : series ? series->unit : "";
	html_row(out, name);
	html_verdict(out, name);
	bench_text_add(out, "<td>");
	html_link(out, true, series ? series->page : NULL, row->key);
	bench_text_add(out, "</td>");
	html_kept(out, row->ratio, row->lo, row->hi, row->ci_level, unit);
	html_number(out, row->p_adjusted, bench_render_words_p(&arena, row->p_adjusted));
	html_number(out, isfinite(row->mde) ? row->mde : NAN,
		    bench_render_words_amount(&arena, row->mde, unit));
	html_number(out, isfinite(row->threshold) ? row->threshold : NAN,
		    bench_render_words_amount(&arena, row->threshold, unit));
	html_cell(out, row->reason);
	if (owned)
		html_cell(out, row->owner);
	html_row_end(out);
	bench_arena_free(&arena);
}

/* What changed comes first; of an old comparison the rest is summed up. */
static void add_rows(const struct bench_html_site *site, const struct html_comparison *comparison,
		     const size_t counts[HTML_KINDS], struct bench_text *out)
{
	static const char *const titles[] = {"verdict",          "metric",     "#change", "#p",
					     "#would have seen", "#threshold", "why",     "owner"};
	static const enum bench_verdict_kind order[] = {BENCH_BROKEN,    BENCH_MISSING, BENCH_SLOWER,
							BENCH_SUSPECTED, BENCH_FASTER,  BENCH_NEW,
							BENCH_UNCLEAR,   BENCH_SAME};
	size_t shown = comparison->newest ? 8 : 6;
	bool owned = false;
	for (size_t i = 0; i < comparison->kept->count; i++)
		owned |= *comparison->kept->rows[i].owner != 0;
	html_list_begin(out,
			"change: of the value, with the interval that the verdict rests on, of 95% "
			"confidence unless it says otherwise",
			titles, owned ? 8 : 7);
	for (size_t k = 0; k < shown; k++)
		for (size_t i = 0; counts[order[k]] > 0 && i < comparison->kept->count; i++)
			if (kind_of(&comparison->kept->rows[i]) == (int)order[k])
				add_row(site, comparison, &comparison->kept->rows[i], owned, out);
	html_list_end(out);
	if (!comparison->newest && counts[BENCH_UNCLEAR] + counts[BENCH_SAME] > 0)
		bench_text_add(out, "<p>Not listed: %zu unclear, %zu the same.</p>\n", counts[BENCH_UNCLEAR],
			       counts[BENCH_SAME]);
}

void html_comparison(const struct bench_html_site *site, const void *subject, struct bench_text *out)
{
	const struct html_comparison *comparison = subject;
	struct bench_arena arena = {0};
	size_t counts[HTML_KINDS] = {0};
	for (size_t i = 0; i < comparison->kept->count; i++) {
		int kind = kind_of(&comparison->kept->rows[i]);
		if (kind < BENCH_VERDICT_KINDS)
			counts[kind]++;
	}
	html_begin(out, "comparison",
		   bench_arena_format(&arena, "Run %s against %s", comparison->kept->run,
				      comparison->kept->baseline),
		   true);
	bench_text_add(out, "<p>Of ");
	html_run_link(site, out, true, comparison->kept->run);
	bench_text_add(out, ".</p>\n");
	html_tiles(out, counts);
	add_rows(site, comparison, counts, out);
	html_end(site, out);
	bench_arena_free(&arena);
}
