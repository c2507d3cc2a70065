#pragma once

#include <string>

#include "models/messages/calibration.hpp"

namespace loadshare::tool {

/// Writes the calibration as JSON, a series a line, its times in whole nanoseconds, so that several launches
/// of all sizes stay within some megabytes. An old file stays whole until the new one is complete. Throws
/// Error (run_failed).
void write_calibration(const std::string& path, const calibration::Calibration& calibration);

/// Reads one. Throws UsageError that names the path, and the line of the part that is wrong.
calibration::Calibration read_calibration(const std::string& path);

/// What is between the two.
std::string to_json(const calibration::Calibration& calibration);
calibration::Calibration parse_calibration(const std::string& text, const std::string& path);

}  // namespace loadshare::tool
