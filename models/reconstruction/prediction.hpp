#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/communication/message_costs.hpp"
#include "models/reconstruction/reconstruction.hpp"
#include "models/timing_graph/evaluation.hpp"

namespace loadshare::reconstruction {

struct PredictionOptions {
  int most_replicates = 200;
  std::uint64_t seed = 1;
  /// Relative standard deviation of what messages cost, from one launch to another.
  double costs_uncertainty = 0;
};

/// How long a program will take at a setting.
struct Prediction {
  double seconds = 0;  ///< median of the replicates
  double low_s = 0;    ///< nine runs of ten are to lie between the two
  double high_s = 0;
  timing_graph::Evaluation mean;      ///< with messages matched, every partial time as its law says
  timing_graph::SumOfParts seed_sum;  ///< the paper's T_exec, from the same partial times
  timing_graph::Program program;
  std::vector<std::string> extrapolations;  ///< parameters outside what the runs had
};

/// Foretells the run at `setting`. Each replicate draws, for every law, how wrong it may be there, and for
/// every single segment how it scatters, so that a collective call waits for the latest as it does in
/// reality. Deterministic for a seed. Throws UsageError as expand() and evaluate() do.
Prediction predict(const Reconstruction& program, const scaling::Setting& setting,
                   const communication::MessageCosts& costs, const PredictionOptions& options = {});

}  // namespace loadshare::reconstruction
