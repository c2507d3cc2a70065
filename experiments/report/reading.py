"""Reads a sweep's folder. Incomplete lines, failed runs and unfinished sweeps are not errors: the page lists them."""

import json
import math
from pathlib import Path

from report.errors import RUN_FAILED, USAGE, ReportError
from report.samples import FEWEST_FOR_AN_INTERVAL, MOST_ERROR
from report.sweep import Axis, Experiment, Point, Run, Sweep, value_text
from report.wording import counted

SCHEMA = 1
MANIFEST = "sweep.json"
RUNS = "runs.jsonl"


def read_sweep(folder):
    """Reads the sweep in `folder`. Raises ReportError if it is not a sweep, or if nothing has run."""
    folder = Path(folder)
    manifest = _read_manifest(folder)
    try:
        runs, gaps = _read_runs(folder / RUNS)
        sweep = _sweep(folder, manifest, runs, gaps)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ReportError(USAGE, f"cannot read the sweep {folder}",
                          f"{MANIFEST} or {RUNS} is not as a sweep writes it: {error!r}",
                          "run the sweep again with this version") from error
    if not sweep.runs():
        raise ReportError(RUN_FAILED, f"{folder} contains no runs yet", f"{RUNS} has none of this sweep",
                          f"run it first: {sweep.resume_command()}")
    sweep.gaps.extend(_unfinished(sweep))
    return sweep


def _read_manifest(folder):
    if not folder.is_dir():
        why = "it is a file" if folder.exists() else "there is no such folder"
        raise ReportError(USAGE, f"cannot read the sweep {folder}", why, "name the folder that loadshare sweep wrote")
    try:
        text = (folder / MANIFEST).read_bytes()
    except OSError as error:
        raise ReportError(USAGE, f"{folder} is not a sweep's folder", f"{MANIFEST}: {error.strerror}",
                          "name the folder that loadshare sweep wrote") from error
    return json_object(text, str(folder / MANIFEST), "run the sweep again")


def json_object(text, name, how_to_write):
    """Returns the object of a file that loadshare wrote. Raises ReportError if it does not have this schema."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ReportError(USAGE, f"cannot read {name}", f"it is not JSON: {error}", how_to_write) from error
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise ReportError(USAGE, f"cannot read {name}", f"its schema is not {SCHEMA}",
                          "use the version of loadshare that wrote it")
    return found


def _read_runs(path):
    """Returns (experiment, point id) -> its runs, and sentences on what could not be read."""
    runs, gaps = {}, []
    if not path.exists():
        return runs, gaps
    with open(path, encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            try:
                run = _run(json.loads(line))
            except _AnotherSchema as error:
                gaps.append(f"{path.name}:{number} was left out: {error}.")
                continue
            except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
                why = "not a run" if line.endswith("\n") else "the line is incomplete, like the last line of a killed sweep"
                gaps.append(f"{path.name}:{number} was left out: {why}.")
                continue
            runs.setdefault((run.experiment, run.point), []).append(run)
    return runs, gaps


class _AnotherSchema(Exception):
    def __init__(self, schema):
        super().__init__(f"record of schema {schema} (this version reads {SCHEMA})")


def _run(line):
    record = line.get("record")
    for part in (line, record or {}):
        if part.get("schema", SCHEMA) != SCHEMA:  # a user's program need not give one
            raise _AnotherSchema(part["schema"])
    if record:
        record = {key: value for key, value in record.items() if key != "chunks"}
        if record.get("makespan_s") is not None:
            record["makespan_s"] = _makespan_s(record["makespan_s"])
    return Run(experiment=line["experiment"], point=line["point"], repetition=int(line["repetition"]),
               order=int(line.get("order", 0)), status=line["status"], started_at=line.get("started_at") or "",
               wall_s=line.get("wall_s"), exit_code=line.get("exit_code"), error=line.get("error") or "",
               load=line.get("load"), record=record)


def _makespan_s(value):
    seconds = float(value)
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"makespan_s is {value}")
    return seconds


def _sweep(folder, manifest, runs, gaps):
    experiments = tuple(_experiment(entry, runs) for entry in manifest["experiments"])
    known = {(experiment.name, point.id) for experiment in experiments for point in experiment.points}
    strays = sum(len(of_point) for key, of_point in runs.items() if key not in known)
    if strays:
        gaps.append(f"{counted(strays, 'run')} left out: {MANIFEST} does not contain their points.")
    host = manifest.get("host") or ""
    return Sweep(folder=str(folder), title=manifest.get("title") or folder.name, source=manifest.get("source") or "",
                 is_reduced=bool(manifest.get("reduced")), seed=manifest.get("seed"),
                 versions=manifest.get("versions") or {}, host=host if isinstance(host, str) else json.dumps(host),
                 experiments=experiments, gaps=gaps)


def _error(repeat):
    """Returns the error of each check of a stop rule; see looks_of in experiments/sweep/plan.hpp.

    A manifest without `looks` is of an older version, which checked after each run."""
    if not isinstance(repeat, dict) or "at-most" not in repeat:
        return MOST_ERROR
    first = max(int(repeat["at-least"]), FEWEST_FOR_AN_INTERVAL)
    return MOST_ERROR / max(1, len(repeat["looks"]) if "looks" in repeat else int(repeat["at-most"]) - first + 1)


def _experiment(entry, runs):
    error = _error(entry.get("repeat"))
    axes = tuple(Axis(axis["name"], tuple(value_text(value) for value in axis["values"]), axis.get("walk"))
                 for axis in entry.get("axes") or [])
    points = tuple(Point(point["id"], {name: value_text(value) for name, value in point["parameters"].items()},
                         tuple(runs.get((entry["name"], point["id"]), ())), error)
                   for point in entry["points"])
    compare = entry.get("compare")
    return Experiment(name=entry["name"], title=entry.get("title") or entry["name"],
                      program=entry.get("program") or "", launch=entry.get("launch") or {},
                      options=entry.get("options") or {}, load=entry.get("load"), axes=axes, compare=compare,
                      baseline=_baseline(entry, axes, compare), runs_asked=_runs_asked(entry.get("repeat")),
                      points=points, error=error)


def _baseline(entry, axes, compare):
    if compare is None:
        return None
    if entry.get("baseline") is not None:
        return value_text(entry["baseline"])
    return axes[[axis.name for axis in axes].index(compare)].values[0]


def _runs_asked(repeat):
    """Returns the least number of runs of a point in a finished sweep."""
    if isinstance(repeat, dict):
        return int(repeat.get("times") or repeat.get("at-least") or 1)
    return int(repeat or 1)


def _unfinished(sweep):
    gaps = list(_lacking(sweep))
    return [*gaps, f"Continue with `{sweep.resume_command()}`."] if gaps else []


def _lacking(sweep):
    for experiment in sweep.experiments:
        lacking = [point for point in experiment.points if len(point.times_s()) < experiment.runs_asked]
        if lacking:
            have = sum(len(point.times_s()) for point in lacking)
            points = f"{len(lacking)} of {counted(len(experiment.points), 'point')}"
            yield (f"{experiment.name}: {points} lack{'s' * (len(lacking) == 1)} runs "
                   f"({have} of {len(lacking) * experiment.runs_asked} succeeded).")
