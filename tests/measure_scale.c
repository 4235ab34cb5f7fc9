/* SPDX-License-Identifier: MIT */
/*
 * How a history of many runs behaves: makes one, a night after the other, and at some sizes measures what a
 * gate and its users ask of it, by the program itself. scripts/evaluate_scale calls it.
 *
 *     measure_scale BENCH FOLDER [METRICS [SHAPE [RUNS..]]]
 *
 * With SHAPE "there" the history is not made but there, with seven runs less than RUNS, which are taken in;
 * what reads all of it is not asked.
 *
 * METRICS: cases of each run, each with a time, of which two rates are derived (1000). SHAPE: thin, 8
 * invocations with 10 samples each; or full, 10 with 10 to 20, and the first calls, as a nightly run has
 * them. RUNS: the sizes (10 100 300 1000). FOLDER/results.db, or with BENCH_TEST_SERVER in the environment
 * the schema measure_scale of that server, is made anew and stays; FOLDER/scale.tsv has every figure, and
 * what is printed is a table in Markdown. Exit status 1 where a command fails, or does not say as much as the
 * history holds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/changepoints.h"
#include "app/compare.h"
#include "app/runs.h"
#include "made_nights.h"
#include "stats/stats.h"
#include "store/server.h"

enum { REPEATS = 7, SIZES = 8, MOST_WORDS = 12 };

struct place {
	const char *bench;
	char folder[512], db[600], out[600], notes[600];
};

/* What a call took. */
struct cost {
	double seconds, processor;
	long kib; /* the most memory that it had */
};

/* What a question costs at each size; no time where it was not asked. */
struct row {
	const char *name;
	struct cost costs[SIZES][REPEATS];
	unsigned asked[SIZES];
};

/* How many lines of CSV an answer has, beside the one with the names. */
enum lines { ANY_LINES, A_LINE_A_RUN, A_LINE_A_METRIC };

struct question {
	const char *name;
	const char *words[MOST_WORDS]; /* of the command line */
	enum lines lines;
	unsigned least_runs, repeats;
};

#define ONE_TIME "gemm/openblas:cpu/n=1/time"

static const struct question questions[] = {
	{"bench compare --baseline rolling:10",
	 {"compare", "last", "--baseline", "rolling:10"},
	 ANY_LINES,
	 2,
	 REPEATS},
	{"bench compare --baseline rolling:364",
	 {"compare", "last", "--baseline", "rolling:364"},
	 ANY_LINES,
	 365,
	 3},
	{"bench history of one metric", {"history", ONE_TIME, "--format", "csv"}, A_LINE_A_RUN, 1, REPEATS},
	{"bench history --changepoints of all times",
	 {"history", "*/time", "--changepoints"},
	 ANY_LINES,
	 1,
	 3},
	{"bench history --changepoints of all metrics", {"history", "*", "--changepoints"}, ANY_LINES, 1, 3},
	{"bench list runs", {"list", "runs", "--limit", "0", "--format", "csv"}, A_LINE_A_RUN, 1, REPEATS},
	{"bench list metrics", {"list", "metrics", "*/time", "--format", "csv"}, A_LINE_A_METRIC, 1, REPEATS},
	{"bench show", {"show", "last"}, ANY_LINES, 1, REPEATS},
};
enum { QUESTIONS = sizeof(questions) / sizeof(questions[0]), INGEST = QUESTIONS, OPEN, GATE, ROWS };

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* Waits for a child; false where it said something else than that all is well, or that something is slower.
 */
static bool wait_for(pid_t child, double start, struct cost *cost)
{
	struct rusage used;
	int status;

	if (child < 0 || wait4(child, &status, 0, &used) != child)
		return false;
	*cost = (struct cost){now() - start, seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
			      used.ru_maxrss};
	return WIFEXITED(status) && WEXITSTATUS(status) <= 1;
}

static bool ask(const struct place *place, const char *const *words, struct cost *cost)
{
	const char *arguments[MOST_WORDS + 4] = {place->bench};
	size_t count = 1;
	double start;
	pid_t child;

	for (; words[count - 1]; count++)
		arguments[count] = words[count - 1];
	arguments[count++] = "--db";
	arguments[count] = place->db;
	start = now();
	child = fork();
	if (child == 0) {
		int out = open(place->out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		int notes = open(place->notes, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

		if (out >= 0 && notes >= 0 && dup2(out, 1) >= 0 && dup2(notes, 2) >= 0)
			execv(place->bench, (char *const *)(uintptr_t)arguments);
		_exit(127);
	}
	if (wait_for(child, start, cost))
		return true;
	fprintf(stderr, "measure_scale: %s %s failed: %s says why\n", arguments[1], arguments[2],
		place->notes);
	return false;
}

static size_t count_lines(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t lines = 0;

	for (int c; file && (c = fgetc(file)) != EOF;)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

/* What a gate does with the run that it has measured, beside measuring: compares, and looks for recent
 * changes. */
static int compare_as_gate(const struct place *place)
{
	const struct bench_compare_options options = {.threshold = 0.05,
						      .assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD,
						      .floor = BENCH_COMPARE_FLOOR,
						      .alpha = 0.01};
	const struct bench_app_changepoint_options looking = {
		.least = 0.05, .alpha = 0.01, .runs = BENCH_APP_RECENT_RUNS};
	const struct bench_app_places places = {.db = place->db, .runs_dir = place->folder};
	struct bench_comparison *comparison = NULL;
	struct bench_arena arena = {0};
	struct bench_app_line line;
	struct bench_changes changes;
	struct bench_store *store = NULL;
	struct bench_run *run = NULL;
	struct bench_error error;

	if (bench_app_open_store(place->db, &store, &error) != 0 ||
	    bench_app_load_run(store, place->folder, "last", &run, &error) != 0 ||
	    bench_app_compare(&places, store, run, "rolling:10", &options, &comparison, &error) != 0 ||
	    bench_app_line_of(store, &places.line, &run->git, &arena, &line, &error) != 0 ||
	    bench_app_changepoints_recent(store, run, &line, &looking, &arena, &changes, &error) != 0 ||
	    bench_app_keep_verdicts(place->db, comparison, &error) != 0) {
		fprintf(stderr, "measure_scale: %s\n", error.text);
		return 2;
	}
	return 0;
}

static bool ask_gate(const struct place *place, struct cost *cost)
{
	double start = now();
	pid_t child = fork();

	if (child == 0)
		_exit(compare_as_gate(place));
	return wait_for(child, start, cost);
}

/* The history of one metric, of a history that is open: without a process that starts and prints. */
static bool ask_open(const struct place *place, size_t at, struct row *row)
{
	struct bench_store *store = NULL;
	struct bench_error error;
	struct bench_point *points;
	size_t count;
	int status = bench_app_open_store(place->db, &store, &error);

	for (unsigned i = 0; status == 0 && i < REPEATS; i++, row->asked[at]++) {
		struct bench_arena arena = {0};
		const double start = now();

		status = bench_store_history(store, ONE_TIME, &arena, &points, &count, &error);
		row->costs[at][i].seconds = now() - start;
		bench_arena_free(&arena);
	}
	bench_store_close(store);
	if (status != 0)
		fprintf(stderr, "measure_scale: %s\n", error.text);
	return status == 0;
}

static bool ask_all(const struct place *place, const struct made_nights *nights, unsigned runs, size_t at,
		    struct row *rows, bool there)
{
	for (size_t q = 0; q < QUESTIONS; q++) {
		const struct question *question = &questions[q];
		if (there && question->words[2] && strcmp(question->words[2], "--changepoints") == 0)
			continue;
		const size_t wanted[] = {[A_LINE_A_RUN] = runs, [A_LINE_A_METRIC] = nights->metrics};

		for (unsigned i = 0; runs >= question->least_runs && i < question->repeats; i++) {
			if (!ask(place, question->words, &rows[q].costs[at][i]))
				return false;
			rows[q].asked[at]++;
		}
		if (question->lines != ANY_LINES && rows[q].asked[at] > 0 &&
		    count_lines(place->out) != wanted[question->lines] + 1) {
			fprintf(stderr, "measure_scale: %s has %zu lines, not %zu\n", question->name,
				count_lines(place->out), wanted[question->lines] + 1);
			return false;
		}
	}
	if (!ask_open(place, at, &rows[OPEN]))
		return false;
	for (unsigned i = 0; i < 3 && !there; i++, rows[GATE].asked[at]++)
		if (!ask_gate(place, &rows[GATE].costs[at][i]))
			return false;
	return true;
}

/* A night's run folder, taken in by the program. */
static bool ingest_folder(const struct place *place, struct made_nights *nights, unsigned night,
			  struct cost *cost)
{
	struct bench_run *run = made_night(nights, night);
	char folder[600], file[640];
	const char *const words[] = {"ingest", folder, NULL};
	char *text = bench_record_to_json(run);
	FILE *out;
	bool done;

	snprintf(folder, sizeof(folder), "%s/%s", place->folder, run->id);
	snprintf(file, sizeof(file), "%s/metrics.json", folder);
	mkdir(folder, 0777);
	out = fopen(file, "we");
	done = text && out && fputs(text, out) >= 0;
	done = out && fclose(out) == 0 && done && ask(place, words, cost);
	remove(file);
	rmdir(folder);
	free(text);
	bench_record_free(run);
	return done;
}

/* Nights up to `runs`, of which the program takes the last ones in. */
static bool grow(const struct place *place, struct made_nights *nights, unsigned *night, unsigned runs,
		 size_t at, struct row *ingested)
{
	struct bench_store *store = NULL;
	struct bench_error error;
	int result = bench_store_open(place->db, BENCH_STORE_WRITE, &store, &error);

	/* It is made, and not to be kept: no waiting for the disk. */
	if (result == 0)
		result = store_script(store,
				      bench_store_is_server(place->db) ? "SET synchronous_commit = off"
								       : "PRAGMA synchronous = OFF",
				      &error);
	for (; result == 0 && *night + REPEATS < runs; (*night)++) {
		struct bench_run *run = made_night(nights, *night);
		bool added;

		result = bench_store_ingest(store, run, &added, &error);
		bench_record_free(run);
	}
	bench_store_close(store);
	if (result != 0)
		fprintf(stderr, "measure_scale: %s\n", error.text);
	for (unsigned i = 0; result == 0 && *night < runs && i < REPEATS;
	     i++, (*night)++, ingested->asked[at]++)
		if (!ingest_folder(place, nights, *night, &ingested->costs[at][i]))
			return false;
	return result == 0;
}

static void summarize(const struct row *row, size_t at, double *median, double *least, double *most,
		      double *processor)
{
	double seconds[REPEATS], used[REPEATS];

	*least = INFINITY;
	*most = 0;
	for (unsigned i = 0; i < row->asked[at]; i++) {
		seconds[i] = row->costs[at][i].seconds;
		used[i] = row->costs[at][i].processor;
		*least = fmin(*least, seconds[i]);
		*most = fmax(*most, seconds[i]);
	}
	*median = bench_stats_median(seconds, row->asked[at]);
	*processor = bench_stats_median(used, row->asked[at]);
}

static void print(const struct place *place, const struct made_nights *nights, const struct row *rows,
		  const unsigned *sizes, const long long *bytes, size_t count)
{
	char path[640];
	FILE *tsv;

	snprintf(path, sizeof(path), "%s/scale.tsv", place->folder);
	tsv = fopen(path, "we");
	if (tsv)
		fprintf(tsv, "what\truns\trepeats\tmedian_s\tleast_s\tmost_s\tprocessor_s\tmemory_kib\n");
	printf("| runs |");
	for (size_t at = 0; at < count; at++)
		printf(" %u |", sizes[at]);
	printf("\n|---|");
	for (size_t at = 0; at < count; at++)
		printf("---|");
	printf("\n| file |");
	for (size_t at = 0; at < count; at++)
		printf(" %.1f MB |", (double)bytes[at] * 1e-6);
	printf("\n| a case |");
	for (size_t at = 0; at < count; at++)
		printf(" %.0f B |", (double)bytes[at] / sizes[at] / nights->metrics);
	printf("\n");
	for (size_t r = 0; r < ROWS; r++) {
		printf("| %s |", rows[r].name);
		for (size_t at = 0; at < count; at++) {
			double median, least, most, processor;

			if (rows[r].asked[at] == 0) {
				printf(" |");
				continue;
			}
			summarize(&rows[r], at, &median, &least, &most, &processor);
			printf(" %.0f ms (%.0f to %.0f; %.0f) |", 1e3 * median, 1e3 * least, 1e3 * most,
			       1e3 * processor);
			if (tsv)
				fprintf(tsv, "%s\t%u\t%u\t%.4f\t%.4f\t%.4f\t%.4f\t%ld\n", rows[r].name,
					sizes[at], rows[r].asked[at], median, least, most, processor,
					rows[r].costs[at][0].kib);
		}
		printf("\n");
	}
	if (tsv)
		fclose(tsv);
}

static long long bytes_of(const char *path)
{
	struct bench_store *store = NULL;
	struct bench_error error;
	int64_t bytes = -1;

	if (bench_store_open(path, BENCH_STORE_READ, &store, &error) != 0 ||
	    bench_store_size(store, &bytes, &error) != 0)
		fprintf(stderr, "measure_scale: %s\n", error.text);
	bench_store_close(store);
	return bytes;
}

/* A history that is empty: a file, or a schema of the server. */
static bool begin(struct place *place, bool there)
{
	const char *server = getenv("BENCH_TEST_SERVER");
	struct bench_store *store = NULL;
	struct bench_error error;

	if (!server) {
		snprintf(place->db, sizeof(place->db), "%s/results.db", place->folder);
		if (!there)
			remove(place->db);
		return true;
	}
	snprintf(place->db, sizeof(place->db), "%s&options=-csearch_path%%3Dmeasure_scale", server);
	if (there)
		return true;
	if (store_server_connect(server, &store, &error) == 0 &&
	    store_script(store, "DROP SCHEMA IF EXISTS measure_scale CASCADE; CREATE SCHEMA measure_scale",
			 &error) == 0) {
		bench_store_close(store);
		return true;
	}
	fprintf(stderr, "measure_scale: %s\n", error.text);
	bench_store_close(store);
	return false;
}

int main(int argc, char **argv)
{
	static const unsigned usual[] = {10, 100, 300, 1000};
	static struct row rows[ROWS] = {
		[INGEST] = {.name = "bench ingest of a run"},
		[OPEN] = {.name = "the history of one metric, asked by a process that has it open"},
		[GATE] = {.name = "a gate's comparison, verdicts and recent changes"}};
	bool full = argc > 4 && strcmp(argv[4], "full") == 0,
	     there = argc > 4 && strcmp(argv[4], "there") == 0;
	struct made_nights nights = {.metrics = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1000,
				     .invocations = full ? 10 : 8,
				     .least_samples = 10,
				     .most_samples = full ? 20 : 10,
				     .first_call = full};
	struct place place = {.bench = argc > 1 ? argv[1] : ""};
	unsigned sizes[SIZES], night = 0;
	long long bytes[SIZES];
	size_t count = 0;

	for (int i = 5; i < argc && count < SIZES; i++)
		sizes[count++] = (unsigned)strtoul(argv[i], NULL, 10);
	for (; argc <= 5 && count < 4; count++)
		sizes[count] = usual[count];
	if (argc < 3 || nights.metrics < 2 || (argc > 4 && !full && !there && strcmp(argv[4], "thin") != 0)) {
		fprintf(stderr, "usage: measure_scale BENCH FOLDER [METRICS [thin|full|there [RUNS..]]]\n");
		return 2;
	}
	snprintf(place.folder, sizeof(place.folder), "%s", argv[2]);
	snprintf(place.out, sizeof(place.out), "%s/out", place.folder);
	snprintf(place.notes, sizeof(place.notes), "%s/notes", place.folder);
	mkdir(place.folder, 0777);
	if (!begin(&place, there))
		return 1;
	if (there)
		night = sizes[0] - REPEATS;
	for (size_t q = 0; q < QUESTIONS; q++)
		rows[q].name = questions[q].name;
	nights.nights = sizes[count - 1];
	bench_rng_start(&nights.rng, 20261123, 1);
	for (size_t at = 0; at < count; at++) {
		if (!grow(&place, &nights, &night, sizes[at], at, &rows[INGEST]))
			return 1;
		bytes[at] = bytes_of(place.db);
		if (!ask_all(&place, &nights, sizes[at], at, rows, there))
			return 1;
		fprintf(stderr, "measure_scale: %u runs\n", sizes[at]);
	}
	print(&place, &nights, rows, sizes, bytes, count);
	return 0;
}
