#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/efficiency/study.hpp"

namespace loadshare::tool {

using granularity::Point, granularity::Setting, granularity::SettingStudy, granularity::SourcedRun,
    granularity::SpeedBasis, granularity::Study, granularity::StudyRequest;

/// A table of what the time inside MPI went to, by call and place, the greatest first and as shares of all
/// ranks' time; empty where the point is not one profile.
std::string losses_text(const Point& point);

/// As JSON, all of them; null where the point is not one profile.
nlohmann::ordered_json losses_json(const Point& point);

/// What a person reads of one setting on one number of ranks, in lines of at most 100 characters: each figure
/// with a sentence on what it means, then the ranks. With more than 32 ranks the middle ones are left out.
std::string point_text(const Point& point, const SettingStudy& setting);

/// What `loadshare metrics` says of every figure, in ASCII lines of at most 100 characters.
std::string details_text(const Study& study);

/// Which problem keeps the wanted efficiency on how many processors. Ends with an empty line.
std::string isoefficiency_text(const Study& study, double kept_efficiency);

/// What there is to know beside the figures, a sentence each.
std::vector<std::string> all_notes(const Study& study);

/// Three digits, "infinite", or "-" where it is not known.
std::string number_text(const granularity::Figure& figure);

/// In percent with one digit behind the point and without the sign; "-" where it is not known.
std::string percent_cell(const granularity::Figure& share);

/// "synthetic: gss, 400 iterations"; of several settings also the options in which they differ.
std::string setting_text(const Setting& setting, const std::vector<SettingStudy>& all);

}  // namespace loadshare::tool
