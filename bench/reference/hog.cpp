// Another program on the machine: computes for some seconds, on a selectable processor. It ends with the
// program that started it, or when its time is over.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "base/error.hpp"
#include "bench/reference/arguments.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"

namespace {

using namespace loadshare;

void end_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A process that became an orphan before that call gets no signal.
  if (getppid() == 1) _exit(0);
}

void compute_until(double end_s) {
  volatile double x = 1;
  while (monotonic_s() < end_s)
    for (int i = 0; i < 100'000; ++i) x = x * 1.000001;
}

ExitCode run(int argc, const char* const* argv) {
  const bench::Arguments arguments(argc, argv, {{"--seconds", "10"}, {"--cpu", "any"}});
  const double end_s = monotonic_s() + static_cast<double>(arguments.number("--seconds", 0));
  end_with_parent();
  std::optional<int> cpu;
  if (arguments.text("--cpu") != "any") cpu = arguments.small_number("--cpu", 0);
  const PinnedThread pinned(cpu);
  if (cpu && !pinned.is_pinned())
    throw UsageError("cannot stay on processor " + std::to_string(*cpu), "this process may not use it");
  compute_until(end_s);
  return ExitCode::good;
}

}  // namespace

int main(int argc, char** argv) {
  return loadshare::run_program([&] { return run(argc, argv); });
}
