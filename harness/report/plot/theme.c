/* SPDX-License-Identifier: MIT */
#include "report/plot/theme.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Series: colors that the color-blind can tell apart (Okabe & Ito, "Color Universal Design",
 * 2008), without the yellow that is lost on white; lighter ones on dark. Lines beyond them are dashed, and
 * every line has its own point. No two of the light ones are equal: by them the dark ones are found.
 */
static const struct {
	const char *light, *dark;
} colors[BENCH_PLOT_SERIES + BENCH_PLOT_HUES] = {
	[BENCH_PLOT_PAPER] = {"#ffffff", "#14181d"},
	[BENCH_PLOT_INK] = {"#1f2328", "#e6e8eb"},
	[BENCH_PLOT_MUTED] = {"#5f666e", "#a3abb5"},
	[BENCH_PLOT_GRID] = {"#e3e5e8", "#2c323a"},
	[BENCH_PLOT_WORSE] = {"#b3261e", "#ff7b6b"},
	[BENCH_PLOT_BETTER] = {"#00695c", "#4fd6b8"},
	[BENCH_PLOT_DOUBT] = {"#7a6000", "#d9b84a"},
	[BENCH_PLOT_SERIES] = {"#0072b2", "#4ea6e6"},
	{"#d55e00", "#ff9a4d"},
	{"#009e73", "#2fc79a"},
	{"#cc79a7", "#e9a3cb"},
	{"#000000", "#f5f5f5"},
	{"#56b4e9", "#a8dcff"},
	{"#e69f00", "#f5c451"},
};
#define COLORS (sizeof(colors) / sizeof(colors[0]))

static const int shapes[] = {7, 5, 9, 13, 11, 15, 6, 4, 8, 12, 10, 14};

const char *bench_plot_theme_color(enum bench_plot_role role, bool dark)
{
	return dark ? colors[role].dark : colors[role].light;
}

enum bench_plot_role bench_plot_theme_series(size_t index)
{
	return (enum bench_plot_role)(BENCH_PLOT_SERIES + index % BENCH_PLOT_HUES);
}

int bench_plot_theme_shape(size_t index)
{
	return shapes[index % (sizeof(shapes) / sizeof(shapes[0]))];
}

/*
 * Cividis, at seven places: of even lightness steps, and the same to those who see no red or no green
 * (Nunez, Anderton and Renslow, PLOS ONE 13(7), 2018).
 */
unsigned bench_plot_theme_heat(double share)
{
	static const unsigned char stops[][3] = {{0, 34, 78},     {42, 63, 108},   {87, 93, 109},
						 {125, 124, 120}, {165, 156, 116}, {209, 193, 94},
						 {254, 232, 56}};
	const size_t last = sizeof(stops) / sizeof(stops[0]) - 1;
	double place = fmin(fmax(share, 0), 1) * (double)last;
	size_t below = place >= (double)last ? last - 1 : (size_t)place;
	unsigned color = 0;
	for (size_t i = 0; i < 3; i++) {
		double from = stops[below][i], to = stops[below + 1][i];
		color = color << 8 | (unsigned)lround(from + (to - from) * (place - (double)below));
	}
	return color;
}

/* gnuplot writes a color in one of three ways, as one of three attributes. */
static void add_rules(struct bench_text *out, const char *light, const char *dark)
{
	static const char *const attributes[] = {"fill", "stroke", "color"};
	unsigned long rgb = strtoul(light + 1, NULL, 16);
	unsigned red = (unsigned)(rgb >> 16), green = (rgb >> 8) & 255, blue = rgb & 255;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		const char *name = attributes[i];
		bench_text_add(out,
			       "[%s=\"rgb(%3u, %3u, %3u)\"],[%s=\"rgb(%u,%u,%u)\"],[%s=\"%s\" i]{%s:%s}\n",
			       name, red, green, blue, name, red, green, blue, name, light, name, dark);
	}
}

void bench_plot_theme_follow(struct bench_text *out, const char *svg, size_t length)
{
	const char *start = strstr(svg, "<svg"), *end = start ? strchr(start, '>') : NULL;
	if (!end) {
		bench_text_add_bytes(out, svg, length);
		return;
	}
	bench_text_add_bytes(out, svg, (size_t)(end + 1 - svg));
	bench_text_add(out, "\n<style>@media screen and (prefers-color-scheme: dark) {\n");
	for (size_t i = 0; i < COLORS; i++)
		add_rules(out, colors[i].light, colors[i].dark);
	bench_text_add(out, "}</style>");
	bench_text_add_bytes(out, end + 1, length - (size_t)(end + 1 - svg));
}
