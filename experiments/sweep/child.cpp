#include "experiments/sweep/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "schedulers/error.hpp"

namespace loadshare::sweep {
namespace {

constexpr int cannot_start = 127;

[[noreturn]] void throw_no_process() {
  throw Error(ExitCode::run_failed, "cannot start a process", std::strerror(errno));
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_no_process();
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    fcntl(read.number(), F_SETFL, O_NONBLOCK);
  }
  Descriptor read, write;
};

std::vector<char*> arguments_of(const Words& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

/// A descriptor that can be polled for the end of a process; -1 where the kernel knows none (before 5.3):
/// poll then passes over it, and the end is seen at the next look. (glibc 2.36 forgets the extern "C" of its
/// own.)
int open_process(pid_t process) {
  return static_cast<int>(syscall(SYS_pidfd_open, process, 0));
}

/// In the child, between fork and exec: system calls only.
[[noreturn]] void become(char* const* arguments, pid_t parent, int input, const Pipe& out,
                         const Pipe& error) {
  setpgid(0, 0);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  dup2(input, STDIN_FILENO);
  dup2(out.write.number(), STDOUT_FILENO);
  dup2(error.write.number(), STDERR_FILENO);
  // The sweep may be killed in a way that it cannot catch; its run must not go on alone.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(cannot_start);
  execvp(arguments[0], arguments);
  const char* why = std::strerror(errno);
  for (const char* text : {"cannot start ", static_cast<const char*>(arguments[0]), ": ", why, "\n"})
    (void)!write(STDERR_FILENO, text, std::strlen(text));
  _exit(cannot_start);
}

template <typename Visit>
void drain(const Descriptor& from, const Visit& visit) {
  std::array<char, 16384> buffer{};
  for (ssize_t count = 0; (count = read(from.number(), buffer.data(), buffer.size())) > 0;)
    visit(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
}

}  // namespace

Child::Child(const Words& command) {
  Pipe out, error;
  const Descriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::vector<char*> arguments = arguments_of(command);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw_no_process();
  if (pid_ == 0) become(arguments.data(), parent, input.number(), out, error);
  setpgid(pid_, pid_);  // both sides do it, so that a signal sent at once finds the group
  process_ = Descriptor(open_process(pid_));
  out_ = std::move(out.read);
  error_ = std::move(error.read);
}

Child::~Child() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  (void)finish();
}

bool Child::wait(double wait_s) {
  std::array<pollfd, 3> watched{pollfd{process_.number(), POLLIN, 0}, pollfd{out_.number(), POLLIN, 0},
                                pollfd{error_.number(), POLLIN, 0}};
  poll(watched.data(), watched.size(), static_cast<int>(wait_s * 1e3) + 1);
  const bool closed_out = (watched[1].revents & POLLHUP) != 0 && (watched[1].revents & POLLIN) == 0;
  const bool closed_error = (watched[2].revents & POLLHUP) != 0 && (watched[2].revents & POLLIN) == 0;
  drain();
  if (closed_out) out_.close();  // or it would wake us all the time
  if (closed_error) error_.close();
  siginfo_t state{};
  return waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == pid_;
}

void Child::drain() {
  // What it says on stdout is no reason for anything, but it must not wait for a reader.
  sweep::drain(out_, [](std::string_view) {});
  sweep::drain(error_, [this](std::string_view bytes) { tail_.append(bytes); });
}

void Child::signal(int number) const {
  kill(-pid_, number);
}

int Child::finish() {
  // Before it is reaped, while nobody else can have its number.
  signal(SIGKILL);
  drain();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string Child::last_errors() const {
  return tail_.last_lines();
}

}  // namespace loadshare::sweep
