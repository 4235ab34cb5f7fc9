# SPDX-License-Identifier: MIT
"""Hooks of alarms that hang, flood, fork or fail: the gate says the same, in the same time, and no event is lost."""
import json
import shutil
import statistics
import subprocess
import threading
import time

from calls import check_database
from lab import LEFT, LOST, STATUS, Result, wait_for_end

GATE = ["gate", "--suite", "null", "--preset", "nightly", "--set", "spin=1000", "-k", "4", "--budget", "3s", "--precision", "50%",
        "--watch", "no", "--threshold", "900%", "--baseline", "rolling:2"]

# What a hook does wrong; None: there is none.
FAULTY = {
    "none": None,
    "exit": "echo 'the chat is down' >&2\nexit 1\n",
    "hang": "trap '' TERM HUP INT\nwhile :; do sleep 600; done\n",
    "flood": "head -c 300M /dev/zero\nyes >&2\n",
    "fork": "for i in 1 2 3 4 5 6 7 8; do\n"
            "setsid bash -c \"trap '' TERM HUP; (exec -a bench-left sleep 600) & exec -a bench-left sleep 600\" &\ndone\nexit 1\n",
}


def _hook(path, lines):
    path.write_text("#!/bin/bash\n" + lines)
    path.chmod(0o755)


def _history(lab):
    """A folder with two nights a hundred times as fast as this machine."""
    folder = lab.folder()
    result = lab.run(["run"] + GATE[1:-4], folder)
    assert result.status == 0, result.err
    run = json.loads(next((folder / "runs").glob("*/metrics.json")).read_text())
    for metric in (metric for one in run["results"] for metric in one["metrics"]):
        for series in metric["samples"]:
            series["values"] = [value * 0.01 for value in series["values"]]
    shutil.rmtree(folder / "runs")
    for path in folder.glob("results.db*"):
        path.unlink()
    for day in (1, 2):
        start = 1767225600 + 86400 * day
        run["run"].update(id=f"2026010{day}-000000", started=start, finished=start + 60)
        (folder / f"week/{day}").mkdir(parents=True)
        (folder / f"week/{day}/metrics.json").write_text(json.dumps(run))
    result = lab.run(["ingest", "week/1", "week/2"], folder)
    assert result.status == 0, result.err
    _hook(folder / "record", "cat >>events\n")
    for name, lines in FAULTY.items():
        if lines:
            _hook(folder / name, lines)
    return folder


def _gate(lab, folder, name):
    """The gate's result, and the seconds after which it had said its verdict."""
    argv = GATE + ([] if name == "none" else ["--on-alarm", "./" + name])
    start, said, verdict = time.monotonic(), [], None
    with open(folder / "out", "wb") as out:
        process = subprocess.Popen([str(lab.top / "bin/bench")] + argv, cwd=folder, env=dict(lab.environment, FAULT_TRY=folder.name),
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True, start_new_session=True)
        for line in process.stderr:
            said.append(line)
            if line.startswith("gate: "):
                verdict = time.monotonic() - start
                yield verdict
        process.wait()
    if verdict is None:
        yield None
    yield Result(["bench"] + argv, process.returncode, (folder / "out").read_bytes(), "".join(said), False, time.monotonic() - start)


def hooks(lab, seconds):
    """Gates with faulty hooks beside gates without any."""
    history = _history(lab)
    names = list(FAULTY) * (4 if lab.short else 125)
    lab.random.shuffle(names)
    machine = threading.Semaphore(2)  # gates that measure at a time; a hook that hangs needs no processor
    undecided = []
    verdicts, ends = {name: [] for name in FAULTY}, {name: [] for name in FAULTY}

    def one(name, again=3):
        folder = lab.folder(history)
        with machine:
            steps = _gate(lab, folder, name)
            verdict = next(steps)
        result = next(steps)
        if result.status == 6 and "gate: SUSPECTED" in result.err and again:  # the machine was too busy for a second look
            undecided.append(name)
            shutil.rmtree(folder)
            return one(name, again - 1)
        lab.tried("hooks")
        what = f"a hook: {name}"
        if result.status != 1 or "new alarm 1" not in result.out.decode() or verdict is None:
            lab.finding("hooks", STATUS, f"{what}: exit status {result.status}", result, folder)
        else:
            verdicts[name].append(verdict)
            ends[name].append(result.seconds - verdict)
        if not wait_for_end(folder, 15):  # the limit of a hook, with its grace
            lab.finding("hooks", LEFT, f"{what}: a process goes on", result, folder)
        # Whoever is told next gets what nobody was told.
        if name != "none":
            accepted = lab.run(["alarms", "accept", "1", "--why", "so", "--on-alarm", "./record"], folder)
            events = (folder / "events").read_text() if (folder / "events").exists() else ""
            if accepted.status != 0 or events.count('"event":"opened"') != 1 or events.count('"event":"accepted"') != 1:
                lab.finding("hooks", LOST, f"{what}: an event", accepted, folder)
        if check_database(lab, "hooks", what, result, folder):
            shutil.rmtree(folder)

    lab.each(names, one, seconds, threads=12)

    def median(values):
        return f"{statistics.median(values):.2f}" if values else "-"

    def most(values):
        return f"{max(values):.2f}" if values else "-"

    return "seconds to the verdict, and from it to the end (median, most): " + "; ".join(
        f"{name} {median(verdicts[name])} ({most(verdicts[name])}), {median(ends[name])} ({most(ends[name])}), {len(verdicts[name])} gates"
        for name in FAULTY) + f"; {len(undecided)} gates that a busy machine left undecided ran again"
