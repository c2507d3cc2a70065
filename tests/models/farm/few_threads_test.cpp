#include <gtest/gtest.h>

#include "models/farm/prediction.hpp"
#include "tests/granted_threads.hpp"
#include "tests/models/farm/small_farms.hpp"

namespace loadshare::predictor {
namespace {

// A prediction does not depend on the number of threads; without further ones it only takes longer.
TEST(Predictor, ContinuesWithTheAvailableThreads) {
  const SchedulerTable table = built_in_schedulers();
  const auto predicted = [&](int cores) {
    const Predictor predictor(
        table, [](std::uint64_t) { return near_farm(3, 50); }, 8, cores);
    return predictor.predict("gss").makespan_s;
  };
  const double alone_s = predicted(1);
  for (const int granted : {0, 1, 2}) {
    const test::GrantedThreads threads(granted);
    EXPECT_EQ(predicted(4), alone_s);
  }
}

}  // namespace
}  // namespace loadshare::predictor
