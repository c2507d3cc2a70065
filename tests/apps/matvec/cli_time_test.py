"""matvec's processor time, which other running programs would change."""

from farm_cli import FarmCase


class Times(FarmCase):
    def test_a_repeated_product_takes_longer(self):
        some, more = (min(sum(rank["computing_s"] for rank in self.record(
            "--size", 400, "--workers", 1, "--repeat", repeat)["ranks"]) for _ in range(3)) for repeat in (50, 200))
        self.assertGreater(more, 2 * some)
        self.assertLess(more, 8 * some)
