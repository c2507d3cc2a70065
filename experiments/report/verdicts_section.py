"""What the page says of who won: in its head before all else, and with each experiment."""

from report.markup import badge, details, joined, table, tag
from report.wording import counted, seconds_text

MOST_IN_HEAD, MOST_OF_ONE = 8, 2  # sentences of all experiments, of each; the rest can be unfolded, or stands below
HOW = ("Ratios are taken round by round: a round is one run of each, so that a machine that drifts does so for both. In "
       "brackets the interval of the ratio, at which it was judged: that a difference is shown is right for all "
       "comparisons of the setting together (95 %). Equal means that the interval lies within {margin:g} %; what is "
       "neither slower nor equal is undecided, “may be fastest”.")


def headline(outcomes):
    """HTML of [(title of an experiment, Outcome)]: doubts, then a sentence for each setting."""
    is_alone = len(outcomes) == 1
    doubts = [tag("li", "" if is_alone else tag("b", f"{title}: "), doubt)
              for title, outcome in outcomes for doubt in outcome.doubts]
    told = [tag("li", *_whose("" if is_alone else title, setting), tag("strong", sentence, "."), rest)
            for title, outcome in outcomes
            for setting, sentence, rest in _first(outcome.sentences(), MOST_IN_HEAD if is_alone else MOST_OF_ONE)]
    return joined((_warning(doubts), _list(told)))


def _first(sentences, most):
    """[(setting, sentence, what to say behind it)]"""
    more = f" And {counted(len(sentences) - most, 'more setting')} below." if len(sentences) > most else ""
    return [(setting, sentence, more if place == most - 1 else "")
            for place, (setting, sentence) in enumerate(sentences[:most])]


def _whose(title, setting):
    words = ", ".join(filter(None, (title, setting)))
    return [f"{words}: "] if words else []


def _warning(entries):
    return tag("div", tag("h3", "Doubtful numbers"), _list(entries), class_="warning") if entries else ""


def _list(entries):
    if not entries:
        return ""
    rest = entries[MOST_IN_HEAD:]
    more = details(f"{len(rest)} more", tag("ul", joined(rest), class_="takeaway")) if rest else ""
    return joined((tag("ul", joined(entries[:MOST_IN_HEAD]), class_="takeaway"), more))


def experiment_headline(outcome):
    """HTML: the sentences of one experiment."""
    told = [tag("li", *_whose("", setting), tag("strong", sentence, ".")) for setting, sentence in outcome.sentences()]
    return joined((_warning([tag("li", doubt) for doubt in outcome.doubts]), _list(told)))


def verdicts_table(outcome):
    """HTML, folded: the numbers that the sentences come from; empty where nothing is compared."""
    compared = [verdict for verdict in outcome.verdicts if verdict.is_compared]
    if not compared:
        return ""
    baseline = next((verdict.baseline for verdict in compared if verdict.baseline), "")
    has_settings = any(verdict.setting for verdict in compared)
    headers = [*(["setting"] if has_settings else []), outcome.along, "", "mean", "deviation", "runs",
               "times as long as the fastest", *([f"as {baseline}"] if baseline else [])]
    rows = [[*([verdict.setting] if has_settings else []), value.name, _badge(verdict, value), *_numbers(value),
             *([_ratio_text(value.over_baseline)] if baseline else [])]
            for verdict in compared for value in verdict.values]
    first = 3 if has_settings else 2
    return details("The numbers behind it", tag("p", HOW.format(margin=100 * outcome.equal_within)),
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
