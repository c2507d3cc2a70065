#include "runtime/transport/tcp/lease.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace loadshare::tcp {

Lease::Lease(double lease_s, std::function<void()> run_out, std::function<void()> end_process)
    : lease_s_(lease_s), run_out_(std::move(run_out)), end_process_(std::move(end_process)) {
  watcher_.start("that watches its lease", [this] { watch(stop_.get_token()); });
}

void Lease::renew(double from_s) {
  if (!has_run_out_ && from_s > from_s_) from_s_ = from_s;
}

// In a process that was stopped and goes on, both deadlines may have passed at the same time.
void Lease::watch(const std::stop_token& stop) {
  constexpr double most_looks = 100, longest_s = 0.05;
  const std::chrono::duration<double> until_next_look(std::min(longest_s, lease_s_ / most_looks));
  std::mutex mutex;
  std::condition_variable_any nobody_rings;
  while (!stop.stop_requested()) {
    const double since_s = now_s() - from_s_;
    if (!has_run_out_ && chunks_ > 0 && since_s >= lease_s_) {
      has_run_out_ = true;
      run_out_();
    }
    if (has_run_out_ && since_s >= ended_after_s(lease_s_)) return end_process_();
    std::unique_lock lock(mutex);
    nobody_rings.wait_for(lock, stop, until_next_look, [] { return false; });
  }
}

}  // namespace loadshare::tcp
