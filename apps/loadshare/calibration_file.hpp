#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/io/json.hpp"
#include "models/messages/calibration.hpp"

namespace loadshare::tool {

// The parts of a calibration file: how each is written, and read strictly. Ranks and launches that a part
// names must be among those that were read before it.

nlohmann::ordered_json series_json(const calibration::Launch& launch);
nlohmann::ordered_json series_json(const calibration::MessageSeries& series);
nlohmann::ordered_json series_json(const calibration::RoundTrips& trips);
nlohmann::ordered_json series_json(const calibration::CollectiveSeries& series);
nlohmann::ordered_json series_json(const calibration::ChunkSeries& series);

calibration::Launch read_launch(const Fields& fields, const calibration::Calibration& so_far);
calibration::MessageSeries read_messages(const Fields& fields, const calibration::Calibration& so_far);
calibration::RoundTrips read_round_trips(const Fields& fields, const calibration::Calibration& so_far);
calibration::CollectiveSeries read_collectives(const Fields& fields, const calibration::Calibration& so_far);
calibration::ChunkSeries read_chunks(const Fields& fields, const calibration::Calibration& so_far);

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
