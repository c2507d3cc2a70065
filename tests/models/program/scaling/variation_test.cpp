#include "models/program/scaling/variation.hpp"

#include <gmock/gmock.h>

namespace loadshare::scaling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Setting> in_proportion() {
  std::vector<Setting> settings;
  for (const double p : {1, 2, 4, 8, 16}) settings.push_back({{"n", 20 * p}, {"p", p}});
  return settings;
}

TEST(VariationTest, DetectsParametersThatVaryTogetherAsFactors) {
  EXPECT_THAT(confounded(in_proportion(), {{"n", 20}, {"p", 4}}), ElementsAre("n", "p"));
  std::vector<Setting> inverse;
  for (const double p : {1, 2, 4, 8, 16}) inverse.push_back({{"n", 1600 / p}, {"p", p}});
  EXPECT_THAT(confounded(inverse, {{"n", 1600}, {"p", 4}}), ElementsAre("n", "p"));
}

TEST(VariationTest, DetectsParametersThatVaryTogetherAsSummands) {
  std::vector<Setting> settings;
  for (const double p : {1, 2, 4, 8, 16}) settings.push_back({{"n", 20 + p}, {"p", p}});
  EXPECT_THAT(confounded(settings, {{"n", 21}, {"p", 16}}), ElementsAre("n", "p"));
}

TEST(VariationTest, RecognizesSettingsOnTheirLine) {
  EXPECT_THAT(confounded(in_proportion(), {{"n", 1280}, {"p", 64}}), IsEmpty());
  EXPECT_THAT(confounded(in_proportion(), {{"n", 1281}, {"p", 64}}), IsEmpty());
}

TEST(VariationTest, AcceptsOneDifferentRun) {
  std::vector<Setting> settings = in_proportion();
  settings.push_back({{"n", 20}, {"p", 4}});
  EXPECT_THAT(confounded(settings, {{"n", 20}, {"p", 16}}), IsEmpty());
}

TEST(VariationTest, NamesOnlyParametersThatVaryTogether) {
  std::vector<Setting> settings;
  for (const double m : {10, 30, 70})
    for (const double p : {1, 2, 4, 8}) settings.push_back({{"m", m}, {"n", 20 * p}, {"p", p}, {"q", 5}});
  EXPECT_THAT(confounded(settings, {{"m", 30}, {"n", 20}, {"p", 8}, {"q", 5}}), ElementsAre("n", "p"));
  EXPECT_THAT(confounded(settings, {{"m", 900}, {"n", 160}, {"p", 8}, {"q", 5}}), IsEmpty());
}

TEST(VariationTest, FindsNoVariationInOneSetting) {
  const std::vector<Setting> settings{{{"n", 20}, {"p", 4}}};
  EXPECT_THAT(confounded(settings, {{"n", 40}, {"p", 2}}), IsEmpty());
}

}  // namespace
}  // namespace loadshare::scaling
