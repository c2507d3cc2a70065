#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/program/reconstruction/roles.hpp"
#include "models/program/scaling/fit_law.hpp"
#include "models/program/scaling/law.hpp"
#include "models/program/scaling/variance_function.hpp"
#include "models/program/timing_graph/graph.hpp"

namespace loadshare::reconstruction {

/// A partial time of the program: a computing segment, or a call that timing graphs know only by its time.
struct PartialTime {
  std::string label;                  ///< of its step in the graph
  scaling::Law law;                   ///< seconds, over the settings of the runs
  double share = 0;                   ///< of the makespan, in the run where it is the largest
  scaling::VarianceFunction singles;  ///< of single times about their rank's mean
  scaling::VarianceFunction ranks;    ///< of ranks in one run about their mean
  bool is_held_constant = false;      ///< too small in all runs to tell how it grows
};

/// A program's timing graph for any size and number of ranks, from runs of some.
struct Reconstruction {
  timing_graph::Graph graph;
  std::vector<PartialTime> times;
  std::vector<scaling::Setting> settings;  ///< of the runs
  scaling::Setting largest;                ///< that of the largest run on most ranks: the graph's by default
  scaling::LeastValues least = scaling::LeastValues::five;
  std::vector<std::string> guesses;  ///< of which all that is predicted depends: runs were much disturbed
  std::vector<std::string> notes;    ///< where the runs leave open what the program does, or were disturbed
};

/// Builds it: what the runs do alike becomes the steps (roles_of), whole numbers such as partners and the
/// turns of loops become the simplest expressions that fit all runs (find_rule), times and sizes laws of few
/// terms (scaling::fit_law). Parameters are those of the runs, with the values of the largest run on most
/// ranks.
///
/// Throws UsageError where runs differ in what they do, where a partner or a count follows no rule, if it can
/// with the runs that contradict each other, and where settings do not have the same parameters or names that
/// expressions cannot have. `runs`: at least one.
/// `least`: from how many values of a parameter on a time's law chooses how it depends on it.
Reconstruction reconstruct(std::span<const ProfiledRun> runs,
                           scaling::LeastValues least = scaling::LeastValues::five);

}  // namespace loadshare::reconstruction
