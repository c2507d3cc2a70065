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
    def test_an_incomplete_last_line_is_left_out_and_reported(self):
        made().write(self.folder)
        path = self.folder / "runs.jsonl"
        path.write_text(path.read_text()[:-40])
        gaps = read_sweep(self.folder).gaps
        self.assertEqual(gaps[0], "runs.jsonl:6 was left out: the line is incomplete, like the last line of a killed sweep.")
        self.assertEqual(gaps[1:], ["one: 1 of 2 points lacks runs (2 of 3 succeeded).",
                                    f"Continue with `loadshare sweep made.yaml --resume --out {self.folder}`."])

    def test_a_byte_order_mark_is_no_part_of_a_line(self):
        made().write(self.folder)
        for name in ("runs.jsonl", "sweep.json"):
            path = self.folder / name
            path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
        self.assertEqual(read_sweep(self.folder).gaps, [])

    def test_a_line_that_is_not_a_run_is_left_out(self):
        made().write(self.folder)
        path = self.folder / "runs.jsonl"
        path.write_text("[]\n" + path.read_text())
        self.assertEqual(read_sweep(self.folder).gaps, ["runs.jsonl:1 was left out: not a run."])

    def test_an_invalid_time_is_left_out(self):
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
                                           r"\(this version reads 1\).$", part)
            self.assertEqual(len(read.runs()), 5)

    def test_a_record_without_a_schema_is_one(self):
        sweep = made()
        del sweep.runs[0]["record"]["schema"]
        self.assertEqual(self.write(sweep).gaps, [])

    def test_an_unfinished_sweep(self):
        self.assertEqual(self.write(made(runs=1)).gaps,
                         ["one: 2 of 2 points lack runs (2 of 6 succeeded).",
                          f"Continue with `loadshare sweep made.yaml --resume --out {self.folder}`."])

    def test_the_resume_command_is_shown_once_with_the_given_path(self):
        sweep = MadeSweep(source="sub folder/kk.yaml")
        for name in ("one", "two"):
            sweep.experiment(name, [], lambda parameters: 2.0, repeat=3, runs=1)
        self.folder = self.folder / "its results"
        self.assertEqual(self.write(sweep).gaps,
                         ["one: 1 of 1 point lacks runs (1 of 3 succeeded).",
                          "two: 1 of 1 point lacks runs (1 of 3 succeeded).",
                          f"Continue with `loadshare sweep 'sub folder/kk.yaml' --resume --out '{self.folder}'`."])

    def test_a_reduced_sweep_is_resumed_as_reduced(self):
        sweep = MadeSweep(reduced=True).experiment("one", [], lambda parameters: 2.0, repeat=3, runs=1)
        self.assertIn(f"Continue with `loadshare sweep made.yaml --reduced --resume --out {self.folder}`.",
                      self.write(sweep).gaps[-1])

    def test_runs_of_another_sweep(self):
        self.assertEqual(self.write(made().run("two", "two/x", {}, 0, 1.0)).gaps,
                         ["1 run left out: sweep.json does not contain their points."])


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

    def test_an_exit_code_is_shown_only_if_useful(self):
        self.assertEqual(self.example("failed", 3, "out of luck"), "exit code 3: out of luck")
        self.assertEqual(self.example("timeout", 130, "took longer than 500 ms"), "took longer than 500 ms")
        self.assertEqual(self.example("interrupted", 143, "interrupted"), "interrupted")
        self.assertEqual(self.example("failed", 0, "the program wrote no record"), "the program wrote no record")
        silent = "it ended with exit code 1 and wrote nothing to stderr"
        self.assertEqual(self.example("failed", 1, silent), silent)

    def test_a_failed_run_with_a_wrong_result_is_one_trouble(self):
        sweep = made()
        sweep.runs[0]["record"]["verified"] = False
        sweep.runs[0] |= {"status": "failed", "exit_code": 1, "error": "matmul: result wrong"}
        self.assertEqual(self.found(sweep), [("wrong result", 1, "the program found its result wrong")])

    def test_a_wrong_result_has_no_time(self):
        sweep = made()
        sweep.runs[0]["record"]["verified"] = False
        self.assertEqual(self.found(sweep), [("wrong result", 1, "the program found its result wrong")])
        self.assertEqual(len(read_sweep(self.folder).experiments[0].points[0].times_s()), 2)

    def test_times_that_do_not_add_up_are_a_problem(self):
        sweep = made()
        sweep.runs[0]["record"]["accounting"] = {"closes": False, "worst_gap": 0.031}
        self.assertEqual(self.found(sweep), [("times do not add up", 1, "3.1 % of a rank's time is unaccounted for")])

    def with_load(self, **changes):
        sweep = made(load="on=1s,off=1s")
        sweep.runs[0]["record"]["load"]["ranks"][0] |= changes
        return self.found(sweep)

    def test_a_load_that_misses_its_share_by_five_points_is_a_problem(self):
        for share, is_off in ((0.551, True), (0.549, False), (0.451, False), (0.449, True)):
            self.assertEqual(bool(self.with_load(share_taken=share)), is_off, share)
        self.assertEqual(self.with_load(share_taken=0.41),
                         [("load missed its share", 1, "the load of rank 1 on slow1 got 41 % of the processor while the "
                                                       "load was on, instead of 50 %")])

    def test_a_worker_that_misses_its_share_is_a_problem(self):
        self.assertEqual([kind for kind, _, _ in self.with_load(worker_share=0.3, share_asked=0.5)],
                         ["worker missed its share"])
        self.assertEqual(self.with_load(worker_share=None), [])
        self.assertEqual(self.with_load(worker_share=0.3, share_taken=0.7, share_asked=0.7), [])

    def test_a_very_short_load_has_no_share(self):
        self.assertEqual(self.with_load(share_taken=0.0, worker_share=None, on_s=0.0), [])

    def test_failed_runs_are_listed_first(self):
        sweep = made().fail(4, "timeout", None)
        sweep.runs[0]["record"]["accounting"] = {"closes": False, "worst_gap": 0.031}
        self.assertEqual([kind for kind, _, _ in self.found(sweep)], ["run timeout", "times do not add up"])

    def test_a_run_without_a_record(self):
        sweep = made()
        sweep.runs[0]["record"] = None
        self.assertEqual(self.found(sweep), [("no record", 1, "the program wrote no record of its run")])


class Refused(InAFolder):
    def test_a_folder_without_a_sweep_is_refused(self):
        self.assert_refused(2, "{dir} is not a sweep's folder (sweep.json: No such file or directory); "
                               "name the folder that loadshare sweep wrote")
        self.folder = self.folder / "none"
        self.assert_refused(2, "cannot read the sweep {dir} (there is no such folder); "
                               "name the folder that loadshare sweep wrote")

    def test_another_schema(self):
        sweep = made()
        sweep.manifest["schema"] = 2
        sweep.write(self.folder)
        self.assert_refused(2, "cannot read {dir}/sweep.json (its schema is not 1); use the version of loadshare that wrote it")

    def test_a_manifest_that_lacks_parts(self):
        (self.folder / "sweep.json").write_text(json.dumps({"schema": 1, "title": "x"}))
        self.assert_refused(2, "cannot read the sweep {dir} (sweep.json or runs.jsonl is not as a sweep writes it: "
                               "KeyError('experiments')); run the sweep again with this version")

    def test_an_unknown_compared_axis_is_refused(self):
        sweep = made()
        sweep.manifest["experiments"][0]["compare"] = "kernel"
        sweep.write(self.folder)
        with self.assertRaisesRegex(ReportError, "cannot read the sweep .*'kernel' is not in list"):
            read_sweep(self.folder)

    def test_a_sweep_without_runs_is_refused(self):
        made(runs=0).write(self.folder)
        text = ("{dir} contains no runs yet (runs.jsonl has none of this sweep); run it first: "
                "loadshare sweep made.yaml --resume --out {dir}")
        self.assert_refused(1, text)
        (self.folder / "runs.jsonl").unlink()
        self.assert_refused(1, text)


if __name__ == "__main__":
    unittest.main()
