#include "program/loadshare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/error.hpp"

namespace loadshare {
namespace {

/// Waits in its single iteration until the farm has reported progress, or for a limited time.
class Waiting final : public Workload {
 public:
  Index iterations() const override { return 1; }
  void compute(Work& work) override {
    for (int ms = 0; ms < 10'000 && !may_end && !work.is_cancelled(); ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::atomic<bool> may_end = false;
};

/// The caller's own controls, under those that the program has.
void run_with_controls(Farm& farm) {
  Waiting waiting;
  int reports = 0;
  farm.run(waiting, {.on_progress = [&](const LoopProgress&) { waiting.may_end = ++reports > 1; }});
  EXPECT_GT(reports, 1);
  std::atomic<bool> interrupted = false;
  try {
    Waiting for_ever;
    farm.run(for_ever,
             {.on_progress = [&](const LoopProgress&) { interrupted = true; }, .interrupted = &interrupted});
    FAIL() << "it was not interrupted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::interrupted);
  }
}

// One test for all, because a process may call it only once.
TEST(Run, LendsItsFarmOnce) {
  std::array<char*, 5> words{const_cast<char*>("own"), const_cast<char*>("--workers"), const_cast<char*>("1"),
                             const_cast<char*>("--progress"), const_cast<char*>("none")};
  const auto count = static_cast<int>(words.size());
  Farm* kept = nullptr;
  std::vector<int> doubled;
  const auto body = [&](Farm& farm) {
    kept = &farm;
    doubled = farm.map<int>(3, [](Index i) { return static_cast<int>(2 * i); });
    run_with_controls(farm);
  };
  EXPECT_EQ(run(count, words.data(), body), 0);
  EXPECT_THAT(doubled, testing::ElementsAre(0, 2, 4));
  EXPECT_EXIT(kept->map<int>(3, [](Index) { return 0; }), testing::ExitedWithCode(2), "the farm has ended");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(count, words.data(), body), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("called again"));
}

}  // namespace
}  // namespace loadshare
