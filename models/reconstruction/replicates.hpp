#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "models/communication/message_costs.hpp"
#include "models/timing_graph/program.hpp"

namespace loadshare::reconstruction {

/// How far a partial time is from what its law says: standard deviations of logarithms.
struct Scatter {
  double law = 0;     ///< of the law as a whole
  double rank = 0;    ///< of one rank's times in a run about the mean of all
  double single = 0;  ///< of single times about their rank's mean
};

struct ReplicateOptions {
  std::uint64_t seed = 1;
  double costs_uncertainty = 0;  ///< see PredictionOptions
};

/// Draws runs of a program. What makes one law wrong, a faster host or a slower launch, often makes others
/// wrong alike: half of the variance of every law is drawn for all of them together. A rank that is slow
/// stays slow through a run.
class Replicates final {
 public:
  /// `scatters`: by origin of the program's ops. `program` must outlive this.
  Replicates(const timing_graph::Program& program, std::vector<Scatter> scatters,
             const ReplicateOptions& options);

  double makespan_s(const communication::MessageCosts& costs);

 private:
  void draw();
  void draw_process(std::size_t process, const std::vector<double>& laws);
  void draw_calls();
  std::vector<double> drawn_laws();
  double factor_about_mean(double deviation);

  const timing_graph::Program& program_;
  timing_graph::Program drawn_;
  std::vector<Scatter> scatters_;
  ReplicateOptions options_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

}  // namespace loadshare::reconstruction
