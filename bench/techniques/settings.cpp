#include "bench/techniques/settings.hpp"

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "runtime/load/load_spec.hpp"

namespace loadshare::bench {
namespace {

using predictor::LoopCost;
using predictor::Scenario;
using predictor::WorkerModel;

/// A random source for the parts of a setting.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(split_mix::mix(seed)) {}

  bool is(double chance) { return fraction(random_) < chance; }
  double between(double low, double high) { return low + fraction(random_) * (high - low); }
  /// Draws from [low, high]; each order of magnitude is equally likely.
  double over_orders(double low, double high) { return low * std::pow(high / low, fraction(random_)); }
  template <class Choice, std::size_t count>
  Choice one_of(const Choices<Choice, count>& choices) {
    return choices[static_cast<std::size_t>(fraction(random_) * static_cast<double>(count))].second;
  }

 private:
  std::mt19937_64 random_;
};

double speed_of(const Setting& setting, std::size_t worker) {
  if (setting.hosts != Hosts::mixed) return 1;
  std::mt19937_64 random(split_mix::first_state(setting.seed, worker));
  return std::pow(6.0, fraction(random));
}

std::optional<predictor::CpuQuota> grant_of(const Setting& setting, std::size_t worker) {
  if (setting.hosts != Hosts::limited) return std::nullopt;
  return predictor::CpuQuota{.share = worker % 3 == 0 ? 0.3 : 0.1};
}

/// Returns the capacity of all workers together, in undisturbed processors.
double capacity_of(const Setting& setting) {
  double sum = 0;
  for (std::size_t worker = 0; worker < setting.workers; ++worker) {
    const auto grant = grant_of(setting, worker);
    sum += speed_of(setting, worker) * (grant ? grant->share : 1);
  }
  return sum;
}

double relative_cost(Costs costs, double place, std::mt19937_64& random) {
  switch (costs) {
    case Costs::constant:
      return 1;
    case Costs::random:
      return -std::log(1 - fraction(random));
    case Costs::rising:
      return 2 * place;
    case Costs::falling:
      return 2 * (1 - place);
    case Costs::bimodal:
      return fraction(random) < 0.1 ? 5.5 : 0.5;
  }
  return 1;
}

LoopCost loop_of(const Setting& setting, std::uint64_t replicate) {
  const double each_s = setting.work_s * capacity_of(setting) / static_cast<double>(setting.iterations);
  if (setting.costs == Costs::constant) return LoopCost::uniform(setting.iterations, each_s);
  std::mt19937_64 random(split_mix::first_state(setting.seed, replicate));
  std::vector<LoopCost::Bin> bins;
  for (Index i = 0; i < setting.iterations; ++i) {
    const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(setting.iterations);
    bins.push_back({1, each_s * relative_cost(setting.costs, place, random)});
  }
  return LoopCost::profile(std::move(bins));
}

predictor::Availability load_of(const Setting& setting, std::size_t worker, std::uint64_t replicate) {
  if (!setting.has_load() || (setting.is_half_loaded && worker % 2 == 1)) return {};
  std::mt19937_64 random(split_mix::first_state(setting.seed + replicate, worker + 1));
  const double half_s = setting.load_period_s / 2;
  return predictor::Availability(
      LoadPlan::on_off(half_s, half_s, setting.load_share, fraction(random) * setting.load_period_s));
}

WorkerModel worker_of(const Setting& setting, std::size_t number, std::uint64_t replicate) {
  const bool is_far = setting.wire != Wire::none && !(setting.master_works && number == 0);
  WorkerModel worker;
  worker.speed = speed_of(setting, number);
  worker.grant = grant_of(setting, number);
  worker.load = load_of(setting, number, replicate);
  if (!is_far) return worker;
  worker.link = 0;
  worker.polling_latency_s = 200e-6;
  worker.report_s = worker.grant ? 300e-6 : 50e-6;
  worker.relay_share = 0.3;
  return worker;
}

/// Returns a transfer with the window and the pieces of a matrix of some megabytes.
predictor::SharedInputModel shared_input_of(const Setting& setting) {
  predictor::SharedInputModel shared;
  shared.transfer_s = setting.shared_share * setting.work_s;
  shared.window_s = 0.1 * shared.transfer_s;
  shared.tail_s = 0.2 * shared.transfer_s;
  shared.begins_at = 0.6;
  shared.last_part = 0.05;
  return shared;
}

double bytes_per_s_of(const Setting& setting) {
  return setting.wire == Wire::fast ? 11.8e6 : 1.18e6;
}

void add_wire(const Setting& setting, Scenario& scenario) {
  const double bytes_per_s = bytes_per_s_of(setting);
  const double each =
      setting.wire_share * setting.work_s * bytes_per_s / static_cast<double>(setting.iterations);
  scenario.bytes.input_each = scenario.bytes.result_each = each;
  scenario.links.push_back(std::make_shared<communication::LinearCosts>(
      communication::LinearCosts::Parameters{.latency_s = 100e-6, .bandwidth_bytes_per_s = bytes_per_s}));
  scenario.shared = shared_input_of(setting);
  scenario.ports = predictor::PortOrder::shared;
  scenario.port_burst_s = scenario.links.front()->port_s(16384);
  scenario.master.far = {50e-6, 50e-6, 200e-6};
}

}  // namespace

Setting draw_setting(std::uint64_t seed) {
  constexpr std::array<std::size_t, 8> counts{2, 3, 4, 6, 9, 12, 16, 24};
  Draw draw(seed);
  Setting setting{.seed = seed};
  setting.costs = draw.one_of(cost_kinds);
  setting.hosts = draw.one_of(host_kinds);
  setting.wire = draw.one_of(wire_kinds);
  setting.workers = counts[static_cast<std::size_t>(draw.between(0, counts.size()))];
  setting.iterations = static_cast<Index>(draw.over_orders(20, 2000) * static_cast<double>(setting.workers));
  setting.work_s = draw.over_orders(0.5, 20);
  if (draw.is(0.6)) setting.load_period_s = setting.work_s * draw.over_orders(0.02, 1.5);
  setting.load_share = draw.between(0.3, 0.75);
  setting.is_half_loaded = draw.is(0.3);
  setting.prefetch = draw.is(0.3) ? 1 : 0;
  setting.master_works = draw.is(0.5);
  setting.has_slow_narrow_chunks = draw.is(0.4);
  if (setting.wire == Wire::none) return setting;
  setting.wire_share =
      setting.wire == Wire::fast ? draw.over_orders(0.003, 0.3) : draw.over_orders(0.03, 0.9);
  if (draw.is(0.4)) setting.shared_share = draw.between(0.02, 0.25);
  return setting;
}

// A product of 720 columns, 5,760 bytes each way per column, takes 1.5 s on the lab's 1.5 processors.
Setting lab_setting(std::uint64_t number) {
  constexpr double work_s = 1.5, matrix_bytes = 720 * 5760, fast_bytes_per_s = 11.8e6;
  Setting setting{.seed = number, .hosts = Hosts::limited, .iterations = 720, .workers = 9, .work_s = work_s};
  setting.wire = number < 4 ? Wire::fast : Wire::slow;
  setting.master_works = number % 4 < 2;
  setting.load_period_s = number % 2 == 1 ? 1 : 0;
  setting.wire_share = matrix_bytes / fast_bytes_per_s / work_s * (number < 4 ? 1 : 10);
  setting.shared_share = setting.wire_share;
  setting.has_slow_narrow_chunks = true;
  return setting;
}

// The same with random sizes, hosts and work.
Setting lab_like_setting(std::uint64_t number) {
  constexpr double fast_bytes_per_s = 11.8e6, most_of_work = 0.6;
  constexpr std::uint64_t apart = 77'000;  // from the seeds of draw_setting
  Draw draw(apart + number);
  Setting setting = lab_setting(number % lab_settings);
  setting.seed = number;
  setting.work_s = draw.over_orders(0.7, 4);
  const double columns = draw.between(400, 1400);
  setting.iterations = static_cast<Index>(columns);
  setting.workers = static_cast<std::size_t>(draw.between(5, 15));
  if (setting.has_load()) setting.load_period_s = setting.work_s * draw.over_orders(0.2, 1.2);
  const double fast_share = std::min(columns * columns * 8 / fast_bytes_per_s / setting.work_s, most_of_work);
  setting.wire_share = setting.shared_share = fast_share * (setting.wire == Wire::fast ? 1 : 10);
  return setting;
}

double shared_bytes_of(const Setting& setting) {
  return setting.wire == Wire::none ? 0 : setting.shared_share * setting.work_s * bytes_per_s_of(setting);
}

Scenario scenario_of(const Setting& setting, std::uint64_t replicate) {
  Scenario scenario;
  scenario.loop = loop_of(setting, replicate);
  if (setting.has_slow_narrow_chunks) scenario.widths = {predictor::WidthFactor{0.6}};
  for (std::size_t worker = 0; worker < setting.workers; ++worker)
    scenario.workers.push_back(worker_of(setting, worker, replicate));
  if (setting.master_works) scenario.master.own_worker = 0;
  scenario.master.near = {0.1e-6, 0.1e-6, 0};
  if (setting.wire != Wire::none) add_wire(setting, scenario);
  scenario.prefetch = setting.prefetch;
  scenario.scatter = {1e-4, 2.5e-3};
  scenario.reported_deviation = 0.05;
  return scenario;
}

}  // namespace loadshare::bench
