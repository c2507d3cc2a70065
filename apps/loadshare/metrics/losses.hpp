#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/loadshare/metrics/study.hpp"

namespace loadshare::tool {

/// A table of what the time inside MPI went to, by call and place, the greatest first and as shares of all
/// ranks' time; empty where the point is not one profile.
std::string losses_text(const Point& point);

/// The losses in that table.
std::vector<waiting::Loss> shown_losses(const Point& point);

/// As JSON, all of them; null where the point is not one profile.
nlohmann::ordered_json losses_json(const Point& point);

}  // namespace loadshare::tool
