# SPDX-License-Identifier: MIT
"""What bench is given: a damaged database, files that are none, command lines that nobody meant."""
import os
import queue
import random as randoms
import re
import shutil
import sqlite3
import struct

from calls import normal
from lab import BLAME, GATE, KILLED, LOST, NONSENSE, integrity

LOOKS = [["list", "runs", "--format", "json"], ["show", GATE, "--format", "json"], ["history", "*", "--format", "csv"],
         ["baseline", "list", "--format", "csv"], ["compare", GATE, "--baseline", "main", "--format", "csv"]]


def damage(lab, seconds):
    """A database with flipped bytes, cut, of another version, or that is something else: its content, or exit status 5."""
    pristine = (lab.stored / "results.db").read_bytes()
    can_check = "db" in lab.verbs
    right = {}
    folder = without_runs(lab)
    for argv in LOOKS:
        result = lab.run(argv, folder)
        right[argv[0]] = (result.status, normal(result.out))
    with_log = make_log(lab)

    def flips(data, random):
        at = random.randrange(len(data))
        data[at:at + random.choice((1, 1, 1, 4, 512))] = bytes([random.randrange(256)])
        return f"byte {at}"

    def some_flips(data, random):
        places = [random.randrange(len(data)) for _ in range(20)]
        for at in places:
            data[at] ^= 1 << random.randrange(8)
        return f"bits of bytes {sorted(places)}"

    def cut(data, random):
        length = random.randrange(len(data))
        del data[length:]
        return f"cut to {length} bytes"

    def zeros(data, random):
        at = random.randrange(0, len(data), 512)
        data[at:at + 4096] = bytes(len(data[at:at + 4096]))
        return f"zeros from {at}"

    def header(data, random):
        at = random.choice((16, 18, 19, 20, 21, 22, 23, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 96))
        data[at:at + 4] = struct.pack(">i", random.choice((-1, -2, -2147483648, 2147483647, 0, 1, 2, 5, 1000, random.randrange(1 << 31))))
        return f"header field {at}: {bytes(data[at:at + 4]).hex()}"

    def version(data, random):
        data[60:64] = struct.pack(">i", random.choice((-1, -2, -5, -1000000, -2147483648, 2147483647, 99, 0, 1, 2, 3)))
        return f"user_version {struct.unpack('>i', data[60:64])[0]}"

    ways = [flips, flips, some_flips, cut, zeros, header, version]
    tries = [(lab.random.choice(ways), lab.random.randrange(1 << 30), lab.random.random() < 0.25) for _ in range(200000)]

    def one(item):
        way, seed, in_log = item
        random = randoms.Random(seed)
        folder = without_runs(lab)
        if in_log:
            (folder / "results.db").write_bytes(with_log[0])
            data = bytearray(with_log[1])
            what = "in the log: " + way(data, random)
            (folder / "results.db-wal").write_bytes(data)
        else:
            data = bytearray(pristine)
            what = way(data, random)
            (folder / "results.db").write_bytes(data)
        look(what, folder, random)
        shutil.rmtree(folder)

    def look(what, folder, random):
        wrong = []
        for argv in random.sample(LOOKS, 3) if lab.short else LOOKS:
            result = lab.run(argv, folder)
            lab.tried("damage")
            if not lab.plain("damage", f"{what}: {argv[0]}", result, folder):
                return
            if result.status == 5 and "results.db" not in result.err:
                lab.finding("damage", BLAME, f"{what}: {argv[0]} does not name the file", result, folder)
            if result.status != 5 and (result.status, normal(result.out)) != right[argv[0]]:
                wrong.append((argv, result))
        # Frames of a log with a wrong checksum are no part of the database: it is the one before them, whole.
        if wrong and can_check and not what.startswith("in the log"):
            checked = lab.run(["db", "check"], folder)
            if checked.status == 0:
                lab.finding("damage", NONSENSE, f"{what}: {wrong[0][0]} gives other content, and db check says nothing", wrong[0][1], folder)

    left = lab.each(tries, one, seconds)
    others(lab)
    note = f"{len(tries) - left} databases"
    return note if can_check else note + "; there is no 'bench db check' to tell what no verb sees"


def without_runs(lab):
    """The stored data without the folders of runs, from which a run is shown where the database has not got it."""
    folder = lab.folder()
    shutil.copy(lab.stored / "results.db", folder)
    return folder


def make_log(lab):
    """A database and its log, with a transaction in it."""
    folder = lab.folder(lab.stored)
    database = sqlite3.connect(folder / "results.db")
    database.execute("PRAGMA wal_autocheckpoint = 0")
    database.execute("INSERT INTO baseline (name, created) VALUES ('of the log', 1)")
    database.commit()
    files = ((folder / "results.db").read_bytes(), (folder / "results.db-wal").read_bytes())
    database.close()
    return files


def others(lab):
    """Files that are no database of ours."""
    foreign = lab.folder()
    database = sqlite3.connect(foreign / "foreign.db")
    database.execute("CREATE TABLE t (x)")
    database.commit()
    database.close()
    contents = {"text": b"this is no database\n" * 100, "metrics.json": (lab.stored / "runs" / GATE / "metrics.json").read_bytes(),
                "of another program": (foreign / "foreign.db").read_bytes(), "zeros": bytes(8192), "noise": os.urandom(20000)}
    for name, content in contents.items():
        for argv in LOOKS + [["baseline", "set", "x", GATE], ["ingest", lab.stored / "runs" / GATE]]:
            folder = without_runs(lab)
            (folder / "results.db").write_bytes(content)
            result = lab.run(argv, folder)
            lab.tried("damage")
            if lab.plain("damage", f"{name} as the database: {argv[0]}", result, folder, {5}) and \
                    (folder / "results.db").read_bytes() != content:
                lab.finding("damage", LOST, f"{name} as the database: {argv[0]} has changed it", result, folder)
            shutil.rmtree(folder)


def files(lab, seconds):
    """FIFOs, devices, folders, loops of links and files that may not be read, wherever a file is named."""
    def fifo(path):
        os.mkfifo(path)

    def link_to(target):
        return lambda path: path.symlink_to(target)

    def loop(path):
        path.symlink_to(path.name)

    def folder_there(path):
        path.mkdir()

    def unreadable(path):
        path.write_text("x")
        path.chmod(0)

    def empty(path):
        path.write_bytes(b"")

    kinds = {"a FIFO": fifo, "/dev/zero": link_to("/dev/zero"), "/dev/full": link_to("/dev/full"), "/dev/null": link_to("/dev/null"),
             "a folder": folder_there, "a loop of links": loop, "a file without permissions": unreadable, "an empty file": empty,
             "a link to nothing": link_to("not/there"), "a FIFO behind a link": lambda path: (os.mkfifo(f"{path}.f"), path.symlink_to(f"{path.name}.f"))}
    uses = [(["list", "runs", "--db", "X"], "X"), (["show", GATE, "--db", "X"], "X"), (["history", "--db", "X"], "X"),
            (["ingest", f"runs/{GATE}", "--db", "X"], "X"), (["baseline", "set", "x", GATE, "--db", "X"], "X"),
            (["run", "--suite", "null", "-k", "1", "--budget", "0.05s", "--watch", "no", "--db", "X"], "X"),
            (["run", "--suite", "null", "-k", "1", "--budget", "0.05s", "--watch", "no", "--runs-dir", "X"], "X"),
            (["show", "X"], "X"), (["ingest", "X"], "X"), (["run", "--resume", "X"], "X"),
            (["show", "odd"], "odd/metrics.json"), (["ingest", "odd"], "odd/metrics.json"),
            (["show", "odd"], "odd/samples.jsonl"), (["ingest", "odd"], "odd/samples.jsonl"), (["run", "--resume", "odd"], "odd/samples.jsonl"),
            (["log", GATE, "--append", "X"], "X"), (["log", "--index", "X"], "X"), (["log", "--list", "X"], "X"), (["plot", "trend", "-o", "X.svg"], "X.svg"),
            (["changepoints", "X"], "X"), (["compare", GATE, "--baseline", "X"], "X")]
    if "db" in lab.verbs:
        uses += [(["db", "check", "--db", "X"], "X"), (["db", "repair", "--db", "X"], "X"), (["db", "backup", "X"], "X")]
    tries = [(argv, name, kind) for argv, name in uses for kind in kinds]
    lab.random.shuffle(tries)

    def one(item):
        argv, name, kind = item
        folder = lab.folder(lab.stored)
        (folder / "odd").mkdir()
        kinds[kind](folder / name)
        result = lab.run(argv, folder, limit=20)
        lab.tried("files")
        lab.plain("files", f"{kind} as {name}", result, folder, {0, 2, 3, 4, 5})
        if integrity(folder / "results.db") != "ok":
            lab.finding("files", LOST, f"{kind} as {name}", result, folder)
        shutil.rmtree(folder, ignore_errors=True)
    left = lab.each(tries, one, seconds)
    outputs(lab)
    return f"{len(tries) - left} of {len(tries)} places and kinds"


def outputs(lab):
    """Standard output that cannot be written: exit status 5. A reader that went: the same."""
    commands = [["--help"], ["--version"], ["show", "--help"], ["list", "runs"], ["list", "suites"], ["show", GATE], ["log", GATE],
                ["show", GATE, "--format", "json"], ["run", "--suite", "null", "--dry-run"], ["history"], ["baseline", "list"],
                ["changepoints", "series.csv"], ["alarms"], ["compare", GATE, "--baseline", "main"]]
    for argv in commands:
        folder = lab.folder(lab.stored)
        reading, writing = os.pipe()
        os.close(reading)
        with open("/dev/full", "wb") as full, os.fdopen(writing, "wb") as broken:
            # A full disk is an error that is told; a reader who has gone needs no message.
            for what, stdout, status, said in (("/dev/full", full, 5, "standard output"), ("a pipe that nobody reads", broken, 141, "")):
                result = lab.run(argv, folder, stdout=stdout)
                lab.tried("files")
                if lab.plain("files", f"{what} as standard output", result, folder, {status}) and said not in result.err:
                    lab.finding("files", BLAME, f"{what} as standard output", result, folder)
        closed = lab.run(argv, folder, prefix=["sh", "-c", 'exec "$@" >&-', "-"])
        lab.tried("files")
        lab.plain("files", "no standard output", closed, folder, {5})
        shutil.rmtree(folder)


ODD = ["", " ", "-1", "0", "1e999", "nan", "inf", "-0", "99999999999999999999", "0x10", "1,2,3", ",", "a=b", "=", "%", "5%", "500%", "1s",
       "-5s", "../..", "/proc", ".", "..", "*", "[", "[a-", "\\", "'", '"', "$(id)", "`id`", "%s%n", "\x01", "\xff\xfe", "é", "x" * 5000, "--", "-",
       "last", "last~1", "last~-1", "rolling:3", "rolling:0", "rolling:x", "anchor", "main", "gemm", "null", "openblas", "opencl:gpu",
       "quick", "json", "table", "csv", "n=8", "n=", "n=8,n=16", "gemm/*", "runs", "results.db", GATE, f"runs/{KILLED}", "series.csv"]


def lines(lab, seconds):
    """Command lines of verbs, options and values as they come: none crashes, all end with a documented status."""
    slow = {"doctor", "power", "tune", "gate", "duel", "why", "bisect", "backfill", "capture"}
    options = {}
    for verb in lab.verbs:
        text = lab.run([verb, "--help"], lab.top / "stored").out.decode()
        options[verb] = re.findall(r"--([a-z][a-z-]+)", text.split("Options:")[-1])
    random = lab.random

    def make():
        verb = random.choice(lab.verbs + ["", "x", "--help", "-n", "worker"])
        argv = [verb]
        for _ in range(random.choice((0, 1, 1, 2, 3, 4))):
            if random.random() < 0.6 and options.get(verb):
                argv.append("--" + random.choice(options[verb]) + random.choice(("", "", "=" + random.choice(ODD))))
                if random.random() < 0.7:
                    argv.append(random.choice(ODD))
            else:
                argv.append(random.choice(ODD))
        if verb == "run":
            argv.append("--dry-run")
        elif verb in slow:  # nothing is measured where an option is none
            argv += ["--no-such-option"] * 2  # the first may be another's value
        return argv
    tries = [make() for _ in range(100000)]

    def one(argv):
        folder = lab.lines_folders.get()
        result = lab.run([word.encode("latin-1", "replace").decode("latin-1") for word in argv], folder, limit=30)
        lab.tried("lines")
        lab.plain("lines", "a command line", result, folder)
        lab.lines_folders.put(folder)
    lab.lines_folders = queue.Queue()
    for i in range(os.cpu_count() or 2):  # deep enough for ../.. to be the lab's own: some lines write there
        folder = lab.top / f"lines.{i}" / "below" / f"try.lines.{i}"
        shutil.copytree(lab.stored, folder, symlinks=True)
        lab.lines_folders.put(folder)
    left = lab.each(tries, one, seconds)
    return f"{len(tries) - left} command lines"
