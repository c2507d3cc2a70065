"""One experiment on the page: its figure, the comparison and its verdict, every point."""

from report.drawing import draw_panel
from report.efficiency_section import efficiency_section
from report.markup import Markup, definitions, details, joined, table, tag
from report.panels import plan_figure
from report.point_facts import busy_share
from report.predictions_section import choices_table, predicted_numbers, predicted_line
from report.samples import FEWEST_FOR_AN_INTERVAL, summary
from report.svg import inline_svg
from report.sweep import value_text
from report.verdicts import NOTHING
from report.verdicts_section import experiment_headline, verdicts_table
from report.wording import counted, interval_text, percent_text, seconds_text, setting_text

NOT_SHOWN = ("timeout", "timeout_s")  # it limits a run and does not change it


def experiment_section(experiment, anchor, efficiencies=(), outcome=NOTHING, prediction=None, is_alone=False):
    """Returns HTML. `anchor` is a unique id; `efficiencies`: see efficiency.curves.

    `is_alone`: it is the only experiment, whose verdict is in the page's head. `prediction` is None if not requested."""
    return tag("section", tag("h3", experiment.title),
               "" if is_alone else experiment_headline(outcome),
               _figure(experiment, anchor, prediction), predicted_line(experiment, prediction) if prediction else "",
               verdicts_table(outcome), efficiency_section(experiment, efficiencies, f"{anchor}-e"),
               _points(experiment, prediction), details("Settings of the runs", _conditions(experiment)),
               id=anchor)


def _conditions(experiment):
    axes = [axis.name for axis in experiment.axes]
    load = "varied (axis load)" if "load" in axes else experiment.load or "none"
    options = {name: value for name, value in experiment.options.items() if name not in axes}
    return definitions([("Experiment", experiment.name), ("Program", experiment.program),
                        ("Options", _words(options)), ("Launch", _words(experiment.launch)),
                        ("Background load", load),
                        ("Runs", f"{len(experiment.runs())} at {counted(len(experiment.points), 'point')}, "
                                 f"at least {experiment.runs_asked} planned for each")])


def _words(settings):
    """Returns `size 720, kernel naive`."""
    return ", ".join(f"{key} {' '.join(map(value_text, value)) if isinstance(value, list) else value_text(value)}"
                     for key, value in settings.items() if value not in (None, [], "") and key not in NOT_SHOWN)


def _figure(experiment, anchor, prediction):
    plan = plan_figure(experiment, prediction.medians_s if prediction else None)
    if plan is None:
        return tag("p", "No run of this experiment succeeded, so there is no figure.", class_="warning")
    drawn = [inline_svg(draw_panel(plan, panel), f"{anchor}-{number}", _description(experiment, panel))
             for number, panel in enumerate(plan.panels)]
    panels = joined(tag("div", Markup(svg), class_="panel") for svg in drawn)
    return tag("figure", tag("div", panels, class_="panels"), tag("figcaption", _caption(experiment, plan)))


def _description(experiment, panel):
    medians = ", ".join(f"{column.value} {seconds_text(summary(column.times_s).median)}"
                        for column in panel.columns if column.times_s)
    predicted = ", ".join(f"{column.value} {seconds_text(column.predicted_s)}"
                          for column in panel.columns if column.predicted_s)
    text = f"{experiment.title}; {setting_text(panel.setting)}. Medians: {medians}"
    return f"{text}. Predicted: {predicted}" if predicted else text


def _caption(experiment, plan):
    parts = ["Dots: runs. Horizontal bar: median. Upright line: 95 % interval of the median "
             f"(from {FEWEST_FOR_AN_INTERVAL} runs on)."]
    if experiment.compare is not None:
        orange = "Orange" if plan.series else "Orange and dashed line"
        parts.append(f"{orange}: the baseline {experiment.baseline}.")
    if plan.beyond():
        parts.append(f"The y axis is cut; arrows mark {counted(plan.beyond(), 'run')} above it.")
    if any(column.predicted_s for panel in plan.panels for column in panel.columns):
        joined_by = " on a dashed line" if plan.scale.numbers else ""
        parts.append(f"Hollow diamonds{joined_by}: predicted medians.")
    facts = ["is the same in all panels"] if len(plan.panels) > 1 else []
    facts += ["is logarithmic"] if plan.height.is_log else ["does not start at 0"] if plan.height.least_s > 0 else []
    if facts:
        parts.append(f"The y axis {' and '.join(facts)}.")
    return " ".join(parts)


def _points(experiment, prediction):
    axes = [axis.name for axis in experiment.axes]
    rows = [[*(point.parameters.get(axis, "") for axis in axes), *_point_numbers(point),
             *(predicted_numbers(point, prediction) if prediction else [])]
            for point in experiment.points]
    headers = [*axes, "median", "95 % interval", "least", "most", "runs", "busy",
               *(["predicted", "error"] if prediction else [])]
    few = any(0 < len(point.times_s()) < FEWEST_FOR_AN_INTERVAL for point in experiment.points)
    note = f"An interval needs at least {FEWEST_FOR_AN_INTERVAL} runs; least and most show the range."
    return details("Times of the one point" if len(rows) == 1 else f"Times of all {len(rows)} points", tag("p", note) if few else "",
                   table(headers, rows, numbers=range(len(axes), len(headers))),
                   choices_table(prediction) if prediction else "")


def _point_numbers(point):
    facts = point.summary()
    if facts is None:
        return ["no successful run", "–", "–", "–", "0", "–"]
    return [seconds_text(facts.median), interval_text(facts.interval), seconds_text(facts.least),
            seconds_text(facts.most), facts.count, percent_text(busy_share(point))]
