/* SPDX-License-Identifier: MIT */
#include "measure/worker/window.h"

#include <math.h>
#include <stdio.h>

#define SPAN_STEPS  (BENCH_WINDOW_STEPS / BENCH_WINDOW_SPANS)
#define LEAST_STEPS 2    /* of a span that the time cut short */
#define WIDEST      0.1  /* half an interval, as a fraction: what is less certain is no measurement */
#define MOST_WATTS  1e5  /* a rack's */
#define STANDSTILL  20.0 /* steps without one */
#define BESIDE      10.0 /* times as long as a reading takes, work is under way beside it */

/* At a moment in which the counter had a new value. */
struct point {
	double at, joules;
	double unseen; /* seconds within which it came */
	uint64_t iterations;
	size_t steps;
};

struct running {
	const struct bench_window_options *options;
	struct bench_window *window;
	double value, read_at;                /* of the counter, last */
	double joules;                        /* integrated watts, with is_power */
	struct point now, first, start, seen; /* now; where the window and the span began; the last step */
	bool counts;                          /* the counter is in order */
	uint64_t batch, done;                 /* iterations: of a batch, and done at */
	double done_at;
};

static void lose(struct running *in, const char *why)
{
	in->counts = false;
	snprintf(in->window->why, sizeof(in->window->why), "%s", why);
}

/* Reads the counter. True: it has a new value, or there is none to wait for. */
static bool read_counter(struct running *in)
{
	const struct bench_window_options *options = in->options;
	struct bench_error error;
	double value, before = in->value;
	in->now.at = options->now(options->context);
	const double since = in->now.at - in->read_at;
	if (!in->counts)
		return true;
	if (options->energy(options->context, &value, &error) != 0) {
		lose(in, error.text);
		return true;
	}
	in->read_at = in->now.at;
	in->value = value;
	if (options->is_power) {
		in->joules += isnan(before) ? 0 : (before + value) / 2 * since;
		in->now.joules = in->joules;
	} else {
		in->now.joules = value;
	}
	if (isnan(before) || value == before)
		return options->is_power;
	/* After long work there were several, of which the last one counts. */
	in->now.unseen = fmin(since, options->step_seconds);
	in->now.steps += since > options->step_seconds ? (size_t)(since / options->step_seconds) : 1;
	return true;
}

/*
 * Reads while the device works: one that idles meanwhile takes less power, and would be counted all the same.
 * NVML's counter takes some milliseconds to read.
 */
static int iterate(struct running *in, bool *stepped, struct bench_error *error)
{
	const struct bench_window_options *options = in->options;
	const double begin = in->done_at;
	if (options->start(options->context, in->batch, error) != 0)
		return -1;
	*stepped = read_counter(in);
	const double reading = options->now(options->context) - in->now.at;
	if (options->finish(options->context, error) != 0)
		return -1;
	in->done_at = options->now(options->context);
	/* As much of the batch as was done when it was read, at an even pace. */
	const double took = in->done_at - begin, part = took > 0 ? (in->now.at - begin) / took : 1;
	in->now.iterations = in->done + (uint64_t)((double)in->batch * part);
	in->done += in->batch;
	if (took > 0 && took < BESIDE * reading)
		in->batch = (uint64_t)ceil((double)in->batch * fmin(BESIDE * reading / took, BESIDE));
	return 0;
}

/* Warms up, and goes on until the counter has a new value. */
static int lead(struct running *in, double until, struct bench_error *error)
{
	double begin = in->now.at, still = begin;
	bool stepped = false;
	while (in->now.at - begin < BENCH_WINDOW_LEAD || !stepped) {
		if (iterate(in, &stepped, error) != 0)
			return -1;
		still = stepped ? in->now.at : still;
		if (in->now.at - still > fmax(STANDSTILL * in->options->step_seconds, 1) ||
		    (!stepped && in->now.at > until)) {
			lose(in, "the counter stood still");
			break;
		}
		if (in->now.at > until)
			break;
	}
	return 0;
}

static void end_span(struct running *in, const struct point *end)
{
	struct bench_window *window = in->window;
	if (in->options->mark)
		in->options->mark(in->options->context, window->span_count + 1);
	window->spans[window->span_count++] =
		(struct bench_window_span){.seconds = end->at - in->start.at,
					   .joules = end->joules - in->start.joules,
					   .iterations = end->iterations - in->start.iterations};
	in->start = *end;
}

static bool is_span(const struct running *in)
{
	return in->now.at - in->start.at >= BENCH_WINDOW_SPAN &&
	       (!in->counts || in->options->is_power || in->now.steps - in->start.steps >= SPAN_STEPS);
}

static int take_spans(struct running *in, double until, struct bench_error *error)
{
	bool stepped;
	while (in->window->span_count < BENCH_WINDOW_SPANS && in->now.at < until) {
		if (iterate(in, &stepped, error) != 0)
			return -1;
		if (!stepped)
			continue;
		in->seen = in->now;
		if (is_span(in))
			end_span(in, &in->now);
	}
	/* One that the time cut short is better than none. */
	if (in->window->span_count == 0 && in->seen.at > in->start.at)
		end_span(in, &in->seen);
	return 0;
}

/* What the spans' joules must be to be published. */
static void check(struct running *in)
{
	struct bench_window *window = in->window;
	char why[128];
	if (!in->counts)
		return;
	if (window->span_count == 0 || (!in->options->is_power && window->steps < LEAST_STEPS)) {
		snprintf(why, sizeof(why), "too little time: the counter had %zu new value%s in %.2g s",
			 window->steps, window->steps == 1 ? "" : "s", in->now.at - in->first.at);
		lose(in, why);
	} else if (window->half > WIDEST) {
		snprintf(why, sizeof(why), "too little time: within %.0f%% only, by %zu steps in %.2g s",
			 100 * window->half, window->steps, window->seconds);
		lose(in, why);
	}
	for (size_t i = 0; in->counts && i < window->span_count; i++) {
		double watts = window->spans[i].joules / window->spans[i].seconds;
		if (watts > 0 && watts < MOST_WATTS)
			continue;
		snprintf(why, sizeof(why), "the counter says %.3g W, which cannot be", watts);
		lose(in, why);
	}
}

static void finish(struct running *in)
{
	struct bench_window *window = in->window;
	for (size_t i = 0; i < window->span_count; i++) {
		window->seconds += window->spans[i].seconds;
		window->iterations += window->spans[i].iterations;
	}
	window->steps = in->start.steps - in->first.steps; /* start: where the last span ended */
	if (window->span_count > 0 && in->counts && !in->options->is_power)
		window->half = fmax(in->first.unseen, in->start.unseen) / window->seconds;
	check(in);
	for (size_t i = 0; !in->counts && i < window->span_count; i++)
		window->spans[i].joules = NAN;
}

int bench_worker_window_run(const struct bench_window_options *options, struct bench_window *window,
			    struct bench_error *error)
{
	struct running in = {
		.options = options, .window = window, .value = NAN, .counts = true, .batch = options->batch};
	*window = (struct bench_window){.half = NAN};
	if (!options->energy)
		lose(&in, "nothing counts it");
	in.now.at = in.read_at = in.done_at = options->now(options->context);
	double until = in.now.at + options->seconds;
	read_counter(&in);
	if (lead(&in, until, error) != 0)
		return -1;
	in.first = in.start = in.seen = in.now;
	if (options->mark)
		options->mark(options->context, 0);
	if (take_spans(&in, until, error) != 0)
		return -1;
	finish(&in);
	return 0;
}
