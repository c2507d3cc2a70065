#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/io/descriptor.hpp"

namespace loadshare {

/// The words of a command line, the program first.
using Words = std::vector<std::string>;

/// Returns `word` as it is written for a POSIX shell: in quotes if necessary.
std::string shell_word(const std::string& word);

/// Returns a file's name as a person types it in a command: quoted for a shell, and `./-name` if it begins
/// with a dash, because programs would take it for an option.
std::string file_word(const std::string& path);

/// A command line that can be typed into a shell.
std::string command_text(const Words& command);

/// The path of the running program; empty where the system does not say.
std::string own_path();

/// A hash of the running program: another build may compute something else; 0 where it cannot be read. Read
/// once a process.
std::uint64_t own_build();

/// As printable() shows it.
std::string host_name();

/// Where a program is: the first of the folders in PATH, then of `more_folders` (separated by colons), that
/// has it; empty where none has.
std::string find_in_path(const std::string& program, const std::string& more_folders = "");

/// A file in memory, to be read from its beginning: unlike a pipe it takes any amount while nobody reads.
Descriptor memory_file(std::string_view content = {});

/// Reads to the end, but no more than `most_bytes`.
std::string read_to_end(int descriptor, std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

/// Whether this process ignores the signal: nohup, for example, makes a program that outlives its terminal
/// ignore SIGHUP.
bool is_ignored(int signal);

/// Blocks all signals to this thread while it exists. They arrive afterwards.
class HeldSignals final {
 public:
  HeldSignals();
  ~HeldSignals() { release(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  void release() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// A program that could not be started: `cannot run 'x' (No such file or directory)`, exit code 2.
class NotStarted final : public Error {
 public:
  NotStarted(const std::string& program, int number);
  int number() const { return number_; }

 private:
  int number_;  // errno's
};

/// How a program differs from this process when it starts.
struct StartOptions {
  int in = 0;  ///< the descriptors that become its stdin, stdout and stderr
  int out = 1;
  int error = 2;
  std::function<void()> prepare = {};  ///< called in the new process; the program does not start if it throws
  /// Called in this process before it receives signals again. So none can arrive while the new process
  /// already runs but is not known yet.
  std::function<void(pid_t)> started = {};
};

/// Starts a program, which is looked for in PATH, with the signals that a shell would have given it. Throws
/// NotStarted, or Error (run_failed) where there is no room for another process.
pid_t start(const Words& command, const StartOptions& options = {});

/// Waits for the end of a process; its exit code, 128 + n where signal n ended it.
int wait_for(pid_t process);
/// The same of one that has ended, without waiting; nothing: it runs.
std::optional<int> exit_code_if_ended(pid_t process);

struct Finished {
  int exit_code = 0;
  std::string printed;  ///< on stdout and stderr, without the last line ends
};

/// Runs a program with our own inputs and outputs and waits for its end. Returns its exit code, or 128 + n if
/// signal n ended it. SIGTERM and SIGHUP are passed on to it, however early they arrive, and so is a SIGINT
/// that a process sent; the terminal itself sends the program its own. For programs with one thread. Throws
/// as start() does.
int run_in_foreground(const Words& command, std::function<void()> prepare = {});

/// Starts a program with `input` on its stdin and waits for its end. Throws as start() does.
Finished run_to_end(const Words& command, std::string_view input = {}, std::function<void()> prepare = {});

/// Turns this process into the program. Throws NotStarted.
[[noreturn]] void become(const Words& command);

}  // namespace loadshare
