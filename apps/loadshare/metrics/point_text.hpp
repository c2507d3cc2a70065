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

/// How to read the first place in the code that the table of a point's losses names by its address
/// (`floyd+0x282fe`): the command that says its function and line. Empty where there is none.
std::string code_place_note(const Point& point);

/// What a person reads of one setting on one number of ranks, in lines of at most 100 characters: each figure
/// with a sentence on what it means, then the ranks. With more than 32 ranks the middle ones are left out.
std::string point_text(const Point& point, const SettingStudy& setting);

}  // namespace loadshare::tool
