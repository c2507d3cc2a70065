#include "apps/synthetic/costs/cost.hpp"

#include <gtest/gtest.h>

#include "tests/apps/common/files.hpp"

namespace loadshare::synthetic {
namespace {

using test::error_of;

Spec with(const std::string& parameter, const std::string& value) {
  return {"gamma", {{parameter, value}}, "cost"};
}

double duration(const std::string& text) {
  return duration_s(with("mean", text), "mean", 7);
}

TEST(Duration, HasAUnit) {
  EXPECT_EQ(duration("200us"), 0.0002);
  EXPECT_EQ(duration("1.5ms"), 0.0015);
  EXPECT_EQ(duration("30ns"), 30e-9);
  EXPECT_EQ(duration("2s"), 2);
  EXPECT_EQ(duration("1e-3s"), 1e-3);
  EXPECT_EQ(duration("0"), 0);
  EXPECT_EQ(duration_s(with("cv", "1"), "mean", 7), 7);
}

struct BadValue {
  const char* value;
  const char* error;
};

TEST(Duration, ErrorsSayWhatIsWrong) {
  const BadValue cases[] = {
      {"5", "cost gamma: mean is '5' (it has no unit); write it as 200us, 1.5ms or 2s"},
      {"5h", "cost gamma: mean is '5h' (there is no unit 'h'); write it as 200us, 1.5ms or 2s"},
      {"us", "cost gamma: mean is 'us' (it is not a duration); write it as 200us, 1.5ms or 2s"},
      {"infs", "cost gamma: mean is 'infs' (it is not a duration); write it as 200us, 1.5ms or 2s"},
      {"nans", "cost gamma: mean is 'nans' (it is not a duration); write it as 200us, 1.5ms or 2s"},
      {"-1s", "cost gamma: mean is '-1s' (it is negative); write it as 200us, 1.5ms or 2s"},
      {"1e10s", "cost gamma: mean is '1e10s' (it is too long); give at most 1e9s"},
      {"1e999s", "cost gamma: mean is '1e999s' (it is not a duration); write it as 200us, 1.5ms or 2s"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(error_of([&] { duration(value); }), text);
}

TEST(CostRange, IsOrdered) {
  const Spec spec{"uniform", {{"low", "3ms"}}, "cost"};
  EXPECT_EQ(cost_range(spec, {0, 4e-3}).low_s, 3e-3);
  EXPECT_EQ(error_of([&] {
              cost_range(spec, {0, 2e-3});
            }),
            "cost uniform: low is 3.00 ms (it is more than high, which is 2.00 ms); give a smaller low or a "
            "larger high");
}

}  // namespace
}  // namespace loadshare::synthetic
