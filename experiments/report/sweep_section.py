"""One sweep on the page: its runs, what is missing, problems, and its experiments."""

from report.efficiency_section import left_out_of_efficiencies
from report.experiment_section import experiment_section
from report.markup import definitions, details, joined, table, tag, with_code
from report.point_facts import dates, hosts, versions
from report.troubles import troubles
from report.verdicts import NOTHING
from report.wording import counted

MOST_SHOWN = 5  # problems; the others can be unfolded


def sweep_section(sweep, anchor, title, efficiencies, outcomes, predictions=None, is_alone=False):
    """Returns HTML. `outcomes` by experiment; `is_alone`: it is the only sweep on the page."""
    experiments = [experiment_section(experiment, f"{anchor}-{number}", efficiencies.settings,
                                      outcomes.get(experiment.name, NOTHING),
                                      predictions.of(sweep, experiment) if predictions else None,
                                      is_alone and len(sweep.experiments) == 1)
                   for number, experiment in enumerate(sweep.experiments)]
    return tag("section", tag("h2", title), _gaps(sweep), _troubles(sweep), joined(experiments, "\n"),
               details("Hosts, dates and versions", _what_ran(sweep)), left_out_of_efficiencies(efficiencies), id=anchor)


def _what_ran(sweep):
    when = dates(sweep)
    good = sum(run.makespan_s is not None for run in sweep.runs())
    parts = [f"{part} {' and '.join(values)}" for part, values in versions(sweep).items()]
    return definitions([
        ("Sweep file", sweep.source), ("Setting", "reduced" if sweep.is_reduced else "full"),
        ("Runs", f"{good} of {len(sweep.runs())} succeeded"),
        ("When", f"{_readable(when[0])} to {_readable(when[1])} (UTC)" if when else ""),
        ("Hosts", ", ".join(hosts(sweep)) or sweep.host), ("Seed", sweep.seed), ("Versions", "; ".join(parts)),
        ("Folder", sweep.folder)])


def _readable(time):
    return time[:19].replace("T", " ")


def _gaps(sweep):
    if not sweep.gaps:
        return ""
    return tag("div", tag("h3", "Missing runs"), tag("ul", joined(tag("li", with_code(gap)) for gap in sweep.gaps)),
               class_="warning")


def _troubles(sweep):
    found = troubles(sweep)
    if not found:
        return tag("p", _all_well(sweep))
    rows = [[trouble.kind, trouble.point, trouble.count, tag("span", trouble.example, class_="message")]
            for trouble in found]
    headers = ["problem", "point", "runs", "first case"]
    title = tag("h3", "Problems")
    if len(rows) <= MOST_SHOWN:
        return tag("div", title, table(headers, rows, numbers=(2,)), class_="warning")
    rest = details(f"{len(rows) - MOST_SHOWN} more", table(headers, rows[MOST_SHOWN:], numbers=(2,)))
    return tag("div", title, table(headers, rows[:MOST_SHOWN], numbers=(2,)), rest, class_="warning")


def _all_well(sweep):
    records = [run.record for run in sweep.runs() if run.record]
    unverified = sum(record.get("verified") is None for record in records)
    sentences = ["All runs succeeded.", "Each rank’s times add up to the run time."]
    if unverified == len(records):
        sentences.append("This program does not check its results.")
    else:
        sentences.append(f"{counted(unverified, 'run')} did not check the result." if unverified else
                         "All results were verified.")
    if any(record.get("load") for record in records):
        sentences.append("Background loads and the workers next to them got their processor shares to within 5 percentage points.")
    return " ".join(sentences)
