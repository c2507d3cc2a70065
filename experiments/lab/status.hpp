#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// The present status of a lab.
struct LabStatus {
  LabState state;
  std::vector<std::optional<std::size_t>>
      processes;  ///< number within each host's share; nothing if the host has no share
};

LabStatus look_at(const LabState& state);

/// Returns a table of its hosts, for people.
std::string status_table(const LabStatus& status);

/// Returns all labs as one line of JSON, a list.
std::string status_json(std::span<const LabStatus> labs);

}  // namespace loadshare::lab
