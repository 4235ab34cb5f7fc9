# SPDX-License-Identifier: MIT
"""
scripts/compare_frameworks: bench and the frameworks in turns, a fresh process of each in every invocation, and what
came out as one run of the history. It needs Python alone; the frameworks have an environment of their own.
"""

import argparse
import csv
import datetime
import json
import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import shapes
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
PEERS = {
    "cpu": ["numpy", "scipy", "mkl", "pytorch", "jax", "tinygrad"],
    "gpu": ["pytorch", "cupy", "jax", "tinygrad"],
}
# Of bench; and a library beside them, where the suite has an operation of its.
BACKENDS = {"cpu": ["opencl:cpu", "openblas"], "gpu": ["opencl:gpu"]}
BESIDE = {"cpu": {"conv2d": ["openblas+onednn"]}, "gpu": {}}
# Variables that choose kernels or threads of a library; a comparison is with what each does by itself.
UNSET = ["OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_BLOCK_FACTOR", "MKL_DEBUG_CPU_TYPE", "NVIDIA_TF32_OVERRIDE"]
FIELDS = [
    "metric",
    "unit",
    "better",
    "invocation",
    "value",
    "flops",
    "bytes",
    "items",
    "iterations",
    "status",
    "reason",
]


BEGUN = time.monotonic()


def say(text):
    print(f"compare_frameworks: {text}", file=sys.stderr, flush=True)


def note(log, text):
    """Into the log, with the time: what took how long."""
    print(f"{time.monotonic() - BEGUN:7.1f} s  {text}", file=log, flush=True)


class GiveUp(Exception):
    """What is wrong outside the program: exit status 5."""


def environment():
    return {name: value for name, value in os.environ.items() if name not in UNSET}


def arguments(argv):
    parser = argparse.ArgumentParser(
        prog="scripts/compare_frameworks",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measures works by bench and by the frameworks, in turns, and prints the ratios.",
        epilog="A WORK is a suite and its parameters, as bench run takes them:\n"
        "  scripts/compare_frameworks 'gemm dtype=f16 n=1024,4096' 'spmv matrix=web.mtx kernel=auto'\n"
        "Exit status 0; 2 usage; 4 a result was wrong; 5 something could not be run.",
    )
    add = parser.add_argument
    add(
        "works",
        metavar="WORK",
        nargs="*",
        help="what to measure, after what --list has (default: the list of the device)",
    )
    add("--list", metavar="FILE", help="a file of works, a line each, or one of the script's: cpu.works, gpu.works")
    add("--random", type=int, metavar="N", help="N products that nobody chose, N/5 convolutions and N/10 vectors, besides WORKs")
    add("--seed", type=int, default=1, metavar="S", help="what they are drawn from (default: 1)")
    add("--device", choices=["cpu", "gpu"], help="default: gpu where bench sees one")
    add("--peers", metavar="P,..", help="frameworks (default: all that are known for the device)")
    add("--backends", metavar="B,..", help="of bench (default: its own, and the libraries that it knows)")
    add("--bench", metavar="FILE", default=os.environ.get("BENCH", str(ROOT / "scripts" / "bench")))
    add("--python", metavar="FILE", help="an interpreter that has the frameworks; nothing is installed then")
    add("--environment", metavar="DIR", help="of the frameworks (default: ~/.cache/bench/frameworks/DEVICE)")
    add("--invocations", type=int, default=3, metavar="K", help="fresh processes (default: 3)")
    add("--seconds", type=float, default=0.3, metavar="S", help="of sampling, a case and a process (default: 0.3)")
    add("--time-limit", type=float, default=15, metavar="S", help="for a work of a framework (default: 15)")
    add("--out", metavar="DIR", help="a new folder for all results (default: comparison-TIME)")
    add("--db", metavar="FILE", help="the history (default: results.db)")
    add("--runs-dir", metavar="DIR", help="where run folders are (default: runs)")
    add("--no-store", action="store_true", help="leave the history alone")
    add("--document", nargs="+", metavar="DIR", help="write these results into docs/comparison.md, and measure nothing")
    options = parser.parse_args(argv)
    if options.invocations < 1 or not 0 < options.seconds < 600 or not 0 < options.time_limit < 86400:
        parser.error("--invocations is 1 or more, --seconds and --time-limit are positive")
    if options.random is not None and not 1 <= options.random <= 10000:
        parser.error("--random is from 1 to 10000")
    if options.seed != 1 and options.random is None:
        parser.error("--seed says what --random draws")
    for name in (options.peers or "").split(","):
        if options.peers and not re.fullmatch("[a-z0-9_]+", name):
            parser.error(f"--peers: '{name}' is no framework: {', '.join(sorted({*PEERS['cpu'], *PEERS['gpu']}))}")
    for work in options.works:
        check_work(parser, work)
    return options


def check_work(parser, work):
    try:
        words = shlex.split(work)
    except ValueError as why:
        parser.error(f"WORK {work!r}: {why}")
    if not words or not all("=" in word for word in words[1:]):
        parser.error(f"WORK {work!r}: expected a suite and its parameters, as in 'gemm dtype=f16 n=1024,4096'")


def prepare_environment(options, device):
    """The interpreter of the frameworks: made from the lock file, once for each content of it."""
    if options.python:
        return shutil.which(options.python) or options.python
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(options.environment or cache / "bench" / "frameworks" / device)
    lock, made, python = HERE / f"{device}.lock", folder / "lock", folder / "bin" / "python3"
    if made.exists() and made.read_bytes() == lock.read_bytes():
        return str(python)
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise GiveUp(f"{folder} has other things in it: name an empty folder, or one that does not exist")
    say(f"installing {lock.name} into {folder}; this downloads some gigabytes")
    steps = [
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [
            str(python),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--require-hashes",
            "--only-binary=:all:",
            "-r",
            str(lock),
        ],
    ]
    for step in steps:
        if subprocess.run(step, env=environment(), check=False).returncode:
            raise GiveUp(f"{shlex.join(step)} failed; --python takes an interpreter that has the frameworks")
    shutil.copy(lock, made)
    return str(python)


class Framework:
    """A process with one framework, which measures works as it is asked to."""

    def __init__(self, name, python, device, log):
        self.name, self.log, self.hello = name, log, {}
        self.command = [python, "-B", "-u", str(HERE / "server.py"), name, device]
        self.begin()

    def begin(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment()
        )

    def line(self, seconds):
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            text = self.process.stdout.readline() if selector.select(seconds) else None
        if not text:
            ended = "its process ended; frameworks.log has what it printed"
            return None, f"no answer within {seconds} s" if text is None else ended
        return json.loads(text), ""

    def start(self):
        """Waits until it is ready; gives what it lacks, or an empty text."""
        hello, why = self.line(120)
        why = why or hello.get("missing", "")
        self.hello = self.hello if why else hello
        note(self.log, f"{self.name}: {why or hello}")
        return why

    def ask(self, request, seconds):
        """The answers; where there is none in time, a failure, and the process is started anew."""
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            answers, why = self.line(seconds)
        except OSError as broken:
            answers, why = None, f"its process has ended: {broken}"
        if answers:
            return answers
        self.stop()
        self.begin()
        self.start()
        return [{"way": "", "status": "failed", "reason": why}]

    def stop(self):
        self.process.kill()
        self.process.communicate()


def words_of(line):
    """The suite, its settings, and what else a line may say: backends=.. of bench, peers=.. of the others."""
    suite, *words = shlex.split(line)
    said = dict(word.split("=", 1) for word in words if word.startswith(("backends=", "peers=")))
    return suite, [word for word in words if word.split("=")[0] not in said], said


def paths_of(sets):
    """Of each value of `matrix` that is a path: what the key has of it, and the path."""
    values = [value for text in sets if text.startswith("matrix=") for value in text[7:].split(",")]
    return {Path(value).name: os.path.abspath(value) for value in values if "/" in value or ".mtx" in value}


def make_folder(asked):
    """A new one: that which was asked for, or comparison-TIME, with a number where there is one of this second."""
    if asked:
        Path(asked).mkdir(parents=True)
        return Path(asked)
    when = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    for number in range(1, 100):
        folder = Path(f"comparison-{when}" + (f"-{number}" if number > 1 else ""))
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            pass
    raise FileExistsError(f"comparison-{when} and the 98 after it are there")


class Comparison:
    def __init__(self, options):
        self.options = options
        self.bench = shlex.split(options.bench)
        self.device = options.device or self.device_here()
        self.python = None  # once it is known that there is something to measure
        self.peers = (options.peers or ",".join(PEERS[self.device])).split(",")
        self.out = make_folder(options.out)
        self.given_up = set()  # (framework, work) that is not asked for again
        self.rows = {}  # of the frameworks: (suite, backend, device, params) -> rows
        self.facts = {}  # of a work: flops, bytes, items
        self.versions, self.missing, self.refused, self.host = {}, {}, {}, ""
        self.log = open(self.out / "frameworks.log", "w", encoding="utf-8")

    def run(self, *words, **keywords):
        return subprocess.run(
            self.bench + list(words),
            env=environment(),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            **keywords,
        )

    def selection(self, line):
        """The options of bench run that say what a line measures."""
        suite, sets, said = words_of(line)
        backends = (
            said.get("backends")
            or self.options.backends
            or ",".join(BACKENDS[self.device] + BESIDE[self.device].get(suite, []))
        )
        return ["--suite", suite, "--backend", backends, "--project", "no", "--preset", "nightly"] + [
            word for text in sets for word in ("--set", text)
        ]

    def device_here(self):
        answer = self.run("list", "devices", "--format", "json")
        if answer.returncode:
            raise GiveUp(f"{shlex.join(self.bench)} list devices: {answer.stderr.strip()}")
        return "gpu" if any(device["kind"] == "gpu" for device in json.loads(answer.stdout)) else "cpu"

    def cases(self, line):
        """What bench makes of a line: how many cases, and [(suite, params)], each work once."""
        answer = self.run("run", "--dry-run", *self.selection(line))
        if answer.returncode:
            self.refused[line] = answer.stderr.strip().removeprefix("bench: ")
            return 0, []
        keys, works = answer.stdout.split(), {}
        for key in keys:
            suite, _, params = key.split("/", 2)
            params = dict(pair.split("=", 1) for pair in params.split(","))
            works.setdefault(table.work_of(suite, params), (suite, params))
        return len(keys), list(works.values())

    def own(self, line, count, invocation, index):
        """One invocation of bench's backends on the works of a line; leaves a CSV of all samples."""
        folder = self.out / "own"
        answer = self.run(
            "run",
            *self.selection(line),
            "--invocations",
            "1",
            "--no-store",
            "--runs-dir",
            str(folder),
            "--budget",
            f"{max(1.0, count * self.options.seconds):.1f}s",
            "--format",
            "json",
        )
        print(answer.stderr, file=self.log)
        note(self.log, f"bench: {line}")
        try:
            run = json.loads(answer.stdout)
        except ValueError:
            self.refused[line] = answer.stderr.strip()[-300:]
            return
        exported = self.run("export", str(folder / run["run"]["id"]), "--to", "csv")
        self.keep_own(exported.stdout, invocation, index)
        for device in run["devices"]:
            self.versions[device["backend"]] = device["driver"]
            gpu = device["name"] + "; " if device["kind"] == "gpu" else ""
            self.host = f"{gpu}{run['host']['cpu']}, {run['host']['cores']} cores"

    def keep_own(self, text, invocation, index):
        """The same CSV under this invocation's number; the work that bench says goes to the frameworks' rows."""
        rows = list(csv.DictReader(text.splitlines()))
        for row in rows:
            work = table.work_of(row["suite"], table.params_of(row))
            self.facts.setdefault(work, {name: row[name] for name in ("flops", "bytes", "items")})
            row["invocation"] = invocation if row["metric"] else ""
        if rows:
            with open(self.out / f"own-{index:02d}-{invocation}.csv", "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, rows[0].keys())
                writer.writeheader()
                writer.writerows(rows)

    def keep(self, peer, suite, params, answers, invocation):
        for answer in answers:
            backend = peer.name + ("+" + answer["way"] if answer["way"] else "")
            key = (suite, backend, peer.hello["device"], tuple(params.items()))
            rows = self.rows.setdefault(key, [])
            if answer["status"] != "ok":
                if answer["status"] != "unsupported":
                    say(f"{backend}, {table.title(suite, params)}: {answer['status']}: {answer['reason']}")
                rows.append({"status": answer["status"], "reason": answer["reason"]})
                continue
            for metric, values in answer["samples"].items():
                better = "lower" if metric in ("time", "device_time") else "none"
                for value in values:
                    rows.append(
                        {
                            "metric": metric,
                            "unit": "s",
                            "better": better,
                            "invocation": invocation,
                            "value": repr(value),
                            "iterations": answer["iterations"],
                        }
                    )

    def write_rows(self):
        """A CSV a suite, since each has parameters of its own. A case that failed once has no samples."""
        for suite in sorted({key[0] for key in self.rows}):
            keys = [key for key in self.rows if key[0] == suite]
            names = ["param." + name for name, _ in keys[0][3]]
            with open(self.out / f"frameworks-{suite}.csv", "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, ["name", "suite", "backend", "device"] + names + FIELDS)
                writer.writeheader()
                for key in keys:
                    _, backend, device, params = key
                    bad = [row for row in self.rows[key] if "status" in row]
                    start = {"suite": suite, "backend": backend, "device": device}
                    start.update(("param." + name, value) for name, value in params)
                    start.update(self.facts.get(table.work_of(suite, dict(params)), {}))
                    writer.writerows({**start, **row} for row in (bad[:1] or self.rows[key]))

    def start_peers(self):
        started = [Framework(name, self.python, self.device, self.log) for name in self.peers]
        ready = []
        for peer in started:
            why = peer.start()
            if not why:
                self.versions[peer.name] = peer.hello["version"]
                ready.append(peer)
                continue
            peer.stop()
            if peer.name not in self.missing:
                say(f"{peer.name} is missing: {why}")
            self.missing[peer.name] = why
        return ready

    def invocation(self, number, plan):
        peers = self.start_peers()
        order = [None] + peers
        for index, (line, count, cases) in enumerate(plan):
            # Who begins takes turns, so that no one always has the device as another left it.
            turn = (number + index) % len(order)
            _, sets, said = words_of(line)
            for peer in order[turn:] + order[:turn]:
                if peer is None:
                    self.own(line, count, number, index)
                    continue
                if peer.name not in said.get("peers", peer.name).split(","):
                    continue
                for suite, params in cases:
                    request = {
                        "suite": suite,
                        "params": params,
                        "seconds": self.options.seconds,
                        "path": paths_of(sets).get(params.get("matrix")),
                    }
                    key = peer.name, table.work_of(suite, params)
                    if key not in self.given_up:
                        answers = peer.ask(request, self.options.time_limit)
                        note(self.log, f"{peer.name}: {key[1]}: {[answer['status'] for answer in answers]}")
                        self.given_up.update([key] if answers[0]["status"] != "ok" else [])
                        self.keep(peer, suite, params, answers, number)
            say(f"{number + 1} of {self.options.invocations}: {line}")
        for peer in peers:
            peer.stop()

    def measure(self, lines):
        plan = [(line, *self.cases(line)) for line in lines]
        plan = [entry for entry in plan if entry[2]]
        for line, why in self.refused.items():
            say(f"bench refuses '{line}': {why}")
        if lines and not plan:
            raise GiveUp("nothing to measure: bench refuses all of it")
        self.python = prepare_environment(self.options, self.device)
        try:
            for number in range(self.options.invocations):
                self.invocation(number, plan)
        finally:
            self.write_rows()
            self.write_facts()

    def command(self):
        """What measures the same again, wherever bench, the frameworks and the results lie."""
        words = ["scripts/compare_frameworks", "--device", self.device, "--seconds", f"{self.options.seconds:g}"]
        words += ["--peers", self.options.peers] if self.options.peers else []
        words += ["--list", Path(self.options.list).name] if self.options.list else []
        words += ["--random", str(self.options.random), "--seed", str(self.options.seed)] if self.options.random else []
        works = [re.sub(r"[^ =,]*/([^ =,/]+\.mtx)", r"\1", work) for work in self.options.works]
        return shlex.join(words + works)

    def write_facts(self):
        facts = {
            "device": self.device,
            "versions": self.versions,
            "missing": self.missing,
            "refused": self.refused,
            "invocations": self.options.invocations,
            "seconds": self.options.seconds,
            "random": self.options.random,
            "command": self.command(),
            "date": datetime.date.today().isoformat(),
            "host": self.host,
        }
        (self.out / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")

    def store(self):
        files = sorted(str(path) for path in self.out.glob("*.csv"))
        labels = [f"{name}={version}" for name, version in sorted(self.versions.items()) if name in self.peers]
        words = ["import", *files, "--together", "--from", "csv", "--project", "no"]
        words += [word for label in labels for word in ("--label", label)]
        words += ["--runs-dir", self.options.runs_dir] if self.options.runs_dir else []
        words += ["--db", self.options.db] if self.options.db else []
        words += ["--no-store"] if self.options.no_store else []
        answer = self.run(*words)
        if answer.returncode:
            raise GiveUp(f"bench import: {answer.stderr.strip()}")
        say((answer.stderr.strip() or answer.stdout.strip()).removeprefix("bench: "))


def lines_of(options, device):
    drawn = shapes.lines(device, options.random, options.seed) if options.random else []
    if (options.works or drawn) and not options.list:
        return options.works + drawn
    path = Path(options.list or f"{device}.works")
    path = path if path.exists() or path.parent != Path(".") else HERE / path
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")] + options.works + drawn


def plot(bench, pair, picture):
    """The ratios with their intervals, by bench itself: the fastest of the others is the baseline."""
    shutil.rmtree(pair / "runs", ignore_errors=True)
    (pair / "results.db").unlink(missing_ok=True)
    history = ["--db", str(pair / "results.db"), "--runs-dir", str(pair / "runs"), "--project", "no"]
    for words in (
        ["import", str(pair / "best.csv"), "--from", "csv"],
        ["baseline", "set", "fastest-other", "last"],
        ["import", str(pair / "ours.csv"), "--from", "csv"],
        ["plot", "compare", "last", "--baseline", "fastest-other", "--allow-env-change", "-o", str(picture)],
    ):
        answer = subprocess.run(bench + words + history, env=environment(), capture_output=True, text=True, check=False)
        if answer.returncode:
            raise GiveUp(f"bench {words[0]}: {answer.stderr.strip()}")


def interrupt_once(number, _):
    """What was measured is written also where the signal comes twice: from the terminal, and from who started this."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def main(argv):
    signal.signal(signal.SIGINT, interrupt_once)
    signal.signal(signal.SIGTERM, interrupt_once)
    options = arguments(argv)
    comparison = None
    try:
        if options.document:
            table.document(ROOT, options.document, lambda *words: plot(shlex.split(options.bench), *words))
            return 0
        comparison = Comparison(options)
        comparison.measure(lines_of(options, comparison.device))
        print(table.text(comparison.out))
        comparison.store()
    except KeyboardInterrupt:
        say("interrupted")
        if comparison and comparison.python:
            say("this is what there is")
            print(table.text(comparison.out))
        return 130
    except (GiveUp, OSError, ValueError) as why:
        say(why)
        return 5
    wrong = any(row.get("status") == "incorrect" for rows in comparison.rows.values() for row in rows)
    return 4 if wrong else 0
