"""Makes what `loadshare compare --json` writes of a made sweep, for tests."""

import json
from statistics import median


def comparison_of(sweep, folder, error=lambda parameters: 0.02, experiments=None):
    """The comparison of a MadeSweep in `folder`: every point predicted `error(parameters)` too long."""
    settings = [setting for entry in sweep.manifest["experiments"]
                if experiments is None or entry["name"] in experiments for setting in _settings(sweep, str(folder), entry, error)]
    return {"schema": 1, "program": "matmul", "messages": "a made network", "without_load": None, "with_load": None,
            "regret": None, "settings": settings, "notes": []}


def joined(*comparisons):
    """One comparison of all their settings."""
    return comparisons[0] | {"settings": [setting for one in comparisons for setting in one["settings"]]}


def written(comparison, path):
    path.write_text(json.dumps(comparison), encoding="utf-8")
    return str(path)


def _settings(sweep, folder, entry, error):
    groups = {}
    for point in entry["points"]:
        times_s = [run["record"]["makespan_s"] for run in sweep.runs
                   if run["point"] == point["id"] and run["status"] == "ok"]
        if times_s:
            words = [f"{key} {value}" for key, value in point["parameters"].items() if key != "scheduler"]
            groups.setdefault(", ".join([entry["name"], *words]), []).append(_point(point, times_s, error))
    return [_setting(name, folder, entry, points) for name, points in groups.items()]


def _point(point, times_s, error):
    predicted_s = [time * (1 + error(point["parameters"])) for time in times_s]
    measured, predicted = median(times_s), median(predicted_s)
    return {"scheduler": point["parameters"].get("scheduler", "gss:14"), "point": point["id"], "measured_s": times_s,
            "predicted_s": predicted_s, "measured_median_s": measured, "predicted_median_s": predicted,
            "error": predicted / measured - 1}


def _setting(name, folder, entry, points):
    chosen = min(points, key=lambda point: point["predicted_median_s"])
    best = min(points, key=lambda point: point["measured_median_s"])
    return {"name": name, "sweep": folder, "experiment": entry["name"], "has_load": bool(entry["load"]),
            "points": points, "chosen": chosen["scheduler"], "best": best["scheduler"],
            "regret": chosen["measured_median_s"] / best["measured_median_s"] - 1, "order": 1.0}
