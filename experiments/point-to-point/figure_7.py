#!/usr/bin/env python3
"""Figure 7: predicted (from small runs) and measured times of NPB IS, for each class and number of ranks.

python3 experiments/point-to-point/figure_7.py FOLDER    # as root; some half an hour; `--help` for more

Calibrates hosts of the lab, a pair and several at the same time, profiles the training runs, predicts the others, runs
them, and writes FOLDER/figure-7.md and .svg. Results that FOLDER contains already are not measured again.
"""

import argparse
import json
import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402, the backend comes first

from common import LAB, Lab, calibrate, error_text, launches_in, markdown, program, run, tool_json

HOSTS = 8
# The calls of IS. Most of a run's time is in the large ones, which therefore get most of the calibration.
COLLECTIVES = (("allreduce,alltoall", "0", "64KiB", "10"), ("alltoallv", "2KiB", "32MiB", "150"))
KEYS = {"S": 2**16, "W": 2**20, "A": 2**23, "B": 2**25, "C": 2**27}
# Six sizes, because laws of time need five.
TRAIN = "S2,2^19x2,W2,2^21x2,2^22x2,A2,S4,2^19x4,W4,2^21x4,2^22x4,A4"
LEAST_S = 3  # of the timed part per turn; short runs scatter most, so they are repeated
MOST_RUNS = 8


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where calibration, profiles and results go")
    parser.add_argument("--train", default=TRAIN,
                        help="training runs: class or number of keys, and ranks (%(default)s)")
    parser.add_argument("--test", default="W8,A8,B2,B4,B8", help="predicted runs (%(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions of all runs (%(default)s)")
    parser.add_argument("--lab", type=Path, default=LAB, help="the lab file; lab-2.yaml is for two processors (%(default)s)")
    parser.add_argument("--measure", default="calibration,train,test", metavar="PART,...",
                        help="the parts to measure in this call, or none (%(default)s)")
    parser.add_argument("--work", type=int, default=3,
                        help="repetitions of each computing step, because the paper's processors were slower (%(default)s)")
    return parser.parse_args()


def points(text):
    """Parses W2,2^21x4 as [("W", 2), ("2^21", 4)]."""
    words = [re.fullmatch(r"([SWABC]|2\^\d+(?=x))x?(\d+)", word) for word in text.split(",")]
    if None in words:
        raise SystemExit(f"error: '{text}' contains no point (a class or a number of keys, and ranks); write W2 or 2^21x4")
    return [(word[1], int(word[2])) for word in words]


def keys_of(name):
    return KEYS[name] if name in KEYS else 2**int(name[2:])


def profile_path(folder, name, ranks, run_number):
    return folder / f"{name}{'' if name in KEYS else 'x'}{ranks}-{run_number}.profile"


def calibrate_calls(command, folder, launch):
    """Adds launches to the calibration: the small calls of IS, and separately the large one."""
    path = folder / "calibration.json"
    launches = launches_in(path)
    for number, (calls, least, most, seconds) in enumerate(COLLECTIVES):
        if launches > len(COLLECTIVES) * launch + number:
            continue
        print(f"calibration {launch + 1}: {calls}", flush=True)
        calibrate(command, HOSTS, path, len(COLLECTIVES) * launch + number + 1, "--partners", "1", "--modes",
                  "standard", "--seconds", "20", "--min-bytes", least, "--max-bytes", most, "--collectives", calls,
                  "--collective-seconds", seconds)


def profile(command, path, name, ranks, work):
    """Profiles a run. Returns the seconds of the timed part, which the program marks."""
    if not path.exists():
        print(path.stem, flush=True)
        run([program("loadshare"), "profile", "--out", str(path), "--",
             *command(ranks, program("integer_sort"), "--class", name, "--work", str(work), "--progress", "none")])
    return tool_json("metrics", str(path))["run_s"]


def profile_turn(options, command, name, ranks, repetition):
    took_s = 0
    for number in range(MOST_RUNS):
        path = profile_path(options.folder, name, ranks, f"{repetition}-{number}")
        took_s += profile(command, path, name, ranks, options.work)
        if took_s >= LEAST_S:
            return


def measure(options, command, train, test):
    parts = options.measure.split(",")
    wanted = [point for part, points_of in (("train", train), ("test", test)) if part in parts for point in points_of]
    # All points have repetition n before any has n + 1, so that drift affects all alike.
    for repetition in range(options.repeat):
        if "calibration" in parts:
            calibrate_calls(command, options.folder, repetition)
        for name, ranks in wanted:
            profile_turn(options, command, name, ranks, repetition)


def words_of(options, wanted):
    return [f"n={keys_of(name)}:{path}" for name, ranks in wanted
            for path in sorted(options.folder.glob(profile_path(options.folder, name, ranks, "*-*").name))]


def predict(options, train, test, calibration):
    """Returns the predictions from the training runs alone, by point."""
    at = [f"n={keys_of(name)},p={ranks}" for name, ranks in train + test]
    answer = tool_json("graph", "predict", "--from", *words_of(options, train), "--at", *at,
                       "--calibration", str(calibration))
    return dict(zip(train + test, answer["points"]))


def measured(options, wanted, calibration):
    """Returns the mean seconds of the runs by point."""
    answer = tool_json("graph", "predict", "--from", *words_of(options, wanted), "--calibration", str(calibration))
    by_setting = {(point["at"]["n"], point["at"]["p"]): point["measured_s"] for point in answer["points"]}
    return {(name, ranks): by_setting[(keys_of(name), ranks)] for name, ranks in wanted}


def rows_of(options, train, test, calibration):
    predicted = predict(options, train, test, calibration)
    took = measured(options, train + test, calibration)
    return [{"class": name, "ranks": ranks, "measured_s": took[name, ranks], "trained": (name, ranks) in train,
             **{key: predicted[name, ranks][key] for key in ("predicted_s", "low_s", "high_s", "t_exec_s")}}
            for name, ranks in sorted(took, key=lambda point: (keys_of(point[0]), point[1]))]


def error(row):
    return row["predicted_s"] / row["measured_s"] - 1


def interval(row):
    """Returns the interval, or - if calls are larger than the calibrated ones."""
    return "-" if row["low_s"] is None else f"{row['low_s']:.2f} to {row['high_s']:.2f}"


def table(rows):
    heading = ["class", "ranks", "measured", "predicted", "90 % interval", "error", "T_exec", ""]
    return markdown(heading, [
        [row["class"], str(row["ranks"]), f"{row['measured_s']:.2f} s", f"{row['predicted_s']:.2f} s",
         interval(row), f"{100 * error(row):+.1f} %", f"{row['t_exec_s']:.2f} s",
         "training run" if row["trained"] else ""] for row in rows])


def draw(rows, path):
    figure, axes = pyplot.subplots(figsize=(6, 4))
    for number, name in enumerate(sorted({row["class"] for row in rows}, key=keys_of, reverse=True)):
        of_class = [row for row in rows if row["class"] == name]
        ranks = [row["ranks"] for row in of_class]
        axes.plot(ranks, [row["measured_s"] for row in of_class], ".-", color=f"C{number}",
                  label=f"class {name}" if name in KEYS else f"{name} keys")
        low, high = ([0 if row[key] is None else abs(row[key] - row["predicted_s"]) for row in of_class]
                     for key in ("low_s", "high_s"))
        axes.errorbar(ranks, [row["predicted_s"] for row in of_class], [low, high], fmt="o", color=f"C{number}",
                      mfc="white", capsize=3)
    axes.set(xscale="log", yscale="log", xlabel="number of ranks, one per host", ylabel="time of the timed part, s",
             title="NPB IS: measured (dots), predicted (circles)")
    axes.set_xticks(sorted({row["ranks"] for row in rows}), sorted({row["ranks"] for row in rows}))
    axes.minorticks_off()
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1))
    figure.savefig(path, bbox_inches="tight")


def main():
    options = arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    train, test = points(options.train), points(options.test)
    if options.measure != "none":
        with Lab(options.lab) as lab:
            measure(options, lab.command, train, test)
    calibration = options.folder / "calibration.json"
    if not calibration.exists() or not all(words_of(options, [point]) for point in train + test):
        return  # later calls measure the rest
    rows = rows_of(options, train, test, calibration)
    unseen = [error(row) for row in rows if not row["trained"]]
    text = f"{table(rows)}\n\nErrors of the runs outside the training: {error_text(unseen)} (median, ninth decile, worst).\n"
    (options.folder / "figure-7.md").write_text(text)
    (options.folder / "figure-7.json").write_text(json.dumps(rows, indent=1))
    draw(rows, options.folder / "figure-7.svg")
    print(text)


if __name__ == "__main__":
    main()
