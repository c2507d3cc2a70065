"""Facts other than times from the records of a point's or a sweep's runs."""

from statistics import fmean


def busy_share(point):
    """Returns the mean share of the makespan in which a worker computed, over workers and runs; None without records."""
    shares = [_computing_s(rank) / run.makespan_s for run in point.runs if run.makespan_s
              for rank in run.record.get("ranks") or [] if rank.get("worker") is not None]
    return fmean(shares) if shares else None


def _computing_s(rank):
    """Returns the time in which a rank computed at the speed that its host grants.

    A limit makes processor time shorter than wall time. Waiting of its iterations counts as computing, except the part
    during which the limit stopped the rank anyway."""
    parts = ("computing_s", "stolen_s", "communicating_s", "idle_s")
    computing_s = min(sum(rank.get(part) or 0 for part in parts), rank["computing_s"] / rank.get("capacity", 1))
    paid_s = max(0, computing_s - rank["computing_s"] - (rank.get("stolen_s") or 0))
    return computing_s + max(0, rank.get("blocked_s", 0) - paid_s)


def hosts(sweep):
    """Returns every host that took part, in the order of the records."""
    return list(dict.fromkeys(host for run in sweep.runs() if run.record for host in run.record.get("hosts") or []))


def versions(sweep):
    """Returns part -> versions in the sweep's manifest and in the records; several versions of a part are suspicious."""
    found = {}
    for source in [sweep.versions, *((run.record or {}).get("versions") or {} for run in sweep.runs())]:
        for part, version in source.items():
            found.setdefault(part, {})[str(version)] = None
    return {part: list(values) for part, values in found.items()}


def dates(sweep):
    """Returns the first and the last start of a run (UTC, ISO 8601), or None."""
    starts = sorted(run.started_at for run in sweep.runs() if run.started_at)
    return (starts[0], starts[-1]) if starts else None
