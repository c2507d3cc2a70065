#include "experiments/lab/beat.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <string>

#include "base/error.hpp"
#include "base/io/descriptor.hpp"
#include "experiments/lab/control_groups.hpp"
#include "experiments/lab/entry.hpp"

namespace loadshare::lab {
namespace {

/// Locks and pipes of whoever made the lab are not to be kept open for as long as it is up.
void let_go_of_files() {
  close_range(STDERR_FILENO + 1, ~0U, 0);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, number);
}

[[noreturn]] void beat(int turn_us) {
  setsid();
  let_go_of_files();
  prctl(PR_SET_NAME, "loadshare-beat");
  prctl(PR_SET_TIMERSLACK, 1UL);
  const timespec turn{turn_us / 1'000'000, turn_us % 1'000'000 * 1000L};
  for (;;) nanosleep(&turn, nullptr);
}

/// As nobody's child: it stays when this process ends.
void start_beat(const ControlGroups& groups, const std::string& host, int processor, int turn_us) {
  const std::string problem = fmt::format("cannot start the beat of {}", host);
  const pid_t child = checked(fork(), problem);
  if (child == 0) {
    try {
      pin_to({processor});
      groups.enter_beat(host);
    } catch (...) {
      _exit(1);
    }
    if (fork() != 0) _exit(0);
    beat(turn_us);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0)
    throw Error(ExitCode::run_failed, problem,
                "it could not enter the host's control group, or have its processor");
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
