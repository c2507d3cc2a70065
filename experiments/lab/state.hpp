#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/lab/plan.hpp"
#include "experiments/lab/subnet.hpp"

namespace loadshare::lab {

/// The user of a lab that a person made: it stays until a person takes it down.
inline constexpr const char* by_hand = "";

enum class GroupVersion { v1 = 1, v2 = 2 };

/// Where a lab's control groups are: `folder` is the lab's own, with one for each host below.
struct GroupPlace {
  GroupVersion version = GroupVersion::v1;
  std::filesystem::path folder;
};

/// What a host was given on this machine.
struct HostPlace {
  std::string address;
  std::vector<int> processors;
};

/// Everything needed to use a lab and to take it down, whatever has become of whoever made it: written before
/// the first thing is made.
struct LabState {
  LabPlan plan;
  std::string file;                ///< the lab file it was made from, for people
  bool is_up = false;              ///< false while it is being made or taken down
  std::vector<std::string> users;  ///< who asked for it; by_hand: a person
  Subnet subnet;
  GroupPlace groups;
  std::vector<HostPlace> places;  ///< places[i] is that of plan.hosts[i]

  /// The index of the host of this name; throws UsageError where there is none.
  std::size_t host(const std::string& name) const;
};

std::string to_json(const LabState& state);

/// Throws Error (run_failed) where `text` is no lab's state; `path` is named then.
LabState from_json(const std::string& text, const std::filesystem::path& path);

}  // namespace loadshare::lab
