"""The verdicts on the page: in its head before all else, and with each experiment."""

from report.markup import badge, details, joined, table, tag
from report.wording import counted, seconds_text

MOST_IN_HEAD, MOST_OF_ONE = 8, 2  # sentences of all experiments, and of each; the others are unfolded or follow below
HOW = ("Ratios are taken round by round. A round is one run of each value, so that drift of the machine affects all alike. "
       "Brackets contain the interval of the ratio at the error of its test; all differences shown in a setting are right "
       "with 95 % together. Equal means that the interval is within {margin:g} %. A value that is neither slower nor equal "
       "is undecided: “may be fastest”.")


def headline(outcomes):
    """Returns HTML of [(title of an experiment, Outcome)]: a sentence per setting, and below it the doubts, folded."""
    is_alone = len(outcomes) == 1
    doubts = [tag("li", "" if is_alone else tag("b", f"{title}: "), doubt)
              for title, outcome in outcomes for doubt in outcome.doubts]
    sentences = [tag("li", *_subject("" if is_alone else title, setting), tag("strong", sentence, "."), rest)
                 for title, outcome in outcomes
                 for setting, sentence, rest in _first(outcome.sentences(), MOST_IN_HEAD if is_alone else MOST_OF_ONE)]
    return joined((_list(sentences), _warning(doubts)))


def _first(sentences, most):
    """Returns [(setting, sentence, text after it)] of the first ones."""
    more = f" {counted(len(sentences) - most, 'more setting')} below." if len(sentences) > most else ""
    return [(setting, sentence, more if place == most - 1 else "")
            for place, (setting, sentence) in enumerate(sentences[:most])]


def _subject(title, setting):
    words = ", ".join(filter(None, (title, setting)))
    return [f"{words}: "] if words else []


def _warning(doubts):
    if not doubts:
        return ""
    return tag("div", details(f"Doubtful numbers: {counted(len(doubts), 'reason')}", _list(doubts)), class_="warning")


def _list(entries):
    if not entries:
        return ""
    rest = entries[MOST_IN_HEAD:]
    more = details(f"{len(rest)} more", tag("ul", joined(rest), class_="takeaway")) if rest else ""
    return joined((tag("ul", joined(entries[:MOST_IN_HEAD]), class_="takeaway"), more))


def experiment_headline(outcome):
    """Returns HTML of the sentences of one experiment."""
    sentences = [tag("li", *_subject("", setting), tag("strong", sentence, "."))
                 for setting, sentence in outcome.sentences()]
    return joined((_list(sentences), _warning([tag("li", doubt) for doubt in outcome.doubts])))


def verdicts_table(outcome):
    """Returns folded HTML of the numbers behind the sentences; empty if nothing is compared."""
    compared = [verdict for verdict in outcome.verdicts if verdict.is_compared]
    if not compared:
        return ""
    baseline = next((verdict.baseline for verdict in compared if verdict.baseline), "")
    has_settings = any(verdict.setting for verdict in compared)
    headers = [*(["setting"] if has_settings else []), outcome.along, "verdict", "mean", "deviation", "runs",
               "time / fastest", *([f"time / {baseline}"] if baseline else [])]
    rows = [[*([verdict.setting] if has_settings else []), value.name, _badge(verdict, value), *_numbers(value),
             *([_ratio_text(value.over_baseline)] if baseline else [])]
            for verdict in compared for value in verdict.values]
    first = 3 if has_settings else 2
    return details("Comparison in numbers", tag("p", HOW.format(margin=100 * outcome.equal_within)),
                   table(headers, rows, numbers=range(first, len(headers))))


def _badge(verdict, value):
    word = verdict.word(value)
    return badge(word, word)


def _numbers(value):
    if value.runs == 0:
        return ["–", "–", 0, "–"]
    deviation = seconds_text(value.deviation_s) if value.runs > 1 else "–"
    return [seconds_text(value.mean_s), deviation, value.runs, _ratio_text(value.over_fastest)]


def _ratio_text(ratio):
    return ratio.text if ratio else "–"
