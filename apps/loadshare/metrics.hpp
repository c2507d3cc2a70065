#pragma once

#include <span>
#include <string>

namespace loadshare::tool {

/// What the runs of sweeps' folders say by the granularity model, for the report, as JSON: `schema`, and in
/// `folders` for each its `folder`, its `study` (see study_json(); null where no run tells where its time
/// went, as with programs of one's own), and `notes`: what was left out, or why there is no study.
std::string efficiencies_json(std::span<const std::string> folders);

}  // namespace loadshare::tool
