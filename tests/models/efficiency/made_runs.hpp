#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "models/efficiency/granularity.hpp"
#include "tests/error_of.hpp"

namespace loadshare::granularity::test {

/// The four parts of one rank, in seconds.
struct Parts {
  double computing_s = 0;
  double communicating_s = 0;
  double idle_s = 0;
  double stolen_s = 0;
};

RunTimes made_run(double run_s, const std::vector<Parts>& ranks);

/// A run of 1 to 9 ranks whose accounts close, of random parts.
RunTimes random_run(std::mt19937& random);

}  // namespace loadshare::granularity::test
