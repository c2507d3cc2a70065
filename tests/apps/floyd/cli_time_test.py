"""floyd's processor time, which other running programs would change."""

from spmd_cli import SpmdCase


class Times(SpmdCase):
    def test_work_is_done_over(self):
        self.check_work("--size", 500, ranks=1)
