# SPDX-License-Identifier: MIT
"""
One framework in one process: reads a work a line from standard input, as JSON, and answers with its samples
in a line. Started by scripts/compare_frameworks: server.py FRAMEWORK cpu|gpu
"""

import importlib
import json
import os
import sys
import time
import traceback

import sampling
import works


def quiesce(most=0.25):
    """Waits until no other thread of this process runs: thread pools spin for a while after a call."""
    own, end = str(os.getpid()), time.perf_counter() + most
    while time.perf_counter() < end:
        busy = False
        for thread in os.listdir("/proc/self/task"):
            try:
                with open(f"/proc/self/task/{thread}/stat", encoding="ascii", errors="replace") as stat:
                    busy |= thread != own and stat.read().rpartition(")")[2].split()[0] == "R"
            except OSError:
                pass
        if not busy:
            return
        time.sleep(0.002)


def fastest(peer, calls):
    """Of several ways to do the same, the one that a few samples say is the fastest."""
    best = None
    for name, call in calls:
        run = peer.loop(call)
        warm = sampling.iterations_of(run)
        if len(calls) == 1:
            return warm, name, call
        iterations = warm[0]
        took = sampling.median([sampling.timed(run, iterations) / iterations for _ in range(3)])
        if best is None or took < best[0]:
            best = took, warm, name, call
    return best[1:]


def fetched(peer, result):
    """In the host's memory; of a training, all its weights."""
    return [peer.fetch(part) for part in result] if isinstance(result, (tuple, list)) else peer.fetch(result)


def one_sample(peer, call):
    start = time.perf_counter()
    peer.finish(call())
    return time.perf_counter() - start


def measured(peer, work, seconds):
    """The answers for one work: one a way of launching it."""
    quiesce()
    calls = peer.calls(work)
    checked = []
    for name, call in calls:
        start = time.perf_counter()
        result = call()
        peer.finish(result)
        first = time.perf_counter() - start
        checked.append((first, work.check(fetched(peer, result))))
    warm, name, call = fastest(peer, calls)
    took = warm[1] / warm[0]
    first = [t for (t, _), (n, _) in zip(checked, calls) if n == name][0]
    # One call of 20 ms or more gives all metrics.
    also = [("latency", lambda: one_sample(peer, call))] if took < sampling.ALONE_LEAST else []
    samples, iterations = sampling.measure(peer.loop(call), seconds, also, warm)
    error = work.check(fetched(peer, call()))
    samples["first_call"] = [first]
    yield {
        "way": "",
        "status": "ok",
        "reason": "",
        "how": name,
        "error": error,
        "iterations": iterations,
        "samples": samples,
    }
    if not peer.graphs:
        return
    try:
        yield graphed(peer, work, call, took, name, seconds)
    except works.Unsupported as why:
        yield {"way": "graph", "status": "unsupported", "reason": str(why)}


def graphed(peer, work, call, took, name, seconds):
    """The same call, many times in one graph: its host's share is then that of one launch over all of them."""
    repeats = int(max(1, min(200, 500e-6 / took)))
    replay, result, device_time = peer.graph(call, repeats)
    run = peer.loop(replay)
    samples, iterations = sampling.measure(run, seconds, [("device_time", lambda: device_time() / repeats)])
    samples["time"] = [sample / repeats for sample in samples["time"]]
    error = work.check(fetched(peer, result))
    return {
        "way": "graph",
        "status": "ok",
        "reason": "",
        "how": name,
        "error": error,
        "iterations": iterations * repeats,
        "samples": samples,
    }


def answer(peer, request):
    try:
        work = works.make(request["suite"], request["params"], request.get("path"))
        return list(measured(peer, work, request["seconds"]))
    except works.Unsupported as why:
        return [{"way": "", "status": "unsupported", "reason": str(why)}]
    except works.Wrong as why:
        return [{"way": "", "status": "incorrect", "reason": str(why)}]
    except Exception as why:  # a framework may raise anything; the next work may do all the same
        traceback.print_exc()
        return [{"way": "", "status": "failed", "reason": f"{type(why).__name__}: {why}"[:300]}]


def main():
    # The answers have standard output for themselves; what a framework prints goes to standard error.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    framework, kind = sys.argv[1:3]
    try:
        peer = importlib.import_module("peer_" + framework).Peer(kind)
        hello = {"version": peer.version, "device": peer.device}
    except Exception as why:
        hello = {"missing": f"{type(why).__name__}: {why}"[:300]}
    print(json.dumps(hello), file=out, flush=True)
    if "missing" in hello:
        return
    for line in sys.stdin:
        answers = answer(peer, json.loads(line))
        peer.release()
        quiesce()
        print(json.dumps(answers), file=out, flush=True)


if __name__ == "__main__":
    main()
