#pragma once

#include <string>
#include <vector>

#include "models/reconstruction/element.hpp"
#include "models/scaling/term.hpp"

namespace loadshare::reconstruction {

/// A profiled run of a program, reduced to what a timing graph of it is built from.
struct ProfiledRun {
  std::string name;          ///< for errors: the profile's file
  scaling::Setting setting;  ///< its parameters, and `p`
  double makespan_s = 0;
  std::vector<Trace> traces;  ///< by rank, from 0
};

}  // namespace loadshare::reconstruction
