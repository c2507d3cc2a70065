#include "models/farm/cost_process.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/statistics.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::predictor {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using Row = Eigen::Index;

double square(double value) {
  return value * value;
}

constexpr double share_of_other = 0.1;  // of loops whose narrow chunks cost more
/// In the middle then, as a logarithm: caches make narrow chunks dearer, hardly ever cheaper.
double narrow_middle(const CostLaws& laws) {
  return laws.narrow < narrow_other ? 0 : narrow_other;
}

/// Of two sets of laws the likelier before any chunk was seen: flat, as logarithms go. A chunk's own
/// deviation is known best, for it is the processor's, whatever the loop.
double log_prior(const CostLaws& laws) {
  const auto normal_at = [](double value, double middle, double deviation) {
    return -0.5 * square(std::log(value / middle) / deviation);
  };
  return normal_at(laws.walk, 0.3, 1.5) + normal_at(laws.iteration, 0.1, 1.5) +
         normal_at(laws.chunk, 0.015, 0.5) +
         std::log(laws.narrow < narrow_other ? 1 - share_of_other : share_of_other);
}

constexpr double host_deviation = 0.5;   // hosts may be of any speed
constexpr std::size_t most_hosts = 32;   // fitted with the rest: time grows with the cube
constexpr double share_deviation = 1;    // ditto, who is stopped again and again
constexpr double fixed = 1e-4;           // of what there is only one
constexpr double run_deviation = 0.03;   // at least: who needs more gets it
constexpr double level_deviation = 100;  // nothing is known of it

}  // namespace

CostProfile::Process::Process(const CostObservations& of, Index most_pieces)
    : hosts_(of.hosts), shares_(of.shares), runs_(of.runs) {
  const Index part = LoopRecord::part_of(of.iterations);
  constexpr double least_work = 1e-6;  // of a mean iteration's: none is free, whatever the application says
  const double all = std::accumulate(of.work.begin(), of.work.end(), 0.0);
  const double mean = all > 0 ? all / static_cast<double>(of.iterations) : 1;
  for (Index first = 0; first < of.iterations; first += part) {
    const Index size = std::min(part, of.iterations - first);
    const double least = least_work * mean * static_cast<double>(size);
    const double work = all > 0 ? of.work.at(parts_.size()) : static_cast<double>(size);
    parts_.push_back({size, std::max(work, least) / mean});
  }
  work_ = LoopCost::profile(parts_);
  parts_a_piece_ = (std::ssize(parts_) + most_pieces - 1) / most_pieces;
  piece_iterations_ = parts_a_piece_ * part;
  pieces_ = (std::ssize(parts_) + parts_a_piece_ - 1) / parts_a_piece_;
  piece_width_ = static_cast<double>(piece_iterations_);
  double seconds = 0, work = 0;
  for (const ChunkCost& chunk : of.chunks) seconds += chunk.seconds, work += work_.seconds(chunk.chunk);
  base_s_ = seconds / work;
  if (hosts_ > most_hosts) fix_hosts(of.chunks);
  chunks_ = grouped(of.chunks);
}

void CostProfile::Process::fix_hosts(const std::vector<ChunkCost>& chunks) {
  std::vector<double> seconds(hosts_), work(hosts_);
  for (const ChunkCost& chunk : chunks) {
    seconds[chunk.host] += chunk.seconds;
    work[chunk.host] += work_.seconds(chunk.chunk) * base_s_;
  }
  for (std::size_t host = 0; host < hosts_; ++host)
    slowness_.push_back(work[host] > 0 ? seconds[host] / work[host] : 1);
  hosts_ = 1;
}

CostProfile::Process::Alike CostProfile::Process::alike_of(const ChunkCost& one) const {
  Alike alike;
  const auto size = static_cast<double>(one.chunk.size);
  const double seconds = slowness_.empty() ? one.seconds : one.seconds / slowness_[one.host];
  const double rate = seconds / work_.seconds(one.chunk);
  alike.first_piece = one.chunk.first / piece_iterations_;
  for (Index first = one.chunk.first; first < one.chunk.end();) {
    const Index end = std::min(one.chunk.end(), (first / piece_iterations_ + 1) * piece_iterations_);
    alike.work.push_back(work_.seconds({first, end - first}));
    first = end;
  }
  alike.iterations = size, alike.count = 1, alike.seconds = seconds;
  alike.rates = rate, alike.squares = rate * rate;
  alike.host = slowness_.empty() ? one.host : 0, alike.share = one.share, alike.run = one.run;
  alike.doubt = one.doubt;
  return alike;
}

std::vector<CostProfile::Process::Alike> CostProfile::Process::grouped(
    const std::vector<ChunkCost>& chunks) const {
  std::vector<Alike> all;
  std::map<std::tuple<Row, int, std::size_t, std::size_t, std::size_t, bool>, std::size_t> places;
  for (const ChunkCost& chunk : chunks) {
    Alike one = alike_of(chunk);
    if (one.work.size() > 1) {
      all.push_back(std::move(one));
      continue;
    }
    const int octave = std::ilogb(one.iterations);
    const auto [place, is_new] = places.try_emplace(
        {one.first_piece, octave, one.host, one.share, one.run, one.doubt > 0}, all.size());
    if (is_new) {
      all.push_back(std::move(one));
      continue;
    }
    Alike& alike = all[place->second];
    alike.work[0] += one.work[0], alike.iterations += one.iterations, alike.count += 1;
    alike.doubt = std::max(alike.doubt, one.doubt);
    alike.seconds += one.seconds, alike.rates += one.rates, alike.squares += one.squares;
  }
  return all;
}

double CostProfile::Process::expected_s(const Alike& of, const VectorXd& at) const {
  double work = 0;
  for (std::size_t i = 0; i < of.work.size(); ++i)
    work += of.work[i] * std::exp(at[of.first_piece + static_cast<Row>(i)]);
  const double share = of.share > 0 ? at[share_at(of.share)] : 0;
  return base_s_ * work * std::exp(at[share_at(0)] + share + at[host_at(of.host)] + at[run_at(of.run)]) *
         (1 + std::expm1(at[narrow_at(of.share)]) / of.width());
}

CostProfile::Process::Slope CostProfile::Process::slope(const Alike& of, const VectorXd& at) const {
  Slope slope;
  double work = 0;
  for (std::size_t i = 0; i < of.work.size(); ++i) {
    const Row piece = of.first_piece + static_cast<Row>(i);
    slope.emplace_back(piece, of.work[i] * std::exp(at[piece]));
    work += slope.back().second;
  }
  for (auto& [piece, part] : slope) part /= work;
  const double alone = std::exp(at[narrow_at(of.share)]) / of.width();
  slope.emplace_back(share_at(0), 1);
  if (of.share > 0) slope.emplace_back(share_at(of.share), 1);
  slope.emplace_back(narrow_at(of.share), alone / (1 + alone - 1 / of.width()));
  slope.emplace_back(host_at(of.host), 1);
  slope.emplace_back(run_at(of.run), 1);
  return slope;
}

// A walk from the loop's beginning, and each piece's mean of what is its iterations' own.
MatrixXd CostProfile::Process::walk_covariance(const CostLaws& laws) const {
  MatrixXd covariance(pieces_, pieces_);
  for (Row i = 0; i < pieces_; ++i)
    for (Row j = 0; j < pieces_; ++j)
      covariance(i, j) =
          square(laws.walk) * (static_cast<double>(std::min(i, j)) + 0.5) / static_cast<double>(pieces_);
  covariance.diagonal().array() += square(laws.iteration) / piece_width_ + 1e-8;
  return covariance;
}

/// 1 / variance of an unknown that is no piece's, before any chunk was seen. Most runs are as slow as the
/// others: who is not gets as much room as it takes (automatic relevance determination).
double CostProfile::Process::known(Row unknown, const VectorXd& at, const CostLaws& laws) const {
  if (unknown == share_at(0)) return 1 / square(level_deviation);
  if (unknown < narrow_at(0)) return 1 / square(share_deviation);
  if (unknown < host_at(0)) return 1 / square(laws.narrow);
  if (unknown < run_at(0)) return 1 / square(hosts_ > 1 ? host_deviation : fixed);
  return 1 / square(runs_ > 1 ? std::max(run_deviation, std::abs(at[unknown])) : fixed);
}

CostProfile::Posterior CostProfile::Process::posterior(const CostLaws& laws, const VectorXd& start) const {
  constexpr int most_steps = 40;
  constexpr double longest = 1, close = 1e-5;
  const Eigen::LLT<MatrixXd> walk(walk_covariance(laws));
  const MatrixXd walk_precision = walk.solve(MatrixXd::Identity(pieces_, pieces_));
  Posterior found{laws, start, {}, 0, 1};
  VectorXd others(unknowns() - pieces_), middle = nothing_known();
  middle.segment(narrow_at(0), static_cast<Row>(shares_)).setConstant(narrow_middle(laws));
  for (int step = 0; step < most_steps; ++step) {
    for (Row i = 0; i < others.size(); ++i) others[i] = known(pieces_ + i, found.mode, laws);
    MatrixXd precision = MatrixXd::Zero(unknowns(), unknowns());
    precision.topLeftCorner(pieces_, pieces_) = walk_precision;
    precision.diagonal().tail(others.size()) = others;
    VectorXd gradient = -(precision * (found.mode - middle));
    for (const Alike& chunk : chunks_) {
      const double weight = 1 / variance(chunk, laws);
      const double off = chunk.seconds / expected_s(chunk, found.mode) - 1;
      const Slope slope = this->slope(chunk, found.mode);
      for (const auto& [row, by] : slope) {
        gradient[row] += weight * by * off;
        for (const auto& [column, along] : slope) precision(row, column) += weight * by * along;
      }
    }
    found.precision.compute(precision);
    VectorXd way = found.precision.solve(gradient);
    const double size = way.cwiseAbs().maxCoeff();
    found.mode += way * std::min(1.0, longest / size);
    if (size < close) break;
  }
  const auto half_log = [](const Eigen::LLT<MatrixXd>& of) {
    return of.matrixLLT().diagonal().array().log().sum();  // of the determinant
  };
  const VectorXd pieces = found.mode.head(pieces_), rest = (found.mode - middle).tail(others.size());
  found.log_evidence = log_prior(laws) + log_likelihood(found) - half_log(walk) - half_log(found.precision) +
                       0.5 * others.array().log().sum() - 0.5 * pieces.dot(walk_precision * pieces) -
                       0.5 * (others.array() * rest.array().square()).sum();
  return found;
}

// By the deviance, in which a chunk of a tenth of its mean is as unlikely as one of several times as much.
double CostProfile::Process::log_likelihood(const Posterior& of) const {
  double sum = 0;
  for (const Alike& chunk : chunks_) {
    const double ratio = chunk.seconds / expected_s(chunk, of.mode);
    const double variance = this->variance(chunk, of.laws);
    sum -= 0.5 * (std::log(variance) + 2 * (ratio - 1 - std::log(ratio)) / variance);
    const double each =
        square(of.laws.chunk) + square(of.laws.iteration) / chunk.width() + square(chunk.doubt);
    sum -= 0.5 * (chunk.count - 1) * (std::log(each) + chunk.spread() / each);
  }
  return sum;
}

VectorXd CostProfile::Process::levelled(const VectorXd& mode, const VectorXd& away) const {
  double all_s = 0, moved_s = 0, drawn_s = 0;
  VectorXd drawn = mode + away;
  for (const Alike& chunk : chunks_) {
    const double seconds = expected_s(chunk, mode);
    double along = 0;
    for (const auto& [row, by] : slope(chunk, mode)) along += by * away[row];
    all_s += seconds;
    moved_s += seconds * along;
    drawn_s += expected_s(chunk, drawn);
  }
  drawn[share_at(0)] += moved_s / all_s - std::log(drawn_s / all_s);
  return drawn;
}

std::vector<double> CostProfile::Process::run_slowness(const VectorXd& at) const {
  std::vector<double> slowness;
  for (std::size_t run = 0; run < runs_; ++run) slowness.push_back(at[run_at(run)]);
  const double middle = median_of(slowness);
  for (double& one : slowness) one -= middle;
  return slowness;
}

CostDraw CostProfile::Process::draw_of(const CostLaws& laws, const VectorXd& at) const {
  const double middle_run = at[run_at(0)] - run_slowness(at)[0];
  const double level_s = base_s_ * std::exp(at[share_at(0)] + middle_run);
  CostDraw draw;
  std::vector<LoopCost::Bin> bins = parts_;
  for (std::size_t i = 0; i < bins.size(); ++i)
    bins[i].seconds *= level_s * std::exp(at[static_cast<Row>(i) / parts_a_piece_]);
  draw.loop = LoopCost::profile(std::move(bins));
  for (std::size_t share = 0; share < shares_; ++share) {
    draw.widths.push_back({std::expm1(at[narrow_at(share)])});
    draw.share_slowness.push_back(share > 0 ? std::exp(at[share_at(share)]) : 1);
  }
  draw.host_slowness = slowness_;
  for (std::size_t host = 0; host < hosts_ && slowness_.empty(); ++host)
    draw.host_slowness.push_back(std::exp(at[host_at(host)]));
  draw.scatter = {square(laws.chunk), square(laws.iteration), piece_width_};
  return draw;
}

}  // namespace loadshare::predictor
