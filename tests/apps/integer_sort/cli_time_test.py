"""integer_sort's processor time, which other running programs would change."""

from spmd_cli import SpmdCase


class Times(SpmdCase):
    SIZE = "class"

    def test_work_is_done_over(self):
        self.check_work("--class", "W", ranks=1)
