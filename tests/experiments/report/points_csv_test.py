"""The CSV file, golden."""

import tempfile
import unittest

from made_sweep import MadeSweep, axis
from report.points_csv import points_csv
from report.predictions import Prediction, Predictions
from report.reading import read_sweep

GOLDEN = """\
sweep,experiment,point,scheduler,n,median_s,low_s,high_s,min_s,max_s,predicted_median_s,busy_share,runs_without_time,\
baseline,baseline_median_s,ratio_of_medians,ratio,ratio_low,ratio_high,p,p_holm,faster_in,verdict,remark,samples_s
made.yaml,one,one/scheduler=send:3,send:3,6,2.25,2,2.5,2,2.5,,0.8500,0,,,,,,,,,,,,2 2.1 2.2 2.3 2.4 2.5
made.yaml,one,one/scheduler=gss:14,gss:14,6,1.125,1,1.25,1,1.25,1.2,0.8500,0,send:3,2.25,0.5,0.5,0.44,0.568182,\
0.0021645,0.0021645,1,better,fewer than 10 samples,1 1.05 1.1 1.15 1.2 1.25
made.yaml,one,"one/scheduler=tss:40,2","tss:40,2",0,,,,,,,,1,,,,,,,,,,,,
"""


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
            text = points_csv([read_sweep(made.write(folder))], predictions)
        self.assertEqual(text.splitlines(), GOLDEN.splitlines())


if __name__ == "__main__":
    unittest.main()
