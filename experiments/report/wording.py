"""Numbers and names as text for people."""

import math
import re
import shlex

UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
PIECE = re.compile(r"[^ ,/]*[ ,/]*")  # of a line, which may be broken after each
NO_BREAK = "\u00a0"
LABEL_CHARACTERS = 32


def unit_of(seconds):
    """Returns (unit, its length in seconds) for showing a time: s, ms, µs."""
    units = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
    return next((unit for unit in units if abs(seconds) >= unit[1]), units[-1])


def seconds_text(seconds):
    """Returns four digits and a unit: 512.3 µs, 3.402 s."""
    if seconds is None:
        return "–"
    unit, length_s = unit_of(seconds)
    return f"{_digits(seconds / length_s, 4)} {unit}"


def _digits(number, digits):
    before_point = 1 + math.floor(math.log10(abs(number))) if number else 1
    return f"{number:.{max(0, digits - before_point)}f}"


def interval_text(interval, text=seconds_text):
    return f"{text(interval[0])} to {text(interval[1])}" if interval else "–"


def ratio_text(ratio):
    return f"{ratio:.3f}"


def ratio_interval_text(ratio):
    """Returns `1.034 (1.021 to 1.048)`, without the interval if there is none."""
    middle, low, high = ratio
    return ratio_text(middle) + (f" ({ratio_text(low)} to {ratio_text(high)})" if low is not None else "")


def counted(count, noun):
    """Returns `1 run`, `2 runs`."""
    return f"{count} {noun}{'s' * (count != 1)}"


def percent_text(share):
    return "–" if share is None else f"{100 * share:.1f} %"


def p_text(p):
    if p is None:
        return "–"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.1 else f"{p:.2f}"


def setting_text(setting):
    """Returns `master = works, master-rank = 6`."""
    return ", ".join(f"{name} = {value}" for name, value in setting.items())


def differing_first(settings):
    """Returns the settings with the names that differ among them first, shortest values first."""
    def rank(name):
        values = {str(setting.get(name)) for setting in settings}
        return len(values) < 2, max(map(len, values))
    return [dict(sorted(setting.items(), key=lambda entry: rank(entry[0]))) for setting in settings]


def visible(text, kept=""):
    """Returns `text` with control characters, except those in `kept`, as escapes like \\n and \\x1b."""
    def escape(match):
        character = match.group()
        return character if character in kept else character.encode("unicode_escape").decode("ascii")
    return UNPRINTABLE.sub(escape, text)


def file_word(path):
    """Returns a file's name as typed in a command: quoted for a shell, and with ./ before a leading dash."""
    return shlex.quote(f"./{path}" if str(path).startswith("-") else str(path))


def shortened(text, most=LABEL_CHARACTERS):
    """Returns `text`, or its start and end if it is longer, because figures have no room for more next to an axis."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def wrapped(text, columns):
    """Breaks `text` into lines of at most `columns` characters, after blanks, commas and slashes if possible.

    A name and its value, `name = value`, stay together if possible.
    """
    lines = [""]
    for piece in PIECE.findall(text.replace(" = ", f"{NO_BREAK}={NO_BREAK}")):
        for part in (piece[at:at + columns] for at in range(0, len(piece), columns)):
            if lines[-1] and len(lines[-1] + part.rstrip(" ")) > columns:
                lines.append("")
            lines[-1] += part
    return "\n".join(line.rstrip(" ") for line in lines).replace(NO_BREAK, " ")
