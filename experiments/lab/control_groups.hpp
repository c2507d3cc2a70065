#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/lab/state.hpp"

namespace loadshare::lab {

/// Where this process may make control groups with a CPU quota: in the group it is in or, in version 2, in
/// the nearest group above that can hand the cpu controller on. Found from /proc/self/cgroup and
/// /proc/self/mountinfo; `root` stands for "/" (tests make up another). Nothing where there is no cpu
/// controller, or where it cannot be written.
std::optional<GroupPlace> find_group_place(const std::filesystem::path& root = "/");

/// The groups of one lab: one a host, with a quota, and one without for the daemons that start ranks. A
/// host's holds two of equal weight, for its ranks and for its background load: in one, a rank's threads
/// would count beside the load's, and a load of one half would get less than half. A third is for its beat:
/// waking beside the ranks' group, not in it, is what makes the kernel look at the quota.
class ControlGroups final {
 public:
  explicit ControlGroups(GroupPlace place) : place_(std::move(place)) {}

  /// Makes them all. Throws Error (run_failed).
  void make(const LabPlan& plan) const;

  /// Moves this process into a host's group of ranks or of its beat, into that of all hosts without a share,
  /// or into the daemons'. Throws Error (run_failed).
  void enter_host(const std::string& host) const;
  void enter_beat(const std::string& host) const;
  void enter_free() const;
  void enter_daemons() const;
  /// The group of a host's background load.
  std::filesystem::path load_folder(const std::string& host) const;

  /// Whether they were made and nobody took them away: when a machine starts anew, they are gone.
  bool are_there() const;
  bool has_this_process() const;
  /// Of its ranks and its load.
  std::size_t processes(const std::string& host) const;

  /// Ends every process in them, and them. Those that are not there (any more) are no error; throws Error
  /// (run_failed) when processes do not end within seconds.
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
