# SPDX-License-Identifier: MIT
"""What is not bench's to touch: files and runs of others in its folders, another user's history, other processes."""
import os
import pwd
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from calls import check_database
from lab import BLAME, LEFT, LOST, STATUS, leftovers

RUN = ["run", "--suite", "null", "--set", "spin=0", "-k", "1", "--budget", "0.05s", "--watch", "no"]


def made(lab, runs):
    folder = lab.folder()
    for _ in range(runs):
        result = lab.run(RUN, folder)
        assert result.status == 0, result.err
    return folder


def tree(folder):
    """Everything below, by name: what it is and holds."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        held = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (path.lstat().st_mode, held)
    return found


# What may lie in the folder of a run that is no run's. Each gets the folder, and one outside.
def _note(run, _):
    (run / "notes.txt").write_text("mine")


def _hidden(run, _):
    (run / ".metrics.json.swp").write_text("mine")


def _nearly(run, _):
    (run / ".metrics.json.bench-a1b2c3d").write_text("mine")


def _folder(run, _):
    (run / "more").mkdir()
    (run / "more/metrics.json").write_text("mine")


def _folder_named_so(run, _):
    (run / "run.log").unlink()
    (run / "run.log").mkdir()


def _link(run, outside):
    (run / "more").symlink_to(outside)


def _link_named_so(run, outside):
    (run / "run.log").unlink()
    (run / "run.log").symlink_to(outside / "mine")


def _pipe(run, _):
    os.mkfifo(run / "pipe")


def _is_link(run, outside):
    shutil.move(run, outside / "run")
    run.symlink_to(outside / "run")


def _is_file(run, outside):
    shutil.move(run, outside / "run")
    run.write_text("mine")


def _others_record(run, _):
    path = run / "metrics.json"
    text = path.read_text()
    at = text.index('"started":') + len('"started":')
    digits = "".join(c for c in text[at:at + 20] if c.isdigit())
    path.write_text(text.replace(digits, str(int(digits) + 1), 1))


FOREIGN = [_note, _hidden, _nearly, _folder, _folder_named_so, _link, _link_named_so, _pipe, _is_link, _is_file, _others_record]


def removal(lab, seconds):
    """Runs are removed: beside files of others, and cut short at any moment."""
    base = made(lab, 4)
    runs = sorted(path.name for path in (base / "runs").iterdir())
    commands = [["runs", "rm", *runs[:3]], ["prune", "--keep", "1", "--yes"]]
    calls_seen = {}

    def foreign(item):
        spoil, command = item
        folder = lab.folder(base)
        outside = folder / "outside"
        outside.mkdir()
        (outside / "mine").write_text("mine")
        # Paths in the history are those of the folder that was copied: it is to be the one that is meant.
        spoil(folder / "runs" / runs[0], outside)
        before = tree(outside), tree(folder / "runs" / runs[0])
        result = lab.run(command, folder)
        lab.tried("removal")
        what = f"{spoil.__name__[1:]}, {' '.join(command[:2])}"
        if result.status != 5:
            lab.finding("removal", STATUS, what, result, folder)
        if runs[0] not in result.err:
            lab.finding("removal", BLAME, what, result, folder)
        if (tree(outside), tree(folder / "runs" / runs[0])) != before:
            lab.finding("removal", LOST, f"{what}: something of another's is gone", result, folder)
        if lab.run(["show", runs[0]], folder).status != 0:
            lab.finding("removal", LOST, f"{what}: the run is not in the history any more", result, folder)
        shutil.rmtree(folder)

    def cut_short(item):
        turn, command = item
        folder = lab.folder(base)
        number = random.Random(lab.seed * 1000003 + turn).choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        name = " ".join(command[:2])
        if name not in calls_seen:
            calls_seen[name] = lab.run(command, lab.folder(base)).seconds
        process = lab.start(command, folder)
        time.sleep(random.Random(lab.seed + turn).random() * calls_seen[name])
        process.send_signal(number)
        process.communicate()
        lab.tried("removal")
        what = f"{name} cut short by signal {number}"
        folders = [str(path) for path in (folder / "runs").iterdir()]
        known = {line.split(",")[0].strip('"') for line in lab.run(["list", "runs", "--format", "csv"], folder).out.decode().splitlines()[1:]}
        back = [path for path in folders if Path(path).name not in known]
        if back:
            lab.finding("removal", LOST, f"{what}: an ingest would bring back {back}", None, folder)
        again = lab.run(command, folder)
        if again.status not in (0, 2):
            lab.finding("removal", STATUS, f"{what}, and said again", again, folder)
        if sorted(path.name for path in (folder / "runs").iterdir()) != runs[3:] or leftovers(folder):
            lab.finding("removal", LEFT, f"{what}, and said again: {os.listdir(folder / 'runs')}", again, folder)
        check_database(lab, "removal", what, again, folder)
        shutil.rmtree(folder)

    lab.each([(spoil, command) for spoil in FOREIGN for command in commands], foreign, seconds)
    left = lab.each([(turn, commands[turn % 2]) for turn in range(2000)], cut_short, seconds / 2)
    return f"{len(FOREIGN)} things of others; {2000 - left} removals cut short"


def readers(lab, seconds):
    """Another user reads a history, while its owner writes: nothing is left, and the owner is not kept out."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        lab.skipped["readers"] = "to be another user takes root, and setpriv"
        return ""
    nobody = pwd.getpwnam("nobody").pw_uid
    prefix = ["setpriv", "--reuid", str(nobody), "--regid", str(nobody), "--clear-groups"]
    base = made(lab, 2)
    lab.top.chmod(0o711)
    verbs = [["list", "runs"], ["show", "last"], ["history"], ["db", "check"], ["alarms", "list"], ["list", "metrics"]]
    writes = [["baseline", "set", "a", "last"], ["runs", "label", "last", "a=b"], ["runs", "aside", "last~1", "why"]]

    def one(turn):
        folder = lab.folder(base)
        mode = (0o1777, 0o755)[turn % 2]
        folder.chmod(mode)
        verb, write = verbs[turn % len(verbs)], writes[turn % len(writes)]
        beside = turn % 3 == 0
        owner = lab.start(write, folder) if beside else None
        result = lab.run(verb, folder, prefix=prefix)
        if owner:
            _, err = owner.communicate(timeout=90)
            if owner.returncode != 0:
                lab.finding("readers", STATUS, f"the owner's {' '.join(write)}: {err.decode()}", result, folder)
        lab.tried("readers")
        what = f"{' '.join(verb)} by another user, folder {mode:o}{', beside a writer' if beside else ''}"
        if result.status != 0:
            lab.finding("readers", STATUS, what, result, folder)
        left = [path.name for path in folder.glob("results.db?*") if path.stat().st_uid == nobody]
        if left:
            lab.finding("readers", LEFT, f"{what}: {left}", result, folder)
        after = lab.run(write, folder)
        if after.status != 0:
            lab.finding("readers", STATUS, f"{what}: and then the owner's {' '.join(write)}", after, folder)
        check_database(lab, "readers", what, after, folder)
        shutil.rmtree(folder)

    lab.each(range(2000), one, seconds)
    lab.top.chmod(0o700)
    return ""


LEAVING = """#!/bin/sh
{start} sh -c 'exec sleep 300' </dev/null >/dev/null 2>&1 &
{then}
"""


def offspring(lab, seconds):
    """Commands that leave processes behind, in their group and out of it, end well, hang, or are killed with bench."""
    plan = [(start, then, limit) for start in ("", "setsid", "setsid setsid", "nohup setsid")
            for then, limit in (("true", None), ("sleep 0.05", None), ("exec sleep 300", "1s"), ("exit 3", None), ("kill -9 $$", None))]

    def one(item):
        start, then, limit = item
        folder = lab.folder()
        script = folder / "leaving"
        script.write_text(LEAVING.format(start=start, then=then))
        script.chmod(0o755)
        result = lab.run(["run", "--exec", "./leaving", "-k", "1", "--budget", "0.1s", "--watch", "no", "--no-store",
                          *(["--time-limit", limit] if limit else [])], folder)
        lab.tried("offspring")
        what = f"{start or 'a job'}, then {then}"
        if result.status not in (0, 4):
            lab.finding("offspring", STATUS, what, result, folder)
        left = sleeping(folder)
        if left:
            lab.finding("offspring", LEFT, f"{what}: {len(left)} processes", result, folder)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
        live = subprocess.run(["flock", "-n", next((folder / "runs").iterdir()) / "samples.jsonl", "true"], check=False)
        if live.returncode != 0:
            lab.finding("offspring", LEFT, f"{what}: the run's lock is held", result, folder)
        shutil.rmtree(folder)

    lab.each(lab.random.sample(plan, len(plan)), one, seconds)
    return ""


def sleeping(folder):
    """The processes of a try that sleep still."""
    word, found = f"FAULT_TRY={folder.name}\0".encode(), []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and word in Path("/proc", entry, "environ").read_bytes() and \
                    Path("/proc", entry, "cmdline").read_bytes().startswith(b"sleep"):
                found.append(int(entry))
        except OSError:
            pass
    return found
