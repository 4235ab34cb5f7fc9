# SPDX-License-Identifier: MIT
"""Calls that fail: memory (alloc), files (write), what starts and maps (process), the time of day (clock), and space (disk)."""
import json
import os
import re
import shutil
import subprocess
import threading
import time

from commands import FIRST_NIGHT, ROLLING, RUN, chosen, reading, writing
from lab import (BLAME, LEFT, LOST, NONSENSE, STATUS, Counter, finished_samples, integrity, leftovers, samples_of, settle,
                 state_of, wait_for_end)

# What a message says of each cause; SQLite has words of its own, and opens for reading what it cannot open for writing.
WORDS = {
    "ENOMEM": r"memory|resource temporarily",
    "ENOSPC": r"may not be written|no space|disk (is )?full|disk i/o error|unable to open|cannot be written",
    "EIO": r"may not be written|input/output error|disk i/o error|unable to open",
    "EROFS": r"may not be written|read-only|readonly|disk i/o error|unable to open",
    "EDQUOT": r"may not be written|quota|disk i/o error|unable to open|disk (is )?full",
    "short": r"may not be written|no space|disk (is )?full|disk i/o error|cut|cannot be written|unable to open",
    "EFBIG": r"too large|disk i/o error|disk (is )?full|unable to open",
}
# Causes that were not there.
INNOCENT = re.compile(r"is damaged|malformed|is not a database|belongs to another|right now|not valid json|was cut short|no such run", re.I)


def normal(out):
    """Output without what differs from one run of a command to the next: times of about now, the folder, and the width of columns."""
    out = re.sub(rb" +|/\S*/try\b(\.\d+)?", b" ", out)
    return re.sub(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?( UTC|\+00:00|Z)?|\b\d{8}-\d{6}(-\d+)?\b|\b1[789]\d{8}\b", b"T", out)


class Reference:
    """What a command gives and leaves where nothing fails."""

    def __init__(self, lab, command):
        self.before = lab.before
        folder = lab.folder(lab.stored)
        self.result = lab.run(command.argv, folder)
        settle(folder)
        self.after = state_of(folder)
        self.out = normal(self.result.out)
        shutil.rmtree(folder)


def references(lab, commands):
    found = {}
    lab.each(commands, lambda command: found.update({command.name: Reference(lab, command)}), 300)
    return found


def check_database(lab, area, what, result, folder):
    """It is whole, by SQLite's checks and by the program's own."""
    said = integrity(folder / "results.db")
    if said == "ok" and "db" in lab.verbs and (folder / "results.db").exists():
        checked = lab.run(["db", "check"], folder)
        said = "ok" if checked.status == 0 or "holds nothing" in checked.err else f"db check: {checked.err} {checked.out.decode()}"
    if said != "ok":
        lab.finding(area, LOST, f"{what}: {said}", result, folder)
    return said == "ok"


def check_left(lab, area, what, command, result, folder):
    """No temporary file stays once the same command has been given again, and of copies of programs, a day later."""
    if leftovers(folder):
        for copy in folder.glob("results.db.anchors/.new-*"):
            os.utime(copy, (0, 0))
        lab.run(command.argv, folder)
    # What was to become the record of a run that was killed goes with the run.
    left = [name for name in leftovers(folder) if not re.fullmatch(r"runs/[^/]+/\.metrics\.json\.bench-\w{6}", name)]
    if left:
        lab.finding(area, LEFT, f"{what}: {left}", result, folder)


def check_stored(lab, area, what, command, reference, result, folder):
    """The stored data are whole: as they were before, or as the command leaves them."""
    if not check_database(lab, area, what, result, folder):
        return
    left = leftovers(folder)
    settle(folder)
    state = state_of(folder)
    lost = (reference.before.rows & reference.after.rows) - state.rows
    gone = [name for name, digest in reference.before.files.items()
            if reference.after.files.get(name) == digest and state.files.get(name) != digest]
    if lost or gone:
        lab.finding(area, LOST, f"{what}: {len(lost)} rows, files {gone}", result, folder)
    strange = [name for name, digest in state.files.items() if name not in left and
               digest not in (reference.before.files.get(name), reference.after.files.get(name)) and name in reference.before.files]
    if strange:
        lab.finding(area, LOST, f"{what}: neither old nor new: {strange}", result, folder)
    if result.status == reference.result.status and "warning" not in result.err and not result.hung:
        missing = reference.after.rows - state.rows
        unmade = [name for name in reference.after.files if name not in state.files]
        if missing or unmade:
            lab.finding(area, STATUS, f"{what}: exit status {result.status}, but {len(missing)} rows and {unmade} are missing",
                        result, folder)
    check_left(lab, area, what, command, result, folder)


def check_told(lab, area, what, error, reference, result, folder):
    """Its exit status is that of success with all of the output, or 5 with the right words."""
    if not lab.plain(area, what, result, folder):
        return
    if result.status == reference.result.status:
        if normal(result.out) != reference.out:
            lab.finding(area, NONSENSE, f"{what}: other output, and exit status {result.status}", result, folder)
    elif result.status != 5:
        lab.finding(area, STATUS, f"{what}: exit status {result.status}", result, folder)
    elif INNOCENT.search(result.err) or not re.search(WORDS[error], result.err, re.I):
        lab.finding(area, BLAME, f"{what}: other words", result, folder)


def count_calls(lab, commands, **fault):
    """How many calls of a kind each command makes."""
    found = {}

    def count(command):
        folder = lab.folder(lab.stored)
        counter = Counter(folder)
        lab.run(command.argv, folder, dict(fault, NTH=0, COUNTER=counter.path))
        found[command.name] = counter.read()[0]
        wait_for_end(folder)
        shutil.rmtree(folder)
    lab.each(commands, count, 600)
    return found


def one_fault(lab, area, command, reference, fault):
    error, nth = fault["MODE"], fault["NTH"]
    what = f"{command.name}: {fault['KIND']} {nth} gives {error}{' and so do all later' if 'STICKY' in fault else ''}"
    folder = lab.borrow() if command.reads else lab.folder(lab.stored)
    result = lab.run(command.argv, folder, fault)
    lab.tried(area)
    check_told(lab, area, what, error, reference, result, folder)
    if not command.reads:
        check_stored(lab, area, what, command, reference, result, folder)
        shutil.rmtree(folder)
    elif not lab.give_back(folder):
        lab.finding(area, LOST, f"{what}: the database or a file has changed", result, folder)


def stored_tries(lab, commands, calls, errors, **fault):
    """Every call of every command with every error, in an order that is drawn, one command after the other in turns."""
    queues = []
    for command in commands:
        numbers = [(nth, error, sticky) for nth in range(1, calls[command.name] + 1) for error in errors for sticky in (False, True)]
        lab.random.shuffle(numbers)
        queues.append([(command, dict(fault, NTH=nth, MODE=error, **({"STICKY": 1} if sticky else {}))) for nth, error, sticky in numbers])
    tries = []
    while any(queues):
        tries += [queue.pop() for queue in queues if queue]
        if len(tries) > 400000:
            break
    return tries


def alloc(lab, seconds):
    """Memory: the n-th allocation of the program and the libraries that it keeps its house with fails."""
    commands = reading(lab) + writing(lab)
    known = references(lab, commands)
    fault = {"KIND": "alloc", "OBJECTS": "program:libc.so:libcjson:libsqlite3:libz.so"}
    calls = count_calls(lab, commands, **fault)
    tries = stored_tries(lab, commands, calls, ["ENOMEM"], **fault)
    stored = seconds * 0.7
    left = lab.each(tries, lambda t: one_fault(lab, "alloc", t[0], known[t[0].name], t[1]), stored)
    measured_tries(lab, "alloc", ["ENOMEM"], seconds - stored, **fault)
    return f"{sum(calls.values())} allocations in {len(commands)} commands; {left} tries not made"


def write(lab, seconds):
    """Files: the n-th write, sync, rename or making of a file fails."""
    commands = writing(lab)
    known = references(lab, commands)
    fault = {"KIND": "write"}
    calls = count_calls(lab, commands, **fault)
    tries = stored_tries(lab, commands, calls, ["ENOSPC", "EIO", "EROFS", "EDQUOT", "short"], **fault)
    stored = seconds * 0.6
    left = lab.each(tries, lambda t: one_fault(lab, "write", t[0], known[t[0].name], t[1]), stored)
    measured_tries(lab, "write", ["ENOSPC", "EIO", "short"], seconds - stored, **fault)
    return f"{sum(calls.values())} calls in {len(commands)} commands; {left} tries not made"


def process(lab, seconds):
    """Processes and threads: the n-th fork, spawn, thread, pipe, socket pair, memory file or mapping fails."""
    commands = [command for command in reading(lab) + writing(lab) if command.argv[0] in ("show", "plot", "compare", "ingest", "log")]
    known = references(lab, commands)
    fault = {"KIND": "process"}
    calls = count_calls(lab, commands, **fault)
    tries = stored_tries(lab, commands, calls, ["ENOMEM", "EAGAIN"], **fault)
    WORDS["EAGAIN"] = r"temporarily|cannot start|cannot run|" + WORDS["ENOMEM"]
    stored = seconds * 0.4
    lab.each(tries, lambda t: one_fault(lab, "process", t[0], known[t[0].name], t[1]), stored)
    measured_tries(lab, "process", ["EAGAIN", "ENOMEM"], seconds - stored, **fault)
    return f"{sum(calls.values())} calls in {len(commands)} commands"


def clock(lab, seconds):
    """The time of day: from the n-th reading on it jumps, by seconds, hours, days and years, both ways."""
    added = [command for command in writing(lab) if command.name.startswith(("ingest", "baseline set", "baseline accept"))]
    commands = chosen(lab, [RUN, FIRST_NIGHT, ROLLING]) + added  # what adds rows, and takes none away
    tries = [(command, {"KIND": "clock", "NTH": nth, "SEED": lab.random.randrange(1, 1 << 30)})
             for nth in (1, 2, 5, 20) for command in commands for _ in range(20)]
    lab.random.shuffle(tries)

    def jump(item):
        command, fault = item
        folder = lab.folder(lab.stored)
        before = state_of(folder)
        result = lab.run(command.argv, folder, fault)
        lab.tried("clock")
        lab.plain("clock", command.name, result, folder, {0, 6, 7})
        check_measured(lab, "clock", command.name, before, result, folder)
        shutil.rmtree(folder)
    lab.each(tries, jump, seconds)
    return ""


# ---- commands that measure ----

def check_measured(lab, area, what, before, result, folder, again=True):
    """No finished case is lost: all that ended is in the folder, is shown, and is in the history or can be taken in."""
    if not wait_for_end(folder):
        lab.finding(area, LEFT, f"{what}: a process goes on", result, folder)
    if not check_database(lab, area, what, result, folder):
        return
    lost = {row for row in before.rows if row[0] not in (b"verdict", b"alarm_metric")} - state_of(folder).rows
    if lost:
        lab.finding(area, LOST, f"{what}: {len(lost)} rows of before", result, folder)
    for run in sorted((folder / "runs").iterdir()) if (folder / "runs").exists() else []:
        if f"runs/{run.name}/samples.jsonl" not in before.files and run.is_dir() and run.name not in ("bisect", "backfill"):
            check_run(lab, area, what, result, folder, run)


def check_run(lab, area, what, result, folder, run):
    finished = finished_samples(run)
    shown = lab.run(["show", run, "--format", "json"], folder)
    if shown.status != 0:
        if finished or shown.status not in (3, 5):
            lab.finding(area, LOST, f"{what}: {run.name} cannot be shown", shown, folder)
        return
    if result.status == 0 and not finished and "cut short" not in shown.err:
        lab.finding(area, STATUS, f"{what}: exit status 0, and nothing is measured", result, folder)
    compare_samples(lab, area, what, finished, shown, folder)
    # A process that is going has given up its memory, by which it is known, before its lock.
    end = time.monotonic() + 2
    taken = lab.run(["ingest", run], folder)
    while "still being measured" in taken.err and time.monotonic() < end:
        time.sleep(0.05)
        taken = lab.run(["ingest", run], folder)
    if taken.status != 0:
        lab.finding(area, LOST, f"{what}: {run.name} is not taken in", taken, folder)
        return
    compare_samples(lab, area, what + ", in the history", finished, lab.run(["show", run.name, "--format", "json"], folder), folder)


def compare_samples(lab, area, what, finished, shown, folder):
    try:
        record = json.loads(shown.out)
    except ValueError:
        lab.finding(area, NONSENSE, f"{what}: no JSON", shown, folder)
        return
    there = samples_of(record)
    # A case that was incorrect or failed in another invocation has none.
    dropped = {case for case, one in enumerate(record["results"]) if one["status"] != "ok"}
    lacking = [at for at, values in finished.items() if at[0] not in dropped and there.get(at) != values]
    if lacking:
        lab.finding(area, LOST, f"{what}: samples of {lacking[:3]}", shown, folder)


def measured_tries(lab, area, errors, seconds, **fault):
    """Commands that measure, in an empty folder, with faults in the parent and in the workers."""
    commands = chosen(lab, [RUN, FIRST_NIGHT, ROLLING])
    lab.empty = lab.folder()
    stored, lab.stored = lab.stored, lab.empty
    calls = {}
    for role in ("parent", "worker"):
        for name, count in count_calls(lab, commands, ROLE=role, **fault).items():
            calls[name, role] = count
    lab.stored = stored
    tries = [(command, dict(fault, ROLE=role, MODE=error, NTH=lab.random.randint(1, max(1, calls[command.name, role]))))
             for _ in range(2000) for command in commands for role in ("parent", "worker") for error in errors]

    def try_one(item):
        command, fault_now = item
        what = f"{command.name}: {fault_now['KIND']} {fault_now['NTH']} of the {fault_now['ROLE']} gives {fault_now['MODE']}"
        folder = lab.folder()
        before = state_of(folder)
        result = lab.run(command.argv, folder, fault_now)
        lab.tried(area)
        if lab.plain(area, what, result, folder, {0, 3, 4, 5, 6, 7}) and (folder / "results.db").exists():
            # What a worker says is in run.log, which is pointed to.
            said = result.err + "".join(log.read_text(errors="replace") for log in folder.glob("runs/*/run.log"))
            if result.status == 5 and (INNOCENT.search(result.err) or not re.search(WORDS[fault_now["MODE"]], said, re.I)):
                lab.finding(area, BLAME, f"{what}: other words", result, folder)
            check_measured(lab, area, what, before, result, folder)
        check_left(lab, area, what, command, result, folder)
        shutil.rmtree(folder)
    lab.each(tries, try_one, seconds)


# ---- disk ----

def disk(lab, seconds):
    """Space: a file system that is full at any point, or, where none can be mounted, files that may not grow."""
    place = lab.top / "small"
    place.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", place], stderr=subprocess.DEVNULL).returncode == 0
    commands = writing(lab)
    known = references(lab, commands)
    random = lab.random
    tries = [(random.choice(commands), random.random()) for _ in range(20000)]
    turn = threading.Lock()

    def full(item):
        command, share = item
        with turn:  # there is one such place
            folder = place / "try"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(lab.stored, folder, symlinks=True)
            space = shutil.disk_usage(place).free
            fill = place / "fill"
            with open(fill, "wb") as file:
                file.write(bytes(max(0, int(space - share * min(space, 400000)) // 4096 * 4096)))
            result = lab.run(command.argv, folder)
            fill.unlink()
            judge(command, f"{command.name}: {int(share * 400)} kB left", result, folder, "ENOSPC")

    def limited(item):
        command, share = item
        folder = lab.folder(lab.stored)
        most = int(share * 600000)
        result = lab.run(command.argv, folder, prefix=["prlimit", f"--fsize={most}"])
        judge(command, f"{command.name}: files of {most} bytes at most", result, folder, "EFBIG")
        shutil.rmtree(folder)

    def judge(command, what, result, folder, error):
        lab.tried("disk")
        check_told(lab, "disk", what, error, known[command.name], result, folder)
        check_stored(lab, "disk", what, command, known[command.name], result, folder)
    try:
        if mounted:
            lab.each(tries, full, seconds / 2, threads=1)
        lab.each(tries, limited, seconds / 2 if mounted else seconds)
    finally:
        if mounted:
            subprocess.run(["umount", "-l", place], check=False)
    return "" if mounted else "no file system could be mounted: files that may not grow alone"
