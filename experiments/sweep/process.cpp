#include "experiments/sweep/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare::sweep {
namespace {

constexpr std::size_t most_kept_bytes = 64 * 1024;
constexpr std::size_t most_lines = 5;
constexpr std::size_t most_shown_bytes = 2000;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Returns a descriptor that can be polled for the end of a process, or -1 on kernels before 5.3. Then poll
/// ignores it, and the next regular check finds the end. (glibc 2.36 lacks extern "C" for its own function.)
int open_process(pid_t process) {
  return static_cast<int>(syscall(SYS_pidfd_open, process, 0));
}

constexpr double check_interval_s = 0.1;

/// Sends SIGTERM to the group, and SIGKILL if it does not end in time.
void end(Child& child, double grace_s) {
  child.signal(SIGTERM);
  const double deadline_s = monotonic_s() + grace_s;
  while (!child.wait(check_interval_s))
    if (monotonic_s() > deadline_s) return child.signal(SIGKILL);
}

std::string exit_text(int code) {
  if (code > 128) return fmt::format("signal {} ended it ({})", code - 128, sigdescr_np(code - 128));
  return fmt::format("it ended with exit code {} and wrote nothing to stderr", code);
}

std::string error_of(const Outcome& outcome, const Child& child, double timeout_s) {
  if (outcome.status == Status::timeout) return fmt::format("took longer than {}", duration_text(timeout_s));
  if (outcome.status == Status::interrupted) return "interrupted";
  if (outcome.status == Status::ok) return "";
  const std::string said = child.last_errors();
  return said.empty() ? exit_text(outcome.exit_code) : said;
}

}  // namespace

void OutputTail::append(std::string_view bytes) {
  text_.append(bytes);
  if (text_.size() > 2 * most_kept_bytes) text_.erase(0, text_.size() - most_kept_bytes);
}

std::string OutputTail::last_lines() const {
  std::string_view rest = text_;
  std::string lines;
  for (std::size_t count = 0; count < most_lines && !rest.empty();) {
    const std::size_t end = rest.rfind('\n');
    const std::string_view line = end == std::string_view::npos ? rest : rest.substr(end + 1);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
    if (is_blank(line)) continue;
    lines = lines.empty() ? std::string(line) : std::string(line) + "\n" + lines;
    ++count;
  }
  return lines.size() > most_shown_bytes ? lines.substr(lines.size() - most_shown_bytes) : lines;
}

std::string_view status_name(Status status) {
  static constexpr Choices<Status, 4> names{{{"ok", Status::ok},
                                             {"failed", Status::failed},
                                             {"timeout", Status::timeout},
                                             {"interrupted", Status::interrupted}}};
  return name_among(names, status);
}

Child::Child(const Words& command) {
  std::array<int, 2> ends{};
  checked(pipe2(ends.data(), O_CLOEXEC), "cannot start a process");
  error_ = Descriptor(ends[0]);
  const Descriptor sink(ends[1]);
  fcntl(error_.number(), F_SETFL, O_NONBLOCK);
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  pid_ = start(command, {nothing.number(), nothing.number(), sink.number(), [parent = getpid()] {
                           setpgid(0, 0);
                           // The sweep may get a signal that it cannot catch; its run must not continue
                           // without it.
                           prctl(PR_SET_PDEATHSIG, SIGTERM);
                           if (getppid() != parent) _exit(1);
                         }});
  process_ = Descriptor(open_process(pid_));
}

Child::~Child() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Child::wait(double wait_s) {
  std::array<pollfd, 2> watched{pollfd{process_.number(), POLLIN, 0}, pollfd{error_.number(), POLLIN, 0}};
  poll(watched.data(), watched.size(), static_cast<int>(wait_s * 1e3) + 1);
  const bool is_closed = (watched[1].revents & POLLHUP) != 0 && (watched[1].revents & POLLIN) == 0;
  drain();
  if (is_closed) error_.close();  // otherwise every poll would return immediately
  siginfo_t state{};
  return waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == pid_;
}

void Child::drain() {
  std::array<char, 16384> buffer{};
  for (ssize_t count = 0; (count = read(error_.number(), buffer.data(), buffer.size())) > 0;)
    tail_.append({buffer.data(), static_cast<std::size_t>(count)});
}

void Child::signal(int number) const {
  kill(-pid_, number);
}

int Child::finish() {
  // Before it is reaped, while no other process can have its number.
  signal(SIGKILL);
  drain();
  return wait_for(std::exchange(pid_, -1));
}

std::string Child::last_errors() const {
  return tail_.last_lines();
}

Outcome ProcessExecutor::run(const Words& command, double timeout_s) {
  Outcome outcome;
  outcome.begun_s = monotonic_s();
  std::optional<Child> child;
  try {
    child.emplace(command);
  } catch (const NotStarted& error) {
    outcome.status = Status::failed;
    outcome.exit_code = 127;
    outcome.error = error.what();
    outcome.wall_s = monotonic_s() - outcome.begun_s;
    return outcome;
  }
  while (
      !child->wait(std::min(check_interval_s, std::max(0.0, outcome.begun_s + timeout_s - monotonic_s())))) {
    while_waiting_();
    if (is_interrupted_)
      outcome.status = Status::interrupted;
    else if (monotonic_s() - outcome.begun_s >= timeout_s)
      outcome.status = Status::timeout;
    else
      continue;
    end(*child, grace_s_);
    break;
  }
  outcome.exit_code = child->finish();
  outcome.wall_s = monotonic_s() - outcome.begun_s;
  if (outcome.status == Status::ok && outcome.exit_code != 0) outcome.status = Status::failed;
  outcome.error = error_of(outcome, *child, timeout_s);
  return outcome;
}

}  // namespace loadshare::sweep
