#!/usr/bin/env python3
"""Predicts where one master saturates, from 1 to 1,000,000 hosts, and the consequences for the choice of technique.

Nothing runs: every point is a `loadshare predict`. Makes two figures and their tables:
  chunks      fixed chunks of 100 us to 10 s: the efficiency over the number of hosts
  techniques  a loop of 10^9 iterations of 1 ms: the efficiency of each technique over the number of hosts
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ITERATION_S = 1e-3
CHUNK_COSTS_S = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
CHUNKS_A_WORKER = 16
LOOP = 10**9
SPECS = ("send", "gss", "factoring", "tss")
# Gigabit Ethernet; input and result of an iteration have 1 KiB each.
NETWORK = "latency=50us,bandwidth=117MB/s"
BYTES = 1024


def checked(program):
    if not program.exists():
        sys.exit(f"{program} is missing (nothing was built); run ./quickstart build")
    return str(program)


def predictions(program, hosts, iterations, cost_s, specs, data):
    """Returns the predictions of the specs; one run each, because nothing is random."""
    words = [program, "predict", "--hosts", f"{hosts}x1", "--master", "works" if hosts == 1 else "coordinates",
             "--iterations", str(iterations), "--cost", f"{cost_s * 1e6:g}us", "--costs", NETWORK,
             "--input-bytes", str(data), "--result-bytes", str(data), "--scheduler", *specs, "--json", "-"]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["predictions"]


def efficiency(one):
    return one["work_bound_s"] / one["makespan_s"]


def workers(hosts):
    return max(1, hosts - 1)


def by_chunk_cost(program, most_hosts):
    """Returns a row for each cost of a chunk: its efficiencies by the number of hosts. A chunk is one iteration."""
    rows = []
    for cost_s in CHUNK_COSTS_S:
        points = []
        for hosts in sizes(most_hosts):
            (one,) = predictions(program, hosts, CHUNKS_A_WORKER * workers(hosts), cost_s, ["send:1"], BYTES)
            points.append({"hosts": hosts, "efficiency": efficiency(one), "bound": one["bound"]})
        rows.append({"cost_s": cost_s, "points": points})
    return rows


def by_technique(program, most_hosts):
    """Returns a row for each technique: its efficiencies over one loop; the size of `send` depends on the number of hosts."""
    rows = {spec: [] for spec in SPECS}
    for hosts in sizes(most_hosts):
        size = max(1, LOOP // workers(hosts) // CHUNKS_A_WORKER)
        first = max(1, LOOP // workers(hosts) // 2)
        # Tzen and Ni's step, because with the default step of 1 such a long loop would end in single iterations.
        own = {"send": f"send:{size}", "tss": f"tss:first={first},last=1"}
        specs = [own.get(spec, spec) for spec in SPECS]
        for spec, one in zip(SPECS, predictions(program, hosts, LOOP, ITERATION_S, specs, 0)):
            rows[spec].append({"hosts": hosts, "efficiency": efficiency(one), "bound": one["bound"],
                               "messages": one["messages"], "makespan_s": one["makespan_s"]})
    return [{"technique": spec, "points": points} for spec, points in rows.items()]


def sizes(most_hosts):
    """Returns 2, 4, 10, 30, 100, ... up to `most_hosts`."""
    steps = [2, 4] + [factor * 10**power for power in range(1, 7) for factor in (1, 3)]
    return [hosts for hosts in steps if hosts <= most_hosts]


def table(rows, name, text):
    hosts = [point["hosts"] for point in rows[0]["points"]]
    print(f"\n{'efficiency %':>14} " + " ".join(f"{count:>9,}" for count in hosts))
    for row in rows:
        print(f"{text(row[name]):>14} " + " ".join(f"{100 * point['efficiency']:9.1f}" for point in row["points"]))


def draw(rows, name, text, path, title):
    sys.path.insert(0, str(HERE.parent))
    sys.dont_write_bytecode = True
    from report.drawing import matplotlib
    from report.plot_file import COLOURED
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, NullFormatter
    with matplotlib.rc_context(COLOURED):
        figure = Figure(figsize=(7.4, 4.2))
        axes = figure.subplots()
        colours = matplotlib.colormaps["viridis"]
        for number, row in enumerate(rows):
            points = row["points"]
            axes.plot([point["hosts"] for point in points], [100 * point["efficiency"] for point in points], marker=".",
                      color=colours(number / len(rows)), label=text(row[name]))
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda hosts, _: f"{hosts:,.0f}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_ylim(0, 102)
        axes.set_xlabel("number of hosts, including the master")
        axes.set_ylabel("efficiency, %")
        axes.set_title(title, loc="left")
        axes.legend(frameon=False)
        axes.grid(linewidth=0.4, alpha=0.4)
        figure.savefig(path)


def duration(seconds):
    for unit, length in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= length:
            return f"{seconds / length:g} {unit}"
    return f"{seconds:g} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the figures and their numbers go")
    parser.add_argument("--most-hosts", type=int, default=10**6, help="the largest number of hosts (%(default)s)")
    parser.add_argument("--program", type=Path, default=HERE.parent.parent / "build" / "bin" / "loadshare",
                        help="the path of loadshare")
    options = parser.parse_args()
    program = checked(options.program)
    options.folder.mkdir(parents=True, exist_ok=True)
    chunks = by_chunk_cost(program, options.most_hosts)
    techniques = by_technique(program, options.most_hosts)
    (options.folder / "saturation.json").write_text(json.dumps({"chunks": chunks, "techniques": techniques}, indent=1))
    table(chunks, "cost_s", duration)
    table(techniques, "technique", str)
    draw(chunks, "cost_s", duration, options.folder / "chunks.svg", "Fixed chunks, by the time of a chunk")
    draw(techniques, "technique", str, options.folder / "techniques.svg", "10⁹ iterations of 1 ms, by technique")


if __name__ == "__main__":
    main()
