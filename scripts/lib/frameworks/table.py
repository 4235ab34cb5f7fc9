# SPDX-License-Identifier: MIT
"""What a comparison found, as a table: reads the CSVs that scripts/compare_frameworks leaves."""

import csv
import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path

from sampling import median

# Parameters that choose how a work is done, and are no part of it.
WAYS = {
    "reduction": ["stages"],
    "elementwise": ["width"],
    "activation": ["width"],
    "conv2d": ["algorithm"],
    "spmv": ["kernel"],
}
# Backends of the project whose code for these suites is its own, not the library's.
OWN_SUITES = {
    "opencl": None,
    "openblas": {"conv2d", "elementwise", "activation", "random", "spmv", "reduction", "mnist"},
}
FALLBACK = {
    "gemm": {"trans": "NN", "alpha": "1", "beta": "0", "batch": "1"},
    "gemm_chain": {"length": "2"},
    "conv2d": {"layout": "nchw", "n": "1", "stride": "1", "dilation": "1", "groups": "1", "pad": "1"},
    "reduction": {},
    "spmv": {"n": "0", "per_row": "0", "repeat": "1"},
}


WORST = 10  # works that a section of random ones shows
CURVE = 5  # works at least, for a curve of their ratios
BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def params_of(row):
    return {name[6:]: value for name, value in row.items() if name.startswith("param.") and value}


def way_of(suite, params):
    return "/".join(params.get(name, "") for name in WAYS.get(suite, []))


def work_of(suite, params):
    """What is measured, whatever way: the same text for all backends."""
    ways = WAYS.get(suite, [])
    return suite + " " + ",".join(f"{name}={value}" for name, value in params.items() if name not in ways)


def title(suite, params):
    """For people: without what is as usual."""
    hidden, usual = WAYS.get(suite, []), FALLBACK.get(suite, {})
    shown = {name: value for name, value in params.items() if name not in hidden and usual.get(name) != value}
    if {"m", "n", "k"} <= shown.keys() and suite == "gemm":
        m, n, k = (shown.pop(name) for name in "mnk")
        shown["size"] = n if m == n == k else f"{m}x{n}x{k}"
    return (
        suite
        + " "
        + " ".join(
            value if name in ("dtype", "size", "op", "function", "distribution") else f"{name}={value}"
            for name, value in shown.items()
        )
    )


def is_own(suite, backend):
    return backend in OWN_SUITES and (OWN_SUITES[backend] is None or suite in OWN_SUITES[backend])


def read(folder):
    """work -> backend -> way -> {"metric": {invocation: median}, "status": .., "reason": ..}; and titles."""
    works, titles = defaultdict(lambda: defaultdict(dict)), {}
    for path in sorted(Path(folder).glob("own-*.csv")) + sorted(Path(folder).glob("frameworks-*.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            samples = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
            for row in csv.DictReader(file):
                params = params_of(row)
                work = work_of(row["suite"], params)
                titles.setdefault(
                    work,
                    (row["suite"], title(row["suite"], params), float(row["flops"] or 0), float(row["bytes"] or 0)),
                )
                way = way_of(row["suite"], params)
                entry = works[work][row["backend"]].setdefault(
                    way, {"status": "ok", "reason": "", "metrics": defaultdict(dict)}
                )
                if row["status"] and row["status"] != "ok":
                    entry.update(status=row["status"], reason=row["reason"])
                elif row["metric"]:
                    samples[work, row["backend"], way][row["metric"]][row["invocation"]].append(float(row["value"]))
            for (work, backend, way), metrics in samples.items():
                for metric, by_invocation in metrics.items():
                    for invocation, values in by_invocation.items():
                        works[work][backend][way]["metrics"][metric][invocation] = median(values)
    return works, titles


def fastest(ways, metric="time"):
    """(median over the invocations, {invocation: time}, way) of the fastest way, or None."""
    found = [
        (median(entry["metrics"][metric].values()), entry["metrics"][metric], way)
        for way, entry in ways.items()
        if entry["status"] == "ok" and entry["metrics"].get(metric)
    ]
    return min(found, key=lambda one: one[0]) if found else None


def ratio(own, peer):
    """Peer's time over ours: above 1 we are faster; the range over the invocations that both have."""
    each = [peer[1][i] / own[1][i] for i in own[1] if i in peer[1]]
    return peer[0] / own[0], (min(each), max(each)) if each else None


def seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value * 1e9:.4g} ns"


def rate(flops, size, time):
    if flops >= 8 * size:
        value, unit = flops / time, "FLOP/s"
    else:
        value, unit = size / time, "B/s"
    for prefix, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if value >= scale:
            return f"{value / scale:.4g} {prefix}{unit}"
    return f"{value:.4g} {unit}"


def rows(folder):
    """One for each work and own backend: dict of texts and numbers."""
    works, titles = read(folder)
    for work, backends in works.items():
        suite, name, flops, size = titles[work]
        peers = {
            backend: fastest(ways) for backend, ways in backends.items() if not is_own(suite, backend) and fastest(ways)
        }
        for backend, ways in sorted(backends.items()):
            if not is_own(suite, backend):
                continue
            own = fastest(ways)
            best = min(peers, key=lambda peer: peers[peer][0]) if peers else None
            kernel, kernels = fastest(ways, "device_time"), {
                peer: fastest(backends[peer], "device_time") for peer in peers if fastest(backends[peer], "device_time")
            }
            yield {
                "key": work,
                "work": name,
                "own": backend,
                "suite": suite,
                "time": own,
                "peers": peers,
                "best": best,
                "flops": flops,
                "bytes": size,
                "ratio": ratio(own, peers[best]) if own and best else None,
                "reason": "" if own else next((entry["reason"] for entry in ways.values()), ""),
                "kernel": kernel,
                "kernel_ratio": (
                    ratio(kernel, min(kernels.values(), key=lambda one: one[0])) if kernel and kernels else None
                ),
                "without": {
                    b: next(iter(w.values())) for b, w in backends.items() if b not in peers and not is_own(suite, b)
                },
            }


def quantile(values, share):
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def distribution(all_rows):
    """(what, by, ratios) for each kind of work, type and own backend, as far as there are ratios."""
    found = defaultdict(list)
    for row in all_rows:
        if row["ratio"]:
            dtype = re.search(r"dtype=(\w+)", row["key"])
            found[row["suite"] + (" " + dtype[1] if dtype else ""), row["own"]].append(row["ratio"][0])
    return [(what, own, ratios) for (what, own), ratios in found.items()]


SPREAD = (("works", ""), ("median", 0.5), ("tenth percentile", 0.1), ("worst", 0.0), ("best", 1.0))


def spread(ratios):
    return [str(len(ratios))] + [f"{quantile(ratios, share):.2f}" for _, share in SPREAD[1:]]


def text(folder):
    all_rows = list(rows(folder))
    lines = [
        f"{'work':44} {'ours':10} {'time':>10} {'rate':>14}  {'best peer':16} {'time':>10} {'ratio':>6}  {'range':11} {'kernels':>7}"
    ]
    for row in all_rows:
        own, best = row["time"], row["best"]
        lines.append(
            f"{row['work'][:44]:44} {row['own']:10} {seconds(own[0]) if own else 'none':>10} "
            f"{rate(row['flops'], row['bytes'], own[0]) if own else row['reason'][:14]:>14}  {best or 'none':16} "
            f"{seconds(row['peers'][best][0]) if best else '':>10} "
            + (
                f"{row['ratio'][0]:6.2f}  {row['ratio'][1][0]:.2f}..{row['ratio'][1][1]:.2f} "
                if row["ratio"] and row["ratio"][1]
                else f"{'':20}"
            )
            + (f"{row['kernel_ratio'][0]:8.2f}" if row["kernel_ratio"] else "")
        )
    facts = json.loads((Path(folder) / "facts.json").read_text(encoding="utf-8"))
    lines += ["", f"{'ratio':24} {'ours':10} " + " ".join(f"{name:>16}" for name, _ in SPREAD)]
    for what, own, ratios in distribution(all_rows):
        lines.append(f"{what:24} {own:10} " + " ".join(f"{value:>16}" for value in spread(ratios)))
    lines += [""] + [f"missing: {name}: {why}" for name, why in facts["missing"].items()]
    lines += [f"refused: {line}: {why}" for line, why in facts["refused"].items()]
    lines += [f"no answer: {peer}: {why} ({which})" for peer, why, which in without(all_rows)]
    return "\n".join(lines)


def samples(folder, suite, backend, way, work):
    """All samples of time of one case, as (invocation, value)."""
    for path in sorted(Path(folder).glob("own-*.csv")) + [Path(folder) / f"frameworks-{suite}.csv"]:
        if not path.exists():
            continue
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                params = params_of(row)
                if (row["suite"], row["backend"], row["metric"], way_of(suite, params)) == (
                    suite,
                    backend,
                    "time",
                    way,
                ):
                    if work_of(suite, params) == work:
                        yield row["invocation"], row["value"]


def write_pair(folder, device):
    """ratios/ours.csv and ratios/best.csv: one key a work in both, so that bench compare and plot can set them side by side."""
    out = Path(folder) / "ratios"
    out.mkdir(exist_ok=True)
    fields = ["name", "suite", "backend", "device", "param.work", "metric", "unit", "better", "invocation", "value"]
    with open(out / "ours.csv", "w", newline="", encoding="utf-8") as ours, open(
        out / "best.csv", "w", newline="", encoding="utf-8"
    ) as best:
        writers = csv.writer(ours), csv.writer(best)
        for writer in writers:
            writer.writerow(fields)
        for row in rows(folder):
            if not row["ratio"]:
                continue
            name = row["work"].split(" ", 1)[1].replace(" ", "+").replace("=", "") or "all"
            sides = (row["own"], row["time"][2]), (row["best"], row["peers"][row["best"]][2])
            for writer, (backend, way) in zip(writers, sides):
                for invocation, value in samples(folder, row["suite"], backend, way, row["key"]):
                    writer.writerow(
                        ["", row["suite"], row["own"], device, name, "time", "s", "lower", invocation, value]
                    )
    return out


def cell(row, peer):
    """The ratio to one of the others; the fastest in bold."""
    if peer not in row["peers"] or not row["time"]:
        return ""
    value = f"{ratio(row['time'], row['peers'][peer])[0]:.2f}"
    return f"**{value}**" if peer == row["best"] else value


def processes(all_rows):
    """How many each number is the median of: of a comparison that was interrupted, of some fewer."""
    counts = sorted({len(row["time"][1]) for row in all_rows if row["time"]}) or [0]
    return f"{counts[0]} to {counts[-1]}" if counts[0] != counts[-1] else f"{counts[0]}"


def markdown(folder):
    """The section of one machine in docs/comparison.md."""
    facts = json.loads((Path(folder) / "facts.json").read_text(encoding="utf-8"))
    all_rows = list(rows(folder))
    peers = sorted({peer for row in all_rows for peer in row["peers"]})
    lines = [
        f"## {facts['host']}",
        "",
        f"{facts['date']}, {processes(all_rows)} processes of each.",
        "",
        "    " + facts["command"],
        "",
        "| | version |",
        "|---|---|",
        *(f"| {name} | {version} |" for name, version in sorted(facts["versions"].items())),
        "",
        "| work | by | time | rate | fastest other | its time | ratio | processes | kernels |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in all_rows:
        own, best = row["time"], row["best"]
        lines.append(
            "| "
            + " | ".join(
                [
                    row["work"],
                    row["own"],
                    seconds(own[0]) if own else row["reason"],
                    rate(row["flops"], row["bytes"], own[0]) if own else "",
                    best or "none",
                    seconds(row["peers"][best][0]) if best else "",
                    f"{row['ratio'][0]:.2f}" if row["ratio"] else "",
                    "{:.2f} to {:.2f}".format(*row["ratio"][1]) if row["ratio"] and row["ratio"][1] else "",
                    f"{row['kernel_ratio'][0]:.2f}" if row["kernel_ratio"] else "",
                ]
            )
            + " |"
        )
    lines += [
        "",
        "Each of the others:",
        "",
        "| work | by | " + " | ".join(peers) + " |",
        "|---|---|" + "---|" * len(peers),
    ]
    lines += [
        f"| {row['work']} | {row['own']} | " + " | ".join(cell(row, peer) for peer in peers) + " |" for row in all_rows
    ]
    lines += ["", *missing(facts, all_rows), ""]
    return lines


def markdown_random(folder):
    """The section of works that nobody chose: how the ratios are distributed, and the worst of them."""
    facts = json.loads((Path(folder) / "facts.json").read_text(encoding="utf-8"))
    all_rows = list(rows(folder))
    lines = [
        f"## Random works: {facts['host']}",
        "",
        f"{facts['date']}, {processes(all_rows)} processes of each.",
        "",
        "    " + facts["command"],
        "",
        "| ratio | by | " + " | ".join(name for name, _ in SPREAD) + " |",
        "|---|---|" + "---|" * len(SPREAD),
    ]
    lines += [
        f"| {what} | {own} | " + " | ".join(spread(ratios)) + " |" for what, own, ratios in distribution(all_rows)
    ]
    worst = sorted((row for row in all_rows if row["ratio"]), key=lambda row: row["ratio"][0])[:WORST]
    lines += ["", f"The {len(worst)} works that are worst:", "", "| work | by | time | fastest other | ratio |", "|---|---|---|---|---|"]
    lines += [
        f"| {row['work']} | {row['own']} | {seconds(row['time'][0])} | {row['best']} | {row['ratio'][0]:.2f} |" for row in worst
    ]
    lines += ["", *missing(facts, all_rows), ""]
    return lines


def draw_distribution(folder, picture):
    """The ratios in order of size, a curve a kind of work that has enough of them; gnuplot draws them."""
    script = [
        "set terminal svg size 800,480 dynamic background 'white' font 'sans-serif,14'",
        f"set output '{picture}'",
        "set logscale y 2; set grid; set key outside right top Left reverse",
        "set xlabel 'share of the works, slowest first [%]'",
        "set ylabel 'time of the fastest other over ours'",
        "set xrange [0:100]",
    ]
    curves, data = [], []
    for what, own, ratios in distribution(rows(folder)):
        if len(ratios) < CURVE:
            continue
        width, index = 100 / len(ratios), len(curves)
        data += [f"$d{index} << END"]
        for i, value in enumerate(sorted(ratios)):
            data += [f"{i * width:.3f} {value:.5g}", f"{(i + 1) * width:.3f} {value:.5g}"]
        data += ["END"]
        name = f"{what}, {own}".replace("_", " ")
        curves.append(f"$d{index} with lines lw 2 dt {index % 3 + 1} title '{name}'")
    script += data + ["plot " + ", ".join(["1 lc rgb 'gray40' notitle", *curves])]
    subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=True)


def without(all_rows):
    """(framework, why, which works) where a framework gave no answer."""
    reasons = defaultdict(list)
    for row in all_rows:
        for peer, entry in row["without"].items():
            if row["work"] not in reasons[peer, entry["reason"]]:
                reasons[peer, entry["reason"]].append(row["work"])
    for (peer, why), works in sorted(reasons.items()):
        yield peer, why, works[0] if len(works) == 1 else f"{len(works)} works, {works[0]} the first"


def missing(facts, all_rows):
    """What is not in the table, and why: whole frameworks, works that bench refuses, works that a framework lacks."""
    lines = [f"- **{name}** was not measured: {why}." for name, why in facts["missing"].items()]
    lines += [f"- `{line}`: {why}." for line, why in facts["refused"].items()]
    lines += [f"- {peer}: {why} ({which})." for peer, why, which in without(all_rows)]
    return ["Not measured:", ""] + lines if lines else []


def sections_of(text):
    """device -> the lines of its section, in the page's order: a section is a second-level heading, and its picture names the device."""
    sections = {}
    for part in re.split(r"(?m)^(?=## )", text):
        picture = re.search(r"images/comparison-(\w+)\.svg", part)
        if picture:
            sections[picture[1]] = part.rstrip("\n").split("\n") + [""]
    return sections


def pictures(images, device):
    """The plot of a device's ratios; bench begins another picture, with a number, where one is full."""
    numbered = sorted(images.glob(f"comparison-{device}-*.svg"), key=lambda path: (len(path.name), path.name))
    return [*images.glob(f"comparison-{device}.svg"), *numbered]


def document(root, folders, plot):
    """
    Puts the results between the marks of docs/comparison.md, and a plot of each device's ratios beside it. What the
    page has of a device that is in none of the folders stays.
    """
    page = Path(root) / "docs" / "comparison.md"
    head, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    results, _, tail = rest.partition(END)
    sections = sections_of(results)
    for folder in folders:
        facts = json.loads((Path(folder) / "facts.json").read_text(encoding="utf-8"))
        device = facts["device"] + ("_random" if facts.get("random") else "")
        images = page.parent / "images"
        for old in pictures(images, device):
            old.unlink()
        if facts.get("random"):
            draw_distribution(folder, images / f"comparison-{device}.svg")
            section = markdown_random(folder)
        else:
            plot(write_pair(folder, device), images / f"comparison-{device}.svg")
            section = markdown(folder)
        shown = [line for picture in pictures(images, device) for line in (f"![ratios](images/{picture.name})", "")]
        sections[device] = section[:2] + shown + section[2:]
    lines = [line for section in sections.values() for line in section]
    page.write_text(head + BEGIN + "\n" + "\n".join(lines) + END + tail, encoding="utf-8")
