"""`loadshare predict` as a user sees it, on records whose times are made."""

import json
import re
import subprocess
import unittest

from metrics_runs import lines
from predict_case import calibration, COLUMN_S, FREE, SPEEDS, TOOL, Case, chunks, run


class Predict(Case):
    BY_HAND = ("predict", "--iterations", "400", "--cost", "10ms", "--hosts", "1,0.45", "--costs", FREE)

    def test_a_loop_by_hand(self):
        told = self.json_of(*self.BY_HAND, "--scheduler", "send:4", "send:99", "--replicates", "1")
        by_spec = {one["scheduler"]: one for one in told["predictions"]}
        # What a farm itself costs is some 0.4 ms a chunk by messages, and as much again in naps.
        self.assertAlmostEqual(by_spec["send:size=4"]["makespan_s"], chunks(4)[1], delta=0.03)
        self.assertAlmostEqual(by_spec["send:size=99"]["makespan_s"], chunks(99)[1], delta=0.01)
        self.assertAlmostEqual(by_spec["send:size=4"]["work_bound_s"], 4 / 1.45, places=3)
        self.assertEqual(told["choice"]["scheduler"], "send:size=4")
        self.assertFalse(told["choice"]["is_tie"])

    def test_a_run_tells_the_cost_and_the_speeds(self):
        self.keep("runs.jsonl", run(4), run(20))
        told = self.json_of("predict", "runs.jsonl", "--costs", FREE, "--scheduler", "send:10", "--replicates", "1")
        self.assertAlmostEqual(told["predictions"][0]["makespan_s"], chunks(10)[1], delta=0.03)
        self.assertEqual([host["name"] for host in told["setting"]["hosts"]], ["node0", "node1"])
        self.assertEqual(told["setting"]["runs"], 2)

    def test_runs_differ_in_how_they_were_farmed_out(self):
        """Records that were made before there were such rules do not contain them."""
        words = "predict", "runs.jsonl", "--costs", FREE, "--scheduler", "send:10", "--replicates", "1"
        old, new = run(4), run(20)
        new["options"] |= {"copies": "never", "crash_limit": 5, "on_failure": "retry:times=3"}
        self.keep("runs.jsonl", old, new)
        self.assertEqual(self.json_of(*words)["setting"]["runs"], 2)

    def test_what_a_person_reads(self):
        done = self.tool(*self.BY_HAND, "--scheduler", "gss", "send:3", "--load", "on=1s,off=1s,phase=random")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("best: send:size=3, ", " (9 of 10 runs from ", "a tie, within 1 %: send:size=3 is the simplest; as good: gss",
                     "loop: 400 iterations on 2 ranks (1 of speed 0.45, 1 of speed 1), the master works on host1",
                     "the load on=1s,off=1s,phase=random", "9 of 10 from", "gss", "send:size=3", "bound",
                     "lower bounds for send:size=3: work "):
            self.assertIn(text, done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        self.assertRegex(self.tool(*self.BY_HAND, "--scheduler", "gss", "send:200").stdout,
                         r"^best: gss, .* % less than send:size=200, the next \(")

    def test_replicates_are_the_same_for_every_technique_and_run(self):
        words = (*self.BY_HAND, "--load", "on=1s,off=1s,phase=random", "--scheduler", "send:40", "gss:9")
        once, again = self.json_of(*words), self.json_of(*words)
        self.assertEqual(once["predictions"], again["predictions"])
        alone = self.json_of(*words[:-2], "gss:9")
        self.assertEqual(alone["predictions"][0], once["predictions"][1])
        makespans = once["predictions"][0]["makespans_s"]
        self.assertEqual(len(makespans), 30)
        self.assertGreater(len(set(makespans)), 15)
        self.assertLessEqual(once["predictions"][0]["low_s"], once["predictions"][0]["makespan_s"])

    def test_without_a_list_those_worth_trying_are_predicted(self):
        told = self.json_of(*self.BY_HAND)
        names = {one["scheduler"].split(":")[0] for one in told["predictions"]}
        self.assertEqual(names, {"send", "gss", "factoring", "tss", "adaptive", "static", "awf-c", "af", "steady"})

    def test_techniques_that_need_the_loops_times_know_them(self):
        told = self.json_of(*self.BY_HAND, "--scheduler", "fac", "tap", "fsc", "bold")
        self.assertEqual([one["scheduler"] for one in told["predictions"]], ["fac", "tap", "fsc", "bold"])

    def test_files_may_stand_behind_the_techniques(self):
        self.keep("runs.jsonl", run(4), run(20))
        self.keep("gss20", run(4), run(20))  # a name without an ending
        expected = self.json_of("predict", "runs.jsonl", "--costs", FREE, "--scheduler", "ss", "gss:9")["predictions"]
        for words in (("--scheduler", "ss", "gss:9", "runs.jsonl"), ("--scheduler", "ss", "gss:9", "./gss20"),
                      ("--scheduler", "ss", "--scheduler", "gss:9", "gss20"), ("--scheduler=ss", "--scheduler=gss:9", "gss20")):
            self.assertEqual(self.json_of("predict", "--costs", FREE, *words)["predictions"], expected)
        self.assert_refused(("predict", "--scheduler", "ss", "none.jsonl"), "cannot read none.jsonl (")
        self.assert_refused(("predict", "runs.jsonl", "--scheduler", "ss", "gsss"), "scheduler 'gsss'", "gss")

    def test_loops_of_any_number_of_chunks(self):
        for exponent in (9, 12):
            words = ("predict", "--iterations", str(10**exponent), "--cost", "10us", "--hosts", "4x1", "--scheduler", "ss",
                     "--replicates", "2")
            [told] = self.json_of(*words)["predictions"]
            self.assertGreater(told["chunks_at_once"], 1000)
            # Two messages for each chunk of another host, which keep the master busy for 50 us each.
            self.assertGreater(told["messages"], 10**exponent / 10)
            self.assertGreater(told["makespan_s"], told["messages"] * 50e-6)
            text = self.tool(*words).stdout
            self.assertIn("note: chunks that one worker gets in a row were simulated in bundles", text)
            self.assertIn("ss (up to ", text)
        [few] = self.json_of(*self.BY_HAND, "--scheduler", "ss")["predictions"]
        self.assertEqual(few["chunks_at_once"], 1)

    def test_bundled_chunks_take_as_long(self):
        """Just below and just above the number from which chunks are bundled."""
        def seconds(iterations):
            [told] = self.json_of("predict", "--iterations", str(iterations), "--cost", "200us", "--hosts", "1,0.45,3",
                                  "--scheduler", "ss", "--replicates", "1")["predictions"]
            return told["makespan_s"] / iterations, told["chunks_at_once"]
        (exact_s, one), (bundled_s, some) = seconds(2**18), seconds(2**18 + 1)
        self.assertEqual(one, 1)
        self.assertGreater(some, 1)
        self.assertAlmostEqual(bundled_s / exact_s, 1, delta=0.002)

    def test_how_many_hosts(self):
        words = ("predict", "--iterations", "400", "--cost", "10ms", "--hosts", "1,1,1,0.01", "--costs", FREE,
                 "--scheduler", "send:1", "--replicates", "1", "--how-many")
        rows = self.json_of(*words)["host_counts"]
        self.assertEqual([row["hosts"] for row in rows], [1, 2, 3, 4])
        self.assertEqual([row["scheduler"] for row in rows], ["send:size=1"] * 4)
        self.assertAlmostEqual(rows[0]["makespan_s"], 4, delta=0.05)
        self.assertAlmostEqual(rows[1]["gain"], 0.5, delta=0.02)
        self.assertLess(rows[3]["gain"], 0.3)
        self.assertIn("3 hosts are enough: within 5 % of the best", self.tool(*words).stdout)

    def test_the_masters_host_is_among_the_few(self):
        rows = self.json_of("predict", "--iterations", "400", "--cost", "10ms", "--hosts", "1,1,4", "--master-rank", "2",
                            "--costs", FREE, "--scheduler", "send:1", "--replicates", "1", "--how-many")["host_counts"]
        self.assertAlmostEqual(rows[0]["makespan_s"], 1, delta=0.05)

    def test_a_load_stays_on_its_host(self):
        def rows(*words):
            return self.json_of("predict", "--iterations", "400", "--cost", "10ms", "--hosts", "1,1,1", "--master-rank", "2",
                                "--costs", FREE, "--scheduler", "send:1", "--replicates", "1", "--how-many",
                                *words)["host_counts"]
        alone, beside = rows(), rows("--load", "constant,share=0.5,where=2")
        self.assertAlmostEqual(beside[0]["makespan_s"] / alone[0]["makespan_s"], 2, delta=0.05)

    def test_what_was_not_measured_is_said(self):
        words = ("predict", "--iterations", "400", "--cost", "10ms", "--hosts", "1,0.5")
        self.assertIn("\ncaution: assuming messages as on Ethernet of 100 Mbit/s, because their cost was not measured; run\n",
                      self.tool(*words).stdout)
        self.assert_refused((*words, "--strict"), "no calibration for these hosts (", "loadshare calibrate")

    def test_each_pair_of_hosts_costs_what_it_was_measured_to(self):
        (self.folder / "all.json").write_text(calibration(("n1", "n2", "n3"), (1e8, 1e7)))
        def makespan_s(*hosts):
            words = ("--iterations", "100", "--cost", "1us", "--input-bytes", "1000000", "--hosts",
                     ",".join(f"{host}=1" for host in hosts), "--master", "coordinates", "--calibration", "all.json", "--strict")
            (told,) = self.json_of("predict", *words, "--scheduler", "send:10", "--replicates", "1")["predictions"]
            return told["makespan_s"]
        self.assertAlmostEqual(makespan_s("n1", "n2"), 1, delta=0.05)  # 100 MB at 100 MB/s
        self.assertAlmostEqual(makespan_s("n1", "n3"), 10, delta=0.5)
        self.assertLess(makespan_s("n1", "n2", "n3"), 2)  # n3 is handed little

    def test_messages_beyond_what_was_measured_are_said(self):
        (self.folder / "all.json").write_text(calibration(("n1", "n2"), (1e8,)))
        words = ("predict", "--iterations", "100", "--cost", "1us", "--input-bytes", "1000000", "--hosts", "n1=1,n2=1",
                 "--master", "coordinates", "--calibration", "all.json", "--scheduler")
        self.assertNotIn("extrapolated", self.tool(*words, "send:10").stdout)
        note = "extrapolated: messages of 20,000,000 bytes (measured: 0 to 10,000,000)"
        self.assertIn(note, self.json_of(*words, "send:20")["notes"])

    def test_strict_asks_for_all_hosts_to_be_measured_with_the_master(self):
        (self.folder / "all.json").write_text(calibration(("n1", "n2", "n3"), (1e8, 1e7)))
        words = ("predict", "--iterations", "100", "--cost", "1ms", "--calibration", "all.json", "--hosts")
        note = "the calibration is of n1, n2, n3: messages between n2 and n3 may take different times"
        self.assertIn(note, self.tool(*words, "n2=1,n3=1").stdout)
        self.assert_refused((*words, "n2=1,n3=1", "--strict"), "all.json does not cover all hosts (" + note)
        self.assert_refused((*words, "n1=1,n2=1,n4=1", "--strict"), "between n1 and n4 may")
        self.assertEqual(self.tool(*words, "n1=1,n2=1,n3=1", "--strict").returncode, 0)

    def test_hosts_of_a_run_on_one_host_share_its_memory(self):
        one = run(4)
        for row in one["ranks"]:
            row["host"] = "node0"
        one["loop"]["input_bytes"] = 10**9  # by Ethernet it would take 80 s
        self.keep("one.jsonl", one)
        words = ("predict", "one.jsonl", "--hosts", "4x1", "--how-many")
        told = self.json_of(*words)
        self.assertTrue(all(row["gain"] >= 0 for row in told["host_counts"]), told["host_counts"])
        self.assertEqual({one["messages"] for one in told["predictions"]}, {0})
        lines = self.tool(*words).stdout.splitlines()
        self.assertTrue(any(line.startswith("caution: assuming no network, because all recorded ranks were on node0; give") for line in lines), lines)
        by_ethernet = self.tool(*words[:3], "a=1,b=1").stdout.splitlines()
        self.assertTrue(any(line.startswith("caution: assuming messages as on Ethernet") for line in by_ethernet), by_ethernet)
        self.assertNotIn("caution", self.tool("predict", "one.jsonl").stdout)

    def test_one_chunk_tells_nothing_of_places(self):
        whole = run(400)
        guess = ("caution: assuming that all iterations cost about the same, because one chunk was the whole loop; record a run "
                 "with more chunks")
        self.keep("one.jsonl", whole)
        text = self.tool("predict", "one.jsonl", "--costs", FREE, "--scheduler", "gss").stdout
        self.assertIn(guess, " ".join(text.split()))
        self.assertIn("the cost of iterations was measured in chunks of 400 iterations", " ".join(text.split()))
        self.keep("two.jsonl", whole, run(4))
        text = self.tool("predict", "two.jsonl", "--costs", FREE, "--scheduler", "gss").stdout
        self.assertNotIn("one chunk was", text)
        self.assertIn("the cost of iterations was measured in chunks of 4 to 400 iterations", " ".join(text.split()))

    def test_unequal_iterations_cost_their_mean(self):
        parts = [1.0] * 200 + [3.0] * 200
        uneven = run(4)
        uneven["loop"]["work"] = parts
        for chunk in uneven["chunks"]:
            chunk["cpu_s"] *= parts[chunk["first"]]
        self.keep("uneven.jsonl", uneven)
        told = self.json_of("predict", "uneven.jsonl", "--costs", FREE, "--scheduler", "gss", "--replicates", "1")
        total_s = sum(chunk["cpu_s"] for chunk in uneven["chunks"])
        self.assertAlmostEqual(told["setting"]["iteration_s"] / (total_s / 400), 1, delta=0.5)
        text = self.tool("predict", "uneven.jsonl", "--costs", FREE, "--scheduler", "gss").stdout
        self.assertIn(" ms of processor time on average (the costs are unequal), according to 1 run", text)

    def test_candidates_race(self):
        words = ("predict", "--iterations", "20000", "--cost", "1ms", "--hosts", "8x1", "--costs", FREE, "--load",
                 "on=0.3s,off=0.2s,phase=random")
        told = self.json_of(*words)
        runs = {len(one["makespans_s"]) for one in told["predictions"]}
        self.assertIn(30, runs)
        self.assertIn(1, runs)
        level = set(told["choice"]["level"])
        best_s = min(one["makespan_s"] for one in told["predictions"])
        for one in told["predictions"]:
            if len(one["makespans_s"]) < 30:
                self.assertIsNone(one["low_s"])
                self.assertGreater(one["makespan_s"], 1.0099 * best_s)
                self.assertNotIn(one["scheduler"], level)
        text = self.tool(*words, "--all").stdout
        self.assertIn("(no interval: stopped early, because it was more than 1 % slower than the best)", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_the_answer_comes_first(self):
        self.keep("runs.jsonl", run(4), run(20))
        words = ("predict", "runs.jsonl", "--costs", FREE)
        choice = self.json_of(*words)["choice"]["scheduler"]
        few, every = (self.tool(*words, *more).stdout.splitlines() for more in ((), ("--all",)))
        self.assertRegex(few[0], rf"^recommended: {choice}, .* (less|more|about as long as)")
        table = few.index(next(line for line in few if line.startswith("scheduler ")))
        self.assertTrue(few[table + 1].startswith(choice), few)
        more = next(line for line in few if line.endswith(" more schedulers: --all shows them"))
        self.assertLessEqual(few.index(more) - table, 7)
        count = len(self.json_of(*words)["predictions"])
        self.assertEqual(int(more.split()[0]), count - 5)
        rows = every[every.index(next(line for line in every if line.startswith("scheduler "))) + 1:]
        self.assertEqual(next(i for i, line in enumerate(rows) if not re.search(r" (work|network|master|last chunk)$", line)), count)
        self.assertNotIn("--all", "\n".join(every))

    def test_the_recommendation_is_compared_with_the_last_run(self):
        self.keep("runs.jsonl", run(4), run(200))
        text = " ".join(self.tool("predict", "runs.jsonl", "--costs", FREE).stdout.split())
        self.assertRegex(text, r"^recommended: .* \d+\.\d % less than send:size=200, the scheduler of the last run \(")
        by_hand = " ".join(self.tool(*self.BY_HAND).stdout.split())
        self.assertRegex(by_hand, "^recommended: .* gss, the default")

    def test_records_from_stdin(self):
        words = (TOOL, "predict", "-", "--costs", FREE, "--scheduler", "send:10", "--json", "-")
        done = subprocess.run(words, input=lines(run(4), run(20)), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["setting"]["runs"], 2)

    def test_a_picture(self):
        done = self.tool(*self.BY_HAND, "--scheduler", "gss", "--plot", "g.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "g.png").read_bytes()[:4], b"\x89PNG")

    def test_bad_input(self):
        self.keep("empty.jsonl")
        self.keep("wrong.jsonl", run(4, verified=False))
        self.keep("old.jsonl", {key: value for key, value in run(4).items() if key != "loop"})
        self.keep("two.jsonl", run(4), run(4, iterations=500))
        self.keep("other.jsonl", run(4), run(4, app="a", options={"blas_threads": 1}))
        self.keep("neighbours.jsonl", run(4), run(4, loop={**run(4)["loop"], "result_bytes": 7}))
        self.keep("untimed.jsonl", run(4, chunks=[]))
        self.keep("far.jsonl", run(4, chunks=[chunks(4)[0][0] | {"first": 1e300}]))
        self.keep("nobody.jsonl", run(4, chunks=[chunks(4)[0][0] | {"worker": -1}]))
        damaged = {"size": 0, "cpu_s": -1, "begun_s": 1e300, "ended_s": -2, "waited_s": 7}
        for key, value in damaged.items():
            self.keep(f"{key}.jsonl", run(4, chunks=[chunks(4)[0][0] | {key: value}]))
        self.keep("work.jsonl", run(4, loop={**run(4)["loop"], "work": [1, 2, 3]}))
        self.keep("nothing.jsonl", run(4) | {"makespan_s": 0})
        for words, *parts in (
                (("predict",), "no loop to predict ("),
                (("predict", "none.jsonl"), "cannot read none.jsonl ("),
                (("predict", "empty.jsonl"), "empty.jsonl holds no runs (it is empty)"),
                (("predict", "wrong.jsonl"), "the run's result is wrong"),
                (("predict", "old.jsonl"), "a record does not contain the sizes of input and results (", "record the run again"),
                (("predict", "two.jsonl"), "the runs are of different loops (iterations: 500, not 400)"),
                (("predict", "neighbours.jsonl"), "the runs are of different loops (bytes of input and results: ", " and 7, not "),
                (("predict", "other.jsonl"), "the runs are of different loops (program: a, not synthetic)"),
                (("predict", "untimed.jsonl"), "no run shows what an iteration costs ("),
                (("predict", "far.jsonl"), "far.jsonl:1: a chunk is damaged (its 'first' is 1e+300)"),
                (("predict", "nobody.jsonl"), "nobody.jsonl:1: a chunk is damaged (its 'worker' is -1)"),
                *((("predict", f"{key}.jsonl"), f"{key}.jsonl:1: a chunk is damaged (its '{key}' is {value:g})")
                  for key, value in damaged.items()),
                (("predict", "work.jsonl"), "work.jsonl:1: 'work' of its loop has 3 parts (400 iterations have 400)"),
                (("predict", "nothing.jsonl"), "nothing.jsonl:1: the run time is 0 s (a run without duration cannot be evaluated)"),
                (("predict", self.keep("good.jsonl", run(4)), "--cost", "1h"), "--cost is given together with records ("),
                ((*self.BY_HAND, "--scheduler", "gsss"), "unknown scheduler 'gsss'", "gss"),
                ((*self.BY_HAND, "--replicates", "0"), "--replicates is 0"),
                ((*self.BY_HAND, "--master-rank", "2"), "the master is rank 2 ("),
                ((*self.BY_HAND, "--master", "rests"), "--master"),
                ((*self.BY_HAND, "--prefetch", "-1"), "--prefetch is -1"),
                ((*self.BY_HAND, "--plot", "g.gif"), "--plot is 'g.gif'"),
                (("predict", "--iterations", "9", "--cost", "1ms"), "no hosts ("),
                (("predict", "--iterations", "9", "--cost", "-1ms", "--hosts", "1"), "--cost is '-1ms'"),
                (("predict", "--iterations", "9", "--cost", "1ms", "--hosts", "1,0"), "speed"),
                (("predict", "--iterations", "9", "--cost", "1ms", "--hosts", "1", "--master", "coordinates"),
                 "there is no worker")):
            with self.subTest(words=words):
                self.assert_refused(words, *parts)


if __name__ == "__main__":
    unittest.main()
