#include "models/reconstruction/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "models/timing_graph/expansion.hpp"

namespace loadshare::reconstruction {

namespace {

using timing_graph::Op;
using timing_graph::OpKind;
using timing_graph::Program;

/// Some seconds of evaluation at most, however large the program.
constexpr double ops_of_all_replicates = 2e7;
constexpr int fewest_replicates = 10;

/// Standard deviations of logarithms: of a law as a whole, and of single times about it.
struct Scatter {
  double law = 0;
  double single = 0;
};

void collect_spreads(const timing_graph::Steps& steps, std::map<std::string, Scatter>& scatters) {
  for (const timing_graph::Step& step : steps) {
    if (const auto* segment = std::get_if<timing_graph::Compute>(&step.action))
      scatters[step.label].single = segment->spread;
    if (const auto* loop = std::get_if<timing_graph::Loop>(&step.action))
      collect_spreads(loop->steps, scatters);
    if (const auto* branch = std::get_if<timing_graph::Branch>(&step.action))
      collect_spreads(branch->then, scatters);
  }
}

/// By origin of the program's ops.
std::vector<Scatter> scatters_of(const Reconstruction& rebuilt, const scaling::Setting& setting,
                                 const Program& program) {
  std::map<std::string, Scatter> by_label;
  for (const timing_graph::Process& process : rebuilt.graph.processes)
    collect_spreads(process.steps, by_label);
  for (const PartialTime& time : rebuilt.times) by_label[time.label].law = time.law.uncertainty_at(setting);
  std::vector<Scatter> scatters;
  for (const timing_graph::Origin& origin : program.origins) scatters.push_back(by_label[origin.name]);
  return scatters;
}

/// Costs that are all wrong by the same factor.
class ScaledCosts final : public communication::MessageCosts {
 public:
  ScaledCosts(const MessageCosts& costs, double factor) : costs_(costs), factor_(factor) {}

  bool waits_for_receive(communication::SendMode mode, double bytes) const override {
    return costs_.waits_for_receive(mode, bytes);
  }
  double sender_s(communication::SendMode mode, communication::ReceivePosted posted,
                  double bytes) const override {
    return factor_ * costs_.sender_s(mode, posted, bytes);
  }
  double receiver_s(communication::SendMode mode, communication::ReceivePosted posted,
                    double bytes) const override {
    return factor_ * costs_.receiver_s(mode, posted, bytes);
  }
  double port_s(double bytes) const override { return factor_ * costs_.port_s(bytes); }

 private:
  const MessageCosts& costs_;
  double factor_;
};

/// Draws runs of a program.
class Replicates {
 public:
  Replicates(const Program& program, std::vector<Scatter> scatters, const PredictionOptions& options)
      : program_(program),
        drawn_(program),
        scatters_(std::move(scatters)),
        options_(options),
        random_(options.seed) {}

  double makespan_s(const communication::MessageCosts& costs) {
    draw();
    return timing_graph::evaluate(drawn_, ScaledCosts(costs, factor(options_.costs_uncertainty))).makespan_s;
  }

 private:
  /// Log-normal, with mean 1.
  double factor(double deviation) {
    return deviation > 0 ? std::exp(deviation * normal_(random_) - deviation * deviation / 2) : 1;
  }

  void draw() {
    std::vector<double> laws;
    for (const Scatter& scatter : scatters_) laws.push_back(factor(scatter.law));
    for (std::size_t i = 0; i < program_.ops.size(); ++i) {
      const Op& op = program_.ops[i];
      if (op.kind == OpKind::compute)
        drawn_.ops[i].amount = op.amount * laws[op.origin] * factor(scatters_[op.origin].single);
    }
  }

  const Program& program_;
  Program drawn_;
  std::vector<Scatter> scatters_;
  const PredictionOptions& options_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

void add_replicates(Prediction& prediction, Replicates& replicates, const communication::MessageCosts& costs,
                    int count) {
  std::vector<double> makespans_s;
  for (int i = 0; i < count; ++i) makespans_s.push_back(replicates.makespan_s(costs));
  std::ranges::sort(makespans_s);
  prediction.seconds = quantile(makespans_s, 0.5);
  prediction.low_s = quantile(makespans_s, 0.05);
  prediction.high_s = quantile(makespans_s, 0.95);
}

/// Of the laws that the program at this setting has a time from.
std::vector<std::string> extrapolations_of(const Reconstruction& rebuilt, const Program& program,
                                           const scaling::Setting& setting) {
  std::set<std::string> used;
  for (const timing_graph::Origin& origin : program.origins) used.insert(origin.name);
  std::set<std::string> all;
  for (const PartialTime& time : rebuilt.times)
    if (used.contains(time.label))
      for (const std::string& text : time.law.extrapolations(setting)) all.insert(text);
  return {all.begin(), all.end()};
}

}  // namespace

Prediction predict(const Reconstruction& program, const scaling::Setting& setting,
                   const communication::MessageCosts& costs, const PredictionOptions& options) {
  std::vector<timing_graph::Setting> settings;
  for (const auto& [name, value] : setting) settings.push_back({name, value});
  Prediction prediction;
  prediction.program = timing_graph::expand(program.graph, settings);
  prediction.mean = timing_graph::evaluate(prediction.program, costs);
  prediction.seed_sum = timing_graph::sum_of_parts(prediction.program, prediction.mean.messages, costs);
  prediction.extrapolations = extrapolations_of(program, prediction.program, setting);
  Replicates replicates(prediction.program, scatters_of(program, setting, prediction.program), options);
  const auto affordable =
      static_cast<int>(ops_of_all_replicates / static_cast<double>(prediction.program.ops.size() + 1));
  add_replicates(prediction, replicates, costs,
                 std::clamp(affordable, fewest_replicates, options.most_replicates));
  return prediction;
}

}  // namespace loadshare::reconstruction
