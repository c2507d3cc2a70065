#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/program/reconstruction/pattern.hpp"
#include "models/program/reconstruction/traces.hpp"
#include "models/program/scaling/law.hpp"

namespace loadshare::reconstruction {

/// A profiled run of a program, reduced to what a timing graph of it is built from.
struct ProfiledRun {
  std::string name;          ///< for errors: the profile's file
  scaling::Setting setting;  ///< its parameters, and `p`
  double makespan_s = 0;
  std::vector<Trace> traces;  ///< by rank, from 0
};

/// Numbers for call sites, the same in all runs.
class Sites final {
 public:
  std::vector<std::uint32_t> numbers_of(const Trace& trace);
  const std::string& name(std::uint32_t number) const { return names_[number]; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
};

/// One rank of one run that plays a role: where it met each part of the pattern.
struct MemberRank {
  const ProfiledRun* run = nullptr;
  const Trace* trace = nullptr;
  Meetings meetings;
};

/// The ranks that do the same, and what they do. `first` and `last` are expressions in p.
struct Role {
  std::string first;
  std::string last;
  Pattern pattern;
  std::vector<MemberRank> members;  ///< of all runs
};

/// Parts the ranks of all runs into roles: those that do the same in the run on most ranks, neighbours
/// always, and whose bounds fit the other runs. One role is that of all ranks, from "0" to "p - 1". `runs`
/// must outlive the roles. Throws UsageError that names run, rank and call where a run does something else.
std::vector<Role> roles_of(std::span<const ProfiledRun> runs);

}  // namespace loadshare::reconstruction
