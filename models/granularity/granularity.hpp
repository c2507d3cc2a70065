#pragma once

#include <optional>

#include "models/granularity/totals.hpp"

namespace loadshare::granularity {

/// computing / lost: infinite where nothing was lost, nothing where neither took time.
std::optional<double> granularity(double computing_s, double lost_s);

/// E = G / (G + 1), by Kwiatkowski, "Evaluation of Parallel Programs by Measurement of Its Granularity",
/// eq. 5; 1 for an infinite G.
double efficiency(double granularity);

/// The granularities of one rank or of a whole program.
///
/// The paper's is T_comp / T_comm; where ranks may wait, it takes the isogranularity T_comp / (T_comm +
/// T_idle). On a loaded host a third loss stands beside these two: the time in which the program wanted to
/// compute and others had the processor. Left out, it would pass for computing, and G would be too high.
struct Granularities {
  std::optional<double> all;             ///< G = T_comp / (T_comm + T_idle + T_stolen): gives the efficiency
  std::optional<double> without_stolen;  ///< T_comp / (T_comm + T_idle): of the time the program was given
  std::optional<double> communication;   ///< T_comp / T_comm; nothing where the run does not tell idle apart
};

Granularities granularities(const Totals& times, bool tells_idle);

}  // namespace loadshare::granularity
