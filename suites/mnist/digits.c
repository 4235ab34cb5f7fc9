/* SPDX-License-Identifier: MIT */
#include "suites/mnist/digits.h"

#include <math.h>
#include <string.h>

#include "kit/rng.h"

#define RADIANS 0.017453292519943295

/* Images of a seed have the streams from here on: its other streams are numbered from 1. */
#define FIRST_STREAM (UINT64_C(1) << 40)

/*
 * A piece of an outline in the unit square, y downwards. An arc goes around (x, y) from angle
 * `from` to `to`, in degrees: 0 is to the right, 90 down. A line, which has no radii, goes from
 * (x, y) to (from, to).
 */
struct piece {
	float x, y, radius_x, radius_y, from, to;
};

enum { PIECES = 4, STEPS = 10 };

static const struct piece outlines[10][PIECES] = {
	{{.5F, .5F, .27F, .4F, 0, 360}},
	{{.34F, .27F, 0, 0, .53F, .1F}, {.53F, .1F, 0, 0, .53F, .9F}},
	{{.5F, .32F, .25F, .22F, -175, 35}, {.7F, .45F, 0, 0, .25F, .88F}, {.25F, .88F, 0, 0, .78F, .88F}},
	{{.47F, .3F, .25F, .2F, -155, 90}, {.47F, .7F, .28F, .2F, -90, 155}},
	{{.6F, .1F, 0, 0, .22F, .62F}, {.22F, .62F, 0, 0, .82F, .62F}, {.64F, .36F, 0, 0, .64F, .92F}},
	{{.72F, .12F, 0, 0, .34F, .12F}, {.34F, .12F, 0, 0, .3F, .48F}, {.48F, .66F, .27F, .23F, -135, 150}},
	{{.75F, .62F, .48F, .52F, -105, -180}, {.5F, .68F, .23F, .21F, 0, 360}},
	{{.22F, .13F, 0, 0, .78F, .13F}, {.78F, .13F, 0, 0, .42F, .9F}},
	{{.5F, .3F, .2F, .19F, 0, 360}, {.5F, .7F, .25F, .21F, 0, 360}},
	{{.5F, .32F, .22F, .21F, 0, 360}, {.24F, .36F, .48F, .54F, 0, 75}},
};

/* What is drawn by: pixel = offset + matrix * (point + bend). */
struct hand {
	float xx, xy, yx, yy, x, y;
	float bend_x, bend_y, phase_x, phase_y;
	float pen, softness; /* half the width of the line, and of its edge, in pixels */
	float ink;
};

static float between(struct bench_rng *rng, float low, float high)
{
	return low + (high - low) * (float)(bench_rng_u32(rng) >> 8) * 0x1p-24F;
}

static struct hand choose_hand(struct bench_rng *rng)
{
	float turn = between(rng, -.4F, .4F), slant = between(rng, -.45F, .45F);
	float width = between(rng, 11, 24), height = between(rng, 15, 24);
	float c = cosf(turn), s = sinf(turn);
	return (struct hand){
		.xx = width * c,
		.xy = -height * s + slant * width * c,
		.yx = width * s,
		.yy = height * c + slant * width * s,
		.x = BENCH_DIGIT_SIDE / 2.F - .5F + between(rng, -2.8F, 2.8F),
		.y = BENCH_DIGIT_SIDE / 2.F - .5F + between(rng, -2.8F, 2.8F),
		.bend_x = between(rng, -.13F, .13F),
		.bend_y = between(rng, -.11F, .11F),
		.phase_x = between(rng, 0, 6.283F),
		.phase_y = between(rng, 0, 6.283F),
		.pen = between(rng, .7F, 1.7F),
		.softness = between(rng, .6F, 1.1F),
		.ink = between(rng, 150, 255),
	};
}

static void place(const struct hand *hand, float x, float y, float out[2])
{
	float u = x - .5F + hand->bend_x * sinf(4 * y + hand->phase_x);
	float v = y - .5F + hand->bend_y * sinf(4 * x + hand->phase_y);
	out[0] = hand->x + hand->xx * u + hand->xy * v;
	out[1] = hand->y + hand->yx * u + hand->yy * v;
}

static int clamp(float pixel)
{
	return pixel < 0 ? 0 : pixel > BENCH_DIGIT_SIDE - 1 ? BENCH_DIGIT_SIDE - 1 : (int)pixel;
}

/* A straight stroke: each pixel near it gets the ink that its distance allows, if it has less. */
static void draw_line(const struct hand *hand, const float a[2], const float b[2], float *ink)
{
	float reach = hand->pen + hand->softness, slope = .5F / hand->softness;
	float dx = b[0] - a[0], dy = b[1] - a[1], inverse = 1 / (dx * dx + dy * dy + 1e-9F);
	int left = clamp(fminf(a[0], b[0]) - reach + 1), right = clamp(fmaxf(a[0], b[0]) + reach);
	int top = clamp(fminf(a[1], b[1]) - reach + 1), bottom = clamp(fmaxf(a[1], b[1]) + reach);
	for (int row = top; row <= bottom; row++)
		for (int column = left; column <= right; column++) {
			float x = (float)column - a[0], y = (float)row - a[1];
			float along = (x * dx + y * dy) * inverse;
			along = fminf(fmaxf(along, 0), 1);
			x -= along * dx;
			y -= along * dy;
			float depth = fminf((reach - sqrtf(x * x + y * y)) * slope, 1);
			float *pixel = &ink[row * BENCH_DIGIT_SIDE + column];
			*pixel = fmaxf(*pixel, depth);
		}
}

static void draw_piece(const struct hand *hand, const struct piece *piece, float *ink)
{
	bool arc = piece->radius_x > 0;
	int steps = arc ? STEPS : 2; /* a line is bent too */
	float last[2], next[2];
	for (int i = 0; i <= steps; i++) {
		float t = (float)i / (float)steps;
		if (arc) {
			float angle = (piece->from + t * (piece->to - piece->from)) * (float)RADIANS;
			place(hand, piece->x + piece->radius_x * cosf(angle),
			      piece->y + piece->radius_y * sinf(angle), next);
		} else {
			place(hand, piece->x + t * (piece->from - piece->x),
			      piece->y + t * (piece->to - piece->y), next);
		}
		if (i > 0)
			draw_line(hand, last, next, ink);
		memcpy(last, next, sizeof(last));
	}
}

/* Ink in bytes, with noise of a triangular distribution, the sum of two even ones. */
static void develop(struct bench_rng *rng, const struct hand *hand, const float *ink, uint8_t *image)
{
	uint32_t bits = 0;
	for (int i = 0; i < BENCH_DIGIT_PIXELS; i++) {
		bits = i % 2 ? bits >> 16 : bench_rng_u32(rng);
		int noise = ((int)(bits & 0xff) + (int)(bits >> 8 & 0xff) - 255) / 5;
		int value = (int)(ink[i] * hand->ink) + noise;
		image[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
	}
}

uint8_t bench_digit_draw(uint64_t seed, uint64_t index, uint8_t *image)
{
	struct bench_rng rng;
	float ink[BENCH_DIGIT_PIXELS] = {0};
	bench_rng_start(&rng, seed, FIRST_STREAM + index);
	uint8_t digit = (uint8_t)bench_rng_below(&rng, 10);
	struct hand hand = choose_hand(&rng);
	for (int i = 0; i < PIECES; i++) {
		const struct piece *piece = &outlines[digit][i];
		if (piece->x > 0)
			draw_piece(&hand, piece, ink);
	}
	develop(&rng, &hand, ink, image);
	return digit;
}
