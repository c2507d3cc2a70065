#include "base/io/process.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace loadshare {
namespace {

TEST(Process, ReadsItsInputAndIsCaught) {
  const Finished done = run_to_end({"/bin/sh", "-c", "cat; echo error >&2; exit 3"}, "line\n");
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_EQ(done.printed, "line\nerror");
}

TEST(Process, IsLookedForInPath) {
  EXPECT_EQ(run_to_end({"sh", "-c", "kill -KILL $$"}).exit_code, 128 + 9);
  EXPECT_TRUE(find_in_path("sh").ends_with("/sh"));
  EXPECT_EQ(find_in_path("no-such-program", "/bin"), "");
}

TEST(Process, IsPreparedBeforeItStarts) {
  const auto prepare = [] { setenv("PREPARED", "yes", 1); };
  EXPECT_EQ(run_to_end({"sh", "-c", "echo $PREPARED"}, "", prepare).printed, "yes");
  EXPECT_EQ(std::getenv("PREPARED"), nullptr);
}

TEST(Process, SaysWhyItDoesNotStart) {
  try {
    start({"/nowhere/program"});
    FAIL() << "it started";
  } catch (const NotStarted& error) {
    EXPECT_STREQ(error.what(), "cannot run '/nowhere/program' (No such file or directory)");
    EXPECT_EQ(error.number(), ENOENT);
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
}

TEST(Process, DoesNotStartWhereItCannotBePrepared) {
  const auto why = [](auto prepare) -> std::string {
    try {
      run_to_end({"true"}, "", prepare);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::run_failed);
      return error.what();
    }
    return "it started";
  };
  const auto fails = [](int error) {
    return [error] {
      errno = error;
      throw std::runtime_error("no");
    };
  };
  EXPECT_EQ(why(fails(EPERM)), "cannot prepare the start of 'true' (Operation not permitted)");
  EXPECT_EQ(why(fails(0)), "cannot prepare the start of 'true'");
}

}  // namespace
}  // namespace loadshare
