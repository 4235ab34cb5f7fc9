# SPDX-License-Identifier: MIT
"""The world around a command: interruptions, slow disks, limits, processors that go, project files and names of others, searches cut short."""
import json
import os
import random as randoms
import shutil
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree

from calls import WORDS, check_database, check_left, check_measured, check_stored, check_told, references
from commands import FIRST_NIGHT, QUICK, ROLLING, RUN, WHY, chosen, reading, writing
from lab import BLAME, CRASH, LEFT, LIMIT, LOST, NONSENSE, SOURCE, STATUS, leftovers, state_of, wait_for_end

MEASURED = [RUN, FIRST_NIGHT, ROLLING, WHY]
# No word may be said of these: they are overcome.
WORDS["EINTR"] = WORDS["slow"] = r"(?!)"
WORDS["limit"] = r"too many open files|gnuplot failed|cannot (open|start|run)|unable to open|" + WORDS["ENOMEM"]


def one_stored(lab, area, command, known, what, error, fault=None, prefix=()):
    folder = lab.folder(lab.stored)
    result = lab.run(command.argv, folder, fault, prefix=prefix)
    lab.tried(area)
    check_told(lab, area, what, error, known[command.name], result, folder)
    if not command.reads:
        check_stored(lab, area, what, command, known[command.name], result, folder)
    shutil.rmtree(folder)


def one_measured(lab, area, command, what, allowed, fault=None, prefix=()):
    folder = lab.folder()
    before = state_of(folder)
    result = lab.run(command.argv, folder, fault, prefix=prefix)
    lab.tried(area)
    if lab.plain(area, what, result, folder, allowed) and (folder / "results.db").exists():
        check_measured(lab, area, what, before, result, folder)
    check_left(lab, area, what, command, result, folder)
    shutil.rmtree(folder)


def interruptions(lab, seconds):
    """Calls that a signal interrupts, and processes that are stopped and go on: nothing comes of it."""
    stored, measured = reading(lab) + writing(lab), chosen(lab, MEASURED)
    known = references(lab, stored)
    tries = [(command, nth) for nth in range(2, 40) for command in stored + measured]
    lab.random.shuffle(tries)

    def interrupted(item):
        command, nth = item
        what = f"{command.name}: every call number {nth} is interrupted"
        fault = {"KIND": "interrupt", "NTH": nth}
        if command.measures:
            one_measured(lab, "interruptions", command, what, {0, 6, 7}, dict(fault, ROLE=lab.random.choice(["parent", "worker"])))
        else:
            one_stored(lab, "interruptions", command, known, what, "EINTR", fault)

    def stopped(item):
        command, _ = item
        folder = lab.folder(None if command.measures else lab.stored)
        process, end = lab.start(command.argv, folder), time.monotonic() + LIMIT
        # Alone: what it starts may just be on its way into another group, which it would be stopped in for ever.
        while process.poll() is None and time.monotonic() < end:
            for number in (signal.SIGSTOP, signal.SIGCONT, signal.SIGWINCH, signal.SIGCHLD):
                process.send_signal(number)
                time.sleep(0.001)
        if process.poll() is None:
            process.kill()
            lab.finding("interruptions", CRASH, f"{command.name}, stopped again and again, does not end", None, folder)
        process.communicate()
        lab.tried("interruptions")
        wanted = {0, 6, 7} if command.measures else {known[command.name].result.status}
        if process.returncode not in wanted:
            lab.finding("interruptions", STATUS, f"{command.name}, stopped again and again: {process.returncode}", None, folder)
        if not wait_for_end(folder):
            lab.finding("interruptions", LEFT, f"{command.name}, stopped again and again", None, folder)
        shutil.rmtree(folder)
    lab.each(tries, interrupted, seconds * 0.7)
    lab.each(tries, stopped, seconds * 0.3)
    return ""


def slow(lab, seconds):
    """A disk on which each call takes 20 ms, and a file system that becomes full in the middle of a command and is emptied again."""
    stored, measured = writing(lab), chosen(lab, MEASURED)
    known = references(lab, stored)
    fault = {"KIND": "write", "NTH": 1, "STICKY": 1, "MODE": "slow"}
    tries = stored * 4 + measured * 10
    lab.random.shuffle(tries)

    def one(command):
        what = f"{command.name} on a slow disk"
        if command.measures:
            one_measured(lab, "slow", command, what, {0, 6, 7}, fault)
        else:
            one_stored(lab, "slow", command, known, what, "slow", fault)
    place = lab.top / "filled"
    place.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", place], stderr=subprocess.DEVNULL).returncode == 0

    def filled(item):
        command, wait, freed = item
        folder, fill = place / "try", place / "fill"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(lab.folder() if command.measures else lab.stored, folder, symlinks=True)
        before = state_of(folder)

        def run_full():
            time.sleep(wait)
            try:
                with open(fill, "wb") as file:
                    file.write(bytes(16 << 20))
            except OSError:
                pass
            if freed:
                time.sleep(0.01)
                fill.unlink()
        thread = threading.Thread(target=run_full)
        thread.start()
        result = lab.run(command.argv, folder)
        thread.join()
        fill.unlink(missing_ok=True)
        lab.tried("slow")
        what = f"{command.name}: full after {wait * 1000:.0f} ms"
        if command.measures:
            if lab.plain("slow", what, result, folder, {0, 3, 4, 5, 6, 7}) and (folder / "results.db").exists():
                check_measured(lab, "slow", what, before, result, folder)
        else:
            check_told(lab, "slow", what, "ENOSPC", known[command.name], result, folder)
            check_stored(lab, "slow", what, command, known[command.name], result, folder)
    try:
        lab.each(tries, one, seconds / 2)
        if mounted:
            moments = [(command, lab.random.random() * (0.6 if command.measures else 0.03), lab.random.random() < 0.5)
                       for _ in range(300) for command in stored + measured]
            lab.each(moments, filled, seconds / 2, threads=1)
    finally:
        if mounted:
            subprocess.run(["umount", "-l", place], check=False)
    return "" if mounted else "no file system could be mounted: slow calls alone"


def limits(lab, seconds):
    """Few descriptors, little memory or stack, processors that may not be asked for, a memory that a cgroup limits."""
    stored, measured = reading(lab) + writing(lab), chosen(lab, MEASURED)
    known = references(lab, stored)
    least = next(size for size in range(8, 4000, 4) if lab.run(["--version"], lab.top / "stored", prefix=["prlimit", f"--as={size << 20}"]).status == 0)
    group = None
    for base in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup"):
        path = f"{base}/{lab.top.name}"
        limit = "memory.limit_in_bytes" if base.endswith("memory") else "memory.max"
        try:
            os.mkdir(path)
            with open(f"{path}/{limit}", "w", encoding="ascii") as file:
                file.write(str(200 << 20))
            group = path
            break
        except OSError:
            if os.path.isdir(path):
                os.rmdir(path)

    def draw(random):
        return random.choice([
            lambda: (f"{(count := random.randint(4, 24))} descriptors", ["prlimit", f"--nofile={count}"], None),
            lambda: (f"{(size := least + random.randint(0, 60))} MiB of addresses", ["prlimit", f"--as={size << 20}"], None),
            lambda: (f"{(size := random.choice((64, 128, 256, 512)))} KiB of stack", ["prlimit", f"--stack={size << 10}"], None),
            lambda: ("no locked memory, no signals waiting", ["prlimit", "--memlock=0", "--sigpending=0"], None),
            lambda: (f"processors, call {(nth := random.randint(1, 6))}", [],
                     dict({"KIND": "affinity", "NTH": nth, "MODE": "EINVAL"}, **({"STICKY": 1} if random.random() < 0.5 else {}))),
        ])()
    random = randoms.Random(lab.seed)
    tries = [(command, *draw(random)) for _ in range(300) for command in stored + measured]

    def one(item):
        command, what, prefix, fault = item
        what = f"{command.name}: {what}"
        if command.measures:
            # A worker that finds no room fails its case.
            one_measured(lab, "limits", command, what, {0, 6, 7} if fault else {0, 3, 4, 5, 6, 7}, fault, prefix)
        else:
            one_stored(lab, "limits", command, known, what, "limit", fault, prefix)

    def grouped(command):
        one_measured(lab, "limits", command, f"{command.name} in a cgroup of 200 MiB", {0, 6, 7},
                     prefix=["sh", "-c", f'echo $$ >{group}/cgroup.procs; exec "$@"', "-"])
    try:
        lab.each(tries, one, seconds * 0.9)
        if group:
            lab.each(measured * 5, grouped, seconds * 0.1)
    finally:
        if group:
            time.sleep(0.1)
            try:
                os.rmdir(group)
            except OSError:
                pass
    return "" if group else "no cgroup could be made"


# ---- what others have written ----

PLANT = "touch pwned"
HOSTILE = ["`touch pwned`", "$(touch pwned)", '"; system "touch pwned"; "', "'; system('touch pwned'); '", "| touch pwned", "\\", "\\\\\"", "@x", "{/Symbol a}", "{",
           "a_{b}^{c}", "%s%n%d", "</text><script>alert(1)</script>", "]]>", "<!--", "&amp;&", "##[error]no", "::error::no", "\u202egnp.exe",
           "\x1b]0;owned\x07", "\x1b[31m", "\u2028line", "-", "--help", "../../pwned", "/etc/passwd", "x" * 300, "\U0001f4a9", "a|b", "*", "[a-", "a\tb", "=", "nan", " "]
PROJECT = {"suites": ["null"], "set": {"spin": [1000]}, "backends": "reference", "budget": "0.1s", "invocations": 2, "precision": "5%", "threads": 1,
           "time-limit": "5s", "pin": "no", "cache": "hot", "preset": "pr", "presets": {"pr": {"like": "quick", "budget": "1s"}}, "threshold": "5%",
           "alpha": 0.01, "metrics": [{"match": "*", "threshold": "5%", "owner": "@us", "max": "2 s", "min": "1.3x openblas"}],
           "expect": {"match": "*/y", "until": "2099-12-31", "why": "known"}, "ignore": ["*/x"], "labels": {"a": "b"}, "runs": "runs",
           "history": "results.db", "exec": PLANT, "exec-shell": "/bin/sh", "exec-output": "pipe", 
           "fleet": {"tasks": [{"partition": "x", "each": "node"}]}}


def spoil_project(random):
    """The text of a project file that somebody has spoilt."""
    value = json.loads(json.dumps(PROJECT))

    def odd(depth=0):
        return random.choice([None, True, -1, 0, 1e308, 1 << 70, "", random.choice(HOSTILE), "x" * 5000, [], {}, PLANT, "/etc/passwd", "../../x",
                              [odd(depth + 1)] if depth < 3 else 0, {random.choice(HOSTILE): odd(depth + 1)} if depth < 3 else 0])
    for _ in range(random.choice((1, 1, 2, 5))):
        keys = list(value)
        key = random.choice(keys)
        way = random.random()
        if way < 0.3:
            del value[key]
        elif way < 0.7:
            value[key] = odd()
        elif way < 0.85:
            value[random.choice(HOSTILE)] = odd()
        elif isinstance(value[key], dict) and value[key]:
            value[key][random.choice(list(value[key]))] = odd()
        if not value:
            break
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if random.random() < 0.3:
        data = bytearray(text)
        for _ in range(random.choice((1, 3))):
            data[random.randrange(len(data))] = random.randrange(256)
        text = bytes(data[:random.randrange(len(data)) if random.random() < 0.3 else len(data)])
    if random.random() < 0.05:
        text = b"[" * 100000
    return text


def projects(lab, seconds):
    """Project files that somebody has spoilt, or written to do harm: a verb that measures nothing runs nothing, and writes nothing outside."""
    verbs = [["run", "--dry-run"], ["list", "runs"], ["list", "cases"], ["compare", "last", "last"], ["fleet", "tasks"], ["history"], ["alarms"], ["init"]]
    tries = range(100000)
    sound = lab.folder()
    (sound / ".bench.json").write_text(json.dumps(PROJECT))
    for argv in verbs[:1] + verbs[2:3] + verbs[4:5]:
        result = lab.run(argv, sound)
        assert result.status == 0, result.err

    def one(turn):
        random = randoms.Random(lab.seed * 7919 + turn)
        folder = lab.folder()
        inside = folder / "inside"
        inside.mkdir()
        (inside / ".bench.json").write_bytes(spoil_project(random))
        argv = random.choice(verbs)
        result = lab.run(argv, folder, prefix=["env", "-C", str(inside)], limit=30)
        lab.tried("projects")
        lab.plain("projects", f"a project file, number {turn}: {' '.join(argv)}", result, folder)
        if sorted(path.name for path in folder.iterdir()) != ["inside"] or (inside / "pwned").exists():
            lab.finding("projects", LOST, f"a project file, number {turn}, has written: {' '.join(argv)}", result, folder)
        shutil.rmtree(folder)
    left = lab.each(tries, one, seconds)
    return f"{len(tries) - left} files"


def names(lab, seconds):
    """Names that are commands to shells, gnuplot, browsers, terminals and CI, through all that shows them."""
    shows = [["plot", "trend", "-o", "t.svg"], ["plot", "scaling", "last", "-o", "s.svg"], ["report", "--out", "pages"], ["show", "last"],
             ["show", "last", "--format", "markdown"], ["show", "last", "--format", "csv"], ["compare", "last", "last~1", "--format", "github"],
             ["compare", "last", "last~1", "--format", "junit"], ["log", "last"], ["history"], ["list", "metrics"], ["export", "last", "--to", "go"],
             ["export", "last", "--to", "openmetrics"], ["runs", "label", "last", "x=y"]]
    if not shutil.which("gnuplot"):
        shows = [argv for argv in shows if argv[0] != "plot"]
    path = ["env", f"PATH={lab.top}/real:{os.environ['PATH']}"]
    (lab.top / "real").mkdir()
    (lab.top / "real/bench").symlink_to(lab.bench)

    def one(turn):
        random = randoms.Random(lab.seed * 104729 + turn)
        folder = lab.folder()
        some = random.sample(HOSTILE, 4)
        for night in range(3):
            text = "name,n,time [ms]\n" + "".join(f'"{name.replace(chr(34), chr(34) * 2)}",{n},{n + i + night / 100}\n' for i, name in enumerate(some) for n in (1, 2, 4))
            (folder / "numbers.csv").write_text(text)
            os.utime(folder / "numbers.csv", (1764000000 + 86400 * night,) * 2)
            taken = lab.run(["import", "numbers.csv", "--column", "n=param", "--label", f"night={random.choice(HOSTILE)}"], folder)
            # A label may not be everything; the numbers are taken in all the same.
            if taken.status == 2:
                taken = lab.run(["import", "numbers.csv", "--column", "n=param"], folder)
            lab.plain("names", f"import, {turn}", taken, folder, {0, 4})  # a blank is no name
        for argv in random.sample(shows, 5):
            result = lab.run(argv, folder, prefix=path)
            lab.tried("names")
            what = f"names, {turn}: {' '.join(argv)}"
            lab.plain("names", what, result, folder, {0, 1, 2, 3, 4, 6})
            escaped = [b for b in (b"\x1b", "\u202e".encode(), b"\x07") if b in result.out or b in result.err.encode()]
            if escaped:
                lab.finding("names", NONSENSE, f"{what}: {escaped} goes to the terminal", result, folder)
        for picture in list(folder.glob("*.svg")) + list(folder.glob("pages/**/*.svg")):
            try:
                xml.etree.ElementTree.parse(picture)
            except xml.etree.ElementTree.ParseError as error:
                lab.finding("names", NONSENSE, f"names, {turn}: {picture.name}: {error}", None, folder)
        if any(b"<script>alert" in page.read_bytes() for page in folder.glob("pages/**/*.html")):
            lab.finding("names", NONSENSE, f"names, {turn}: a page runs what a name says", None, folder)
        if list(folder.rglob("pwned")) or (lab.top / "pwned").exists():
            lab.finding("names", CRASH, f"names, {turn}: a name was run", None, folder)
        shutil.rmtree(folder)
    lab.each(range(100000), one, seconds)
    return "with gnuplot" if shutil.which("gnuplot") else "there is no gnuplot"


# ---- long searches ----

MAKE = """#!/bin/sh
mkdir -p build
cat >build/bench <<'SIDE'
#!{shell}
[ "$1" = worker ] || exec {bench} "$@"
sed 's/"slowdown":""/"slowdown":"{slowdown}"/' | {bench} worker
SIDE
chmod +x build/bench
"""


def search_fixture(lab):
    """A repository of four commits whose build is quick, and the folder of a job that Slurm has run."""
    folder = lab.folder(lab.stored)
    repo = folder / "repo"
    repo.mkdir()
    git = ["git", "-C", str(repo), "-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run(["git", "init", "-q", repo], check=True)
    for i in range(4):
        (repo / "make.sh").write_text(MAKE.format(shell="/bin/sh", bench=lab.top / "bin/bench", slowdown="100%" if i > 1 else ""))
        (repo / "note").write_text(str(i))
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", f"change {i}"], check=True)
        subprocess.run([*git, "tag", f"c{i}"], check=True)
    job = folder / "jobs/nightly.9"
    job.mkdir(parents=True)
    (job / "tasks").write_text("x\tn\t-\t-\n" * 2)
    (job / "ids").write_text("1\n")
    (job / "project").write_text("no")
    (job / "db").write_text(str(folder / "results.db"))
    for i in range(2):
        made = lab.run(RUN.argv + ["--no-store", "--runs-dir", f"jobs/nightly.9/{i}/n", "--id", f"nightly.9.{i}", "--label", "fleet=nightly.9", "--label", f"node=n{i}"], folder)
        assert made.status == 0, made.err
        (job / f"{i}/done").symlink_to(f"n/nightly.9.{i}")
    return folder


def searches(lab, seconds):
    """bench bisect, backfill, tune and power, a fleet's gate and a job's collection are killed at any moment, and said again."""
    base = search_fixture(lab)
    quick = QUICK[:4] + ["--watch", "no"]
    commands = {
        "bisect": (["bisect", "c0", "c3", "--repo", "repo", "--build", "sh make.sh", *quick, "-k", "6", "--precision", "50%", "--alpha", "0.05", "--budget", "30s"], {0, 6}),
        "backfill": (["backfill", "c0..c3", "--repo", "repo", "--build", "sh make.sh", *quick, "-k", "6", "--run-budget", "1s"], {0}),
        "power": (["power", *quick, "--slowdowns", "900%", "--trials", "2", "--baseline-runs", "1", "--run-budget", "0.1s", "-k", "2"], {0}),
        "fleet gate": (["fleet", "gate", "night.2"], {0, 1, 3, 6, 7}),
        "collect": (["collect"], {0, 1, 3, 6, 7}),
    }
    if not lab.short:  # a candidate alone takes half a minute: it is cut short, and what it has left is looked at
        commands["tune"] = (["tune", "--backend", "opencl:cpu", "--budget", "1s"], {0, 3})
    commands = {name: one for name, one in commands.items() if lab.only in name}

    def start(name, folder, again=False):
        if name != "collect":
            return lab.start(["tune", "--list"] if again and name == "tune" else commands[name][0], folder)
        (folder / "jobs/nightly.9/bench").unlink(missing_ok=True)
        (folder / "jobs/nightly.9/bench").symlink_to(lab.top / "bin/bench")
        (folder / "jobs/nightly.9/db").write_text(str(folder / "results.db"))
        return subprocess.Popen(["bash", SOURCE / "scripts/slurm", "collect", "jobs/nightly.9"], cwd=folder, stdin=subprocess.DEVNULL,
                                env=dict(lab.environment, FAULT_TRY=folder.name), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    took = {"tune": 30}
    for name in commands.keys() - took.keys():
        folder, begin = lab.folder(base), time.monotonic()
        process = start(name, folder)
        _, err = process.communicate()
        took[name] = time.monotonic() - begin
        assert process.returncode in commands[name][1], err
        shutil.rmtree(folder)

    def one(turn):
        random = randoms.Random(lab.seed * 31337 + turn)
        name = random.choice(list(commands))
        number = random.choice([signal.SIGKILL] * 3 + [signal.SIGTERM, signal.SIGINT])
        folder = lab.folder(base)
        before = state_of(folder)
        process = start(name, folder)
        time.sleep(random.random() * took[name])
        (os.killpg if name == "collect" else os.kill)(process.pid, number)
        process.communicate()
        lab.tried("searches")
        what = f"{name}: signal {number}"
        if process.returncode not in commands[name][1] | {-number, 130, 143, 137, 5}:
            lab.finding("searches", STATUS, f"{what}: exit status {process.returncode}", None, folder)
        if not wait_for_end(folder):
            lab.finding("searches", LEFT, f"{what}: a process goes on", None, folder)
        again = start(name, folder, True)
        _, err = again.communicate()
        if again.returncode not in commands[name][1]:
            lab.finding("searches", STATUS, f"{what}: said again, exit status {again.returncode}: {err.decode(errors='replace')[-300:]}", None, folder)
        check_database(lab, "searches", what, None, folder)
        # A device has the name that it had last; records keep what it was.
        lost = {row for row in before.rows if row[0] not in (b"verdict", b"alarm_metric", b"device")} - state_of(folder).rows
        if lost:
            lab.finding("searches", LOST, f"{what}: {len(lost)} rows of before, such as {str(min(lost, key=str))[:200]}", None, folder)
        trees = subprocess.run(["git", "-C", folder / "repo", "worktree", "list"], capture_output=True, text=True, check=False).stdout.splitlines()
        if len(trees) != 1 or leftovers(folder):
            lab.finding("searches", LEFT, f"{what}: {trees[1:]} {leftovers(folder)}", None, folder)
        shutil.rmtree(folder)
    left = lab.each(range(10000), one, seconds) if commands else 10000
    return f"{10000 - left} commands of {', '.join(commands)} cut short"
