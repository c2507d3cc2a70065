"""The tests that claims are made of, each with its three outcomes."""

import tempfile
import unittest
from pathlib import Path

from made_sweep import MadeSweep, axis
from report.claim_tests import both, differ_little, larger_ratio, no_slower, optimum, quotient_of_ratios, slower
from report.claims import NO, UNKNOWN, YES, Evidence, Finding, Picked, in_all, in_most, judge, load_claims
from report.errors import ReportError
from report.reading import read_sweep


def picked(label, middle, count=10, spread=0.01):
    """`count` times around `middle`, evenly spread over +-spread of it."""
    step = 2 * spread / max(1, count - 1)
    return Picked(label, [middle * (1 - spread + step * place) for place in range(count)])


class Pairs(unittest.TestCase):
    def test_slower(self):
        self.assertEqual(slower("s", picked("a", 1.1), picked("b", 1.0)).says, YES)
        self.assertEqual(slower("s", picked("a", 0.9), picked("b", 1.0)).says, NO)
        self.assertEqual(slower("s", picked("a", 1.001), picked("b", 1.0)).says, UNKNOWN)
        self.assertEqual(slower("s", picked("a", 1.03), picked("b", 1.0), 1.05).says, NO)

    def test_no_slower(self):
        self.assertEqual(no_slower("s", picked("a", 1.03), picked("b", 1.0), 1.05).says, YES)
        self.assertEqual(no_slower("s", picked("a", 1.08), picked("b", 1.0), 1.05).says, NO)
        self.assertEqual(no_slower("s", picked("a", 1.05), picked("b", 1.0), 1.05).says, UNKNOWN)

    def test_numbers_say_what_decided(self):
        finding = slower("s", picked("a", 2.2), picked("b", 2.0))
        self.assertRegex(finding.numbers, r"^a 2\.200 s \(n 10\) against b 2\.000 s \(n 10\): "
                                          r"ratio over pairs 1\.100 \(1\.09\d to 1\.10\d\), p < 0\.0001$")
        self.assertEqual(finding.short, "1.100")

    def test_too_few_or_none_are_unknown(self):
        few = slower("s", picked("a", 2.0, 3), picked("b", 1.0, 3))
        self.assertEqual(few.says, UNKNOWN)
        self.assertTrue(few.numbers.endswith("; too few runs for an interval"), few.numbers)
        self.assertEqual(slower("s", picked("a", 2.0, 4), picked("b", 1.0, 4)).says, YES)
        self.assertEqual(slower("s", Picked("a", []), picked("b", 1.0)), Finding("s", UNKNOWN, "no runs of a"))


class Several(unittest.TestCase):
    def test_differ_little(self):
        self.assertEqual(differ_little("s", [picked("a", 1), picked("b", 1.02), picked("c", 1.01)], 1.05).says, YES)
        self.assertEqual(differ_little("s", [picked("a", 1), picked("b", 1.2), picked("c", 1.01)], 1.05).says, NO)
        self.assertEqual(differ_little("s", [picked("a", 1), Picked("b", [])], 1.05).says, UNKNOWN)

    def test_larger_ratio(self):
        one = picked("one", 1.0)
        self.assertEqual(larger_ratio("s", (picked("a", 1.2), one), (picked("b", 1.1), one)).says, YES)
        self.assertEqual(larger_ratio("s", (picked("a", 1.1), one), (picked("b", 1.2), one)).says, NO)
        self.assertEqual(larger_ratio("s", (picked("a", 1.1), one), (picked("b", 1.1), one)).says, UNKNOWN)
        self.assertEqual(larger_ratio("s", (picked("a", 1.1), one), (Picked("b", []), one)).numbers, "no runs of b")

    def test_quotient_of_ratios(self):
        # On logarithms both intervals are +-ln 1.1, so the quotient's is +-sqrt(2) ln 1.1.
        middle, low, high = quotient_of_ratios((2.0, 2.0 / 1.1, 2.2), (1.0, 1 / 1.1, 1.1))
        self.assertAlmostEqual(middle, 2.0)
        self.assertAlmostEqual(high, 2.0 * 1.1 ** (2 ** 0.5))
        self.assertAlmostEqual(low, 2.0 / 1.1 ** (2 ** 0.5))

    def test_both(self):
        yes, no, unknown = (Finding("s", says, says) for says in (YES, NO, UNKNOWN))
        self.assertEqual([both(yes, yes).says, both(yes, no).says, both(unknown, no).says, both(yes, unknown).says],
                         [YES, NO, NO, UNKNOWN])


class Optimum(unittest.TestCase):
    def curve(self, *middles, count=10):
        return [(number, picked(f"gss:{number}", middle, count)) for number, middle in zip((6, 12, 14, 24), middles)]

    def test_inside(self):
        finding = optimum("s", self.curve(1.1, 1.0, 1.001, 1.1), near=(10, 12))
        self.assertEqual((finding.says, finding.short), (YES, "at 12"))
        self.assertIn("least median at 12; level with it: 12, 14; medians 6: 1.100 s", finding.numbers)

    def test_elsewhere(self):
        self.assertEqual(optimum("s", self.curve(1.0, 1.1, 1.1, 1.2), near=(10, 12)).says, NO)

    def test_flat_or_few(self):
        self.assertEqual(optimum("s", self.curve(1.001, 1.0, 1.0, 1.1), near=(10, 12)).says, UNKNOWN)
        self.assertEqual(optimum("s", self.curve(1.1, 1.001, 1.0, 1.1), near=(10, 12)).says, UNKNOWN)
        self.assertEqual(optimum("s", self.curve(1.1, 1.0, 1.1, 1.1, count=3), near=(10, 12)).says, UNKNOWN)
        self.assertEqual(optimum("s", self.curve(1.1, 1.0)[:2], near=(10, 12)).says, UNKNOWN)


class Verdict(unittest.TestCase):
    def verdicts(self, *says):
        findings = [Finding("s", word, "") for word in says]
        return in_all(findings), in_most(findings)

    def test_over_settings(self):
        self.assertEqual(self.verdicts(YES, YES, YES), ("reproduced", "reproduced"))
        self.assertEqual(self.verdicts(YES, YES, NO), ("not reproduced", "reproduced"))
        self.assertEqual(self.verdicts(YES, YES, UNKNOWN), ("undecided", "reproduced"))
        self.assertEqual(self.verdicts(YES, NO), ("not reproduced", "not reproduced"))
        self.assertEqual(self.verdicts(YES, UNKNOWN), ("undecided", "undecided"))
        self.assertEqual(self.verdicts(), ("undecided", "undecided"))


class FromAFile(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def sweep(self, name):
        made = MadeSweep().experiment("one", [axis("scheduler", "send:3", "gss:14")],
                                      lambda p: 1.0 if p["scheduler"] == "gss:14" else 1.2)
        return read_sweep(made.write(self.folder / name))

    def test_claims_of_ones_own(self):
        path = self.folder / "mine.py"
        path.write_text("""\
from report.claim_tests import slower
from report.claims import Claim, in_all
def examine(evidence):
    send, gss = (evidence.pick("one", {"scheduler": name}, name) for name in ("send:3", "gss:14"))
    yield slower("anywhere", send, gss)
CLAIMS = [Claim("Send is slower", "it is", "here", "it takes longer", in_all, examine)]
""")
        judgements = judge(load_claims(path), [self.sweep("a")])
        self.assertEqual([judgement.verdict for judgement in judgements], ["reproduced"])

    def test_an_experiment_in_two_folders(self):
        with self.assertRaisesRegex(ReportError, "experiment one is there twice .* give one of them"):
            Evidence([self.sweep("a"), self.sweep("b")])

    def test_a_file_that_is_none(self):
        with self.assertRaisesRegex(ReportError, r"^cannot read the claims none.py \(there is no such file\)$"):
            load_claims("none.py")
        path = self.folder / "broken.py"
        path.write_text("CLAIMS = [\n")
        with self.assertRaisesRegex(ReportError, r"broken.py \(SyntaxError: .*\) see experiments/tr-97-14/claims.py"):
            load_claims(path)


if __name__ == "__main__":
    unittest.main()
