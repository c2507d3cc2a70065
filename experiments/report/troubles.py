"""What makes one doubt a sweep's numbers: runs that failed, loads off their share, accounts that do not close."""

from dataclasses import dataclass

SHARE_TOLERANCE = 0.05  # of a processor


@dataclass(frozen=True)
class Trouble:
    """The same trouble of one or several runs of a point."""

    kind: str
    point: str
    count: int  # runs that have it
    example: str  # of the first of them, in its own words


def troubles(sweep):
    """Every Trouble of `sweep`, by kind, then in the order of the points."""
    found = {}
    for run in sorted(sweep.runs(), key=lambda run: run.order):
        for kind, text in _troubles_of(run):
            found.setdefault((kind, run.point), []).append(text)
    return sorted((Trouble(kind, point, len(texts), texts[0]) for (kind, point), texts in found.items()),
                  key=lambda trouble: trouble.kind)


def _troubles_of(run):
    record = run.record or {}
    if run.status != "ok":
        yield f"run {run.status}", _how_it_ended(run)
    elif record.get("makespan_s") is None:
        yield "no record", "the program left no record of its run"
    if record.get("verified") is False:
        yield "result wrong", "the verification of the result failed"
    accounting = record.get("accounting") or {}
    if accounting.get("closes") is False:
        yield "account open", f"{100 * accounting.get('worst_gap', 0):.1f} % of a rank's time is unaccounted for"
    yield from _load_troubles(record)


def _how_it_ended(run):
    code = f"exit code {run.exit_code}" if run.exit_code is not None else "no exit code"
    return f"{code}: {run.error.strip()}" if run.error.strip() else code


def _load_troubles(record):
    ranks = [rank for rank in (record.get("load") or {}).get("ranks") or [] if _is_off(rank)]
    if ranks:
        worst = max(ranks, key=_share_error)
        yield ("load off its share",
               f"rank {worst['rank']} on {worst.get('host', '?')}: the load took {100 * worst['share_taken']:.0f} % of "
               f"the processor while on, {100 * worst['share_asked']:.0f} % were asked for")


def _share_error(rank):
    return abs(rank["share_taken"] - rank["share_asked"])


def _is_off(rank):
    if rank.get("share_taken") is None or rank.get("share_asked") is None:
        return False
    return _share_error(rank) > SHARE_TOLERANCE
