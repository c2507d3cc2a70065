"""The tests that claims are made of, each with its three outcomes."""

import tempfile
import unittest
import zlib
from pathlib import Path

from made_law import law
from made_sweep import MadeSweep, axis
from report.claim_tests import all_of, differ_little, larger_ratio, no_slower, no_slower_than_best, optimum, slower
from report.claims import NO, UNKNOWN, YES, Evidence, Finding, Picked, in_all, in_most, judge, load_claims
from report.errors import ReportError
from report.paired import Rule
from report.reading import read_sweep

RULE = Rule(law(), 0.05)


def picked(label, middle, count=10, spread=0.01, rule=RULE):
    """`count` times around `middle`, over +-spread of it, those of each label in an order of its own."""
    step = 1 + zlib.crc32(label.encode()) % 10  # of 11 places each step goes round all
    return Picked(label, {place: middle * (1 + spread * ((place * step) % 11 - 5) / 5) for place in range(count)}, rule)


class Pairs(unittest.TestCase):
    def test_slower(self):
        self.assertEqual(slower("s", picked("a", 1.1), picked("b", 1.0)).says, YES)
        self.assertEqual(slower("s", picked("a", 0.9), picked("b", 1.0)).says, NO)
        self.assertEqual(slower("s", picked("a", 1.001), picked("b", 1.0)).says, UNKNOWN)
        self.assertEqual(slower("s", picked("a", 1.03), picked("b", 1.0), 1.06).says, NO)

    def test_no_slower(self):
        self.assertEqual(no_slower("s", picked("a", 1.03), picked("b", 1.0), 1.06).says, YES)
        self.assertEqual(no_slower("s", picked("a", 1.1), picked("b", 1.0), 1.06).says, NO)
        self.assertEqual(no_slower("s", picked("a", 1.05), picked("b", 1.0), 1.05).says, UNKNOWN)

    def test_numbers_say_what_decided(self):
        finding = slower("s", picked("a", 2.2), picked("a", 2.0))
        self.assertEqual(finding.numbers, "a 2.202 s (n 10) against a 2.002 s (n 10): "
                                          "1.100 (1.100 to 1.100) over 10 rounds, p 0.0020")
        self.assertEqual((finding.short, finding.yes_p, finding.no_p), ("1.100", 2 / 1024, 1.0))

    def test_too_few_or_none_are_unknown(self):
        few = slower("s", picked("a", 2.0, 5), picked("b", 1.0, 5))
        self.assertEqual(few.says, UNKNOWN)
        self.assertIn("over 5 rounds, an interval needs at least 6, p 0.0625", few.numbers)
        self.assertEqual(slower("s", picked("a", 2.0, 6), picked("b", 1.0, 6)).says, YES)
        self.assertEqual(slower("s", Picked("a", {}), picked("b", 1.0)), Finding("s", "no runs of a"))
        apart = slower("s", Picked("a", {0: 1.0}, RULE), Picked("b", {1: 1.0}, RULE))
        self.assertEqual(apart.says, UNKNOWN)
        self.assertIn("no round has all of them", apart.numbers)

    def test_looks_of_a_stop_rule_count(self):
        looked_at = Rule(law(), 0.05 / 4)
        self.assertEqual(slower("s", picked("a", 2.0, 7, rule=looked_at), picked("b", 1.0, 7)).says, UNKNOWN)
        self.assertEqual(slower("s", picked("a", 2.0, 8, rule=looked_at), picked("b", 1.0, 8)).says, YES)


class Several(unittest.TestCase):
    def test_no_slower_than_best(self):
        others = [picked("b", 1.0), picked("c", 1.5)]
        self.assertEqual(no_slower_than_best("s", picked("a", 1.02), others, 1.05).says, YES)
        self.assertEqual(no_slower_than_best("s", picked("a", 1.2), others, 1.05).says, NO)
        self.assertEqual(no_slower_than_best("s", picked("a", 1.05), others, 1.05).says, UNKNOWN)
        self.assertEqual(no_slower_than_best("s", picked("a", 1.0), [*others, Picked("d", {})], 1.05).says, UNKNOWN)

    def test_differ_little(self):
        self.assertEqual(differ_little("s", [picked("a", 1), picked("b", 1.02), picked("c", 1.01)], 1.05).says, YES)
        self.assertEqual(differ_little("s", [picked("a", 1), picked("b", 1.2), picked("c", 1.01)], 1.05).says, NO)
        self.assertEqual(differ_little("s", [picked("a", 1), Picked("b", {})], 1.05).says, UNKNOWN)
        self.assertEqual(differ_little("s", [picked("a", 1)], 1.05).says, UNKNOWN)

    def test_one_of_many_takes_more_rounds_than_one(self):
        # Six rounds that agree have p 1/32: enough for a no by itself, not as one of three.
        self.assertEqual(differ_little("s", [picked("a", 1, 6), picked("b", 2, 6)], 1.05).says, NO)
        self.assertEqual(differ_little("s", [picked("a", 1, 6), picked("b", 2, 6), picked("c", 1, 6)], 1.05).says, UNKNOWN)
        self.assertEqual(differ_little("s", [picked("a", 1, 6), picked("b", 1, 6), picked("c", 1, 6)], 1.05).says, YES)

    def test_larger_ratio(self):
        one = picked("one", 1.0)
        self.assertEqual(larger_ratio("s", (picked("a", 1.2), one), (picked("b", 1.1), one)).says, YES)
        self.assertEqual(larger_ratio("s", (picked("a", 1.1), one), (picked("b", 1.2), one)).says, NO)
        self.assertEqual(larger_ratio("s", (picked("a", 1.1), one), (picked("b", 1.1), one)).says, UNKNOWN)
        self.assertEqual(larger_ratio("s", (picked("a", 1.1), one), (Picked("b", {}), one)).numbers, "no runs of b")

    def test_all_of(self):
        yes, no, unknown = Finding("s", "y", 0.01, 1.0), Finding("s", "n", 1.0, 0.01), Finding("s", "u", 0.3, 1.0)
        self.assertEqual([all_of("t", pair).says for pair in ([yes, yes], [yes, no], [unknown, no], [yes, unknown])],
                         [YES, NO, NO, UNKNOWN])
        self.assertEqual((all_of("t", [yes, no]).numbers, all_of("t", [yes, no]).setting), ("n", "t"))
        self.assertEqual(all_of("t", [yes, no, unknown]).no_p, 0.03)


class Optimum(unittest.TestCase):
    def curve(self, *middles, count=10):
        return [(number, picked(f"gss:{number}", middle, count)) for number, middle in zip((6, 12, 14, 24), middles)]

    def test_inside(self):
        finding = optimum("s", self.curve(1.1, 1.0, 1.05, 1.1), near=(10, 12))
        self.assertEqual((finding.says, finding.short), (YES, "at 12"))
        self.assertIn("least median at 12; medians 6: 1.100 s", finding.numbers)

    def test_elsewhere(self):
        self.assertEqual(optimum("s", self.curve(1.0, 1.1, 1.1, 1.2), near=(10, 12)).says, NO)

    def test_flat_or_few(self):
        self.assertEqual(optimum("s", self.curve(1.001, 1.0, 1.0, 1.1), near=(10, 12)).says, UNKNOWN)
        self.assertEqual(optimum("s", self.curve(1.1, 1.001, 1.0, 1.1), near=(10, 12)).says, UNKNOWN)
        self.assertEqual(optimum("s", self.curve(1.1, 1.0, 1.1, 1.1, count=3), near=(10, 12)).says, UNKNOWN)
        self.assertEqual(optimum("s", self.curve(1.1, 1.0)[:2], near=(10, 12)).says, UNKNOWN)
        self.assertEqual(optimum("s", self.curve(1.1, 1.0, 1.1, 1.1), near=(7,)).says, UNKNOWN)


class Verdict(unittest.TestCase):
    def verdicts(self, *says, p=0.001):
        findings = [Finding("s", "", p if word == YES else 1.0, p if word == NO else 1.0) for word in says]
        return in_all(findings), in_most(findings)

    def test_over_settings(self):
        self.assertEqual(self.verdicts(YES, YES, YES), ("reproduced", "reproduced"))
        self.assertEqual(self.verdicts(YES, YES, NO), ("not reproduced", "reproduced"))
        self.assertEqual(self.verdicts(YES, YES, UNKNOWN), ("undecided", "reproduced"))
        self.assertEqual(self.verdicts(YES, NO), ("not reproduced", "not reproduced"))
        self.assertEqual(self.verdicts(YES, UNKNOWN), ("undecided", "undecided"))
        self.assertEqual(self.verdicts(), ("undecided", "undecided"))

    def test_one_of_many_settings_says_something_by_chance(self):
        self.assertEqual(self.verdicts(*[YES] * 7, NO, p=0.04), ("undecided", "undecided"))
        self.assertEqual(self.verdicts(*[YES] * 8, p=0.04)[0], "reproduced", "all of them do not")


class FromAFile(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def sweep(self, name):
        made = MadeSweep().experiment("one", [axis("scheduler", "send:3", "gss:14")],
                                      lambda p: 1.0 if p["scheduler"] == "gss:14" else 1.2)
        return read_sweep(made.write(self.folder / name))

    def test_claims_of_a_users_file(self):
        path = self.folder / "mine.py"
        path.write_text("""\
from report.claim_tests import slower
from report.claims import Claim, in_all
def examine(evidence):
    send, gss = (evidence.pick("one", {"scheduler": name}, name) for name in ("send:3", "gss:14"))
    yield slower("anywhere", send, gss)
CLAIMS = [Claim("Send is slower", "it is", "here", "it takes longer", in_all, examine)]
""")
        judgements = judge(load_claims(path), [self.sweep("a")], law())
        self.assertEqual([judgement.verdict for judgement in judgements], ["reproduced"])

    def test_an_experiment_in_two_folders(self):
        with self.assertRaisesRegex(ReportError, "experiment one is in two folders .* name only one of the folders"):
            Evidence([self.sweep("a"), self.sweep("b")], law())

    def test_a_file_that_is_none(self):
        with self.assertRaisesRegex(ReportError, r"^cannot read the claims none.py \(there is no such file\)$"):
            load_claims("none.py")
        path = self.folder / "broken.py"
        path.write_text("CLAIMS = [\n")
        with self.assertRaisesRegex(ReportError, r"broken.py \(SyntaxError: .*\); experiments/tr-97-14/claims.py"):
            load_claims(path)


if __name__ == "__main__":
    unittest.main()
