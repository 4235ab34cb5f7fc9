#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is a regression found on main whatever was measured on branches?

    scripts/lib/history_lines.py BENCH TRIALS

Makes histories over real repositories in a temporary folder (branches beside main, merges, a rebase, a shallow clone,
commits that are measured late), with and without a step of 10% on main, and prints as a Markdown table how often
`bench compare --baseline rolling:10` and `bench history --changepoints` found it, and how often they accused
unchanged code. The runs are copies of one short run, with values that are drawn: nights differ by 1%, the invocations of
a night by 0.3%.
"""

import copy
import glob
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

BEFORE, AFTER, BRANCH, STEP = 12, 6, 12, 1.1
GIT = ["git", "-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"]
METRIC = "null/host:cpu/spin=1000/time"


class History:
    """A repository, and the runs of its commits, one a day."""

    def __init__(self, bench, one, folder, seed):
        self.bench, self.one, self.folder = bench, one, folder
        self.random = random.Random(seed)
        self.runs = []
        os.makedirs(folder)
        self.git("init", "-q")

    def git(self, *words):
        done = subprocess.run([*GIT, "-C", self.folder, *words], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, count=1):
        """Commits to what is checked out; the names of them."""
        made = []
        for _ in range(count):
            self.git("commit", "-q", "--allow-empty", "-m", f"commit {self.random.random()}")
            made.append(self.git("rev-parse", "HEAD"))
        return made

    def night(self, commit, branch, level):
        """Measures a commit; the id of the run."""
        number = len(self.runs) + 1
        run = copy.deepcopy(self.one)
        run["run"].update(id=f"n{number}", started=86400 * number, finished=86400 * number + 5)
        run["git"] = {"commit": commit, "branch": branch, "dirty": False, "dirty_files": []}
        run["host"]["executable"] = commit
        for metric in [metric for result in run["results"] for metric in result["metrics"]]:
            center = math.log(1e-6 * level) + self.random.gauss(0, 0.01)
            metric["samples"] = [
                {"invocation": i, "values": [math.exp(center + self.random.gauss(0, 0.003))]} for i in range(8)
            ]
        self.runs.append(run)
        return f"n{number}"

    def ingest(self):
        folders = []
        for run in self.runs:
            folders.append(os.path.join(self.folder, "runs", run["run"]["id"]))
            os.makedirs(folders[-1])
            with open(os.path.join(folders[-1], "metrics.json"), "w", encoding="utf-8") as file:
                json.dump(run, file)
        self.ask("ingest", *folders)

    def ask(self, *words):
        done = subprocess.run(
            [self.bench, *words, "--db", os.path.join(self.folder, "results.db")],
            cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"history_lines.py: bench {' '.join(words)}: {done.stderr}")
        return done.stdout


def unmerged(history, step, level):
    """A branch that is measured every night beside main, before the step and after it."""
    main = history.commit(BEFORE)
    history.git("checkout", "-q", "-b", "branch")
    branch = history.commit(BRANCH)
    history.git("checkout", "-q", "main")
    for commit, other in zip(main, branch):
        history.night(commit, "main", 1)
        history.night(other, "branch", level)
    runs = []
    for commit, other in zip(history.commit(AFTER), branch):
        runs.append(history.night(commit, "main", step))
        history.night(other, "branch", level)
    return runs[0]


def merged(history, step, level):
    """A branch at another level is merged: main has the step from the merge on."""
    for commit in history.commit(BEFORE):
        history.night(commit, "main", 1)
    history.git("checkout", "-q", "-b", "branch")
    for commit in history.commit(BRANCH):
        history.night(commit, "branch", level)
    history.git("checkout", "-q", "main")
    history.git("merge", "-q", "--no-ff", "-m", "merge", "branch")
    first = history.night(history.git("rev-parse", "HEAD"), "main", step)
    for commit in history.commit(AFTER - 1):
        history.night(commit, "main", step)
    return first


def shallow(history, step, level):
    """The same in a clone of one commit."""
    first = merged(history, step, level)
    whole = history.folder + ".whole"
    os.rename(history.folder, whole)
    subprocess.run([*GIT, "clone", "-q", "--depth", "1", "file://" + whole, history.folder], check=True)
    shutil.rmtree(whole)
    return first


def rebased(history, step, level):
    """A branch beside main; then main is written anew, and its old commits are gone."""
    main = history.commit(BEFORE)
    history.git("checkout", "-q", "-b", "branch")
    branch = history.commit(BRANCH)
    for commit, other in zip(main, branch):
        history.night(commit, "main", 1)
        history.night(other, "branch", level)
    history.git("checkout", "-q", "--orphan", "again")
    again = history.commit(AFTER)
    history.git("branch", "-q", "-D", "main", "branch")
    history.git("branch", "-q", "-m", "main")
    history.git("reflog", "expire", "--expire=now", "--all")
    history.git("gc", "-q", "--prune=now")
    return [history.night(commit, "main", step) for commit in again][0]


def late(history, step, level):
    """Old commits of main are measured after the step, in turns with new ones and a branch."""
    main = history.commit(BEFORE)
    history.git("checkout", "-q", "-b", "branch")
    branch = history.commit(BRANCH)
    history.git("checkout", "-q", "main")
    after = history.commit(AFTER)
    for commit in main[::2]:
        history.night(commit, "main", 1)
    first = history.night(after[0], "main", step)
    for commit, old, other in zip(after[1:], main[1::2], branch):
        history.night(other, "branch", level)
        history.night(old, "main", 1)
        history.night(commit, "main", step)
    history.night(main[-1], "main", 1)
    return first


HISTORIES = [
    ("a slow branch (+77%) beside main", unmerged, 1.77),
    ("a fast branch (-50%) beside main", unmerged, 0.5),
    ("a branch with the step is merged", merged, STEP),
    ("a branch that was slow (+77%) is merged", merged, 1.77),
    ("the same in a shallow clone", shallow, 1.77),
    ("main is rebased, beside a slow branch", rebased, 1.77),
    ("old commits are measured late, beside a slow branch", late, 1.77),
]


def is_slower(history, run, *words):
    """Does a run of the step say so, of the metric that is looked at?"""
    verdicts = json.loads(history.ask("compare", run, "--baseline", "rolling:10", "--format", "json", *words))
    return any(verdict["verdict"] == "slower" for verdict in verdicts["verdicts"] if verdict["key"] == METRIC)


def changes(history, *words):
    """The runs at which the metric's level shifted."""
    return [row["run"] for row in json.loads(
        history.ask("history", METRIC, "--changepoints", "--format", "json", *words))]


def count(bench, one, folder, make, level, trials, step):
    """How many of these histories a comparison and the change points found; the same by all runs."""
    found = [0, 0, 0, 0]
    for trial in range(trials):
        history = History(bench, one, os.path.join(folder, "repository"), trial)
        first = make(history, step, level)
        history.ingest()
        for at, words in ((0, ()), (2, ("--branch", "any"))):
            found[at] += is_slower(history, first, *words)
            where = changes(history, *words)
            found[at + 1] += where == [first] if step != 1 else where != []
        shutil.rmtree(history.folder)
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: history_lines.py BENCH TRIALS")
    bench, trials = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    folder = tempfile.mkdtemp(prefix="bench-lines.")
    try:
        subprocess.run(
            [bench, "run", "--suite", "null", "--set", "spin=0,1000", "-k", "1", "--budget", "0.1s", "--watch", "no",
             "--no-store", "--runs-dir", "one"], cwd=folder, check=True, capture_output=True)
        with open(glob.glob(os.path.join(folder, "one", "*", "metrics.json"))[0], encoding="utf-8") as file:
            one = json.load(file)
        print(f"Of {trials} histories each. By line of history, and by all runs (`--branch any`).\n")
        print("| history | step of 10%: `slower` | change point at its commit | unchanged: `slower` | change points "
              "| all runs, step: `slower` | change point at its commit | all runs, unchanged: `slower` | change points |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name, make, level in HISTORIES:
            step = count(bench, one, folder, make, level, trials, STEP)
            same = count(bench, one, folder, make, level, trials, 1)
            print(f"| {name} | {step[0]} | {step[1]} | {same[0]} | {same[1]} "
                  f"| {step[2]} | {step[3]} | {same[2]} | {same[3]} |", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
