# SPDX-License-Identifier: MIT
"""The commands that the areas spoil: on stored data, and those that measure."""
import collections

from lab import GATE, KILLED, NEXT, UNLOGGED

# reads: it changes nothing, and its output can be compared. measures: what it leaves depends on the clock.
Command = collections.namedtuple("Command", "name argv reads measures")

# Of the alarm of the stored data.
CASE = "gemm/openblas:cpu-amd-26-2/dtype=f32,m=32,n=32,k=32,trans=NN,alpha=1,beta=0,batch=1"


def _read(*argv):
    return Command(" ".join(argv), list(argv), True, False)


def _write(*argv):
    return Command(" ".join(argv), list(argv), False, False)


READING = [
    _read("list", "runs", "--format", "json"),
    _read("list", "metrics", "gemm/*"),
    _read("list", "suites"),
    _read("list", "cases", "--suite", "null"),
    *(_read("show", GATE, "--format", form) for form in ("table", "json", "csv", "markdown")),
    _read("show", f"runs/{KILLED}", "--format", "json"),
    _read("show", f"runs/{NEXT}"),
    _read("history", "gemm/openblas:*", "--format", "json"),
    _read("history", "*/time", "--changepoints"),
    _read("baseline", "list", "--format", "json"),
    _read("baseline", "accepted"),
    _read("alarms", "list", "--all"),
    _read("alarms", "show", "1", "--format", "json"),
    _read("fleet", "gate", "night.2", "--format", "json"),
    _read("log", GATE, "--baseline", "main"),
    _read("log", "--list", "EXPERIMENTS.md", "--format", "json"),
    _read("log", GATE, "--show", "EXPERIMENTS.md"),
    _read("export", GATE, "--to", "csv"),
    _read("export", GATE, "--samples", "--to", "jsonl"),
    _read("changepoints", "series.csv", "--format", "json"),
    _read("run", "--suite", "null", "--dry-run"),
    _read("run", "--help"),
    _read("--version"),
]

WRITING = [
    *(_write("compare", GATE, "--baseline", "main", "--format", form) for form in ("table", "json", "junit", "github")),
    _write("ingest", f"runs/{GATE}", f"runs/{NEXT}", "--db", "new.db"),
    _write("ingest", f"runs/{KILLED}"),
    _write("import", "results.txt"),
    _write("baseline", "set", "other", GATE, NEXT),
    _write("baseline", "rm", "main"),
    _write("baseline", "accept", "gemm/*n=32*", "--since", GATE, "--why", "it is right"),
    _write("alarms", "accept", "1", "--why", "it is right"),
    _write("runs", "rename", CASE, CASE.replace("gemm/", "product/")),
    _write("log", UNLOGGED, "--append", "EXPERIMENTS.md"),
    _write("log", "--index", "EXPERIMENTS.md"),
    _write("log", GATE, "--rewrite", "EXPERIMENTS.md", "--result", "It is right."),
    _write("prune", "--older", "0", "--yes"),
    _write("plot", "trend", "-o", "trend.svg", "--metric", "gemm/*n=64*/flop_rate"),
    _write("plot", "scaling", GATE, "-o", "scaling.svg"),
    _write("report", "--out", "pages"),
]

BACKUP = [_write("db", "backup", "backup.db"), _write("db", "repair")]

QUICK = ["--suite", "null", "--set", "spin=1000", "-k", "2", "--budget", "0.2s", "--watch", "no"]
NIGHT = ["gate", "--suite", "null", "--set", "spin=1000", "-k", "3", "--budget", "0.5s", "--threshold", "20%", "--watch", "no"]
RUN = Command("run", ["run", "--energy", "--counters"] + QUICK, False, True)
WHY = Command("why", ["why", "bench", "bench"] + QUICK, False, True)
FIRST_NIGHT = Command("gate, first night", NIGHT, False, True)
ROLLING = Command("gate --baseline", NIGHT + ["--baseline", "rolling:3"], False, True)


def chosen(lab, commands):
    """Those that --only leaves."""
    return [command for command in commands if lab.only in command.name]


def reading(lab):
    return chosen(lab, READING + ([_read("db", "check")] if "db" in lab.verbs else []))


def writing(lab):
    """All that write stored data; those of `bench db` where there is one."""
    return chosen(lab, WRITING + (BACKUP if "db" in lab.verbs else []))
