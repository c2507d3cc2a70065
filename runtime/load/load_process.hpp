#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "runtime/load/injector.hpp"
#include "runtime/load/load_spec.hpp"

namespace loadshare {

/// The background load of one rank, in a process of its own with the name `loadshare-load`. The process is
/// forked from this one, so create it before any thread and before MPI is started. It never outlives this
/// process, however that ends, nor this object. It ends when the connection closes, and the kernel kills it
/// when its creating thread ends. It ignores interrupts from the keyboard. Used by one thread at a time.
class LoadProcess {
 public:
  /// The environment variable with the folder of the control group that the process enters. Labs set it, so
  /// that the load gets its group's part regardless of how many threads the rank has. If that is impossible,
  /// the process stays in the rank's group.
  static constexpr const char* group_variable = "LOADSHARE_LOAD_GROUP";

  /// Starts the process, which is idle and has a copy of the spec. Throws Error (run_failed), with the
  /// system's reason, if no process can be created.
  explicit LoadProcess(const LoadSpec& spec);
  /// Ends the process, by force if it does not end within a second.
  ~LoadProcess();
  LoadProcess(const LoadProcess&) = delete;
  LoadProcess& operator=(const LoadProcess&) = delete;

  /// Starts the spec's load for `rank`, at `zero_s` on this host's clock (monotonic_s), and ends an earlier
  /// one. Does not wait; stop() detects if the process has ended.
  void arm(int rank, const LoadPlace& place, double zero_s);
  /// Ends the load and returns its measurements, which are 0 if arm() was not called. Returns nothing if the
  /// process has ended or does not answer within 5 s; then it must not be used again.
  std::optional<LoadMeasure> stop();

  /// Returns why the process ended before stop() was called, if it reported that.
  const std::string& trouble() const { return trouble_; }

  /// Returns the process's id, even after its end.
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
  std::string trouble_;
};

}  // namespace loadshare
