#include "runtime/host/child_time.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace loadshare {
namespace {

double children_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

ChildTime::ChildTime(std::size_t workers) : is_shared_(workers > 1), given_s_(children_cpu_s()) {}

double ChildTime::take(double most_s) {
  const std::lock_guard lock(mutex_);
  const double all_s = children_cpu_s();
  const double taken_s = std::clamp(all_s - given_s_, 0.0, most_s);
  given_s_ = is_shared_ ? given_s_ + taken_s : all_s;
  return taken_s;
}

}  // namespace loadshare
