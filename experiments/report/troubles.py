"""What makes one doubt a sweep's numbers: runs that failed, loads off their share, accounts that do not close."""

from dataclasses import dataclass

SHARE_TOLERANCE = 0.05  # of a processor
LEAST_ON_S = 0.05  # a load that was on for less has no share worth a word; so say the programs too
MILDER = {"account open": 1, "load off its share": 2, "worker off its share": 3}  # than a run without a time


@dataclass(frozen=True)
class Trouble:
    """The same trouble of one or several runs of a point."""

    kind: str
    point: str
    count: int  # runs that have it
    example: str  # of the first of them, in its own words


def troubles(sweep):
    """Every Trouble of `sweep`, the worst kinds first, then in the order in which they came up."""
    found = {}
    for run in sorted(sweep.runs(), key=lambda run: run.order):
        for kind, text in _troubles_of(run):
            found.setdefault((kind, run.point), []).append(text)
    return sorted((Trouble(kind, point, len(texts), texts[0]) for (kind, point), texts in found.items()),
                  key=lambda trouble: (MILDER.get(trouble.kind, 0), trouble.kind))


def _troubles_of(run):
    record = run.record or {}
    if record.get("verified") is False:  # such a program ends with an error too: one trouble, not two
        yield "result wrong", "the verification of the result failed"
    elif run.status != "ok":
        yield f"run {run.status}", _how_it_ended(run)
    elif record.get("makespan_s") is None:
        yield "no record", "the program left no record of its run"
    accounting = record.get("accounting") or {}
    if accounting.get("closes") is False:
        yield "account open", f"{100 * accounting.get('worst_gap', 0):.1f} % of a rank's time is unaccounted for"
    yield from _load_troubles(record)


def _how_it_ended(run):
    error = run.error.strip()
    code = f"exit code {run.exit_code}" if run.exit_code is not None else "no exit code"
    if not error:
        return code
    # Where the sweep ended the run, or the program ended well, the code explains nothing.
    is_telling = run.status == "failed" and run.exit_code and code not in error
    return f"{code}: {error}" if is_telling else error


def _load_troubles(record):
    ranks = [rank for rank in (record.get("load") or {}).get("ranks") or [] if rank.get("on_s", 0) >= LEAST_ON_S]
    loads = [(rank, rank["share_taken"], rank["share_asked"]) for rank in ranks]
    workers = [(rank, rank["worker_share"], 1 - rank["share_asked"]) for rank in ranks
               if rank.get("worker_share") is not None]
    for kind, whose, shares in (("load off its share", "load", loads), ("worker off its share", "worker", workers)):
        off = [share for share in shares if _error(share) > SHARE_TOLERANCE]
        if off:
            rank, had, asked = max(off, key=_error)
            yield kind, (f"the {whose} of rank {rank['rank']} on {rank.get('host', '?')} had {100 * had:.0f} % of the "
                         f"processor while the load was on, {100 * asked:.0f} % were asked for")


def _error(share):
    _, had, asked = share
    return abs(had - asked)
