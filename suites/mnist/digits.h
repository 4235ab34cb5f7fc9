/* SPDX-License-Identifier: MIT */
/*
 * Drawn digits: images like those of MNIST, for where the real ones are not at hand. Each
 * digit is an outline of lines and arcs that is turned, slanted, stretched, shifted, bent
 * at random, drawn with a pen of random width, and overlaid with noise.
 */
#ifndef SUITES_MNIST_DIGITS_H
#define SUITES_MNIST_DIGITS_H

#include <stdint.h>

enum { BENCH_DIGIT_SIDE = 28, BENCH_DIGIT_PIXELS = BENCH_DIGIT_SIDE * BENCH_DIGIT_SIDE };

/*
 * Draws image `index` of the endless series of `seed` into image[BENCH_DIGIT_PIXELS], row by row, 0 for paper
 * to 255 for ink. Returns the digit that it shows, 0 to 9, all equally likely.
 */
uint8_t bench_digit_draw(uint64_t seed, uint64_t index, uint8_t *image);

#endif
