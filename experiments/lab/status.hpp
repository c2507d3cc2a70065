#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// A lab as it is now.
struct LabStatus {
  LabState state;
  std::vector<std::optional<std::size_t>> processes;  ///< inside each host's share; nothing: it has none
};

LabStatus look_at(const LabState& state);

/// A table of its hosts, for people.
std::string status_table(const LabStatus& status);

/// All of them as one line of JSON: a list of labs.
std::string status_json(std::span<const LabStatus> labs);

}  // namespace loadshare::lab
