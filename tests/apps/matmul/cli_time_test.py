"""matmul's processor time, and runs with little address space. Sanitizers would change both."""

import resource
import unittest

from matmul_cli import MatmulCase
from processes import in_one_line
from tcp_farm import TcpCase


class Times(MatmulCase):
    def test_work_is_done_so_many_times(self):
        for kernel in ("packed", "blas", "naive"):
            with self.subTest(kernel=kernel):
                words = ("--size", 200, "--workers", 1, "--scheduler", "send:40", "--kernel", kernel)
                once, often = self.record(*words), self.record(*words, "--work", 50)
                self.assertEqual((often["verified"], often["options"]["work"], once["options"]["work"]), (True, 50, 1))
                self.assertEqual((once["operations"], often["operations"]), (2.0 * 200**3, 50 * 2.0 * 200**3))
                # The smallest time, because the first chunks include page faults.
                least = [min(chunk["cpu_s"] for chunk in record["chunks"]) for record in (once, often)]
                self.assertGreater(least[1], 10 * least[0])


class FewAddresses(MatmulCase):
    def test_threads_that_cannot_be_started(self):
        limit = 1 << 30  # address space; every thread's stack takes 8 MiB
        done = self.run_program("--size", 10, "--workers", 900,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Aerror: only \d+ of 900 worker threads could be started \(.+\); use fewer --workers\n\Z")


class FewAddressesOfAMember(TcpCase):
    def test_a_member_with_few_addresses_leaves_and_the_master_continues(self):
        limit = 1 << 30
        master = self.listen("--size", 1500, "--workers", 1, "--expect", 901, "--scheduler", "send:3")
        member = self.start("--join", master.address, "--workers", 900, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual((member.ended(), master.ended()), (1, 0), member.stderr + master.stderr)
        self.assertRegex(in_one_line(member.stderr), r"error: only \d+ of 900 worker threads could be started .+ use fewer --workers")
        self.assertRegex(member.stderr, r"may use 1 GiB of address space \(ulimit -v\)")
        self.assertIn(" left\n", master.stderr)


if __name__ == "__main__":
    unittest.main()
