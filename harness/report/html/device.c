/* SPDX-License-Identifier: MIT */
/* devices.html and devices/NAME.html: the devices, and what each can do. */
#include <math.h>

#include "report/html/chart.h"
#include "report/html/page.h"
#include "report/html/pages.h"
#include "report/render/words.h"

void html_devices(const struct bench_html_site *site, const void *none, struct bench_text *out)
{
	static const char *const titles[] = {"device", "name", "driver", "host", "#runs"};
	(void)none;
	html_begin(out, "device", "Devices", false);
	html_list_begin(out, "the devices of all runs", titles, 5);
	for (size_t i = 0; i < site->device_count; i++) {
		const struct html_device *device = &site->devices[i];
		html_row(out, BENCH_STANDS_UNJUDGED);
		html_link_cell(out, false, device->page,
			       bench_arena_format(site->scratch, "%s:%s", device->record->backend,
						  device->record->info.slug));
		html_cell(out, device->record->info.name);
		html_cell(out, device->record->info.driver);
		html_cell(out, device->host);
		html_count(out, device->runs);
		html_row_end(out);
	}
	html_list_end(out);
	html_end(site, out);
}

enum { MOST_CASES = 500 };

/* Was the traffic of any of them measured? */
static bool has_traffic(const struct bench_html_site *site, const struct html_device *device)
{
	for (size_t i = 0; i < site->series_count; i++)
		if (site->series[i].page && html_is_under_roof(device, &site->series[i].now) &&
		    bench_record_traffic(site->series[i].now.result) > 0)
			return true;
	return false;
}

/* "1.02", "3.1, far above"; "" where it was not measured. */
static void add_traffic(const struct bench_result *result, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	const double times = bench_record_traffic(result);
	const char *note = bench_record_note(result, "traffic");
	html_number(out, times > 0 ? times : NAN,
		    times > 0 ? bench_arena_format(&arena, "%.3g%s", times, *note ? ", far above" : "") : "");
}

/* The cases of the newest runs below the roof, and the share of it that they reach. */
static void add_cases(const struct bench_html_site *site, const struct html_device *device,
		      struct bench_text *out)
{
	static const char *const titles[] = {"case", "#rate", "#FLOP/B", "#peak share",
					     "#bytes moved over model"};
	size_t count = 0;
	const bool traffic = has_traffic(site, device);
	html_list_begin(out, "cases of the newest runs", titles, traffic ? 5 : 4);
	for (size_t i = 0; i < site->series_count && count < MOST_CASES; i++) {
		const struct html_series *series = &site->series[i];
		if (!series->page || !html_is_under_roof(device, &series->now))
			continue;
		const struct bench_result *result = series->now.result;
		const struct bench_metric *share = bench_record_metric(result, "peak_share");
		html_row(out, BENCH_STANDS_UNJUDGED);
		html_link_cell(out, true, series->page, result->key);
		html_quantity(out, bench_record_metric(result, "flop_rate")->summary.median, "FLOP/s");
		double intensity = result->work.flops / result->work.bytes;
		html_number(out, intensity, bench_arena_format(site->scratch, "%.3g", intensity));
		html_number(out, share ? share->summary.median : NAN,
			    share ? bench_render_words_percent(site->scratch, share->summary.median) : "");
		if (traffic)
			add_traffic(result, out);
		html_row_end(out);
		count++;
	}
	html_list_end(out);
}

static void add_ceiling(const char *term, double value, const char *unit, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	if (value > 0)
		html_fact(out, term, bench_render_words_quantity(&arena, value, unit));
}

void html_device(const struct bench_html_site *site, const void *subject, struct bench_text *out)
{
	const struct html_device *device = subject;
	const struct bench_device_info *info = &device->record->info;
	const struct bench_ceilings *ceilings = &device->record->ceilings;
	html_begin(out, "device",
		   bench_arena_format(site->scratch, "%s:%s", device->record->backend, info->slug), true);
	bench_text_add(out, "<dl class=\"facts\">\n");
	html_fact(out, "name", info->name);
	html_fact(out, "platform", info->platform);
	html_fact(out, "driver", info->driver);
	html_fact(out, "host", device->host);
	add_ceiling("memory", (double)info->memory_bytes, "B", out);
	if (info->compute_units > 0)
		html_fact(out, "compute units", bench_arena_format(site->scratch, "%u", info->compute_units));
	html_fact(out, "note", info->note);
	for (size_t i = 0; i < BENCH_CEILING_TYPES; i++)
		add_ceiling(bench_arena_format(site->scratch, "ceiling, %s", bench_record_ceiling_types[i]),
			    ceilings->flop_rate[i], "FLOP/s", out);
	add_ceiling("ceiling, memory", ceilings->bandwidth, "B/s", out);
	bench_text_add(out, "<dt>newest run</dt><dd>");
	html_run_link(site, out, true, device->run->id);
	bench_text_add(out, "</dd>\n</dl>\n");
	if (html_roofline(site, device, 0, out) > 0)
		add_cases(site, device, out);
	else
		bench_text_add(
			out,
			"<p>No case of the newest runs counts both FLOPs and bytes on this device.</p>\n");
	html_end(site, out);
}
