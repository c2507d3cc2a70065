#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/messages/collective_model.hpp"
#include "models/messages/message_costs.hpp"
#include "models/program/reconstruction/reconstruction.hpp"
#include "models/program/timing_graph/evaluation.hpp"

namespace loadshare::reconstruction {

struct PredictionOptions {
  int most_replicates = 200;
  std::uint64_t seed = 1;
  /// Standard deviation of the logarithm of what messages cost, all of a run alike.
  double costs_uncertainty = 0;
  /// What whole collective calls take; see timing_graph::ExpansionOptions.
  const communication::CollectiveCosts* collectives = nullptr;
};

/// Nine runs of ten are to lie in it.
struct Interval {
  double low_s = 0;
  double high_s = 0;
};

/// How long a program will take at a setting.
struct Prediction {
  double seconds = 0;                     ///< median of the replicates; without them as laws say
  std::optional<Interval> interval;       ///< nothing where that is not known: `notes` say why
  int replicates = 0;                     ///< how many runs the interval is drawn from
  timing_graph::Evaluation mean;          ///< with messages matched, every partial time as its law says
  timing_graph::SumOfParts sum_of_parts;  ///< the paper's T_exec, from the same partial times
  timing_graph::Program program;
  std::vector<std::string> extrapolations;  ///< parameters outside what the runs had
  std::vector<std::string> guesses;         ///< what the runs had too few values of to tell
  std::vector<std::string> notes;           ///< on how much of it is known
};

/// Predicts the run at `setting`. Each replicate draws, for every law, how wrong it may be there, and for
/// every single segment how it scatters, so that a collective call waits for the latest as it does in
/// reality. Deterministic for a seed. Throws UsageError as expand() and evaluate() do, and where a parameter
/// had one value in all runs, or never varied apart from another, and is asked for otherwise.
Prediction predict(const Reconstruction& program, const scaling::Setting& setting,
                   const communication::MessageCosts& costs, const PredictionOptions& options = {});

}  // namespace loadshare::reconstruction
