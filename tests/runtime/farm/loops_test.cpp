#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include "tests/runtime/farm/farm_cases.hpp"

namespace loadshare::test {
namespace {

using testing::HasSubstr;

TEST(Map, GivesEveryIterationsValue) {
  Farm farm({.scheduler = "gss", .workers = 3});
  const std::vector<int> squares = farm.map<int>(1000, [](Index i) { return static_cast<int>(i * i); });
  ASSERT_EQ(squares.size(), 1000u);
  for (std::size_t i = 0; i < squares.size(); ++i) EXPECT_EQ(squares[i], static_cast<int>(i * i));
  EXPECT_TRUE(farm.map<int>(0, [](Index) { return 1; }).empty());
}

/// Interrupts all loops as soon as they are begun.
struct InterruptsAll final : FarmObserver {
  RunControls controls(Workload&, const RunControls&) override { return {.interrupted = &interrupted}; }
  std::atomic<bool> interrupted = true;
};

TEST(Map, LeavesAChunkInTheMiddleWhenItIsInterrupted) {
  Farm farm({.scheduler = "static", .workers = 2});
  farm.set_observer(std::make_shared<InterruptsAll>());
  constexpr Index iterations = 20'000;
  std::atomic<Index> computed = 0;
  const auto slow = [&](Index i) {
    ++computed;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return i;
  };
  const auto expect_interrupted = [&](const auto& loop) {
    computed = 0;
    try {
      loop();
      FAIL() << "nobody interrupted it";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::interrupted);
    }
    EXPECT_LT(computed, 500);
  };
  expect_interrupted([&] { farm.map<Index>(iterations, slow); });
  expect_interrupted([&] { farm.reduce(iterations, Index{0}, slow, std::plus<>()); });
  constexpr Index of_a_block = 1000;
  expect_interrupted([&] { farm.reduce(of_a_block * loops::most_blocks, Index{0}, slow, std::plus<>()); });
}

/// Keeps what every loop says of its progress, and lets bodies wait until it said something.
struct WatchesAll final : FarmObserver {
  RunControls controls(Workload&, const RunControls&) override {
    return {.on_progress = [this](const LoopProgress& progress) {
      within_chunks = std::max<Index>(within_chunks, progress.done - progress.committed);
      in_work = std::max<Index>(in_work, progress.iterations_in_work());
    }};
  }
  /// Until that is true, but not for ever.
  void wait_for(const std::function<bool()>& is_said) const {
    for (int ms = 0; ms < 10'000 && !is_said(); ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::atomic<Index> within_chunks = 0, in_work = 0;
};

TEST(Map, SaysWithinAChunkHowFarItIs) {
  Farm farm({.scheduler = "static", .workers = 1});
  const auto watch = std::make_shared<WatchesAll>();
  farm.set_observer(watch);
  const auto body = [&](Index i) {
    if (i == 30) watch->wait_for([&] { return watch->within_chunks > 0; });
    return i;
  };
  farm.map<Index>(100, body);
  EXPECT_GT(watch->within_chunks, 0);
  EXPECT_LE(watch->within_chunks, 30);
  watch->within_chunks = 0;
  farm.reduce(100, Index{0}, body, std::plus<>());
  EXPECT_GT(watch->within_chunks, 0);
}

TEST(ForChunks, AreKnownToBeComputed) {
  Farm farm({.scheduler = "static", .workers = 1});
  const auto watch = std::make_shared<WatchesAll>();
  farm.set_observer(watch);
  farm.for_chunks(100, [&](Chunk) { watch->wait_for([&] { return watch->in_work > 0; }); });
  EXPECT_EQ(watch->in_work, 100);
  EXPECT_EQ(watch->within_chunks, 0);
  farm.for_chunks(100, [&](Work& work) {
    work.progressed(40);
    watch->wait_for([&] { return watch->within_chunks > 0; });
  });
  EXPECT_EQ(watch->within_chunks, 40);
}

TEST(Map, IsRightWhereItsIterationsAreVeryUnequal) {
  Farm farm({.scheduler = "static", .workers = 2});
  const std::vector<Index> values = farm.map<Index>(100'000, [](Index i) {
    if (i % 9'973 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return i;
  });
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<Index>(i));
}

TEST(Loops, EndByWhatNoIterationIsToBlameFor) {
  Farm farm({.scheduler = "send:1", .workers = 2, .on_failure = "skip:0"});
  const auto expect_refused = [](const std::string& text, const auto& loop) {
    try {
      loop();
      FAIL() << "it was not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
  };
  const auto nested = [&](Index) { return farm.map<int>(1, [](Index) { return 1; }).front(); };
  expect_refused("in the body of a loop", [&] { farm.map<int>(100, nested); });
  expect_refused("in the body of a loop",
                 [&] { farm.reduce(2 * loops::most_blocks, 0, nested, std::plus<>()); });
  const OnMaster<int> elsewhere;
  expect_refused("on the master only", [&] { farm.map<int>(100, [&](Index) { return *elsewhere; }); });
  EXPECT_EQ(farm.map<int>(10, [](Index) { return 2; }).back(), 2);  // the farm goes on
}

TEST(Map, SaysWhichIterationThrew) {
  Farm farm({.scheduler = "send:100", .workers = 2, .on_failure = "skip:0"});
  std::vector<std::int64_t> values(300, -1);
  const RunRecord record = farm.for_chunks(300, out(values), [](Work& work, std::span<std::int64_t> part) {
    for (Index i = work.chunk().first; i < work.chunk().end(); ++i) {
      work.at(i);
      if (i == 123) throw std::runtime_error("unlucky");
      part[static_cast<std::size_t>(i - work.chunk().first)] = i;
    }
  });
  ASSERT_EQ(record.skipped.size(), 1u);
  EXPECT_EQ(record.skipped[0].iteration, 123);
  EXPECT_EQ(values[122], 122);
  EXPECT_EQ(values[123], 0);
  EXPECT_EQ(values[124], 124);
  Farm strict({.workers = 2});
  EXPECT_THROW(strict.map<int>(10,
                               [](Index i) {
                                 if (i == 7) throw std::runtime_error("unlucky");
                                 return 0;
                               }),
               Error);
}

TEST(Reduce, IsTheSameHoweverManyWorkersThereAre) {
  const auto sum_by = [](Index workers, const std::string& scheduler) {
    Farm farm({.scheduler = scheduler, .workers = workers});
    return farm.reduce(
        Index{300'000}, 1.0, [](Index i) { return 1.0 / static_cast<double>(i + 1); }, std::plus<>());
  };
  const double sum = sum_by(1, "gss");
  EXPECT_NEAR(sum, 1 + 13.188755, 1e-6);
  EXPECT_EQ(sum_by(3, "send:7"), sum);
  EXPECT_EQ(sum_by(2, "factoring"), sum);
}

TEST(Reduce, OfNothingIsItsBeginning) {
  Farm farm({.workers = 2});
  EXPECT_EQ(farm.reduce(
                Index{0}, 42, [](Index) { return 1; }, std::plus<>()),
            42);
  EXPECT_EQ(farm.reduce(
                Index{1}, 42, [](Index) { return 1; }, std::plus<>()),
            43);
}

TEST(Reduce, LeavesOutABlockThatIsSkipped) {
  Farm farm({.scheduler = "send:1", .workers = 2, .on_failure = "skip:0"});
  const auto two = [](Index i) -> double { return i == 7 ? throw std::runtime_error("unlucky") : 2; };
  EXPECT_EQ(farm.reduce(Index{10}, 1.0, two, std::multiplies<>()), 512);
}

TEST(Reduce, SaysWhichIterationThrewInWhichBlock) {
  Farm farm({.scheduler = "send:1", .workers = 2});
  const auto message = [&](Index iterations) -> std::string {
    try {
      farm.reduce(
          iterations, 0, [](Index i) { return i == 41 ? throw std::runtime_error("unlucky") : 1; },
          std::plus<>());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(60), HasSubstr("failed on iteration 41 (unlucky; "));
  EXPECT_THAT(message(2 * loops::most_blocks), HasSubstr("failed on block 20 (iteration 41: unlucky; "));
}

TEST(Reduce, ItsBlocksAreTheWholeLoop) {
  for (const Index iterations : {Index{1}, Index{65'536}, Index{65'537}, Index{1} << 33}) {
    const Index blocks = std::min(iterations, loops::most_blocks);
    Index end = 0;
    for (Index number = 0; number < blocks; ++number) {
      const Chunk block = loops::block(number, blocks, iterations);
      EXPECT_EQ(block.first, end);
      EXPECT_GE(block.size, 1);
      end = block.end();
    }
    EXPECT_EQ(end, iterations);
  }
}

TEST(ForChunks, HandsTheBodyItsChunkOfTheData) {
  Farm farm({.scheduler = "send:7", .workers = 3});
  std::vector<double> a(300), y(100);
  std::iota(a.begin(), a.end(), 0.0);
  const std::vector<float> x{1, 2, 4};
  const auto body = [](Chunk chunk, auto rows, auto factors, auto sums) {
    ASSERT_EQ(rows.size(), 3 * sums.size());
    ASSERT_EQ(static_cast<Index>(sums.size()), chunk.size);
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] =
          std::inner_product(factors.begin(), factors.end(), rows.begin() + static_cast<Index>(3 * i), 0.0);
  };
  farm.for_chunks(100, in(a), shared(x), out(y), body);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 7 * 3 * static_cast<double>(i) + 10);
}

TEST(ForChunks, RefusesDataThatDoNotFit) {
  Farm farm({.workers = 2});
  std::vector<int> none, seven(7), ten(10);
  const auto message = [&](auto&&... parts) -> std::string {
    try {
      farm.for_chunks(10, parts..., [](auto&&...) {});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(in(seven), out(ten)), HasSubstr("in(...) has 7 values (the loop has 10 iterations)"));
  EXPECT_THAT(message(out(seven)), HasSubstr("out(...) has 7 values"));
  EXPECT_THAT(message(in(ten), out(none)), HasSubstr("out(...) has 0 values (the loop has 10 iterations)"));
  EXPECT_THAT(message(in(none), out(ten)), HasSubstr("in(...) has 0 values (the loop has 10 iterations)"));
  EXPECT_EQ(message(in(ten), out(ten)), "");
  EXPECT_EQ(message(in(ten)), "");
  OnMaster<std::vector<int>> forgotten;
  EXPECT_THAT(message(out(forgotten)), HasSubstr("out(...) has 0 values"));
  farm.for_chunks(0, in(none), out(none), [](auto&&...) {});
}

TEST(OnMaster, IsAnErrorElsewhere) {
  OnMaster<std::vector<int>> elsewhere;
  EXPECT_THROW(*elsewhere, Error);
  EXPECT_FALSE(elsewhere.has_value());
  OnMaster<std::vector<int>> here(std::vector<int>{1, 2});
  EXPECT_EQ(here->size(), 2u);
  here->push_back(3);
  const OnMaster<std::vector<int>> to_read = here;
  EXPECT_TRUE(to_read.has_value());
  EXPECT_EQ(to_read->size(), 3u);
  EXPECT_EQ((*to_read)[1], 2);
  const OnMaster<int> nothing_to_read;
  EXPECT_THROW(*nothing_to_read, Error);
}

}  // namespace
}  // namespace loadshare::test
