#include "runtime/farm/program.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

// As the master finds it out and every rank throws it.
TEST(Program, ALostRunEndsWithItsCodeAndText) {
  const std::string outcome = outcome_of([] {
    throw Error(ExitCode::workers_lost, "no worker is left", "3 columns are not done", "start others");
  });
  testing::internal::CaptureStderr();
  const int code = run_program([&] {
    throw_if_failed(outcome);
    return ExitCode::good;
  });
  EXPECT_EQ(code, 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: no worker is left (3 columns are not done) start others\n");
}

TEST(Program, AGoodOutcomeIsNoError) {
  EXPECT_EQ(run_program([] {
              throw_if_failed(outcome_of([] {}));
              return ExitCode::good;
            }),
            0);
}

}  // namespace
}  // namespace loadshare
