#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/predict/host_counts.hpp"
#include "apps/loadshare/predict/question.hpp"
#include "models/predictor/choice.hpp"
#include "models/predictor/prediction.hpp"

namespace loadshare::tool {

/// Everything that is told of a prediction.
struct FarmPrediction {
  std::vector<predictor::Prediction> predictions;  ///< in the order asked for
  predictor::Choice choice;
  std::vector<ChunkRecord> chunks;  ///< of the chosen technique's middle run, the first of them
  bool are_all_chunks = true;
  std::vector<HostCount> host_counts;  ///< empty: not asked for
  double seconds = 0;                  ///< that it took to predict
};

/// What a person reads, in lines of at most 100 characters; ends with a line end.
std::string farm_prediction_text(const Question& question, const FarmPrediction& prediction);

/// As JSON, all of it, with a line end.
std::string farm_prediction_json(const Question& question, const FarmPrediction& prediction);

}  // namespace loadshare::tool
