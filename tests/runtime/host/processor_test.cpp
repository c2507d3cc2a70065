#include "runtime/host/processor.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "runtime/host/clock.hpp"

namespace loadshare {
namespace {

// Reads the clock before and after both ends, so that losing the processor only widens the bounds.
TEST(Processor, TicksFollowTheClock) {
  TickScale scale;
  const double first_s = monotonic_s();
  const std::uint64_t begun = processor_ticks();
  const double begun_s = monotonic_s();
  double now_s = begun_s;
  while (now_s - begun_s < 0.02) {
    pause_processor();
    now_s = monotonic_s();
  }
  const std::uint64_t ended = processor_ticks();
  const double ended_s = monotonic_s();
  scale.learn(ended_s);
  ASSERT_GT(ended, begun);
  const double passed_s = scale.seconds(ended - begun);
  EXPECT_GT(passed_s, 0.9 * (now_s - begun_s));
  EXPECT_LT(passed_s, 1.1 * (ended_s - first_s));
}

#if defined(__x86_64__)  // an emulator shows the file of its host
TEST(Processor, ReportsItsCounterAsTheKernelDoes) {
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(has_invariant_counter(), text.find(" nonstop_tsc") != std::string::npos);
}
#endif

}  // namespace
}  // namespace loadshare
