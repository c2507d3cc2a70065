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

/// Returns a command line that can be typed into a shell.
std::string command_text(const Words& command);

/// Returns the path of the running program, or an empty text if the system does not report it.
std::string own_path();

/// Returns a hash that identifies the build of the running program, or 0 if it cannot be read. It is computed
/// once per process.
std::uint64_t own_build();

/// Returns this host's name, with unprintable characters escaped as by printable().
std::string host_name();

/// Returns the path of a program in the first folder that contains it: those in PATH, then `more_folders`
/// (separated by colons). Returns an empty text if there is none.
std::string find_in_path(const std::string& program, const std::string& more_folders = "");

/// Returns a file in memory, positioned at its beginning. Unlike a pipe it accepts any amount without a
/// reader.
Descriptor memory_file(std::string_view content = {});

/// Reads to the end, but at most `most_bytes` bytes.
std::string read_to_end(int descriptor, std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

/// Whether this process ignores the signal. For example, nohup makes a program that outlives its terminal
/// ignore SIGHUP.
bool is_ignored(int signal);

/// Blocks all signals to this thread while it exists. They are delivered afterwards.
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

/// Error of a program that cannot be started: `cannot run 'x' (no such file or directory)`, exit code 2.
class NotStarted final : public Error {
 public:
  NotStarted(const std::string& program, int number);
  int number() const { return number_; }

 private:
  int number_;  // errno
};

/// How a program differs from this process when it starts.
struct StartOptions {
  int in = 0;  ///< descriptors that become its stdin, stdout and stderr
  int out = 1;
  int error = 2;
  std::function<void()> prepare = {};  ///< called in the new process; the program does not start if it throws
  /// Called in this process before it receives signals again, so that none arrives while the new process runs
  /// but is not yet known.
  std::function<void(pid_t)> started = {};
};

/// Starts a program, searched in PATH, with the signal handling that a shell would give it. Throws
/// NotStarted, or Error (run_failed) if the system has no room for another process.
pid_t start(const Words& command, const StartOptions& options = {});

/// Waits for the end of a process. Returns its exit code, or 128 + n if signal n ended it.
int wait_for(pid_t process);
/// Returns the exit code of a process that has ended, without waiting, or nothing if it still runs.
std::optional<int> exit_code_if_ended(pid_t process);

struct Finished {
  int exit_code = 0;
  std::string printed;  ///< on stdout and stderr, without trailing line ends
};

/// Runs a program with this process's inputs and outputs and waits for its end. Returns its exit code, or 128
/// + n if signal n ended it. SIGTERM and SIGHUP are passed on to it, however early they arrive, and so is a
/// SIGINT sent by a process; a terminal sends its own to both. For programs with one thread. Throws as
/// start() does.
int run_in_foreground(const Words& command, std::function<void()> prepare = {});

/// Starts a program with `input` on its stdin and waits for its end. Throws as start() does.
Finished run_to_end(const Words& command, std::string_view input = {}, std::function<void()> prepare = {});

/// Replaces this process by the program. Throws NotStarted if it cannot be started.
[[noreturn]] void become(const Words& command);

}  // namespace loadshare
