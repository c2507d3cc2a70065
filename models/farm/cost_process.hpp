#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <utility>
#include <vector>

#include "models/farm/cost_profile.hpp"

namespace loadshare::predictor {

/// Laws are no less, and no more.
inline constexpr double least_law = 1e-3, most_law = 10;
/// Most often an iteration alone costs as much as in a wide chunk, but it may cost several times as much.
inline constexpr double narrow_usual = 0.03, narrow_other = 0.5;

/// What the chunks leave open under certain laws: normally distributed about the mode.
struct CostProfile::Posterior {
  CostLaws laws;
  Eigen::VectorXd mode;
  Eigen::LLT<Eigen::MatrixXd> precision;
  double log_evidence = 0;
  double weight = 1;
};

/// The model of cost_profile.hpp under certain laws. The unknowns, in this order: u of each piece, the level,
/// the slowness of each share but the first, the logarithm of 1 + b of each share, the slowness of each host
/// and of each run.
class CostProfile::Process {
 public:
  /// Chunks that are told apart by nothing, as one: they lie in one piece, and are of about one width.
  struct Alike {
    Eigen::Index first_piece = 0;
    std::vector<double> work;  ///< by piece, from the first on
    double iterations = 0, count = 0, seconds = 0;
    double rates = 0, squares = 0;  ///< sums over the chunks of seconds an iteration, and of its square
    std::size_t host = 0, share = 0, run = 0;
    double doubt = 0;  ///< relative; of several chunks the largest

    double width() const { return iterations / count; }
    /// The relative variance of the chunks about their mean.
    double spread() const {
      const double mean = rates / count;
      return std::max(0.0, (squares / count - mean * mean) / (mean * mean)) * count /
             std::max(1.0, count - 1);
    }
  };

  Process(const CostObservations& observations, Index most_pieces);

  Posterior posterior(const CostLaws& laws, const Eigen::VectorXd& start) const;
  Eigen::Index unknowns() const { return run_at(runs_); }
  Eigen::VectorXd nothing_known() const { return Eigen::VectorXd::Zero(unknowns()); }

  std::vector<Alike> grouped(const std::vector<ChunkCost>& chunks) const;
  double expected_s(const Alike& of, const Eigen::VectorXd& at) const;
  /// d log(expected_s), by unknown; where that is not 0.
  using Slope = std::vector<std::pair<Eigen::Index, double>>;
  Slope slope(const Alike& of, const Eigen::VectorXd& at) const;
  double variance(const Alike& of, const CostLaws& laws) const {
    return laws.chunk * laws.chunk / of.count + laws.iteration * laws.iteration * own_part(of.iterations) +
           of.doubt * of.doubt;
  }
  /// As the posterior has it, though the model is no straight line: what all chunks cost together must come
  /// out as at the mode, but for what the posterior itself leaves open of that.
  Eigen::VectorXd levelled(const Eigen::VectorXd& mode, const Eigen::VectorXd& away) const;
  CostDraw draw_of(const CostLaws& laws, const Eigen::VectorXd& at) const;
  std::vector<double> run_slowness(const Eigen::VectorXd& at) const;

 private:
  /// Of an iteration's own deviation, what no piece's height tells.
  double own_part(double iterations) const { return std::max(0.0, 1 / iterations - 1 / piece_width_); }
  void fix_hosts(const std::vector<ChunkCost>& chunks);
  Alike alike_of(const ChunkCost& chunk) const;
  Eigen::MatrixXd walk_covariance(const CostLaws& laws) const;
  double log_likelihood(const Posterior& of) const;

  Eigen::Index share_at(std::size_t share) const {
    return pieces_ + static_cast<Eigen::Index>(share);
  }  // 0: the level
  Eigen::Index narrow_at(std::size_t share) const { return share_at(shares_ + share); }
  Eigen::Index host_at(std::size_t host) const { return narrow_at(shares_ + host); }
  Eigen::Index run_at(std::size_t run) const { return host_at(hosts_ + run); }
  double known(Eigen::Index unknown, const Eigen::VectorXd& at, const CostLaws& laws) const;

  std::vector<LoopCost::Bin> parts_;  // their work, in place of seconds
  LoopCost work_;                     // ditto
  Index parts_a_piece_, piece_iterations_;
  Eigen::Index pieces_;
  double piece_width_;
  std::size_t hosts_, shares_, runs_;
  std::vector<double> slowness_;  // of hosts, too many to be fitted with the rest; else empty
  double base_s_ = 1;             // a unit of work, about
  std::vector<Alike> chunks_;
};

}  // namespace loadshare::predictor
