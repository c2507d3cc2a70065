#pragma once

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace loadshare {

/// A duration as a person says it, three digits: "512 us", "1.26 s", "3 min 12 s", "2 h 05 min".
std::string duration_text(double seconds);

/// A duration on a clock's face, rounded to seconds: "0:12", "1:02:03".
std::string clock_text(double seconds);

/// A floating-point rate: "104.6 GFLOP/s", "812 kFLOP/s".
std::string flops_text(double operations_per_s);

/// A share of 1 in percent with one digit behind the point: "96.2 %"; "-" where it is not finite.
std::string percent_text(double share);

/// A whole number with its thousands marked: "1,234,567".
std::string grouped_text(Index number);

/// A number of things, with "1 chunk" for one of the "chunks".
std::string count_text(Index number, std::string_view singular, std::string_view plural);
/// The same of a plural whose singular lacks its last letter: "1 column" of "columns".
std::string count_text(Index number, std::string_view plural);

/// Breaks `text` between words into lines of at most `width` characters, each but the first behind `indent`
/// spaces (which count); longer words stay whole. No line end at the end.
std::string wrapped(std::string_view text, int width, int indent);

/// A text from outside (a host's name, the reason of a failure, a path), safe to print within a line. Control
/// characters, characters that change the direction of writing, and bytes that are not UTF-8 are shown as \n,
/// \t or \x1b. A text longer than `most_bytes` is cut.
std::string printable(std::string_view text, std::size_t most_bytes = 2000);
/// The same for each line of a text of ours that contains such texts, of any length.
std::string printable_lines(std::string_view text);

/// A time of day as files keep it: "2026-01-31T12:00:00Z".
std::string utc_text(std::time_t time);

}  // namespace loadshare
