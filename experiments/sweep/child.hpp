#pragma once

#include <sys/types.h>

#include "experiments/sweep/command.hpp"
#include "experiments/sweep/output_tail.hpp"
#include "runtime/host/descriptor.hpp"

namespace loadshare::sweep {

/// One running command, the leader of a process group of its own, with both its outputs caught.
class Child {
 public:
  /// Starts it; throws Error (run_failed) where the system has no room for another process. A command that
  /// cannot be started says so on its own stderr and exits with 127.
  explicit Child(const Words& command);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills what is left of it.
  ~Child();

  /// Waits until it ends or has printed something, at most `wait_s`; returns whether it has ended.
  bool wait(double wait_s);
  /// Sends a signal to its whole group.
  void signal(int number) const;
  /// Once it has ended: kills what it left behind in its group and gives its exit code, 128 + n for signal n.
  int finish();

  /// What it printed last on stderr.
  std::string last_errors() const;

 private:
  void drain();

  Descriptor out_, error_, process_;
  OutputTail tail_;
  pid_t pid_ = -1;
};

}  // namespace loadshare::sweep
