/* SPDX-License-Identifier: MIT */
#include "measure/worker/segments.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "core/clock.h"
#include "measure/worker/times.h"

bool bench_worker_segments_send(int socket, const char *format, ...)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	ssize_t sent;
	do
		sent = send(socket, message, strlen(message), MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent > 0;
}

bool bench_worker_segments_receive(int socket, char message[BENCH_SEGMENTS_MESSAGE])
{
	ssize_t got;
	do
		got = recv(socket, message, BENCH_SEGMENTS_MESSAGE - 1, 0);
	while (got < 0 && errno == EINTR);
	message[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* An order to measure. */
struct segment {
	size_t index; /* of the case, in the record */
	unsigned parts;
	uint64_t iterations; /* of each part */
};

/* Measures a segment; seconds[]: of an iteration, for each part. */
static int take(struct bench_sampler_item *item, const struct segment *segment, double *seconds)
{
	double witnessed = bench_worker_times_witness(), all;
	uint64_t sum_ns = 0;
	for (unsigned i = 0; i < segment->parts; i++) {
		if (item->before && segment->iterations > 1)
			return bench_fail(
				&item->error, BENCH_FAILED,
				"a duel times several runs of it at once, which leaves no place for "
				"what comes before each (--prepare)");
		if (item->before && item->before(item->context, &item->error) != 0)
			return -1;
		uint64_t start = bench_clock_real.now_ns(bench_clock_real.context);
		if (item->run(item->context, segment->iterations, &item->error) != 0)
			return -1;
		uint64_t end = bench_clock_real.now_ns(bench_clock_real.context);
		if (bench_worker_times_between(start, end, INFINITY, &seconds[i], &item->error) != 0)
			return -1;
		sum_ns += end - start;
		seconds[i] /= (double)segment->iterations;
	}
	if (bench_worker_times_between(0, sum_ns, bench_worker_times_witness() - witnessed, &all,
				       &item->error) != 0)
		return -1;
	return item->observe ? item->observe(item->context, &item->error) : 0;
}

static struct bench_sampler_item *find(struct bench_sampler_item *items, const size_t *cases, size_t count,
				       size_t index)
{
	for (size_t i = 0; i < count; i++)
		if (cases[i] == index && !items[i].failed)
			return &items[i];
	return NULL;
}

static bool run(int socket, struct bench_sampler_item *item, const struct segment *segment,
		bool (*quiesce)(void))
{
	double seconds[BENCH_SEGMENTS_PARTS];
	if (!item)
		return bench_worker_segments_send(socket, "failed there is no such case here");
	if (item->observer)
		item->observer->begin(item->context);
	int result = take(item, segment, seconds);
	if (item->observer)
		item->observer->end(item->context, segment->parts * segment->iterations);
	quiesce();
	if (result != 0) {
		item->failed = true;
		return bench_worker_segments_send(socket, "failed %s", item->error.text);
	}
	char text[BENCH_SEGMENTS_MESSAGE] = "";
	for (size_t i = 0, length = 0; i < segment->parts; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, " %.10g", seconds[i]);
	return bench_worker_segments_send(socket, "took%s", text);
}

static bool has_rows(const struct bench_sampler_item *item)
{
	return item->run_row && !item->fixed && !item->before;
}

static bool run_row(int socket, struct bench_sampler_item *item, uint64_t iterations, bool (*quiesce)(void))
{
	double seconds = NAN, around;
	if (!item || !has_rows(item))
		return bench_worker_segments_send(socket, "failed there are no rows of such a case here");
	uint64_t start = bench_clock_real.now_ns(bench_clock_real.context);
	int result = item->run_row(item->context, iterations, &seconds, &item->error);
	uint64_t end = bench_clock_real.now_ns(bench_clock_real.context);
	if (result == 0)
		result = bench_worker_times_between(start, end, INFINITY, &around, &item->error);
	quiesce();
	if (result != 0) {
		item->failed = true;
		return bench_worker_segments_send(socket, "failed %s", item->error.text);
	}
	return bench_worker_times_is_within(seconds, around)
		       ? bench_worker_segments_send(socket, "took %.10g", seconds / (double)iterations)
		       : bench_worker_segments_send(socket, "gaps");
}

static bool observe(int socket, struct bench_sampler_item *item, uint64_t iterations)
{
	if (!item || !item->observer)
		return bench_worker_segments_send(socket, "failed nothing observes such a case here");
	if (item->observer->tell(item->context, iterations, socket, &item->error) == 0)
		return bench_worker_segments_send(socket, "observed");
	item->failed = true;
	return bench_worker_segments_send(socket, "failed %s", item->error.text);
}

static void end(struct bench_sampler_item *items, size_t count, enum bench_stop stopped)
{
	for (size_t i = 0; i < count; i++)
		items[i].stopped = items[i].fixed ? BENCH_STOP_NONE : stopped;
}

/* The driver has gone, or has sent something else than this protocol. */
static void give_up(struct bench_sampler_item *items, size_t count, const char *message)
{
	for (size_t i = 0; i < count; i++) {
		if (!items[i].failed)
			bench_fail(&items[i].error, BENCH_FAILED, "the duel ended without an end%s%.80s%s",
				   *message ? ": '" : "", message, *message ? "' was not understood" : "");
		items[i].failed = true;
	}
}

bool bench_worker_segments_step(int socket, const char *done, const char *next)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	return bench_worker_segments_send(socket, "%s", done) &&
	       bench_worker_segments_receive(socket, message) && strcmp(message, next) == 0;
}

void bench_worker_segments_serve(int socket, struct bench_sampler_item *items, const size_t *cases,
				 size_t count, bool (*quiesce)(void))
{
	char message[BENCH_SEGMENTS_MESSAGE] = "";
	bool connected = true;
	for (size_t i = 0; i < count; i++)
		connected &= bench_worker_segments_send(socket, "case %zu %zu%s", cases[i], items[i].fixed,
							has_rows(&items[i]) ? " rows" : "");
	quiesce();
	connected &= bench_worker_segments_send(socket, "ready");
	while (connected && bench_worker_segments_receive(socket, message)) {
		struct segment segment;
		if (strcmp(message, "end precision") == 0 || strcmp(message, "end budget") == 0) {
			end(items, count, message[4] == 'p' ? BENCH_STOP_PRECISION : BENCH_STOP_BUDGET);
			return;
		}
		if (sscanf(message, "observe %zu %" SCNu64, &segment.index, &segment.iterations) == 2) {
			connected =
				observe(socket, find(items, cases, count, segment.index), segment.iterations);
			quiesce();
			continue;
		}
		if (sscanf(message, "row %zu %" SCNu64, &segment.index, &segment.iterations) == 2 &&
		    segment.iterations) {
			connected = run_row(socket, find(items, cases, count, segment.index),
					    segment.iterations, quiesce);
			continue;
		}
		if (sscanf(message, "run %zu %u %" SCNu64, &segment.index, &segment.parts,
			   &segment.iterations) != 3 ||
		    !segment.parts || segment.parts > BENCH_SEGMENTS_PARTS || !segment.iterations)
			break;
		connected = run(socket, find(items, cases, count, segment.index), &segment, quiesce);
	}
	give_up(items, count, message);
}

void bench_worker_segments_leave(int socket, struct bench_sampler_item *items, const size_t *cases,
				 size_t count)
{
	char message[BENCH_SEGMENTS_MESSAGE] = "";
	bool connected = bench_worker_segments_send(socket, "checked");
	while (connected && bench_worker_segments_receive(socket, message)) {
		size_t index;
		int text = 0;
		if (strcmp(message, "leave") == 0)
			return;
		if (sscanf(message, "drop %zu %n", &index, &text) != 1 || !text)
			break;
		struct bench_sampler_item *item = find(items, cases, count, index);
		if (!item)
			continue;
		item->failed = true;
		bench_fail(&item->error, BENCH_NOTHING, "%s", message + text);
	}
	give_up(items, count, message);
}
