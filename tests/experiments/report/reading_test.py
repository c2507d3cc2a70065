"""A sweep's folder in every state that a killed, failed or wrong sweep leaves it in."""

import codecs
import json
import tempfile
import unittest
from pathlib import Path

from made_sweep import MadeSweep, axis
from report.errors import ReportError
from report.reading import read_sweep
from report.troubles import troubles

SPECS = axis("scheduler", "send:3", "gss:14")


def made(**options):
    return MadeSweep().experiment("one", [SPECS], lambda parameters: 2.0, compare="scheduler", repeat=3, **options)


class InAFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, sweep):
        return read_sweep(sweep.write(self.folder))

    def assert_refused(self, code, text):
        with self.assertRaises(ReportError) as caught:
            read_sweep(self.folder)
        self.assertEqual((caught.exception.code, str(caught.exception)), (code, text.format(dir=self.folder)))


class WhatIsThere(InAFolder):
    def test_a_whole_sweep(self):
        sweep = self.write(made())
        self.assertEqual((sweep.title, sweep.source, sweep.is_reduced, sweep.seed, sweep.gaps),
                         ("A made sweep", "made.yaml", False, 1, []))
        experiment = sweep.experiments[0]
        self.assertEqual((experiment.compare, experiment.baseline, experiment.runs_asked), ("scheduler", "send:3", 3))
        self.assertEqual([len(point.times_s()) for point in experiment.points], [3, 3])
        self.assertNotIn("chunks", experiment.points[0].runs[0].record)
        self.assertEqual(troubles(sweep), [])

    def test_values_that_are_no_text(self):
        sweep = MadeSweep().experiment("one", [axis("reissue", True, False), axis("prefetch", 1, 4)],
                                       lambda parameters: 1.0, compare="prefetch", baseline=4)
        experiment = self.write(sweep).experiments[0]
        self.assertEqual((experiment.axes[0].values, experiment.baseline), (("true", "false"), "4"))
        self.assertEqual(experiment.points[0].parameters, {"reissue": "true", "prefetch": "1"})

    def test_the_repeat_with_a_stop_rule(self):
        sweep = made()
        sweep.manifest["experiments"][0]["repeat"] = {"at-least": 2, "at-most": 30, "within": "2%"}
        self.assertEqual(self.write(sweep).gaps, [])

    def test_looks_of_a_stop_rule_share_the_error(self):
        def error_with(**repeat):
            sweep = made()
            sweep.manifest["experiments"][0]["repeat"] = repeat
            experiment = self.write(sweep).experiments[0]
            self.assertEqual(experiment.points[0].error, experiment.error)
            return experiment.error

        self.assertEqual(error_with(times=3), 0.05)
        self.assertEqual(error_with(**{"at-least": 2, "at-most": 30, "within": 0.02, "looks": [9, 14, 21, 30]}), 0.05 / 4)
        self.assertEqual(error_with(**{"at-least": 2, "at-most": 30, "within": 0.02}), 0.05 / 25, "of older versions")

    def test_a_repetition_that_was_run_again_counts_once(self):
        sweep = made().fail(0)
        line = sweep.runs[1]
        sweep.run("one", line["point"], line["parameters"], 0, 2.5)
        read = self.write(sweep)
        self.assertEqual((read.gaps, len(read.experiments[0].points[0].times_s())), ([], 3))
        self.assertEqual([trouble.kind for trouble in troubles(read)], ["run failed"])


class WhatIsMissing(InAFolder):
    def test_a_torn_last_line_is_left_out_and_said(self):
        made().write(self.folder)
        path = self.folder / "runs.jsonl"
        path.write_text(path.read_text()[:-40])
        gaps = read_sweep(self.folder).gaps
        self.assertEqual(gaps[0], "runs.jsonl:6 was left out: the line is torn, as a killed sweep leaves its last one.")
        self.assertEqual(gaps[1:], ["one: 1 of 2 points lacks runs (2 of 3 are there).",
                                    f"`loadshare sweep made.yaml --resume --out {self.folder}` goes on."])

    def test_a_byte_order_mark_is_no_part_of_a_line(self):
        made().write(self.folder)
        for name in ("runs.jsonl", "sweep.json"):
            path = self.folder / name
            path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
        self.assertEqual(read_sweep(self.folder).gaps, [])

    def test_a_line_that_is_no_run(self):
        made().write(self.folder)
        path = self.folder / "runs.jsonl"
        path.write_text("[]\n" + path.read_text())
        self.assertEqual(read_sweep(self.folder).gaps, ["runs.jsonl:1 was left out: not a run."])

    def test_a_time_that_is_none(self):
        for makespan_s in ("soon", float("inf"), float("nan"), -5, 0, 10**400):
            sweep = made()
            sweep.runs[0]["record"]["makespan_s"] = makespan_s
            read = self.write(sweep)
            self.assertRegex(read.gaps[0], r"^runs.jsonl:\d was left out: not a run.$", makespan_s)
            self.assertEqual(len(read.runs()), 5)

    def test_a_run_of_another_schema(self):
        for part in ("the line", "the program's record"):
            sweep = made()
            (sweep.runs[0] if part == "the line" else sweep.runs[0]["record"])["schema"] = 99
            read = self.write(sweep)
            self.assertRegex(read.gaps[0], r"^runs.jsonl:\d was left out: record of schema 99 "
                                           r"\(this program reads 1\).$", part)
            self.assertEqual(len(read.runs()), 5)

    def test_a_record_without_a_schema_is_one(self):
        sweep = made()
        del sweep.runs[0]["record"]["schema"]
        self.assertEqual(self.write(sweep).gaps, [])

    def test_an_unfinished_sweep(self):
        self.assertEqual(self.write(made(runs=1)).gaps,
                         ["one: 2 of 2 points lack runs (2 of 6 are there).",
                          f"`loadshare sweep made.yaml --resume --out {self.folder}` goes on."])

    def test_how_to_go_on_is_said_once_with_the_path_that_was_given(self):
        sweep = MadeSweep(source="sub folder/kk.yaml")
        for name in ("one", "two"):
            sweep.experiment(name, [], lambda parameters: 2.0, repeat=3, runs=1)
        self.folder = self.folder / "its results"
        self.assertEqual(self.write(sweep).gaps,
                         ["one: 1 of 1 point lacks runs (1 of 3 are there).",
                          "two: 1 of 1 point lacks runs (1 of 3 are there).",
                          f"`loadshare sweep 'sub folder/kk.yaml' --resume --out '{self.folder}'` goes on."])

    def test_an_unfinished_reduced_sweep_goes_on_reduced(self):
        sweep = MadeSweep(reduced=True).experiment("one", [], lambda parameters: 2.0, repeat=3, runs=1)
        self.assertIn(f"`loadshare sweep made.yaml --reduced --resume --out {self.folder}` goes on.",
                      self.write(sweep).gaps[-1])

    def test_runs_of_another_sweep(self):
        self.assertEqual(self.write(made().run("two", "two/x", {}, 0, 1.0)).gaps,
                         ["1 run of points that sweep.json does not name: left out."])


class Troubles(InAFolder):
    def found(self, sweep):
        return [(trouble.kind, trouble.count, trouble.example) for trouble in troubles(self.write(sweep))]

    def test_failed_runs_have_no_time(self):
        sweep = self.write(made().fail(0).fail(1, "timeout", None, ""))
        self.assertEqual(len(sweep.experiments[0].points[0].times_s()), 1)
        self.assertEqual([(trouble.kind, trouble.example) for trouble in troubles(sweep)],
                         [("run failed", "exit code 1: matmul: out of luck"), ("run timeout", "no exit code")])

    def example(self, *how):
        return self.found(made().fail(0, *how))[0][2]

    def test_an_exit_code_stands_only_where_it_tells(self):
        self.assertEqual(self.example("failed", 3, "out of luck"), "exit code 3: out of luck")
        self.assertEqual(self.example("timeout", 130, "took longer than 500 ms"), "took longer than 500 ms")
        self.assertEqual(self.example("interrupted", 143, "interrupted"), "interrupted")
        self.assertEqual(self.example("failed", 0, "the program wrote no record"), "the program wrote no record")
        said_nothing = "it ended with exit code 1 and said nothing"
        self.assertEqual(self.example("failed", 1, said_nothing), said_nothing)

    def test_a_failed_run_with_a_wrong_result_is_one_trouble(self):
        sweep = made()
        sweep.runs[0]["record"]["verified"] = False
        sweep.runs[0] |= {"status": "failed", "exit_code": 1, "error": "matmul: result wrong"}
        self.assertEqual(self.found(sweep), [("result wrong", 1, "the verification of the result failed")])

    def test_a_wrong_result_has_no_time(self):
        sweep = made()
        sweep.runs[0]["record"]["verified"] = False
        self.assertEqual(self.found(sweep), [("result wrong", 1, "the verification of the result failed")])
        self.assertEqual(len(read_sweep(self.folder).experiments[0].points[0].times_s()), 2)

    def test_an_account_that_does_not_close(self):
        sweep = made()
        sweep.runs[0]["record"]["accounting"] = {"closes": False, "worst_gap": 0.031}
        self.assertEqual(self.found(sweep), [("account open", 1, "3.1 % of a rank's time is unaccounted for")])

    def with_load(self, **changes):
        sweep = made(load="on=1s,off=1s")
        sweep.runs[0]["record"]["load"]["ranks"][0] |= changes
        return self.found(sweep)

    def test_a_load_off_its_share_by_more_than_five_points(self):
        for share, is_off in ((0.551, True), (0.549, False), (0.451, False), (0.449, True)):
            self.assertEqual(bool(self.with_load(share_taken=share)), is_off, share)
        self.assertEqual(self.with_load(share_taken=0.41),
                         [("load off its share", 1, "the load of rank 1 on slow1 had 41 % of the processor while the "
                                                    "load was on, 50 % were asked for")])

    def test_a_worker_off_its_share(self):
        self.assertEqual([kind for kind, _, _ in self.with_load(worker_share=0.3, share_asked=0.5)],
                         ["worker off its share"])
        self.assertEqual(self.with_load(worker_share=None), [])
        self.assertEqual(self.with_load(worker_share=0.3, share_taken=0.7, share_asked=0.7), [])

    def test_a_load_that_was_hardly_on_has_no_share(self):
        self.assertEqual(self.with_load(share_taken=0.0, worker_share=None, on_s=0.0), [])

    def test_runs_without_a_time_come_first(self):
        sweep = made().fail(4, "timeout", None)
        sweep.runs[0]["record"]["accounting"] = {"closes": False, "worst_gap": 0.031}
        self.assertEqual([kind for kind, _, _ in self.found(sweep)], ["run timeout", "account open"])

    def test_a_run_without_a_record(self):
        sweep = made()
        sweep.runs[0]["record"] = None
        self.assertEqual(self.found(sweep), [("no record", 1, "the program left no record of its run")])


class Refused(InAFolder):
    def test_no_sweep(self):
        self.assert_refused(2, "{dir} is not a sweep's folder (sweep.json: No such file or directory); "
                               "name the folder that loadshare sweep wrote")
        self.folder = self.folder / "none"
        self.assert_refused(2, "cannot read the sweep {dir} (there is no such folder); "
                               "name the folder that loadshare sweep wrote")

    def test_another_schema(self):
        sweep = made()
        sweep.manifest["schema"] = 2
        sweep.write(self.folder)
        self.assert_refused(2, "cannot read {dir}/sweep.json (its schema is not 1); use the loadshare that wrote it")

    def test_a_manifest_that_lacks_parts(self):
        (self.folder / "sweep.json").write_text(json.dumps({"schema": 1, "title": "x"}))
        self.assert_refused(2, "{dir} cannot be understood (sweep.json or runs.jsonl is not as a sweep writes it: "
                               "KeyError('experiments')); run the sweep again with this version")

    def test_a_compared_axis_that_is_none(self):
        sweep = made()
        sweep.manifest["experiments"][0]["compare"] = "kernel"
        sweep.write(self.folder)
        with self.assertRaisesRegex(ReportError, "cannot be understood .*'kernel' is not in list"):
            read_sweep(self.folder)

    def test_nothing_ran(self):
        made(runs=0).write(self.folder)
        text = ("{dir} holds no runs yet (nothing of this sweep is in runs.jsonl); run it first: "
                "loadshare sweep made.yaml --resume --out {dir}")
        self.assert_refused(1, text)
        (self.folder / "runs.jsonl").unlink()
        self.assert_refused(1, text)


if __name__ == "__main__":
    unittest.main()
