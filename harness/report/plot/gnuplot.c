#include "report/plot/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "report/render/words.h"

#define PICTURE_LIMIT ((size_t)256 << 20)

int bench_plot_gnuplot_start(struct bench_text *script, const char *output, unsigned width, unsigned height,
			     struct bench_error *error)
{
	const char *dot = strrchr(output, '.');
	const char *ending = dot ? dot : "";
	if (strcasecmp(ending, ".svg") == 0)
		bench_text_add(script,
			       "set terminal svg noenhanced size %u,%u dynamic font 'sans-serif,12' "
			       "background '#ffffff'\n",
			       width, height);
	else if (strcasecmp(ending, ".png") == 0)
		bench_text_add(script,
			       "set terminal pngcairo noenhanced size %u,%u font 'sans-serif,10' background "
			       "'#ffffff'\n",
			       width, height);
	else if (strcasecmp(ending, ".pdf") == 0)
		bench_text_add(script,
			       "set terminal pdfcairo noenhanced size %.2fin,%.2fin font 'sans-serif,12'\n",
			       width / 96.0, height / 96.0);
	else
		return bench_fail(error, BENCH_USAGE,
				  "cannot plot to '%s': its name must end in .svg, .png or .pdf", output);
	bench_text_add(script, "set encoding utf8\n");
	return 0;
}

void bench_plot_gnuplot_add_string(struct bench_text *script, const char *text)
{
	struct bench_text line = {0};
	bench_text_add_line(&line, text);
	/* Between single quotes gnuplot takes every character as it is, but for the quote, which is doubled.
	 */
	bench_text_add(script, "'");
	for (const char *at = line.data; *at; at++)
		bench_text_add_bytes(script, *at == '\'' ? "''" : at, *at == '\'' ? 2 : 1);
	bench_text_add(script, "'");
	bench_text_free(&line);
}

/* What gnuplot says last is its message; what is before it is the script's line and a caret. */
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
	streams->in = memfd_create("gnuplot-script", MFD_CLOEXEC);
	streams->out = memfd_create("gnuplot-picture", MFD_CLOEXEC);
	streams->err = memfd_create("gnuplot-messages", MFD_CLOEXEC);
	if (streams->in < 0 || streams->out < 0 || streams->err < 0)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot run gnuplot: %s", strerror(errno));
	for (size_t done = 0; done < script->length;) {
		ssize_t n = write(streams->in, script->data + done, script->length - done);
		if (n < 0 && errno != EINTR)
			return bench_fail(error, BENCH_ENVIRONMENT, "cannot run gnuplot: its script: %s",
					  strerror(errno));
		done += n > 0 ? (size_t)n : 0;
	}
	lseek(streams->in, 0, SEEK_SET);
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

/* All that was written to a file in memory, NUL-terminated (malloc'd), or NULL. */
static char *read_back(int fd, size_t *length)
{
	off_t end = lseek(fd, 0, SEEK_END);
	if (end < 0 || (size_t)end > PICTURE_LIMIT)
		return NULL;
	char *data = malloc((size_t)end + 1);
	size_t got = 0;
	while (data && got < (size_t)end) {
		ssize_t n = pread(fd, data + got, (size_t)end - got, (off_t)got);
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	if (data)
		data[got] = '\0';
	*length = got;
	return data;
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

int bench_plot_gnuplot_run(const struct bench_text *script, const char *output, struct bench_error *error)
{
	int result = -1, status = 0;
	char *picture = NULL, *messages = NULL;
	size_t length = 0, message_length = 0;
	struct streams streams = {-1, -1, -1};
	if (open_streams(script, &streams, error) != 0 || spawn(&streams, &status, error) != 0)
		goto out;
	picture = read_back(streams.out, &length);
	messages = read_back(streams.err, &message_length);
	if (!picture || !messages) {
		bench_fail(error, BENCH_NO_MEMORY, "no memory for the plot '%s'", output);
		goto out;
	}
	if (WIFSIGNALED(status)) {
		bench_fail(error, BENCH_ENVIRONMENT, "gnuplot was ended by signal %d", WTERMSIG(status));
		goto out;
	}
	if (WEXITSTATUS(status) != 0 || length == 0) {
		const char *said = last_line(messages);
		bench_fail(error, BENCH_ENVIRONMENT, "gnuplot failed (exit status %d): %.500s",
			   WEXITSTATUS(status), *said ? said : "it drew nothing");
		goto out;
	}
	result = bench_file_update(output, picture, length, error);
out:
	free(picture);
	free(messages);
	close_streams(&streams);
	return result;
}
