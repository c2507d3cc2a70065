#include "models/reconstruction/replicates.hpp"

#include <cmath>
#include <utility>

#include "models/timing_graph/evaluation.hpp"

namespace loadshare::reconstruction {

namespace {

using timing_graph::Op;
using timing_graph::OpKind;
using timing_graph::Program;

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

}  // namespace

Replicates::Replicates(const Program& program, std::vector<Scatter> scatters, const ReplicateOptions& options)
    : program_(program),
      drawn_(program),
      scatters_(std::move(scatters)),
      options_(options),
      random_(options.seed) {}

double Replicates::makespan_s(const communication::MessageCosts& costs) {
  draw();
  const double factor = std::exp(options_.costs_uncertainty * normal_(random_));
  draw_calls();
  return timing_graph::evaluate(drawn_, ScaledCosts(costs, factor)).makespan_s;
}

void Replicates::draw() {
  const std::vector<double> laws = drawn_laws();
  for (std::size_t process = 0; process < program_.process_count(); ++process) draw_process(process, laws);
}

/// A law's error is one of logarithms, as likely up as down: the factor's median is 1.
std::vector<double> Replicates::drawn_laws() {
  const double common = normal_(random_);
  std::vector<double> laws;
  for (const Scatter& scatter : scatters_)
    laws.push_back(std::exp(scatter.law * std::sqrt(0.5) * (common + normal_(random_))));
  return laws;
}

void Replicates::draw_process(std::size_t process, const std::vector<double>& laws) {
  std::vector<double> factors = laws;
  for (std::size_t origin = 0; origin < factors.size(); ++origin)
    factors[origin] *= factor_about_mean(scatters_[origin].rank);
  for (std::size_t i = program_.first_ops[process]; i < program_.first_ops[process + 1]; ++i) {
    const Op& op = program_.ops[i];
    if (op.kind == OpKind::compute)
      drawn_.ops[i].amount = op.amount * factors[op.origin] * factor_about_mean(scatters_[op.origin].single);
  }
}

/// As laws: what makes one call dear makes others dear alike, half of the variance is of all of them
/// together.
void Replicates::draw_calls() {
  if (drawn_.calls.empty()) return;
  const double common = normal_(random_);
  for (std::size_t i = 0; i < drawn_.calls.size(); ++i) {
    const communication::Estimate& time = program_.calls[i].time;
    const double deviation = time.deviation();
    const double drawn = std::sqrt(0.5) * (common + normal_(random_));
    drawn_.calls[i].time.seconds = time.seconds * std::exp(deviation * drawn - deviation * deviation / 2);
  }
}

/// Log-normal, with mean 1: laws are of means.
double Replicates::factor_about_mean(double deviation) {
  return deviation > 0 ? std::exp(deviation * normal_(random_) - deviation * deviation / 2) : 1;
}

}  // namespace loadshare::reconstruction
