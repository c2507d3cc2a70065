#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "base/io/process.hpp"

namespace loadshare::sweep {

/// The end of a program's output, in bounded memory.
class OutputTail {
 public:
  void append(std::string_view bytes);

  /// Returns the last lines that are not blank, at most five and 2,000 bytes, without the last line end.
  std::string last_lines() const;

 private:
  std::string text_;
};

enum class Status { ok, failed, timeout, interrupted };

/// Returns "ok", "failed" ...
std::string_view status_name(Status status);

/// How a command ended.
struct Outcome {
  Status status = Status::ok;
  int exit_code = 0;   ///< 128 + n if signal n ended it
  double wall_s = 0;   ///< from its start until it had exited
  double begun_s = 0;  ///< on the steady clock
  std::string error;   ///< why it failed: its last lines of output; empty if it succeeded
};

/// Runs commands one after the other.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Outcome run(const Words& command, double timeout_s) = 0;
};

/// One running command, the leader of its own process group, with its stderr captured.
class Child {
 public:
  /// Starts the command; throws as start() does.
  explicit Child(const Words& command);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills the command if it still runs.
  ~Child();

  /// Waits until the command ends or writes to stderr, at most `wait_s`. Returns whether it has ended.
  bool wait(double wait_s);
  /// Sends a signal to its whole group.
  void signal(int number) const;
  /// Kills processes that the ended command left in its group. Returns its exit code, 128 + n for signal n.
  int finish();

  /// Returns the last lines that it wrote to stderr.
  std::string last_errors() const;

 private:
  void drain();

  Descriptor error_, process_;
  OutputTail tail_;
  pid_t pid_ = -1;
};

/// Runs each command in its own process group, without input and with its output kept off the terminal. At
/// its timeout, or when `is_interrupted` turns true, the group gets SIGTERM and after `grace_s` SIGKILL. If
/// this process dies, the kernel sends the command SIGTERM.
class ProcessExecutor final : public Executor {
 public:
  /// Calls `while_waiting` about ten times a second while a command runs.
  explicit ProcessExecutor(
      const std::atomic<bool>& is_interrupted, std::function<void()> while_waiting = [] {},
      double grace_s = 5)
      : is_interrupted_(is_interrupted), while_waiting_(std::move(while_waiting)), grace_s_(grace_s) {}

  Outcome run(const Words& command, double timeout_s) override;

 private:
  const std::atomic<bool>& is_interrupted_;
  std::function<void()> while_waiting_;
  double grace_s_;
};

}  // namespace loadshare::sweep
