# SPDX-License-Identifier: MIT
"""What happens to the process and its neighbours: it is killed, others write at the same time, others hold the lock."""
import fcntl
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time

from calls import Reference, check_database, check_left, check_measured
from commands import FIRST_NIGHT, NIGHT, QUICK, ROLLING, RUN, Command, writing
from lab import (BLAME, CRASH, GATE, KILLED, LEFT, LOST, NEXT, NONSENSE, STATUS, Counter, integrity, leftovers, settle, state_of,
                 wait_for_end)

LONG = ["--suite", "gemm", "--set", "n=8,16", "--backend", "openblas", "--budget", "60s", "--precision", "50%", "-k", "6", "--watch", "no"]


def killed_run(lab):
    """A folder with a run that was killed after two of its invocations."""
    folder = lab.folder()
    process = lab.start(["run"] + LONG, folder)
    end = time.monotonic() + 60
    while not any(b'"end","case":1,"invocation":1' in path.read_bytes() for path in folder.glob("runs/*/samples.jsonl")):
        assert process.poll() is None and time.monotonic() < end, process.stderr.read()
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    wait_for_end(folder)
    return folder


def second_night(lab):
    """A folder in which the first night of a gate has kept its anchor."""
    folder = lab.folder()
    first = lab.run(FIRST_NIGHT.argv, folder)
    assert first.status == 7, first.err
    return folder


def kill(lab, seconds):
    """Kills: at any time, and behind any write, of all that write; then the same command again."""
    resumable, night = killed_run(lab), second_night(lab)
    run = next((resumable / "runs").iterdir()).name
    measured = [(RUN, None, {0}), (Command("run --resume", ["run", "--resume", run], False, True), resumable, {0, 3}),
                (FIRST_NIGHT, None, {7, 0, 6}), (Command("gate, second night", NIGHT, False, True), night, {0, 1, 6, 7}),
                (ROLLING, night, {0, 1, 6, 7})]
    measured = [one for one in measured if lab.only in one[0].name]
    durations = {}
    for command, base, allowed in measured:
        folder = lab.folder(base)
        durations[command.name] = lab.run(command.argv, folder).seconds
    plan = []
    for turn in range(3000):
        for command, base, allowed in measured:
            plan.append(("measured", command, base, allowed, turn))
        plan += [("stored", command, None, None, turn) for command in writing(lab) for _ in range(2)]
    known = {command.name: Reference(lab, command) for command in writing(lab)}
    durations.update({name: reference.result.seconds for name, reference in known.items()})
    calls = {}

    def calls_of(command, base):
        if command.name not in calls:
            folder = lab.folder(base)
            counter = Counter(folder)
            lab.run(command.argv, folder, {"KIND": "write", "NTH": 0, "COUNTER": counter.path})
            calls[command.name] = max(1, counter.read()[0])
            shutil.rmtree(folder)
        return calls[command.name]

    def at_random(command, folder):
        """Killed by its parent, at some time."""
        number = lab.random.choice([signal.SIGKILL] * 3 + [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
        process = lab.start(command.argv, folder)
        time.sleep(lab.random.random() * durations[command.name])
        process.send_signal(number)
        return process, number, f"{command.name}: signal {number}"

    def at_a_write(command, folder, base):
        mode = lab.random.choice(["KILL", "KILL", "KILL", "TERM", "INT", "HUP"])
        nth = lab.random.randint(1, calls_of(command, base))
        fault = {"KIND": "write", "NTH": nth, "MODE": mode}
        if command.measures:
            fault["ROLE"] = lab.random.choice(["parent", "parent", "worker"])
        return (lab.start(command.argv, folder, fault), getattr(signal, "SIG" + mode),
                f"{command.name}: SIG{mode} behind write {nth}")

    def one(item):
        kind, command, base, allowed, turn = item
        folder = lab.folder(base if kind == "measured" else lab.stored)
        before = state_of(folder)
        if turn % 2 == 0:
            process, number, what = at_random(command, folder)
        else:
            process, number, what = at_a_write(command, folder, base if kind == "measured" else lab.stored)
        try:
            _, err = process.communicate(timeout=60)
        except Exception:
            os.killpg(process.pid, signal.SIGKILL)
            lab.finding("kill", CRASH, f"{what}: hung", None, folder)
            return
        lab.tried("kill")
        ended = Ended(command.argv, process.returncode, err.decode(errors="replace"))
        good = {-number, 130, 5, 0, 1, 3, 4, 6, 7} if kind == "measured" else {-number, known[command.name].result.status}
        if ended.status not in good:
            lab.finding("kill", STATUS, f"{what}: exit status {ended.status}", ended, folder)
        if kind == "stored":
            check_killed(lab, what, known[command.name], ended, folder)
        elif turn % 3:  # else it is gone on with before a fragment is in the history
            check_measured(lab, "kill", what, before, ended, folder)
        do_again(kind, command, allowed, what, folder)
        if kind == "measured":
            check_measured(lab, "kill", what + ", and done again", before, ended, folder)
        shutil.rmtree(folder, ignore_errors=True)

    def do_again(kind, command, allowed, what, folder):
        again = lab.run(command.argv, folder)
        if kind == "stored":
            # What it was to do it has done: the first time, or now.
            done = {0: {0, 2, 3}}.get(known[command.name].result.status, {known[command.name].result.status})
            state = state_of_settled(folder)
            missing = known[command.name].after.rows - state.rows
            if again.status not in done or missing:
                lab.finding("kill", STATUS, f"{what}: done again, {again.status}, {len(missing)} rows are missing", again, folder)
        elif again.status not in allowed:
            lab.finding("kill", STATUS, f"{what}: done again", again, folder)
        check_left(lab, "kill", what, command, again, folder)

    left = lab.each(plan, one, seconds)
    return f"{len(plan) - left} commands killed"


class Ended:
    """A result, of a process that was not run by Lab.run."""

    def __init__(self, argv, status, err):
        self.argv, self.status, self.err, self.out, self.hung = ["bench"] + argv, status, err, b"", False


def state_of_settled(folder):
    settle(folder)
    return state_of(folder)


def check_killed(lab, what, reference, result, folder):
    if not check_database(lab, "kill", what, result, folder):
        return
    state = state_of(folder)
    lost = (reference.before.rows & reference.after.rows) - state.rows
    strange = [name for name, digest in reference.before.files.items()
               if state.files.get(name) not in (digest, reference.after.files.get(name))]
    if lost or strange:
        lab.finding("kill", LOST, f"{what}: {len(lost)} rows, files {strange}", result, folder)
    listed = lab.run(["list", "runs"], folder)
    if listed.status != 0:
        lab.finding("kill", LOST, f"{what}: the history cannot be listed", listed, folder)


def writers(lab, seconds):
    """Sixteen processes at once on one database and one log: none is lost."""
    many = 16

    def one(turn):
        folder = lab.folder(lab.stored)
        (folder / "results.db").unlink()
        copies = []
        for i in range(many):
            copy = folder / f"in/2026010{i // 10}-0000{i % 10}{i // 10}"
            shutil.copytree(folder / "runs" / GATE, copy)
            record = json.loads((copy / "metrics.json").read_text())
            record["run"].update(id=copy.name, started=record["run"]["started"] + i)
            (copy / "metrics.json").write_text(json.dumps(record))
            (copy / "samples.jsonl").unlink()
            copies.append(copy)
        (folder / "EXPERIMENTS.md").unlink()
        rounds = {
            "ingest": [["ingest", copy] for copy in copies],
            "baseline set": [["baseline", "set", f"b{i}", copies[i].name] for i in range(many)],
            "compare": [["compare", copies[i].name, "--baseline", f"b{(i + 1) % many}"] for i in range(many)],
            "baseline accept": [["baseline", "accept", "gemm/*", "--since", copies[i].name, "--why", f"right {i}"] for i in range(many)],
            "log --append": [["log", copies[i].name, "--append", "EXPERIMENTS.md"] for i in range(many)],
            "run": [["run"] + QUICK[:-4] + ["--budget", "0.05s", "--watch", "no", "-l", f"n={i}"] for i in range(many)],
        }
        for name, commands in rounds.items():
            started = [(argv, lab.start([str(a) for a in argv], folder)) for argv in commands]
            for argv, process in started:
                _, err = process.communicate()
                lab.tried("writers")
                ended = Ended([str(a) for a in argv], process.returncode, err.decode(errors="replace"))
                if ended.status not in ({0, 1, 4} if name == "compare" else {0}):
                    lab.finding("writers", STATUS, name, ended, folder)
        check(folder, copies)
        shutil.rmtree(folder)

    def check(folder, copies):
        if not check_database(lab, "writers", "sixteen", None, folder):
            return
        database = sqlite3.connect(folder / "results.db")
        counts = {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("run", "baseline", "accepted")}
        database.close()
        wanted = {"run": 2 * many, "baseline": many, "accepted": many}
        text = (folder / "EXPERIMENTS.md").read_text() if (folder / "EXPERIMENTS.md").exists() else ""
        lacking = [copy.name for copy in copies if copy.name not in text]
        if counts != wanted or lacking:
            lab.finding("writers", LOST, f"{counts}, not {wanted}; not in the log: {lacking}", None, folder)
        if leftovers(folder):
            lab.finding("writers", LEFT, str(leftovers(folder)), None, folder)

    lab.each(range(1000), one, seconds, threads=1)
    return ""


def locks(lab, seconds):
    """Another process holds the lock of the database, for a while or for longer than is waited; or that of a run's folder."""
    def hold(folder, name, held, argv, good, words):
        database = sqlite3.connect(folder / name, isolation_level=None, check_same_thread=False)
        database.execute("BEGIN EXCLUSIVE" if held < 0 else "BEGIN IMMEDIATE")
        process = lab.start(argv, folder)
        if held > 0:
            time.sleep(held)
            database.execute("ROLLBACK")
        try:
            _, err = process.communicate(timeout=90)
        except Exception:
            os.killpg(process.pid, signal.SIGKILL)
            _, err = process.communicate()
            lab.finding("locks", CRASH, f"{argv} hung", None, folder)
        database.close()
        lab.tried("locks")
        ended = Ended(argv, process.returncode, err.decode(errors="replace"))
        if ended.status not in good:
            lab.finding("locks", STATUS, f"lock held for {held} s", ended, folder)
        elif ended.status == 5 and words not in ended.err:
            lab.finding("locks", BLAME, f"lock held for {held} s", ended, folder)

    def one(item):
        held, argv, good = item
        folder = lab.folder(lab.stored)
        hold(folder, "results.db", held, argv, good, "another process")
        if integrity(folder / "results.db") != "ok":
            lab.finding("locks", LOST, "integrity", None, folder)
        shutil.rmtree(folder)

    def folder_lock(_):
        folder = lab.folder(lab.stored)
        run = folder / "runs" / KILLED
        with open(run / "samples.jsonl", "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            result = lab.run(["run", "--resume", f"runs/{KILLED}"], folder)
        lab.tried("locks")
        if lab.plain("locks", "the lock of a run's folder", result, folder, {5}) and "right now" not in result.err and \
                " was '" not in result.err:
            lab.finding("locks", BLAME, "the lock of a run's folder", result, folder)
        shutil.rmtree(folder)

    short = [(lab.random.random(), command.argv, {0, 1, 4}) for command in writing(lab) if command.argv[0] in ("baseline", "compare", "alarms")
             for _ in range(4)]
    lab.each(short, one, seconds)
    lab.each(range(4), folder_lock, seconds)
    if not lab.short:  # longer than is waited
        lab.each([(-1, ["baseline", "set", "other", NEXT], {5}), (-1, ["ingest", f"runs/{KILLED}"], {5})], one, 60)
    return "" if not lab.short else "without waiting for longer than bench does (30 s)"


def turns(lab, seconds):
    """Benches that wait in line for the machine: those that measure and those that wait are killed, and the others get their turns."""
    many = 5

    def start(folder, i):
        argv = ["run", "--exec", "work: sleep 0.05", "-k", "2", "--budget", "1s", "--watch", "no", "--wait", "40s",
                "--db", f"{i}.db", "--runs-dir", f"runs{i}"]
        with open(folder / f"{i}.err", "wb") as err:
            process = subprocess.Popen([str(lab.top / "bin/bench")] + argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=err, start_new_session=True,
                                       env=dict(lab.environment, FAULT_TRY=folder.name, BENCH_TURN=str(folder / "turn")))
        # It is in the line before the next one comes.
        while process.poll() is None and not (folder / f"{i}.err").stat().st_size:
            time.sleep(0.01)
        return argv, process

    def one(_):
        folder = lab.folder()
        started = [start(folder, i) for i in range(many)]
        killed = {}
        for i in lab.random.sample(range(many), lab.random.randint(1, many - 1)):
            time.sleep(0.3 * lab.random.random())
            killed[i] = lab.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
            started[i][1].send_signal(killed[i])
        times = []
        for i, (argv, process) in enumerate(started):
            lab.tried("turns")
            what = f"{i} of {many}, killed: {killed}"
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                lab.finding("turns", CRASH, f"{what}: hung", None, folder)
                continue
            ended = Ended(argv, process.returncode, (folder / f"{i}.err").read_text())
            if ended.status not in ({0} if i not in killed else {0, -killed[i], 130}):
                lab.finding("turns", STATUS, f"{what}: exit status {ended.status}", ended, folder)
            elif ended.status == 0:
                run = json.loads(next((folder / f"runs{i}").glob("*/metrics.json")).read_text())["run"]
                if times and run["started"] < times[-1]:
                    lab.finding("turns", NONSENSE, f"{what}: it overtook another, or measured beside it", ended, folder)
                times.append(run["finished"])
            if integrity(folder / f"{i}.db") != "ok":
                lab.finding("turns", LOST, f"{what}: integrity", ended, folder)
        if not wait_for_end(folder):
            lab.finding("turns", LEFT, "a process goes on", None, folder)
        shutil.rmtree(folder)

    lab.each(range(1000), one, seconds)
    return f"{many} benches in a line"
