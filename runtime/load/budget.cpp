#include "runtime/load/budget.hpp"

#include <algorithm>

namespace loadshare {

void Budget::begin(double rate, double now_s, double cpu_s) {
  rate_ = rate;
  last_s_ = now_s;
  last_cpu_s_ = cpu_s;
}

double Budget::settle(double now_s, double cpu_s) {
  left_s_ += rate_ * (now_s - last_s_) - (cpu_s - last_cpu_s_);
  left_s_ = std::min(left_s_, most_behind_s_);
  last_s_ = now_s;
  last_cpu_s_ = cpu_s;
  return left_s_ < -most_ahead_s_ ? -left_s_ / rate_ : 0;
}

}  // namespace loadshare
