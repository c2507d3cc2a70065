#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// Returns where this process may make control groups with a CPU quota: in its own group or, in version 2, in
/// the nearest group above it that can pass the cpu controller on. Reads /proc/self/cgroup and
/// /proc/self/mountinfo below `root`, which is "/" except in tests. Returns nothing if there is no cpu
/// controller, or none that can be written.
std::optional<GroupPlace> find_group_place(const std::filesystem::path& root = "/");

/// The control groups of one lab: one with a quota per host, and one without for the daemons that start
/// ranks. Each host's group contains two groups of equal weight, for ranks and for background load. In a
/// common group every thread of a rank would compete with the load, and a load of one half would get less
/// than half. A third group is for the host's beat, because only wake-ups outside the ranks' group make the
/// kernel check the quota.
class ControlGroups final {
 public:
  explicit ControlGroups(GroupPlace place) : place_(std::move(place)) {}

  /// Makes all groups. Throws Error (run_failed).
  void make(const LabPlan& plan) const;

  /// Moves this process into a host's group for ranks or for its beat, into the group of all hosts without a
  /// share, or into the daemons' group. Throws Error (run_failed).
  void enter_host(const std::string& host) const;
  void enter_beat(const std::string& host) const;
  void enter_free() const;
  void enter_daemons() const;
  /// Returns the group of a host's background load.
  std::filesystem::path load_folder(const std::string& host) const;

  /// Whether the groups exist. They are gone when the machine has been restarted.
  bool exist() const;
  bool has_this_process() const;
  /// Returns the number of processes of a host's ranks and load.
  std::size_t processes(const std::string& host) const;

  /// Kills every process in the groups and removes them. Missing groups are not an error. Throws Error
  /// (run_failed) if processes do not end within seconds.
  void remove() const;

 private:
  std::filesystem::path host_folder(const std::string& host) const;
  std::filesystem::path ranks_folder(const std::string& host) const;
  std::filesystem::path beat_folder(const std::string& host) const;
  std::filesystem::path free_folder() const;
  std::filesystem::path daemons_folder() const;
  void set_weight(std::size_t hosts) const;
  void set_quota(const std::filesystem::path& group, double share, int period_us) const;

  GroupPlace place_;
};

}  // namespace loadshare::lab
