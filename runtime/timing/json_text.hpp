#pragma once

#include <string>
#include <string_view>

namespace loadshare {

/// `text` as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD, so that one odd file name
/// cannot spoil a whole record.
std::string json_quoted(std::string_view text);

/// A time in seconds rounded to nanoseconds: finer digits are noise, and they double the size of a record.
double rounded_to_ns(double seconds);

/// Appends `seconds` rounded to nanoseconds; `null` where it is not finite, since JSON knows no NaN.
void append_seconds(std::string& out, double seconds);

}  // namespace loadshare
