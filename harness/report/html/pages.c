/* SPDX-License-Identifier: MIT */
#include "report/html/pages.h"

/* A page: what makes it, and of what. */
struct html_page {
	const char *name;
	void (*render)(const struct bench_html_site *site, const void *subject, struct bench_text *out);
	const void *subject;
};

static void add_page(struct bench_html_site *site, const char *name,
		     void (*render)(const struct bench_html_site *, const void *, struct bench_text *),
		     const void *subject)
{
	BENCH_PUSH(&site->arena, site->pages, site->page_count) = (struct html_page){name, render, subject};
}

static void list_pages(struct bench_html_site *site)
{
	struct bench_arena *arena = &site->arena;
	add_page(site, "index.html", html_overview, NULL);
	add_page(site, "runs.html", html_runs, NULL);
	add_page(site, "devices.html", html_devices, NULL);
	for (size_t i = 0; i < site->suite_count; i++)
		add_page(site, html_suite_page(arena, site->suites[i]), html_suite, site->suites[i]);
	for (size_t i = 0; i < site->series_count; i++)
		/* One page a key, with all its hosts. */
		if (site->series[i].page &&
		    html_find_series(site, site->series[i].key, NULL) == &site->series[i])
			add_page(site, site->series[i].page, html_metric, &site->series[i]);
	for (size_t i = 0; i < site->data->run_count; i++)
		if (site->data->runs[i].head)
			add_page(site, html_run_page(arena, &site->data->runs[i]), html_run,
				 &site->data->runs[i]);
	for (size_t i = 0; i < site->comparison_count; i++)
		add_page(site, site->comparisons[i].page, html_comparison, &site->comparisons[i]);
	for (size_t i = 0; i < site->device_count; i++)
		add_page(site, site->devices[i].page, html_device, &site->devices[i]);
}

struct bench_html_site *bench_html_site_new(const struct bench_html_data *data)
{
	struct bench_html_site *site = html_arrange(data);
	list_pages(site);
	return site;
}

void bench_html_site_free(struct bench_html_site *site)
{
	if (!site)
		return;
	struct bench_arena arena = site->arena;
	bench_arena_free(&arena);
}

size_t bench_html_page_count(const struct bench_html_site *site)
{
	return site->page_count;
}

const char *bench_html_page(const struct bench_html_site *site, size_t index, struct bench_text *out)
{
	const struct html_page *page = &site->pages[index];
	page->render(site, page->subject, out);
	bench_arena_free(site->scratch);
	return page->name;
}
