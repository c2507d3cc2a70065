#include "experiments/sweep/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "experiments/sweep/child.hpp"
#include "runtime/timing/clock.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::sweep {
namespace {

constexpr double look_interval_s = 0.1;
constexpr double grace_s = 5;

/// Tells the group to end, and kills it when it does not.
void end(Child& child) {
  child.signal(SIGTERM);
  const double deadline_s = monotonic_s() + grace_s;
  while (!child.wait(look_interval_s))
    if (monotonic_s() > deadline_s) return child.signal(SIGKILL);
}

std::string exit_text(int code) {
  if (code > 128) return fmt::format("it was ended by signal {} ({})", code - 128, sigdescr_np(code - 128));
  return fmt::format("it ended with exit code {} and no word on stderr", code);
}

std::string error_of(const Outcome& outcome, const Child& child, double timeout_s) {
  if (outcome.status == Status::timeout) return fmt::format("took longer than {}", duration_text(timeout_s));
  if (outcome.status == Status::interrupted) return "interrupted";
  if (outcome.status == Status::ok) return "";
  const std::string said = child.last_errors();
  return said.empty() ? exit_text(outcome.exit_code) : said;
}

}  // namespace

Outcome ProcessExecutor::run(const Words& command, double timeout_s) {
  Outcome outcome;
  outcome.begun_s = monotonic_s();
  Child child(command);
  while (!child.wait(std::min(look_interval_s, std::max(0.0, outcome.begun_s + timeout_s - monotonic_s())))) {
    while_waiting_();
    if (is_interrupted_)
      outcome.status = Status::interrupted;
    else if (monotonic_s() - outcome.begun_s >= timeout_s)
      outcome.status = Status::timeout;
    else
      continue;
    end(child);
    break;
  }
  outcome.exit_code = child.finish();
  outcome.wall_s = monotonic_s() - outcome.begun_s;
  if (outcome.status == Status::ok && outcome.exit_code != 0) outcome.status = Status::failed;
  outcome.error = error_of(outcome, child, timeout_s);
  return outcome;
}

}  // namespace loadshare::sweep
