#include "runtime/transport/waiting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/error.hpp"

namespace loadshare {
namespace {

TEST(WaitPolicy, IsReadByName) {
  for (const char* name : {"spin", "yield", "nap", "auto"})
    EXPECT_STREQ(name_among(wait_policies, choose("--wait", name, wait_policies)), name);
  EXPECT_THROW(choose("--wait", "sleep", wait_policies), UsageError);
  EXPECT_THROW(choose("--wait", "", wait_policies), UsageError);
}

TEST(WaitPolicy, AutomaticSpinsOnlyWithACoreForEachThread) {
  EXPECT_EQ(resolve(WaitPolicy::automatic, 2, 2), WaitPolicy::spin);
  EXPECT_EQ(resolve(WaitPolicy::automatic, 3, 2), WaitPolicy::nap);
  EXPECT_EQ(resolve(WaitPolicy::yield, 3, 2), WaitPolicy::yield);
}

class EveryPolicy : public testing::TestWithParam<WaitPolicy> {};

TEST_P(EveryPolicy, WaitsUntilTheProducerHasPublished) {
  Doorbell bell{};
  std::atomic<int> published = 0;
  std::jthread producer([&] {
    for (int i = 1; i <= 200; ++i) {
      while (published.load() != 0) std::this_thread::yield();
      published.store(i);
      bell.ring();
    }
  });
  Waiter waiter(GetParam());
  for (int i = 1; i <= 200; ++i) {
    while (published.load() == 0)
      waiter.wait(
          bell, [&] { return published.load() != 0; }, 1.0);
    EXPECT_EQ(published.exchange(0), i);
  }
}

TEST_P(EveryPolicy, GivesUpAtTheLimit) {
  Doorbell bell{};
  Waiter waiter(GetParam());
  const double begun_s = monotonic_s();
  waiter.wait(
      bell, [] { return false; }, 0.02);
  EXPECT_GE(monotonic_s() - begun_s, 0.019);
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicy,
                         testing::Values(WaitPolicy::spin, WaitPolicy::yield, WaitPolicy::nap));

// Of this those who compute on the sleeper's core hear.
TEST(Doorbell, TellsWhoWasWokenAndHasNotRunSince) {
  Doorbell bell{};
  bell.ring();
  EXPECT_EQ(bell.consumer(), Alertness::awake);
  const auto is_rung_while_it_goes_to_sleep = [&] {
    EXPECT_EQ(bell.consumer(), Alertness::asleep);
    bell.ring();
    EXPECT_EQ(bell.consumer(), Alertness::waking);
    bell.ring();
    EXPECT_EQ(bell.consumer(), Alertness::waking);
    return false;
  };
  const double begun_s = monotonic_s();
  bell.sleep(is_rung_while_it_goes_to_sleep, 5);
  EXPECT_LT(monotonic_s() - begun_s, 4);
  EXPECT_EQ(bell.consumer(), Alertness::awake);
}

TEST(PoliteYields, LooksAgainUntilWhatIsWaitedForIsThere) {
  const auto finds_at_second_look = [] {
    PoliteYields yields;
    int looks = 0;
    return yields.until([&] { return ++looks == 2; });
  };
  // Now and then another program has the core for longer.
  bool has_found = false;
  for (int round = 0; round < 100 && !has_found; ++round) has_found = finds_at_second_look();
  EXPECT_TRUE(has_found);
  EXPECT_FALSE(PoliteYields().until([] { return false; }));
}

// The core is somebody else's then, for longer than anything is worth waiting for.
TEST(PoliteYields, ArePutOffAfterOneThatTookLong) {
  PoliteYields yields;
  int looks = 0;
  const auto looks_late = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ++looks > 1;
  };
  EXPECT_FALSE(yields.until(looks_late));
  EXPECT_FALSE(yields.until(looks_late)) << "is not even looked for";
  EXPECT_EQ(looks, 1);
}

// A guest: a second of waiting costs next to nothing. The bound is the one that is promised, 2 % of a core.
TEST(Waiter, NapsWithoutUsingTheProcessor) {
  Doorbell bell{};
  Waiter waiter(WaitPolicy::nap);
  const double cpu_s = thread_cpu_s();
  for (int i = 0; i < 10; ++i)
    waiter.wait(
        bell, [] { return false; }, 0.1);
  EXPECT_LT(thread_cpu_s() - cpu_s, 0.02);
}

}  // namespace
}  // namespace loadshare
