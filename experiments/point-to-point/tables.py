#!/usr/bin/env python3
"""Tables 2 to 4: the cost of each send mode, the fitted lines, and the errors of predictions at other sizes.

python3 experiments/point-to-point/tables.py FOLDER    # as root, for the lab; half an hour; `--help` for more

For each network, some launches are measured at the paper's sizes (Table 2) and fitted (Table 3), and others at the sizes of
its Table 4. The same is done at sizes of all magnitudes with the fit `segmented`. Fitted and predicted launches are measured
in turns. Writes FOLDER/tables.md.
"""

import argparse
import math
from pathlib import Path

from common import (FIXED_BUFFERS, FRAGMENTS, PAIR, Lab, calibrate, error_text, launches_in, markdown, program, run,
                    tool_json)

THOUSAND_INTS = 4000  # bytes
TABLE_2 = [THOUSAND_INTS * n for n in (100, 250, 400, 550, 700, 850, 1000)]
TABLE_4 = [THOUSAND_INTS * n for n in (40, 60, 1600, 1700)]


def local(*mca):
    def command(ranks, *words):
        return ["mpirun", "-q", "-np", str(ranks), "--bind-to", "core", *mca, *words]
    return command


NETWORKS = {
    "shared memory": local(),
    "loopback TCP": local("--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo", *FIXED_BUFFERS, *FRAGMENTS),
    "lab at 100 Mbit/s": None,  # known while the lab is up
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where calibrations and results go")
    parser.add_argument("--launches", type=int, default=3, help="number of fitted launches, and of predicted ones (%(default)s)")
    parser.add_argument("--networks", default=",".join(NETWORKS), help="the networks to measure (%(default)s)")
    return parser.parse_args()


def measure(options, network, command):
    """Measures the four calibrations of a network in turns, so that drift affects all alike."""
    stem = network.replace(" ", "-").replace("/", "-")
    paths = {name: options.folder / f"{stem}-{name}.json" for name in ("table-2", "table-4", "fit", "test")}
    exact = {"table-2": TABLE_2, "table-4": TABLE_4}
    for launch in range(options.launches):
        for number, name in enumerate(paths):
            if launches_in(paths[name]) > launch:
                continue
            print(f"{network}: {name}, launch {launch + 1}", flush=True)
            words = ["--sizes", ",".join(map(str, exact[name]))] if name in exact else []
            calibrate(command, 2, paths[name], 100 * number + launch + 1, *words)
    return paths


def check(fitted, measured, fit, *words):
    return tool_json("calibration", "check", str(fitted), str(measured), "--fit", fit, *words)["times"]


def two_an_octave(times):
    """Selects two sizes per octave, kind and side, because the survey measures more sizes near jumps."""
    chosen = {}
    for time in times:
        place = math.floor(2 * math.log2(time["bytes"]))
        chosen.setdefault((time["mode"], time["posted"], time["side"], place), time)
    return list(chosen.values())


def error(time):
    return time["predicted_s"] / time["measured_s"] - 1


def table_4(times):
    """Returns the paper's table: predicted and measured times of the sender if the receive is posted before."""
    shown = [time for time in times if time["posted"] == "before" and time["side"] == "sender"]
    return markdown(["mode", "thousand ints", "measured", "predicted", "error"], [
        [time["mode"], f"{time['bytes'] / THOUSAND_INTS:g}", f"{1e3 * time['measured_s']:.4g} ms",
         f"{1e3 * time['predicted_s']:.4g} ms", f"{100 * error(time):+.1f} %"] for time in shown])


def section(options, network, command):
    paths = measure(options, network, command)
    fits = run([program("loadshare"), "calibration", "show", str(paths["table-2"]), "--fit", "seed"])
    seed = check(paths["table-2"], paths["table-4"], "seed", "--min-bytes", "1", "--max-bytes", "100000000")
    segmented = two_an_octave(check(paths["fit"], paths["test"], "segmented"))
    return "\n".join([
        f"## {network}", "", "Tables 2 and 3, medians and the paper's least-squares fit:", "", "```text", fits, "```", "",
        "Table 4, the sender's time at other sizes, in other launches:", "", table_4(seed), "",
        f"Errors of all modes, both sides: {error_text(map(error, seed))} (median, ninth decile, worst).", "",
        f"Errors of the fit `segmented`, 64 bytes to 4 MiB, at sizes and in launches not fitted ({len(segmented)} times): "
        f"{error_text(map(error, segmented))}.", ""])


def main():
    options = arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    sections = []
    for network in options.networks.split(","):
        if command := NETWORKS[network]:
            sections.append(section(options, network, command))
        else:
            with Lab(PAIR) as lab:
                sections.append(section(options, network, lab.command))
    text = "\n".join(sections)
    (options.folder / "tables.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
