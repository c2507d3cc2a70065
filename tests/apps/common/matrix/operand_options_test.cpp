#include "apps/common/matrix/operand_options.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error was thrown";
}

TEST(OperandOptions, ADimensionGoesBeforeTheSizeAndThatBeforeTheUsualOne) {
  EXPECT_EQ(dimension("--rows", "3", "5", "720"), 3);
  EXPECT_EQ(dimension("--rows", "", "5", "720"), 5);
  EXPECT_EQ(dimension("--rows", "", "", "720"), 720);
}

TEST(OperandOptions, ADimensionIsRefusedByTheOptionThatGaveIt) {
  EXPECT_EQ(refusal([] { (void)dimension("--rows", "-3", "5", "720"); }), "--rows is -3 (at least 0)");
  EXPECT_EQ(refusal([] { (void)dimension("--rows", "", "-5", "720"); }), "--size is -5 (at least 0)");
}

TEST(OperandOptions, OneFileNeedsTheOther) {
  EXPECT_NO_THROW(require_both_files({"--a", ""}, {"--b", ""}, "both"));
  EXPECT_NO_THROW(require_both_files({"--a", "A"}, {"--b", "B"}, "both"));
  EXPECT_EQ(refusal([] {
              require_both_files({"--a", "A"}, {"--b", ""}, "both");
            }),
            "--b is missing (a product needs both) give both --a and --b, or neither for random ones");
  EXPECT_EQ(refusal([] {
              require_both_files({"--a", ""}, {"--b", "B"}, "both");
            }),
            "--a is missing (a product needs both) give both --a and --b, or neither for random ones");
}

}  // namespace
}  // namespace loadshare
