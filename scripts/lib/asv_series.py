#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Series that asv has published, and the regressions that it found in them, for tests/statistics/walk.c.

    scripts/lib/asv_series.py SITE MACHINE PYTHON EVERY NAME

SITE is what `asv publish` wrote (index.json, regressions.json, graphs/), as a branch gh-pages often holds it. Of what MACHINE
measured with PYTHON, every EVERY-th series is written, in the order of names: NAME.csv has a row for each commit, and
NAME.changes the regressions of these series by regressions.json, but for those with fewer than ten values before them, which
are counted on stderr.
"""

import collections
import csv
import json
import os
import sys

BEFORE = 10


def graph_folder(site, machine, python):
    """The folder of the environment's graphs: of several, the one with the most files."""
    found = [
        (len(files), folder)
        for folder, _, files in os.walk(os.path.join(site, "graphs"))
        if f"/machine-{machine}/" in folder + "/" and f"/python-{python}/" in folder + "/" and files
    ]
    if not found:
        sys.exit(f"{site} has no graphs of {machine} with Python {python}")
    return max(found)[1]


def read_series(folder, file):
    """The points (revision, value) of a benchmark's series, by the number of its parameters; None: it has none."""
    with open(os.path.join(folder, file), encoding="utf-8") as text:
        points = json.load(text)
    series = collections.defaultdict(list)
    for revision, value in points:
        several = isinstance(value, list)
        for index, one in enumerate(value if several else [value]):
            if one is not None:
                series[index if several else None].append((revision, one))
    return series


def main():
    site, machine, python, every, name_of_all = sys.argv[1:]
    folder = graph_folder(site, machine, python)
    with open(os.path.join(site, "regressions.json"), encoding="utf-8") as text:
        regressions = json.load(text)["regressions"]
    published = collections.defaultdict(list)
    for _, graph, _, index, _, _, jumps in regressions:
        published[graph, index].extend(after for _, after, old, new in jumps if new > old)
    files = sorted(file for file in os.listdir(folder) if file.endswith(".json") and file != "summary.json")
    series, number = {}, 0
    for file in files:
        for index, points in sorted(read_series(folder, file).items(), key=lambda item: item[0] or 0):
            number += 1
            if number % int(every) == 0:
                name = file[: -len(".json")] + ("" if index is None else f"#{index}")
                key = os.path.relpath(os.path.join(folder, file), site), index
                series[name] = dict(points), published[key]
    revisions = sorted({revision for points, _ in series.values() for revision in points})
    with open(name_of_all + ".csv", "w", encoding="utf-8") as text:
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(["commit", *series])
        for revision in revisions:
            rows.writerow([f"r{revision}r", *(points.get(revision, "") for points, _ in series.values())])
    early = 0
    with open(name_of_all + ".changes", "w", encoding="utf-8") as text:
        for name, (points, changes) in series.items():
            for revision in changes:
                if sum(other < revision for other in points) < BEFORE:
                    early += 1
                else:
                    text.write(f"{name}\tr{revision}r\n")
    print(f"{name_of_all}: {len(series)} series; too early to be found: {early} regressions", file=sys.stderr)


main()
