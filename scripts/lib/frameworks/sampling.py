# SPDX-License-Identifier: MIT
"""Samples of a call, by the rules of docs/measuring.md: the same that bench follows for its own backends."""

import math
import time

SAMPLE_LEAST = 2e-3  # seconds that a sample lasts
ALONE_LEAST = 20e-3  # a call that takes this long is a sample by itself
SAMPLING_LEAST = 0.11  # seconds of sampling, and as many samples:
SAMPLES_LEAST = 5
PRECISION = 0.01  # of the median
WARM_MOST = 10.0  # seconds of calls before the samples, at most


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def interval(values):
    """The 95% interval of the median by order statistics; None where there are too few values."""
    values = sorted(values)
    n = len(values)
    # The largest k for which fewer than k of n values lie below the median with a probability of 2.5% at most:
    # of many, by the normal distribution.
    k, tail = 0, 0.0
    if n > 200:
        k = int(n / 2 - 0.98 * math.sqrt(n))
    while n <= 200 and tail + math.comb(n, k) * 0.5**n <= 0.025:
        tail += math.comb(n, k) * 0.5**n
        k += 1
    return (values[k - 1], values[n - k]) if k else None


def precise(values):
    if len(values) < SAMPLES_LEAST:
        return False
    bounds = interval(values)
    middle = median(values)
    return bounds is not None and max(bounds[1] - middle, middle - bounds[0]) <= PRECISION * middle


def timed(run, iterations):
    """Seconds of `iterations` in a row and one wait: run(n) does both."""
    start = time.perf_counter()
    run(iterations)
    return time.perf_counter() - start


def iterations_of(run, least=SAMPLE_LEAST):
    """How many iterations make a sample; finding that is the warm-up, by the calls that are timed later."""
    iterations, begun = 1, time.perf_counter()
    while True:
        took = timed(run, iterations)
        if took >= least or time.perf_counter() - begun > WARM_MOST:
            return iterations, took
        iterations = max(iterations + 1, min(10 * iterations, int(iterations * 1.2 * least / max(took, 1e-9))))


def measure(run, seconds, also=(), warm=None):
    """
    run(n): n iterations and a wait for their end. `also`: (name, function that gives one sample). `warm`: what
    iterations_of(run) gave. Gives {"time": samples, ...} and the iterations of a sample, within `seconds` or as soon
    as it is precise.
    """
    iterations, took = warm or iterations_of(run)
    alone = took / iterations >= ALONE_LEAST
    samples = {"time": []}
    samples.update((name, []) for name, _ in also)
    begun = time.perf_counter()
    while True:
        if not alone:
            run(iterations)
        for _ in range(1 if alone else 3):
            samples["time"].append(timed(run, iterations) / iterations)
        for name, sample in also:
            samples[name].append(sample())
        elapsed = time.perf_counter() - begun
        if elapsed >= SAMPLING_LEAST and (precise(samples["time"]) or elapsed >= seconds):
            return samples, iterations
