/* SPDX-License-Identifier: MIT */
#include "report/plot/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "core/memory.h"
#include "report/plot/theme.h"

#define PICTURE_LIMIT ((size_t)256 << 20)

enum kind { CHARACTERS, SVG, PNG, PDF, KINDS };

static enum kind kind_of(const struct bench_plot_place *place)
{
	static const char *const endings[KINDS] = {[SVG] = ".svg", [PNG] = ".png", [PDF] = ".pdf"};
	const char *dot = place->file ? strrchr(place->file, '.') : NULL;
	for (size_t i = SVG; i < KINDS; i++)
		if (dot && strcasecmp(dot, endings[i]) == 0)
			return (enum kind)i;
	return CHARACTERS;
}

const char *bench_plot_gnuplot_large(const struct bench_plot_place *place)
{
	static const char *const fonts[KINDS] = {
		[CHARACTERS] = "", [SVG] = " font ',14'", [PNG] = " font ',11'", [PDF] = " font ',14'"};
	return fonts[kind_of(place)];
}

bool bench_plot_gnuplot_has_pages(const struct bench_plot_place *place)
{
	return kind_of(place) == PDF;
}

int bench_plot_check(const struct bench_plot_place *place, struct bench_error *error)
{
	if (place->file && kind_of(place) == CHARACTERS)
		return bench_fail(error, BENCH_USAGE,
				  "cannot plot to '%s': its name must end in .svg, .png or .pdf",
				  place->file);
	return 0;
}

int bench_plot_gnuplot_start(struct bench_text *script, const struct bench_plot_place *place, unsigned width,
			     unsigned height, struct bench_error *error)
{
	const char *paper = bench_plot_theme_color(BENCH_PLOT_PAPER, place->dark);
	if (bench_plot_check(place, error) != 0)
		return -1;
	switch (kind_of(place)) {
	case SVG:
		bench_text_add(script,
			       "set terminal svg noenhanced size %u,%u dynamic font 'sans-serif,12' "
			       "background '%s'\n",
			       width, height, paper);
		break;
	case PNG:
		bench_text_add(script,
			       "set terminal pngcairo noenhanced size %u,%u font 'sans-serif,9' background "
			       "'%s'\n",
			       width, height, paper);
		break;
	case PDF: /* paper brings its background */
		bench_text_add(
			script,
			"set terminal pdfcairo noenhanced size %.2fin,%.2fin font 'sans-serif,12'%s%s%s\n",
			width / 96.0, height / 96.0, place->dark ? " background '" : "",
			place->dark ? paper : "", place->dark ? "'" : "");
		break;
	default:
		bench_text_add(script, "set terminal dumb noenhanced nofeed mono size %u,%u\n", width,
			       height);
	}
	bench_text_add(script, "set encoding utf8\n");
	return 0;
}

void bench_plot_gnuplot_add_string(struct bench_text *script, const char *text)
{
	BENCH_SCOPED_TEXT line = {0};

	bench_text_add_line(&line, text);
	/* Between single quotes gnuplot takes every character literally, except the quote, which is doubled.
	 */
	bench_text_add(script, "'");
	for (const char *at = line.data; *at; at++)
		bench_text_add_bytes(script, *at == '\'' ? "''" : at, *at == '\'' ? 2 : 1);
	bench_text_add(script, "'");
}

/* gnuplot's message is its last line, below the line of the script and a caret. */
static char *last_line(char *text)
{
	size_t length = strlen(text);
	while (length && strchr(" \n\r\t", text[length - 1]))
		text[--length] = '\0';
	char *line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	return line + strspn(line, " \t");
}

/* Files in memory as the child's standard streams: nothing can block, whoever stops reading or writing. */
struct streams {
	int in, out, err;
};

static int open_streams(const struct bench_text *script, struct streams *streams, struct bench_error *error)
{
	streams->in = bench_file_memory("gnuplot-script", script->data, script->length);
	streams->out = bench_file_memory("gnuplot-picture", "", 0);
	streams->err = bench_file_memory("gnuplot-messages", "", 0);
	if (streams->in < 0 || streams->out < 0 || streams->err < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot run gnuplot: %s", strerror(errno));
	return 0;
}

static void close_streams(const struct streams *streams)
{
	const int fds[] = {streams->in, streams->out, streams->err};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

static int spawn(const struct streams *streams, int *status, struct bench_error *error)
{
	/* --default-settings: a user's start-up file must not change what the plot looks like. */
	static char name[] = "gnuplot", plain[] = "--default-settings";
	char *const arguments[] = {name, plain, NULL};
	posix_spawn_file_actions_t actions;
	pid_t child;
	int cause = posix_spawn_file_actions_init(&actions);
	if (cause)
		return bench_fail(error, BENCH_NO_MEMORY, "cannot run gnuplot: %s", strerror(cause));
	if ((cause = posix_spawn_file_actions_adddup2(&actions, streams->in, STDIN_FILENO)) == 0 &&
	    (cause = posix_spawn_file_actions_adddup2(&actions, streams->out, STDOUT_FILENO)) == 0 &&
	    (cause = posix_spawn_file_actions_adddup2(&actions, streams->err, STDERR_FILENO)) == 0)
		cause = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (cause == ENOENT)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "gnuplot draws the plots and is not installed: install it (on Debian and "
				  "Ubuntu the package is gnuplot-nox)");
	if (cause)
		return bench_fail(error, cause == ENOMEM ? BENCH_NO_MEMORY : BENCH_ENVIRONMENT,
				  "cannot run gnuplot: %s", strerror(cause));
	while (waitpid(child, status, 0) < 0) {
		if (errno != EINTR)
			return bench_fail(error, BENCH_ENVIRONMENT, "cannot wait for gnuplot: %s",
					  strerror(errno));
	}
	return 0;
}

char *bench_plot_file(const struct bench_plot_place *place, unsigned number)
{
	struct bench_text name = {0};
	const char *dot = strrchr(place->file, '.');
	bench_text_add_bytes(&name, place->file, (size_t)(dot - place->file));
	if (number > 1)
		bench_text_add(&name, "-%u", number);
	bench_text_add(&name, "%s", dot);
	return name.data;
}

static int write_file(struct bench_plot_place *place, const char *picture, size_t length,
		      struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *name = bench_plot_file(place, place->files + 1);
	BENCH_SCOPED_TEXT followed = {0};
	if (kind_of(place) == SVG && !place->dark) {
		bench_plot_theme_follow(&followed, picture, length);
		picture = followed.data;
		length = followed.length;
	}
	int result = bench_file_update(name, picture, length, error);
	place->files += result == 0;
	return result;
}

/* The lines without the blanks at their ends, and without empty ones at the end of all. */
static void write_text(struct bench_text *out, const char *picture)
{
	BENCH_SCOPED_TEXT text = {0};
	size_t empty = 0;
	/* A terminal that begins a page begins with a form feed. */
	for (const char *line = picture + strspn(picture, "\f"); *line; line += strspn(line, "\n") ? 1 : 0) {
		size_t length = strcspn(line, "\n"), shown = length;
		while (shown && line[shown - 1] == ' ')
			shown--;
		for (; shown && empty; empty--)
			bench_text_add(&text, "\n");
		if (shown == 0)
			empty += text.length > 0;
		bench_text_add_bytes(&text, line, shown);
		bench_text_add(&text, "%s", shown ? "\n" : "");
		line += length;
	}
	bench_text_add_lines(out, text.data ? text.data : "");
}

int bench_plot_gnuplot_run(const struct bench_text *script, struct bench_plot_place *place,
			   struct bench_error *error)
{
	int result = -1, status = 0;
	BENCH_SCOPED_TEXT picture = {0}, messages = {0};
	struct streams streams = {-1, -1, -1};
	if (open_streams(script, &streams, error) != 0 || spawn(&streams, &status, error) != 0)
		goto out;
	if (bench_file_memory_read(streams.out, PICTURE_LIMIT, &picture) != 0 ||
	    bench_file_memory_read(streams.err, PICTURE_LIMIT, &messages) != 0 ||
	    picture.length >= PICTURE_LIMIT) {
		bench_fail(error, BENCH_NO_MEMORY, "no memory for the plot");
	} else if (WIFSIGNALED(status)) {
		bench_fail(error, BENCH_ENVIRONMENT, "gnuplot was ended by signal %d", WTERMSIG(status));
	} else if (WEXITSTATUS(status) != 0 || picture.length == 0) {
		const char *said = messages.data ? last_line(messages.data) : "";
		bench_fail(error, BENCH_ENVIRONMENT, "gnuplot failed (exit status %d): %.500s",
			   WEXITSTATUS(status), *said ? said : "it drew nothing");
	} else if (place->file) {
		result = write_file(place, picture.data, picture.length, error);
	} else {
		write_text(place->text, picture.data);
		result = 0;
	}
out:
	close_streams(&streams);
	return result;
}
