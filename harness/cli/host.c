/* SPDX-License-Identifier: MIT */
#include "cli/host.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/say.h"
#include "core/text.h"
#include "machine/turn.h"

#define BAR_CELLS    24
#define LINE_SECONDS 10 /* between lines, where stderr is no terminal */

static volatile sig_atomic_t stop;

static struct {
	bool terminal; /* stderr is one */
	bool drawn;    /* a bar stands there now */
	unsigned width;
	double printed; /* seconds at which a line was last printed, where it is none */
} bar;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static void begin(void *context)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction action = {.sa_handler = on_signal};
	struct winsize size;
	(void)context;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	bar.drawn = false;
	bar.printed = 0;
	bar.width = 80;
	if (bar.terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		bar.width = size.ws_col;
}

static void end(void *context)
{
	(void)context;
	if (bar.drawn)
		fprintf(stderr, "\r\033[K");
	bar.drawn = false;
}

static void draw_bar(const struct bench_session_progress *now)
{
	char line[512], left[32] = "";
	size_t filled = now->total ? now->done * BAR_CELLS / now->total : 0;
	if (now->left >= 0)
		snprintf(left, sizeof(left), "%.0f s left", now->left);
	snprintf(line, sizeof(line), "[%.*s%.*s] %3zu%%  %-11s %s", (int)filled, "########################",
		 (int)(BAR_CELLS - filled), "........................",
		 now->total ? 100 * now->done / now->total : 0, left, now->current);
	BENCH_SCOPED_TEXT safe = {0};
	bench_text_add_line(&safe, line);
	/* One cell is left free: a full last line would scroll the terminal. */
	fprintf(stderr, "\r%.*s\033[K", (int)bar.width - 1, safe.data);
	fflush(stderr);
	bar.drawn = true;
}

/* A line now and then: a log that nobody watches needs no more. */
static void print_line(const struct bench_session_progress *now)
{
	char left[40] = "";
	if (now->elapsed - bar.printed < LINE_SECONDS || now->done >= now->total)
		return;
	bar.printed = now->elapsed;
	if (now->left >= 0)
		snprintf(left, sizeof(left), ", about %.0f s left", now->left);
	cli_say("%zu%% measured%s", 100 * now->done / now->total, left);
}

static void show(void *context, const struct bench_session_progress *now)
{
	(void)context;
	if (bar.terminal)
		draw_bar(now);
	else
		print_line(now);
}

static void note(void *context, const char *text)
{
	end(context);
	cli_say("%s", text);
}

static void warn(void *context, const char *text)
{
	end(context);
	cli_say("warning: %s", text);
}

const struct bench_app_host *cli_host(void)
{
	static struct bench_app_host host = {
		.note = note, .warn = warn, .begin = begin, .progress = show, .end = end, .stop = &stop};
	bar.terminal = cli_is_screen(STDERR_FILENO);
	host.turn = getenv(BENCH_TURN_VARIABLE);
	host.tick_seconds = bar.terminal ? 0.5 : 1;
	return &host;
}
