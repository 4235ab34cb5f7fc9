#include "report/plot/lines.h"

#include <math.h>
#include <string.h>

#include "report/plot/gnuplot.h"
#include "report/render/words.h"

/* Pixels. The space below the axis is laid out here: gnuplot's own layout lets two-line ticks run into it. */
#define WIDTH      960
#define HEIGHT     480 /* without what is below the axis */
#define ROW        20  /* a line of the legend or of a tick's label */
#define AXIS_LABEL 54  /* the axis' name with the space around it */
#define LABEL_MAX  110 /* characters of a title or legend that fit across */
#define MARK_MAX   60  /* and of a mark's label */
#define MARK_ROWS  5

/*
 * Colours that the colour-blind can tell apart (Okabe & Ito, "Color Universal Design",
 * 2008), without the yellow that is lost on white. Lines beyond them are dashed, and every
 * line has its own point.
 */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
				     "#000000", "#56b4e9", "#e69f00"};
#define COLORS (sizeof(colors) / sizeof(colors[0]))
static const int shapes[BENCH_LINES_MAX] = {7, 5, 9, 13, 11, 15, 6, 4, 8, 12, 10, 14};

const char *bench_plot_color(size_t index)
{
	return colors[index % COLORS];
}

int bench_plot_shape(size_t index)
{
	return shapes[index % BENCH_LINES_MAX];
}

int bench_plot_add_line(struct bench_plot *plot, const char *key, const char *advice,
			struct bench_plot_line **line, struct bench_error *error)
{
	if (plot->line_count == BENCH_LINES_MAX)
		return bench_fail(error, BENCH_USAGE,
				  "more than %d lines cannot be told apart in one plot: %s", BENCH_LINES_MAX,
				  advice);
	*line = bench_arena_push(&plot->arena, &plot->lines, &plot->line_count, sizeof(**line));
	(*line)->key = bench_arena_string(&plot->arena, key);
	return 0;
}

void bench_plot_add_part(struct bench_plot *plot, struct bench_plot_line *line, const char *part,
			 size_t length)
{
	if (length == 0)
		return;
	char **slot = bench_arena_push(&plot->arena, &line->parts, &line->part_count, sizeof(*slot));
	*slot = bench_arena_format(&plot->arena, "%.*s", (int)length, part);
}

void bench_plot_add_point(struct bench_plot *plot, struct bench_plot_line *line, double x, double y,
			  double lo, double hi)
{
	if (!isfinite(x) || !isfinite(y))
		return;
	struct bench_plot_point *point =
		bench_arena_push(&plot->arena, &line->points, &line->point_count, sizeof(*point));
	bool whole = isfinite(lo) && isfinite(hi) && lo <= y && y <= hi;
	*point = (struct bench_plot_point){x, y, whole ? lo : y, whole ? hi : y};
}

static void find_extent(struct bench_plot *plot, double *least, double *smallest, double *largest)
{
	plot->x_min = *least = *smallest = INFINITY;
	plot->x_max = *largest = -INFINITY;
	for (size_t i = 0; i < plot->line_count; i++) {
		for (size_t p = 0; p < plot->lines[i].point_count; p++) {
			const struct bench_plot_point *point = &plot->lines[i].points[p];
			plot->x_min = fmin(plot->x_min, point->x);
			plot->x_max = fmax(plot->x_max, point->x);
			*least = fmin(*least, point->y);
			*smallest = fmin(*smallest, point->lo);
			*largest = fmax(*largest, point->hi);
		}
	}
}

void bench_plot_fit(struct bench_plot *plot, bool may_log_y, bool from_zero)
{
	double least, smallest, largest;
	find_extent(plot, &least, &smallest, &largest);
	plot->log_y = may_log_y && least > 0 && largest / least > 100;
	if (plot->log_y) {
		smallest = fmax(smallest, least / 10); /* an interval may reach down to 0 */
		plot->y_min = smallest / 1.5;
		plot->y_max = largest * 1.5;
		return;
	}
	/* A span of a tenth at least: noise of a thousandth must not fill the picture. */
	double middle = (smallest + largest) / 2, span = fmax(largest - smallest, 0.1 * fabs(middle));
	if (span == 0)
		span = 1;
	plot->y_min = from_zero && smallest >= 0 ? 0 : middle - 0.58 * span;
	plot->y_max = from_zero && smallest >= 0 ? 1.08 * largest : middle + 0.58 * span;
	if (plot->y_max <= plot->y_min)
		plot->y_max = plot->y_min + 1;
}

static bool has_part(const struct bench_plot_line *line, const char *part)
{
	for (size_t i = 0; i < line->part_count; i++) {
		if (strcmp(line->parts[i], part) == 0)
			return true;
	}
	return false;
}

static bool is_shared(const struct bench_plot *plot, const char *part)
{
	for (size_t i = 0; i < plot->line_count; i++) {
		if (!has_part(&plot->lines[i], part))
			return false;
	}
	return true;
}

/* Are both "name=value", of the same value? */
static bool same_value(const char *a, const char *b)
{
	const char *x = strchr(a, '='), *y = strchr(b, '=');
	return x && y && strcmp(x, y) == 0;
}

/* The parts of a line that all lines share, or those that they do not; "m=64", "n=64" as "m=n=64". */
static char *join_parts(struct bench_plot *plot, const struct bench_plot_line *line, bool shared)
{
	struct bench_text text = {0};
	const char *last = NULL;
	bench_text_add(&text, "%s", "");
	for (size_t i = 0; i < line->part_count; i++) {
		const char *part = line->parts[i];
		if (is_shared(plot, part) != shared)
			continue;
		if (last && same_value(last, part)) {
			text.length -= strlen(strchr(last, '='));
			bench_text_add(&text, "=%s", part);
		} else {
			bench_text_add(&text, "%s%s", last ? "  " : "", part);
		}
		last = part;
	}
	char *joined = bench_render_words_line(&plot->arena, text.data);
	bench_text_free(&text);
	return joined;
}

static void add_title(struct bench_plot *plot, struct bench_text *script)
{
	const char *shared = join_parts(plot, &plot->lines[0], true);
	bench_text_add(script, "set title ");
	bench_plot_gnuplot_add_string(
		script, bench_render_words_cut(&plot->arena,
					       bench_arena_format(&plot->arena, "%s%s%s", plot->title,
								  *shared ? ":  " : "", shared),
					       110));
	bench_text_add(script, "\n");
}

static void add_axes(const struct bench_plot *plot, struct bench_text *script)
{
	bench_text_add(script, "set border 3 lc rgb '#666666'\n"
			       "set grid ytics lt 1 dt solid lc rgb '#e0e0e0' lw 1\n"
			       "set xtics nomirror out\nset ytics nomirror out\n");
	bench_text_add(script, "set xlabel ");
	bench_plot_gnuplot_add_string(script, plot->x_label);
	bench_text_add(script, " offset 0,-%u", plot->tick_rows - 1);
	bench_text_add(script, "\nset ylabel ");
	bench_plot_gnuplot_add_string(script, plot->y_label);
	bench_text_add(script, "\nset xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", plot->x_min,
		       plot->x_max, plot->y_min, plot->y_max);
	if (plot->log_x)
		bench_text_add(script, "set logscale x 2\n");
	if (plot->log_y)
		bench_text_add(script, "set logscale y 10\n");
	bench_text_add(script, "set xtics (");
	for (size_t i = 0; i < plot->tick_count; i++)
		bench_text_add(script, "%s\"%s\" %.17g", i ? ", " : "", plot->ticks[i].label,
			       plot->ticks[i].x);
	bench_text_add(script, ")\n");
}

/* Marks have their labels above the lines, a row each, so that neither covers the other. */
static unsigned mark_rows(const struct bench_plot *plot)
{
	return plot->mark_count < MARK_ROWS ? (unsigned)plot->mark_count : MARK_ROWS;
}

static void make_room_for_marks(struct bench_plot *plot)
{
	double share = (double)(mark_rows(plot) * ROW) / HEIGHT;
	if (plot->log_y)
		plot->y_max *= pow(plot->y_max / plot->y_min, share);
	else
		plot->y_max += share * (plot->y_max - plot->y_min);
}

static void add_marks(struct bench_plot *plot, struct bench_text *script)
{
	double middle = plot->log_x ? sqrt(plot->x_min * plot->x_max) : (plot->x_min + plot->x_max) / 2;
	for (size_t i = 0; i < plot->mark_count; i++) {
		const struct bench_plot_mark *mark = &plot->marks[i];
		bool left = mark->x > middle; /* the side with more room */
		double height = 1 - ((double)(i % MARK_ROWS) + 0.5) * ROW / HEIGHT;
		bench_text_add(script,
			       "set arrow from first %.17g, graph 0 to first %.17g, graph %.4f nohead back "
			       "dt 2 lc rgb '#888888' lw 1.5\nset label ",
			       mark->x, mark->x, height);
		bench_plot_gnuplot_add_string(script,
					      bench_render_words_cut(&plot->arena, mark->label, MARK_MAX));
		bench_text_add(
			script,
			" at first %.17g, graph %.4f %s offset character %s,0 front tc rgb '#444444'\n",
			mark->x, height, left ? "right" : "left", left ? "-0.8" : "0.8");
	}
}

/* The legend stands under the plot, where it covers nothing, in as many columns as its labels allow. */
static unsigned legend_columns(size_t longest)
{
	return longest > 60 ? 1 : longest > 32 ? 2 : 3;
}

/* Each level from its first run to its last, joined with the one before it. */
static void add_levels(const struct bench_plot_line *line, size_t index, struct bench_text *script)
{
	if (line->level_count == 0)
		return;
	bench_text_add(script, "$levels%zu << END_OF_DATA\n", index);
	for (size_t l = 0; l < line->level_count; l++) {
		const struct bench_plot_level *level = &line->levels[l];
		bench_text_add(script, "%s%.17g %.17g\n%.17g %.17g\n", level->starts && l > 0 ? "\n" : "",
			       level->from, level->y, level->to, level->y);
	}
	bench_text_add(script, "END_OF_DATA\n");
}

static void add_data(const struct bench_plot *plot, struct bench_text *script)
{
	for (size_t i = 0; i < plot->line_count; i++) {
		bench_text_add(script, "$line%zu << END_OF_DATA\n", i);
		for (size_t p = 0; p < plot->lines[i].point_count; p++) {
			const struct bench_plot_point *point = &plot->lines[i].points[p];
			/* A logarithmic axis has no place for what is not above zero. */
			double lo = plot->log_y ? fmax(point->lo, plot->y_min) : point->lo;
			bench_text_add(script, "%.17g %.17g %.17g %.17g\n", point->x, point->y, lo,
				       point->hi);
		}
		bench_text_add(script, "END_OF_DATA\n");
		add_levels(&plot->lines[i], i, script);
	}
}

/* Intervals first, as bands (as bars for a line of one point), so that no line is covered by one. */
static void add_plots(const struct bench_plot *plot, char *const *labels, struct bench_text *script)
{
	const char *separator = "plot ";
	for (size_t i = 0; i < plot->line_count; i++) {
		const char *color = bench_plot_color(i);
		if (plot->lines[i].point_count > 1)
			bench_text_add(script,
				       "%s$line%zu using 1:3:4 with filledcurves fc rgb '%s' fs transparent "
				       "solid %g noborder notitle",
				       separator, i, color, plot->line_count > 4 ? 0.08 : 0.16);
		else
			bench_text_add(
				script,
				"%s$line%zu using 1:2:3:4 with yerrorbars lc rgb '%s' lw 1.5 pt 0 notitle",
				separator, i, color);
		separator = ", \\\n     ";
		if (plot->lines[i].level_count > 0) /* pale, so that the values are seen on it */
			bench_text_add(script,
				       "%s$levels%zu using 1:2 with lines lc rgb '#80%s' lw 6 notitle",
				       separator, i, color + 1);
	}
	for (size_t i = 0; i < plot->line_count; i++) {
		bench_text_add(script,
			       "%s$line%zu using 1:2 with linespoints lc rgb '%s' lw 2 dt %d pt %d ps 0.8 ",
			       separator, i, bench_plot_color(i), i < COLORS ? 1 : 2, bench_plot_shape(i));
		if (plot->line_count == 1 && !plot->lines[i].remark) {
			bench_text_add(script, "notitle");
			continue;
		}
		bench_text_add(script, "title ");
		bench_plot_gnuplot_add_string(script, labels[i]);
	}
	bench_text_add(script, "\n");
}

/* Legend labels into `labels`; returns the length of the longest. */
static size_t make_labels(struct bench_plot *plot, char *labels[BENCH_LINES_MAX])
{
	size_t longest = 0;
	for (size_t i = 0; i < plot->line_count; i++) {
		const struct bench_plot_line *line = &plot->lines[i];
		const char *remark = line->remark ? line->remark : "";
		const char *own = bench_render_words_cut(&plot->arena, join_parts(plot, line, false),
							 LABEL_MAX - bench_render_words_columns(remark) - 2);
		labels[i] =
			bench_arena_format(&plot->arena, "%s%s%s", own, *own && *remark ? ", " : "", remark);
		size_t columns = bench_render_words_columns(labels[i]);
		longest = columns > longest ? columns : longest;
	}
	return longest;
}

/* A line without a point has nothing to show, and gnuplot refuses it. */
static void drop_empty_lines(struct bench_plot *plot)
{
	size_t kept = 0;
	for (size_t i = 0; i < plot->line_count; i++) {
		if (plot->lines[i].point_count)
			plot->lines[kept++] = plot->lines[i];
	}
	plot->line_count = kept;
}

int bench_plot_draw(struct bench_plot *plot, const char *output, struct bench_error *error)
{
	char *labels[BENCH_LINES_MAX] = {0};
	drop_empty_lines(plot);
	if (plot->line_count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "none of the values is a number: there is nothing to plot");
	unsigned columns = legend_columns(make_labels(plot, labels));
	unsigned legend = ROW * (((unsigned)plot->line_count + columns - 1) / columns);
	unsigned below = plot->tick_rows * ROW + AXIS_LABEL, height = HEIGHT + below + legend;
	struct bench_text script = {0};
	int result = bench_plot_gnuplot_start(&script, output, WIDTH, height, error);
	if (result == 0) {
		add_title(plot, &script);
		make_room_for_marks(plot);
		add_axes(plot, &script);
		add_marks(plot, &script);
		bench_text_add(&script,
			       "set bmargin at screen %.4f\n"
			       "set key at screen 0.5, screen %.4f center top vertical Left reverse maxrows "
			       "%u samplen 3 spacing 1.1\n",
			       (double)(below + legend) / height, (double)legend / height, legend / ROW);
		add_data(plot, &script);
		add_plots(plot, labels, &script);
		result = bench_plot_gnuplot_run(&script, output, error);
	}
	bench_text_free(&script);
	return result;
}

void bench_plot_free(struct bench_plot *plot)
{
	bench_arena_free(&plot->arena);
	*plot = (struct bench_plot){0};
}
