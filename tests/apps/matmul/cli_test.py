"""matmul as a user runs it, in one process: products, records, error texts, exit codes."""

import contextlib
import itertools
import json
import os
import subprocess
import unittest

import numpy as np

from exact_matrices import whole_numbers
from matmul_cli import MatmulCase

SCHEDULERS = ("send", "send:5", "gss", "gss:14,min=2", "factoring:40", "tss:40,2", "tss:first=9,last=1", "adaptive:3,1,9")


class Products(MatmulCase):
    SHAPES = ((0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0), (1, 1, 1), (1, 64, 7), (128, 1, 1), (65, 70, 33), (130, 67, 129))

    def test_every_shape_type_and_order(self):
        for shape, dtype, orders in itertools.product(self.SHAPES, ("float64", "float32"), ("CC", "FF", "CF")):
            with self.subTest(shape=shape, dtype=dtype, orders=orders):
                self.assert_product(shape, "--workers", 3, dtype=dtype, orders=orders)

    def test_every_scheduler_and_kernel(self):
        for scheduler, kernel in itertools.product(SCHEDULERS, ("packed", "blas", "naive")):
            with self.subTest(scheduler=scheduler, kernel=kernel):
                self.assert_product((67, 41, 95), "--scheduler", scheduler, "--kernel", kernel, "--workers", 3)

    def test_every_way_of_running(self):
        for words in (["--prefetch", 4], ["--reissue"], ["--reissue", "--prefetch", 4], ["--wait", "spin"],
                      ["--wait", "yield"], ["--wait", "nap"], ["--workers", 1], ["--workers", 40], ["--verify", "full"],
                      ["--verify", "none"], ["--progress", "lines"], ["--progress", "none"]):
            with self.subTest(words=words):
                self.assert_product((33, 20, 17), *words, dtype="float32", orders="FC")

    def test_one_core_and_many_blas_threads(self):
        core = {min(os.sched_getaffinity(0))}
        done = self.run_program("--size", 60, "--kernel", "blas", "--workers", 2, "--json", "-",
                                env={**os.environ, "OPENBLAS_NUM_THREADS": "8"},
                                preexec_fn=lambda: os.sched_setaffinity(0, core))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["options"]["blas_threads"], 1)

    def test_workers_follow_the_control_groups_quota(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("there is one processor, and no quota leaves less of it")
        group = self.group_of_half_a_processor()

        def enter():
            with open(os.path.join(group, "cgroup.procs"), "w") as processes:
                processes.write(str(os.getpid()))

        note = (f"{os.uname().nodename} has 1 worker, because its control group grants the time of 0.5 of its "
                f"{len(os.sched_getaffinity(0))} processors (--workers sets another number)")
        record = self.record("--size", 60, preexec_fn=enter)
        self.assertEqual((record["workers"], record["notes"].count(note)), (1, 1), record["notes"])
        record = self.record("--size", 60, "--workers", 2, preexec_fn=enter)
        self.assertEqual((record["workers"], record["notes"].count(note)), (2, 0))

    def group_of_half_a_processor(self):
        """Makes a control group of version 1 or 2 for this test; skips the test if that fails."""
        for top, limits in (("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000"}),
                            ("/sys/fs/cgroup", {"cpu.max": "50000 100000"})):
            group = os.path.join(top, f"loadshare-test-{os.getpid()}")
            try:
                os.mkdir(group)
            except OSError:
                continue
            self.addCleanup(os.rmdir, group)
            with contextlib.suppress(OSError):
                for name, limit in limits.items():
                    with open(os.path.join(group, name), "r+") as file:
                        file.write(limit)
                return group
        return self.skipTest("no control group can be made here")

    def test_requested_kernels_of_a_blas_are_reported(self):
        record = self.record("--size", 60, "--kernel", "blas", env={**os.environ, "OPENBLAS_CORETYPE": "Nehalem"})
        self.assertIn(" Nehalem ", record["versions"]["blas"])
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            has_wider_vectors = " avx " in file.read()
        notes = [note for note in record["notes"] if "runs its Nehalem kernels, as OPENBLAS_CORETYPE asks: " in note]
        self.assertEqual(len(notes), 1 if has_wider_vectors else 0)

    def test_the_product_may_replace_an_older_one_but_no_input(self):
        a, b = (whole_numbers((30, 30), "float64", seed=seed) for seed in (1, 2))
        names = ["A b.npy", "Bü.npy", "C é.npy"]
        for name, matrix in zip(names, (a, b, a)):
            np.save(self.path(name), matrix)
        self.assert_good(self.run_program("--a", names[0], "--b", names[1], "--c", names[2], cwd=self.directory))
        np.testing.assert_array_equal(np.load(self.path(names[2])), a @ b)
        self.assert_refused(("--a", names[0], "--b", names[1], "--c", names[0]),
                            "--a and --c are the same file (A b.npy); name another file", cwd=self.directory)
        np.testing.assert_array_equal(np.load(self.path(names[0])), a)
        self.assertEqual(self.files(), sorted(names))


class Reports(MatmulCase):
    def test_a_record_says_how_the_run_went(self):
        record = self.record("--rows", 300, "--inner", 400, "--cols", 90, "--scheduler", "send:9", "--workers", 2,
                             "--kernel", "naive", "--seed", 7, "--verify", "full")
        self.assertEqual((record["scheduler"], record["workers"], record["iterations"]), ("send:size=9", 2, 90))
        self.assertEqual((record["verified"], record["seed"], record["transport"]), (True, 7, "threads"))
        self.assertEqual(record["operations"], 2.0 * 300 * 400 * 90)
        self.assertEqual([chunk["size"] for chunk in record["chunks"]], [9] * 10)
        self.assertEqual((record["options"]["kernel"], record["findings"]), ("naive", {}))

    def test_record_and_summary_say_in_which_blocks(self):
        done = self.assert_good(self.run_program("--size", 300, "--workers", 2, "--json", self.path("run.jsonl")))
        with open(self.path("run.jsonl")) as file:
            blocks = json.load(file)["findings"]["blocks"]
        self.assertRegex(blocks, r"\A64 x [36] x \d+, at most \d+ columns a pass\Z")
        self.assertRegex(done.stdout, rf"(?m)^blocks +{blocks}$")

    def test_narrow_chunks_may_be_computed_together(self):
        for words in ([], ["--work", 2], ["--reissue"]):
            with self.subTest(words=words):
                self.assert_product((130, 67, 90), "--scheduler", "send:3", "--prefetch", 4, "--workers", 2, *words)

    def test_auto_says_what_it_chose(self):
        for words in ([], ["--prefetch", 2], ["--reissue"]):
            with self.subTest(words=words):
                record = self.record("--size", 400, "--kernel", "naive", "--workers", 2, "--scheduler", "auto", *words)
                self.assertEqual((record["scheduler"], record["verified"]), ("auto", True))
                choice = record["choice"]
                self.assertIn(choice["scheduler"], choice["level"])
                self.assertIn(choice["scheduler"].split(":")[0], ("send", "gss", "factoring", "tss", "adaptive", "static", "awf-c", "af", "steady"))
                if choice["tried"] > 0:  # the choice was not interrupted for all of its time
                    self.assertGreater(choice["predicted_s"], choice["survey_s"])
                self.assertLessEqual(choice["tried"], choice["candidates"])

    def test_auto_of_a_loop_that_is_too_short_to_choose(self):
        for size in (0, 1):
            record = self.record("--size", size, "--workers", 3, "--scheduler", "auto:budget=2")
            self.assertEqual((record["choice"]["scheduler"], record["choice"]["tried"]), ("steady", 0))
        self.assertIn("auto", self.run_program("--scheduler", "help").stdout)

    def test_every_way_of_running_is_accounted_for(self):
        for words in (["--size", 0], ["--size", 1], ["--cols", 2, "--workers", 5], ["--reissue"], ["--prefetch", 4],
                      ["--scheduler", "send:1", "--type", "float32"], ["--verify", "none"]):
            with self.subTest(words=words):
                record = self.record(*([] if "--size" in words else ["--rows", 200, "--inner", 300]), *words)
                self.assertEqual(record["verified"], None if "none" in words else True)

    def test_work_gives_the_same_product(self):
        self.assert_product((67, 41, 95), "--work", 3, "--workers", 2)

    def test_lines_are_appended(self):
        for _ in range(2):
            self.assert_good(self.run_program("--size", 9, "--json", self.path("runs.jsonl")))
        with open(self.path("runs.jsonl")) as file:
            self.assertEqual([json.loads(line)["iterations"] for line in file], [9, 9])

    def test_a_pipe_needs_a_reader(self):
        os.mkfifo(self.path("pipe"))
        done = self.run_program("--size", 20, "--json", self.path("pipe"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"error: cannot append the JSON line to {self.path('pipe')} (it is a pipe that no process reads); "
                                      "start its reader first, or name a file\n")
        with subprocess.Popen(["cat", self.path("pipe")], stdout=subprocess.PIPE, text=True) as reader:
            self.assertEqual(self.run_program("--size", 20, "--json", self.path("pipe")).returncode, 0)
            self.assertEqual(json.loads(reader.communicate()[0])["app"], "matmul")

    def test_a_trace_is_json(self):
        self.assert_good(self.run_program("--size", 50, "--workers", 2, "--trace", self.path("trace.json")))
        with open(self.path("trace.json")) as file:
            events = json.load(file)["traceEvents"]
        self.assertTrue(any(event["ph"] == "X" for event in events))

    def test_the_summary(self):
        done = self.assert_good(self.run_program("--size", 40, "--scheduler", "gss:3", "--workers", 2))
        self.assertRegex(done.stdout, r"\Amatmul: 40 columns by gss:divisor=3 on 2 workers, 1 host \(threads\)\n\n"
                                      r"rank  host .*\n(.*\n){3}\nmakespan +\S+ \w+\nspeed +\S+ .FLOP/s\n"
                                      r"efficiency  .*\nlost +.*\n(?s:.*)verified    yes\n")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_help_and_version(self):
        done = self.assert_good(self.run_program("--help"))
        for default in ("--size N=720", "--type TYPE=float64", "--seed N=1", "--scheduler SPEC=gss", "--workers N=0",
                        "--master MODE=works", "--master-rank RANK=0", "--prefetch N=0", "--wait HOW=auto",
                        "--progress HOW=auto", "--ranks-per-host N=0", "--kernel NAME=packed", "--work N=1",
                        "--verify HOW=freivalds"):
            self.assertIn(default + " ", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 110)
        self.assertRegex(self.assert_good(self.run_program("--version")).stdout, r"\A\d+\.\d+\.\d+ \(.+, \w+\)\n\Z")
        done = self.assert_good(self.run_program("--scheduler", "help"))
        for name in ("send:size", "gss:divisor", "factoring:first", "tss:first", "adaptive:size"):
            self.assertRegex(done.stdout, rf"(?m)^{name}")


class Refusals(MatmulCase):
    def test_a_core_type_that_no_blas_has(self):
        env = {**os.environ, "OPENBLAS_CORETYPE": "Skylake"}
        done = self.run_program("--size", 9, "--kernel", "blas", env=env)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aerror: unknown OPENBLAS_CORETYPE 'Skylake' \(valid: .*\)")
        self.assert_good(self.run_program("--size", 9, env=env))  # the kernel `packed` needs none

    def test_words(self):
        for words, text in (
            (["--scheduler", "gsss"], "unknown scheduler 'gsss' (valid: send, gss, factoring, tss, adaptive, static, ss, fsc, mfsc, "
             "fac2, fac, wf, tap, tfss, fiss, viss, pls, rnd, bold, awf, awf-b, awf-c, awf-d, awf-e, af, maf, steady, auto); did you mean 'gss'?"),
            (["--scheduler", "gss:divsor=3"],
             "scheduler gss: unknown parameter 'divsor' (valid: divisor, min, round); did you mean 'divisor'?"),
            (["--scheduler", "send:0"], "scheduler send: size is '0' (it is too small); give at least 1"),
            (["--kernel", "packd"], "unknown kernel 'packd' (valid: packed, blas, naive); did you mean 'packed'?"),
            (["--wait", "nape"], "unknown --wait 'nape' (valid: spin, yield, nap, auto); did you mean 'nap'?"),
            (["--progress", "line"], "unknown --progress 'line' (valid: auto, bar, lines, none); did you mean 'lines'?"),
            (["--master", "work"], "unknown --master 'work' (valid: works, coordinates); did you mean 'works'?"),
            (["--verify", "ful"], "unknown --verify 'ful' (valid: freivalds, full, none); did you mean 'full'?"),
            (["--type", "float16"], "unknown --type 'float16' (valid: float64, float32); did you mean 'float64'?"),
            (["--sise", "4"], "unknown option '--sise'; did you mean '--size'?"),
            (["--bogus=4"], "unknown option '--bogus'; see --help"),
            (["-x"], "unknown option '-x'; see --help"),
            (["extra"], "unexpected argument 'extra'; see --help"),
            (["--size"], "--size has no value (it needs one, as in --size N); see --help"),
            (["--size", "1", "--size=2"], "--size is given 2 times; give it once"),
            (["--c="], "--c has an empty value (perhaps a shell variable is not set); give a value, or leave the option out"),
            (["--c", ""], "--c has an empty value (perhaps a shell variable is not set); give a value, or leave the option out"),
        ):
            with self.subTest(words=words):
                self.assert_refused(words, text)

    def test_numbers(self):
        for words, text in (
            (["--size", "-5"], "--size is -5 (at least 0)"),
            (["--cols", "1e3"], "--cols is '1e3' (it must be a whole number)"),
            (["--size", "9" * 20], f"--size is {'9' * 20} (it is too large to count with)"),
            (["--seed", "-1"], "--seed is -1 (at least 0)"),
            (["--work", "0"], "--work is 0 (at least 1)"),
            (["--work", "2.5"], "--work is '2.5' (it must be a whole number)"),
            (["--prefetch", "1000000"], "cannot prefetch 1000000 chunks (from 0 to 1024)"),
            (["--workers", "5000"], "cannot use 5000 workers (from 1 to 4096 threads, or 0 for one per granted processor)"),
            (["--workers", "-1"], "--workers is -1 (at least 0)"),
            (["--master-rank", "7"], "--master-rank is 7 (there are no ranks without mpirun); leave it out"),
            (["--size", "9", "--spoil", "9"], "--spoil is 9 (the product has 9 columns, from 0)"),
            (["--size", "9", "--fail-at", "10"], "--fail-at is 10 (the product has 9 columns, from 0)"),
        ):
            with self.subTest(words=words):
                self.assert_refused(words, text)

    def test_a_leading_zero_is_no_octal_number(self):
        self.assertEqual(self.record("--size", "010")["iterations"], 10)

    def test_data_that_do_not_fit_into_memory(self):
        done = self.run_program("--size", 10**6, "--c", self.path("C.npy"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Aerror: the product of a 1000000 x 1000000 and a 1000000 x 1000000 matrix needs "
                                      r"21\.8 TiB of memory \(\S+ [KMG]iB are available .*\); use smaller matrices")
        self.assertEqual(self.files(), [])

    def test_matrices(self):
        a, b, bad, short, text, c = (self.path(n) for n in ("A.npy", "B.npy", "I.npy", "short.npy", "text", "C.npy"))
        np.save(a, np.ones((2, 3)))
        np.save(b, np.ones((2, 5)))
        np.save(bad, np.ones((3, 5), "int32"))
        with open(a, "rb") as file:
            whole = file.read()
        for name, content in ((short, whole[:-8]), (text, b"1 2 3\n")):
            with open(name, "wb") as file:
                file.write(content)
        for first, second, why in (
            (a, b, f"cannot multiply {a} by {b} (2 x 3 by 2 x 5: the inner dimensions 3 and 2 differ); {a} would fit transposed"),
            (a, bad, f"cannot read {bad} (its elements are int32 ('<i4'); float64 and float32 are handled); "
                     "convert it: numpy.save(file, a.astype('float64'))"),
            (short, b, f"cannot read {short} (it is cut off: 2 x 3 float64 takes 48 bytes of data, and the file has 40); "
                       "copy or save it again"),
            (text, b, f"cannot read {text} (it is not a .npy file); write it with numpy.save"),
            (a + "x", b, f"cannot read {a}x (no such file or directory)"),
            ("/dev/null", b, "cannot read /dev/null (it is not a regular file)"),
        ):
            with self.subTest(why=why):
                self.assert_refused(["--a", first, "--b", second, "--c", c], why)
                self.assertFalse(os.path.exists(c))

    def test_files_that_contradict(self):
        advice = "(a product needs both matrices); give both --a and --b, or neither for random ones"
        self.assert_refused(["--a", "A.npy"], f"--b is missing {advice}")
        self.assert_refused(["--b", "B.npy"], f"--a is missing {advice}")
        self.assert_refused(["--a", "A.npy", "--b", "B.npy", "--cols", "3"],
                            "sizes and files are both given (the files say how large the matrices are); "
                            "leave out --size, --rows, --inner and --cols")
        x, y = self.path("x"), os.path.join(self.directory, ".", "x")
        self.assert_refused(["--c", x, "--trace", y], f"--c and --trace are the same file ({y}); name another file")
        self.assert_refused(["--json", x, "--trace", y], f"--json and --trace are the same file ({y}); name another file")
        np.save(x + ".npy", np.ones((2, 2)))
        os.link(x + ".npy", y)
        self.assert_refused(["--a", x + ".npy", "--b", x + ".npy", "--json", y],
                            f"--a and --json are the same file ({y}); name another file")
        self.assert_refused(["--explain=x"], "--explain is 'x' (it takes no value); see --help")

    def test_outputs(self):
        missing = self.path("no/C.npy")
        self.assert_refused(["--c", missing], f"cannot write {missing} (there is no directory {self.path('no')}); "
                                              f"make it with mkdir -p {self.path('no')}")
        for option, what in (("--json", "the JSON line"), ("--trace", "the trace")):
            self.assert_refused([option, missing], f"cannot write {what} to '{missing}' (there is no directory "
                                                   f"{self.path('no')}); name another file")
            self.assert_refused([option, self.directory],
                                f"cannot write {what} to '{self.directory}' (it is a directory); name another file")

    def test_srun_without_pmix_is_refused(self):
        done = self.run_program("--size", 10, env=os.environ | {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0"})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("try srun --mpi=pmix", done.stderr)

    def test_every_kernel_takes_empty_dimensions(self):
        for kernel in ("packed", "blas", "naive"):
            for shape in ((0, 3, 4), (5, 0, 7), (5, 3, 0)):
                with self.subTest(kernel=kernel, shape=shape):
                    self.assert_product(shape, "--kernel", kernel)


if __name__ == "__main__":
    unittest.main()
