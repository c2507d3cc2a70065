"""`loadshare compare` as a user sees it, on records whose times are made."""

import unittest

from predict_case import FREE, Case, chunks, run


class Compare(Case):
    def compared(self, *records, words=()):
        self.keep("runs.jsonl", *records)
        return self.json_of("compare", "runs.jsonl", "--costs", FREE, *words)

    def of_sweep(self, point, size):
        return {"schema": 1, "experiment": "one", "point": point, "status": "ok", "record": run(size)}

    def test_each_technique_is_predicted_from_the_others(self):
        told = self.compared(run(4), run(10), run(40), run(100))
        (setting,) = told["settings"]
        self.assertEqual([point["scheduler"] for point in setting["points"]],
                         ["send:size=4", "send:size=10", "send:size=40", "send:size=100"])
        for point in setting["points"]:
            self.assertAlmostEqual(point["error"], 0, delta=0.03)
        self.assertEqual((setting["best"], setting["chosen"]), ("send:size=4", "send:size=4"))
        self.assertEqual((setting["regret"], setting["order"]), (0, 1))
        self.assertIsNone(told["with_load"])
        self.assertEqual(told["without_load"]["points"], 4)

    def test_a_wrong_prediction_shows(self):
        slow = run(40)
        slow["makespan_s"] *= 2
        setting = self.compared(run(4), run(20), slow)["settings"][0]
        self.assertLess(setting["points"][2]["error"], -0.4)

    def assert_before_the_tables(self, text):
        head = self.tool("compare", "runs.jsonl", "--costs", FREE).stdout.split("\nscheduler ")[0]
        self.assertIn(text, " ".join(head.split()))

    def test_disturbed_runs_are_named_first(self):
        def disturbed(size, share, **fields):
            one = run(size, **fields)
            for row in one["ranks"]:
                row["stolen_s"] = share * one["makespan_s"]
                row["computing_s"] -= row["stolen_s"]
            return one
        text = ("other programs had a share of the workers' time in the runs of send:size=4 (20.0 %); the "
                "predictions are for hosts without them")
        self.assertIn(text, self.compared(disturbed(4, 0.2), run(20), disturbed(40, 0.02))["notes"])
        self.assert_before_the_tables(text)
        load = {"spec": "on=1s,off=1s,phase=random,seed=5", "ranks": []}
        told = self.compared(disturbed(4, 0.2, load=load), run(20, load=load))
        self.assertFalse([note for note in told["notes"] if "other programs had a share" in note])

    def test_waiting_of_bodies_is_their_cost_and_is_reported_first(self):
        def waiting(size):
            one = run(size)
            for row in one["ranks"]:
                row["idle_s"] += 0.9 * row["computing_s"]
                row["blocked_s"] = 0.9 * row["computing_s"]
                row["computing_s"] *= 0.1
            for chunk in one["chunks"]:
                chunk["cpu_s"] *= 0.1
            return one
        text = ("the cost of an iteration consists of wall time (for 90.0 % of it the loop body sleeps or "
                "waits)")
        told = self.compared(waiting(4), waiting(20), waiting(40))
        self.assertIn(text, told["notes"])
        for point in told["settings"][0]["points"]:
            self.assertAlmostEqual(point["error"], 0, delta=0.03)
        self.assert_before_the_tables(text)

    def test_techniques_of_the_programs_own_are_left_out(self):
        own = run(20) | {"scheduler": "ramp:start=20"}
        told = self.compared(run(4), own)
        self.assertEqual([point["scheduler"] for point in told["settings"][0]["points"]], ["send:size=4"])
        self.assertIn("ramp:start=20 left out: that scheduler exists only in the program itself", told["notes"])
        self.keep("own.jsonl", own)
        self.assert_refused(("compare", "own.jsonl", "--from", "own.jsonl"),
                            "ramp:start=20 cannot be predicted (that scheduler exists only in the program itself); "
                            "give runs of the same loop with --scheduler gss")

    def test_from_takes_one_file(self):
        """Runs may follow it; given again, it takes another file."""
        self.keep("own.jsonl", run(4))
        self.keep("more.jsonl", run(40))
        self.keep("runs.jsonl", run(20))
        expected = self.json_of("compare", "runs.jsonl", "--costs", FREE, "--from", "own.jsonl")
        self.assertEqual(self.json_of("compare", "--costs", FREE, "--from", "own.jsonl", "runs.jsonl"), expected)
        twice = ("--from", "own.jsonl", "--from", "more.jsonl", "runs.jsonl")
        self.assertEqual(len(self.json_of("compare", "--costs", FREE, *twice)["settings"]), 1)

    def test_settings_stay_apart(self):
        load = {"spec": "on=1s,off=1s,phase=random,seed=5", "ranks": []}
        told = self.compared(run(4), run(20), run(4, load=load), run(20, load=load))
        self.assertEqual([setting["has_load"] for setting in told["settings"]], [False, True])
        self.assertEqual(told["with_load"]["points"], 2)

    def test_sweeps_may_have_experiments_of_one_name(self):
        for folder in ("a", "b"):
            (self.folder / folder).mkdir()
            self.keep(f"{folder}/runs.jsonl", *(self.of_sweep(f"one/scheduler=send:{size}", size) for size in (4, 20)))
        told = self.json_of("compare", "a", "b/", "--costs", FREE)
        self.assertEqual([(setting["sweep"], setting["experiment"]) for setting in told["settings"]],
                         [("a", "one"), ("b", "one")])
        for setting in told["settings"]:
            self.assertTrue(setting["name"].endswith(", in " + setting["sweep"]), setting["name"])
            self.assertEqual([point["point"] for point in setting["points"]],
                             ["one/scheduler=send:4", "one/scheduler=send:20"])

    def test_points_of_one_technique_stay_apart(self):
        (self.folder / "a").mkdir()
        points = [(size, kernel) for size in (4, 20) for kernel in ("naive", "tuned")]
        self.keep("a/runs.jsonl", *(self.of_sweep(f"one/scheduler=send:{size}/kernel={kernel}", size)
                                    for size, kernel in points))
        (setting,) = self.json_of("compare", "a", "--costs", FREE)["settings"]
        self.assertEqual([point["point"] for point in setting["points"]],
                         [f"one/scheduler=send:{size}/kernel={kernel}" for size, kernel in points])

    def test_a_model_from_other_runs(self):
        self.keep("own.jsonl", run(10))
        told = self.compared(run(20), words=("--from", "own.jsonl"))
        self.assertAlmostEqual(told["settings"][0]["points"][0]["error"], 0, delta=0.03)

    def test_an_experiment_of_the_sweeps_as_the_model(self):
        (self.folder / "a").mkdir()
        own = [{**self.of_sweep("own/x", size), "experiment": "own"} for size in (10, 11)]
        self.keep("a/runs.jsonl", *own, self.of_sweep("one/scheduler=send:20", 20))
        told = self.json_of("compare", "a", "--own", "own", "--costs", FREE)
        (setting,) = told["settings"]
        self.assertEqual((setting["experiment"], len(setting["points"])), ("one", 1))
        self.assertAlmostEqual(setting["points"][0]["error"], 0, delta=0.03)
        self.assert_refused(("compare", "a", "--own", "won"), "unknown experiment 'won'", "own")
        self.assert_refused(("compare", "a", "--own", "one", "--costs", FREE, "--hosts", "1"), "--hosts has 1 hosts")

    def test_runs_of_auto_are_set_beside_the_others(self):
        def auto(factor):
            made = run(4, choice={"scheduler": "send:size=20", "predicted_s": 3.0}, scheduler="auto:budget=1",
                       etas=[{"at_s": 1.0, "makespan_s": factor * chunks(4)[1] * 0.9}])
            made["makespan_s"] *= factor
            return made
        told = self.compared(run(4), run(20), run(100), auto(1.1), auto(1.1 + 1e-9))
        (setting,) = told["settings"]
        self.assertEqual(len(setting["points"]), 3)
        self.assertEqual(setting["auto"]["chosen"], ["send:size=20"] * 2)
        self.assertAlmostEqual(setting["auto"]["regret"], 0.1)
        self.assertAlmostEqual(told["auto_regret"]["worst"], 0.1)
        self.assertAlmostEqual(told["auto_foretold"]["signed_median"], 3 / (1.1 * chunks(4)[1]) - 1)
        self.assertAlmostEqual(told["etas"]["signed_median"], -0.1)
        text = self.tool("compare", "runs.jsonl", "--costs", FREE).stdout
        self.assertIn(", 10.0 % longer than the measured best; it chose send:size=20 (2 of 2)", text)
        self.keep("autos.jsonl", auto(1))
        self.assert_refused(("compare", "autos.jsonl"), "all runs are by auto (")

    def test_at_the_speed_of_a_slow_run(self):
        slow = run(20)
        slow["makespan_s"] *= 2
        for chunk in slow["chunks"]:
            for key in ("assigned_s", "received_s", "begun_s", "ended_s", "returned_s", "cpu_s"):
                chunk[key] *= 2
        self.keep("own.jsonl", run(10), run(40))
        def error(*words):
            return self.compared(slow, words=("--from", "own.jsonl", *words))["settings"][0]["points"][0]["error"]
        self.assertAlmostEqual(error(), -0.5, delta=0.03)
        self.assertAlmostEqual(error("--at-run-speed"), 0, delta=0.03)

    def test_intervals_hold_runs_that_scatter_as_their_model_does(self):
        def slower(size, factor):
            made = run(size)
            made["makespan_s"] *= factor
            for chunk in made["chunks"]:
                chunk["cpu_s"] *= factor
            return made
        self.keep("own.jsonl", *(slower(10, factor) for factor in (0.9, 1, 1.1)))
        told = self.compared(slower(20, 0.95), slower(20, 1.05), slower(20, 3), words=("--from", "own.jsonl"))
        self.assertEqual(told["coverage"], {"covered": 2, "runs": 3})
        point = told["settings"][0]["points"][0]
        self.assertLess(point["low_s"], 0.95 * chunks(20)[1])
        self.assertGreater(point["high_s"], 1.05 * chunks(20)[1])

    def test_a_vanished_host(self):
        gone = run(20)
        gone["ranks"][1]["host"] = "?"
        told = self.compared(run(4), run(20), gone)
        self.assertEqual([len(point["measured_s"]) for point in told["settings"][0]["points"]], [1, 1])
        self.assertIn("1 run left out: a host was lost before the end", told["notes"])
        self.keep("gone.jsonl", gone)
        self.assert_refused(("compare", "gone.jsonl"), "in all runs a host was lost before the end (")
        self.assert_refused(("predict", "gone.jsonl"), "a host of the last run was lost before the run ended (", "--hosts")

    def test_another_loop_is_not_compared(self):
        self.keep("own.jsonl", run(10, options={**run(10)["options"], "size": 99}))
        self.keep("runs.jsonl", run(20))
        self.assert_refused(("compare", "runs.jsonl", "--from", "own.jsonl"), "a run that is to be predicted is of another loop", "(size: none, not 99)")

    def test_what_a_person_reads(self):
        self.keep("runs.jsonl", run(4), run(100))
        done = self.tool("compare", "runs.jsonl", "--costs", FREE)
        for text in ("predicted and measured times", "send:size=100", "the prediction's choice takes 0.0 % longer", "makespan without a load",
                     "|9th decile|", "runs are within their predicted intervals"):
            self.assertIn(text, done.stdout)
        self.assertRegex(done.stdout, r"^synthetic: makespans without a load are off by \d+\.\d % \(median\); the scheduler chosen")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_bad_input(self):
        self.keep("one.jsonl", run(4))
        self.assert_refused(("compare", "one.jsonl"), "there is no run to predict send:size=4 from (", "--from")
        self.assert_refused(("compare", "one.jsonl", "--from", "one.jsonl", "--hosts", "1"), "--hosts has 1 hosts (")
        self.assertNotEqual(self.tool("compare").returncode, 0)


if __name__ == "__main__":
    unittest.main()
