/* SPDX-License-Identifier: MIT */
#include "statistics/trials.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/file.h"
#include "core/text.h"

enum { FIELDS = 6 };

void trials_die(const char *what, const char *why)
{
	fprintf(stderr, "evaluate: %s: %s\n", what, why);
	exit(2);
}

struct bench_run *trials_load(const char *folder)
{
	struct bench_run *run;
	struct bench_error error;

	if (bench_record_load_folder(folder, &run, &error) != 0)
		trials_die(folder, error.text);
	return run;
}

/* The fields of a line, cut apart in place. */
static void read_trial(struct trials *trials, char *line)
{
	char *fields[FIELDS] = {0}, *rest = line;
	struct trial *trial = &trials->items[trials->count];

	for (int f = 0; f < FIELDS && rest; f++)
		fields[f] = bench_text_next(&rest, '\t');
	if (!fields[4] || trials->count == TRIALS_MAX)
		trials_die(line, "not a trial, or one too many");
	*trial = (struct trial){.kind = fields[0],
				.load = fields[1],
				.seconds = strtod(fields[3], NULL),
				.path = fields[4],
				.other_path = fields[5]};
	if (!bench_text_fraction(fields[2], &trial->slowdown))
		trials_die(fields[2], "expected a slowdown such as 3%");
	trials->count++;
}

void trials_read(struct trials *trials, const char *path)
{
	struct bench_error error;
	char *rest, *line;
	size_t length;

	if (bench_file_read(path, (size_t)1 << 20, &trials->text, &length, &error) != 0)
		trials_die(path, error.text);
	rest = trials->text;
	while ((line = bench_text_next(&rest, '\n')))
		if (*line)
			read_trial(trials, line);
}

void trials_free(struct trials *trials)
{
	free(trials->text);
}
