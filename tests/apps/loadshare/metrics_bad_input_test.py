"""`loadshare metrics` on what it must refuse: error text, exit code."""

import unittest

from metrics_case import MetricsCase
from metrics_runs import lines, quiet


class BadInput(MetricsCase):
    GOOD = quiet(2, 0.9)

    def assert_record_refused(self, text, changed):
        self.assert_refused(f"runs.jsonl:2: {text}", self.write(quiet(2, 0.8), changed))

    def without(self, key):
        return {name: value for name, value in self.GOOD.items() if name != key}

    def with_rank(self, **fields):
        return {**self.GOOD, "ranks": [self.GOOD["ranks"][0], {**self.GOOD["ranks"][1], **fields}]}

    DAMAGED = "the file is damaged, or was not written by loadshare"

    def test_files(self):
        self.assert_refused("cannot read none.jsonl (no such file or directory)", "none.jsonl")
        (self.folder / "empty").write_text("")
        self.assert_refused("empty holds no runs (it is empty); give what a program wrote with --json, or a profile", "empty")
        (self.folder / "folder").mkdir()
        self.assert_refused("folder is not a sweep's folder (it has no runs.jsonl); name a file, or the folder that "
                            "loadshare sweep wrote", "folder")
        give = "give what a program wrote with --json, a sweep's folder, or a profile"
        (self.folder / "text").write_text("hello\n")
        self.assert_refused(f"text:1: this line is not JSON (a record is one line); {give}", "text")
        (self.folder / "other").write_text('{"schema": 1, "sizes": []}\n')
        self.assert_refused(f"other:1: this is not a run record (it lacks schema, makespan_s or ranks); {give}", "other")

    def test_a_torn_last_line_is_told_and_a_torn_one_before_is_refused(self):
        whole = lines(self.GOOD)
        (self.folder / "a").write_text(whole + whole[:300])
        self.assertTrue(self.metrics("a").stdout.endswith("note  a:2: left out, because the line is incomplete\n"))
        (self.folder / "b").write_text(whole[:300] + "\n" + whole)
        self.assertRegex(self.metrics("b").stderr, r"^loadshare: b:1: this line is not JSON ")
        (self.folder / "c").write_text(whole[:300])
        self.assert_refused("c holds no runs (c:1: left out, because the line is incomplete); give what a program wrote with --json, or a profile",
                            "c")

    def test_another_schema(self):
        self.assert_record_refused("a record of schema 2 (this program reads 1); use the loadshare that wrote it",
                                   {**self.GOOD, "schema": 2})
        self.assert_refused("s:1: a sweep's run of schema 3 (this program reads 1); use the loadshare that wrote it",
                            self.write({"schema": 3, "record": self.GOOD}, name="s"))

    def test_fields(self):
        self.assert_record_refused(f"the record has no 'workers' (every record has one); {self.DAMAGED}",
                                   self.without("workers"))
        self.assert_record_refused(f"rank 1 has no 'host' (every record has one); {self.DAMAGED}", {
            **self.GOOD, "ranks": [self.GOOD["ranks"][0],
                                   {key: value for key, value in self.GOOD["ranks"][1].items() if key != "host"}]})
        self.assert_record_refused(f"'computing_s' of rank 1 is -1 (times are not negative); {self.DAMAGED}",
                                   self.with_rank(computing_s=-1.0))
        self.assert_record_refused(f"'stolen_s' of rank 1 is \"0\" (it must be a time in seconds); {self.DAMAGED}",
                                   self.with_rank(stolen_s="0"))
        self.assert_record_refused(f"'capacity' of rank 1 is 0 (it is more than 0 and at most 1); {self.DAMAGED}",
                                   self.with_rank(capacity=0.0))
        self.assert_record_refused(f"unknown role 'boss' (it must be worker, master, working master or peer); {self.DAMAGED}",
                                   self.with_rank(role="boss"))
        self.assert_record_refused(f"only some ranks have an idle time (the ranks are of different runs); "
                                   f"{self.DAMAGED}", self.with_rank(idle_s=None))

    def test_ranks(self):
        again = "make the run again"
        self.assert_record_refused(f"1 of 2 workers are in 'ranks' (ranks are missing or too many); {again}",
                                   {**self.GOOD, "ranks": self.GOOD["ranks"][:1]})
        self.assert_record_refused(f"a rank appears twice (runs are mixed up); {again}", self.with_rank(rank=0))
        self.assert_record_refused("the numbers of the ranks have gaps (some ranks are missing, or belong to another run); "
                                   f"{again}",
                                   self.with_rank(rank=2))
        self.assert_record_refused(f"'workers' is 2, but 3 among the options (runs are mixed up); {again}",
                                   {**self.GOOD, "options": {"workers": 3}})

    def test_times(self):
        self.assert_record_refused("the run time is 0 s (a run without duration cannot be evaluated); make the problem "
                                   "larger", {**self.GOOD, "makespan_s": 0.0})
        self.assert_record_refused("the times of rank 1 add up to 90.00 % of the run time, not to 100 % (a difference of 1 % is "
                                   "allowed; every figure would be wrong by as much); run it again",
                                   self.with_rank(idle_s=0.0))

    def test_the_same_run_twice(self):
        name = self.write(self.GOOD, quiet(2, 0.8), self.GOOD)
        self.assert_refused("runs.jsonl:3 is the same run as runs.jsonl:1 (each run counts once); give each run once", name)
        self.assert_refused("./runs.jsonl is given twice (each run counts once); name it once", name, f"./{name}")

    def test_options(self):
        name = self.write(self.GOOD)
        self.assert_refused("--t-real is '1s' (it must be a number); write it as 12.5", name, "--t-real", "1s")
        self.assert_refused("--speeds is 0 (it must be more than 0)", name, "--speeds", "1,0")
        self.assert_refused("--speeds has 3 speeds (the largest run has 2 ranks); give one for each of its ranks", name,
                            "--speeds", "1,1,3")
        self.assert_refused("there is no rank 2 (the ranks of the largest run are 0 to 1); name another as the reference", name,
                            "--reference-rank", "2")
        self.assert_refused("all runs are of one problem size (isoefficiency needs at least two); give more files", name,
                            "--keep", "0.8")
        for kept in ("0", "1", "2", "80"):
            self.assert_refused(f"the efficiency to keep is {kept} (it must be more than 0 and less than 1); give 0.8 for "
                                "80 %", name, "--keep", kept)
        two = self.write(self.GOOD, quiet(2, 0.9, options={"size": 2}))
        self.assert_refused("one sequential time is given for 2 settings (it is the time of one problem); give the "
                            "files of one setting at a time", two, "--t-real", "3")

    def test_outputs_are_no_inputs(self):
        name = self.write(self.GOOD)
        done = self.metrics(name, "--json", name)
        self.assertEqual(done.returncode, 2)
        self.assertEqual((self.folder / name).read_text(), lines(self.GOOD))

    def test_outputs_are_not_what_a_sweep_keeps_in_its_folder(self):
        (self.folder / "sweep").mkdir()
        self.write(self.GOOD, name="sweep/runs.jsonl")
        (self.folder / "sweep/sweep.json").write_text("{}")
        for name in ("runs.jsonl", "sweep.json"):
            self.assert_refused(f"FILE and --json are the same file (sweep/{name}); name another file", "sweep", "--json",
                                f"sweep/{name}")
        self.assertEqual((self.folder / "sweep/runs.jsonl").read_text(), lines(self.GOOD))
        self.assert_refused("sweep/runs.jsonl is given twice (each run counts once); name it once", "sweep", "sweep/runs.jsonl")


if __name__ == "__main__":
    unittest.main()
