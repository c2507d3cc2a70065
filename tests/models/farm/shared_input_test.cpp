// The arrival of the shared input on other hosts, compared with measurements.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "models/farm/farm_model.hpp"
#include "models/farm/farm_simulation.hpp"
#include "models/messages/message_costs.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {
namespace {

using communication::LinearCosts;
using testing::AllOf;
using testing::Ge;
using testing::Le;

/// TCP carries 1,448 of the 1,538 bytes that a full Ethernet frame takes on a wire of 100 Mbit/s.
std::shared_ptr<const communication::MessageCosts> hundred_megabit(const HostModel&, const HostModel&) {
  return std::make_shared<LinearCosts>(LinearCosts::Parameters{100e-6, 12.5e6 * 1448 / 1538, 65536});
}

/// The product of two matrices of size 720 in experiments/tr-97-14's lab: a master that coordinates, eight
/// hosts that work.
Scenario lab() {
  FarmModel model;
  model.loop.cost = LoopCost::uniform(720, 1e-3);
  model.loop.factors = {{}};
  model.data = {720 * 5760.0, 720 * 5760.0, 720 * 5760.0, 64 * 5760.0, {}};
  FarmSetting setting;
  for (int host = 0; host < 9; ++host) setting.hosts.emplace_back().name = "host " + std::to_string(host);
  setting.master_works = false;
  return make_scenario(model, setting, hundred_megabit, 0);
}

struct Arrivals {
  std::vector<double> first_inputs_s;  // ascending
  double shared_input_s = 0;
};

Arrivals arrivals(const Scenario& scenario, const std::string& spec) {
  std::vector<ChunkRecord> chunks;
  const LoopFacts loop{scenario.loop.iterations(), static_cast<Index>(scenario.workers.size())};
  FarmSimulation simulation(scenario, built_in_schedulers().make(spec, loop));
  simulation.on_chunk([&](const ChunkRecord& chunk) { chunks.push_back(chunk); });
  Arrivals found;
  found.shared_input_s = simulation.run().shared_input_s;
  std::ranges::sort(chunks, {}, &ChunkRecord::assigned_s);
  for (std::size_t i = 0; i < scenario.workers.size(); ++i)
    found.first_inputs_s.push_back(chunks[i].received_s);
  std::ranges::sort(found.first_inputs_s);
  return found;
}

auto within_a_tenth_of(double least, double most) {
  return AllOf(Ge(0.9 * least), Le(1.1 * most));
}

// Measured: first inputs of 0.2 to 0.3 MB after 196 to 320 ms, 250 in the mean.
TEST(SharedInputTest, DelaysLargeFirstOrdersAsMeasured) {
  const Arrivals found = arrivals(lab(), "gss:14");
  EXPECT_THAT(found.first_inputs_s.front(), within_a_tenth_of(0.196, 0.196));
  EXPECT_THAT(found.first_inputs_s.back(), within_a_tenth_of(0.320, 0.320));
  const double sum_s = std::accumulate(found.first_inputs_s.begin(), found.first_inputs_s.end(), 0.0);
  EXPECT_THAT(sum_s / 8, within_a_tenth_of(0.250, 0.250));
  EXPECT_THAT(found.shared_input_s, within_a_tenth_of(0.53, 0.60));
}

// Orders of 17 KB, which need not ask, are gone before it.
TEST(SharedInputTest, FollowsShortFirstOrdersAsMeasured) {
  const Arrivals found = arrivals(lab(), "send:3");
  EXPECT_LT(found.first_inputs_s.back(), 0.020);
  EXPECT_THAT(found.shared_input_s, within_a_tenth_of(0.44, 0.46));
}

/// Hosts that are at a tenth of the master's rate: the wire of one cannot bring it sooner than that.
TEST(SharedInputTest, TakesAsLongAsOnTheSlowestLink) {
  const auto slow = std::make_shared<LinearCosts>(LinearCosts::Parameters{
      .latency_s = 100e-6, .bandwidth_bytes_per_s = 1e6, .eager_bytes = 65536, .port_bytes_per_s = 10e6});
  const std::vector<std::shared_ptr<const communication::MessageCosts>> links{slow};
  const LoopRecord data{.shared_bytes = 4e6, .shared_piece_bytes = 1e6, .work = {}};
  EXPECT_NEAR(shared_input_of(data, 0, 1, links).transfer_s, 4, 1e-9);
  EXPECT_NEAR(slow->port_s(4e6), 0.4, 1e-9);
}

}  // namespace
}  // namespace loadshare::predictor
