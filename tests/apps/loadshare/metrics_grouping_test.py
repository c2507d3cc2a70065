"""Which runs `loadshare metrics` puts together, which it leaves out, and what it tells of both."""

import unittest

from metrics_case import MetricsCase
from metrics_runs import quiet, rank, record

LOAD = {"spec": "on=1s,off=1s,where=all", "ranks": []}


def loaded(ranks, makespan_s=8.4, host="node", **fields):
    half = (makespan_s - 0.4) / 2
    return record(makespan_s, [rank(number, half, 0.4, stolen_s=half, host=f"{host}{number}", **fields)
                               for number in range(ranks)], load=LOAD)


def in_sweep(experiment, run):
    return {"schema": 1, "experiment": experiment, "point": "p", "repetition": 0, "status": "ok", "record": run}


class LeftOut(MetricsCase):
    WRONG = {**quiet(1, 1.0, 4.0), "verified": False}

    def test_a_wrong_result_is_neither_a_sequential_time_nor_in_a_median(self):
        told = self.json_of(self.write(self.WRONG, quiet(2, 0.9), {**quiet(2, 0.5), "verified": False}))
        self.assertEqual((told["runs"], told["E_relative"]), (1, None))
        self.assertAlmostEqual(told["E"], 0.9, 12)
        self.assertEqual(told["notes"], [f"runs.jsonl:{line}: left out, because the run's result is wrong" for line in (1, 3)])

    def test_a_wrong_result_alone_is_refused(self):
        self.assert_refused("runs.jsonl holds no runs (runs.jsonl:1: left out, because the run's result is wrong); give what "
                            "a program wrote with --json, or a profile", self.write(self.WRONG))


class Together(MetricsCase):
    def test_what_came_of_a_run_and_where_it_went_sets_no_runs_apart(self):
        runs = [quiet(ranks, 0.9, options={"image": f"{ranks}.png", "escape_iterations": 7 * ranks, "verify": verify})
                for ranks, verify in ((1, "full"), (2, "sample"))]
        (setting,) = self.json_of(self.write(*runs))["settings"]
        self.assertEqual([point["processors"] for point in setting["points"]], [1, 2])

    def test_runs_that_tell_idle_and_runs_that_do_not_are_apart(self):
        silent = record(10.0, [rank(number, 9.0, None, communicating_s=1.0) for number in range(2)])
        told = self.json_of(self.write(quiet(2, 0.8), silent))
        self.assertEqual([setting["points"][0]["tells_idle"] for setting in told["settings"]], [False, True])

    def test_other_hosts_are_told(self):
        slow, fast = (record(length, [rank(number, 0.9 * length, 0.1 * length, host=host) for number in range(2)])
                      for length, host in ((4.0, "slow"), (1.0, "fast")))
        (note,) = self.json_of(self.write(slow, fast))["notes"]
        self.assertEqual(note, "the runs are of different hosts, so their medians do not describe one machine: slow (2 "
                               "ranks) in runs.jsonl:1, fast (2 ranks) in runs.jsonl:2")

    def test_a_sequential_time_of_another_host_is_told(self):
        alone = record(2.0, [rank(0, 2.0, 0.0, host="fast")])
        told = self.json_of(self.write(alone, loaded(2)))
        (setting,) = (setting for setting in told["settings"] if "load" in setting["options"])
        self.assertIsNotNone(setting["points"][0]["E_relative"])
        self.assertIn("the sequential time is of fast, but rank 0 of the other runs is on node0", " ".join(setting["notes"]))


class OfASweep(MetricsCase):
    def settings(self, *runs):
        told = self.json_of(self.write(*(in_sweep(experiment, run) for experiment, run in runs)))
        return {setting["options"]["experiment"]: setting for setting in told["settings"]}

    def test_a_sequential_run_without_the_load_is_found_in_another_experiment(self):
        found = self.settings(("quiet", quiet(1, 1.0)), ("quiet", quiet(2, 0.9)), ("loaded", loaded(1, 16.4)),
                              ("loaded", loaded(2)))["loaded"]
        self.assertEqual(found["sequential_source"], "the run on 1 rank of the experiment quiet, runs.jsonl:1")
        self.assertAlmostEqual(found["points"][1]["speedup_relative"], 8 / 8.4, 12)

    def test_it_is_not_taken_from_another_machine(self):
        alone = record(2.0, [rank(0, 2.0, 0.0, host="fast")])
        found = self.settings(("quiet", alone), ("quiet", quiet(2, 0.9)), ("loaded", loaded(2)))["loaded"]
        self.assertEqual((found["sequential_source"], found["points"][0]["E_relative"]), (None, None))

    def test_quotas_say_that_hosts_are_equal_whatever_their_names(self):
        alone = record(50.0, [rank(0, 5.0, 0.0, stolen_s=45.0, capacity=0.1, host="lab1")])
        slow = {"capacity": 0.1, "host": "lab2"}
        parallel = record(30.0, [rank(number, 2.5, 5.0, stolen_s=22.5, **slow) for number in range(2)], load=LOAD)
        found = self.settings(("quiet", alone), ("quiet", quiet(2, 0.9)), ("loaded", parallel))["loaded"]
        self.assertAlmostEqual(found["points"][0]["speedup_relative"], 50 / 30, 12)

    def test_its_own_sequential_run_comes_first(self):
        found = self.settings(("a", quiet(1, 1.0, 9.0)), ("a", quiet(2, 0.9)), ("b", quiet(1, 1.0)), ("b", quiet(2, 0.8)))["b"]
        self.assertEqual(found["sequential_source"], "the run on 1 rank, runs.jsonl:3")


class Isoefficiency(MetricsCase):
    def test_of_anything_but_sizes_is_refused(self):
        name = self.write(quiet(2, 0.6, scheduler="gss"), quiet(2, 0.9, 8.01, scheduler="send:3"))
        self.assert_refused("the runs differ in scheduler (for isoefficiency only the size of the problem may differ); "
                            "give the runs of one such setting", name, "--keep", "0.8")


class RanksMissing(MetricsCase):
    def test_rank_0(self):
        cut = quiet(3, 0.9)
        cut = {**cut, "workers": 2, "options": {**cut["options"], "workers": 2}, "ranks": cut["ranks"][1:]}
        self.assert_refused("runs.jsonl:1: the lowest rank is 1 (MPI's ranks begin at 0: some are missing); make the run again",
                            self.write(cut))

    def test_the_master(self):
        ranks = [rank(number, 8.0, 2.0) for number in range(2)]
        run = record(10.0, ranks, options={"master": "coordinates", "master_rank": 2})
        self.assert_refused("runs.jsonl:1: the master is not in 'ranks' (it only coordinates, as a rank of its own); make the "
                            "run again", self.write(run))
        alone = record(10.0, ranks[:1], options={"master": "coordinates"})  # on one rank the master works
        self.assertEqual(self.json_of(self.write(alone))["processors"], 1)

    def test_numbers_that_are_none(self):
        run = quiet(2, 0.9)
        run["ranks"][1]["rank"] = 2**31
        self.assert_refused("runs.jsonl:1: a rank's number is 2147483648 (at most 999999999); the file is damaged, or was not "
                            "written by loadshare", self.write(run))


class Names(MetricsCase):
    def test_control_characters_stay_off_the_terminal(self):
        done = self.metrics(self.write({**quiet(2, 0.9), "app": "a\x1b[2J\x7fb"}))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("a\\x1b[2J\\x7fb: "), done.stdout)


if __name__ == "__main__":
    unittest.main()
