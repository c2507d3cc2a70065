"""`loadshare model`: curves through a person's own measurements, and what they foresee."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = os.environ["LOADSHARE_TOOL"]
PAPER = os.path.join(os.environ["LOADSHARE_TEST_DATA"], "seed_table2.csv")

LINE = "bytes,seconds\n0,2e-6\n1000,5e-6\n2000,8e-6\n4000,14e-6\n"
DAMAGED = "the file is damaged, or was not written by loadshare"


class ModelCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, text, name="t.csv"):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def model(self, *words):
        return subprocess.run([TOOL, "model", *words], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def told(self, *words):
        done = self.model(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def json_of(self, *words):
        done = self.model(*words, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_refused(self, text, *words, code=2):
        done = self.model(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "", f"loadshare: {text}\n"))

    def assert_table_refused(self, text, table, *words):
        self.assert_refused(text, "fit", self.write(table), *words)


class Fit(ModelCase):
    def test_a_line(self):
        self.assertEqual(self.told("fit", self.write(LINE)), """\
fit segmented: t(n) = k + c n, n in bytes

4 samples, 0 to 4000 bytes
from    to        k     c       1/c  90 % of samples
   0  4000  2.00 us  3 ns  333 MB/s   +0.0 to +0.0 %
""")

    def test_the_papers_lines(self):
        told = self.told("fit", PAPER, "--fit", "least-squares")
        self.assertTrue(told.startswith("""\
fit least-squares: t(n) = k + c n, n in n_thousand_ints

C1 standard sender: 7 samples, 100 to 1000 n_thousand_ints
from    to         k       c          1/c  90 % of samples
 100  1000  -3.18 ms  411 us  2.44e+03 /s   -1.7 to +1.8 %
note  the line is negative below 7.7492 n_thousand_ints

C1 standard receiver: 7 samples, 100 to 1000 n_thousand_ints
"""), told)
        self.assertEqual(told.count(": 7 samples"), 16)

    def test_a_line_that_would_be_negative(self):
        rows = "".join(f"{size},{2 * size - 30}\n" for size in (50, 100, 200, 300, 500))
        self.assertEqual(self.told("fit", self.write("bytes,time_ns\n" + rows)), """\
fit segmented: t(n) = k + c n, n in bytes

5 samples, 50 to 500 bytes
from   to       k     c       1/c  90 % of samples
   0   30     0 s  1 ns    1 GB/s   +0.0 to +0.0 %
  30  500  -30 ns  2 ns  500 MB/s   +0.0 to +0.0 %
note  nothing was measured below 50 bytes; a line that would be negative there is replaced by one
      through the origin
""")

    def test_a_jump(self):
        rows = [f"{size},{(1 if size < 5000 else 20.02) + size / 1000}" for size in range(1000, 9001, 500) for _ in range(5)]
        told = self.told("fit", self.write("bytes,time_us\n" + "\n".join(rows) + "\n"))
        self.assertIn("note  jump at 4750 bytes: from 5.75 us to 24.8 us\n", told)
        self.assertIn("\n4750  9000  20.0 us  1 ns  1 GB/s", told)

    def test_json_is_the_model(self):
        model = self.json_of("fit", self.write(LINE), "--fit", "least-squares", "--out", "m.json")
        self.assertEqual(model, json.loads((self.folder / "m.json").read_text()))
        self.assertEqual(list(model), ["schema", "fit", "size", "group_columns", "groups"])
        self.assertEqual((model["schema"], model["fit"], model["size"], model["group_columns"]), (1, "least-squares", "bytes", []))
        [group] = model["groups"]
        self.assertEqual((group["names"], group["samples"], group["first_size"]), ([], 4, 0))
        [segment] = group["segments"]
        self.assertEqual(list(segment), ["first_size", "last_size", "c_s", "k_s", "low", "high"])
        self.assertAlmostEqual(segment["c_s"], 3e-9, delta=1e-17)
        self.assertAlmostEqual(segment["k_s"], 2e-6, delta=1e-14)

    def test_units_quotes_comments_and_carriage_returns(self):
        text = '\ufeff# mine\r\n"my host, old",BYTES, time_ms\r\n"a ""b""",1,1\r\n\r\n"a ""b""", 2 ,2\r\n"a ""b""",3,3\r\n'
        model = self.json_of("fit", self.write(text), "--fit", "least-squares")
        self.assertEqual((model["group_columns"], model["groups"][0]["names"]), (["my host, old"], ['a "b"']))
        self.assertAlmostEqual(model["groups"][0]["segments"][0]["c_s"], 1e-3)

    def test_columns_that_are_named(self):
        text = "run,width,sender_s,receiver_s,mode\n" + "".join(f"{i},{i},{i},{2 * i},a\n" for i in (1, 2, 3))
        words = [self.write(text), "--size", "width", "--time", "receiver_s", "--by", "mode", "--fit", "least-squares"]
        model = self.json_of("fit", *words)
        self.assertEqual((model["size"], model["group_columns"], len(model["groups"])), ("width", ["mode"], 1))
        self.assertAlmostEqual(model["groups"][0]["segments"][0]["c_s"], 2)

    def test_the_fits_are_listed(self):
        self.assertEqual(self.told("fit", "--fit", "help"), """\
The fits:
segmented: lines between jumps and kinks found in the data; outliers count little
least-squares: one line, as in the paper; may be negative for small sizes
""")


class Predict(ModelCase):
    def test_the_papers_predictions(self):
        told = self.told("predict", PAPER, "--fit", "least-squares", "--at", "4,40,500,1600")
        self.assertTrue(told.startswith("""\
cluster  mode         side      n_thousand_ints      time  9 of 10 from       to
C1       standard     sender                  4  -1.54 ms             -        -  extrapolated, negative
C1       standard     sender                 40   13.2 ms             -        -            extrapolated
C1       standard     sender                500    202 ms        199 ms   206 ms
C1       standard     sender               1600    654 ms             -        -            extrapolated
"""), told)

    def test_a_model_foresees_what_its_measurements_do(self):
        self.told("fit", PAPER, "--out", "m.json")
        self.assertEqual(self.json_of("predict", "m.json", "--at", "40,500"),
                         self.json_of("predict", PAPER, "--at", "40,500"))

    def test_the_file_may_stand_behind_sizes_and_columns(self):
        expected = self.json_of("predict", PAPER, "--at", "40,500", "--by", "cluster,mode,side")
        self.assertEqual(self.json_of("predict", "--at", "40,500", "--by", "cluster,mode,side", PAPER), expected)
        self.assertEqual(self.json_of("predict", "--by", "cluster,mode,side", "--at", "40", "--at", "500", PAPER), expected)

    def test_json(self):
        told = self.json_of("predict", self.write(LINE), "--fit", "least-squares", "--at", "500,8000")
        self.assertEqual([list(told), list(told["predictions"][0])],
                         [["schema", "fit", "size", "group_columns", "predictions"],
                          ["names", "size", "seconds", "low_s", "high_s", "is_extrapolated"]])
        self.assertEqual([one["is_extrapolated"] for one in told["predictions"]], [False, True])
        self.assertAlmostEqual(told["predictions"][0]["seconds"], 3.5e-6, delta=1e-12)
        self.assertAlmostEqual(told["predictions"][0]["low_s"], 3.5e-6, delta=1e-12)
        self.assertEqual((told["predictions"][1]["low_s"], told["predictions"][1]["high_s"]), (None, None))
        [below] = self.json_of("predict", PAPER, "--fit", "least-squares", "--at", "4")["predictions"][:1]
        self.assertEqual((below["low_s"], below["high_s"]), (None, None))

    def test_sizes(self):
        self.assert_refused("--at is required (it names the sizes); write it as --at 40,60,1600", "predict", PAPER)
        self.assert_refused("--at is 'x' (it must be a number); write it as 12.5", "predict", PAPER, "--at", "1,x")
        self.assert_refused("--at is -1 (sizes are not negative)", "predict", PAPER, "--at", "3,-1")

    def test_broken_models(self):
        def refused(text, content):
            self.assert_refused(text, "predict", self.write(content, "m.json"), "--at", "1")

        refused("m.json:2:4: this is no JSON (the file is cut short or damaged, or was not written by loadshare model fit)", '{\n"a"')
        refused("m.json: this is not a model (it lacks schema or groups); give a file that loadshare model fit wrote with --out", '{"schema": 1}')
        refused("m.json: a model of schema 7 (this program reads 1); fit it again", '{"schema": 7, "groups": []}')
        self.told("fit", self.write(LINE), "--out", "good.json")
        good = (self.folder / "good.json").read_text()
        refused(f"m.json: 'k_s' of a segment of group 1 is \"1\" (it must be a number); {DAMAGED}",
                json.dumps(self.changed(good, k_s="1")))
        refused(f"m.json: 'first_size' of a segment of group 1 is -1 (it is 0 or more); {DAMAGED}",
                json.dumps(self.changed(good, first_size=-1)))
        refused(f"m.json: 'first_size' is 9999 and 'last_size' 4000 (the first is not more than the second); {DAMAGED}",
                json.dumps(self.changed(good, first_size=9999)))
        refused(f"m.json: 'low' is 3 and 'high' 2 (the first is not more than the second); {DAMAGED}",
                json.dumps(self.changed(good, low=3, high=2)))
        broken = json.loads(good)
        broken["groups"][0]["segments"] = []
        refused(f"m.json: group 1 has no segments (a curve has one at least); {DAMAGED}", json.dumps(broken))
        broken["groups"][0]["names"] = ["x"]
        refused(f"m.json: group 1 has 1 names (there are 0 group columns); {DAMAGED}", json.dumps(broken))

    def changed(self, text, **fields):
        model = json.loads(text)
        model["groups"][0]["segments"][0].update(fields)
        return model

    def test_a_model_has_its_fit(self):
        self.told("fit", self.write(LINE), "--out", "m.json")
        self.assert_refused("--fit applies to measurements (m.json is a model, which is already fitted); leave --fit "
                            "out, or give the measurements", "predict", "m.json", "--at", "1", "--fit", "least-squares")
        for option in ("--size", "--time", "--by"):
            self.assert_refused(f"{option} applies to measurements (m.json is a model, which is already fitted); leave "
                                f"{option} out, or give the measurements", "predict", "m.json", "--at", "1", option, "x")


class BadInput(ModelCase):
    def test_files(self):
        self.assert_refused("cannot read none.csv (no such file or directory)", "fit", "none.csv")
        self.assert_refused("cannot read . (it is a directory)", "fit", ".")
        self.assert_table_refused("t.csv is empty (there is nothing to fit); give a file of measurements", "\n \n")
        self.assert_table_refused("t.csv holds no measurements (it needs a header and rows below it); write a row for each "
                                  "measurement", "bytes,seconds\n")
        self.assert_refused("FILE is required; see loadshare model fit --help", "fit")
        self.assert_refused("unknown --fit 'least-square' (valid: segmented, least-squares); did you mean 'least-squares'?",
                            "fit", self.write(LINE), "--fit", "least-square")

    def test_too_little(self):
        self.assert_table_refused("t.csv:2:1: too few points: 2 (a line needs 3 to show its error); measure more of them", "bytes,s\n1,1\n2,2\n")
        self.assert_table_refused("t.csv:5:3: b: too few points: 1 (a line needs 3 to show its error); measure more of them, "
                                  "or name with --by the columns that define groups (now mode)",
                                  "mode,bytes,s\na,1,1\na,2,2\na,3,3\nb,1,1\n")
        self.assert_table_refused("t.csv:2:1: all 3 points are of size 8 (a line needs at least two sizes); measure other "
                                  "sizes too", "bytes,s\n8,1\n8,2\n8,3\n")

    def test_values(self):
        head = "bytes,ms\n1,1\n"
        out = "leave the row out"
        self.assert_table_refused(f"t.csv:3:3: the time is 0 (it must be more than 0; the clock may be too coarse); {out}", head + "2,0\n")
        self.assert_table_refused(f"t.csv:3:4: the time is -0.5 (it must be more than 0; the clock may be too coarse); {out}", head + "2, -0.5\n")
        self.assert_table_refused(f"t.csv:3:1: the size is -2 (it must be 0 or more); {out}", head + "-2,1\n")
        for word in ("nan", "inf", "-inf", "1e999", "1s", "", "0x10"):
            self.assert_table_refused(f"t.csv:3:3: '{word}' is not a finite number (it is in column 'ms'); write it as 12.5, or "
                                      "leave the row out", f"{head}2,{word}\n")
        self.assert_table_refused("t.csv:3:1: 'many' is not a finite number (it is in column 'bytes'); write it as 12.5, or "
                                  "leave the row out", head + "many,1\n")

    def test_rows(self):
        self.assert_table_refused("t.csv:3:1: the row has 1 cells (the header has 2); give each column a cell", "bytes,s\n1,1\n2\n")
        self.assert_table_refused("t.csv:2:3: the row has 3 cells (the header has 2); give each column a cell", "bytes,s\n1,1,\n")
        double = "double the quotes that belong to the text"
        self.assert_table_refused(f"t.csv:2:3: a quote is not closed (a cell ends on its line); {double}", 'bytes,s\n1,"1\n')
        self.assert_table_refused(f"t.csv:2:6: there is text after a closing quote (quotes enclose a whole cell); {double}",
                                  'bytes,s\n1,"1"2\n')

    def test_units_are_not_guessed(self):
        why = "(the name of a time must end in its unit)"
        self.assert_table_refused(f"t.csv:1:7: the unit of 'time' is missing {why}; call it time_s, time_ms or time_us",
                                  "bytes,time\n1,1\n")
        self.assert_table_refused(f"t.csv:1:7: the unit of 'wall' is missing {why}; call it wall_s, wall_ms or wall_us",
                                  "bytes,wall\n1,1\n", "--time", "wall")

    def test_units_that_cannot_be(self):
        def refused(name, unit, *words):
            self.assert_table_refused(f"t.csv:1:7: '{unit}' is not a unit of time in '{name}' (a time is in s, ms, us or ns); "
                                      "convert it, or rename the column if it is not a time", f"bytes,{name},wait_s\n1,1,1\n", *words)

        refused("time_min", "min")
        refused("time_min", "min", "--time", "time_min")
        refused("elapsed_hours", "hours")
        refused("Time (parsecs)", "parsecs")

    def test_more_units(self):
        for name, unit_s in (("time (ms)", 1e-3), ("t_usec", 1e-6), ("duration_msec", 1e-3), ("nanosecond", 1e-9)):
            model = self.json_of("fit", self.write(f"bytes,{name}\n1,1\n2,2\n3,3\n"), "--fit", "least-squares")
            self.assertAlmostEqual(model["groups"][0]["segments"][0]["c_s"] / unit_s, 1, msg=name)

    def test_columns(self):
        self.assert_table_refused("t.csv:1:1: no column is a time (there are bytes, x); name it seconds, time_ms or time_us, "
                                  "or choose one with --time", "bytes,x\n1,1\n")
        self.assert_table_refused("t.csv:1:1: no column is a size (there are x, s); name it bytes, ints or doubles, or "
                                  "choose one with --size", "x,s\n1,1\n")
        self.assert_table_refused("t.csv:1:9: several columns are a time (a_s, b_s); choose one with --time",
                                  "n,a_s,  b_s\n1,1,1\n")
        self.assert_table_refused("t.csv:1:3: several columns are a size (n, bytes); choose one with --size",
                                  "n,bytes,s\n1,1,1\n")
        self.assert_table_refused("t.csv:1:1: unknown --size 'byte' (valid: bytes, s); did you mean 'bytes'?",
                                  "bytes,s\n1,1\n", "--size", "byte")
        self.assert_table_refused("t.csv:1:3: a second column 's' (each has a name of its own); give it another", "s,s\n1,1\n")
        self.assert_table_refused("t.csv:1:7: a column has no name (the first row names them); give it one", "bytes,,s\n1,1,1\n")

    def test_outputs(self):
        self.write(LINE)
        self.assert_refused("FILE and --out are the same file (t.csv); name another file", "fit", "t.csv", "--out", "t.csv")
        self.assertEqual((self.folder / "t.csv").read_text(), LINE)
        self.assert_refused("cannot write the model to 'none/m.json' (there is no directory none); name another file",
                            "fit", "t.csv", "--out", "none/m.json")
