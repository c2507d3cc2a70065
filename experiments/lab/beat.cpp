#include "experiments/lab/beat.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <string>

#include "base/error.hpp"
#include "base/io/process.hpp"
#include "experiments/lab/control_groups.hpp"
#include "experiments/lab/entry.hpp"

namespace loadshare::lab {
namespace {

/// Closes the files of the process that made the lab, so that its locks and pipes do not stay open with the
/// lab.
void close_files() {
  close_range(STDERR_FILENO + 1, ~0U, 0);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, number);
}

/// Only the end of its control group ends a beat. A signal that is meant for the process that made the lab
/// must not: the host would lose its turns unnoticed.
[[noreturn]] void beat(int turn_us, const HeldSignals& held) {
  setsid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
  held.release();
  close_files();
  prctl(PR_SET_NAME, "loadshare-beat");
  prctl(PR_SET_TIMERSLACK, 1UL);
  const timespec turn{turn_us / 1'000'000, turn_us % 1'000'000 * 1000L};
  for (;;) nanosleep(&turn, nullptr);
}

/// Starts a beat as an orphan, so that it stays when this process ends.
void start_beat(const ControlGroups& groups, const std::string& host, int processor, int turn_us) {
  const std::string problem = fmt::format("cannot start the beat of {}", host);
  const HeldSignals held;  // until the beat ignores them: a handler of this process must not run in it
  const pid_t child = checked(fork(), problem);
  if (child == 0) {
    try {
      pin_to({processor});
      groups.enter_beat(host);
    } catch (...) {
      _exit(1);
    }
    if (const pid_t orphan = fork(); orphan != 0) _exit(orphan < 0 ? 1 : 0);
    beat(turn_us, held);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0)
    throw Error(ExitCode::run_failed, problem,
                "it cannot enter the host's control group, or use its processor");
}

}  // namespace

void start_beats(const LabState& state) {
  const ControlGroups groups(state.groups);
  for (std::size_t i = 0; i < state.plan.hosts.size(); ++i) {
    if (state.plan.hosts[i].is_free()) continue;
    for (const int processor : state.places[i].processors)
      start_beat(groups, state.plan.hosts[i].name, processor, state.plan.turn_us);
  }
}

}  // namespace loadshare::lab
