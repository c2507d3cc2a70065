#include "base/io/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define XXH_INLINE_ALL  // compiled here: no library to link
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/io/error_text.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"

namespace loadshare {
namespace {

namespace fs = std::filesystem;

constexpr int exit_code_not_started = 127;  // as a shell's for a program that was not found

/// Returns the words in the form that exec needs. They live as long as `command`.
std::vector<char*> pointers(const Words& command) {
  std::vector<char*> all;
  for (const std::string& word : command) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

/// Why a program did not start, as the new process reports it.
struct Failure {
  int error;
  bool is_prepared;
};

/// Resets the handlers of this program for the new process. A SIGHUP that is ignored (nohup) stays ignored.
void reset_signals() {
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  if (!is_ignored(SIGHUP)) std::signal(SIGHUP, SIG_DFL);
}

/// Runs in the new process. Returns only if the program does not start.
Failure exec(const StartOptions& options, const HeldSignals& held, char* const* words) {
  try {
    errno = 0;
    reset_signals();
    held.release();
    dup2(options.in, STDIN_FILENO);
    dup2(options.out, STDOUT_FILENO);
    dup2(options.error, STDERR_FILENO);
    if (options.prepare) options.prepare();
  } catch (const std::exception&) {
    return {errno, false};
  }
  execvp(words[0], words);
  return {errno, true};
}

std::optional<int> await_exit(pid_t process, int options) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(process, &status, options)) < 0)
    if (errno != EINTR) throw_errno("lost a process");
  if (ended == 0) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

volatile std::sig_atomic_t in_foreground = 0;  // the process in the foreground
volatile std::sig_atomic_t early_signal = 0;   // one that arrived before the process started

void pass_on(int signal, siginfo_t* info, void*) {
  const int number = errno;
  const bool is_from_terminal = info->si_code > 0;
  if (in_foreground == 0)
    early_signal = signal;
  else if (signal != SIGINT || !is_from_terminal)
    kill(in_foreground, signal);
  errno = number;
}

/// Passes signals on to the foreground process while it exists.
class PassedSignals final {
 public:
  PassedSignals() {
    in_foreground = 0;
    early_signal = 0;
    struct sigaction ours {};
    ours.sa_sigaction = pass_on;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      sigaction(signals[i], nullptr, &before_[i]);
      if (signals[i] != SIGHUP || !is_ignored(SIGHUP)) sigaction(signals[i], &ours, nullptr);
    }
  }
  ~PassedSignals() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  }
  PassedSignals(const PassedSignals&) = delete;
  PassedSignals& operator=(const PassedSignals&) = delete;

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

std::string printed_to(const Descriptor& file) {
  lseek(file.number(), 0, SEEK_SET);
  std::string text = read_to_end(file.number());
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string file_word(const std::string& path) {
  return shell_word(path.starts_with('-') ? "./" + path : path);
}

std::string command_text(const Words& command) {
  Words words;
  std::ranges::transform(command, std::back_inserter(words), shell_word);
  return fmt::format("{}", fmt::join(words, " "));
}

std::string own_path() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).string();
}

// This name refers to the program that runs, even if its path now names another file.
std::uint64_t own_build() {
  static const std::uint64_t hash = [] {
    const std::string program = content_of("/proc/self/exe");
    return program.empty() ? 0 : XXH3_64bits(program.data(), program.size());
  }();
  return hash;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return printable(name.data());
}

std::string find_in_path(const std::string& program, const std::string& more_folders) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(fmt::format("{}:{}", path != nullptr ? path : "", more_folders));
  std::error_code none;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / program;
    if (!folder.empty() && fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0)
      return file.string();
  }
  return "";
}

Descriptor memory_file(std::string_view content) {
  Descriptor file(checked(memfd_create("loadshare", MFD_CLOEXEC), "cannot make a file in memory"));
  if (const int error = write_fully(file.number(), content); error != 0)
    throw Error(ExitCode::run_failed, "cannot write a file in memory", error_text(error));
  lseek(file.number(), 0, SEEK_SET);
  return file;
}

std::string read_to_end(int descriptor, std::size_t most_bytes) {
  std::string text;
  std::array<char, 4096> part{};
  while (text.size() < most_bytes) {
    const ssize_t size = read(descriptor, part.data(), std::min(part.size(), most_bytes - text.size()));
    if (size == 0 || (size < 0 && errno != EINTR)) break;
    if (size > 0) text.append(part.data(), static_cast<std::size_t>(size));
  }
  return text;
}

bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

HeldSignals::HeldSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

NotStarted::NotStarted(const std::string& program, int number)
    : Error(ExitCode::usage, system_error(fmt::format("cannot run '{}'", program), number)),
      number_(number) {}

pid_t start(const Words& command, const StartOptions& options) {
  constexpr const char* problem = "cannot start a process";
  const std::vector<char*> words = pointers(command);
  std::array<int, 2> ends{};
  checked(pipe2(ends.data(), O_CLOEXEC), problem);
  const Descriptor outcome(ends[0]);
  Descriptor report(ends[1]);  // closed by exec when the program starts
  const HeldSignals held;
  const pid_t child = checked(fork(), problem);
  if (child == 0) {
    const Failure failure = exec(options, held, words.data());
    (void)!write(report.number(), &failure, sizeof failure);
    _exit(exit_code_not_started);
  }
  report.close();
  Failure failure{};
  ssize_t got = 0;
  do got = read(outcome.number(), &failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  if (got <= 0) {
    if (options.started) options.started(child);
    return child;
  }
  wait_for(child);
  if (!failure.is_prepared)
    throw Error(ExitCode::run_failed, fmt::format("cannot prepare the start of '{}'", command.front()),
                failure.error != 0 ? error_text(failure.error) : "");
  throw NotStarted(command.front(), failure.error);
}

int wait_for(pid_t process) {
  return *await_exit(process, 0);
}

std::optional<int> exit_code_if_ended(pid_t process) {
  return await_exit(process, WNOHANG);
}

// Reaps the process while signals are blocked, because its number may belong to another process afterwards.
int run_in_foreground(const Words& command, std::function<void()> prepare) {
  const PassedSignals passed;
  const auto note = [](pid_t child) {
    in_foreground = child;
    if (early_signal != 0) kill(child, early_signal);
  };
  const pid_t child = start(command, {.prepare = std::move(prepare), .started = note});
  siginfo_t end{};
  while (waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  const HeldSignals held;
  in_foreground = 0;
  return wait_for(child);
}

Finished run_to_end(const Words& command, std::string_view input, std::function<void()> prepare) {
  const Descriptor in = memory_file(input);
  const Descriptor out = memory_file();
  const pid_t process = start(command, {in.number(), out.number(), out.number(), std::move(prepare)});
  const int exit_code = wait_for(process);
  return {exit_code, printed_to(out)};
}

void become(const Words& command) {
  std::signal(SIGPIPE, SIG_DFL);  // an ignored signal would stay ignored in the program
  execvp(command.front().c_str(), pointers(command).data());
  throw NotStarted(command.front(), errno);
}

}  // namespace loadshare
