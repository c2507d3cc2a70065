#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "base/io/process.hpp"

namespace loadshare::sweep {

/// The end of what a program printed, however much that was.
class OutputTail {
 public:
  void append(std::string_view bytes);

  /// The last lines that are not blank, at most five and 2,000 bytes, without the last line end.
  std::string last_lines() const;

 private:
  std::string text_;
};

enum class Status { ok, failed, timeout, interrupted };

/// "ok", "failed" ...
std::string_view status_name(Status status);

/// How a command ended.
struct Outcome {
  Status status = Status::ok;
  int exit_code = 0;   ///< 128 + n where signal n ended it
  double wall_s = 0;   ///< from its start until it was gone
  double begun_s = 0;  ///< on the steady clock
  std::string error;   ///< why it failed: the last lines that it printed; empty where all is well
};

/// Runs commands, one after the other.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Outcome run(const Words& command, double timeout_s) = 0;
};

/// One running command, the leader of a process group of its own, with its stderr caught.
class Child {
 public:
  /// Starts it; throws as start() does.
  explicit Child(const Words& command);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills what is left of it.
  ~Child();

  /// Waits until it ends or says something on stderr, at most `wait_s`; returns whether it has ended.
  bool wait(double wait_s);
  /// Sends a signal to its whole group.
  void signal(int number) const;
  /// Once it has ended: kills what it left behind in its group and gives its exit code, 128 + n for signal n.
  int finish();

  /// What it printed last on stderr.
  std::string last_errors() const;

 private:
  void drain();

  Descriptor error_, process_;
  OutputTail tail_;
  pid_t pid_ = -1;
};

/// Runs commands as processes of their own group, without input, their output kept from the terminal. None
/// outlives its run: at its timeout, or when `is_interrupted` turns true, the group is told to end and, where
/// it does not within `grace_s`, killed; and when this process dies, however it does, the command is told to
/// end as well.
class ProcessExecutor final : public Executor {
 public:
  /// `while_waiting` is called about ten times a second while a command runs.
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
