#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "models/messages/curve.hpp"
#include "tests/error_of.hpp"

namespace loadshare::communication::test {

/// How samples of a known truth are to be made.
struct Making {
  double first_size = 64;
  double last_size = 4194304;
  int sizes = 60;  ///< log-spaced, with jitter
  int repetitions = 30;
  double noise = 0.03;    ///< standard deviation of the logarithm
  double tenfold = 0.05;  ///< share of samples that took ten times as long
  unsigned seed = 1;
};

std::vector<Sample> made_samples(const std::function<double(double)>& truth_s, const Making& making);

/// |curve / truth - 1| of sizes over all of the range, sorted.
std::vector<double> relative_errors(const Curve& curve, const std::function<double(double)>& truth_s,
                                    const Making& making);

}  // namespace loadshare::communication::test
