#include "models/program/scaling/fit_law.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <random>

#include "base/error.hpp"
#include "base/statistics.hpp"

namespace loadshare::scaling {
namespace {

using Rule = std::function<double(double n, double p)>;

std::vector<Observation> observe(const Rule& rule, double scatter = 0, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise;
  std::vector<Observation> all;
  for (const double n : {65536, 1048576, 8388608})
    for (const double p : {2, 4})
      all.push_back({{{"n", n}, {"p", p}}, rule(n, p) * (1 + scatter * noise(random))});
  return all;
}

double predicted(const Rule& rule, double scatter, double n, double p) {
  return fit_law(observe(rule, scatter)).at({{"n", n}, {"p", p}});
}

TEST(FitLawTest, FindsTheRuleAndItsCoefficients) {
  const Law law = fit_law(observe([](double n, double p) { return 2e-9 * n / p + 3e-6; }));
  EXPECT_EQ(law.text(), "2e-09 * n / p + 3e-06");
  EXPECT_TRUE(law.is_exact());
}

TEST(FitLawTest, KeepsEveryDigit) {
  EXPECT_EQ(fit_law(observe([](double n, double) { return 4.194304 * n; })).text(), "4.194304 * n");
  EXPECT_EQ(fit_law(observe([](double, double) { return 4194304; })).text(), "4194304");
}

TEST(FitLawTest, FindsAConstant) {
  const Law law = fit_law(observe([](double, double) { return 4096; }));
  EXPECT_EQ(law.text(), "4096");
  EXPECT_TRUE(law.is_exact());
}

TEST(FitLawTest, FindsARuleOfTheRanksOnly) {
  EXPECT_EQ(fit_law(observe([](double, double p) { return 3 * p; })).text(), "3 * p");
}

TEST(FitLawTest, PredictsOtherSizesThroughNoise) {
  const Rule divided = [](double n, double p) { return 2e-9 * n / p + 1e-5; };
  EXPECT_NEAR(predicted(divided, 0.01, 33554432, 8) / divided(33554432, 8), 1, 0.02);
}

TEST(FitLawTest, TakesTheSimplestOfTheGoodOnes) {
  const Law law = fit_law(observe([](double n, double p) { return 2e-9 * n / p; }, 0.01));
  ASSERT_EQ(law.parts().size(), 1);
  EXPECT_EQ(law.parts()[0].term.text(), "n / p");
}

TEST(FitLawTest, IsUncertainAsItsNoise) {
  const Law law = fit_law(observe([](double n, double p) { return 2e-9 * n / p; }, 0.05));
  ASSERT_EQ(law.text().substr(law.text().find('*')), "* n / p");
  EXPECT_NEAR(*law.fit().error, 0.06, 0.02);
  Law::Fit alone = law.fit();
  alone.others.clear();  // six settings, one term: error * sqrt(1 + 1/6) * 1.225
  const Setting setting{{"n", 33554432}, {"p", 8}};
  EXPECT_NEAR(*Law(law.parts(), alone).uncertainty_at(setting), 1.323 * *law.fit().error, 0.003);
}

/// Over its error. Another law may be right where nothing was seen: the more uncertain, though not without
/// bound.
TEST(FitLawTest, IsMoreUncertainFarFromObservations) {
  std::vector<double> seen, beyond;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const Law law = fit_law(observe([](double n, double p) { return 2e-9 * n / p; }, 0.05, seed));
    seen.push_back(*law.uncertainty_at({{"n", 4194304}, {"p", 4}}) / *law.fit().error);
    beyond.push_back(*law.uncertainty_at({{"n", 33554432}, {"p", 8}}) / *law.fit().error);
  }
  EXPECT_LT(quantile_of(seen, 1), 2.5);
  EXPECT_GT(median_of(beyond), 1.2 * median_of(seen));
  EXPECT_LT(median_of(beyond), 6);
}

/// Observations that scatter most, as times shorter than a stall do, have little weight.
TEST(FitLawTest, WeighsSteadyObservationsMore) {
  constexpr double stall = 5e-3;
  std::vector<double> errors;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::exponential_distribution<double> stalled(1);
    std::vector<Observation> all;
    for (const double n : {65536, 1048576, 8388608})
      for (const double p : {2, 4})
        for (int i = 0; i < 20; ++i)
          all.push_back({{{"n", n}, {"p", p}}, 6e-8 * n / p + stall * (stalled(random) - 1)});
    for (Observation& seen : all) seen.value = std::max(1e-4, seen.value);
    const Law law = fit_law(all, LeastValues::five);
    errors.push_back(std::abs(law.at({{"n", 33554432}, {"p", 8}}) / (6e-8 * 33554432 / 8) - 1));
  }
  EXPECT_LT(quantile_of(errors, 0.9), 0.05);
}

/// A setting of one run is not more exactly known than one of three that lie apart, however many steps it
/// has.
TEST(FitLawTest, CountsRunsAndNotTheirSteps) {
  const auto law_with = [](double standard_error) {
    std::vector<Observation> all;
    for (const double factor : {0.8, 1.0, 1.2}) all.push_back({{{"n", 1}}, factor, 0.03});
    all.push_back({{{"n", 2}}, 2.3, standard_error});
    return fit_law(all, LeastValues::five);
  };
  // A run differs by a variance of 0.2^2 less 0.03^2, so three together are known 2.93 times as well as one.
  const double slope = (2.93 + 1 / 1.15) / (2.93 + 1 / (1.15 * 1.15));
  const Law law = law_with(1e-6);
  EXPECT_EQ(law.parts().size(), 1);
  EXPECT_NEAR(law.at({{"n", 1}}), slope, 0.01);  // 1, if the steps were counted; 1.065, if nothing were
  EXPECT_NEAR(law_with(2).at({{"n", 1}}), 1, 0.01);
}

TEST(FitLawTest, IsALineIfTheSmallestTimeIsBelowTheClocksResolution) {
  std::vector<Observation> all{{{{"n", 1e3}}, 0}};
  for (const double n : {1e5, 1e6, 1e7, 1e8}) all.push_back({{{"n", n}}, 1e-8 * n});
  EXPECT_EQ(fit_law(all, LeastValues::five).text(), "1e-08 * n");
}

/// Effects that begin with two ranks do not appear with one.
TEST(FitLawTest, IgnoresASettingWithoutObservations) {
  std::vector<Observation> divided{{{{"p", 1}}, 0}};
  for (const double p : {2, 4, 8, 16}) divided.push_back({{{"p", p}}, 2 / p});
  EXPECT_EQ(fit_law(divided, LeastValues::five).text(), "2 / p");
  std::vector<Observation> constant{{{{"n", 1e3}}, 0}};
  for (const double n : {1e4, 1e5, 1e6, 1e7}) constant.push_back({{{"n", n}}, 1});
  EXPECT_EQ(fit_law(constant, LeastValues::five).text(), "1");
}

TEST(FitLawTest, UsesTheOnlyObservedSetting) {
  std::vector<Observation> all{{{{"n", 1e6}}, 5}};
  for (const double n : {1e3, 1e4, 1e5}) all.push_back({{{"n", n}}, 0});
  const Law law = fit_law(all, LeastValues::five);
  EXPECT_NEAR(law.at({{"n", 1e6}}), 5, 1e-9);
  EXPECT_EQ(law.uncertainty_at({{"n", 1e6}}), std::nullopt);
}

/// If the law is wrong by a tenth, a setting that is known to a thousandth counts little more than one that
/// is known to a twentieth.
TEST(FitLawTest, IncludesTheErrorOfTheLawItself) {
  std::vector<double> slopes;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> wrong(0, 0.1), noise;
    std::vector<Observation> all;
    for (const auto& [n, error] : {std::pair{1, 0.001}, std::pair{2, 0.05}, std::pair{4, 0.05},
                                   std::pair{8, 0.05}, std::pair{16, 0.05}})
      all.push_back({{{"n", n}}, n * (1 + wrong(random) + error * noise(random)), n * error});
    slopes.push_back(fit_law(all, LeastValues::five).at({{"n", 32}}) / 32);
  }
  // All alike it would be 0.049; by the first alone 0.1.
  EXPECT_LT(middle_deviation_of(slopes), 0.075);
}

TEST(FitLawTest, IsNeverNegative) {
  const Law law = fit_law(observe([](double n, double) { return 1e-9 * n - 5e-5; }));
  // The line itself would say -5e-05 there.
  EXPECT_LT(law.at({{"n", 1}, {"p", 2}}), 1e-6);
  for (const Law::Part& part : law.parts()) EXPECT_GT(part.coefficient, 0);
}

TEST(FitLawTest, FindsLogarithmsAmongRunsOnOneRank) {
  std::vector<Observation> seen;
  for (const double p : {1, 1, 1, 2, 4, 8, 16})
    seen.push_back({{{"n", 100}, {"p", p}}, 3 + 2 * std::log2(p)});
  EXPECT_EQ(fit_law(seen).text(), "2 * log2(p) + 3");
}

TEST(FitLawTest, IsNeverMoreCertainThanLaunchesAreAlike) {
  EXPECT_EQ(fit_law(observe([](double n, double) { return n; }, 1e-5)).fit().error, 0.01);
  EXPECT_EQ(fit_law(std::vector<Observation>{{{{"n", 1}}, 7}}).fit().error, std::nullopt);
}

/// n^1.5, as of a program whose larger size leaves the caches.
std::vector<Observation> of_two_sizes() {
  std::vector<Observation> seen;
  for (const double n : {65536, 1048576})
    for (const double p : {2, 4}) seen.push_back({{{"n", n}, {"p", p}}, 1e-10 * std::pow(n, 1.5) / p});
  return seen;
}

TEST(FitLawTest, TwoSizesGiveALinearLaw) {
  EXPECT_EQ(fit_law(of_two_sizes()).text(), "1e-10 * n^1.5 / p");
  const Law law = fit_law(of_two_sizes(), LeastValues::five);
  for (const char* other : {"n^", "(n)"}) EXPECT_THAT(law.text(), testing::Not(testing::HasSubstr(other)));
  EXPECT_THAT(law.text(), testing::HasSubstr("n"));
  EXPECT_EQ(law.fit().assumed, (std::set<std::string>{"n", "p"}));
  EXPECT_FALSE(law.is_exact());
}

TEST(FitLawTest, NeedsFiveValuesOrThreeOnRequest) {
  const Rule rule = [](double n, double p) { return n * n / p; };
  const Law of_three = fit_law(observe(rule), LeastValues::five);
  EXPECT_EQ(of_three.fit().assumed, (std::set<std::string>{"n", "p"}));
  EXPECT_THAT(of_three.text(), testing::Not(testing::HasSubstr("n^2")));
  EXPECT_EQ(fit_law(observe(rule), LeastValues::three).text(), "1 * n^2 / p");
  EXPECT_EQ(fit_law(observe(rule), LeastValues::three).fit().assumed, (std::set<std::string>{"p"}));
  std::vector<Observation> seen;
  for (const double n : {1, 2, 4, 8, 16}) seen.push_back({{{"n", n}}, 3 * n * n});
  EXPECT_EQ(fit_law(seen, LeastValues::five).text(), "3 * n^2");
}

std::vector<Observation> on_one_and_two_ranks(const Rule& rule) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<Observation> seen;
  for (const double n : {1, 2, 3, 4, 5})
    for (const double p : {1, 2})
      seen.push_back({{{"n", n}, {"p", p}}, rule(n, p) * std::exp(noise(random))});
  return seen;
}

/// n (1 + log2(p)) is n p there.
TEST(FitLawTest, ChoosesNoLawOfRanksFromTwoNumbersOfRanks) {
  const Rule rule = [](double n, double p) { return 0.01 * n * (1 + std::log2(p)); };
  const Law law = fit_law(on_one_and_two_ranks(rule), LeastValues::five);
  EXPECT_EQ(law.fit().assumed, (std::set<std::string>{"p"}));
  const Setting far{{"n", 5}, {"p", 64}};
  EXPECT_LE(std::abs(std::log(law.at(far) / rule(5, 64))), 1.645 * *law.uncertainty_at(far));
  // Half a power of 32 either way, and the noise.
  EXPECT_NEAR(*law.uncertainty_at(far), 0.5 * std::log(32), 0.1);
  EXPECT_LT(*law.uncertainty_at({{"n", 5}, {"p", 2}}), 0.05);
}

TEST(FitLawTest, DecidesFromTwoNumbersOfRanksWhetherTheyDivide) {
  const auto term = [](const Rule& rule) {
    return fit_law(on_one_and_two_ranks(rule), LeastValues::five).parts().at(0).term.text();
  };
  EXPECT_EQ(term([](double n, double p) { return n / p; }), "n / p");
  EXPECT_EQ(term([](double n, double) { return n; }), "n");
  EXPECT_EQ(term([](double n, double p) { return n * p; }), "n * p");
}

TEST(FitLawTest, KnowsRanksTimesTheirLogarithm) {
  std::vector<Observation> seen;
  for (const double p : {2, 4, 8, 16, 32}) seen.push_back({{{"p", p}}, 5 * p * std::log2(p)});
  EXPECT_EQ(fit_law(seen, LeastValues::five).text(), "5 * p * log2(p)");
}

TEST(FitLawTest, IsUnsureOfWhatItAssumes) {
  std::vector<Observation> seen;
  for (const double n : {100, 200}) seen.push_back({{{"n", n}}, 3 * n});
  const Law law = fit_law(seen, LeastValues::five);
  EXPECT_EQ(law.text(), "3 * n");
  const double within = *law.uncertainty_at({{"n", 150}});
  EXPECT_LT(within, 0.2);
  // Half a power more or less, sixteen times as far: a factor of four either way.
  EXPECT_NEAR(*law.uncertainty_at({{"n", 3200}}), std::hypot(std::log(4.0), within), 0.01);
  EXPECT_NEAR(*law.uncertainty_at({{"n", 25}}), std::hypot(std::log(2.0), within), 0.01);
}

TEST(FitLawTest, IsRobustAgainstMissingNanoseconds) {
  std::vector<Observation> seen;
  for (const double n : {1, 2, 3, 4}) seen.push_back({{{"n", n}}, n == 3 ? 1e-3 : 1e-9});
  EXPECT_EQ(*fit_law(seen).uncertainty_at({{"n", 5}}), 2);
}

TEST(FitLawTest, AveragesObservationsOfOneSetting) {
  const std::vector<Observation> seen{{{{"p", 2}}, 1}, {{{"p", 2}}, 3}};
  EXPECT_EQ(fit_law(seen).text(), "2");
}

TEST(FitLawTest, ReportsTheObservedRanges) {
  const Law law = fit_law(observe([](double n, double) { return n; }));
  ASSERT_EQ(law.fit().ranges.size(), 2);
  EXPECT_EQ(law.fit().ranges[0].parameter, "n");
  EXPECT_EQ(law.fit().ranges[0].least, 65536);
  EXPECT_EQ(law.fit().ranges[0].most, 8388608);
  EXPECT_EQ(law.fit().settings, 6);
}

std::string error_of(const std::vector<Observation>& seen) {
  try {
    fit_law(seen);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(FitLawTest, RefusesInvalidObservations) {
  EXPECT_EQ(error_of({}), "there is nothing to fit a law to (no run has a value for it)");
  EXPECT_EQ(error_of({{{{"p", 2}}, -1}}), "an observation is -1 (it must be a finite number of at least 0)");
  EXPECT_EQ(error_of({{{{"p", 2}}, 1}, {{{"n", 2}}, 1}}),
            "runs have different parameters (each run needs a value of every parameter)");
  EXPECT_EQ(error_of({{{{"p", 2}}, 1, -1}}),
            "a standard error is -1 (it must be a finite number of at least 0)");
}

}  // namespace
}  // namespace loadshare::scaling
