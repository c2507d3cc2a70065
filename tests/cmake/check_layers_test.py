#!/usr/bin/env python3
"""The layer check on small trees: trees that must pass, trees that must fail, and the messages."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cmake"))
import check_layers


def run_on(files):
    """Writes {path: text} to an empty tree, checks it, and returns (exit code, output)."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return run_with([root])


def run_with(arguments):
    """Runs it from the command line; returns (exit code, output)."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = check_layers.main(arguments)
    return code, output.getvalue()


class Layers(unittest.TestCase):
    def expect_good(self, path, include):
        code, output = run_on({path: f"#include {include}\n"})
        self.assertEqual((code, output), (0, ""))

    def expect_bad(self, path, include, reason):
        code, output = run_on({path: f"#pragma once\n#include {include}\n"})
        self.assertEqual(code, 1, output)
        self.assertTrue(output.startswith(f"{path}:2: "), output)
        self.assertIn(reason, output)
        self.assertEqual(output.count("\n"), 1)

    def test_empty_tree_is_good(self):
        self.assertEqual(run_on({}), (0, ""))

    def test_downward_includes_are_good(self):
        for path, include in (
            ("schedulers/gss.cpp", '"base/types.hpp"'),
            ("schedulers/gss.cpp", "<vector>"),
            ("runtime/dispatch/dispatcher.hpp", '"base/types.hpp"'),
            ("runtime/dispatch/dispatcher.hpp", '"runtime/dispatch/pool.hpp"'),
            ("runtime/farm/farm.cpp", '"runtime/transport/endpoint.hpp"'),
            ("runtime/transport/waiting.cpp", '"runtime/host/clock.hpp"'),
            ("runtime/host/clock.cpp", "<chrono>"),
            ("runtime/records/json.cpp", "<nlohmann/json.hpp>"),
            ("runtime/transport/mpi/master.cpp", "<mpi.h>"),
            ("runtime/transport/mpi_check.hpp", "<mpi.h>"),
            ("runtime/transport/tcp.cpp", "<asio/ip/tcp.hpp>"),
            ("models/farm/simulation.cpp", '"runtime/dispatch/dispatcher.hpp"'),
            ("models/farm/simulation.cpp", '"runtime/records/records.hpp"'),
            ("apps/matmul/main.cpp", '"runtime/farm/farm.hpp"'),
            ("apps/matmul/main.cpp", '"apps/matmul/kernel.hpp"'),
            ("apps/matmul/main.cpp", '"program/options.hpp"'),
            ("apps/cannon/job.cpp", '"apps/spmd/session.hpp"'),
            ("apps/spmd/exchange.cpp", "<mpi.h>"),
            ("apps/loadshare/mpi/pair_link.cpp", "<mpi.h>"),
            ("base/io/files.cpp", '"base/error.hpp"'),
            ("base/io/files.cpp", "<fmt/format.h>"),
            ("program/application.cpp", '"models/farm/simulation.hpp"'),
            ("apps/loadshare/chunk_rates.cpp", '"apps/matmul/kernel.hpp"'),
            ("runtime/load/injector.cpp", '"runtime/host/clock.hpp"'),
            ("runtime/load/injector.cpp", "<asio/steady_timer.hpp>"),
            ("runtime/load/injector.cpp", "<asio.hpp>"),
            ("runtime/farm/farm.cpp", '"runtime/load/injector.hpp"'),
            ("experiments/sweep/plan.cpp", '"experiments/yaml/document.hpp"'),
            ("experiments/sweep/plan.cpp", '"base/io/wording.hpp"'),
            ("experiments/sweep/plan.cpp", '"base/error.hpp"'),
            ("experiments/yaml/document.cpp", "<yaml-cpp/yaml.h>"),
            ("models/program/timing_graph/expression.cpp", "<muParser.h>"),
            ("apps/loadshare/sweep.cpp", '"experiments/sweep/plan.hpp"'),
            ("tests/experiments/sweep_test.cpp", "<yaml-cpp/yaml.h>"),
            ("tests/runtime/farm_test.cpp", '"apps/matmul/kernel.hpp"'),
            ("bench/loop.cpp", "<mpi.h>"),
        ):
            with self.subTest(path=path, include=include):
                self.expect_good(path, include)

    def test_upward_includes_are_bad(self):
        for path, include in (
            ("schedulers/gss.cpp", '"runtime/records/records.hpp"'),
            ("schedulers/gss.cpp", "<loadshare/runtime/records/records.hpp>"),
            ("runtime/dispatch/dispatcher.hpp", '"runtime/records/records.hpp"'),
            ("runtime/records/json.cpp", '"runtime/dispatch/dispatcher.hpp"'),
            ("runtime/records/json.cpp", '"runtime/transport/lane.hpp"'),
            ("runtime/transport/lanes.cpp", '"runtime/farm/farm.hpp"'),
            ("runtime/farm/farm.cpp", '"models/farm/simulation.hpp"'),
            ("runtime/farm/farm.cpp", '"apps/matmul/kernel.hpp"'),
            ("models/farm/simulation.cpp", '"runtime/farm/farm.hpp"'),
            ("models/farm/simulation.cpp", '"runtime/host/clock.hpp"'),
            ("apps/matmul/main.cpp", '"bench/loop.hpp"'),
            ("apps/matmul/main.cpp", '"experiments/sweep/plan.hpp"'),
            ("apps/synthetic/main.cpp", '"apps/matmul/kernel.hpp"'),
            ("apps/matmul/job.cpp", '"apps/spmd/session.hpp"'),
            ("apps/spmd/session.cpp", '"apps/cannon/job.hpp"'),
            ("apps/floyd/job.cpp", '"apps/cannon/job.hpp"'),
            ("program/application.cpp", '"apps/matmul/kernel.hpp"'),
            ("experiments/sweep/plan.cpp", '"program/command_line.hpp"'),
            ("experiments/sweep/plan.cpp", '"models/farm/simulation.hpp"'),
            ("experiments/sweep/plan.cpp", '"apps/loadshare/output.hpp"'),
            ("experiments/sweep/plan.cpp", '"runtime/farm/farm.hpp"'),
            ("models/farm/simulation.cpp", '"experiments/sweep/plan.hpp"'),
            ("runtime/records/json.cpp", '"experiments/sweep/plan.hpp"'),
            ("runtime/load/injector.cpp", '"runtime/transport/lane.hpp"'),
            ("runtime/load/injector.cpp", '"runtime/farm/farm.hpp"'),
            ("schedulers/gss.cpp", '"base/io/files.hpp"'),
            ("base/error.cpp", '"base/io/files.hpp"'),
            ("base/io/files.cpp", '"schedulers/gss.hpp"'),
            ("models/messages/fit.cpp", '"models/farm/simulation.hpp"'),
            ("program/application.cpp", '"apps/matmul/kernel.hpp"'),
            ("schedulers/gss.cpp", '"tests/fakes.hpp"'),
        ):
            with self.subTest(path=path, include=include):
                self.expect_bad(path, include, "may use")

    def test_pure_rooms_have_no_clock_thread_or_library(self):
        for path in ("base/nearest.cpp", "schedulers/gss.cpp", "runtime/dispatch/dispatcher.cpp"):
            for include in ("<chrono>", "<ctime>", "<thread>"):
                with self.subTest(path=path, include=include):
                    self.expect_bad(path, include, "no clock, thread or file")
            for include in ("<time.h>", "<fmt/core.h>", "<unistd.h>", '"fmt/core.h"'):
                with self.subTest(path=path, include=include):
                    self.expect_bad(path, include, "standard library only")

    def test_outside_libraries_stay_in_their_place(self):
        self.expect_bad("runtime/farm/farm.cpp", "<mpi.h>", "MPI stays in runtime/transport/mpi")
        self.expect_bad("runtime/transport/tcp.cpp", "<mpi.h>", "MPI stays in")
        self.expect_bad("apps/loadshare/doctor.cpp", "<mpi.h>", "MPI stays in")
        self.expect_bad("schedulers/gss.cpp", "<mpi.h>", "MPI stays in")
        for path in ("runtime/farm/farm.cpp", "runtime/records/json.cpp", "apps/loadshare/load.cpp",
                     "experiments/lab/lab.cpp"):
            with self.subTest(path=path):
                self.expect_bad(path, "<asio.hpp>", "Asio stays in runtime/load/, runtime/transport/")
        for path in ("apps/loadshare/sweep.cpp", "apps/synthetic/options.cpp", "runtime/load/spec.cpp",
                     "models/farm/simulation.cpp", "schedulers/spec.cpp"):
            with self.subTest(path=path):
                self.expect_bad(path, "<yaml-cpp/yaml.h>", "yaml-cpp stays in experiments/")
                self.expect_bad(path, "<muParser.h>", "muParser stays in models/program/")

    def test_a_folder_of_no_room_is_reported(self):
        self.expect_bad("runtime/wire/frame.cpp", '"base/types.hpp"', "runtime/wire/frame.cpp is in no room")
        self.expect_bad("apps/matmul/main.cpp", '"runtime/wire/frame.hpp"', "runtime/wire/frame.hpp is in no room")

    def test_paths_start_at_the_top(self):
        self.expect_bad("schedulers/gss.cpp", '"types.hpp"', "paths start at the top")
        self.expect_bad("runtime/farm/farm.cpp", '"../../base/types.hpp"', "paths start at the top")

    def test_odd_spelling_is_seen_and_comments_are_not(self):
        self.expect_bad("schedulers/gss.cpp", "<mpi.h>  // why not", "MPI")
        self.assertEqual(run_on({"schedulers/gss.cpp": "  #  include<mpi.h>\n"})[0], 1)
        self.assertEqual(run_on({"schedulers/gss.cpp": "// #include <mpi.h>\n"}), (0, ""))

    def test_every_violation_is_named(self):
        code, output = run_on({
            "schedulers/a.cpp": "#include <chrono>\n#include <mpi.h>\n",
            "schedulers/b.hpp": "#include <thread>\n",
        })
        self.assertEqual(code, 1)
        self.assertEqual([line.split(": ")[0] for line in output.splitlines()],
                         ["schedulers/a.cpp:1", "schedulers/a.cpp:2", "schedulers/b.hpp:1"])

    def test_too_many_arguments_is_a_usage_error(self):
        code, output = run_with(["a", "b"])
        self.assertEqual(code, 2)
        self.assertIn("usage", output)


if __name__ == "__main__":
    unittest.main()
