#include "runtime/farm/program.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <utility>

#include "tests/error_of.hpp"
#include "tests/no_text.hpp"

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
            "error: no worker is left (3 columns are not done); start others\n");
}

TEST(Program, WhateverIsThrownIsAnErrorInWords) {
  const std::function<void()> number = [] { throw 42; };
  const std::function<void()> nothing = [] { throw test::NoText(); };
  const std::function<void()> empty = [] { throw std::runtime_error(""); };
  const std::function<void()> memory = [] { throw std::bad_alloc(); };
  for (const auto& [thrown, text] : {std::pair{number, "an exception of unknown type"},
                                     {nothing, "an exception without a text"},
                                     {empty, "an exception without a text"},
                                     {memory, "out of memory"}}) {
    EXPECT_EQ(thrown_text([&, thrown = thrown] { throw_if_failed(outcome_of(thrown)); }), text);
    testing::internal::CaptureStderr();
    const int code = run_program([&, thrown = thrown] {
      thrown();
      return ExitCode::good;
    });
    EXPECT_EQ(code, 1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: " + std::string(text) + "\n");
  }
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
