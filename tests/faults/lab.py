# SPDX-License-Identifier: MIT
"""What every area of tests/faults/run stands on: a fixture to spoil, a way to run bench under a fault, and judges of what it left."""
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import tarfile
import tempfile
import threading
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
STATUSES = {0, 1, 2, 3, 4, 5, 6, 7, 130}
LIMIT = 60  # seconds after which a command hangs

# The columns of the table: what a finding is.
LOST, STATUS, BLAME, NONSENSE, CRASH, LEFT = COLUMNS = (
    "lost", "wrong exit status", "wrong blame", "unmarked nonsense", "crash or hang", "left over")

Result = collections.namedtuple("Result", "argv status out err hung seconds")

# Runs of tests/golden/stored.
GATE, NEXT, KILLED = "20261123-012308", "20261123-012305", "20261123-012343"
UNLOGGED = "20261123-012315"  # EXPERIMENTS.md has no entry of it


class Lab:
    """The program, the folder in which all tries live, and what was found."""

    def __init__(self, bench, shim, seed, short, keep):
        self.bench, self.shim, self.short = bench, shim, short
        self.only = ""
        self.seed = seed
        self.random = random.Random(seed)
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 1 << 30 else None
        self.top = Path(tempfile.mkdtemp(prefix="bench-faults.", dir=base))
        for above in self.top.parents:  # bench would take what it does from there
            if (above / ".bench.json").exists():
                self.top.rmdir()
                raise SystemExit(f"{above}/.bench.json is in the way: remove it")
        self.evidence = Path(keep)
        self.lock = threading.Lock()
        self.number = 0
        self.tries = collections.Counter()
        self.found = collections.Counter()
        self.skipped = {}
        self.kept = 0
        self.copies, self.pristine = collections.deque(), None
        (self.top / "bin").mkdir()
        (self.top / "cache").mkdir()
        (self.top / "home").mkdir()
        (self.top / "bin/bench").symlink_to(bench)
        gnuplot = self.top / "bin/gnuplot"  # stands in for it: the picture is the script
        gnuplot.write_text("#!/bin/sh\nexec cat\n")
        gnuplot.chmod(0o755)
        self.environment = {
            key: value for key, value in os.environ.items()
            if not key.startswith(("BENCH_", "FAULT_", "GITHUB_")) and key not in ("LD_PRELOAD", "COLUMNS")}
        self.environment.update(
            PATH=f"{self.top}/bin:{os.environ['PATH']}", HOME=str(self.top / "home"), LC_ALL="C", TZ="UTC",
            XDG_CACHE_HOME=os.environ.get("XDG_CACHE_HOME", str(self.top / "cache")), OMP_NUM_THREADS="1",
            OPENBLAS_NUM_THREADS="1", FAULT_TRY="-",
            LD_PRELOAD=str(shim))  # always: a run is resumed in the environment that it began in
        self.verbs = self._verbs()
        self._fixture()

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)

    # ---- running ----

    def folder(self, source=None):
        """A fresh folder for a try: a copy of one that the lab has, or empty."""
        with self.lock:
            self.number += 1
            path = self.top / f"try.{self.number}"
        if source:
            shutil.copytree(source, path, symlinks=True)
        else:
            path.mkdir()
        return path

    def borrow(self):
        """A copy of the stored data for a command that changes nothing; given back, it serves the next."""
        try:
            return self.copies.pop()
        except IndexError:
            return self.folder(self.stored)

    def give_back(self, folder):
        """False, and it is not used again, where it is not as it was."""
        now = dict(files_of(folder), db=hashlib.sha256((folder / "results.db").read_bytes()).hexdigest())
        if self.pristine is None:
            self.pristine = dict(files_of(self.stored), db=hashlib.sha256((self.stored / "results.db").read_bytes()).hexdigest())
        if now == self.pristine:
            self.copies.append(folder)
        return now == self.pristine

    def run(self, argv, folder, fault=None, limit=LIMIT, stdin=None, stdout=None, prefix=()):
        """bench ARGV in the folder. fault: variables of the shim; prefix: a command that starts it."""
        env = dict(self.environment, FAULT_TRY=folder.name)
        if fault is not None:
            env.update(FAULT_ROOT=str(folder), **{f"FAULT_{k}": str(v) for k, v in fault.items()})
        start = time.monotonic()
        process = subprocess.Popen(
            [*prefix, str(self.top / "bin/bench")] + [str(a) for a in argv], cwd=folder, env=env,
            stdin=subprocess.DEVNULL if stdin is None else stdin, stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE, start_new_session=True)
        hung = False
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            hung = True
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        return Result(["bench"] + [str(a) for a in argv], process.returncode, out or b"", err.decode(errors="replace"), hung,
                      time.monotonic() - start)

    def start(self, argv, folder, fault=None):
        """The same, but not waited for."""
        env = dict(self.environment, FAULT_TRY=folder.name)
        if fault is not None:
            env.update(FAULT_ROOT=str(folder), **{f"FAULT_{k}": str(v) for k, v in fault.items()})
        return subprocess.Popen(
            [str(self.top / "bin/bench")] + [str(a) for a in argv], cwd=folder, env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

    def each(self, items, work, seconds, threads=None):
        """work(item) for as many of the items as fit into so many seconds, on all processors. Returns how many were left."""
        deadline = time.monotonic() + seconds
        waiting = collections.deque(items)
        failures = []

        def loop():
            while time.monotonic() < deadline and not failures:
                try:
                    item = waiting.popleft()
                except IndexError:
                    return
                try:
                    work(item)
                except Exception as error:  # of the campaign itself: it ends, and is told
                    failures.append(error)
                    return

        with concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count() or 2) as pool:
            for _ in range(threads or os.cpu_count() or 2):
                pool.submit(loop)
        if failures:
            raise failures[0]
        return len(waiting)

    # ---- findings ----

    def tried(self, area, count=1):
        with self.lock:
            self.tries[area] += count

    def finding(self, area, column, what, result=None, folder=None):
        """Counts it, says it, and keeps the folder as evidence (the first 40)."""
        with self.lock:
            self.found[area, column] += 1
            print(f"{area}: {column}: {what}", flush=True)
            if result:
                print("    " + " ".join(result.argv) + f" -> {'hung' if result.hung else result.status}")
                for line in result.err.splitlines()[-4:]:
                    print("    err> " + line[:200])
            if folder is None or self.kept >= 40:
                return
            self.kept += 1
            place = self.evidence / f"{self.kept:03d}-{area}"
            shutil.rmtree(place, ignore_errors=True)
            try:
                shutil.copytree(folder, place / "folder", symlinks=True)
            except (OSError, shutil.Error):
                pass
            place.mkdir(parents=True, exist_ok=True)
            said = result and f"{result.argv}\nstatus {result.status}\n{result.err}\n----\n{result.out.decode(errors='replace')}"
            (place / "what.txt").write_text(f"{what}\nseed {self.seed}\n{said or ''}\n")

    def plain(self, area, what, result, folder, allowed=STATUSES):
        """What holds of every command: it ends, by itself, with a status that is documented, and says what was wrong."""
        if result.hung:
            self.finding(area, CRASH, f"{what}: hung", result, folder)
        elif result.status < 0:
            self.finding(area, CRASH, f"{what}: ended by signal {-result.status}", result, folder)
        elif result.status not in allowed:
            self.finding(area, STATUS, f"{what}: exit status {result.status}", result, folder)
        elif result.status == 5 and not result.err.strip():
            self.finding(area, BLAME, f"{what}: exit status 5 without a word", result, folder)
        else:
            return True
        return False

    # ---- the fixture ----

    def _verbs(self):
        text = subprocess.run([self.bench, "--help"], capture_output=True, text=True, check=True).stdout
        block = text.split("Verbs:\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in block.splitlines()]

    def _fixture(self):
        """stored: what earlier programs left, brought to this schema, with a series, an alarm and a log. Nothing is measured."""
        stored = self.top / "stored"
        stored.mkdir()
        with tarfile.open(SOURCE / "tests/golden/stored/history.tar.gz") as archive:
            archive.extractall(stored)
        for run in (stored / "runs").iterdir():
            if run.name not in (GATE, NEXT, KILLED):
                shutil.rmtree(run)
        (stored / "series.csv").write_text("night,time\n" + "".join(
            f"{i},{1 + (i > 20) * 0.3 + (i * 7919 % 13) / 1000}\n" for i in range(40)))
        (stored / "results.txt").write_text("date: 2026-11-20T23:15:03+01:00\n" + "".join(f"BenchmarkA/n={n} 10 {n}.5 ns/op {n} B/op\n" for n in range(8)))
        self._add_alarm(stored / "results.db")
        made = self.run(["ingest", f"runs/{GATE}"], stored)
        assert made.status == 0, made.err
        for run, night, node in ((GATE, 2, "a"), (UNLOGGED, 2, "b"), ("20261123-012255", 1, "a"), ("20261123-012251", 1, "b")):
            made = self.run(["runs", "label", run, f"fleet=night.{night}", f"node={node}"], stored)
            assert made.status == 0, made.err
        settle(stored)
        for extra in stored.glob("results.db?*"):  # of the migration
            if extra.is_file():
                extra.unlink()
        self.before = state_of(stored)
        settle(stored)
        self.stored = stored

    def _add_alarm(self, path):
        """An open alarm, as a gate that found a metric of run GATE slower keeps it, in the database as schema 4 has it."""
        database = sqlite3.connect(path)
        assert database.execute("PRAGMA user_version").fetchone() == (3,)
        database.executescript((SOURCE / "schema/migrate-3-4.sql").read_text() + "; PRAGMA user_version = 4")
        key, fingerprint, started = database.execute(
            "SELECT key, fingerprint, started FROM metric JOIN metric_key USING (metric_key) JOIN result USING (result) "
            "JOIN run USING (run) JOIN host USING (host) WHERE id = ? AND metric.name = 'time' ORDER BY key", (GATE,)).fetchone()
        database.execute("INSERT INTO alarm VALUES (1, ?, 'a track', ?, '', 'b', 'g', ?, ?, '')", (fingerprint, GATE, started, started))
        database.execute("INSERT INTO alarm_metric VALUES (1, ?, 's', 'open', 1e-6, 1.2, 1.1, 1.3, ?, 1.2, 1.1, 1.3, 1, '', NULL, '')",
                         (key, GATE))
        database.commit()
        database.close()


# ---- faults ----

class Counter:
    """The file by which processes under the shim count together."""

    def __init__(self, folder):
        self.path = folder.parent / (folder.name + ".counter")
        self.path.write_bytes(bytes(16))

    def read(self):
        calls, faults = struct.unpack("QQ", self.path.read_bytes())
        self.path.unlink()
        return calls, faults


# ---- judges ----

def settle(folder):
    """Folds the log of a database into it, as a reader that closes it last would."""
    path = folder / "results.db"
    if path.exists():
        database = sqlite3.connect(path)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
    for tail in ("-wal", "-shm"):
        (folder / f"results.db{tail}").unlink(missing_ok=True)


def integrity(path):
    """'ok', or what SQLite says of the file."""
    if not path.exists():
        return "ok"
    try:
        database = sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=10)
        try:
            said = "; ".join(row[0] for row in database.execute("PRAGMA integrity_check"))
            broken = database.execute("PRAGMA foreign_key_check").fetchall()
            return said if not broken else f"{len(broken)} rows refer to nothing"
        finally:
            database.close()
    except sqlite3.Error as error:
        return str(error)


def rows_of(path):
    """Every row of every table, as a set; times of about now are one. Digests, which follow from the rows, are bench's to check."""
    if not path.exists():
        return set()
    rows = set()
    database = sqlite3.connect(path, timeout=10)
    database.text_factory = bytes
    now, here = time.time(), str(path.parent).encode()
    for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'digest'").fetchall():
        for row in database.execute(f'SELECT * FROM "{table.decode()}"'):
            rows.add((table,) + tuple("now" if isinstance(v, int) and abs(v - now) < 2e5 else
                                      v.replace(here, b"here") if isinstance(v, bytes) else v for v in row))
    database.close()
    return rows


def files_of(folder):
    """The digest of every file but the database, its logs, and logs of runs."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and not path.is_symlink() and not name.startswith(("results.db", "new.db")) and path.name != "run.log":
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


State = collections.namedtuple("State", "rows files")


def state_of(folder):
    rows = rows_of(folder / "results.db") | {("new",) + row for row in rows_of(folder / "new.db")}
    return State(rows, files_of(folder))


def leftovers(folder):
    """Temporary files that nobody needs."""
    return [str(path.relative_to(folder)) for path in folder.rglob("*")
            if any(mark in path.name for mark in (".tmp-", ".bench-", ".new-", ".repaired-")) or path.name.endswith("-journal")]


def processes_of(folder):
    """Those that a try has started and that still run."""
    word, found = f"FAULT_TRY={folder.name}\0".encode(), []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if word in Path("/proc", entry, "environ").read_bytes() and b"bench" in Path("/proc", entry, "cmdline").read_bytes():
                    found.append(int(entry))
            except OSError:
                pass
    return found


def wait_for_end(folder, seconds=5):
    """False where a process is still there."""
    end = time.monotonic() + seconds
    while processes_of(folder):
        if time.monotonic() > end:
            for pid in processes_of(folder):
                os.kill(pid, signal.SIGKILL)
            return False
        time.sleep(0.05)
    return True


def finished_samples(run):
    """What of samples.jsonl has ended ok: (case, invocation, metric) -> values. Lines that a kill cut are no lines."""
    pending, done = {}, {}
    path = run / "samples.jsonl"
    for line in (path.read_bytes().split(b"\n")[:-1] if path.exists() else []):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        at = (event.get("case"), event.get("invocation"))
        if event["event"] == "begin":
            pending[at] = collections.defaultdict(list)
        elif event["event"] == "sample" and at in pending:
            pending[at][event["metric"]].append(event["value"])
        elif event["event"] == "end" and event["status"] == "ok":
            for metric, values in pending.pop(at, {}).items():
                done[at + (metric,)] = values
    return done


def samples_of(record):
    """The same of a record in JSON."""
    return {(case, series["invocation"], metric["name"]): series["values"]
            for case, result in enumerate(record["results"]) for metric in result["metrics"] if not metric["derived_from"]
            for series in metric["samples"]}
