"""The CSV file, golden."""

import tempfile
import unittest

from made_sweep import MadeSweep, axis
from report.points_csv import points_csv
from report.predictions import Prediction, Predictions
from report.reading import read_sweep
from report.verdicts import Outcome, Ratio, Value, Verdict

GOLDEN = """\
sweep,experiment,point,scheduler,n,mean_s,deviation_s,median_s,low_s,high_s,min_s,max_s,predicted_median_s,busy_share,\
runs_without_time,over_fastest,over_fastest_low,over_fastest_high,over_baseline,over_baseline_low,over_baseline_high,verdict,samples_s
made.yaml,one,one/scheduler=send:3,send:3,6,2.25,0.187,2.25,2,2.5,2,2.5,,0.8500,0,2,1.9,2.1,,,,slower,2 2.1 2.2 2.3 2.4 2.5
made.yaml,one,one/scheduler=gss:14,gss:14,6,1.125,0.0935,1.125,1,1.25,1,1.25,1.2,0.8500,0,,,,0.5,,,fastest,\
1 1.05 1.1 1.15 1.2 1.25
made.yaml,one,"one/scheduler=tss:40,2","tss:40,2",0,,,,,,,,,,1,,,,,,,,
"""

VERDICT = Verdict("", True, "send:3", "", (
    Value("gss:14", "one/scheduler=gss:14", 6, 1.125, 0.0935, None, Ratio(0.5, None, None, False, False, "")),
    Value("send:3", "one/scheduler=send:3", 6, 2.25, 0.187, Ratio(2.0, 1.9, 2.1, True, False, ""), None),
    Value("tss:40,2", "one/scheduler=tss:40,2", 0, 0.0, 0.0, None, None)))


class PointsCsv(unittest.TestCase):
    def test_golden(self):
        made = MadeSweep().experiment("one", [axis("scheduler", "send:3", "gss:14", "tss:40,2")], lambda p: 1.0,
                                      compare="scheduler", repeat=6, runs=0)
        for scheduler, scale in (("send:3", 1.0), ("gss:14", 0.5)):
            for repetition in range(6):
                made.run("one", f"one/scheduler={scheduler}", {"scheduler": scheduler}, repetition,
                         scale * (2 + 0.1 * repetition))
        made.run("one", "one/scheduler=tss:40,2", {"scheduler": "tss:40,2"}, 0, 1.0).fail(-1)
        with tempfile.TemporaryDirectory() as folder:
            prediction = Prediction({"one/scheduler=gss:14": 1.2}, {"one/scheduler=gss:14": 1.125}, ())
            predictions = Predictions("c.json", "", {(folder, "one"): prediction})
            text = points_csv([read_sweep(made.write(folder))], predictions,
                              {folder: {"one": Outcome("scheduler", (), (VERDICT,))}})
        self.assertEqual(text.splitlines(), GOLDEN.splitlines())


if __name__ == "__main__":
    unittest.main()
