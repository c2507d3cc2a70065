#include "runtime/load/load_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "base/io/error_text.hpp"
#include "base/io/process.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare {
namespace {

/// A message to the load's process, sent as raw bytes because both ends are the same program on the same
/// host.
struct LoadCommand {
  enum class Kind { arm, stop } kind = Kind::stop;
  int rank = 0;
  LoadPlace place;
  double zero_s = 0;
};

/// The answer of the load's process, at the end of a load or of the process.
struct LoadAnswer {
  LoadMeasure measure;
  std::array<char, 500> trouble{};  // zero-terminated; empty: the measurement is valid
};

/// Receives a complete message; nothing if the other end has closed.
template <class Message>
std::optional<Message> receive(int socket) {
  Message message;
  ssize_t got = 0;
  do got = recv(socket, &message, sizeof(message), 0);
  while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof(message))) return std::nullopt;
  return message;
}

template <class Message>
bool send_to(int socket, const Message& message) {
  return send(socket, &message, sizeof(message), MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(message));
}

/// Closes the files inherited from the parent, such as the pipes of the summary and of mpirun: their readers
/// would wait for this process.
void close_inherited_files(int kept) {
  const int nothing = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (nothing >= 0) dup2(nothing, stream);
  const auto first = static_cast<unsigned>(STDERR_FILENO + 1);
  const auto own = static_cast<unsigned>(kept);
  if (own > first) close_range(first, own - 1, 0);
  close_range(own + 1, ~0U, 0);
}

void leave_signals_to_parent() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM})
    std::signal(signal, SIG_IGN);
}

void enter_group_of_loads() {
  const char* folder = std::getenv(LoadProcess::group_variable);
  if (folder == nullptr) return;
  std::ofstream(std::string(folder) + "/cgroup.procs") << "0" << std::flush;  // 0 means the writing process
}

/// Runs one load after the other, until the connection closes.
void serve(int socket, const LoadSpec& spec) {
  std::optional<Injector> injector;
  while (const auto command = receive<LoadCommand>(socket)) {
    if (command->kind == LoadCommand::Kind::arm) {
      injector.emplace(spec.plan_for(command->rank), command->place, command->zero_s);
    } else {
      const LoadAnswer answer{.measure = injector ? injector->stop() : LoadMeasure{}};
      injector.reset();
      if (!send_to(socket, answer)) return;
    }
  }
}

/// Sends the parent the reason why the process ends, so that it does not wait for an answer. Only within a
/// `catch` block.
void send_trouble(int socket) noexcept {
  try {
    LoadAnswer answer;
    current_what().copy(answer.trouble.data(), answer.trouble.size() - 1);
    send_to(socket, answer);
  } catch (...) {  // without memory there is no text
  }
}

[[noreturn]] void run_load_process(int socket, pid_t parent, const HeldSignals& held, const LoadSpec& spec) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // the parent ended before that call
  prctl(PR_SET_NAME, "loadshare-load");
  leave_signals_to_parent();
  enter_group_of_loads();
  held.release();
  close_inherited_files(socket);
  try {
    serve(socket, spec);
  } catch (...) {
    send_trouble(socket);
    _exit(1);
  }
  _exit(0);  // skips the buffers and exit handlers of the parent
}

/// Waits for a message, at most `patience_s` even if signals interrupt. Returns whether one has arrived.
bool has_message_within(int socket, double patience_s) {
  pollfd message{socket, POLLIN, 0};
  int found = 0;
  const double end_s = monotonic_s() + patience_s;
  do found = poll(&message, 1, static_cast<int>(1e3 * std::max(0.0, end_s - monotonic_s())));
  while (found < 0 && errno == EINTR);
  return found > 0;
}

bool has_ended(pid_t pid) {
  const pid_t found = waitpid(pid, nullptr, WNOHANG);
  return found == pid || (found < 0 && errno == ECHILD);
}

}  // namespace

LoadProcess::LoadProcess(const LoadSpec& spec) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(ExitCode::run_failed, "cannot start a process for the load", error_text(errno));
  const pid_t parent = getpid();
  int error = 0;
  {
    const HeldSignals held;
    pid_ = fork();
    if (pid_ == 0) run_load_process(ends[1], parent, held, spec);
    error = errno;
  }
  close(ends[1]);
  socket_ = ends[0];
  if (pid_ > 0) return;
  close(socket_);
  throw Error(ExitCode::run_failed, "cannot start a process for the load", error_text(error));
}

LoadProcess::~LoadProcess() {
  constexpr double grace_s = 1;
  close(socket_);
  const double end_s = monotonic_s() + grace_s;
  const timespec nap{0, 200'000};
  while (!has_ended(pid_)) {
    if (monotonic_s() > end_s) kill(pid_, SIGKILL);
    nanosleep(&nap, nullptr);
  }
}

void LoadProcess::arm(int rank, const LoadPlace& place, double zero_s) {
  // stop() detects if the process has ended.
  (void)send_to(socket_, LoadCommand{LoadCommand::Kind::arm, rank, place, zero_s});
}

std::optional<LoadMeasure> LoadProcess::stop() {
  constexpr double patience_s = 5;
  send_to(socket_, LoadCommand{});  // a process that has ended may have sent its reason before
  if (has_message_within(socket_, patience_s)) {
    const std::optional<LoadAnswer> answer = receive<LoadAnswer>(socket_);
    if (answer) trouble_ = answer->trouble.data();
    return answer && trouble_.empty() ? std::optional(answer->measure) : std::nullopt;
  }
  // Closes the connection: a late answer would be taken for that of the next run, and the process ends when
  // it closes.
  shutdown(socket_, SHUT_RDWR);
  return std::nullopt;
}

}  // namespace loadshare
