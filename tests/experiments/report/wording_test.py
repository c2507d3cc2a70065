"""Numbers and names as text for people."""

import unittest

from report.wording import (counted, file_word, interval_text, p_text, ratio_interval_text, seconds_text, shortened, differing_first,
                            visible, wrapped)


class Wording(unittest.TestCase):
    def test_seconds(self):
        self.assertEqual([seconds_text(seconds) for seconds in (3.40159, 12.3456, 1234.5, 0.0123456, 0.00051234, None)],
                         ["3.402 s", "12.35 s", "1234 s", "12.35 ms", "512.3 µs", "–"])
        self.assertEqual(interval_text((1.0, 2.5)), "1.000 s to 2.500 s")
        self.assertEqual(interval_text(None), "–")

    def test_ratio(self):
        self.assertEqual(ratio_interval_text((1.0341, 1.021, 1.0476)), "1.034 (1.021 to 1.048)")
        self.assertEqual(ratio_interval_text((1.0341, None, None)), "1.034")

    def test_counts(self):
        self.assertEqual([counted(count, "run") for count in (0, 1, 2)], ["0 runs", "1 run", "2 runs"])

    def test_p_values_have_few_digits(self):
        self.assertEqual([p_text(p) for p in (0.00002, 0.0123, 0.34, None)], ["< 0.0001", "0.0123", "0.34", "–"])

    def test_a_long_title_is_broken_and_keeps_every_character(self):
        self.assertEqual(wrapped("size = 9, load = on=500ms,off=500ms,where=all", 24),
                         "size = 9,\nload = on=500ms,\noff=500ms,where=all")
        self.assertEqual(wrapped("x" * 9, 4), "xxxx\nxxxx\nx")
        self.assertEqual((wrapped("", 9), wrapped("a, b", 9), wrapped("a, b = c", 6)), ("", "a, b", "a,\nb = c"))

    def test_differing_names_of_settings_come_first(self):
        load = "on=500ms,off=500ms"
        ordered = differing_first([{"master": "works", "load": load, "size": 9}, {"master": "works", "load": "none", "size": 8}])
        self.assertEqual([list(setting) for setting in ordered], [["size", "load", "master"]] * 2)
        self.assertEqual(ordered[0], {"master": "works", "load": load, "size": 9})

    def test_characters_that_cannot_be_seen_are_escaped(self):
        self.assertEqual(visible("a\nb\t\x1b[1m \ud800 \u202e ü 😀"), "a\\nb\\t\\x1b[1m \\ud800 \\u202e ü 😀")
        self.assertEqual(visible("a\nb\tc\0", kept="\n\t"), "a\nb\tc\\x00")

    def test_long_labels_have_a_begin_and_an_end(self):
        self.assertEqual(shortened("abcdefgh", 8), "abcdefgh")
        self.assertEqual(shortened("abcdefghi", 8), "abcd…fghi")

    def test_a_file_in_a_command_is_no_option(self):
        self.assertEqual([file_word(name) for name in ("a.yaml", "-a.yaml", "a b", "$x")], ["a.yaml", "./-a.yaml", "'a b'", "'$x'"])


if __name__ == "__main__":
    unittest.main()
