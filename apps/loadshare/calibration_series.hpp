#pragma once

#include <nlohmann/json.hpp>

#include "base/io/json.hpp"
#include "models/messages/calibration.hpp"

namespace loadshare::tool {

// The parts of a calibration file: how each is written, and read strictly. Ranks and launches that a part
// names must be among those that were read before it.

nlohmann::ordered_json series_json(const calibration::Launch& launch);
nlohmann::ordered_json series_json(const calibration::MessageSeries& series);
nlohmann::ordered_json series_json(const calibration::RoundTrips& trips);
nlohmann::ordered_json series_json(const calibration::BurstSeries& series);
nlohmann::ordered_json series_json(const calibration::CollectiveSeries& series);
nlohmann::ordered_json series_json(const calibration::RootedSeries& series);
nlohmann::ordered_json series_json(const calibration::ChunkSeries& series);

calibration::Launch read_launch(const Fields& fields, const calibration::Calibration& so_far);
calibration::MessageSeries read_messages(const Fields& fields, const calibration::Calibration& so_far);
calibration::RoundTrips read_round_trips(const Fields& fields, const calibration::Calibration& so_far);
calibration::BurstSeries read_bursts(const Fields& fields, const calibration::Calibration& so_far);
calibration::CollectiveSeries read_collectives(const Fields& fields, const calibration::Calibration& so_far);
calibration::RootedSeries read_rooted_calls(const Fields& fields, const calibration::Calibration& so_far);
calibration::ChunkSeries read_chunks(const Fields& fields, const calibration::Calibration& so_far);

}  // namespace loadshare::tool
