#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// Every technique in the table is tested; these add parameters with the strongest effects.
std::vector<std::string> specs() {
  std::vector<std::string> specs;
  const SchedulerTable table = built_in_schedulers();
  for (const auto& entry : table.entries()) specs.push_back(example_of(entry));
  for (const char* spec : {"send:1",
                           "send:1000000",
                           "gss:14",
                           "gss:1",
                           "gss:round=up",
                           "gss:2,min=7",
                           "gss:9223372036854775807",
                           "factoring:40",
                           "factoring:round=up",
                           "factoring:min=7",
                           "factoring:1",
                           "tss:40,2",
                           "tss:step=0",
                           "tss:last=1",
                           "tss:last=12",
                           "tss:88,last=12",
                           "tss:min=7",
                           "tss:9223372036854775807,last=1",
                           "adaptive:5,2,50",
                           "adaptive:1,1,1",
                           "adaptive:max=9223372036854775807",
                           "adaptive:min=20",
                           "fsc:overhead=0,sigma=1",
                           "fsc:overhead=1e9,sigma=1e-9",
                           "fsc:overhead=1,sigma=0",
                           "mfsc:round=up",
                           "fac2:min=7",
                           "fac2:round=down",
                           "fac:mu=1,sigma=0",
                           "fac:mu=1e-9,sigma=1e9",
                           "fac:mu=1,sigma=0.3,min=7,round=down",
                           "tap:mu=1,sigma=0",
                           "tap:mu=1e-9,sigma=1e9,alpha=1000",
                           "tap:mu=1,sigma=0.3,min=7,round=down",
                           "tfss:40,12,up",
                           "tfss:9223372036854775807,last=1",
                           "fiss:2",
                           "fiss:9223372036854775807",
                           "viss:2",
                           "viss:9223372036854775807",
                           "pls:0",
                           "pls:1",
                           "pls:0.3,min=7,round=down",
                           "rnd:1,1",
                           "rnd:min=9223372036854775807",
                           "rnd:1,9223372036854775807,seed=3",
                           "bold:1,0,1",
                           "bold:1e-9,1e9,1e-9",
                           "bold:1,0.1,1e9,min=7",
                           "bold:1,0.3,0.01,round=down",
                           "wf:weights=1:2:0.5",
                           "wf:weights=1e-6:1e6,min=7,round=down",
                           "awf:min=7",
                           "awf-b:round=down",
                           "awf-c:min=7",
                           "awf-e:round=down",
                           "af:first=1000000",
                           "af:first=1,min=7,round=down"})
    specs.emplace_back(spec);
  return specs;
}

const std::vector<LoopFacts> shapes = {{0, 1},  {0, 4},   {1, 1},    {1, 9},    {3, 64},     {7, 1},
                                       {70, 4}, {720, 9}, {1000, 4}, {1000, 0}, {12345, 100}};

// Deals a whole loop to workers that ask in random order and report random times; checks each size on the
// way.
Sizes deal(ChunkScheduler& scheduler, const LoopFacts& loop, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto workers = static_cast<std::uint32_t>(std::max<Index>(loop.workers, 1));
  Sizes sizes;
  for (Chunk rest{0, loop.iterations}; rest.size > 0;) {
    const auto worker = WorkerId{static_cast<std::uint32_t>(random() % workers)};
    const Index size = test::next_size(scheduler, worker, rest.size);
    sizes.push_back(size);
    if (size < 1 || size > rest.size) break;
    const double response_s = 1e-3 * static_cast<double>(random() % 1000);
    scheduler.completed({worker, {rest.first, size}, response_s, response_s, {}});
    rest = {rest.first + size, rest.size - size};
  }
  return sizes;
}

Sizes deal(const std::string& spec, const LoopFacts& loop, std::uint64_t seed) {
  return deal(*built_in_schedulers().make(spec, loop), loop, seed);
}

class SchedulerContract : public ::testing::TestWithParam<std::string> {};

TEST_P(SchedulerContract, DealsEveryIterationOnceInWholeChunks) {
  for (const LoopFacts& loop : shapes) {
    SCOPED_TRACE(std::to_string(loop.iterations) + " iterations, " + std::to_string(loop.workers) +
                 " workers");
    const Sizes sizes = deal(GetParam(), loop, 7);
    for (const Index size : sizes) ASSERT_GE(size, 1);
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), Index{0}), loop.iterations);
  }
}

TEST_P(SchedulerContract, SameInputsGiveTheSameRun) {
  EXPECT_EQ(deal(GetParam(), {1000, 4}, 3), deal(GetParam(), {1000, 4}, 3));
}

TEST_P(SchedulerContract, DealsEveryIterationAgainWithWhatItLearned) {
  LoopFacts loop{1000, 4};
  for (int run = 0; run < 3; ++run) {
    const auto scheduler = built_in_schedulers().make(GetParam(), loop);
    const Sizes sizes = deal(*scheduler, loop, 5);
    for (const Index size : sizes) ASSERT_GE(size, 1);
    ASSERT_EQ(std::accumulate(sizes.begin(), sizes.end(), Index{0}), loop.iterations) << "run " << run;
    loop.learned = scheduler->learned();
  }
}

TEST_P(SchedulerContract, HugeLoopsStayWithinBounds) {
  constexpr Index most = std::numeric_limits<Index>::max();
  for (const Index workers : {Index{1}, Index{100'000}, most}) {
    const auto scheduler = built_in_schedulers().make(GetParam(), {most, workers});
    Index remaining = most;
    for (int turn = 0; turn < 100 && remaining > 0; ++turn) {
      const Index size = test::next_size(*scheduler, WorkerId{0}, remaining);
      ASSERT_GE(size, 1);
      ASSERT_LE(size, remaining);
      remaining -= size;
    }
  }
}

// All times are equal: no variance, and all workers have the same speed.
TEST_P(SchedulerContract, ZeroVarianceIsNoTrouble) {
  for (const LoopFacts& loop : shapes) {
    const auto scheduler = built_in_schedulers().make(GetParam(), loop);
    Index remaining = loop.iterations;
    for (std::uint32_t turn = 0; remaining > 0; ++turn) {
      const WorkerId worker{turn % static_cast<std::uint32_t>(std::max<Index>(loop.workers, 1))};
      const Index size = test::next_size(*scheduler, worker, remaining);
      ASSERT_GE(size, 1);
      ASSERT_LE(size, remaining);
      const double seconds = 0.25 * static_cast<double>(size);
      scheduler->completed({worker, {loop.iterations - remaining, size}, seconds, seconds, {}});
      remaining -= size;
    }
  }
}

TEST(SchedulersOfTheTable, AMinimumAsLargeAsTheLoopIsOneChunk) {
  const SchedulerTable table = built_in_schedulers();
  int tested = 0;
  for (const auto& entry : table.entries()) {
    if (std::ranges::find(entry.parameters, "min", &ParameterInfo::name) == entry.parameters.end()) continue;
    const bool takes_more =
        std::ranges::find(entry.parameters, "max", &ParameterInfo::name) != entry.parameters.end();
    const std::string bounds = takes_more ? "min=24,max=24" : "min=24";
    const std::string spec = example_of(entry) + (entry.example.empty() ? ":" : ",") + bounds;
    EXPECT_EQ(sequence(spec, {24, 3}), Sizes{24}) << spec;
    ++tested;
  }
  EXPECT_GE(tested, 16);
}

// Workers join, leave, rejoin, hold several chunks and return some: sizes stay within bounds.
TEST_P(SchedulerContract, WorkersMayJoinAndLeave) {
  std::mt19937_64 random(13);
  const auto below = [&](Index count) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(count));
  };
  const auto scheduler = built_in_schedulers().make(GetParam(), {3000, 3});
  std::vector<std::vector<Chunk>> held(6);
  std::vector<bool> is_here(held.size());
  Index remaining = 3000;
  for (double now_s = 0; remaining > 0 && now_s < 1000; now_s += 0.25) {
    const auto number = static_cast<std::size_t>(below(std::ssize(held)));
    const WorkerId worker{static_cast<std::uint32_t>(number)};
    if (below(20) == 0 || !is_here[number]) {
      for (const Chunk& chunk : held[number]) {
        scheduler->reclaimed(worker, chunk);
        remaining += chunk.size;
      }
      held[number].clear();
      is_here[number] = !is_here[number];
      is_here[number] ? scheduler->joined(worker, {}) : scheduler->left(worker);
      continue;
    }
    if (held[number].size() > 1) {
      const Chunk chunk = held[number].front();
      held[number].erase(held[number].begin());
      const double seconds = 1e-3 * static_cast<double>(below(1000));
      scheduler->completed({worker, chunk, seconds, seconds, {}});
    }
    Index outstanding = 0;
    for (const auto& chunks : held)
      for (const Chunk& chunk : chunks) outstanding += chunk.size;
    const Index present = std::ranges::count(is_here, true);
    const Index size =
        scheduler->next({worker, 3000 - remaining, remaining, outstanding, present, now_s}).size;
    ASSERT_GE(size, 1);
    ASSERT_LE(size, remaining);
    held[number].push_back({3000 - remaining, size});
    scheduler->assigned(worker, held[number].back());
    remaining -= size;
  }
}

// A lost worker's range comes back: the rest may grow, or shrink by less than requested.
TEST_P(SchedulerContract, RemainingMayGrow) {
  const auto scheduler = built_in_schedulers().make(GetParam(), {100, 4});
  for (const Index remaining : {100, 1, 99, 2, 100, 100, 1, 1, 50, 100}) {
    const Index size = test::next_size(*scheduler, WorkerId{1}, remaining);
    ASSERT_GE(size, 1);
    ASSERT_LE(size, remaining);
  }
}

// More workers may join than were expected.
TEST_P(SchedulerContract, UnforeseenWorkersAreServed) {
  const auto scheduler = built_in_schedulers().make(GetParam(), {100, 1});
  scheduler->completed({WorkerId{7}, {0, 1}, 1.0, 1.0, {}});
  EXPECT_GE(test::next_size(*scheduler, WorkerId{7}, 10), 1);
  EXPECT_GE(test::next_size(*scheduler, WorkerId{5000}, 10), 1);
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryTechnique, SchedulerContract, ::testing::ValuesIn(specs()), name_of);

}  // namespace
}  // namespace loadshare::test
