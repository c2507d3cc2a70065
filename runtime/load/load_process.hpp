#pragma once

#include <sys/types.h>

#include <optional>

#include "runtime/load/injector.hpp"
#include "runtime/load/load_spec.hpp"

namespace loadshare {

/// The background load of one rank, in a process of its own that a person sees as `loadshare-load`. It is
/// forked from this one, so make it before there are threads and before MPI is started. It never outlives
/// this process, however that ends, nor this object: it leaves when it hears nothing more from here, and the
/// kernel ends it when the thread that made it is gone. An interrupt from the keyboard it leaves to us.
class LoadProcess {
 public:
  /// Starts it, idle. Throws Error (run_failed).
  explicit LoadProcess(const LoadSpec& spec);
  ~LoadProcess();
  LoadProcess(const LoadProcess&) = delete;
  LoadProcess& operator=(const LoadProcess&) = delete;

  /// Begins what the spec says for `rank`, at `zero_s` on this host's clock (monotonic_s).
  void arm(int rank, const LoadPlace& place, double zero_s);
  /// Ends that; nothing where the process is gone or does not answer within some seconds, after which it is
  /// as good as gone.
  std::optional<LoadMeasure> stop();

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
};

}  // namespace loadshare
