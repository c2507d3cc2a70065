"""`loadshare metrics` on records that runs under mpirun have just made."""

import json
import os
import subprocess
import unittest

from metrics_case import MetricsCase

MPIRUN = os.environ["LOADSHARE_MPIRUN"]
SYNTHETIC = os.environ["LOADSHARE_SYNTHETIC"]


class RealRuns(MetricsCase):
    def records(self):
        """The same work on one rank and on two. The iterations sleep, so it takes what it costs on a busy machine too."""
        for ranks in (1, 2):
            words = [SYNTHETIC, "--iterations", "200", "--cost", "constant:10ms", "--how", "sleep", "--scheduler", "send:100",
                     "--json", str(self.folder / "real.jsonl")]
            subprocess.run([MPIRUN, "-q", "--oversubscribe", "-np", str(ranks), *words], check=True, timeout=60,
                           stdout=subprocess.DEVNULL)
        return [json.loads(line) for line in (self.folder / "real.jsonl").read_text().splitlines()]

    def test_figures_are_the_records(self):
        records = self.records()
        (setting,) = self.json_of("real.jsonl")["settings"]
        alone_s = records[0]["makespan_s"]
        self.assertEqual([point["processors"] for point in setting["points"]], [1, 2])
        for point, record in zip(setting["points"], records, strict=True):
            cost_s = len(record["ranks"]) * record["makespan_s"]
            busy = sum(rank["computing_s"] for rank in record["ranks"]) / cost_s
            classical = alone_s / cost_s
            self.assertAlmostEqual(point["run_s"], record["makespan_s"], 9)
            self.assertAlmostEqual(point["parallel_efficiency"], busy, 6)
            self.assertAlmostEqual(point["E"], busy, delta=0.01, msg="by granularity: the account closes")
            self.assertAlmostEqual(point["E_relative"], classical, 6)
            self.assertAlmostEqual(point["E_minus_relative"], busy - classical, delta=0.01)
            # 2 s of work in two equal chunks: hardly anything is lost, even if each wakes tens of milliseconds late.
            self.assertAlmostEqual(point["E"], classical, delta=0.06)
            self.assertTrue(0.85 < point["E"] <= 1, point["E"])


if __name__ == "__main__":
    unittest.main()
