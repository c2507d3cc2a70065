"""The loadshare tool as a user sees it: output, error text, exit code."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import unittest

from at_terminal import at_terminal
from processes import children_of, processor_s, read, wait_until

TOOL = os.environ["LOADSHARE_TOOL"]
IS_SANITIZED = "libasan" in subprocess.run(["ldd", TOOL], capture_output=True, text=True).stdout
MPIRUN = os.environ["LOADSHARE_MPIRUN"]

HELP = """\
Load sharing on a handful of machines: check, measure, compare and predict runs
Usage: loadshare [OPTIONS] SUBCOMMAND

Options:
  -h,--help                   Print this help message and exit
  --version                   Display program version information and exit

Subcommands:
  tour                        Show what loadshare offers in five minutes, by commands that it runs and explains
  chunks                      Print the chunk sizes that a scheduler hands out, in order
  schedulers                  List the schedulers with their parameters
  doctor                      Check what would make runs slow on this machine; under mpirun, on the hosts of the ranks
  load                        Put a background load on a processor for a while, constant or on and off
  hosts                       List the workers of a listening master, their chunks and rates; let one leave
  lab                         Make a network of workstations on this machine, and run programs in it
  sweep                       Run the experiments of a YAML file, and record every run
  report                      Make a page of figures, verdicts and tables from recorded sweeps
  profile                     Run any MPI program, and record where its ranks spend their time
  metrics                     Show how efficiently runs used their processors, and where the rest was lost
  survey                      Measure the speed of the ranks' hosts and how much of it is free, under mpirun
  calibrate                   Measure the times of messages and chunks, under mpirun
  calibration                 Show a calibration, or check how well it predicts another
  model                       Fit message-time models and predict other sizes
  graph                       Predict the run time of an MPI program from the graph of its steps and messages
  predict                     Predict a loop's run time with each scheduler, and recommend one
  compare                     Compare predicted with measured times of sweeps

loadshare help COMMAND describes one of them.
"""


def call(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **options)


def tool(*words, **options):
    return call(TOOL, *words, **options)


def name_of(pid):
    return read(f"/proc/{pid}/comm").strip()


class Chunks(unittest.TestCase):
    def test_one_size_a_line(self):
        done = tool("chunks", "send:300", "--iterations", "720", "--workers", "2")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "300\n300\n120\n", ""))

    def test_a_person_sees_runs_of_equal_sizes(self):
        self.assertEqual(at_terminal(TOOL, "chunks", "tss:40,2", "--iterations", "120", "--workers", "4"),
                         (0, "1 x 40\n1 x 38\n1 x 36\n1 x 6\n120 iterations in 4 chunks\n"))
        self.assertEqual(at_terminal(TOOL, "chunks", "send:1", "--iterations", "1000000", "--workers", "4"),
                         (0, "1000000 x 1\n1,000,000 iterations in 1,000,000 chunks\n"))
        self.assertEqual(at_terminal(TOOL, "chunks", "gss", "--iterations", "0", "--workers", "4"),
                         (0, "0 iterations in 0 chunks\n"))

    def test_json(self):
        done = tool("chunks", "gss:14", "--iterations", "720", "--workers", "9", "--json")
        sequence = json.loads(done.stdout)
        self.assertEqual(list(sequence), ["spec", "iterations", "workers", "sizes", "count"])
        self.assertEqual((sequence["spec"], sequence["iterations"], sequence["workers"]), ("gss:divisor=14", 720, 9))
        self.assertEqual((sequence["count"], len(sequence["sizes"]), sum(sequence["sizes"])), (74, 74, 720))

    def test_an_empty_loop_is_an_empty_sequence(self):
        done = tool("chunks", "gss", "--iterations", "0", "--workers", "2")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        done = tool("chunks", "gss", "--iterations", "0", "--workers", "2", "--json")
        self.assertEqual(json.loads(done.stdout)["sizes"], [])

    def test_a_reader_that_leaves_is_no_error(self):
        words = [TOOL, "chunks", "send:1", "--iterations", "1000000000000", "--workers", "2"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            self.assertEqual(running.stdout.readline(), b"1\n")
            running.stdout.close()
            self.assertEqual(running.wait(timeout=30), 0)
            self.assertEqual(running.stderr.read(), b"")

    def test_a_full_disk_is_a_failed_run(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([TOOL, "chunks", "send:1", "--iterations", "9", "--workers", "2"],
                                  stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "loadshare: cannot write to stdout (no space left on device)\n"))


class Complaints(unittest.TestCase):
    """Where nobody listens the exit code still tells."""

    def test_a_closed_stderr_leaves_the_exit_code_that_of_the_error(self):
        for words, code in ((("metrics", "no-such-file"), 2), (("chunks", "no-such-scheduler"), 2),
                            (("profile", "-o", "/no/such/folder", "--", "true"), 2)):
            reader, writer = os.pipe()
            os.close(reader)
            with self.subTest(words), os.fdopen(writer, "wb") as stderr:
                done = subprocess.run([TOOL, *words], stdout=subprocess.DEVNULL, stderr=stderr, timeout=60)
                self.assertEqual(done.returncode, code)

    def test_a_full_disk_leaves_it_too(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([TOOL, "metrics", "no-such-file"], stdout=subprocess.DEVNULL, stderr=full, timeout=60)
        self.assertEqual(done.returncode, 2)


class Usage(unittest.TestCase):
    def assert_refused(self, words, text):
        done = tool(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"loadshare: {text}\n"))

    def test_help(self):
        done = tool("--help")
        self.assertEqual((done.returncode, done.stdout.split(), done.stderr), (0, HELP.split(), ""))  # wherever lines break

    def test_help_of_a_command(self):
        for asked, said in ((["help"], ["--help"]), (["help", "chunks"], ["chunks", "--help"]),
                            (["help", "graph", "predict"], ["graph", "predict", "--help"])):
            with self.subTest(asked):
                self.assertEqual(tool(*asked).stdout, tool(*said).stdout)
                self.assertEqual(tool(*asked).returncode, 0)
        for command in re.findall(r"^  (\w+)  ", HELP, re.MULTILINE):
            with self.subTest(command):
                text = tool("help", command).stdout
                self.assertLessEqual(max(map(len, text.splitlines())), 110)
                self.assertEqual(f"loadshare help {command} COMMAND describes one of them" in text, "\nSubcommands:" in text)
                self.assertNotIn("loadshare help COMMAND", text)
        self.assertRegex(tool("help", "chunk").stderr, r"^loadshare: unknown subcommand 'chunk' .* did you mean 'chunks'\?\n$")

    def test_an_errors_reason_and_hint_are_lines_for_a_person(self):
        self.assertEqual(at_terminal(TOOL, "chunks", "gss", "--iterations", "5", "--workers", "x"),
                         (2, "loadshare: --workers is 'x'\n  why:  it must be a whole number\n"))
        self.assertEqual(at_terminal(TOOL, "lab", "upp"),
                         (2, "loadshare: unknown subcommand 'upp'\n  why:  valid: up, run, status, down\n"
                             "  hint: did you mean 'up'?\n"))

    def test_subcommands(self):
        known = "(valid: tour, chunks, schedulers, doctor, load, hosts, lab, sweep, report, profile, metrics, " \
                "survey, calibrate, calibration, model, graph, predict, compare)"
        self.assert_refused([], f"no subcommand was given {known}; see loadshare --help")
        self.assert_refused(["chunk"], f"unknown subcommand 'chunk' {known}; did you mean 'chunks'?")
        of_lab = "(valid: up, run, status, down)"
        self.assert_refused(["lab"], f"no subcommand was given {of_lab}; see loadshare lab --help")
        self.assert_refused(["lab", "upp"], f"unknown subcommand 'upp' {of_lab}; did you mean 'up'?")
        self.assert_refused(["lab", "run"], "COMMAND is required; see loadshare lab run --help")

    def test_numbers(self):
        shape = ["--workers", "2", "--iterations"]
        self.assert_refused(["chunks", "gss", *shape, "-5"], "--iterations is -5 (at least 0)")
        self.assert_refused(["chunks", "auto", *shape, "5"],
                            "auto cannot be used here (it chooses by the measured chunks of a running program); name "
                            "another scheduler, or give auto to a farm application")
        self.assert_refused(["chunks", "gss", *shape, "1e3"], "--iterations is '1e3' (it must be a whole number)")
        self.assert_refused(["chunks", "gss", *shape, "99999999999999999999"],
                            "--iterations is 99999999999999999999 (it is too large to count with)")
        self.assert_refused(["chunks", "gss", "--iterations", "5", "--workers", "0"], "--workers is 0 (at least 1)")
        self.assertEqual(tool("chunks", "send:1", *shape, "010").stdout, "1\n" * 10)

    def test_what_is_missing_or_too_much(self):
        self.assert_refused(["chunks", "gss", "--workers", "2"], "--iterations is required; see loadshare chunks --help")
        self.assert_refused(["doctor", "--what"],
                            "unknown option '--what'; see loadshare doctor --help")

    def test_a_file_whose_name_begins_like_an_option(self):
        with tempfile.TemporaryDirectory() as folder:
            done = tool("metrics", "-l.prof", cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (2, "loadshare: unknown option '-l.prof'; see loadshare metrics --help\n"))
            (pathlib.Path(folder) / "-l.prof").write_text("")
            self.assertIn("(a file with this name exists, but - begins an option); write ./-l.prof\n",
                          tool("metrics", "-l.prof", cwd=folder).stderr)
            self.assertIn("-l.prof holds no runs (it is empty)", tool("metrics", "./-l.prof", cwd=folder).stderr)

    def test_an_unknown_scheduler_names_the_nearest(self):
        done = tool("chunks", "gsss", "--iterations", "5", "--workers", "2")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^loadshare: .*'gsss'.*did you mean 'gss'\?\n$")


class Tour(unittest.TestCase):
    """That it runs through, the README's own test sees."""

    def test_a_person_is_asked_before_each_step(self):
        with tempfile.TemporaryDirectory() as folder:
            code, shown = at_terminal(TOOL, "tour", typed=b"q\n", cwd=folder)
            self.assertEqual((code, os.listdir(f"{folder}/results/tour")), (0, ["sweep.yaml"]))
        self.assertIn("== 1 of 5: A product by two workers\n", shown)
        self.assertRegex(shown, r"\n\$ \S*matmul --size 1440 .*\n\[Enter runs it, q ends the tour\] (q\n)?$")  # where the echo stands is chance
        self.assertNotIn("makespan", shown)

    def test_it_writes_over_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = tool("tour", "--out", folder)
        self.assertEqual((done.returncode, done.stderr),
                         (2, f"loadshare: --out is '{folder}' (it exists already); name a new folder\n"))


class Schedulers(unittest.TestCase):
    NAMES = ["send", "gss", "factoring", "tss", "adaptive", "static", "ss", "fsc", "mfsc", "fac2", "fac", "wf", "tap", "tfss",
             "fiss", "viss", "pls", "rnd", "bold", "awf", "awf-b", "awf-c", "awf-d", "awf-e", "af", "maf", "steady"]

    def test_lists_every_technique_with_its_kind(self):
        done = tool("schedulers")
        self.assertEqual(done.returncode, 0)
        kinds = {}
        for section in done.stdout.split("\n\n")[1:]:
            form, *lines = section.splitlines()
            kind, text = re.match(r"  (\w+) sizes; (.*)", "".join(lines)).groups()
            kinds[form.split(":")[0]] = kind
            self.assertRegex(text, r"\(.*(\d{4}|OpenMP)", "the paper")
        self.assertEqual(list(kinds), self.NAMES)
        self.assertEqual((kinds["static"], kinds["gss"], kinds["awf-b"]), ("fixed", "variable", "adaptive"))

    def test_compares_the_sizes_of_all(self):
        done = tool("schedulers", "--compare")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "1,000 iterations on 4 workers that ask in turn and have the same speed")
        self.assertEqual([line.split()[0] for line in lines[3:]], self.NAMES)
        self.assertIn("fac2       125x4 63x4 31x4 16x4 8x4 4x4 2x4 1x4", done.stdout)
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_compares_what_it_is_told(self):
        done = tool("schedulers", "--compare", "gss:2", "static", "--iterations", "12", "--workers", "3")
        self.assertEqual(done.stdout, "12 iterations on 3 workers that ask in turn and have the same speed\n\n"
                                      "scheduler      sizes    largest  chunks\n"
                                      "gss:divisor=2  6 3 1x3        6       5\n"
                                      "static         4x3            4       3\n")

    def test_draws_the_sizes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sizes.svg")
            done = tool("schedulers", "--compare", "--plot", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(path, encoding="utf-8") as file:
                self.assertIn("awf-b", file.read())

    def test_what_makes_no_sense(self):
        for words, text in ((("--iterations", "5"), "--compare"), (("--compare", "--iterations", "1000001"), "1000001"),
                            (("--compare", "fac"), "mu is missing"), (("--compare", "--plot", "a.pdf"), ".svg")):
            with self.subTest(words=words):
                done = tool("schedulers", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(text, done.stderr)


class Doctor(unittest.TestCase):
    LINE = re.compile(r"^(ok  |warn)  [A-Za-z ]+: .+$")

    def lines(self, done):
        self.assertEqual(done.stderr, "")
        host, *findings = done.stdout.splitlines()
        self.assertRegex(host, r"^\S+$")
        for line in findings:
            self.assertRegex(line, self.LINE)
        return findings

    def test_says_one_line_a_finding(self):
        done = tool("doctor")
        self.assertEqual(done.returncode, 0)
        findings = self.lines(done)
        self.assertEqual([line[6:].split(":")[0] for line in findings[:6]],
                         ["cores", "binding", "BLAS threads", "waiting", "shared memory", "other programs"])

    def test_names_the_kernels_of_the_blas(self):
        blas = [
            line for line in self.lines(tool("doctor", env={**os.environ, "OPENBLAS_CORETYPE": "Nehalem"})) if "BLAS kernels" in line
        ]
        self.assertEqual(len(blas), 1)
        self.assertRegex(blas[0], r"OpenBLAS [0-9.]+ runs its Nehalem kernels")

    def test_json_and_strict(self):
        done = tool("doctor", "--json", "--strict")
        report = json.loads(done.stdout)
        self.assertEqual(list(report["findings"][0]), ["level", "what", "finding", "why", "advice"])
        warns = any(finding["level"] == "warn" for finding in report["findings"])
        self.assertEqual(done.returncode, 1 if warns else 0)

    def test_under_mpirun_one_rank_speaks(self):
        done = call(MPIRUN, "-q", "--oversubscribe", "--bind-to", "none", "-np", "3", TOOL, "doctor")
        self.assertEqual(done.returncode, 0)
        cores = [line for line in self.lines(done) if line[6:].startswith("cores:")]
        self.assertEqual(len(cores), 1)
        self.assertRegex(cores[0], r"cores: 3 ranks on \d+ processor")

    @unittest.skipIf(IS_SANITIZED, "the sanitizer needs more address space itself")
    def test_ends_where_there_is_no_memory_for_blas(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (150_000 * 1024, 150_000 * 1024))
        done = tool("doctor", preexec_fn=limit)  # the BLAS would ask for memory for ever
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("BLAS kernels", done.stdout)

    def test_a_launcher_of_another_mpi_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            launcher = os.path.join(folder, "mpiexec")
            with open(launcher, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho 'HYDRA build details:'\n")
            os.chmod(launcher, 0o755)
            done = tool("doctor", env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertRegex(done.stdout, r"\nwarn  launcher: mpiexec in PATH belongs to another MPI \('HYDRA build details:'\) \(programs "
                                      r"here are linked to Open MPI v\S+: ranks that this launcher starts cannot reach each other\); start ")

    def test_ranks_on_one_processor_are_found(self):
        cpu = str(min(os.sched_getaffinity(0)))
        done = call(MPIRUN, "-q", "--oversubscribe", "--bind-to", "none", "-np", "2", "taskset", "-c", cpu, TOOL,
                    "doctor")
        self.assertIn("warn  cores: 2 ranks on 1 processor ", done.stdout)
        if os.cpu_count() > 1:
            self.assertIn("warn  binding: ranks 0, 1 are bound to the same processor ", done.stdout)


@unittest.skipIf(IS_SANITIZED, "a sanitized library cannot be loaded into a program that is not")
class Profile(unittest.TestCase):
    def test_what_ends_the_tool_ends_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in (signal.SIGTERM, signal.SIGHUP):
                with subprocess.Popen([TOOL, "profile", "--out", os.path.join(folder, "p"), "--", "sleep", "50"],
                                      stderr=subprocess.PIPE, text=True) as running:
                    self.addCleanup(running.kill)
                    self.assertTrue(wait_until(lambda: "sleep" in map(name_of, children_of(running.pid))))
                    running.send_signal(number)
                    self.assertEqual(running.wait(timeout=20), 128 + number)


class Load(unittest.TestCase):
    CPU = str(min(os.sched_getaffinity(0)))

    def load(self, *words, **options):
        return tool("load", "--cpu", self.CPU, *words, **options)

    def test_it_says_what_it_took(self):
        done = self.load("--on", "100ms", "--off", "50ms", "--for", "0.4s", "--share", "0.25")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        number = r"\S+ (?:s|ms|us)"
        self.assertRegex(done.stdout, rf"\Aon=100ms,off=50ms,share=0.25 on processor {self.CPU}: on 3 times for {number} in all\n"
                                      rf"took \S+ % of (?:it|the available \S+ % of it) while on \(25\.0 % requested\), {number} of processor time\n"
                                      rf"started and stopped within {number} of the plan \(99th percentile\), at worst {number}\n\Z")

    def test_json(self):
        done = self.load("--constant", "--for", "300ms", "--json")
        measured = json.loads(done.stdout)
        self.assertEqual(list(measured), ["load", "cpu", "capacity", "share_asked", "share_taken", "cpu_s", "on_s",
                                          "late_p99_s", "late_max_s", "cycles"])
        self.assertEqual((measured["load"], measured["cpu"], measured["cycles"]), ("constant", int(self.CPU), 1))
        self.assertTrue(0.01 < measured["share_taken"] < 0.65, measured)  # a busy machine gives it less

    def catches_interruptions(self, pid):
        caught = int(read(f"/proc/{pid}/status").partition("SigCgt:")[2].split()[0], 16)
        return caught & 1 << signal.SIGINT - 1

    def wait_until_busy(self, pid):
        """Until it takes care of an interruption itself, and then has taken some processor time for the load."""
        self.assertTrue(wait_until(lambda: self.catches_interruptions(pid)), "an interruption would kill it")
        begun_s = processor_s(pid)
        self.assertTrue(wait_until(lambda: processor_s(pid) > begun_s + 0.1), "the load did not begin")

    def test_it_ends_when_interrupted(self):
        with subprocess.Popen([TOOL, "load", "--cpu", self.CPU, "--constant", "--for", "50s"], stdout=subprocess.PIPE,
                              text=True) as running:
            self.addCleanup(running.kill)
            self.wait_until_busy(running.pid)
            running.send_signal(signal.SIGHUP)
            output, _ = running.communicate(timeout=20)
        self.assertEqual(running.returncode, 130)
        self.assertIn("of processor time\n", output)

    def test_what_makes_no_sense(self):
        for words, text in ((["--constant"], "--for is required; see loadshare load --help"),
                            (["--for", "1s"], "no option says what the load does (none of --on, --constant and --trace is given); "
                                              "try --on 1s --off 1s, or --constant, or --trace FILE"),
                            (["--for", "1", "--constant"], "--for is '1' (a duration is a number and its unit); "
                                                           "write it as 250ms, 1.5s or 2min"),
                            (["--for", "1s", "--on", "1s"], "--off is missing (--on is given, and a cycle needs both); "
                                                            "add --off 1s"),
                            (["--for", "1s", "--on", "1s", "--off", "1s", "--phase", "x"],
                             "--phase is 'x' (it must be a duration, or random); try --phase 250ms"),
                            (["--for", "1s", "--constant", "--off", "1s"],
                             "a constant load does not take --off (it belongs to another shape of load); leave out --off"),
                            (["--for", "--constant"],
                             "--for has no value (it needs one, as in --for TIME; --constant follows); add the value")):
            done = self.load(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"loadshare: {text}\n"))
        done = tool("load", "--cpu", "100000", "--constant", "--for", "1s")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^loadshare: --cpu is 100000 \(this process may use only processor \d+.*\)\n$")


if __name__ == "__main__":
    unittest.main()
