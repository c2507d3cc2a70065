#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "runtime/load/injector.hpp"
#include "runtime/load/load_spec.hpp"

namespace loadshare {

/// The background load of one rank, in a process of its own that a person sees as `loadshare-load`. It is
/// forked from this one, so make it before there are threads and before MPI is started. It never outlives
/// this process, however that ends, nor this object: it leaves when it hears nothing more from here, and the
/// kernel ends it when the thread that made it is gone. An interrupt from the keyboard it leaves to us. Used
/// by one thread at a time.
class LoadProcess {
 public:
  /// Names the folder of a control group that the process enters, as labs set it: what the load gets is then
  /// its group's part, however many threads the rank has. Where that cannot be, it stays in ours.
  static constexpr const char* group_variable = "LOADSHARE_LOAD_GROUP";

  /// Starts it, idle; it keeps a copy of the spec. Throws Error (run_failed), with the system's reason, where
  /// no process can be had.
  explicit LoadProcess(const LoadSpec& spec);
  /// Ends it, by force where it does not leave within a second.
  ~LoadProcess();
  LoadProcess(const LoadProcess&) = delete;
  LoadProcess& operator=(const LoadProcess&) = delete;

  /// Begins what the spec says for `rank`, at `zero_s` on this host's clock (monotonic_s); what was armed
  /// before ends. Does not wait; that the process is gone, stop() finds out.
  void arm(int rank, const LoadPlace& place, double zero_s);
  /// Ends that and says what it did, of a process that was not armed all 0; nothing where the process is gone
  /// or does not answer within 5 s, after which it is as good as gone.
  std::optional<LoadMeasure> stop();

  /// Why it ended before stop() was called, if it reported that.
  const std::string& trouble() const { return trouble_; }

  /// Of the process, also once it is gone.
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
  std::string trouble_;
};

}  // namespace loadshare
