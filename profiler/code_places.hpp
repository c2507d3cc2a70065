#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/profile.hpp"

namespace loadshare::profile {

/// A position in a program's source.
struct CodePlace {
  std::string function;  ///< short form: without parameters, at most one class name in front
  std::string file;      ///< path; empty if the program has no debug information (was built without -g)
  int line = 0;

  bool operator==(const CodePlace&) const = default;
};

/// The source positions of a profile's places.
struct CodePlaces {
  std::map<std::string, CodePlace> by_place;  ///< key: RankProfile::places; unknown ones are absent
  std::vector<std::string> notes;             ///< why some are unknown
};

/// Looks the places up with `addr2line` (of Debian's binutils), which is started once per program or library.
/// Leaves out files that no longer exist or were rebuilt after the profile `path` was taken. Never throws
/// because a place is unknown.
CodePlaces code_places(const Profile& profile, const std::string& path);

/// Parses the output of `addr2line -Cfia` for that number of addresses. The result of an unknown address is
/// empty.
std::vector<CodePlace> parse_addr2line(const std::string& printed, std::size_t addresses);

/// Shortens a demangled name: "solve(int)" to "solve", and "void science::Solver<double>::step<3>(int) const"
/// to "Solver::step".
std::string short_function(const std::string& name);

}  // namespace loadshare::profile
