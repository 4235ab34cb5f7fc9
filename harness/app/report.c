/* SPDX-License-Identifier: MIT */
#include "app/report.h"

#include <string.h>

#include "core/embedded.h"
#include "core/text.h"

static int write_assets(struct bench_app_report_folder *folder, struct bench_error *error)
{
	if (bench_app_report_write(folder, "assets/report.css", bench_html_css, strlen(bench_html_css),
				   error) != 0)
		return -1;
	return bench_app_report_write(folder, "assets/report.js", bench_html_js, strlen(bench_html_js),
				      error);
}

static int write_pages(const struct bench_html_site *site, struct bench_app_report_folder *folder,
		       struct bench_error *error)
{
	BENCH_SCOPED_TEXT page = {0};
	int status = 0;
	for (size_t i = 0; i < bench_html_page_count(site) && status == 0; i++) {
		page.length = 0; /* its memory serves all of them */
		const char *name = bench_html_page(site, i, &page);
		status = bench_app_report_write(folder, name, page.data, page.length, error);
	}
	return status;
}

int bench_app_report(const struct bench_app_report_request *request, struct bench_app_report *report,
		     struct bench_error *error)
{
	struct bench_app_report_data data = {0};
	struct bench_app_report_folder folder;
	struct bench_html_site *site = NULL;
	/* The folder is looked at first: reading takes a while. */
	if (bench_app_report_start(&folder, request->folder, error) != 0)
		return -1;
	int status = bench_app_report_read(request, &data, error);
	if (status == 0) {
		site = bench_html_site_new(&data.html);
		status = write_assets(&folder, error);
	}
	if (status == 0)
		status = write_pages(site, &folder, error);
	status = bench_app_report_end(&folder, status, error);
	*report = (struct bench_app_report){.pages = folder.files, .bytes = folder.bytes};
	bench_html_site_free(site);
	bench_app_report_free(&data);
	return status;
}
