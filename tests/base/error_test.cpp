#include "base/error.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(Error, HasOneLineForProgramsAndSeveralForPeople) {
  const UsageError error("--size is 'x'", "it must be a whole number", "see --help");
  EXPECT_STREQ(error.what(), "--size is 'x' (it must be a whole number); see --help");
  EXPECT_EQ(error.text().in_lines(), "--size is 'x'\n  why:  it must be a whole number\n  hint: see --help");
  EXPECT_EQ(error.code(), ExitCode::usage);
}

TEST(Error, LeavesOutEmptyParts) {
  const Error bare(ExitCode::run_failed, "interrupted");
  EXPECT_STREQ(bare.what(), "interrupted");
  EXPECT_EQ(bare.text().in_lines(), "interrupted");
  const Error hinted(ExitCode::usage, "unknown option '--sise'", "", "did you mean '--size'?");
  EXPECT_STREQ(hinted.what(), "unknown option '--sise'; did you mean '--size'?");
  EXPECT_EQ(hinted.text().in_lines(), "unknown option '--sise'\n  hint: did you mean '--size'?");
}

}  // namespace
}  // namespace loadshare
