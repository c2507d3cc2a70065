#pragma once

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace loadshare {

/// Returns a duration with three digits and its unit: "512 us", "1.26 s", "3 min 12 s", "2 h 05 min".
std::string duration_text(double seconds);

/// Returns a duration in the form of a clock, rounded to seconds: "0:12", "1:02:03".
std::string clock_text(double seconds);

/// Returns a floating-point rate: "104.6 GFLOP/s", "812 kFLOP/s".
std::string flops_text(double operations_per_s);

/// Returns a share of 1 in percent with one decimal: "96.2 %", or "-" if it is not finite.
std::string percent_text(double share);

/// Returns an integer with separated thousands: "1,234,567".
std::string grouped_text(Index number);

/// Returns a number and its noun: "1 chunk", "3 chunks".
std::string count_text(Index number, std::string_view singular, std::string_view plural);
/// The same for a plural that only adds a letter: "1 column" from "columns".
std::string count_text(Index number, std::string_view plural);

/// Breaks `text` between words into lines of at most `width` characters; longer words stay whole. All lines
/// but the first begin with `indent` spaces, which count. The text has no line end at its end.
std::string wrapped(std::string_view text, int width, int indent);

/// Puts `indent` spaces before each line of `text` but the first.
std::string hung(std::string_view text, int indent);

/// Breaks the lines of `text` that take more than `width` columns, between words. The rest of such a line is
/// aligned with the text behind the line's label: a first word that ends in ':' or has two spaces behind it.
/// Without a label it is indented by `hang`; if the line is indented, by two more than the line. Longer words
/// stay whole.
std::string fitted(std::string_view text, int width, int hang = 2);

/// Joins lines that were broken to fit, and breaks them as fitted() does. A line goes on in the next one
/// unless it ends with a sentence or a colon, or the next one is indented or empty.
std::string fitted_paragraphs(std::string_view text, int width);

/// Returns a text from outside (a host's name, the reason of a failure, a path) in a form that is safe within
/// a line. Control characters, characters that change the direction of writing, and bytes that are not UTF-8
/// appear as \n, \t or \x1b. A text longer than `most_bytes` is cut.
std::string printable(std::string_view text, std::size_t most_bytes = 2000);
/// Applies printable() to each line of a text of any length.
std::string printable_lines(std::string_view text);

/// Returns a time in the form used in files: "2026-01-31T12:00:00Z".
std::string utc_text(std::time_t time);

}  // namespace loadshare
