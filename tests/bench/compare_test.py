"""The pure parts of bench/compare: reading, ratios, verdicts, the table; and its processes, with small stand-ins."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

import jsonschema

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
SCHEMA = os.path.join(BENCH, "..", "experiments", "figures.schema.json")
sys.path.insert(0, BENCH)

from comparison import experiments, lab, predictor, processes, profile, programs, readings, rivals, table, tcp_farm  # noqa: E402
from comparison.figures import Aim, Figure, Group, Judged, Target, Verdict, from_json, missed, to_json  # noqa: E402


class Figures(unittest.TestCase):
    def test_ratio_is_taken_round_by_round(self):
        figure = Figure("gss", (90, 50, 99), (100, 50, 110), Target(0.9))
        self.assertEqual(figure.ratios(), (0.9, 1.0, 0.9))
        self.assertEqual(figure.judged(), 0.9)

    def test_target_is_reached_at_its_value(self):
        self.assertIs(Figure("a", (9,), (10,), Target(0.9)).verdict(), Verdict.REACHED)
        self.assertIs(Figure("a", (8.9,), (10,), Target(0.9)).verdict(), Verdict.MISSED)

    def test_ratio_of_medians_can_be_the_aim(self):
        figure = Figure("floyd", (1.2, 1.0, 1.1), (1.0, 1.05, 1.0), Target(1.01, Aim.AT_MOST), Judged.BY_MEDIANS)
        self.assertAlmostEqual(figure.judged(), 1.1)
        self.assertIs(figure.verdict(), Verdict.MISSED)
        self.assertIn("1.1000", table.cells(figure))

    def test_the_largest_sample_can_be_the_aim(self):
        figure = Figure("farms", (0.1, 1.1, 0.2), (), Target(1, Aim.AT_MOST), Judged.BY_LARGEST)
        self.assertEqual(figure.judged(), 1.1)
        self.assertIs(figure.verdict(), Verdict.MISSED)

    def test_nine_of_ten_can_be_the_aim(self):
        def figure(*samples):
            return Figure("longest", samples, (), Target(1, Aim.AT_MOST), Judged.BY_NINE_OF_TEN)

        self.assertIs(figure(*[0.2] * 9, 3.3).verdict(), Verdict.REACHED)
        self.assertIs(figure(*[0.2] * 8, 1.5, 3.3).verdict(), Verdict.MISSED)
        self.assertIs(figure(3.3).verdict(), Verdict.MISSED)
        self.assertIn("1.50", table.cells(figure(*[0.2] * 8, 1.5, 3.3)))

    def test_too_few_samples_are_no_verdict_and_no_success(self):
        for samples in ((), (0.1, 0.2)):
            figure = Figure("longest", samples, (), Target(1, Aim.AT_MOST), Judged.BY_NINE_OF_TEN, fewest=10)
            self.assertIs(figure.verdict(), Verdict.UNMEASURED)
            self.assertIn("unmeasured", table.cells(figure))
            group = Group("answers", "", [figure])
            self.assertEqual(missed([group]), [f"answers: longest (only {len(samples)} of 10 samples, target <= 1)"])
            self.assertEqual(from_json(json.loads(json.dumps(to_json(group)))), group)

    def test_small_values_can_be_the_aim(self):
        self.assertIs(Figure("decide", (9, 10, 12), (), Target(10, Aim.AT_MOST)).verdict(), Verdict.REACHED)
        self.assertIs(Figure("decide", (9, 11, 12), (), Target(10, Aim.AT_MOST)).verdict(), Verdict.MISSED)

    def test_without_target_there_is_no_verdict(self):
        self.assertIs(Figure("pdgemm", (1,), (1,)).verdict(), Verdict.NONE)

    def test_samples_without_their_references_are_refused(self):
        with self.assertRaises(ValueError):
            Figure("a", (1, 2), (1,)).ratios()

    def test_the_best_is_judged_by_other_runs_than_it_was_chosen_by(self):
        chosen_by = [Figure("send", (9,), (10,)), Figure("tss", (8,), (8,))]
        again = {"send": iter((8, 9)), "tss": iter((9, 8))}
        subjects = {name: lambda runs=runs: next(runs) for name, runs in again.items()}
        [best] = experiments.best_again("best", chosen_by, lambda: 10, subjects, 2, Target(0.96))
        self.assertEqual((best.name, best.samples), ("best: tss", (9, 8)))
        self.assertIs(best.verdict(), Verdict.MISSED)

    def test_raw_samples_are_stored(self):
        kept = json.loads(json.dumps(to_json(Group("g", "t", [Figure("a", (1.5,), (3.0,), Target(0.9))]))))
        self.assertEqual(kept["figures"][0]["samples"], [1.5])
        self.assertEqual(kept["figures"][0]["ratios"], [0.5])
        self.assertEqual(kept["figures"][0]["target"], ">= 0.9")
        self.assertEqual(kept["figures"][0]["verdict"], "missed")

    def test_stored_figures_are_read_back(self):
        target = Target(1, Aim.AT_MOST)
        figures = [
            Figure("longest", (1.5,), (), target, Judged.BY_NINE_OF_TEN),
            Figure("a", (1.5, 2), (3.0, 4), Target(0.97)),
            Figure("b", (1,)),
        ]
        group = Group("g", "t", figures)
        self.assertEqual(from_json(json.loads(json.dumps(to_json(group)))), group)


# One product of size 4096 on two cores of a virtual Xeon with AVX-512, as it was seen: OpenBLAS 0.3.21 takes that for a
# Prescott.
OURS, AS_IT_COMES, SKYLAKEX = (96.0, 104.0, 87.0), (20.0, 21.0, 20.0), (157.0, 122.0, 140.0)


def the_command():
    """bench/compare as a module."""
    loader = importlib.machinery.SourceFileLoader("compare", os.path.join(BENCH, "compare"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", loader))
    loader.exec_module(module)
    return module


class Judging(unittest.TestCase):
    def groups(self, reference, samples=OURS):
        figures = [
            Figure("best: gss", samples, reference, Target(0.97)),
            Figure("gss", samples, reference, Target(0.92)),
            Figure("pdgemm", (1.0,) * 3, reference),
        ]
        return [Group("matmul", "GFLOP/s", figures)]

    def judge(self, groups, *words):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "kept.json")
            facts = {"processor": "Xeon", "cores": 2, "repetitions": 3, "load_average": 0.1}
            with open(file, "w", encoding="utf-8") as out:
                json.dump({"schema": 1, **facts, "groups": [to_json(group) for group in groups]}, out)
            command = [sys.executable, os.path.join(BENCH, "compare"), "--kept", file, *words]
            return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def test_a_slow_rival_hides_a_missed_target(self):
        self.assertEqual(missed(self.groups(AS_IT_COMES)), [])
        self.assertEqual(missed(self.groups(SKYLAKEX)), ["matmul: best: gss (0.621, target >= 0.97)",
                                                         "matmul: gss (0.621, target >= 0.92)"])

    def test_a_missed_target_is_exit_code_1(self):
        done = self.judge(self.groups(SKYLAKEX))
        self.assertEqual(done.returncode, 1)
        self.assertIn("Xeon, 2 cores; 3 rounds", done.stdout)
        self.assertIn("missed: matmul: best: gss (0.621, target >= 0.97)\n", done.stderr)

    def test_stored_figures_match_the_schema_and_are_read_back(self):
        compare = the_command()
        with open(SCHEMA, encoding="utf-8") as file:
            checks = jsonschema.Draft7Validator(json.load(file))
        none_yet = Figure("longest", (), (), Target(1, Aim.AT_MOST), Judged.BY_NINE_OF_TEN, 10)
        groups = [*self.groups(SKYLAKEX), Group("answers", "ms", [none_yet])]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kept.json")
            compare.keep(groups, compare.machine_facts(3), path)
            with open(path, encoding="utf-8") as file:
                kept = json.load(file)
            self.assertEqual([error.message for error in checks.iter_errors(kept)], [])
            self.assertEqual(compare.read_kept(path)[0], groups)
        del kept["groups"][0]["figures"][0]["fewest"]
        self.assertFalse(checks.is_valid(kept))

    def test_report_only_gives_exit_code_0(self):
        done = self.judge(self.groups(SKYLAKEX), "--report-only")
        self.assertEqual(done.returncode, 0)
        self.assertIn("missed: ", done.stderr)

    def test_reached_targets_are_exit_code_0(self):
        done = self.judge(self.groups(SKYLAKEX, samples=SKYLAKEX))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_file_without_figures_is_bad_input(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("a", "{}"), ("b", "no JSON"), ("c", "[1]"), ("d", '{"schema": 1}'),
                               ("e", '{"schema": 1, "groups": []}')):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            for name in ("a", "b", "c", "d", "e", "not_there"):
                command = [sys.executable, os.path.join(BENCH, "compare"), "--kept", os.path.join(folder, name)]
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (2, ""), name)
                self.assertRegex(done.stderr, "^error: ")


class Rivals(unittest.TestCase):
    class Machine:
        """Stands in for the programs: the rate of each BLAS and core; pdgemm's is 1 less."""

        def __init__(self, rates, has_blis=True, own=("Prescott", "generic")):
            self.rates = rates
            self.has_blis = has_blis
            self.own = dict(zip(rivals.NAMES, own, strict=True))
            self.large = []

        def blas(self, blas, size, element, repetitions):
            if blas.library == "blis" and not self.has_blis:
                raise processes.Failed("exit code 2\nerror: BLIS cannot be loaded (no such file); install libblis4-openmp")
            core = blas.core or self.own[blas.library]
            if core == "Cooperlake":
                raise processes.Failed("exit code 2\nerror: OpenBLAS 0.3.21 does not run kernels 'Cooperlake'")
            allowed = [name for library, name in self.rates if library == blas.library]
            asked_by = f"VARIABLE={blas.core}" if blas.core else ""
            return {"core": core, "allowed": allowed, "asked_by": asked_by, "gflops": [self.rates[blas.library, core]]}

        def blas_gflops(self, blas, size, element):
            self.large.append(str(blas))
            return self.rates[blas.library, blas.core or self.own[blas.library]]

        def pdgemm_gflops(self, blas, asked_by, size):
            self.asked_by = asked_by
            return self.blas_gflops(blas, size, "float64") - 1

    RATES = {("openblas", "Cooperlake"): 0, ("openblas", "SkylakeX"): 140, ("openblas", "Haswell"): 70,
             ("openblas", "Prescott"): 20, ("blis", "skx"): 130, ("blis", "generic"): 5}

    def test_the_fastest_is_the_reference_and_is_named(self):
        machine = self.Machine(self.RATES)
        heat = rivals.heat(machine, 4096, "float64", 2)
        self.assertEqual(heat.best(), "OpenBLAS, SkylakeX")
        self.assertEqual(heat.reference()(), 140)
        self.assertEqual({figure.name: figure.judged() for figure in heat.figures()},
                         {"OpenBLAS, SkylakeX": 1, "BLIS, skx": 130 / 140, "pdgemm with OpenBLAS, SkylakeX": 139 / 140})
        self.assertEqual(machine.asked_by, "VARIABLE=SkylakeX")
        self.assertIn("reference: OpenBLAS, SkylakeX", experiments.against(heat))

    def test_the_slow_ones_run_a_small_product_only(self):
        machine = self.Machine(self.RATES)
        rivals.heat(machine, 4096, "float32", 2)
        self.assertEqual(machine.large, ["OpenBLAS, SkylakeX", "BLIS, skx"] * 2)

    def test_default_kernels_may_be_the_best(self):
        machine = self.Machine(self.RATES, own=("SkylakeX", "generic"))
        self.assertEqual(rivals.heat(machine, 4096, "float64", 1).best(), "OpenBLAS, default")

    def test_a_missing_blis_is_reported(self):
        heat = rivals.heat(self.Machine(self.RATES, has_blis=False), 4096, "float32", 1)
        self.assertEqual(list(heat.samples), ["OpenBLAS, SkylakeX"])
        self.assertEqual(heat.named(), "OpenBLAS, SkylakeX, the fastest BLAS here, BLIS not installed")

    def test_other_failures_of_a_rival_are_errors(self):
        machine = self.Machine(self.RATES)
        machine.blas = lambda *words, **named: (_ for _ in ()).throw(processes.Failed("exit code 1\nerror: wrong"))
        with self.assertRaises(processes.Failed):
            rivals.heat(machine, 4096, "float64", 1)

    def test_blas_variables_of_the_user_are_removed(self):
        os.environ["OPENBLAS_CORETYPE"] = "Prescott"
        try:
            self.assertEqual(processes.run(["sh", "-c", "echo $OPENBLAS_CORETYPE"]), "\n")
            self.assertEqual(
                processes.run(["sh", "-c", "echo $OPENBLAS_CORETYPE"], variables={"OPENBLAS_CORETYPE": "Zen"}), "Zen\n"
            )
        finally:
            del os.environ["OPENBLAS_CORETYPE"]


class Parameters(unittest.TestCase):
    def test_the_faster_of_the_default_and_the_predicted_ones(self):
        class Machine:
            def matmul(self, spec, size, extra):
                return {"operations": 1e9, "makespan_s": 1 if spec in ("send", "gss:3") else 2, "spec": spec}

            def predicted(self, record):
                return {name: f"{name}:3" for name in experiments.TECHNIQUES}

        specs = experiments.parameters(Machine(), 512, "float64")
        self.assertEqual(specs, ("send", "gss:3", "factoring", "tss", "adaptive"))

    def test_the_predictors_first_choice_may_be_another_technique(self):
        class Machine:
            def matmul(self, spec, size, extra):
                return {"operations": 1e9, "makespan_s": 1 if "--kernel" in extra else 2, "spec": spec}

            def predicted(self, record):
                return {name: name for name in ("static", *experiments.TECHNIQUES)}

        specs = experiments.parameters(Machine(), 1000, "float64")
        self.assertEqual(specs, tuple(name + experiments.BLAS_KERNEL for name in (*experiments.TECHNIQUES, "static")))


class Undisturbed(unittest.TestCase):
    def test_rounds_with_stolen_time_are_left_out(self):
        stolen = iter([0, 0, 0, 1, 1, 1])
        runs = iter("abc")
        self.assertEqual(experiments.undisturbed(2, lambda: next(runs), lambda: next(stolen)), (["a", "c"], 1))

    def test_only_stolen_rounds_give_no_result(self):
        stolen = iter(range(100))
        self.assertEqual(experiments.undisturbed(2, lambda: 1, lambda: next(stolen)), ([], 6))


class Lab(unittest.TestCase):
    def tool(self, folder, lines):
        for name in ("bin/loadshare", "bin/loadshare_lab_agent"):
            os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + lines)
            os.chmod(os.path.join(folder, name), 0o755)
        return programs.Programs(folder)

    def test_each_round_starts_and_stops_a_lab(self):
        with tempfile.TemporaryDirectory() as folder:
            group = lab.lab(self.tool(folder, f"echo $2 >> {folder}/said\n"), 2)
            with open(os.path.join(folder, "said"), encoding="utf-8") as said:
                self.assertEqual(said.read().split(), ["up", "run", "down"] * 2)
        self.assertEqual([len(figure.samples) for figure in group.figures], [2, 2, 2])

    def test_without_rights_the_figures_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            refusal = "loadshare: a lab cannot be made here (missing: rights); run it as root"
            found = self.tool(folder, f"[ $2 = down ] && exit 0\necho '{refusal}' >&2; exit 2\n")
            group = lab.lab(found, 2)
            self.assertEqual(group.figures, [])
            self.assertIn(f"(left out: {refusal})", table.render([group]))

    def test_other_failures_of_a_lab_are_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(processes.Failed):
                lab.lab(self.tool(folder, "exit 1\n"), 1)


class Profile(unittest.TestCase):
    def stand_in(self, folder, profiler):
        """An mpirun that takes 0.1 s, and a `loadshare profile` that runs `profiler` and then its command."""
        os.mkdir(f"{folder}/bin")
        self.program(f"{folder}/mpirun", f"echo plain >> {folder}/said; exec sleep 0.1")
        self.program(f"{folder}/bin/loadshare", f"{profiler}; echo profiled >> {folder}/said; shift 4; exec \"$@\"")
        self.program(f"{folder}/bin/floyd", "exit 1")
        return programs.Programs(folder, mpirun=f"{folder}/mpirun")

    def program(self, path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def figure(self, profiler):
        with tempfile.TemporaryDirectory() as folder:
            figure = profile.application_figure(self.stand_in(folder, profiler), 1, "paths", 2, ("floyd",))
            with open(f"{folder}/said", encoding="utf-8") as said:
                self.assertEqual(said.read().split(), ["plain", "profiled", "plain"] * profile.PAIRS)
        return figure

    def test_a_slow_profile_misses_its_target(self):
        figure = self.figure("sleep 0.05")
        self.assertEqual(len(figure.samples), profile.PAIRS)
        self.assertGreater(figure.judged(), 1.2)
        self.assertIs(figure.verdict(), Verdict.MISSED)

    def test_a_failed_profile_gives_no_figure(self):
        with self.assertRaises(processes.Failed):
            self.figure("exit 1")


class Predictor(unittest.TestCase):
    class Simulators:
        """Stand-ins for both programs: what they say of any farm."""

        def __init__(self, **makespans_s):
            self.makespans_s = makespans_s

        def simulated(self, name, *words):
            rate = 8e6 if name == "predictor_bench" else 1e5
            return {"makespan_s": self.makespans_s[name], "chunks_per_s": [rate] * len(words)}

    def test_both_simulators_speeds_are_figures(self):
        own, beside = predictor.speed_figures(self.Simulators(predictor_bench=1.009, simgrid_farm=1.0), 2)
        self.assertEqual(own.samples, (8, 8))
        self.assertAlmostEqual(beside.judged(), 80)

    def test_an_answer_takes_the_time_of_the_whole_command(self):
        simulators = self.Simulators()
        simulators.answer = lambda *words: (1.5, 41)
        figure = predictor.answer_figure(simulators, 3)
        self.assertEqual((figure.samples, figure.verdict()), ((1.5,) * 3, Verdict.MISSED))
        self.assertIn("41 candidates", figure.name)

    def test_a_speed_with_a_different_makespan_is_refused(self):
        with self.assertRaisesRegex(readings.Unreadable, "-2.0 % from SimGrid's"):
            predictor.speed_figures(self.Simulators(predictor_bench=0.98, simgrid_farm=1.0), 1)

    def test_means_of_chaotic_makespans_are_compared(self):
        makespans_s = {"predictor_bench": iter([1, 3] * 15), "simgrid_farm": iter([3, 2] * 15)}
        simulators = self.Simulators()
        simulators.simulated = lambda name, *words: {"makespan_s": next(makespans_s[name])}
        self.assertEqual(len(predictor.MASTERS), 15)
        self.assertAlmostEqual(predictor.mean_difference(simulators, ()), 100 * (1 - 29 / 38))

    def test_differences_either_way_count(self):
        off = predictor.differences(self.Simulators(predictor_bench=0.98, simgrid_farm=1.0), (), "shared")
        self.assertEqual(len(off), len(predictor.TECHNIQUES))
        self.assertAlmostEqual(off[0], 2)


class Loss(unittest.TestCase):
    # As seen: 1,600 iterations of 10 ms in chunks of 8, by four and by three workers, and by four less one from 2.03 s on.
    FOUR_S, THREE_S, LOST_AT_S, UNNOTICED_S, CHUNK_S = 4.01, 5.36, 2.034, 0.004, 0.0802

    def record(self, makespan_s):
        events = [{"what": "joined", "at_s": 0.0, "worker": 0}, {"what": "lost", "at_s": self.LOST_AT_S, "worker": 0}]
        chunks = [{"begun_s": at_s, "ended_s": at_s + self.CHUNK_S} for at_s in (0.1, 0.2, 0.3)]
        return {"makespan_s": makespan_s, "membership": {"events": events}, "chunks": chunks}

    def over_s(self, makespan_s):
        return readings.over_ideal_of_loss_s(self.record(makespan_s), self.FOUR_S, self.THREE_S, self.UNNOTICED_S)

    def test_the_ideal_has_all_workers_first_and_then_one_fewer(self):
        ideal_s = 2.03 + 5.36 * (1 - 2.03 / 4.01)
        self.assertAlmostEqual(self.over_s(ideal_s + self.CHUNK_S), 0)
        self.assertAlmostEqual(self.over_s(ideal_s + self.CHUNK_S + 0.25), 0.25)

    def test_a_tenth_of_a_second_is_judged(self):
        for makespan_s, verdict in ((4.80, Verdict.REACHED), (4.90, Verdict.MISSED)):
            with unittest.mock.patch.object(tcp_farm, "makespan_s", lambda _, count: {4: 4.01, 3: 5.36}[count]), \
                 unittest.mock.patch.object(tcp_farm, "with_a_loss", lambda *_: (self.record(makespan_s), self.UNNOTICED_S)), \
                 unittest.mock.patch.object(tcp_farm, "noticed_ms", lambda _: [0.4] * 9 + [30.0]):
                beside, over, noticed = tcp_farm.loss_figures(types.SimpleNamespace(path=str), 2)
            self.assertEqual((beside.samples, beside.references), ((makespan_s,) * 2, (5.36,) * 2))
            self.assertIs(over.verdict(), verdict, over)
            self.assertIs(noticed.verdict(), Verdict.REACHED, "nine of ten count")

    def test_the_time_until_a_loss_is_noticed_counts(self):
        late = self.record(4.9) | {"membership": {"events": [{"what": "lost", "at_s": 3.03, "worker": 0}]}}
        seen_late_s = readings.over_ideal_of_loss_s(late, self.FOUR_S, self.THREE_S, 1.0)
        self.assertAlmostEqual(seen_late_s, self.over_s(4.9))


class Farms(unittest.TestCase):
    MASTER = """#!/usr/bin/python3
import sys, time
print("listening at 127.0.0.1:1", file=sys.stderr)
for note in range(200):
    print("note", note, file=sys.stderr, flush=True)
    time.sleep(0.001)
print('{"verified": true, "text": "%s"}' % (200_000 * "a"))
"""

    def test_notes_are_read_while_the_record_is_awaited(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "master")
            with open(os.open(program, os.O_WRONLY | os.O_CREAT, 0o700), "w") as file:
                file.write(self.MASTER)
            with tcp_farm.TcpFarm(program, (), 0) as farm:
                farm.record()
                farm.await_notes("note", 200, timeout_s=5)


class Interleaving(unittest.TestCase):
    def test_reference_runs_before_every_subject(self):
        calls = []

        def note(name, value):
            calls.append(name)
            return value

        subjects = {"a": lambda: note("a", 1), "b": lambda: note("b", 2)}
        found = experiments.interleave(2, lambda: note("r", 4), subjects)
        self.assertEqual(calls, ["r", "a", "r", "b", "r", "a", "r", "b"])
        self.assertEqual(found, {"a": ([1, 1], [4, 4]), "b": ([2, 2], [4, 4])})


class Readings(unittest.TestCase):
    def test_matmul_rate(self):
        text = json.dumps({"verified": True, "operations": 2e9, "makespan_s": 0.5})
        self.assertEqual(readings.gflops(readings.matmul(text)), 4)

    def test_log_lines_before_the_record_do_no_harm(self):
        text = 'hello\n{"gflops": [3, 1, 2], "verified": true}\n'
        self.assertEqual(readings.median_gflops(readings.last_line(text, "it")), 2)

    def test_the_best_spec_of_each_technique(self):
        predictions = [{"scheduler": name, "makespan_s": seconds}
                       for name, seconds in (("gss:4", 3), ("send", 2), ("gss:2", 1), ("gss:3", 2))]
        self.assertEqual(readings.best_specs(json.dumps({"predictions": predictions})), {"gss": "gss:2", "send": "send"})

    def test_the_processor_has_a_name(self):
        self.assertEqual(readings.processor_name("processor\t: 0\nmodel name\t: AMD EPYC\nmodel name\t: B\n"), "AMD EPYC")
        self.assertEqual(readings.processor_name("processor\t: 0\n"), "a processor without a name")

    def test_stolen_ticks(self):
        self.assertEqual(readings.stolen_ticks("cpu  80438 0 10700 23065 351 0 61 99 0 0\ncpu0 1 2 3\n"), 99)

    def test_an_unverified_result_is_refused(self):
        for text in ("", "oops", '{"verified": false}', '{"makespan_s": 1}'):
            with self.subTest(text), self.assertRaises(readings.Unreadable):
                readings.matmul(text)

    def test_a_load_that_was_never_on_is_refused(self):
        self.assertEqual(readings.load('{"cycles": 3}'), {"cycles": 3})
        for text in ("", '{"cycles": 0}', "{}"):
            with self.subTest(text), self.assertRaises(readings.Unreadable):
                readings.load(text)

    def test_a_sweep_whose_runs_failed_is_refused(self):
        good = '{"status": "ok", "overhead_s": 0.1, "record": {"verified": true}}\n'
        self.assertEqual([run["overhead_s"] for run in readings.sweep_runs(good * 2)], [0.1, 0.1])
        for bad in ("", '{"status": "failed", "record": null}\n', '{"status": "ok", "record": {"verified": null}}\n'):
            with self.subTest(bad), self.assertRaises(readings.Unreadable):
                readings.sweep_runs(good + bad if bad else bad)

    def test_answers_are_those_to_other_ranks(self):
        record = {
            "ranks": [{"worker": 0, "role": "working master"}, {"worker": 1, "role": "worker"}],
            "chunks": [
                {"worker": 0, "ended_s": 1, "returned_s": 9},
                {"worker": 1, "ended_s": 1, "returned_s": 1.5},
                {"worker": 1, "ended_s": 2, "returned_s": 2.25},
            ],
        }
        self.assertEqual(readings.answer_delays_ms(record), [250, 500])

    def test_map_and_its_loop_are_their_medians(self):
        record = {"verified": True, "map_s": [0.5, 0.001, 0.002], "plain_s": [0.004, 0.003, 0.009]}
        self.assertEqual(readings.map_ms(json.dumps(record)), (2.0, 4.0))

    def test_the_use_of_an_idle_rank_includes_all_threads(self):
        ranks = [
            {"role": "working master", "chunks": 1, "waiting_cpu_s": 0.5, "coordinating_cpu_s": 0.5},
            {"role": "worker", "chunks": 0, "waiting_cpu_s": 0.02, "coordinating_cpu_s": 0.01},
            {"role": "worker", "chunks": 0, "waiting_cpu_s": 0.01, "coordinating_cpu_s": 0.01},
        ]
        self.assertAlmostEqual(readings.idle_percent(json.dumps({"verified": True, "makespan_s": 2.0, "ranks": ranks})), 1.5)

    def test_nanoseconds(self):
        runs = [
            {"name": "decide/gss", "real_time": 3.5, "time_unit": "ns"},
            {"name": "assign_complete/10", "real_time": 0.05, "time_unit": "us"},
        ]
        times = readings.nanoseconds(json.dumps({"benchmarks": runs}))
        self.assertEqual(times["decide/gss"], 3.5)
        self.assertAlmostEqual(times["assign_complete/10"], 50)

    def test_a_benchmark_that_failed_is_refused(self):
        run = {"name": "decide/gss", "error_occurred": True, "error_message": "a size outside"}
        with self.assertRaisesRegex(readings.Unreadable, "a size outside"):
            readings.nanoseconds(json.dumps({"benchmarks": [run]}))

    def test_memory_in_use(self):
        def rollup(pss, shmem):
            return f"Rss:  99 kB\nPss:   {pss} kB\nPss_Dirty: 9 kB\nPss_Anon: 3 kB\nPss_Shmem:   {shmem} kB\n"

        def smaps(resident):
            return (f"7f00000-7f04000 rw-s 0 00:1a 5     /dev/shm/w.1 (deleted)\nSize: 16 kB\nRss:   {resident} kB\n"
                    "7f05000-7f06000 r--p 0 0 9 /lib/x.so\nSize: 4 kB\nRss:   4 kB\n")

        self.assertEqual(readings.proportional_bytes(rollup(70, 60)), (10 * 1024, 60 * 1024))
        self.assertEqual(readings.proportional_bytes(""), (0, 0))
        self.assertEqual(readings.shared_residents(smaps(8)), {"/dev/shm/w.1": 8 * 1024})
        while_mapping = [(rollup(20, 14), smaps(16)), (rollup(20, 14), smaps(4))]
        self.assertEqual(readings.memory_in_use(while_mapping), (6 + 6 + 16) * 1024)

    def test_processor_ticks_of_a_name_with_spaces(self):
        self.assertEqual(readings.used_ticks("7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0"), 42)

    def test_processor_shares_leave_out_begin_and_end(self):
        seen = [(0.0, {1: 0, 2: 0}), (1.0, {1: 100, 2: 90}), (3.0, {1: 300, 2: 92}), (4.0, {1: 400, 2: 192})]
        self.assertEqual(readings.shares(seen, 100, skip_s=1), {1: 1.0, 2: 0.01})
        with self.assertRaises(readings.Unreadable):
            readings.shares(seen[:2], 100, skip_s=1)


class Table(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual([table.number(x) for x in (0.1234, 1.234, 12.34, 123.4)], ["0.123", "1.23", "12.3", "123"])

    def test_spread(self):
        self.assertEqual(table.spread((3, 1, 2)), "2.00 (1.00..3.00)")
        self.assertEqual(table.spread((3,)), "3.00")
        self.assertEqual(table.spread(()), "-")

    def test_lines_are_aligned_and_fit_a_screen(self):
        figure = Figure("adaptive:128,32,256", (101.1, 99.0, 107.0), (108.0, 109.0, 110.0), Target(0.9))
        text = table.render([Group("matmul", "GFLOP/s", [figure, Figure("x", (1.0,))])])
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(len(rows), 4)
        self.assertEqual(len({len(row) for row in rows}), 1)
        self.assertLessEqual(len(rows[0]), 110)
        self.assertIn("101 (99.0..107)", rows[2])
        self.assertIn("reached", rows[2])


class Processes(unittest.TestCase):
    def test_output_comes_back(self):
        self.assertEqual(processes.run(["echo", "hello"]), "hello\n")

    def test_failure_says_which_and_why(self):
        with self.assertRaisesRegex(processes.Failed, "(?s)sh -c.*exit code 3.*no good"):
            processes.run(["sh", "-c", "echo no good >&2; exit 3"])

    def test_a_program_that_does_not_start_is_named(self):
        with self.assertRaisesRegex(processes.Failed, "/no/such does not start"):
            processes.run(["/no/such"])

    def test_time_limit_ends_all_that_was_started(self):
        seen = set()
        with self.assertRaisesRegex(processes.Failed, "more than 0.5 s"):
            processes.run(
                ["sh", "-c", "sleep 60 & sleep 60"],
                timeout_s=0.5,
                observe=lambda pid: seen.update(processes.descendants(pid)),
                every_s=0.1,
            )
        self.assertEqual(len(seen), 2)
        state = lambda pid: processes.read(f"/proc/{pid}/stat").rpartition(")")[2].split()[:1]
        deadline_s = time.monotonic() + 10
        while any(state(pid) not in ([], ["Z"]) for pid in seen) and time.monotonic() < deadline_s:
            time.sleep(0.02)
        for pid in seen:
            self.assertIn(state(pid), ([], ["Z"]))


class CommandLine(unittest.TestCase):
    def call(self, *words):
        command = [sys.executable, os.path.join(BENCH, "compare"), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def test_missing_programs_are_named_before_anything_runs(self):
        done = self.call("--build", "/nonexistent")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"error: .*bin/matmul is missing \(it is not built\); run: cmake")

    def test_interruption_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as build:
            os.mkdir(f"{build}/bin")
            for name in ("matmul", "fake_mpirun"):
                with open(f"{build}/bin/{name}", "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\nexec sleep 60\n")
                os.chmod(f"{build}/bin/{name}", 0o755)
            words = [sys.executable, os.path.join(BENCH, "compare"), "--only", "memory", "--build", build]
            child = subprocess.Popen([*words, "--mpirun", f"{build}/bin/fake_mpirun"], stderr=subprocess.PIPE, text=True)
            while not (below := processes.descendants(child.pid)):
                time.sleep(0.05)
            child.terminate()
            self.assertIn("error: interrupted", child.communicate(timeout=20)[1])
        self.assertEqual(child.returncode, 130)
        deadline_s = time.monotonic() + 5  # who is killed is gone when its new parent has noticed
        while any(processes.read(f"/proc/{pid}/comm") for pid in below) and time.monotonic() < deadline_s:
            time.sleep(0.02)
        self.assertEqual([processes.read(f"/proc/{pid}/comm") for pid in below], [""])

    def test_a_file_that_cannot_be_written_is_said_before_anything_runs(self):
        with tempfile.TemporaryDirectory() as build:
            os.mkdir(f"{build}/bin")
            for name in ("matmul", "mpirun"):
                os.symlink("/bin/false", f"{build}/bin/{name}")
            words = ("--only", "memory", "--build", build, "--mpirun", f"{build}/bin/mpirun", "--json")
            done = self.call(*words, "/nonexistent/kept.json")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"^error: cannot write /nonexistent/kept.json \(no such file or directory\); name")
            kept = f"{build}/kept.json"
            self.assertEqual(self.call(*words, kept).returncode, 1)
            with open(kept, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["groups"], [])

    def test_unknown_experiment(self):
        done = self.call("--only", "nothing")
        self.assertEqual(done.returncode, 2)
        self.assertIn("invalid choice: 'nothing'", done.stderr)


if __name__ == "__main__":
    unittest.main()
