"""`loadshare metrics` on records that runs under mpirun have just made."""

import os
import subprocess
import unittest

from metrics_case import MetricsCase

MPIRUN = os.environ["LOADSHARE_MPIRUN"]
SYNTHETIC = os.environ["LOADSHARE_SYNTHETIC"]


class RealRuns(MetricsCase):
    def test_figures_agree(self):
        for ranks in (1, 2):
            words = [SYNTHETIC, "--iterations", "200", "--cost", "constant:200us", "--rounds-per-second", "100000000",
                     "--json", str(self.folder / "real.jsonl")]
            subprocess.run([MPIRUN, "-q", "--oversubscribe", "-np", str(ranks), *words], check=True, timeout=60,
                           stdout=subprocess.DEVNULL)
        (setting,) = self.json_of("real.jsonl")["settings"]
        for point in setting["points"]:
            self.assertTrue(0 < point["E"] <= 1)
            self.assertAlmostEqual(point["E"], point["parallel_efficiency"], delta=0.01)
            classical = point["speedup_relative"] / point["processors"]
            self.assertAlmostEqual(point["E"] - classical, point["E_minus_relative"], 9)


if __name__ == "__main__":
    unittest.main()
