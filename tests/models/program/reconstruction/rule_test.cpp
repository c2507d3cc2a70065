#include "models/program/reconstruction/rule.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <deque>
#include <functional>

namespace loadshare::reconstruction {
namespace {

/// The values of all ranks in runs on 4, 9 and 16 ranks, in three rounds of a loop.
class Shown {
 public:
  explicit Shown(const std::function<double(double p, double rank, double i)>& value,
                 const std::vector<double>& ranks = {4, 9, 16}) {
    for (const double p : ranks) {
      const scaling::Setting& setting = settings_.emplace_back(scaling::Setting{{"n", 100 * p}, {"p", p}});
      for (double rank = 0; rank < p; ++rank)
        for (const auto& round : rounds)
          sightings_.push_back({&setting, rank, round, value(p, rank, round.front())});
    }
  }

  std::optional<std::string> rule() const {
    const std::optional<Rule> found = find_rule(sightings_);
    return found ? std::optional(found->text) : std::nullopt;
  }
  std::vector<std::string> others() const { return find_rule(sightings_)->others; }
  std::optional<std::string> rule_of_turns() const { return find_rule_of_turns(sightings_); }

 private:
  static inline const std::vector<std::vector<std::uint32_t>> rounds{{0}, {1}, {2}};
  std::deque<scaling::Setting> settings_;
  std::vector<Observation> sightings_;
};

TEST(RuleTest, FindsAConstant) {
  EXPECT_EQ(Shown([](double, double, double) { return 3; }).rule(), "3");
  EXPECT_EQ(find_rule({})->text, "0");
}

TEST(RuleTest, FindsNeighboursOnALine) {
  EXPECT_EQ(Shown([](double, double rank, double) { return rank + 1; }).rule(), "rank + 1");
  EXPECT_EQ(Shown([](double, double rank, double) { return rank - 1; }).rule(), "rank - 1");
  EXPECT_EQ(Shown([](double p, double rank, double) { return p - 1 - rank; }).rule(), "p - rank - 1");
}

TEST(RuleTest, FindsNeighboursOnARing) {
  EXPECT_EQ(Shown([](double p, double rank, double) { return rank + 1 < p ? rank + 1 : 0; }).rule(),
            "mod(rank + 1, p)");
  EXPECT_EQ(Shown([](double p, double rank, double) { return rank > 0 ? rank - 1 : p - 1; }).rule(),
            "mod(rank + p - 1, p)");
}

TEST(RuleTest, FindsNeighboursOnAGrid) {
  const auto side = [](double p) { return static_cast<int>(std::sqrt(p)); };
  const auto right = [&](double p, double rank, double) {
    const int q = side(p);
    const int at = static_cast<int>(rank);
    return at / q * q + (at % q + 1) % q;
  };
  const auto up = [&](double p, double rank, double) {
    const int q = side(p);
    const int at = static_cast<int>(rank);
    return (at / q + q - 1) % q * q + at % q;
  };
  EXPECT_EQ(Shown(right).rule(), "floor(rank / sqrt(p)) * sqrt(p) + mod(mod(rank, sqrt(p)) + 1, sqrt(p))");
  EXPECT_EQ(Shown(up).rule(),
            "mod(rank, sqrt(p)) + sqrt(p) * mod(floor(rank / sqrt(p)) + sqrt(p) - 1, sqrt(p))");
}

TEST(RuleTest, FollowsLoops) {
  EXPECT_EQ(Shown([](double, double, double i) { return i + 1; }).rule(), "i1 + 1");
  EXPECT_EQ(Shown([](double p, double rank, double i) { return std::fmod(rank + i + 1, p); }).rule(),
            "mod(rank + i1 + 1, p)");
}

TEST(RuleTest, FindsNeighboursInAHypercube) {
  const scaling::Setting setting{{"p", 4}};
  const std::vector<std::vector<std::uint32_t>> rounds{{0}, {1}};
  std::vector<Observation> observations;
  for (unsigned rank = 0; rank < 4; ++rank)
    for (const auto& round : rounds)
      observations.push_back(
          {&setting, static_cast<double>(rank), round, static_cast<double>(rank ^ (1U << round.front()))});
  EXPECT_EQ(find_rule(observations)->text, "rank + (1 - 2 * mod(floor(rank / 2^i1), 2)) * 2^i1");
}

double twin_of(double, double rank, double) {
  return static_cast<double>(static_cast<int>(rank) ^ 1);
}

TEST(RuleTest, FindsTwinsAndMistakesNoRectangleForAGrid) {
  EXPECT_EQ(Shown(twin_of, {4, 8}).rule(), "rank + 1 - 2 * mod(rank, 2)");
  EXPECT_EQ(Shown([](double, double rank, double) { return static_cast<int>(rank) ^ 4; }, {8, 16}).rule(),
            "rank + (1 - 2 * mod(floor(rank / 4), 2)) * 4");
}

TEST(RuleTest, ReportsOtherFittingRules) {
  const auto rounds = [](double p, double, double) { return std::log2(p); };
  EXPECT_EQ(Shown(rounds, {2, 4}).rule(), "log2(p)");
  EXPECT_THAT(Shown(rounds, {2, 4}).others(), testing::ElementsAre("floor(p / 2)"));
  EXPECT_THAT(Shown(rounds, {2, 4, 8}).others(), testing::IsEmpty());
  EXPECT_EQ(Shown([](double p, double, double) { return p / 2; }, {2, 4, 8}).rule(), "floor(p / 2)");
}

TEST(RuleTest, DrawsNoLineThroughTwoPoints) {
  EXPECT_EQ(Shown([](double p, double, double) { return p * p + 3; }, {2, 4}).rule(), std::nullopt);
  EXPECT_EQ(Shown([](double p, double, double) { return 3 * p; }, {2, 4}).rule(), "3 * p");
}

TEST(RuleTest, GivesLargeNumbersToTheLastDigit) {
  const scaling::Setting small{{"n", 1e7}, {"p", 2}};
  const scaling::Setting large{{"n", 2e7}, {"p", 2}};
  const std::vector<Observation> observations{{&small, 0, {}, 1234567}, {&large, 0, {}, 2469134}};
  EXPECT_EQ(find_rule(observations)->text, "round(0.1234567 * n)");
}

TEST(RuleTest, MistakesNoTagsForTurns) {
  EXPECT_EQ(Shown([](double, double rank, double) { return rank == 0 ? 17 : 42; }, {2}).rule_of_turns(),
            std::nullopt);
}

TEST(RuleTest, FindsMultiplesOfParameters) {
  EXPECT_EQ(Shown([](double p, double, double) { return p - 1; }).rule(), "p - 1");
  EXPECT_EQ(Shown([](double p, double, double) { return 100 * p; }).rule(), "n");
  EXPECT_EQ(Shown([](double p, double, double) { return std::sqrt(p) - 1; }).rule(), "sqrt(p) - 1");
}

TEST(RuleTest, FindsOtherShares) {
  EXPECT_EQ(Shown([](double p, double, double) { return 16 * p - 17; }).rule(), "16 * p - 17");
  EXPECT_EQ(Shown([](double p, double, double) { return 25 * p; }).rule(), "25 * p");
  EXPECT_EQ(Shown([](double p, double, double) { return p / 2 + 0.5; }).rule(), std::nullopt);
}

/// The rank that rank 0 of four answers, in a loop.
std::optional<std::string> rule_of_answers(const std::vector<double>& answered) {
  const scaling::Setting setting{{"p", 4}};
  std::vector<std::vector<std::uint32_t>> rounds;
  for (std::uint32_t i = 0; i < answered.size(); ++i) rounds.push_back({i});
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < answered.size(); ++i)
    observations.push_back({&setting, 0, rounds[i], answered[i]});
  return find_rule_of_turns(observations);
}

TEST(RuleTest, UsesTurnsIfAllAreAnsweredAlike) {
  EXPECT_EQ(rule_of_answers({2, 1, 3, 3, 2, 1}), "mod(rank + 1 + mod(i1, p - 1), p)");
  EXPECT_EQ(rule_of_answers({2, 1, 3, 3, 3, 1}), std::nullopt);
  EXPECT_EQ(rule_of_answers({2, 1, 2, 1}), std::nullopt);
}

TEST(RuleTest, FindsNoRuleInIrregularData) {
  EXPECT_EQ(
      Shown([](double p, double rank, double i) { return std::fmod(rank * rank * 7 + i * 3, p); }).rule(),
      std::nullopt);
}

}  // namespace
}  // namespace loadshare::reconstruction
