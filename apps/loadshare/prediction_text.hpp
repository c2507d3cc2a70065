#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/loadshare/question.hpp"
#include "models/farm/prediction.hpp"

namespace loadshare::tool {

/// What the recommended scheduler is compared with.
struct Reference {
  predictor::Prediction prediction;
  std::string name;  ///< "gss, the scheduler of the last run"
};

/// The results of a prediction, for a person and as JSON.
struct FarmPrediction {
  std::vector<predictor::Prediction> predictions;  ///< in the order asked for
  predictor::Choice choice;
  std::optional<Reference> reference;  ///< nothing: there is no other scheduler to compare with
  bool is_of_named = false;            ///< the schedulers were named by the user
  bool shows_all = false;              ///< the table has a row for every scheduler
  std::vector<ChunkRecord> chunks;     ///< of the chosen technique's middle run, the first of them
  bool are_all_chunks = true;
  std::vector<std::vector<LoadPhase>> load_phases;   ///< by worker, while these chunks are computed
  std::vector<predictor::HostCount> host_counts;     ///< empty: not asked for
  std::optional<predictor::WithoutChanges> without;  ///< the chosen technique; nothing: nothing changes
  std::string unmeasured_sizes;                      ///< see unmeasured_sizes(); of the chosen technique
  double seconds = 0;                                ///< that it took to predict
};

/// What a person reads, in lines of at most 100 characters; ends with a line end.
std::string farm_prediction_text(const Question& question, const FarmPrediction& prediction);

/// As JSON, all of it, with a line end.
std::string farm_prediction_json(const Question& question, const FarmPrediction& prediction);

}  // namespace loadshare::tool
