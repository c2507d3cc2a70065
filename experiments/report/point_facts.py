"""What the records of a point's runs, and of a sweep's, say beside the time."""

from statistics import fmean


def busy_share(point):
    """The mean share of the makespan that a worker computed, over workers and runs; nothing without records."""
    shares = [_computing_s(rank) / run.makespan_s for run in point.runs if run.makespan_s
              for rank in run.record.get("ranks") or [] if rank.get("worker") is not None]
    return fmean(shares) if shares else None


def _computing_s(rank):
    """At the speed that its host grants: a limit makes a rank's processor time less than its wall time. Time in which
    its iterations waited counts, too, except idle time by which the limit made it pay."""
    parts = ("computing_s", "stolen_s", "communicating_s", "idle_s")
    computing_s = min(sum(rank.get(part) or 0 for part in parts), rank["computing_s"] / rank.get("capacity", 1))
    paid_s = max(0, computing_s - rank["computing_s"] - (rank.get("stolen_s") or 0))
    return computing_s + max(0, rank.get("blocked_s", 0) - paid_s)


def hosts(sweep):
    """Every host that took part, in the order in which the records name them."""
    return list(dict.fromkeys(host for run in sweep.runs() if run.record for host in run.record.get("hosts") or []))


def versions(sweep):
    """Part -> versions, of the sweep's manifest and of the programs' records; more than one is a thing to see."""
    found = {}
    for source in [sweep.versions, *((run.record or {}).get("versions") or {} for run in sweep.runs())]:
        for part, version in source.items():
            found.setdefault(part, {})[str(version)] = None
    return {part: list(values) for part, values in found.items()}


def dates(sweep):
    """The first and the last start of a run (UTC, ISO 8601), or nothing."""
    starts = sorted(run.started_at for run in sweep.runs() if run.started_at)
    return (starts[0], starts[-1]) if starts else None
