"""`loadshare calibration show` and `check` as a user sees them, on calibrations that a test makes."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["LOADSHARE_TOOL"]

SHOWN = """\
launch 1   2026-01-31T12:00:00Z, 12.0 s, seed 7
  rank 0     n1, processors 0 1
  rank 1     n2, processor 3
  transport  btl tcp,self, btl_tcp_eager_limit 65536
  versions   loadshare 0.1.0, mpi Open MPI v4.1.4, system Linux 6.1
  clock      25 ns per reading, subtracted from the times of messages

rank 0 to rank 1, between hosts: 9 messages of 0 bytes to 97.7 KiB
  6 kinds and sizes, at least 1 message of each; an empty round trip takes 20.0 us
  standard sends of 70,000 bytes or more wait for a late receive (sends of 64,000 do not)
  median times:
  mode      posted  side      0 bytes  97.7 KiB
  standard  before  sender     500 ns   90.0 us
  standard  before  receiver  2.00 us    180 us
  standard  after   sender     600 ns   95.0 us
  standard  after   receiver  1.00 us   91.0 us

rank 1, chunks of a 720 x 720 product, packed kernel
  columns        1
  time     1.04 ms
  GFLOP/s      1.0

rank 0 to rank 1, no fit: the sender of standard sends, receive posted after: sizes below 67000 bytes, which do not \
wait: too few points: 2 (a line needs 3 to show its error); measure more of them
"""


def series(posted, size, sender_ns, receiver_ns, waited=None):
    told = {"launch": 0, "sender": 0, "receiver": 1, "mode": "standard", "posted": posted, "bytes": size,
            "sender_ns": sender_ns, "receiver_ns": receiver_ns}
    return told if waited is None else told | {"has_waited": waited}


CALIBRATION = {
    "kind": "loadshare calibration", "schema": 1,
    "launches": [{"begun": "2026-01-31T12:00:00Z", "seconds": 12, "seed": 7, "clock_s": 25e-9,
                  "transport": {"btl": "tcp,self", "btl_tcp_eager_limit": "65536"},
                  "versions": {"loadshare": "0.1.0", "mpi": "Open MPI v4.1.4", "system": "Linux 6.1"},
                  "ranks": [{"host": "n1", "cpus": [0, 1]}, {"host": "n2", "cpus": [3]}]}],
    "messages": [
        series("before", 0, [500, 400, 600], [2000, 2000, 2000]), series("before", 100000, [90000], [180000]),
        series("after", 0, [600], [1000], [0]), series("after", 64000, [20000], [30000], [0]),
        series("after", 70000, [80000, 80000], [81000, 81000], [1, 1]), series("after", 100000, [95000], [91000], [1])],
    "round_trips": [{"launch": 0, "sender": 0, "receiver": 1, "ns": [19000, 20000, 21000]}],
    "chunks": [{"launch": 0, "rank": 1, "kernel": "packed", "size": 720, "columns": 1, "ns": [1036800]}],
}


class CalibrationCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.write("pair.json", CALIBRATION)

    def write(self, name, calibration):
        (self.folder / name).write_text(json.dumps(calibration))

    def calibration(self, *words):
        return subprocess.run([TOOL, "calibration", *words], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def show(self, *words):
        return self.calibration("show", *words)

    def assert_said(self, done, text):
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"loadshare: {text}\n"))

    def assert_refused(self, text, *words):
        self.assert_said(self.show(*words), text)


class Show(CalibrationCase):

    def test_what_a_person_reads(self):
        done = self.show("pair.json")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, SHOWN, ""))

    def test_json_takes_stdout(self):
        done = self.show("pair.json", "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, SHOWN))
        told = json.loads(done.stdout)
        self.assertEqual((told["schema"], len(told["launches"])), (1, 1))
        (pair,) = told["pairs"]
        self.assertEqual((pair["sender"], pair["receiver"], pair["shares_host"]), (0, 1, False))
        self.assertEqual((pair["round_trip_s"], pair["waits_from_bytes"]), (2e-05, 70000))
        self.assertEqual([(kind["mode"], kind["posted"], len(kind["sizes"])) for kind in pair["kinds"]],
                         [("standard", "before", 2), ("standard", "after", 4)])
        self.assertEqual(pair["kinds"][0]["sizes"][0],
                         {"bytes": 0, "messages": 3, "waited": 0.0,
                          "sender": {"median_s": 5e-07, "low_s": 4.1e-07, "high_s": 5.9e-07},
                          "receiver": {"median_s": 2e-06, "low_s": 2e-06, "high_s": 2e-06}})
        self.assertEqual(told["chunks"][0]["chunks"][0]["columns"], 1)

    def test_files_are_written(self):
        done = self.show("pair.json", "--json", "told.json", "--plot", "plot.svg")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads((self.folder / "told.json").read_text())["schema"], 1)
        picture = (self.folder / "plot.svg").read_text()
        for text in ("rank 0 to 1, standard: sender", "rank 0 to 1, standard: receiver", "receive posted after"):
            self.assertIn(text, picture)

    def test_what_cannot_be_read(self):
        self.assert_refused("cannot read none.json (no such file or directory)", "none.json")
        self.assert_refused("cannot read . (it is a directory)", ".")
        (self.folder / "empty.json").write_text("")
        self.assert_refused("empty.json is empty (a calibration is JSON); write one with loadshare calibrate --out FILE",
                            "empty.json")
        (self.folder / "cut.json").write_text(json.dumps(CALIBRATION, indent=1)[:60])
        self.assert_refused("cut.json:4:11: this is no JSON (the file is cut short or damaged, or was not written by "
                            "loadshare calibrate)", "cut.json")
        (self.folder / "other.json").write_text(json.dumps(CALIBRATION | {"schema": 9}))
        self.assert_refused("other.json: a calibration of schema 9 (this program reads 1); use the loadshare that wrote it",
                            "other.json")

    def test_a_fits_tables(self):
        linear = [series("before", size, [1000 + size] * 3, [3000 + 2 * size] * 3) for size in (0, 100, 1000, 10000)]
        (self.folder / "linear.json").write_text(json.dumps(CALIBRATION | {"messages": linear}))
        done = self.show("linear.json", "--fit", "seed", "--json", "told.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.endswith("""
rank 0 to rank 1, fit seed: t(n) = k + c n, n in bytes

standard sender before: 12 samples, 0 to 10000 bytes
from     to        k     c     1/c  90 % of samples
   0  10000  1.00 us  1 ns  1 GB/s   +0.0 to +0.0 %

standard receiver before: 12 samples, 0 to 10000 bytes
from     to        k     c       1/c  90 % of samples
   0  10000  3.00 us  2 ns  500 MB/s   +0.0 to +0.0 %
"""), done.stdout)
        (pair,) = json.loads((self.folder / "told.json").read_text())["pairs"]
        (kind,) = pair["kinds"]
        self.assertEqual((pair["fit"], [curve["names"] for curve in pair["curves"]]),
                         ("seed", [["standard", "sender", "before"], ["standard", "receiver", "before"]]))
        (segment,) = pair["curves"][1]["segments"]
        self.assertEqual((pair["curves"][1]["first_size"], segment["last_size"]), (0, 10000))
        self.assertAlmostEqual(segment["c_s"], 2e-9, 15)
        ((begin, *_, end),) = kind["lines"]["receiver"]
        self.assertEqual((begin[0], end[0]), (0, 10000))
        self.assertAlmostEqual(begin[1], 3e-6, 12)
        self.assertAlmostEqual(end[1], 23e-6, 12)
        self.assert_refused("unknown --fit 'least-square' (valid: segmented, least-squares); did you mean 'least-squares'?",
                            "linear.json", "--fit", "least-square")

    def test_the_range_is_of_all_kinds(self):
        more = CALIBRATION["messages"] + [series("before", 10, [900], [900]) | {"mode": "ready"},
                                          series("before", 2097152, [900000], [900000]) | {"mode": "ready"}]
        self.write("more.json", CALIBRATION | {"messages": more})
        self.assertIn("between hosts: 11 messages of 0 bytes to 2 MiB\n", self.show("more.json").stdout)

    def test_outputs_that_cannot_be(self):
        self.assert_refused("--plot is 'plot.pdf' (the ending of the name selects the kind of image); end it in .svg or .png",
                            "pair.json", "--plot", "plot.pdf")
        self.assert_refused("cannot write the JSON to 'none/told.json' (there is no directory none); name another file", "pair.json",
                            "--json", "none/told.json")
        self.assertNotEqual(self.show("pair.json", "--json", "pair.json").returncode, 0)
        self.assertEqual(json.loads((self.folder / "pair.json").read_text()), CALIBRATION)

    def test_a_subcommand_is_needed(self):
        self.assert_said(self.calibration(), "no subcommand was given (valid: show, check); see loadshare calibration --help")


def linear(sizes, factor=1, btl="tcp,self"):
    """Of 1 us and 1 ns a byte at the sender, twice that at the receiver, all of it times `factor`."""
    times = {size: round(factor * (1000 + size)) for size in sizes}
    launch = CALIBRATION["launches"][0] | {"transport": {"btl": btl}}
    return CALIBRATION | {"launches": [launch],
                          "messages": [series("before", size, [ns] * 3, [2 * ns] * 3) for size, ns in times.items()]}


class Check(CalibrationCase):
    def setUp(self):
        super().setUp()
        self.write("a.json", linear((64, 1000, 10000, 100000)))
        self.write("b.json", linear((0, 1000, 3000, 7000, 9000000), factor=1.25, btl="self,vader"))

    def check(self, *words):
        return self.calibration("check", *words)

    def test_what_a_person_reads(self):
        done = self.check("a.json", "b.json", "--fit", "seed")
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", """\
mode      posted  side      sizes  median error  ninth decile   worst
standard  before  receiver      2        20.0 %        20.0 %  20.0 %
standard  before  sender        2        20.0 %        20.0 %  20.0 %
all                             4        20.0 %        20.0 %  20.0 %
note  MPI was configured differently: btl is 'self,vader', and was 'tcp,self'
"""))

    def test_json_has_every_time(self):
        done = self.check("a.json", "b.json", "--fit", "seed", "--min-bytes", "5000", "--json", "-")
        self.assertEqual(done.returncode, 0)
        self.assertIn("median error", done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual((told["schema"], len(told["times"])), (1, 2))
        sender = told["times"][0]
        self.assertEqual([sender[key] for key in ("mode", "posted", "side", "bytes")], ["standard", "before", "sender", 7000])
        self.assertAlmostEqual(sender["measured_s"], 1e-05)
        self.assertAlmostEqual(sender["predicted_s"], 8e-06)

    def test_bad_input(self):
        self.assert_said(self.check("a.json", "none.json"), "cannot read none.json (no such file or directory)")
        self.assert_said(self.check("a.json", "a.json"),
                         "a.json cannot be used to check a.json (it has no new sizes from 64 to 4194304 bytes "
                         "between the same ranks); calibrate again with another --seed")
        self.assert_said(self.check("a.json", "b.json", "--fit", "least-square"),
                         "unknown --fit 'least-square' (valid: segmented, least-squares); did you mean 'least-squares'?")
        self.assert_said(self.check("a.json", "b.json", "--json", "b.json"),
                         "MEASURED and --json are the same file (b.json); name another file")
        done = self.check("a.json", "b.json", "--min-bytes", "10", "--max-bytes", "9")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--max-bytes", done.stderr)


if __name__ == "__main__":
    unittest.main()
