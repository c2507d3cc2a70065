#include "models/program/reconstruction/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/statistics.hpp"
#include "models/program/reconstruction/observations.hpp"
#include "models/program/scaling/variation.hpp"
#include "models/program/timing_graph/expansion.hpp"
#include "models/program/timing_graph/program.hpp"

namespace loadshare::reconstruction {
namespace {

using timing_graph::Op;
using timing_graph::OpKind;
using timing_graph::Program;

/// How far a partial time is from what its law says: standard deviations of logarithms.
struct Deviations {
  double law = 0;     ///< of the law as a whole
  double rank = 0;    ///< of one rank's times in a run about the mean of all
  double single = 0;  ///< of single times about their rank's mean
};

struct ReplicateOptions {
  std::uint64_t seed = 1;
  double costs_uncertainty = 0;  ///< see PredictionOptions
};

/// Log-normal with mean 1, since laws are of means. `drawn`: normal.
double factor_about_mean(double deviation, double drawn) {
  return std::exp(deviation * drawn - deviation * deviation / 2);
}

/// Draws runs of a program. What makes one law wrong, a faster host or a slower launch, often makes others
/// wrong alike: half of the variance of every law is drawn for all of them together. A rank that is slow
/// stays slow through a run: half of that variance is common to all its segments.
class Replicates final {
 public:
  /// `deviations`: by origin of the program's ops. `program` must outlive this.
  Replicates(const timing_graph::Program& program, std::vector<Deviations> deviations,
             const ReplicateOptions& options);

  double makespan_s(const communication::MessageCosts& costs);

 private:
  void draw();
  void draw_process(std::size_t process, const std::vector<double>& laws);
  void draw_calls();
  std::vector<double> drawn_laws();
  double half_common(double common);

  const timing_graph::Program& program_;
  timing_graph::Program drawn_;
  std::vector<Deviations> deviations_;
  ReplicateOptions options_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

Replicates::Replicates(const Program& program, std::vector<Deviations> deviations,
                       const ReplicateOptions& options)
    : program_(program),
      drawn_(program),
      deviations_(std::move(deviations)),
      options_(options),
      random_(options.seed) {}

double Replicates::makespan_s(const communication::MessageCosts& costs) {
  draw();
  const double factor = std::exp(options_.costs_uncertainty * normal_(random_));
  draw_calls();
  const std::shared_ptr<const communication::MessageCosts> lent(std::shared_ptr<const void>(), &costs);
  return timing_graph::evaluate(drawn_, communication::ScaledCosts(lent, factor)).makespan_s;
}

void Replicates::draw() {
  const std::vector<double> laws = drawn_laws();
  for (std::size_t process = 0; process < program_.process_count(); ++process) draw_process(process, laws);
}

/// A law's error is one of logarithms, as likely up as down: the factor's median is 1.
std::vector<double> Replicates::drawn_laws() {
  const double common = normal_(random_);
  std::vector<double> laws;
  for (const Deviations& deviation : deviations_)
    laws.push_back(std::exp(deviation.law * half_common(common)));
  return laws;
}

void Replicates::draw_process(std::size_t process, const std::vector<double>& laws) {
  std::vector<double> factors = laws;
  const double common = normal_(random_);
  for (std::size_t origin = 0; origin < factors.size(); ++origin)
    factors[origin] *= factor_about_mean(deviations_[origin].rank, half_common(common));
  for (std::size_t i = program_.first_ops[process]; i < program_.first_ops[process + 1]; ++i) {
    const Op& op = program_.ops[i];
    if (op.kind != OpKind::compute) continue;
    drawn_.ops[i].amount = op.amount * factors[op.origin];
    if (const double single = deviations_[op.origin].single; single > 0)
      drawn_.ops[i].amount *= factor_about_mean(single, normal_(random_));
  }
}

/// Scatters the times of calls. Half of the variance is common to all calls of a run, since what slows one
/// slows others.
void Replicates::draw_calls() {
  if (drawn_.calls.empty()) return;
  const double common = normal_(random_);
  for (std::size_t i = 0; i < drawn_.calls.size(); ++i) {
    const communication::Estimate& time = program_.calls[i].time;
    const double deviation = time.deviation();
    drawn_.calls[i].time.seconds = time.seconds * factor_about_mean(deviation, half_common(common));
  }
}

/// Normal, of which `common` has half of the variance.
double Replicates::half_common(double common) {
  return std::sqrt(0.5) * (common + normal_(random_));
}

/// Some seconds of evaluation at most, however large the program.
constexpr double ops_of_all_replicates = 2e7;
/// Fewer say nothing of how far runs lie apart.
constexpr int fewest_replicates = 10;

constexpr std::size_t enough_values = static_cast<std::size_t>(scaling::LeastValues::five);

/// How times are predicted from so few values of a parameter (scaling::LeastValues).
std::string few_text(const std::string& name, std::size_t values, scaling::LeastValues least) {
  constexpr std::array<const char*, enough_values + 1> words{"no", "one", "two", "three", "four", "five"};
  const char* taken =
      name == "p" ? "linear in it, divided by it or independent of it, whichever fits" : "linear in it";
  std::string consequence = fmt::format(
      "with fewer than {} no law is chosen; times are assumed to be {}, and the interval allows for half a "
      "power more or less",
      words.at(static_cast<std::size_t>(least)), taken);
  if (values >= static_cast<std::size_t>(least)) consequence = "laws are chosen from fewer than five values";
  return fmt::format("the runs have only {} values of {}: {}", words.at(values), name, consequence);
}

/// One value of a parameter says nothing of others, and few hardly anything.
std::vector<std::string> few_values(const Reconstruction& rebuilt, const scaling::Setting& setting) {
  const auto observed = scaling::values_of(rebuilt.settings);
  std::vector<std::string> guesses;
  for (const auto& [name, value] : setting) {
    const auto known = observed.find(name);
    if (known == observed.end() || known->second.contains(value)) continue;
    if (known->second.size() == 1)
      throw UsageError(fmt::format("{0} = {1} is asked for, and all runs have {0} = {2}", name, value,
                                   *known->second.begin()),
                       fmt::format("one value does not show how the program depends on {}", name),
                       "add runs with other values, at best five");
    if (known->second.size() < enough_values)
      guesses.push_back(few_text(name, known->second.size(), rebuilt.least));
  }
  return guesses;
}

/// Of two parameters that grow together nobody knows which of them made times grow.
void require_told_apart(const Reconstruction& rebuilt, const scaling::Setting& setting) {
  const std::vector<std::string> names = scaling::confounded(rebuilt.settings, setting);
  if (names.empty()) return;
  std::vector<std::string> asked;
  for (const std::string& name : names) asked.push_back(fmt::format("{} = {}", name, setting.at(name)));
  throw UsageError(fmt::format("{} is asked for, but the runs vary {} only together", fmt::join(asked, ", "),
                               fmt::join(names, " and ")),
                   "the effects of the two cannot be separated",
                   "add runs in which only one of them differs");
}

std::set<std::string> used_labels(const Program& program) {
  std::set<std::string> used;
  for (const timing_graph::Origin& origin : program.origins) used.insert(origin.name);
  return used;
}

/// By origin of the program's ops; nothing where a law does not know how far it is off.
std::optional<std::vector<Deviations>> deviations_of(const Reconstruction& rebuilt,
                                                     const scaling::Setting& setting,
                                                     const Program& program) {
  std::map<std::string, Deviations> by_label;
  const std::set<std::string> used = used_labels(program);
  for (const PartialTime& time : rebuilt.times) {
    const std::optional<double> uncertainty = time.law.uncertainty_at(setting);
    if (!uncertainty && used.contains(time.label)) return std::nullopt;
    const double mean_s = time.law.at(setting);
    by_label[time.label] = {uncertainty.value_or(0), deviation_at(time.ranks, mean_s),
                            deviation_at(time.singles, mean_s)};
  }
  std::vector<Deviations> deviations;
  for (const timing_graph::Origin& origin : program.origins) deviations.push_back(by_label[origin.name]);
  return deviations;
}

void add_replicates(Prediction& prediction, Replicates& replicates,
                    const communication::MessageCosts& costs) {
  std::vector<double> makespans_s;
  for (int i = 0; i < prediction.replicates; ++i) makespans_s.push_back(replicates.makespan_s(costs));
  prediction.seconds = quantile_of(makespans_s, 0.5);
  prediction.interval = Interval{quantile_of(makespans_s, 0.05), quantile_of(makespans_s, 0.95)};
}

/// Whether a share of the time that counts is of calls whose interval is not known.
bool is_extrapolated(const Prediction& prediction) {
  constexpr double share_that_counts = 0.01;
  double sum_s = 0;
  for (const timing_graph::CollectiveCall& call : prediction.program.calls)
    if (call.time.is_extrapolated) sum_s += call.time.seconds;
  return sum_s > share_that_counts * prediction.mean.makespan_s;
}

int affordable_replicates(const Program& program, int most) {
  const double affordable = ops_of_all_replicates / static_cast<double>(program.ops.size() + 1);
  return static_cast<int>(std::min(affordable, static_cast<double>(most)));
}

void add_interval(Prediction& prediction, const Reconstruction& rebuilt, const scaling::Setting& setting,
                  const communication::MessageCosts& costs, const PredictionOptions& options) {
  constexpr int few = 50;
  const auto deviations = deviations_of(rebuilt, setting, prediction.program);
  const int count = affordable_replicates(prediction.program, options.most_replicates);
  if (is_extrapolated(prediction)) {
    prediction.notes.emplace_back("no interval: the error of extrapolated collective calls is not known");
  } else if (!deviations) {
    prediction.notes.emplace_back("no interval: runs of one setting do not show the errors of the laws");
  } else if (count < fewest_replicates) {
    prediction.notes.emplace_back("no interval: the program is too large to simulate several runs");
  } else {
    prediction.replicates = count;
    Replicates replicates(prediction.program, *deviations, {options.seed, options.costs_uncertainty});
    add_replicates(prediction, replicates, costs);
    if (count < few)
      prediction.notes.push_back(fmt::format("the interval is from only {} simulated runs", count));
  }
}

/// Of the laws that the program at this setting has a time from.
void add_extrapolations(Prediction& prediction, const Reconstruction& rebuilt,
                        const scaling::Setting& setting) {
  const std::set<std::string> used = used_labels(prediction.program);
  std::set<std::string> all;
  int constants = 0;
  for (const PartialTime& time : rebuilt.times) {
    if (!used.contains(time.label)) continue;
    const std::vector<std::string> texts = time.law.extrapolations(setting);
    all.insert(texts.begin(), texts.end());
    if (time.is_held_constant && !texts.empty()) ++constants;
  }
  prediction.extrapolations.assign(all.begin(), all.end());
  if (constants > 0)
    prediction.notes.push_back(fmt::format(
        "{} of the partial times were too small in every run to show how they grow, and are assumed constant",
        constants));
}

}  // namespace

Prediction predict(const Reconstruction& program, const scaling::Setting& setting,
                   const communication::MessageCosts& costs, const PredictionOptions& options) {
  std::vector<timing_graph::Setting> settings;
  for (const auto& [name, value] : setting) settings.push_back({name, value});
  Prediction prediction;
  prediction.guesses = few_values(program, setting);
  require_told_apart(program, setting);
  prediction.program = timing_graph::expand(program.graph, settings, {.collectives = options.collectives});
  prediction.mean = timing_graph::evaluate(prediction.program, costs);
  prediction.sum_of_parts = timing_graph::sum_of_parts(prediction.program, prediction.mean.messages, costs);
  prediction.seconds = prediction.mean.makespan_s;
  add_extrapolations(prediction, program, setting);
  add_interval(prediction, program, setting, costs, options);
  return prediction;
}

}  // namespace loadshare::reconstruction
