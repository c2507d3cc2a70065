#include "base/io/process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace loadshare {
namespace {

TEST(Process, ReadsItsInputAndItsOutputIsCaptured) {
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

TEST(Process, IsPassedASignalThatArrivesWhileItStarts) {
  for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
    const auto before = std::signal(signal, SIG_DFL);
    const auto signal_starter = [signal] { kill(getppid(), signal); };
    EXPECT_EQ(run_in_foreground({"sleep", "20"}, signal_starter), 128 + signal);
    EXPECT_EQ(std::signal(signal, before), SIG_DFL) << "it is handled as before";
  }
}

TEST(Process, RunsInTheForegroundAndGivesItsExitCode) {
  EXPECT_EQ(run_in_foreground({"sh", "-c", "exit 3"}), 3);
  EXPECT_THROW(run_in_foreground({"/nowhere/program"}), NotStarted);
}

TEST(Process, KeepsIgnoringHangUps) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -HUP $$; exit 4"}, [] { kill(getppid(), SIGHUP); }), 4);
  EXPECT_EQ(std::signal(SIGHUP, before), SIG_IGN);
}

TEST(Process, HasNoHandlerOfItsStarter) {
  const auto before = std::signal(SIGHUP, [](int) {});
  EXPECT_EQ(run_to_end({"sleep", "20"}, "", [] { kill(getpid(), SIGHUP); }).exit_code, 128 + SIGHUP);
  std::signal(SIGHUP, before);
}

TEST(Words, AreReadBackByAShell) {
  const Words words{"a", "b c", "it's", "", "$x", "-n", "\\", "a$$b", "*"};
  EXPECT_EQ(command_text({"a", "b c", "it's", "", "$x"}), "a 'b c' 'it'\\''s' '' '$x'");
  Words command{"printf", "%s\\n"};
  command.insert(command.end(), words.begin(), words.end());
  EXPECT_EQ(run_to_end({"sh", "-c", command_text(command)}).printed, "a\nb c\nit's\n\n$x\n-n\n\\\na$$b\n*");
}

TEST(Words, AFileIsNoOption) {
  EXPECT_EQ(file_word("run.profile"), "run.profile");
  EXPECT_EQ(file_word("-l.prof"), "./-l.prof");
  EXPECT_EQ(file_word("- l"), "'./- l'");
  EXPECT_EQ(file_word("/tmp/-l"), "/tmp/-l");
}

TEST(Process, SaysWhyItDoesNotStart) {
  try {
    start({"/nowhere/program"});
    FAIL() << "it started";
  } catch (const NotStarted& error) {
    EXPECT_STREQ(error.what(), "cannot run '/nowhere/program' (no such file or directory)");
    EXPECT_EQ(error.number(), ENOENT);
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
}

TEST(Process, DoesNotStartIfItCannotBePrepared) {
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
  EXPECT_EQ(why(fails(EPERM)), "cannot prepare the start of 'true' (operation not permitted)");
  EXPECT_EQ(why(fails(0)), "cannot prepare the start of 'true'");
}

}  // namespace
}  // namespace loadshare
