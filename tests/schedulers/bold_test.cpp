#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "schedulers/bold.hpp"
#include "tests/schedulers/played.hpp"

namespace loadshare::test {
namespace {

// sigma / mu = 3: a = 18, b = 144 ln 144 = 715.65; c1 = 0.002 / (0.01 ln 2) = 0.2885, c2 = 0.7233. For the
// first chunk Q = 250, v = 0.2589, d = 1085.5, s = 18 (ln d - ln c2) (1 + 1 / 4) = 164.6 and w = ln(v ln Q) +
// ln b = 6.93: 250 + 2.0 + 82.3 - 218.9 = 115.4. N is the rest if every worker does 116 iterations
// in 1.162 s, and so on.
TEST(Bold, GivesLargeChunksWhileManyIterationsRemain) {
  Played loop("bold:mu=0.01,sigma=0.03,overhead=0.002", {1000, 4});
  EXPECT_EQ(loop.ask(0), 116);
  EXPECT_EQ(loop.ask(1), 117) << "R = 884, M = N = 1000: 116.3";
  EXPECT_EQ(loop.ask(2), 118) << "R = 767: 117.3";
  EXPECT_EQ(loop.ask(3), 119) << "R = 649: 118.4";
  loop.give_back(0, 116, 0.9);
  EXPECT_EQ(loop.ask(0, 0.9), 60) << "R = 530, M = 884, N = 614.5: 59.4";
  loop.give_back(1, 117, 1.0);
  EXPECT_EQ(loop.ask(1, 1.0), 53) << "R = 470, M = 767, N = 557.4: 52.5";
  loop.give_back(3, 119, 1.5);
  EXPECT_EQ(loop.ask(3, 1.5), 35) << "R = 417, M = 648, N = 388.6: 34.4";
  loop.give_back(0, 60, 1.3);
  EXPECT_EQ(loop.ask(0, 2.2), 31) << "R = 382, M = 588: 30.6";
}

// a = 8, b = 64 ln 64 = 266.17, c1 = 7.21, c2 = 18.1: large chunks save overhead; below d = c2 each gets R /
// P.
TEST(Bold, SparesOverhead) {
  Played loop("bold:mu=0.01,sigma=0.02,overhead=0.05", {1000, 2});
  EXPECT_EQ(loop.ask(0), 409) << "408.4";
  EXPECT_EQ(loop.ask(1), 417) << "416.6";
  loop.give_back(0, 409, 3.5);
  EXPECT_EQ(loop.ask(0, 3.5), 111) << "R = 174, M = 591, N = 245.1: 110.6";
  loop.give_back(1, 417, 4.25);
  EXPECT_EQ(loop.ask(1, 4.25), 52) << "R = 63, M = 174, N = 102.2: 51.1, which is N / 2";
  loop.give_back(0, 111, 2.5);
  EXPECT_EQ(loop.ask(0, 6.0), 6) << "R = 11, all else should be done: 5.5";
  loop.give_back(1, 52, 2.75);
  EXPECT_EQ(loop.ask(1, 7.0), 3) << "2.5";
  loop.give_back(0, 6, 2.0);
  EXPECT_EQ(loop.ask(0, 8.0), 1);
  EXPECT_EQ(loop.ask(1, 8.0), 1);
}

// a = 0.08: 8 a is less than 1, and b = 0.64 ln 0.64 = -0.2856 negative, so w = ln(ln Q).
TEST(Bold, GivesNearlyFullSharesIfIterationsHardlyVary) {
  Played loop("bold:mu=0.01,sigma=0.002,overhead=0.05", {1000, 2});
  EXPECT_EQ(loop.ask(0), 495) << "494.8";
  EXPECT_EQ(loop.ask(1), 496) << "495.2";
  loop.give_back(0, 495, 3.5);
  EXPECT_EQ(loop.ask(0, 3.5), 9) << "all there is, of 79.2";
}

// The paper's equations one after the other, before any worker computes, so that N = M.
long double size_by_the_paper(const Bold::Parameters& of, long double remaining, long double unreturned) {
  const long double workers = of.workers, ratio = of.sigma_s / of.mu_s;
  const long double a = 2 * ratio * ratio, b = a > 0 ? 8 * a * std::log(8 * a) : 0;
  const long double c1 = of.overhead_s / (of.mu_s * std::numbers::ln2_v<long double>);
  const long double c2 = std::sqrt(2 * std::numbers::pi_v<long double>) * c1, c3 = std::log(c2);
  const long double q = remaining / workers;
  if (q <= 1) return 1;
  const long double r = std::max(remaining, unreturned), t = r / workers;
  const long double v = q / (b + q), d = remaining / (1 + 1 / std::log(q) - v);
  if (d <= c2) return t;
  const long double s = a * (std::log(d) - c3) * (1 + unreturned / (r * workers));
  const long double w = b > 0 ? std::log(v * std::log(q)) + std::log(b) : std::log(std::log(q));
  return std::min(t, t + std::max(0.0L, c1 * w) + s / 2 - std::sqrt(s * (t + s / 4)));
}

TEST(Bold, FollowsThePapersEquationsExactly) {
  std::mt19937_64 random(1997);
  const auto over_orders = [&random](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution(0.0, 1.0)(random));
  };
  int compared = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double mu_s = over_orders(1e-6, 10);
    const Bold::Parameters of{.workers = static_cast<Index>(over_orders(1, 1e5)),
                              .mu_s = mu_s,
                              .sigma_s = i % 10 == 0 ? 0 : mu_s * over_orders(1e-3, 10),
                              .overhead_s = over_orders(1e-7, 1),
                              .round = i % 2 == 0 ? Rounding::up : Rounding::down};
    const auto remaining = static_cast<Index>(over_orders(1, 1e9));
    const Index outstanding = i % 3 == 0 ? 0 : static_cast<Index>(over_orders(1, 1e9));
    const long double size = size_by_the_paper(of, static_cast<long double>(remaining),
                                               static_cast<long double>(remaining + outstanding));
    // If the true size is almost an integer, the last digit decides its rounding.
    if (std::abs(size - std::round(size)) < 1e-9L * (1 + size)) continue;
    ++compared;
    const auto whole = static_cast<Index>(i % 2 == 0 ? std::ceil(size) : std::floor(size));
    ASSERT_EQ(Bold(of).next({WorkerId{0}, 0, remaining, outstanding, of.workers, 0}).size,
              std::clamp<Index>(whole, 1, remaining))
        << of.workers << " workers, mu " << of.mu_s << ", sigma " << of.sigma_s << ", overhead "
        << of.overhead_s << ", R = " << remaining << ", outstanding " << outstanding << ": "
        << static_cast<double>(size);
  }
  EXPECT_GT(compared, 100'000);
}

TEST(Bold, RoundsDownAsPublishedImplementations) {
  EXPECT_EQ(Played("bold:mu=0.01,sigma=0.03,overhead=0.002,round=down", {1000, 4}).ask(0), 115);
}

TEST(Bold, WithoutDeviationEachGetsItsShare) {
  EXPECT_EQ(sequence("bold:mu=1,sigma=0,overhead=1", {10, 2}), (Sizes{5, 3, 1, 1}));
}

// Held chunks are computed one after the other.
TEST(Bold, AWorkerComputesOneOfItsChunksAtATime) {
  Played one("bold:mu=0.01,sigma=0.03,overhead=0.002", {1000, 4});
  Played two("bold:mu=0.01,sigma=0.03,overhead=0.002", {1000, 4});
  one.ask(0);
  two.ask(0);
  two.scheduler().assigned(WorkerId{0}, {500, 116});
  EXPECT_EQ(one.ask(1, 1.0), two.ask(1, 1.0));
}

TEST(Bold, ReturnedIterationsBelongToNoWorker) {
  Played loop("bold:mu=0.01,sigma=0.03,overhead=0.002", {1000, 4});
  loop.ask(0);
  loop.scheduler().reclaimed(WorkerId{0}, {0, 116});
  Played other("bold:mu=0.01,sigma=0.03,overhead=0.002", {1000, 4});
  EXPECT_EQ(loop.scheduler().next({WorkerId{1}, 0, 1000, 0, 4, 7.0}).size, other.ask(0, 7.0));
}

TEST(Bold, AMissingParameterIsNamed) {
  EXPECT_EQ(error_of("bold:mu=1,sigma=1"),
            "scheduler bold: overhead is missing (no earlier run of this loop has measured it); give the "
            "time of a chunk "
            "besides computing, in seconds: overhead=0.001");
  EXPECT_EQ(
      error_of("bold:1,1,0"),
      "scheduler bold: overhead is '0' (it is out of range); give a number from 0.000000001 to 1000000000");
}

}  // namespace
}  // namespace loadshare::test
