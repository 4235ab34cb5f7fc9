#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"

#define BAR_CELLS 24

void cli_progress_start(struct cli_progress *progress)
{
	struct winsize size;
	*progress = (struct cli_progress){.terminal = isatty(STDERR_FILENO), .width = 80};
	if (progress->terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		progress->width = size.ws_col;
}

static void draw_bar(struct cli_progress *progress, const struct bench_session_progress *now)
{
	char line[512], left[32] = "";
	size_t filled = now->total ? now->done * BAR_CELLS / now->total : 0;
	if (now->left >= 0)
		snprintf(left, sizeof(left), "%.0f s left", now->left);
	snprintf(line, sizeof(line), "[%.*s%.*s] %3zu%%  %-11s %s", (int)filled, "########################",
		 (int)(BAR_CELLS - filled), "........................",
		 now->total ? 100 * now->done / now->total : 0, left, now->current);
	/* One cell is left free: a full last line would scroll the terminal. */
	fprintf(stderr, "\r%.*s\033[K", (int)progress->width - 1, line);
	fflush(stderr);
	progress->drawn = true;
}

static void print_case(const struct bench_session_progress *now)
{
	char median[32], spread[32] = "";
	const struct bench_result *result = now->finished;
	const struct bench_metric *time = bench_result_metric(result, "time");
	if (!time) {
		fprintf(stderr, "[%zu/%zu] %s  %s: %s\n", now->done, now->total, result->key,
			bench_status_name(result->status), result->reason);
		return;
	}
	bench_text_quantity(median, sizeof(median), time->summary.median, "s");
	double half = (time->summary.ci_hi - time->summary.ci_lo) / 2 / time->summary.median;
	snprintf(spread, sizeof(spread), "+-%.1f%%", 100 * half);
	fprintf(stderr, "[%zu/%zu] %s  %s %s\n", now->done, now->total, result->key, median, spread);
}

void cli_progress_show(void *context, const struct bench_session_progress *now)
{
	struct cli_progress *progress = context;
	if (progress->terminal)
		draw_bar(progress, now);
	else if (now->finished)
		print_case(now);
}

void cli_progress_warn(void *context, const char *text)
{
	cli_progress_end(context);
	fprintf(stderr, "bench: warning: %s\n", text);
}

void cli_progress_end(struct cli_progress *progress)
{
	if (progress->drawn)
		fprintf(stderr, "\r\033[K");
	progress->drawn = false;
}
