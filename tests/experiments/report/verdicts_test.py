"""The verdicts on the page: the tool's sentences, before all else."""

import re
import unittest

from report.verdicts import EQUAL, FASTEST, MAY_BE_FASTEST, NO_DATA, SLOWER, Outcome, outcomes_by_folder
from report.verdicts_section import MOST_IN_HEAD, experiment_headline, headline, verdicts_table


def ratio(value, is_shown=True, is_equal=False):
    low, high = value - 0.05, value + 0.05
    return {"value": value, "low": low, "high": high, "is_shown": is_shown, "is_equal": is_equal,
            "text": f"{value:.2f} ({low:.2f} to {high:.2f})"}


def value(name, mean_s=1.0, runs=10, over_fastest=None, over_baseline=None):
    return {"name": name, "point": f"one/scheduler={name}", "runs": runs, "mean_s": mean_s, "deviation_s": 0.01,
            "over_fastest": over_fastest, "over_baseline": over_baseline}


def given(*values, setting="", sentence="gss:14 is the fastest: 1.26 s, 1.13 (1.08 to 1.18) times as fast as send:3", doubts=(), baseline="send:3"):
    """As the tool hands it over, of one setting."""
    verdict = {"setting": setting, "is_compared": True, "baseline": baseline, "sentence": sentence, "values": list(values)}
    return {"along": "scheduler", "equal_within": 0.03, "doubts": list(doubts), "verdicts": [verdict]}


def outcome(*values, **how):
    return outcomes_by_folder([{"folder": "a/", "experiments": {"one": given(*values, **how)}}])["a"]["one"]


WON = (value("gss:14", over_baseline=ratio(0.88)), value("send:3", 1.13, over_fastest=ratio(1.13)))


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).strip()


class Words(unittest.TestCase):
    def words(self, *values):
        (verdict,) = outcome(*values).verdicts
        return [verdict.word(one) for one in verdict.values]

    def test_a_winner(self):
        self.assertEqual(self.words(*WON), [FASTEST, SLOWER])

    def test_undecided(self):
        unsure = value("tss", over_fastest=ratio(1.01, is_shown=False))
        self.assertEqual(self.words(WON[0], unsure, WON[1]), [MAY_BE_FASTEST, MAY_BE_FASTEST, SLOWER])

    def test_equal(self):
        equal = value("tss", over_fastest=ratio(1.01, is_shown=False, is_equal=True))
        unsure = value("send:1", over_fastest=ratio(1.01, is_shown=False))
        self.assertEqual(self.words(WON[0], equal, WON[1]), [EQUAL, EQUAL, SLOWER])
        self.assertEqual(self.words(WON[0], equal, unsure), [MAY_BE_FASTEST, EQUAL, MAY_BE_FASTEST])
        little = value("tss", over_fastest=ratio(1.01, is_equal=True))
        self.assertEqual(self.words(WON[0], little), [FASTEST, SLOWER], "little, but shown")

    def test_a_value_without_runs_has_no_verdict(self):
        self.assertEqual(self.words(*WON, value("tss", runs=0)), [FASTEST, SLOWER, NO_DATA])
        self.assertEqual(self.words(WON[0]), [MAY_BE_FASTEST], "it had no rival")

    def test_a_folder_that_the_tool_could_not_read(self):
        self.assertEqual(outcomes_by_folder([{"folder": "a", "experiments": None}]), {"a": {}})


class Head(unittest.TestCase):
    def test_the_tools_sentence(self):
        self.assertEqual(text_of(headline([("Small", outcome(*WON))])), "gss:14 is the fastest: 1.26 s, 1.13 (1.08 to 1.18) times as fast as send:3.")

    def test_doubts_are_folded_below_the_winner(self):
        text = text_of(headline([("Small", outcome(*WON, doubts=["too short: send:3"]))]))
        self.assertRegex(text, r"^gss:14 is the fastest: .* Doubtful numbers: 1 reason too short: send:3$")

    def test_of_several_experiments_each_is_named(self):
        text = text_of(headline([("Small", outcome(*WON)), ("Large", outcome(*WON, setting="master works"))]))
        self.assertRegex(text, r"^Small: gss:14 is the fastest: .*\. Large, master works: gss:14 is the fastest: ")

    def test_many_are_folded(self):
        html = headline([(f"Number {number}", outcome(*WON)) for number in range(MOST_IN_HEAD + 2)])
        self.assertIn("<summary>2 more</summary>", html)
        self.assertLess(html.index(f"Number {MOST_IN_HEAD - 1}:"), html.index("<details>"))
        self.assertGreater(html.index(f"Number {MOST_IN_HEAD}:"), html.index("<details>"))

    def test_of_many_settings_the_first_are_there(self):
        several = Outcome("scheduler", (), 5 * outcome(*WON).verdicts)
        text = text_of(headline([("Small", several), ("Large", outcome(*WON))]))
        self.assertEqual(text.count("gss:14 is the fastest"), 3)
        self.assertIn("3 more settings below. Large: ", text)

    def test_nothing_compared(self):
        self.assertEqual(headline([("Small", outcome(*WON, sentence=""))]), "")
        self.assertEqual(headline([]), "")


class Table(unittest.TestCase):
    def test_is_folded_and_has_the_ratios(self):
        html = verdicts_table(outcome(*WON))
        self.assertTrue(html.startswith("<details>"))
        self.assertIn("gss:14 fastest 1.000 s 10.00 ms 10 – 0.88 (0.83 to 0.93) "
                      "send:3 slower 1.130 s 10.00 ms 10 1.13 (1.08 to 1.18) –",
                      text_of(html))

    def test_says_within_what_equal_is(self):
        self.assertIn("the interval is within 3 %", text_of(verdicts_table(outcome(*WON))))

    def test_of_one_run_each(self):
        self.assertIn("send:3 slower 1.130 s – 1 ", text_of(verdicts_table(outcome(
            WON[0], value("send:3", 1.13, runs=1, over_fastest=ratio(1.13))))))

    def test_without_a_baseline_it_has_no_column(self):
        self.assertNotIn("time / send:3", text_of(verdicts_table(outcome(*WON, baseline=""))))

    def test_names_the_settings_where_there_are_several(self):
        self.assertIn("setting", text_of(verdicts_table(outcome(*WON, setting="master works"))))
        self.assertNotIn("setting scheduler", text_of(verdicts_table(outcome(*WON))))

    def test_the_experiments_own_head(self):
        self.assertEqual(text_of(experiment_headline(outcome(*WON, setting="master works"))),
                         "master works: gss:14 is the fastest: 1.26 s, 1.13 (1.08 to 1.18) times as fast as send:3.")


if __name__ == "__main__":
    unittest.main()
