"""Problems of a sweep: failed runs, loads that missed their share, times that do not add up."""

from dataclasses import dataclass

SHARE_TOLERANCE = 0.05  # of a processor
LEAST_ON_S = 0.05  # the share of a shorter load is not meaningful; the programs use the same limit
MILDER = {"times do not add up": 1, "load missed its share": 2, "worker missed its share": 3}  # than a failed run


@dataclass(frozen=True)
class Trouble:
    """A problem of one or several runs of a point."""

    kind: str
    point: str
    count: int  # affected runs
    example: str  # the message of the first one


def troubles(sweep):
    """Returns every Trouble of `sweep`, the worst kinds first, then in the order of the runs."""
    found = {}
    for run in sorted(sweep.runs(), key=lambda run: run.order):
        for kind, text in _troubles_of(run):
            found.setdefault((kind, run.point), []).append(text)
    return sorted((Trouble(kind, point, len(texts), texts[0]) for (kind, point), texts in found.items()),
                  key=lambda trouble: (MILDER.get(trouble.kind, 0), trouble.kind))


def _troubles_of(run):
    record = run.record or {}
    if record.get("verified") is False:  # such a program also fails, which is not reported twice
        yield "wrong result", "the program found its result wrong"
    elif run.status != "ok":
        yield f"run {run.status}", _how_it_ended(run)
    elif record.get("makespan_s") is None:
        yield "no record", "the program wrote no record of its run"
    accounting = record.get("accounting") or {}
    if accounting.get("closes") is False:
        yield "times do not add up", f"{100 * accounting.get('worst_gap', 0):.1f} % of a rank's time is unaccounted for"
    yield from _load_troubles(record)


def _how_it_ended(run):
    error = run.error.strip()
    code = f"exit code {run.exit_code}" if run.exit_code is not None else "no exit code"
    if not error:
        return code
    # If the sweep ended the run, or the program succeeded, the code explains nothing.
    is_useful = run.status == "failed" and run.exit_code and code not in error
    return f"{code}: {error}" if is_useful else error


def _load_troubles(record):
    ranks = [rank for rank in (record.get("load") or {}).get("ranks") or [] if rank.get("on_s", 0) >= LEAST_ON_S]
    loads = [(rank, rank["share_taken"], rank["share_asked"]) for rank in ranks]
    workers = [(rank, rank["worker_share"], 1 - rank["share_asked"]) for rank in ranks
               if rank.get("worker_share") is not None]
    for kind, name, shares in (("load missed its share", "load", loads), ("worker missed its share", "worker", workers)):
        off = [share for share in shares if _error(share) > SHARE_TOLERANCE]
        if off:
            rank, had, asked = max(off, key=_error)
            yield kind, (f"the {name} of rank {rank['rank']} on {rank.get('host', '?')} got {100 * had:.0f} % of the "
                         f"processor while the load was on, instead of {100 * asked:.0f} %")


def _error(share):
    _, had, asked = share
    return abs(had - asked)
