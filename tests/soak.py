#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many nights of a gate with a tiny case, in one folder: does anything grow that should not, and is anything left behind?

    tests/soak.py BENCH FOLDER CYCLES

Each cycle is one `bench gate`, alternately in turns with the anchor and against the last ten runs. Prints a table in Markdown,
a line a tenth, and writes FOLDER/soak.tsv, a line a cycle. Exit status 1 where a cycle ended in an error, or left a process, a
temporary file or a file of unknown kind behind, or where memory, descriptors or the disk that a run takes were not flat.
"""

import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

CASE = ["--suite", "null", "--set", "spin=1000", "-k", "2", "--budget", "0.2s", "--watch", "no", "--threshold", "900%"]
# Good, unclear, and the first night, which has nothing to compare with.
EXPECTED = {0, 6, 7}
# What a gate leaves in its folder, and in that of a run.
KNOWN = re.compile(r"results\.db(-wal|-shm|\.anchors)?$|runs$|tmp$|soak\.tsv$|said$")
KNOWN_OF_RUN = {"metrics.json", "samples.jsonl", "run.log"}


def size_of(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def descriptors(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def alive(group):
    try:
        os.killpg(group, 0)
        return True
    except ProcessLookupError:
        return False


def cycle(bench, folder, number):
    """One night: what it took, and what is wrong."""
    against = ["--baseline", "rolling:10"] if number % 2 else []
    environment = dict(os.environ, TMPDIR=os.path.join(folder, "tmp"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start, most = time.monotonic(), 0
    with open(os.path.join(folder, "said"), "w", encoding="utf-8") as said:
        child = subprocess.Popen([bench, "gate", *CASE, *against], cwd=folder, env=environment, stdout=said, stderr=said,
                                 start_new_session=True)
        while True:
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            most = max(most, descriptors(child.pid))
            time.sleep(0.01)
    child.returncode = os.waitstatus_to_exitcode(status)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures = {
        "seconds": time.monotonic() - start,
        "processor_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "memory_kib": used.ru_maxrss,
        "descriptors": most,
        "runs_bytes": size_of(os.path.join(folder, "runs")),
        "db_bytes": size_of(os.path.join(folder, "results.db")),
        "anchor_bytes": size_of(os.path.join(folder, "results.db.anchors")),
    }
    wrong = []
    if child.returncode not in EXPECTED:
        with open(os.path.join(folder, "said"), encoding="utf-8", errors="replace") as said:
            wrong.append(f"exit status {child.returncode}: {said.read()[-500:]}")
    if alive(child.pid):
        wrong.append("a process is left")
        os.killpg(child.pid, signal.SIGKILL)
    wrong += [f"tmp/{name} is left" for name in os.listdir(os.path.join(folder, "tmp"))]
    wrong += [f"{name} is left" for name in os.listdir(folder) if not KNOWN.match(name)]
    for run in sorted(os.listdir(os.path.join(folder, "runs")))[-3:]:
        wrong += [f"runs/{run}/{name} is left"
                  for name in os.listdir(os.path.join(folder, "runs", run)) if name not in KNOWN_OF_RUN]
    return figures, wrong


def growth(rows, name):
    """What a figure grows by in a cycle: early, and at the end. The first cycles make files, and are left out."""
    tenth = max(2, len(rows) // 10)
    early, late = rows[2:2 + tenth], rows[-tenth:]
    return [(part[-1][name] - part[0][name]) / max(1, len(part) - 1) for part in (early, late)]


def judge(rows):
    """What was not flat. Time is told and not judged: a machine has other things to do."""
    tenth = max(2, len(rows) // 10)
    wrong = []
    for name, allowed in (("memory_kib", 1.25), ("descriptors", 1.25)):
        early = statistics.median(row[name] for row in rows[2:2 + tenth])
        late = statistics.median(row[name] for row in rows[-tenth:])
        if late > allowed * early + 2:
            wrong.append(f"{name} went from {early:g} to {late:g}")
    early, late = growth(rows, "runs_bytes")
    if late > 1.5 * early + 4096:
        wrong.append(f"a run's folders took {early:.0f} bytes, and {late:.0f} at the end")
    if rows[-1]["anchor_bytes"] > rows[1]["anchor_bytes"]:
        wrong.append("what is kept of executables has grown")
    return wrong


def table(rows):
    print("| cycles | s a cycle | processor s | memory | descriptors | runs/ | results.db |\n|---|---|---|---|---|---|---|")
    tenth = max(1, len(rows) // 10)
    for end in range(tenth, len(rows) + 1, tenth):
        part = rows[end - tenth:end]
        middle = {name: statistics.median(row[name] for row in part) for name in part[0]}
        print(f"| {end} | {middle['seconds']:.3f} | {middle['processor_s']:.3f} | {middle['memory_kib'] / 1024:.1f} MiB | "
              f"{middle['descriptors']:.0f} | {part[-1]['runs_bytes'] / 1e6:.2f} MB | {part[-1]['db_bytes'] / 1e6:.2f} MB |")


def main():
    if len(sys.argv) != 4 or not sys.argv[3].isdigit() or int(sys.argv[3]) < 4:
        print("usage: tests/soak.py BENCH FOLDER CYCLES (4 or more)", file=sys.stderr)
        return 2
    bench, folder, cycles = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
    shutil.rmtree(os.path.join(folder, "tmp"), ignore_errors=True)
    os.makedirs(os.path.join(folder, "tmp"))
    rows = []
    with open(os.path.join(folder, "soak.tsv"), "w", encoding="utf-8") as tsv:
        for number in range(cycles):
            figures, wrong = cycle(bench, folder, number)
            rows.append(figures)
            if number == 0:
                tsv.write("\t".join(["cycle", *figures]) + "\n")
            tsv.write("\t".join([str(number), *(f"{value:.6g}" for value in figures.values())]) + "\n")
            tsv.flush()
            if wrong:
                print(f"soak: cycle {number}: " + "; ".join(wrong), file=sys.stderr)
                return 1
    table(rows)
    wrong = judge(rows)
    for text in wrong:
        print(f"soak: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
