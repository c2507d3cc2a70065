#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/profile.hpp"

namespace loadshare::profile {

/// A place in the source of a program.
struct CodePlace {
  std::string function;  ///< as a person names it: without parameters, and not more than its class before it
  std::string file;      ///< its path; empty: the program has no debug information (it was built without -g)
  int line = 0;

  bool operator==(const CodePlace&) const = default;
};

/// Places of a profile in the source of its programs.
struct CodePlaces {
  std::map<std::string, CodePlace>
      by_place;                    ///< by RankProfile::places; those that are not known are left out
  std::vector<std::string> notes;  ///< why some are not known
};

/// Asks `addr2line` (of Debian's binutils), which is started once a program or library. One that is not here
/// any more, or was built anew since the profile in the file `path` was taken, is left out. Never throws for
/// what cannot be found out.
CodePlaces code_places(const Profile& profile, const std::string& path);

/// What addr2line -Cfia prints of so many addresses; an unknown one is empty.
std::vector<CodePlace> parse_addr2line(const std::string& printed, std::size_t addresses);

/// "solve" of "solve(int)", "Solver::step" of "void science::Solver<double>::step<3>(int) const".
std::string short_function(const std::string& name);

}  // namespace loadshare::profile
