#include "runtime/transport/tcp/silence.hpp"

#include <algorithm>
#include <utility>

namespace loadshare::tcp {

std::size_t SilenceWatch::add(double now_s) {
  processes_.push_back({.heard_s = now_s});
  return processes_.size() - 1;
}

bool SilenceWatch::heard(std::size_t process, double now_s) {
  processes_[process].heard_s = now_s;
  return std::exchange(processes_[process].is_silent, false);
}

void SilenceWatch::given(std::size_t process, double now_s) {
  processes_[process].heard_s = std::max(processes_[process].heard_s, now_s);
}

void SilenceWatch::forgive_own_absence(double now_s) {
  const double absent_s = looked_s_ < 0 ? 0 : now_s - looked_s_;
  looked_s_ = now_s;
  if (absent_s < least_s / 2) return;
  for (Process& process : processes_) process.heard_s = std::min(now_s, process.heard_s + absent_s);
}

void SilenceWatch::look(double now_s, const std::function<double(std::size_t)>& expected_s,
                        const std::function<void(std::size_t)>& silent) {
  forgive_own_absence(now_s);
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    const double quiet_s = now_s - process.heard_s;
    if (process.is_gone || process.is_silent || quiet_s < least_s || quiet_s < expected_s(i)) continue;
    process.is_silent = true;
    silent(i);
  }
}

}  // namespace loadshare::tcp
