#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "apps/integer_sort/benchmark.hpp"

namespace loadshare::integer_sort {
namespace {

using nlohmann::json;

/// tests/data/npb_is.json
const json& golden() {
  static const json file = json::parse(std::ifstream(LOADSHARE_TEST_DATA "/npb_is.json"));
  return file;
}

std::vector<Key> keys_of(const ProblemClass& problem) {
  std::vector<Key> keys(static_cast<std::size_t>(problem.keys));
  make_keys(problem, 0, keys);
  return keys;
}

std::vector<Key> test_keys_among(const ProblemClass& problem, std::span<const Key> keys) {
  std::vector<Key> values;
  for (const TestKey& test : problem.tests) values.push_back(keys[static_cast<std::size_t>(test.place)]);
  return values;
}

TEST(Golden, TheGeneratorIsTheBenchmarks) {
  EXPECT_EQ(Generator::seed, golden()["generator"]["seed"]);
  EXPECT_EQ(Generator::bits, golden()["generator"]["modulus_log2"]);
  EXPECT_EQ(iterations, golden()["iterations"]);
}

TEST(Golden, ClassesAreTheBenchmarks) {
  ASSERT_EQ(problem_classes().size(), golden()["classes"].size());
  for (const ProblemClass& problem : problem_classes()) {
    SCOPED_TRACE(problem.name);
    const json& expected = golden()["classes"][problem.name];
    EXPECT_EQ(problem.keys, expected["total_keys"]);
    EXPECT_EQ(problem.max_key, expected["max_key"]);
    EXPECT_EQ(problem.buckets, expected["num_buckets"]);
    for (std::size_t i = 0; i < test_keys; ++i) {
      EXPECT_EQ(problem.tests[i].place, expected["test_index"][i]);
      EXPECT_EQ(problem.tests[i].rank, expected["test_rank"][i]);
    }
  }
}

/// Classes whose keys were also computed independently.
class EveryClass : public testing::TestWithParam<const char*> {
 protected:
  const ProblemClass& problem_ = find_class(GetParam());
  const json& expected_ = golden()["checks_recomputed_here"][GetParam()];
};

TEST_P(EveryClass, HasTheBenchmarksKeys) {
  const std::vector<Key> keys = keys_of(problem_);
  EXPECT_EQ(json(std::vector<Key>(keys.begin(), keys.begin() + 8)), expected_["first8"]);
  EXPECT_EQ(std::accumulate(keys.begin(), keys.end(), Index{0}), expected_["sum_of_keys_initial"]);
  EXPECT_EQ(json(test_keys_among(problem_, keys)), expected_["test_key_values"]);
}

TEST_P(EveryClass, PassesAllPartialChecks) {
  std::vector<Key> keys = keys_of(problem_);
  Ranking ranking;
  PartialChecks checks;
  for (Index iteration = 1; iteration <= iterations; ++iteration) {
    alter(problem_, iteration, keys);
    ranking.rank(keys, {0, problem_.max_key}, 0);
    checks.check(problem_, iteration, test_keys_among(problem_, keys), ranking);
  }
  EXPECT_EQ(checks.passed(), expected_["checks_ok"]);
  EXPECT_EQ(checks.what_is_wrong(), "");
}

INSTANTIATE_TEST_SUITE_P(Golden, EveryClass, testing::Values("S", "W", "A", "B"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace loadshare::integer_sort
