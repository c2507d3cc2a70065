"""The whole page: one HTML file that needs neither a network nor other files."""

import json
from pathlib import Path

from report.claims_section import claims_section
from report.claims_section import tally as claims_tally
from report.efficiency import Study
from report.markup import Markup, joined, tag
from report.predictions_section import predicted_lead, predicted_method
from report.sweep_section import sweep_section
from report.verdicts_section import headline
from report.wording import counted

PARTS = Path(__file__).parent
# The page may load nothing, whatever the data contain.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

METHOD = (
    "Times are makespans. The interval of a median comes from order statistics (binomial). The verdicts are those of "
    "loadshare sweep: Wilcoxon’s exact signed-rank test of the logarithms of two values’ times in the rounds that both "
    "have, with Hodges and Lehmann’s estimate, the interval of the same test, and Holm’s step-down procedure over all "
    "comparisons of a setting. The test assumes that rounds are independent, and that a ratio is as likely to be a factor "
    "above the median as to be the same factor below it. “No winner yet” means that the runs show neither a difference nor "
    "equality within the margin. If a stop rule ended the runs, all of its checks share the error of 5 %. Runs that failed "
    "or had a wrong result have no time here. “Busy” is the mean share of the makespan in which a worker computed.")


def make_page(title, sweeps, judgements, csv_text, efficiencies=None, predictions=None, outcomes=None):
    """Returns the page's text. `efficiencies` are Studies by folder, `outcomes` Outcomes by folder and experiment;
    `judgements` and `predictions` are None if not requested."""
    efficiencies, outcomes = efficiencies or {}, outcomes or {}
    sections = [sweep_section(sweep, f"s{number}", "The sweep" if sweep.title == title else sweep.title,
                              efficiencies.get(sweep.folder, Study()), outcomes.get(sweep.folder, {}), predictions,
                              len(sweeps) == 1)
                for number, sweep in enumerate(sweeps)]
    if judgements is not None:
        sections.append(claims_section(judgements, sweeps, "claims"))
    compared = [(experiment.title, outcomes[sweep.folder][experiment.name]) for sweep in sweeps
            for experiment in sweep.experiments if experiment.name in outcomes.get(sweep.folder, {})]
    body = joined([tag("h1", title), headline(compared), _lead(sweeps, judgements, predictions), _contents(sweeps, judgements),
                   *sections, _foot(predictions)],
                  "\n")
    data = _embedded(_data(sweeps, predictions) | {"csv": csv_text})
    return ("<!DOCTYPE html>\n" + tag("html", _head(title), tag("body", tag("main", body), data, _inline("page.js")),
                                      lang="en") + "\n")


def _head(title):
    return tag("head", Markup('<meta charset="utf-8">'
                              '<meta name="viewport" content="width=device-width, initial-scale=1">'
                              '<meta name="color-scheme" content="light dark">'
                              f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
               tag("title", title), _inline("errors.js"),
               tag("style", Markup((PARTS / "page.css").read_text(encoding="utf-8"))))


def _inline(script):
    return tag("script", Markup((PARTS / script).read_text(encoding="utf-8")))


def _embedded(data):
    # As \u003c, so that `</script>` and `<!--` within a text neither end nor change the element.
    return tag("script", Markup(json.dumps(data).replace("<", "\\u003c")), type="application/json", id="data")


def _lead(sweeps, judgements, predictions):
    runs = [run for sweep in sweeps for run in sweep.runs()]
    without = sum(run.makespan_s is None for run in runs)
    sentences = [f"{len(runs) - without} of {counted(len(runs), 'run')} succeeded." if without else
                 f"All {len(runs)} runs succeeded." if len(runs) > 1 else "The run succeeded."]
    if judgements is not None:
        sentences.append(claims_tally(judgements))
    if predictions:
        sentences.append(predicted_lead(sweeps, predictions))
    return tag("p", " ".join(sentences), class_="lead")


def _contents(sweeps, judgements):
    entries = []
    for number, sweep in enumerate(sweeps):
        inner = [tag("li", tag("a", experiment.title, href=f"#s{number}-{place}"))
                 for place, experiment in enumerate(sweep.experiments)]
        entries.append(tag("li", tag("a", sweep.title, href=f"#s{number}"), tag("ul", joined(inner))))
    if judgements is not None:
        entries.append(tag("li", tag("a", "The claims", href="#claims")))
    return tag("nav", tag("ul", joined(entries)), aria_label="Contents")


def _foot(predictions):
    return tag("footer", tag("h2", "How the numbers are computed"), tag("p", METHOD),
               tag("p", predicted_method(predictions)) if predictions else "",
               tag("p", tag("a", "Save all points and times as CSV", id="save", download="points.csv", hidden="")))


def _data(sweeps, predictions):
    return {"schema": 1, "sweeps": [{"title": sweep.title, "source": sweep.source, "experiments": [
        {"name": experiment.name, "points": [
            {"id": point.id, "parameters": point.parameters, "times_s": point.times_s(),
             **_predicted(sweep, experiment, point, predictions)} for point in experiment.points]}
        for experiment in sweep.experiments]} for sweep in sweeps]}


def _predicted(sweep, experiment, point, predictions):
    return {"predicted_median_s": predictions.of(sweep, experiment).medians_s.get(point.id)} if predictions else {}
