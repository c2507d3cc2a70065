#include "models/farm/prediction.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.hpp"
#include "models/farm/farm_model.hpp"
#include "models/messages/message_costs.hpp"
#include "tests/error_of.hpp"

namespace loadshare::predictor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A loop of 400 iterations of 10 ms.
FarmModel model() {
  FarmModel model;
  model.loop.cost = LoopCost::uniform(400, 0.01);
  model.loop.factors.push_back({});
  model.data.input_bytes = 400 * 1000;
  model.data.result_bytes = 400 * 500;
  model.costs = {.report_s = 1e-4,
                 .order_s = 1e-4,
                 .near_s = 0,
                 .worker_report_s = 0,
                 .polling_share = 0,
                 .polling_latency_s = 0};
  return model;
}

FarmSetting three_hosts() {
  FarmSetting setting;
  setting.hosts.resize(3);
  setting.hosts[0].name = "a";
  setting.hosts[1].name = "b";
  setting.hosts[1].speed = 2;
  setting.hosts[2].name = "c";
  setting.hosts[2].available = 0.5;
  return setting;
}

/// 1 ms and 1 MB/s between any two.
std::shared_ptr<const communication::MessageCosts> slow_network(const HostModel&, const HostModel&) {
  return std::make_shared<communication::LinearCosts>(communication::LinearCosts::Parameters{
      .latency_s = 1e-3, .bandwidth_bytes_per_s = 1e6, .eager_bytes = 1e9});
}

Predictor predictor_of(const SchedulerTable& table, const FarmModel& model, const FarmSetting& setting,
                       std::size_t replicates) {
  return {
      table,
      [model, setting](std::uint64_t number) { return make_scenario(model, setting, slow_network, number); },
      replicates};
}

TEST(FarmModelTest, GivesEachHostItsSpeedAndItsLink) {
  const Scenario scenario = make_scenario(model(), three_hosts(), slow_network, 0);
  ASSERT_EQ(scenario.workers.size(), 3);
  EXPECT_EQ(scenario.workers[0].link, std::nullopt);  // the master's own
  EXPECT_EQ(scenario.workers[1].link, 0);
  EXPECT_EQ(scenario.workers[1].speed, 2);
  EXPECT_EQ(scenario.workers[2].load.mean_rate(), 0.5);
  EXPECT_EQ(scenario.master.own_worker, 0);
  EXPECT_DOUBLE_EQ(scenario.bytes.input_each, 1000);
  EXPECT_DOUBLE_EQ(scenario.bytes.result_each, 500);
}

TEST(FarmModelTest, ACoordinatingMasterIsNoWorker) {
  FarmSetting setting = three_hosts();
  setting.master_works = false;
  setting.master_rank = 1;
  const Scenario scenario = make_scenario(model(), setting, slow_network, 0);
  ASSERT_EQ(scenario.workers.size(), 2);
  EXPECT_EQ(scenario.workers[1].load.mean_rate(), 0.5);
  EXPECT_EQ(scenario.master.own_worker, std::nullopt);
}

TEST(FarmModelTest, RanksOfTheMastersHostNeedNoMessages) {
  FarmSetting setting = three_hosts();
  setting.hosts[1].name = "a";
  const Scenario scenario = make_scenario(model(), setting, slow_network, 0);
  EXPECT_EQ(scenario.workers[1].link, std::nullopt);
  EXPECT_EQ(scenario.workers[2].link, 0);
}

TEST(FarmModelTest, ReplicatesDrawTheirOwnPhasesTheSameForAll) {
  FarmSetting setting = three_hosts();
  setting.load = parse_load_spec("on=1s,off=1s,phase=random");
  const auto rates = [&](std::uint64_t replicate) {
    const Scenario scenario = make_scenario(model(), setting, slow_network, replicate);
    return std::vector<double>{scenario.workers[0].load.finish_s(0, 0.3),
                               scenario.workers[1].load.finish_s(0, 0.3),
                               scenario.workers[2].load.finish_s(0, 0.3)};
  };
  EXPECT_EQ(rates(1), rates(1));
  EXPECT_NE(rates(1), rates(2));
}

TEST(FarmModelTest, ALoadTakesAPartOfTheRemainingProcessor) {
  FarmSetting setting = three_hosts();
  setting.load = parse_load_spec("constant,share=0.5,where=0+2");
  const Scenario scenario = make_scenario(model(), setting, slow_network, 0);
  EXPECT_DOUBLE_EQ(scenario.workers[0].load.mean_rate(), 0.5);
  EXPECT_DOUBLE_EQ(scenario.workers[1].load.mean_rate(), 1);
  EXPECT_DOUBLE_EQ(scenario.workers[2].load.mean_rate(), 0.25);
}

TEST(FarmModelTest, RefusesInvalidHosts) {
  FarmSetting setting = three_hosts();
  setting.hosts[1].speed = 0;
  EXPECT_THAT(error_of([&] { make_scenario(model(), setting, slow_network, 0); }),
              HasSubstr("host b has a speed"));
  setting = three_hosts();
  setting.master_rank = 3;
  EXPECT_THAT(error_of([&] { make_scenario(model(), setting, slow_network, 0); }),
              HasSubstr("the master is rank 3"));
  setting.hosts.resize(1);
  setting.master_rank = 0;
  setting.master_works = false;
  EXPECT_THAT(error_of([&] { make_scenario(model(), setting, slow_network, 0); }),
              HasSubstr("there is no worker"));
}

TEST(PredictorTest, HasBoundsThatNoRunBeats) {
  const SchedulerTable table = built_in_schedulers();
  const Predictor predictor = predictor_of(table, model(), three_hosts(), 1);
  for (const char* spec : {"send:1", "send:20", "gss", "factoring", "tss"}) {
    const Prediction one = predictor.predict(spec);
    EXPECT_NEAR(one.bounds.work_s, 4 / 3.5, 1e-8);
    EXPECT_LE(one.bounds.work_s, one.makespan_s) << spec;
    EXPECT_LE(one.bounds.network_s, one.makespan_s) << spec;
    EXPECT_LE(one.bounds.master_s, one.makespan_s) << spec;
  }
}

/// Returns the shares of a run on three workers, from the begin and end of its chunks.
struct Shares {
  double busy = 0;
  double idle = 0;
};

Shares shares_of(std::vector<ChunkRecord> chunks, double makespan_s) {
  std::ranges::sort(chunks, {}, &ChunkRecord::begun_s);
  std::array<double, 3> free_since_s{};
  Shares shares;
  for (const ChunkRecord& chunk : chunks) {
    double& since_s = free_since_s.at(static_cast<std::size_t>(to_number(chunk.worker)));
    shares.idle += (chunk.begun_s - since_s) / (3 * makespan_s);
    shares.busy += (chunk.ended_s - chunk.begun_s) / (3 * makespan_s);
    since_s = chunk.ended_s;
  }
  for (const double since_s : free_since_s) shares.idle += (makespan_s - since_s) / (3 * makespan_s);
  return shares;
}

TEST(PredictorTest, HasTheSharesOfItsChunks) {
  const SchedulerTable table = built_in_schedulers();
  const Predictor predictor = predictor_of(table, model(), three_hosts(), 1);
  for (const char* spec : {"send:1", "send:20", "send:130", "gss", "factoring"}) {
    const Prediction one = predictor.predict(spec);
    const Shares shares = shares_of(predictor.chunks(one, 1000), one.makespan_s);
    EXPECT_NEAR(one.busy, shares.busy, 1e-9) << spec;
    EXPECT_NEAR(one.idle, shares.idle, 1e-9) << spec;
    EXPECT_GT(one.idle, 0.001) << spec;
  }
}

// Holds for all phases: a period's grant can be used up just before the next one begins.
TEST(PredictorTest, NoRunUnderALimitIsShorterThanItsBound) {
  const SchedulerTable table = built_in_schedulers();
  for (const double period_s : {0.01, 0.1})
    for (const double share : {0.1, 0.6})
      for (const double iteration_s : {0.0005, 0.01}) {
        FarmModel limited = model();
        limited.loop.cost = LoopCost::uniform(400, iteration_s);
        FarmSetting setting = three_hosts();
        setting.hosts[2].available = 1;
        for (HostModel& host : setting.hosts) host.grant = CpuQuota{share, period_s, 0.004};
        const Prediction one = predictor_of(table, limited, setting, 40).predict("send:4");
        EXPECT_GE(*std::ranges::min_element(one.makespans_s), one.bounds.work_s) << period_s << " " << share;
        EXPECT_GT(one.bounds.work_s, 0.1 * one.makespan_s) << period_s << " " << share;
      }
}

TEST(PredictorTest, NamesTheBottleneckOfARun) {
  const SchedulerTable table = built_in_schedulers();
  const auto bound = [&](const FarmModel& of, const char* spec) {
    return predictor_of(table, of, three_hosts(), 1).predict(spec).bound;
  };
  EXPECT_EQ(bound(model(), "send:4"), Bound::work);
  EXPECT_EQ(bound(model(), "send:130"), Bound::last_chunk);
  FarmModel heavy = model();
  heavy.data.input_bytes = 400 * 30'000;
  EXPECT_EQ(bound(heavy, "send:4"), Bound::network);
  FarmModel slow_master = model();
  slow_master.costs.order_s = 0.02;
  EXPECT_EQ(bound(slow_master, "send:1"), Bound::master);
  FarmModel quick = model();
  quick.loop.cost = LoopCost::uniform(400, 1e-4);
  quick.data = {};
  EXPECT_EQ(bound(quick, "send:1"), Bound::waiting);
}

TEST(PredictorTest, ScattersAsItsReplicatesDo) {
  const SchedulerTable table = built_in_schedulers();
  FarmModel scattered = model();
  scattered.loop.run_deviation = 0.05;
  EXPECT_TRUE(has_chance(scattered, three_hosts(), slow_network));
  EXPECT_FALSE(has_chance(model(), three_hosts(), slow_network));
  const Prediction one = predictor_of(table, scattered, three_hosts(), 400).predict("gss");
  EXPECT_EQ(one.makespans_s.size(), 400);
  EXPECT_LT(one.low_s, one.makespan_s);
  EXPECT_GT(one.high_s, one.makespan_s);
  EXPECT_NEAR(one.high_s / one.low_s, std::exp(2 * 1.64 * 0.05), 0.06);
}

/// The slow network, as a calibration of several launches has it.
class Launched final : public communication::MessageCosts {
 public:
  bool waits_for_receive(communication::SendMode mode, double bytes) const override {
    return line_->waits_for_receive(mode, bytes);
  }
  double sender_s(communication::SendMode mode, communication::ReceivePosted posted,
                  double bytes) const override {
    return line_->sender_s(mode, posted, bytes);
  }
  double receiver_s(communication::SendMode mode, communication::ReceivePosted posted,
                    double bytes) const override {
    return line_->receiver_s(mode, posted, bytes);
  }
  double port_s(double bytes) const override { return line_->port_s(bytes); }
  double deviation() const override { return 0.1; }

 private:
  std::shared_ptr<const communication::MessageCosts> line_ = slow_network({}, {});
};

TEST(PredictorTest, MessagesScatterAsTheyWereCalibrated) {
  const SchedulerTable table = built_in_schedulers();
  const Network launched = [](const HostModel&, const HostModel&) { return std::make_shared<Launched>(); };
  FarmModel heavy = model();
  heavy.data.input_bytes = 400 * 300'000;  // a run is as long as its messages
  EXPECT_TRUE(has_chance(heavy, three_hosts(), launched));
  const auto make = [&](std::uint64_t number) {
    return make_scenario(heavy, three_hosts(), launched, number);
  };
  const Prediction one = Predictor(table, make, 200).predict("send:4");
  EXPECT_EQ(one.bound, Bound::network);
  EXPECT_NEAR(std::log(one.high_s / one.low_s), 2 * 1.645 * 0.1, 0.06);
}

// Speeds 1, 2 and 1 of 10 ms an iteration; the first sees the master's memory, the others' messages of 64
// bytes take 1.064 ms each.
TEST(PredictorTest, PassesTheLoopsTimesToSchedulers) {
  FarmModel scattered = model();
  scattered.loop.scatter.iteration_variance = 0.09;
  const LoopFacts facts = facts_of(make_scenario(scattered, three_hosts(), slow_network, 0));
  ASSERT_TRUE(facts.times);
  EXPECT_NEAR(facts.times->mean_s, 0.0075, 1e-9);
  EXPECT_NEAR(facts.times->deviation_s, 0.3 * 0.0075, 1e-9);
  EXPECT_NEAR(facts.times->overhead_s, 2.0 / 3 * (2e-4 + 2 * 1.064e-3), 2e-4);
}

FarmSetting loaded_hosts() {
  FarmSetting setting = three_hosts();
  setting.load = parse_load_spec("on=0.3s,off=0.2s,phase=random");
  return setting;
}

TEST(PredictorTest, ARaceFindsTheSameBestAsAllReplicates) {
  const SchedulerTable table = built_in_schedulers();
  for (const double deviation : {0.0, 0.3}) {
    FarmModel scattered = model();
    scattered.loop.cost = LoopCost::uniform(20'000, 1e-3);
    scattered.loop.scatter.iteration_variance = deviation * deviation;
    const Predictor predictor = predictor_of(table, scattered, loaded_hosts(), 30);
    const auto specs = table.candidates(facts_of(predictor.middle()));
    const std::vector<Prediction> raced = predictor.race(specs), all = predictor.predict(specs);
    const Choice choice = choose(raced, table);
    EXPECT_EQ(choice.level, choose(all, table).level) << deviation;
    EXPECT_EQ(choice.chosen, choose(all, table).chosen) << deviation;
    std::size_t left = 0;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (!raced[i].has_left) {
        EXPECT_EQ(raced[i].makespans_s, all[i].makespans_s) << specs[i];
        EXPECT_EQ(raced[i].makespan_s, all[i].makespan_s) << specs[i];
        continue;
      }
      ++left;
      EXPECT_NEAR(raced[i].makespan_s / all[i].makespan_s, 1, 0.05) << specs[i];
      EXPECT_GE(raced[i].makespan_s, level_ratio * raced[choice.best].makespan_s) << specs[i];
    }
    EXPECT_GT(left, specs.size() / 3);
  }
}

TEST(PredictorTest, IsTheSameOnAnyNumberOfCores) {
  const SchedulerTable table = built_in_schedulers();
  const auto make = [](std::uint64_t number) {
    return make_scenario(model(), loaded_hosts(), slow_network, number);
  };
  const std::vector<std::string> specs{"send:1", "send:9", "gss", "factoring", "adaptive:5"};
  const std::vector<Prediction> alone = Predictor(table, make, 30, 1).race(specs);
  for (const int cores : {2, 7}) {
    const std::vector<Prediction> together = Predictor(table, make, 30, cores).race(specs);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      EXPECT_EQ(together[i].makespans_s, alone[i].makespans_s) << specs[i];
      EXPECT_EQ(together[i].makespan_s, alone[i].makespan_s) << specs[i];
      EXPECT_EQ(together[i].messages, alone[i].messages) << specs[i];
      EXPECT_EQ(together[i].has_left, alone[i].has_left) << specs[i];
    }
  }
}

TEST(PredictorTest, AnErrorOnAnotherCoreIsThrownHere) {
  const SchedulerTable table = built_in_schedulers();
  const auto make = [](std::uint64_t number) {
    if (number == 5) throw UsageError("no scenario 5");
    return make_scenario(model(), three_hosts(), slow_network, number);
  };
  EXPECT_THAT(error_of([&] { Predictor(table, make, 9, 3).predict("gss"); }), HasSubstr("no scenario 5"));
}

/// A random question.
struct Question {
  FarmModel model = predictor::model();
  FarmSetting setting;

  explicit Question(std::uint64_t number) {
    std::mt19937_64 random(number);
    const auto one_in = [&](int count) { return random() % static_cast<std::uint64_t>(count) == 0; };
    const Index iterations = 1 + static_cast<Index>(std::pow(3000, fraction(random)));
    model.loop.cost = LoopCost::uniform(iterations, 1e-5 * std::pow(1e4, fraction(random)));
    if (one_in(2)) model.loop.scatter = {0.1 * fraction(random), fraction(random)};
    if (one_in(2)) model.loop.run_deviation = 0.3 * fraction(random);
    if (one_in(2)) model.loop.factors = {{1, WidthFactor{one_in(2) ? 2 : -0.2}, 1.2, 0.9}};
    model.costs.polling_share = 0.2 * fraction(random);
    if (one_in(2)) model.data.shared_bytes = 1e6, model.data.shared_piece_bytes = 1e5;
    if (one_in(3)) model.arrival.begins_at = 0.5;
    setting.hosts.resize(1 + random() % 7);
    for (std::size_t i = 0; i < setting.hosts.size(); ++i) {
      HostModel& host = setting.hosts[i];
      host.name = "host" + std::to_string(one_in(4) ? 0 : i);
      host.speed = 0.2 + fraction(random);
      if (one_in(3)) host.available = 0.1 + 0.9 * fraction(random);
      if (one_in(3)) host.grant = CpuQuota{0.1 + 0.9 * fraction(random)};
      if (one_in(3)) host.link_burst_bytes = 20'000;
    }
    setting.master_works = setting.hosts.size() < 2 || !one_in(3);
    setting.master_rank = random() % setting.hosts.size();
    setting.prefetch = static_cast<Index>(random() % 3);
    setting.reissue = one_in(2) ? Reissue::on : Reissue::off;
    if (one_in(2)) setting.load = parse_load_spec("on=20ms,off=30ms,share=0.6,phase=random");
    setting.naps = one_in(2);
  }

  Predictor predictor(const SchedulerTable& table, std::size_t replicates) const {
    return predictor_of(table, model, setting, has_chance(model, setting, slow_network) ? replicates : 1);
  }
};

TEST(PredictorTest, AnswersAreConsistentForAnyQuestion) {
  const SchedulerTable table = built_in_schedulers();
  for (std::uint64_t number = 0; number < 150; ++number) {
    const Predictor predictor = Question(number).predictor(table, 1 + number % 16);
    const auto specs = table.candidates(facts_of(predictor.middle()));
    const std::vector<Prediction> all = predictor.race(specs);
    const Choice choice = choose(all, table);
    EXPECT_EQ(contradiction_in(all, choice), "") << number;
    const Prediction& chosen = all[choice.chosen];
    const double end_s = predictor.chunks(chosen, 100'000).back().returned_s;
    EXPECT_GE(end_s, chosen.low_s) << number;
    EXPECT_LE(end_s, chosen.high_s) << number;
  }
}

TEST(ChoiceTest, DetectsAnInconsistentAnswer) {
  const SchedulerTable table = built_in_schedulers();
  const auto said = [&](const Prediction& one, const Prediction& other, const Choice& choice) {
    return contradiction_in(std::vector{one, other}, choice);
  };
  const Prediction good{
      .scheduler = "gss", .makespans_s = {7, 8}, .makespan_s = 7.5, .low_s = 7, .high_s = 8};
  Prediction late = good;
  late.scheduler = "tss";
  late.makespans_s = {8, 9}, late.makespan_s = late.high_s = 8.5;
  EXPECT_EQ(said(good, late, {0, {0}, 0}), "");
  EXPECT_THAT(said(good, late, {0, {0, 1}, 0}), HasSubstr("tss is no tie with gss"));
  EXPECT_THAT(said(good, late, {1, {1}, 1}), HasSubstr("gss is better than the best, tss"));
  late.low_s = 8.6;
  EXPECT_THAT(said(good, late, {0, {0}, 0}), HasSubstr("tss's 8.5 s are not between"));
  Prediction early = good;
  early.bounds.work_s = 7.2;
  EXPECT_THAT(said(good, early, {0, {0}, 0}), HasSubstr("gss ends after 7 s, no run of it before 7.2 s"));
}

// Half of the pairs are level, and the medians of the two are 14 % apart.
TEST(ChoiceTest, ATieIsOneOfTheMediansToo) {
  const std::vector<Prediction> predictions{
      {.scheduler = "tss", .makespans_s = {7, 7, 7, 9, 9}, .makespan_s = 7},
      {.scheduler = "gss", .makespans_s = {7, 8, 8, 8, 9}, .makespan_s = 8}};
  EXPECT_FALSE(choose(predictions, built_in_schedulers()).is_tie());
}

TEST(ChoiceTest, TakesTheSimplestOfEquals) {
  const SchedulerTable table = built_in_schedulers();
  const std::vector<Prediction> predictions{
      {.scheduler = "tss", .makespans_s = {10, 20}, .makespan_s = 15},
      {.scheduler = "gss", .makespans_s = {10.05, 20.1}, .makespan_s = 15.08},
      {.scheduler = "send", .makespans_s = {11, 22}, .makespan_s = 16.5}};
  const Choice choice = choose(predictions, table);
  EXPECT_EQ(choice.best, 0);
  EXPECT_THAT(choice.level, ElementsAre(0, 1));
  EXPECT_EQ(choice.chosen, 1);
  EXPECT_TRUE(choice.is_tie());
}

TEST(ChoiceTest, IsTheOnlyCandidate) {
  const std::vector<Prediction> one{{.scheduler = "gss", .makespans_s = {1}, .makespan_s = 1}};
  const Choice choice = choose(one, built_in_schedulers());
  EXPECT_EQ(choice.chosen, 0);
  EXPECT_FALSE(choice.is_tie());
}

}  // namespace
}  // namespace loadshare::predictor
