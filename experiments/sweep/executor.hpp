#pragma once

#include <string>
#include <string_view>

#include "experiments/sweep/command.hpp"

namespace loadshare::sweep {

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

}  // namespace loadshare::sweep
