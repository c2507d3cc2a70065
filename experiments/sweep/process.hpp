#pragma once

#include <atomic>
#include <functional>

#include "experiments/sweep/executor.hpp"

namespace loadshare::sweep {

/// Runs commands as processes of their own group, without input, their output kept from the terminal. None
/// outlives its run: at its timeout, or when `is_interrupted` turns true, the group is told to end and after
/// five seconds killed; and when this process dies, however it does, the command is told to end as well.
class ProcessExecutor final : public Executor {
 public:
  /// `while_waiting` is called about ten times a second while a command runs.
  explicit ProcessExecutor(
      const std::atomic<bool>& is_interrupted, std::function<void()> while_waiting = [] {})
      : is_interrupted_(is_interrupted), while_waiting_(std::move(while_waiting)) {}

  Outcome run(const Words& command, double timeout_s) override;

 private:
  const std::atomic<bool>& is_interrupted_;
  std::function<void()> while_waiting_;
};

}  // namespace loadshare::sweep
