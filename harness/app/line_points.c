/* SPDX-License-Identifier: MIT */
/* The points of a history that are on a line, in its order. */
#include <stdlib.h>
#include <string.h>

#include "app/line.h"
#include "core/text.h"

/* The points of one metric on one host. */
struct host_points {
	const char *fingerprint, *branch; /* branch: of the newest */
	bool on_line;                     /* some are */
};

static struct host_points *find_host(struct host_points *hosts, size_t *count, const char *fingerprint)
{
	size_t at = 0;
	while (at < *count && strcmp(hosts[at].fingerprint, fingerprint) != 0)
		at++;
	if (at == *count)
		hosts[(*count)++] = (struct host_points){.fingerprint = fingerprint, .branch = ""};
	return &hosts[at];
}

/* What is used for one metric after the other: room for all points. */
struct sorting {
	const struct bench_app_line *line;
	struct bench_point *points;
	struct host_points *hosts;
	struct bench_app_line_item *items;
	struct bench_point *sorted;
	const char **left_out, **guessed; /* runs */
	struct bench_app_line_tally tally;
};

/* Of the points [from, to) of one metric, those that count, to the front, from `kept` on. */
static size_t sort_metric(struct sorting *in, size_t from, size_t to, size_t kept)
{
	size_t hosts = 0, items = 0;
	for (size_t i = from; i < to; i++) {
		const struct bench_point *point = &in->points[i];
		struct host_points *host = find_host(in->hosts, &hosts, point->fingerprint);
		host->branch = point->branch;
		host->on_line = host->on_line || bench_app_line_has(in->line, point->commit, point->branch);
	}
	for (size_t i = from; i < to; i++) {
		const struct bench_point *point = &in->points[i];
		const struct host_points *host = find_host(in->hosts, &hosts, point->fingerprint);
		struct bench_app_line_tally one = {0};
		if (host->on_line || in->line->asked
			    ? bench_app_line_takes(in->line, point->commit, point->branch, &one)
			    : strcmp(point->branch, host->branch) == 0)
			in->items[items++] =
				(struct bench_app_line_item){point->commit, point->branch, i, 0, 0};
		else
			in->left_out[in->tally.left_out++] = point->run;
		if (one.guessed)
			in->guessed[in->tally.guessed++] = point->run;
	}
	bench_app_line_arrange(in->line, in->items, items);
	for (size_t i = 0; i < items; i++)
		in->sorted[i] = in->points[in->items[i].index];
	if (items > 0)
		memcpy(in->points + kept, in->sorted, items * sizeof(*in->points));
	return kept + items;
}

static size_t count_different(const char **texts, size_t count)
{
	size_t different = 0;
	if (count > 1)
		qsort(texts, count, sizeof(*texts), bench_text_order);
	for (size_t i = 0; i < count; i++)
		different += i == 0 || strcmp(texts[i - 1], texts[i]) != 0;
	return different;
}

size_t bench_app_line_points(const struct bench_app_line *line, struct bench_point *points, size_t count,
			     struct bench_app_line_tally *tally)
{
	BENCH_SCOPED_ARENA arena = {0};
	size_t kept = 0;
	*tally = (struct bench_app_line_tally){0};
	if (!line || line->all || count == 0)
		return count;
	struct sorting in = {.line = line,
			     .points = points,
			     .hosts = bench_arena_alloc(&arena, count, sizeof(*in.hosts)),
			     .items = bench_arena_alloc(&arena, count, sizeof(*in.items)),
			     .sorted = bench_arena_alloc(&arena, count, sizeof(*in.sorted)),
			     .left_out = bench_arena_alloc(&arena, count, sizeof(*in.left_out)),
			     .guessed = bench_arena_alloc(&arena, count, sizeof(*in.guessed))};
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && strcmp(points[to].key, points[from].key) == 0; to++)
			;
		kept = sort_metric(&in, from, to, kept);
	}
	*tally = (struct bench_app_line_tally){count_different(in.left_out, in.tally.left_out),
					       count_different(in.guessed, in.tally.guessed)};
	return kept;
}
